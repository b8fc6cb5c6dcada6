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
#include "saddle/fused_system.hpp"
#include "saddle/staged_elimination.hpp"

namespace daedalus {

class CondensedSystem final : public FusedSystem {
 public:
  // Null where too little can be taken out. Otherwise it takes the panels over.
  [[nodiscard]] static std::unique_ptr<CondensedSystem> make(const SaddleEquations& equations,
                                                             const ProgramSetting& setting,
                                                             PanelSystem& whole);

  [[nodiscard]] std::unique_ptr<SaddleSystem> copy() const override;
  [[nodiscard]] bool solve_at(std::span<const double> environment) override;
  // D at the row of an unknown that was not taken out, as constraints are: the same that the whole matrix
  // would have.
  [[nodiscard]] bool pivots_at(std::span<const double> environment, std::span<double> pivots) override;
  [[nodiscard]] std::string_view name() const override { return "condensed"; }
  [[nodiscard]] std::size_t operations() const override {
    return system_.operations() + recovery_.operations();
  }
  void complete() override { multipliers_(ldl_.values().data(), solution_.data()); }
  [[nodiscard]] bool solves_constraints() const override { return whole_.solves_constraints(); }
  [[nodiscard]] std::span<const double> solve_constraints(std::span<const double> c) override;

 private:
  class Kept;
  // The pattern of what is left, both triangles and the whole diagonal; and by entry of the lower triangle
  // its place and that of its mirror.
  struct Laid {
    SparsePattern pattern;
    std::vector<std::pair<int, int>> places;
  };

  explicit CondensedSystem(PanelSystem whole) : FusedSystem(std::move(whole)) {}
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
  void recover();

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
