#include "consistent/algebraic_solver.hpp"

#include <algorithm>
#include <cmath>

namespace daedalus {

AlgebraicSolver::AlgebraicSolver(const CompiledModel& model, const Tolerances& tolerances)
    : model_(model), tolerances_(tolerances) {
  jacobian_values_.resize(model.jacobian().row.size());
  r_.resize(static_cast<std::size_t>(model.equation_count()));
  trial_r_ = r_;
  delta_ = r_;
  simplified_ = r_;
}

void AlgebraicSolver::select(const std::vector<int>& states) {
  const LevelSystem& system = model_.levels();
  column_of_.assign(system.levels.size(), 0);
  for (const int s : states) column_of_[static_cast<std::size_t>(s)] = -1;
  unknowns_.clear();
  nominal_.clear();
  pattern_ = {.size = model_.equation_count(), .column_start = {0}, .row = {}};
  positions_.assign(model_.jacobian().row.size(), -1);
  for (std::size_t level = 0; level < system.levels.size(); ++level) {
    if (column_of_[level] < 0) continue;
    column_of_[level] = static_cast<int>(unknowns_.size());
    unknowns_.push_back(static_cast<int>(level));
    const Variable& variable = model_.dae().variables[system.levels[level].variable.at()];
    nominal_.push_back(variable.has_nominal && variable.nominal != 0 ? std::abs(variable.nominal) : 1);
    for (int k = model_.jacobian().column_start[level]; k < model_.jacobian().column_start[level + 1]; ++k) {
      positions_[static_cast<std::size_t>(k)] = static_cast<int>(pattern_.row.size());
      pattern_.row.push_back(model_.jacobian().row[static_cast<std::size_t>(k)]);
    }
    pattern_.column_start.push_back(static_cast<int>(pattern_.row.size()));
  }
  values_.resize(pattern_.row.size());
  trial_.resize(static_cast<std::size_t>(model_.layout().size));
  solver_ = make_linear_solver<double>(pattern_);
}

bool AlgebraicSolver::factor(std::span<const double> environment) {
  model_.jacobian().evaluate(environment, jacobian_values_, jacobian_workspace_);
  for (std::size_t k = 0; k < positions_.size(); ++k) {
    if (positions_[k] >= 0) values_[static_cast<std::size_t>(positions_[k])] = jacobian_values_[k];
  }
  if (solver_->factor(values_)) return true;
  worst_ = solver_->weakest_pivot().row;
  return false;
}

void AlgebraicSolver::residual(std::span<const double> environment, std::vector<double>& r) {
  model_.residuals.evaluate(environment, r, workspace_);
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

AlgebraicStatus AlgebraicSolver::solve(std::span<double> environment, bool robust) {
  if (unknowns_.empty()) return AlgebraicStatus::Ok;
  const auto first = static_cast<std::size_t>(model_.layout().levels);
  const auto not_finite = [&](const std::vector<double>& r) {
    const auto bad = std::ranges::find_if(r, [](double v) { return !std::isfinite(v); });
    if (bad == r.end()) return false;
    worst_ = static_cast<int>(bad - r.begin());
    return true;
  };
  residual(environment, r_);
  if (not_finite(r_)) return AlgebraicStatus::NotFinite;
  const int limit = robust ? 100 : 8;
  double lambda = 1;
  for (int iteration = 0; iteration < limit; ++iteration) {
    if (!factor(environment)) return AlgebraicStatus::Singular;
    for (std::size_t k = 0; k < r_.size(); ++k) delta_[k] = -r_[k];
    solver_->solve(delta_);
    const double size = norm(environment, delta_);
    if (!std::isfinite(size)) return AlgebraicStatus::Singular;
    lambda = std::min(1.0, 4 * lambda);
    bool accepted = false;
    for (; lambda > 1e-9; lambda *= 0.5) {
      trial_.assign(environment.begin(), environment.end());
      for (std::size_t k = 0; k < unknowns_.size(); ++k)
        trial_[first + static_cast<std::size_t>(unknowns_[k])] += lambda * delta_[k];
      residual(trial_, trial_r_);
      if (not_finite(trial_r_)) continue;
      if (size < 1e-3 || !robust) {
        accepted = true;
        break;
      }
      for (std::size_t k = 0; k < r_.size(); ++k) simplified_[k] = -trial_r_[k];
      solver_->solve(simplified_);
      if (norm(environment, simplified_) <= (1 - (lambda / 4)) * size) {
        accepted = true;
        break;
      }
    }
    if (!accepted) break;
    std::ranges::copy(trial_, environment.begin());
    r_.swap(trial_r_);
    // Newton converges quadratically: the error left is far below the step just made.
    if (size < 1e-3) return AlgebraicStatus::Ok;
  }
  worst_ =
      static_cast<int>(std::ranges::max_element(r_, {}, [](double v) { return std::abs(v); }) - r_.begin());
  return AlgebraicStatus::NoConvergence;
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
  const double h = 1e-7 * std::max(1.0, std::abs(t));
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
