// A symmetric system [M Gᵀ; G 0] z = b of expressions, M positive definite, solved again and again at other
// points: accelerations and multipliers, or a projection onto constraints.
//
//   straight-line  small: L D Lᵀ written out as expressions, compiled together with the entries and b
//   ldl            one program for entries and b, and a static L D Lᵀ of what is left when unknowns with
//                  constant pivots are taken out (CondensedSystem). Where that is not enough, of the whole
//                  matrix: redundant constraints by [M Gᵀ; G -δ] and one step of refinement, which gives the
//                  multipliers of least norm
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "codegen/program.hpp"
#include "core/archive.hpp"
#include "core/copied.hpp"
#include "numerics/static_ldl.hpp"
#include "numerics/vectors.hpp"
#include "reform/constrained_form.hpp"
#include "saddle/condensed_system.hpp"
#include "saddle/staged_elimination.hpp"

namespace daedalus {

class SymmetricSystem {
 public:
  // What follows from the solution: expressions in these leaves, by unknown, and in others.
  struct Sequel {
    std::span<const NodeId> unknowns;
    std::span<const NodeId> nodes;
  };

  // Both triangles are given; the first `first` rows are those of M. `places`: where put() puts each unknown
  // (none given: one after the other).
  SymmetricSystem(ExprGraph& graph, const SymbolicMatrix& matrix, std::span<const NodeId> rhs, int first,
                  ProgramSetting setting, std::span<const int> places = {}, const Sequel& sequel = {});

  // At the first point: are constraints redundant? False: M is not positive definite, or not finite there, or
  // its entries are so different that elimination without pivoting loses too many digits.
  [[nodiscard]] bool prepare(std::span<const double> environment);
  [[nodiscard]] bool prepared() const { return prepared_; }
  // False: a value is not finite, or a pivot is zero. Allocates nothing.
  [[nodiscard]] bool solve(std::span<const double> environment);
  // Where the accelerations are, and where among them unknown i; both are others after prepare(), soften()
  // and harden().
  [[nodiscard]] std::span<const double> solution() const {
    return by_unknown() ? std::span<const double>(solution_) : ldl_.values();
  }
  [[nodiscard]] int solution_place(int i) const { return by_unknown() ? i : ldl_.rhs_place(i); }
  void put(std::span<double> out);
  // The solution by unknown where no places were given, without the multipliers; in this room, if need be.
  [[nodiscard]] std::span<const double> unknowns(std::span<double> room);
  // The sequel at a point, straight from there; only where has_sequel() says so. No solution is left behind.
  [[nodiscard]] bool has_sequel() const { return straight() && sequel_.roots() > 0; }
  void sequel(std::span<const double> environment, std::span<double> out) {
    sequel_.evaluate(environment, out, sequel_workspace_);
  }
  [[nodiscard]] Program::Bound bound_sequel(std::span<const double> environment) {
    return sequel_.bind(environment, sequel_workspace_);
  }
  // The matrix alone at a point, and then right-hand sides as they come.
  [[nodiscard]] bool factor(std::span<const double> environment);
  void solve_factored(std::span<double> b);

  // Systems of the constraints alone, whose right-hand side is zero: the matrix at a point (regularity()
  // leaves it behind, too; false: a pivot is zero or not finite), and the accelerations for (0, c) instead of
  // zero. Not where the elimination is written out together with its right-hand side.
  [[nodiscard]] bool keeps_factors() const { return homogeneous_ && !straight() && !refined_; }
  [[nodiscard]] bool refactor(std::span<const double> environment) { return find_pivots(environment); }
  [[nodiscard]] std::span<const double> solve_for(std::span<const double> c);

  // Whether the solution solves a system that differs by little from the one at this point.
  [[nodiscard]] bool holds(std::span<const double> environment);

  // From now on with δ = part · diagonal of G M⁻¹ Gᵀ, and one step of refinement: near points where
  // constraints lose rank their multipliers stay finite, and far from them the change is of the order part².
  void soften(double part);
  void harden();
  [[nodiscard]] bool soft() const { return soft_; }

  // What prepare() and the points since then have left behind; read into a copy of the same system.
  void state(Archive& archive);

