#include "consistent/algebraic_solver.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "consistent/tolerances.hpp"
#include "numerics/newton.hpp"
#include "numerics/pattern_builder.hpp"

namespace daedalus {

AlgebraicSolver::AlgebraicSolver(const CompiledModel& model, const Tolerances& tolerances)
    : model_(model), tolerances_(tolerances), output_rows_(model) {
  jacobian_values_.resize(model.jacobian().row.size());
  r_.resize(static_cast<std::size_t>(model.equation_count()));
  trial_r_ = r_;
  delta_ = r_;
  simplified_ = r_;
}

void AlgebraicSolver::select(const std::vector<int>& states) {
  column_of_.assign(model_.levels().levels.size(), 0);
  for (const int s : states) column_of_[static_cast<std::size_t>(s)] = -1;
  rows_.clear();
  row_of_.resize(static_cast<std::size_t>(model_.equation_count()));
  std::iota(row_of_.begin(), row_of_.end(), 0);
  make_pattern();
}

void AlgebraicSolver::select_highest() {
  const LevelSystem& system = model_.levels();
  column_of_.assign(system.levels.size(), -1);
  for (std::size_t j = 0; j < system.level_start.size(); ++j)
    column_of_[static_cast<std::size_t>(system.level_start[j] + system.plan.d[j])] = 0;
  rows_.clear();
  row_of_.assign(static_cast<std::size_t>(model_.equation_count()), -1);
  for (std::size_t k = 0; k < system.equations.size(); ++k) {
    const LevelEquation& e = system.equations[k];
    if (e.level != system.plan.c[static_cast<std::size_t>(e.equation)]) continue;
    row_of_[k] = static_cast<int>(rows_.size());
    rows_.push_back(static_cast<int>(k));
  }
  all_.resize(row_of_.size());
  make_pattern();
}

void AlgebraicSolver::make_pattern() {
  const LevelSystem& system = model_.levels();
  unknowns_.clear();
  nominal_.clear();
  const std::size_t rows = rows_.empty() ? row_of_.size() : rows_.size();
  for (std::vector<double>* values : {&r_, &trial_r_, &delta_, &simplified_}) values->resize(rows);
  PatternBuilder builder(static_cast<int>(rows));
  positions_.assign(model_.jacobian().row.size(), -1);
  for (std::size_t level = 0; level < system.levels.size(); ++level) {
    if (column_of_[level] < 0) continue;
    column_of_[level] = static_cast<int>(unknowns_.size());
    unknowns_.push_back(static_cast<int>(level));
    const Variable& variable = model_.dae().variables[system.levels[level].variable.at()];
    nominal_.push_back(variable.has_nominal && variable.nominal != 0 ? std::abs(variable.nominal) : 1);
    for (int k = model_.jacobian().column_start[level]; k < model_.jacobian().column_start[level + 1]; ++k) {
      const int row = row_of_[static_cast<std::size_t>(model_.jacobian().row[static_cast<std::size_t>(k)])];
      if (row >= 0) positions_[static_cast<std::size_t>(k)] = builder.add(row, column_of_[level]);
    }
  }
  const auto built = builder.build();
  for (int& position : positions_) {
    if (position >= 0) position = built.position[static_cast<std::size_t>(position)];
  }
  values_.resize(built.pattern.row.size());
  trial_.resize(static_cast<std::size_t>(model_.layout().size));
  solver_ = make_linear_solver<double>(built.pattern);
  factored_ = false;
}

bool AlgebraicSolver::factor(std::span<const double> environment) {
  model_.jacobian().evaluate(environment, jacobian_values_, jacobian_workspace_);
  (void)output_rows_.mend(jacobian_values_);
  for (std::size_t k = 0; k < positions_.size(); ++k) {
    if (positions_[k] >= 0) values_[static_cast<std::size_t>(positions_[k])] = jacobian_values_[k];
  }
  factored_ = solver_->factor(values_);
  if (factored_) return true;
  worst_ = solver_->weakest_pivot().row;
  return false;
}

void AlgebraicSolver::residual(std::span<const double> environment, std::vector<double>& r) {
  if (rows_.empty()) return model_.residuals.evaluate(environment, r, workspace_);
  model_.residuals.evaluate(environment, all_, workspace_);
  for (std::size_t k = 0; k < rows_.size(); ++k) r[k] = all_[static_cast<std::size_t>(rows_[k])];
}

double AlgebraicSolver::norm(std::span<const double> environment, std::span<const double> delta) const {
  double largest = 0;
  const auto first = static_cast<std::size_t>(model_.layout().levels);
  for (std::size_t k = 0; k < delta.size(); ++k) {
    const double value = environment[first + static_cast<std::size_t>(unknowns_[k])];
    const double weight = (tolerances_.relative * std::abs(value)) + (tolerances_.absolute * nominal_[k]);
    largest = std::max(largest, std::abs(delta[k]) / weight);
    if (!std::isfinite(delta[k])) return std::numeric_limits<double>::infinity();
  }
  return largest;
}

bool AlgebraicSolver::finite(const std::vector<double>& r) {
  const auto bad = std::ranges::find_if(r, [](double v) { return !std::isfinite(v); });
  if (bad == r.end()) return true;
  worst_ = static_cast<int>(bad - r.begin());
  return false;
}

// The equations at the levels of an environment, for damped_newton().
struct AlgebraicSolver::Equations {
  AlgebraicSolver& solver;
  std::span<double> environment;

