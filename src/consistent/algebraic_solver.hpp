// Given the states, everything else: solves A(t, levels) = 0 for the levels that are not states. Used at
// output points (so that they satisfy every constraint), after events, and for the rates of all levels.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/copied.hpp"
#include "integrate/integrator.hpp"
#include "numerics/linear_solver.hpp"
#include "systems/compiled_model.hpp"
#include "systems/output_rows.hpp"

namespace daedalus {

enum class AlgebraicStatus { Ok, NotFinite, Singular, NoConvergence };

class AlgebraicSolver {
 public:
  AlgebraicSolver(const CompiledModel& model, const Tolerances& tolerances);

  void select(const std::vector<int>& states);
  // For the highest derivative of each variable, from the equations that hold them; all other levels, and
  // what holds between those, are taken as they are.
  void select_highest();
  // The next solution takes no matrix from an earlier one.
  void forget() { factored_ = false; }
  // Newton from the levels in the environment, damped when `robust`; updates them.
  AlgebraicStatus solve(std::span<double> environment, bool robust);
  // d/dt of every level at a consistent point: states from the level above, the others by differentiating
  // A along the solution. False when the matrix is singular.
  bool rates(std::span<double> environment, std::span<double> rates);
  // The equation that was worst (or not finite) when solve() failed.
  [[nodiscard]] int worst_equation() const { return worst_; }
  [[nodiscard]] const OutputRows& output_rows() const { return output_rows_; }

  // Of the linear solver; read after the same select().
  void state(Archive& archive) {
    archive.section("algebraic solver", 2);
    archive(factored_).sized(jacobian_values_.size(), jacobian_values_);
    if (solver_ != nullptr) solver_->state(archive);
  }

 private:
  struct Equations;
  void make_pattern();
  AlgebraicStatus solve_quickly(std::span<double> environment);
  AlgebraicStatus not_solved();
  bool factor(std::span<const double> environment);
  void residual(std::span<const double> environment, std::vector<double>& r);
  bool finite(const std::vector<double>& r);
  // The residuals are what rounding leaves of their terms, or a Newton step would change nothing by more than
  // the tolerances: nothing can be solved better.
  bool at_rounding(std::span<double> environment);
  bool residuals_are_rounding(std::span<const double> environment);
  [[nodiscard]] double norm(std::span<const double> environment, std::span<const double> delta) const;

  const CompiledModel& model_;
  Tolerances tolerances_;
  OutputRows output_rows_;
  std::vector<int> unknowns_;   // levels to solve for
  std::vector<int> column_of_;  // by level: its column, or -1 for states
  std::vector<int> row_of_;     // by equation: its row, or -1
  std::vector<int> rows_;       // equations to be solved; empty: all
  std::vector<int> positions_;  // by entry of the model's Jacobian: place in the pattern, or -1
  Copied<RealSolver> solver_;
  std::vector<double> nominal_;  // by unknown
  std::vector<double> jacobian_values_, values_, all_, r_, trial_r_, delta_, simplified_, trial_;
  std::vector<double> workspace_, jacobian_workspace_;
  bool factored_ = false;  // the last matrix could be
  int worst_ = -1;
};

}  // namespace daedalus
