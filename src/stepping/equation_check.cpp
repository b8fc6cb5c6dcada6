#include "stepping/equation_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/lanes.hpp"
#include "numerics/wide.hpp"

namespace daedalus {
namespace {

// A residual is measured again when it is so many times as large as when it was measured last.
constexpr double worth_measuring = 1.5;
// Displacements that are tried: the effect of one may cancel between two unknowns, that of three hardly.
constexpr unsigned trials = 3;

// Between 0.5 and 1.5 with either sign, without a pattern that equations could have: the fractional part of
// multiples of irrational numbers (Weyl's sequence).
double displacement(std::size_t level, unsigned trial) {
  const auto part = [](double x) { return x - std::floor(x); };
  const auto k = static_cast<double>(level + 1);
  const double size = 0.5 + part(k * (0.6180339887498949 + 0.1 * trial));
  return part(k * (0.7548776662466927 + 0.13 * trial)) < 0.5 ? -size : size;
}

DAEDALUS_WIDE bool any_larger(const double* values, std::span<const double> limits, double times) {
  using Truths = std::int64_t __attribute__((vector_size(lane_count * sizeof(std::int64_t))));
  Truths any{};
  for (std::size_t k = 0; k < limits.size(); ++k) {
    Four value;
    load_four(values + (lane_count * k), value);
    any |= (value < 0 ? -value : value) > times * limits[k];
  }
  std::int64_t found = 0;
  for (std::size_t l = 0; l < lane_count; ++l) found |= any[l];
  return found != 0;
}

// What is not finite does not count.
DAEDALUS_WIDE void take_largest(const double* values, std::span<double> sizes) {
  constexpr double most = std::numeric_limits<double>::max();
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    Four value;
    load_four(values + (lane_count * k), value);
    value = value < 0 ? -value : value;
    value = value <= most ? value : Four{};
    const double one = value[0] > value[1] ? value[0] : value[1];
    const double other = value[2] > value[3] ? value[2] : value[3];
    sizes[k] = std::max({sizes[k], one, other});
  }
}

}  // namespace

EquationCheck::EquationCheck(const CompiledModel& model, const Tolerances& tolerances)
    : model_(model), tolerances_(tolerances) {
  const auto equations = static_cast<std::size_t>(model.equation_count());
  for (std::vector<double>* list : {&residuals_, &looked_at_, &allowed_, &in_tolerances_, &moved_residuals_})
    list->assign(equations, 0);
  size_.assign(static_cast<std::size_t>(model.level_count()), 0);
  for (const Level& level : model.levels().levels) {
    const Variable& variable = model.dae().variables[level.variable.at()];
    nominal_.push_back(variable.has_nominal && variable.nominal != 0 ? std::abs(variable.nominal) : 1);
  }
  moved_.resize(static_cast<std::size_t>(model.layout().size));
}

void EquationCheck::see_sizes(std::span<const double> environment) {
  const auto first = static_cast<std::size_t>(model_.layout().levels);
  for (std::size_t level = 0; level < size_.size(); ++level) {
    const double size = std::abs(environment[first + level]);
    if (size > size_[level] && std::isfinite(size)) size_[level] = size;
  }
}

// What displacements by the tolerances make of the residuals at this point.
void EquationCheck::allow(std::span<const double> environment) {
  const auto first = static_cast<std::size_t>(model_.layout().levels);
  std::ranges::fill(allowed_, 0.0);
  for (unsigned trial = 0; trial < trials; ++trial) {
    std::copy_n(environment.begin(), moved_.size(), moved_.begin());
    for (std::size_t level = 0; level < size_.size(); ++level)
      moved_[first + level] += displacement(level, trial) *
                               (tolerances_.relative * size_[level] + tolerances_.absolute * nominal_[level]);
    model_.residuals.evaluate(moved_, moved_residuals_, workspace_);
    for (std::size_t row = 0; row < allowed_.size(); ++row) {
      const double change = std::abs(moved_residuals_[row] - residuals_[row]);
      // At the edge of where a function is defined, the other side tells nothing.
      if (std::isfinite(change)) allowed_[row] = std::max(allowed_[row], change);
    }
  }
}

void EquationCheck::see(std::span<const double> environment) {
  see_sizes(environment);
  model_.residuals.evaluate(environment, residuals_, workspace_);
  bool grown = false;
  for (std::size_t row = 0; row < residuals_.size(); ++row)
    grown = grown || std::abs(residuals_[row]) > worth_measuring * looked_at_[row];
  if (!grown) return;
  allow(environment);
  for (std::size_t row = 0; row < residuals_.size(); ++row) {
    const double size = std::abs(residuals_[row]);
    looked_at_[row] = std::max(looked_at_[row], size);
    if (size == 0) continue;
    // An equation that no unknown changes (two constants that should be equal) has nothing to be allowed by.
    const double least = std::numeric_limits<double>::min();
    in_tolerances_[row] = std::max(in_tolerances_[row], size / std::max(allowed_[row], least));
  }
}

bool EquationCheck::see_lanes(const double* environments, const double* residuals) {
  const auto first = static_cast<std::size_t>(model_.layout().levels);
  if (any_larger(residuals, looked_at_, worth_measuring)) return false;
  take_largest(environments + (lane_count * first), size_);
  return true;
}

bool EquationCheck::holds(std::span<const double> environment, double limit) {
  model_.residuals.evaluate(environment, residuals_, workspace_);
  if (!std::ranges::all_of(residuals_, [](double r) { return std::isfinite(r); })) return false;
  see_sizes(environment);
  allow(environment);
  for (std::size_t row = 0; row < residuals_.size(); ++row) {
    if (std::abs(residuals_[row]) > limit * allowed_[row]) return false;
  }
  return true;
}

}  // namespace daedalus