  [[nodiscard]] int size() const { return pattern_.size; }
  // Constraints that followed from others at the first point.
  [[nodiscard]] bool has_redundant() const { return redundant_; }
  [[nodiscard]] std::string_view method() const { return straight() ? "straight-line" : "ldl"; }
  // How far the constraints are from losing rank: the smallest pivot of G M⁻¹ Gᵀ against its diagonal entry
  // at the beginning, those aside that were zero then.
  [[nodiscard]] double regularity(std::span<const double> environment);
  // Compiles what regularity() needs where that is a program of its own.
  void prepare_regularity();
  // How many pivots are below this part of their largest, at the point of the last regularity().
  [[nodiscard]] int vanished(double part) const;

 private:
  [[nodiscard]] bool straight() const { return !refined_ && straight_.roots() > 0; }
  void build_pattern(const SymbolicMatrix& matrix);
  [[nodiscard]] bool condensed() const { return !refined_ && condensed_ != nullptr; }
  [[nodiscard]] bool by_unknown() const { return straight() || condensed(); }  // where the solution is
  void list_roots(const SymbolicMatrix& matrix, std::span<const NodeId> rhs, std::span<const int> order);
  void compile_entries();
  [[nodiscard]] static std::vector<EliminationEntry> lower_entries(const SymbolicMatrix& matrix,
                                                                   std::span<const int> position);
  void write_out(const SymbolicMatrix& matrix, std::span<const NodeId> rhs, std::span<const int> order,
                 const Sequel& sequel);
  void condense(const SymbolicMatrix& matrix, std::span<const NodeId> rhs);
  [[nodiscard]] bool has_pivots() const { return straight() && pivot_program_.roots() > 0; }
  [[nodiscard]] double pivot(std::size_t constraint) const;
  [[nodiscard]] bool find_pivots(std::span<const double> environment);
  void set_delta(double part);  // of the diagonal of G M⁻¹ Gᵀ
  void load(std::span<const double> environment);
  void make_ready();
  void eliminate(std::span<const double> environment);
  void fetch_values();
  [[nodiscard]] std::vector<int> natural_order() const;
  void set_places(std::span<const int> places);
  void list_entries();
  void estimate_schur();
  void refine();
  void residual();
  [[nodiscard]] double backward_error(std::span<const double> environment);
  [[nodiscard]] bool accurate(std::span<const double> environment);

  ExprGraph* graph_;  // grows in the constructor only
  int first_ = 0;
  bool prepared_ = false;
  bool homogeneous_ = false;  // b = 0
  bool redundant_ = false;
  bool soft_ = false;
  bool refined_ = false;  // every solution is refined once
  SparsePattern pattern_;
  std::vector<int> target_;  // by entry of the matrix: place in the pattern
  // Of entries that are no constants.
  struct Varying {
    int place;   // in the pattern
    int in_ldl;  // in the entries of ldl_
  };
  std::vector<Varying> varying_;
  struct Diagonal {
    int place;  // in the pattern
    int row;
  };
  struct Coupling {
    int place;
    int row;
    int column;
  };
  // Rows and columns by position.
  std::vector<int> row_at_;  // of the matrix
  std::vector<Diagonal> mass_diagonal_;
  std::vector<Coupling> couplings_;  // below or above the diagonal, each once
  std::vector<int> diagonal_;        // by constraint: place of its diagonal entry
  // On the pattern: constants, and after fetch_values() the others, too.
  std::vector<double> values_;
  std::vector<double> schur_;                 // by constraint: the diagonal of G M⁻¹ Gᵀ at the beginning
  std::vector<double> peak_;                  // by constraint: the largest pivot so far
  std::vector<char> live_;                    // by constraint: its pivot was not zero at the beginning
  std::vector<double> b_, r_, z_, row_size_;  // by position
  ProgramSetting setting_;
  std::vector<NodeId> roots_;  // b and the varying entries, and where they belong in ldl_
  std::vector<int> destinations_;
  Program system_;  // of them
  StagedElimination staged_;
  bool provisional_ = false;           // it is for a few points only
  Program straight_;                   // z
  Copied<CondensedSystem> condensed_;  // null: too little can be taken out
  std::vector<double> solution_;       // of these two, by unknown
  Program sequel_;
  std::vector<NodeId> pivot_nodes_;  // of the constraints, where written out
  Program pivot_program_;
  std::vector<double> pivots_;  // of it
  IndexedCopy to_out_, solution_to_out_;
  IndexedCopy accelerations_, constraints_;  // between those by unknown and the right-hand side by position
  StaticLdl ldl_;
  std::vector<double> workspace_, straight_workspace_, sequel_workspace_, pivot_workspace_;
};

}  // namespace daedalus
