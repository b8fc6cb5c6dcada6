#include "systems/differenced_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "numerics/pattern_builder.hpp"
#include "numerics/vectors.hpp"

namespace daedalus {
namespace {

// Unknowns up to which a full matrix costs less than to look which entries there are.
constexpr int dense_limit = 16;
// The least size of a value when its step is chosen. Most equations are linear in the rates, and a longer
// step keeps more digits there; a value may come near to where a root or a logarithm ends.
constexpr double least_value = 1e-3;
constexpr double least_rate = 1;  // rates have no nominal values

// Half of the digits for the difference, half for the curvature; a power of two times a sum, so that y + step
// - y is exact.
double step_of(double value, double least) {
  const double wanted = std::sqrt(std::numeric_limits<double>::epsilon()) * std::max(std::abs(value), least);
  const volatile double moved = value + wanted;
  return moved - value;
}

}  // namespace

DifferencedSystem::DifferencedSystem(ResidualFunction function, double t, std::span<const double> y,
                                     std::span<const double> yp, JacobianFunction jacobian)
    : function_(std::move(function)), jacobian_(std::move(jacobian)), components_(y.size()) {
  base_.resize(y.size());
  moved_.resize(y.size());
  steps_.resize(y.size());
  find_pattern(t, y, yp);
  color_columns();
}

bool DifferencedSystem::residual(double t, std::span<const double> y, std::span<const double> yp,
                                 std::span<double> r) {
  ++calls_;
  if (!function_(t, y, yp, r)) {
    trouble_ = "the function has no value there";
    return false;
  }
  if (all_finite(r)) return true;
  const auto bad = std::ranges::find_if(r, [](double v) { return !std::isfinite(v); });
  trouble_ = fmt::format("equation {} is not finite", bad - r.begin());
  return false;
}

// Whoever depends on a NaN is one itself; and whoever changes when the unknown does depends on it, whatever
// becomes of NaNs.
void DifferencedSystem::mark_column(double t, int column, std::vector<char>& depends) {
  const auto j = static_cast<std::size_t>(column);
  std::ranges::fill(depends, 0);
  for (std::vector<double>* moving : {&y_, &yp_}) {
    const double kept = (*moving)[j];
    for (const double other :
         {std::numeric_limits<double>::quiet_NaN(), kept + step_of(kept, least_value), kept + 1}) {
      (*moving)[j] = other;
      ++calls_;
      if (!function_(t, y_, yp_, moved_)) {
        std::ranges::fill(depends, 1);
        break;
      }
      for (std::size_t i = 0; i < depends.size(); ++i) {
        if (moved_[i] != base_[i]) depends[i] = 1;
      }
    }
    (*moving)[j] = kept;
  }
}

void DifferencedSystem::find_pattern(double t, std::span<const double> y, std::span<const double> yp) {
  y_.assign(y.begin(), y.end());
  yp_.assign(yp.begin(), yp.end());
  const int n = size();
  std::vector<char> depends(y.size(), 1);
  const bool look = !jacobian_ && n > dense_limit && residual(t, y_, yp_, base_);
  std::vector<std::vector<int>> columns(y.size());
  for (int j = 0; j < n; ++j) {
    if (look) mark_column(t, j, depends);
    for (int i = 0; i < n; ++i) {
      if (depends[static_cast<std::size_t>(i)] != 0 || i == j)
        columns[static_cast<std::size_t>(j)].push_back(i);
    }
  }
  pattern_ = pattern_of(columns);
}

// Greedy, in the order of the columns: into the first group that has none of its rows.
void DifferencedSystem::color_columns() {
  std::vector<std::vector<char>> taken;
  for (int j = 0; j < size(); ++j) {
    const auto begin = pattern_.row.begin() + pattern_.column_start[static_cast<std::size_t>(j)];
    const auto end = pattern_.row.begin() + pattern_.column_start[static_cast<std::size_t>(j) + 1];
    std::size_t g = 0;
    const auto collides = [&](int row) { return taken[g][static_cast<std::size_t>(row)] != 0; };
    while (g < taken.size() && std::any_of(begin, end, collides)) ++g;
    if (g == taken.size()) {
      taken.emplace_back(components_.size(), 0);
      groups_.emplace_back();
    }
    groups_[g].push_back(j);
    std::for_each(begin, end, [&](int row) { taken[g][static_cast<std::size_t>(row)] = 1; });
  }
}

bool DifferencedSystem::difference(double t, std::vector<double>& moving, std::span<double> values) {
  const double least = &moving == &yp_ ? least_rate : least_value;
  for (const std::vector<int>& group : groups_) {
    for (const int j : group) {
      const auto at = static_cast<std::size_t>(j);
      steps_[at] = step_of(moving[at], least);
      moving[at] += steps_[at];
    }
    const bool fine = residual(t, y_, yp_, moved_);
    for (const int j : group) {
      const auto at = static_cast<std::size_t>(j);
      moving[at] -= steps_[at];
      for (int k = pattern_.column_start[at]; k < pattern_.column_start[at + 1]; ++k) {
        const auto entry = static_cast<std::size_t>(k);
        const auto row = static_cast<std::size_t>(pattern_.row[entry]);
        values[entry] = (moved_[row] - base_[row]) / steps_[at];
      }
    }
    if (!fine) return false;
  }
  return true;
}

bool DifferencedSystem::jacobian(double t, std::span<const double> y, std::span<const double> yp,
                                 std::span<double> dy, std::span<double> dyp) {
  if (jacobian_) {
    if (jacobian_(t, y, yp, dy, dyp) && all_finite(dy) && all_finite(dyp)) return true;
    trouble_ = "the Jacobian that was given has no value there";
    return false;
  }
  y_.assign(y.begin(), y.end());
  yp_.assign(yp.begin(), yp.end());
  return residual(t, y_, yp_, base_) && difference(t, y_, dy) && difference(t, yp_, dyp);
}

}  // namespace daedalus
