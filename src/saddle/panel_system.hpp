// L D Lᵀ of the whole matrix [M Gᵀ; G -δ] by panels of numbers, in an order that is found once: one program
// for the entries and the right-hand side, and numerics/static_ldl.hpp. The one strategy that takes a δ, and
// the one by which the others factor for right-hand sides that are no expressions.
#pragma once

#include <vector>

#include "numerics/static_ldl.hpp"
#include "numerics/vectors.hpp"
#include "saddle/elimination.hpp"
#include "saddle/saddle_system.hpp"
#include "saddle/staged_elimination.hpp"

namespace daedalus {

// Of each pair of entries the one below the diagonal, row ≥ column, unknowns being in the order of these
// positions.
[[nodiscard]] std::vector<EliminationEntry> lower_entries(const SymbolicMatrix& matrix,
                                                          std::span<const int> position);

class PanelSystem final : public SaddleSystem {
 public:
  // Whoever makes it calls compile() before its first point.
  PanelSystem(const SaddleEquations& equations, const ProgramSetting& setting);
  // For a few points only the interpreter is ready soonest.
  void compile(bool for_few_points = false);
  // More points are coming than it was compiled for.
  void expect_many_points();

  [[nodiscard]] std::unique_ptr<SaddleSystem> copy() const override;
  [[nodiscard]] bool factor(std::span<const double> environment) override;
  void solve(std::span<double> b) override;
  [[nodiscard]] bool solve_at(std::span<const double> environment) override;
  [[nodiscard]] bool pivots_at(std::span<const double> environment, std::span<double> pivots) override;
  [[nodiscard]] std::string_view name() const override { return "ldl"; }
  [[nodiscard]] std::size_t operations() const override { return system_.operations(); }
  [[nodiscard]] std::span<const double> solution() const override { return ldl_.values(); }
  [[nodiscard]] int index(int unknown) const override { return ldl_.rhs_place(unknown); }
  [[nodiscard]] std::span<const double> accelerations() override;
  [[nodiscard]] bool solves_constraints() const override { return homogeneous_; }
  [[nodiscard]] std::span<const double> solve_constraints(std::span<const double> c) override;
  [[nodiscard]] PanelSystem* panels() override { return this; }
  void state(Archive& archive) override;

  [[nodiscard]] int size() const { return pattern_.size; }
  [[nodiscard]] int first() const { return first_; }
  [[nodiscard]] int constraints() const { return size() - first_; }
  // In which it was asked to eliminate (of orders that amount to the same it may take another).
  [[nodiscard]] std::span<const int> order() const { return order_; }
  // Where in its own order an unknown is.
  [[nodiscard]] int position(int unknown) const { return ldl_.position(unknown); }
  // Of the work of an elimination: that for the rows of M.
  [[nodiscard]] double share_of_mass() const { return ldl_.share(first_); }

  // δD, by constraint, from the next point on.
  void set_delta(std::span<const double> delta);

  // The steps of factor() and solve_at(), for whoever needs what is between them: the entries and b at a
  // point; what they are, on the pattern (constants included) and by position; L and D.
  void load(std::span<const double> environment);
  void fetch(std::span<double> entries, std::span<double> b) const;
  void eliminate() { ldl_.eliminate(); }
  [[nodiscard]] bool regular() const { return ldl_.regular(); }
  [[nodiscard]] double pivot(int unknown) const { return ldl_.pivot(unknown); }
  // b by position, which finish() after an elimination, or substitute(), turns into the solution.
  [[nodiscard]] std::span<double> right_side() { return ldl_.rhs(); }
  void finish() { ldl_.finish(); }
  void substitute() { ldl_.solve(); }

  [[nodiscard]] const SparsePattern& pattern() const { return pattern_; }
  // Whether an entry of the pattern is read: of two symmetric ones only one is.
  [[nodiscard]] bool reads(int entry) const { return ldl_.place(entry) >= 0; }
  [[nodiscard]] std::span<const double> constants() const { return constants_; }

 private:
  struct Varying {
    int place;   // in the pattern
    int in_ldl;  // in the entries of ldl_
  };
  void build_pattern(const SaddleEquations& equations);
  void list_roots(const SaddleEquations& equations);
  void connect();
  void run(std::span<const double> environment) { staged_.run(ldl_, system_, environment, workspace_); }

  const ExprGraph* graph_;
  int first_ = 0;
  bool homogeneous_ = false;  // b = 0
  SparsePattern pattern_;
  std::vector<int> target_;    // by entry of the matrix: place in the pattern
  std::vector<int> diagonal_;  // by constraint: place of its diagonal entry
  std::vector<int> order_;
  std::vector<double> constants_;  // on the pattern
  std::vector<Varying> varying_;
  ProgramSetting setting_;
  std::vector<NodeId> roots_;  // b and the varying entries, and where they belong in ldl_
  std::vector<int> destinations_;
  Program system_;  // of them
  bool provisional_ = false;
  StaticLdl ldl_;
  StagedElimination staged_;
  IndexedCopy to_accelerations_, from_constraints_;  // between those by unknown and those by position
  std::vector<double> accelerations_, workspace_;
};

}  // namespace daedalus
