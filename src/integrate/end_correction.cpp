#include "integrate/end_correction.hpp"

#include <cassert>

#include "numerics/wide.hpp"

namespace daedalus {

namespace {

// sum (+)= after - before
DAEDALUS_WIDE void add_change(std::span<const double> before, std::span<const double> after, bool first,
                              std::vector<double>& sum) {
  sum.resize(before.size());
  double* const to = sum.data();
  if (first) {
    for (std::size_t i = 0; i < before.size(); ++i) to[i] = after[i] - before[i];
  } else {
    for (std::size_t i = 0; i < before.size(); ++i) to[i] += after[i] - before[i];
  }
}

}  // namespace

void EndCorrection::add(std::span<const double> y, std::span<const double> y_new) {
  add_change(y, y_new, !active_, dy_);
  if (!active_) has_slope_ = false;
  active_ = true;
}

void EndCorrection::add_slope(std::span<const double> yp, std::span<const double> yp_new) {
  add_change(yp, yp_new, !has_slope_, dyp_);
  has_slope_ = true;
}

void EndCorrection::apply(double s, double h, std::span<double> y, std::span<double> yp) const {
  if (!active_) return;
  assert(has_slope_);
  const double value = s * s * (3 - 2 * s);
  const double slope = h * s * s * (s - 1);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += value * dy_[i] + slope * dyp_[i];
  const double value_rate = 6 * s * (1 - s) / h;
  const double slope_rate = s * (3 * s - 2);
  for (std::size_t i = 0; i < yp.size(); ++i) yp[i] += value_rate * dy_[i] + slope_rate * dyp_[i];
}

}  // namespace daedalus
