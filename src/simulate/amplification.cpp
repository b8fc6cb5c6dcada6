#include "simulate/amplification.hpp"

#include <algorithm>
#include <cmath>

#include "stepping/stepper.hpp"

namespace daedalus {
namespace {

// After so many unknowns they repeat themselves: a prime, so that no mechanism has this period.
constexpr std::size_t directions_tried = 1009;
// Errors of states are a tenth of what is allowed, or less.
constexpr double noise = 0.1;
constexpr long looks_an_octave = 4;

// Either sign, without a pattern that equations could have (Weyl's sequence).
double either_sign(std::size_t level, long trial) {
  const double x = static_cast<double>(level + 1) * (0.7548776662466927 + 0.13 * static_cast<double>(trial));
  return x - std::floor(x) < 0.5 ? -1 : 1;
}

}  // namespace

Amplification::Amplification(const CompiledModel& model, const Tolerances& tolerances)
    : model_(model), tolerances_(tolerances) {
  const LevelSystem& system = model.levels();
  for (const Level& level : system.levels) {
    const Variable& variable = model.dae().variables[level.variable.at()];
    const auto column = static_cast<std::size_t>(system.incidence.column[level.variable.at()]);
    state_.push_back(level.order < system.plan.d[column]);
    nominal_.push_back(variable.has_nominal && variable.nominal != 0 ? std::abs(variable.nominal) : 1);
  }
  size_.assign(state_.size(), 0);
  change_ = size_;
}

double Amplification::allowed(std::size_t level) const {
  return tolerances_.relative * size_[level] + tolerances_.absolute * nominal_[level];
}

bool Amplification::is_due(bool last) {
  if (++seen_ < next_ && !last) return false;
  next_ += std::max(1L, next_ / looks_an_octave);
  return true;
}

void Amplification::see_sizes(std::span<const double> levels) {
  for (std::size_t level = 0; level < size_.size(); ++level) {
    const double size = std::abs(levels[level]);
    if (size > size_[level] && std::isfinite(size)) size_[level] = size;
  }
}

void Amplification::see(std::span<const double> environment, bool last) {
  see_sizes(environment.subspan(static_cast<std::size_t>(model_.layout().levels), size_.size()));
  if (is_due(last)) look(environment);
}

void Amplification::see_step(Stepper& stepper, double part) {
  if (part < next_part_) return;
  next_part_ = (std::floor(part * quarters) + 1) / quarters;
  ++seen_;
  directions_.resize(std::min(directions_tried, size_.size()));
  for (std::size_t k = 0; k < directions_.size(); ++k) directions_[k] = either_sign(k, seen_);
  if (stepper.levels_nearby(directions_, sizes_, here_, moved_)) compare(here_, moved_);
}

void Amplification::compare(std::span<const double> here, std::span<const double> moved) {
  see_sizes(here);
  for (std::size_t level = 0; level < size_.size(); ++level) {
    const double change = std::abs(moved[level] - here[level]);
    if (!state_[level] && std::isfinite(change)) change_[level] = std::max(change_[level], change);
  }
}

void Amplification::look(std::span<const double> environment) {
  const auto first = static_cast<std::size_t>(model_.layout().levels);
  if (!solver_) {
    solver_.emplace(model_, tolerances_);
    solver_->select_highest();
  }
  here_.assign(environment.begin(), environment.end());
  if (solver_->solve(here_, false) != AlgebraicStatus::Ok) return;
  moved_ = here_;
  for (std::size_t level = 0; level < size_.size(); ++level) {
    if (state_[level]) moved_[first + level] += either_sign(level, seen_) * allowed(level);
  }
  if (solver_->solve(moved_, false) != AlgebraicStatus::Ok) return;
  compare(std::span(here_).subspan(first, size_.size()), std::span(moved_).subspan(first, size_.size()));
}

// What is hardly more than the errors that are to be expected of it is zero, and has no size that they could
// be measured by.
AmplifiedError Amplification::worst() const {
  AmplifiedError worst;
  const LevelSystem& system = model_.levels();
  for (std::size_t level = 0; level < size_.size(); ++level) {
    if (state_[level] || system.levels[level].order > 0 || size_[level] <= noise * change_[level]) continue;
    const double factor = change_[level] / allowed(level);
    if (factor > worst.factor) worst = {.factor = factor, .level = static_cast<int>(level)};
  }
  return worst;
}

}  // namespace daedalus