  bool linearise() { return solver.factor(environment); }
  double step() {
    for (std::size_t k = 0; k < solver.r_.size(); ++k) solver.delta_[k] = -solver.r_[k];
    solver.solver_->solve(solver.delta_);
    return solver.norm(environment, solver.delta_);
  }
  static NewtonStep judge(double size) {
    return size < consistent::last_step ? NewtonStep::Last : NewtonStep::Tested;
  }
  bool evaluate(double lambda) {
    const auto first = static_cast<std::size_t>(solver.model_.layout().levels);
    solver.trial_.assign(environment.begin(), environment.end());
    for (std::size_t k = 0; k < solver.unknowns_.size(); ++k)
      solver.trial_[first + static_cast<std::size_t>(solver.unknowns_[k])] += lambda * solver.delta_[k];
    solver.residual(solver.trial_, solver.trial_r_);
    return solver.finite(solver.trial_r_);
  }
  bool descends(double lambda, double size) {
    for (std::size_t k = 0; k < solver.r_.size(); ++k) solver.simplified_[k] = -solver.trial_r_[k];
    solver.solver_->solve(solver.simplified_);
    return naturally_monotone(solver.norm(environment, solver.simplified_), size, lambda);
  }
  void accept() {
    std::ranges::copy(solver.trial_, environment.begin());
    solver.r_.swap(solver.trial_r_);
  }
  // The step, or as much of it as leads to where the equations have values.
  bool advance() {
    for (double lambda = 1; lambda > consistent::robust_newton.smallest_damping; lambda *= 0.5) {
      if (!evaluate(lambda)) continue;
      accept();
      return true;
    }
    return false;
  }
};

AlgebraicStatus AlgebraicSolver::solve(std::span<double> environment, bool robust) {
  if (unknowns_.empty()) return AlgebraicStatus::Ok;
  residual(environment, r_);
  if (!finite(r_)) return AlgebraicStatus::NotFinite;
  if (!robust) return solve_quickly(environment);
  Equations equations{.solver = *this, .environment = environment};
  const DampedOutcome outcome = damped_newton(equations, consistent::robust_newton);
  if (outcome.status == DampedStatus::Converged) return AlgebraicStatus::Ok;
  if (outcome.status == DampedStatus::Singular) return AlgebraicStatus::Singular;
  // The test that damps has no say where steps are rounding.
  for (int k = 0; k < consistent::polishing_steps; ++k) {
    if (at_rounding(environment)) return AlgebraicStatus::Ok;
    if (!factor(environment)) break;
    (void)equations.step();
    if (!equations.evaluate(1)) break;
    equations.accept();
  }
  return not_solved();
}

AlgebraicStatus AlgebraicSolver::not_solved() {
  worst_ =
      static_cast<int>(std::ranges::max_element(r_, {}, [](double v) { return std::abs(v); }) - r_.begin());
  return AlgebraicStatus::NoConvergence;
}

// Newton with a factorisation that is kept as long as it serves, from one call to the next: between events
// the equations of a circuit with switches are linear, and one matrix does for all points.
AlgebraicStatus AlgebraicSolver::solve_quickly(std::span<double> environment) {
  Equations equations{.solver = *this, .environment = environment};
  double before = 0;  // size of the last step with this matrix; 0: none yet
  bool tired = !factored_;
  for (int k = 0; k < consistent::quick_iterations; ++k) {
    const bool fresh = tired;
    if (fresh && !factor(environment)) return AlgebraicStatus::Singular;
    const double size = equations.step();
    if (!std::isfinite(size)) {
      if (fresh) return AlgebraicStatus::Singular;
      tired = true;
      continue;
    }
    const bool stagnates = before > 0 && size > consistent::stagnating * before;
    if (stagnates && size < consistent::stalled_step) return AlgebraicStatus::Ok;
    if (stagnates && residuals_are_rounding(environment)) return AlgebraicStatus::Ok;
    const double rate = before > 0 ? size / before : 1;
    tired = before > 0 && rate > consistent::tired_rate;
    const bool last = size < (fresh ? consistent::last_step : consistent::last_old_step) ||
                      (before > 0 && !tired && rate * size < consistent::last_old_step);
    if (tired && !fresh && !last) {
      before = 0;
      continue;
    }
    if (!equations.advance()) break;
    if (last) return AlgebraicStatus::Ok;
    before = size;
  }
  if (at_rounding(environment)) return AlgebraicStatus::Ok;
  return not_solved();
}

// Of each equation: the sum of the sizes of its terms, with the Jacobian at hand.
bool AlgebraicSolver::residuals_are_rounding(std::span<const double> environment) {
  const auto first = static_cast<std::size_t>(model_.layout().levels);
  std::ranges::fill(trial_r_, 0.0);
  for (std::size_t level = 0; level < column_of_.size(); ++level) {
    for (int k = model_.jacobian().column_start[level]; k < model_.jacobian().column_start[level + 1]; ++k) {
      const auto entry = static_cast<std::size_t>(k);
      const int row = row_of_[static_cast<std::size_t>(model_.jacobian().row[entry])];
      if (row >= 0)
        trial_r_[static_cast<std::size_t>(row)] +=
            std::abs(jacobian_values_[entry] * environment[first + level]);
    }
  }
  bool rounding = true;
  for (std::size_t r = 0; r < r_.size(); ++r)
    rounding = rounding && std::abs(r_[r]) <= consistent::rounding_of_terms * trial_r_[r];
  return rounding;
}

bool AlgebraicSolver::at_rounding(std::span<const double> environment) {
  if (!factor(environment)) return residuals_are_rounding(environment);
  if (residuals_are_rounding(environment)) return true;
  for (std::size_t k = 0; k < r_.size(); ++k) delta_[k] = -r_[k];
  solver_->solve(delta_);
  return norm(environment, delta_) < consistent::stalled_step;
}

bool AlgebraicSolver::rates(std::span<double> environment, std::span<double> rates) {
  const auto first = static_cast<std::size_t>(model_.layout().levels);
  std::ranges::fill(rates, 0.0);
  for (std::size_t level = 0; level < column_of_.size(); ++level) {
    if (column_of_[level] < 0) rates[level] = environment[first + level + 1];
  }
  if (unknowns_.empty()) return true;
  // ∂A/∂t by a difference: this only starts the predictor, whose error control does the rest.
  double& time = environment[static_cast<std::size_t>(model_.layout().time)];
  const double t = time;
  residual(environment, r_);
  const double h = consistent::time_difference * std::max(1.0, std::abs(t));
  time = t + h;
  residual(environment, trial_r_);
  time = t;
  if (!factor(environment)) return false;
  for (std::size_t k = 0; k < r_.size(); ++k) delta_[k] = -(trial_r_[k] - r_[k]) / h;
  for (std::size_t level = 0; level < column_of_.size(); ++level) {
    if (column_of_[level] >= 0) continue;
    for (int k = model_.jacobian().column_start[level]; k < model_.jacobian().column_start[level + 1]; ++k) {
      delta_[static_cast<std::size_t>(model_.jacobian().row[static_cast<std::size_t>(k)])] -=
          jacobian_values_[static_cast<std::size_t>(k)] * rates[level];
    }
  }
  solver_->solve(delta_);
  for (std::size_t k = 0; k < unknowns_.size(); ++k) {
    rates[static_cast<std::size_t>(unknowns_[k])] = std::isfinite(delta_[k]) ? delta_[k] : 0;
  }
  return true;
}

}  // namespace daedalus
