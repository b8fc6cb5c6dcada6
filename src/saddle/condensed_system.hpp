// A symmetric system [M Gᵀ; G 0] z = b of expressions, solved by the Schur complement of what can be taken
// out of it as expressions (saddle/condensation.hpp): one program for that matrix and its right-hand side, a
// static L D Lᵀ, and a second program for the unknowns that were taken out.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "codegen/program.hpp"
#include "numerics/sparse_pattern.hpp"
#include "numerics/static_ldl.hpp"
#include "numerics/vectors.hpp"
#include "saddle/condensation.hpp"
#include "saddle/staged_elimination.hpp"

namespace daedalus {

class CondensedSystem {
 public:
  struct Given {
    int size = 0;
    std::span<const EliminationEntry> lower;  // row ≥ column, each once
    std::span<const NodeId> rhs;
    int first = 0;     // rows of M
    double saved = 1;  // of the work of an elimination of the whole: theirs
  };

  // Null: too little could be taken out.
  [[nodiscard]] static std::unique_ptr<CondensedSystem> make(ExprGraph& graph, const Given& given,
                                                             const ProgramSetting& setting);

  // The matrix at this point, L and D. Allocates nothing, and neither does solve().
  void eliminate(std::span<const double> environment);
  [[nodiscard]] bool regular() const { return ldl_.regular(); }
  // The solution by unknown, without the multipliers.
  void solve(std::span<const double> environment, std::span<double> z);
  // The same with the last elimination, for systems whose right-hand side is zero: (0, c) in its place, c
  // that of the rows behind those of M, none of which is taken out.
  void solve_for(std::span<const double> c, std::span<double> z);
  // And these.
  void put_multipliers(std::span<double> z) const { multipliers_(ldl_.values().data(), z.data()); }
  // D at the row of an unknown that was not taken out: the same that the whole matrix would have.
  [[nodiscard]] double pivot(int unknown) const {
    return ldl_.pivot(place_[static_cast<std::size_t>(unknown)]);
  }

 private:
  class Kept;
  // The pattern of what is left, both triangles and the whole diagonal; and by entry of the lower triangle
  // its place and that of its mirror.
  struct Laid {
    SparsePattern pattern;
    std::vector<std::pair<int, int>> places;
  };

  CondensedSystem() = default;
  [[nodiscard]] static Laid lay_out(const Condensation& condensation);
  [[nodiscard]] std::vector<int> turns(const Condensation& condensation, std::span<const int> position) const;
  void make_matrix(const ExprGraph& graph, const Condensation& condensation, const Laid& laid,
                   std::span<const int> order, std::size_t room);
  void compile_system(const ExprGraph& graph, const Condensation& condensation, const Kept& kept,
                      const ProgramSetting& setting);
  void compile_recovery(ExprGraph& graph, const Condensation& condensation, Kept& kept,
                        std::span<const int> turns, const CodegenOptions& codegen);
  // Of the unknowns in a range those that were not taken out, and where ldl_ has them in its right-hand side.
  struct Left {
    std::vector<int> unknowns, places;
  };
  [[nodiscard]] Left left_of(int begin, int end) const;
  void recover(std::span<double> z);

  std::vector<int> place_;  // by unknown: its row of what is left; -1: taken out
  std::vector<int> entry_;  // by entry of what is left: where ldl_ reads it
  StaticLdl ldl_;
  StagedElimination staged_;
  Program system_;                           // entries, right-hand side, and what is kept for the other
  Program recovery_;                         // of the unknowns that were taken out, from ldl_.values()
  IndexedCopy accelerations_, multipliers_;  // that were not taken out
  IndexedCopy constraints_;                  // of a right-hand side, to where it belongs
  std::vector<double> workspace_, recovery_workspace_;
};

}  // namespace daedalus
