#include "integrate/end_correction.hpp"

namespace daedalus {

void EndCorrection::add(std::span<const double> y, std::span<const double> y_new) {
  dy_.resize(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) dy_[i] = (active_ ? dy_[i] : 0) + (y_new[i] - y[i]);
  if (!active_) dyp_.assign(y.size(), 0);
  active_ = true;
}

void EndCorrection::add_slope(std::span<const double> yp, std::span<const double> yp_new) {
  for (std::size_t i = 0; i < yp.size(); ++i) dyp_[i] += yp_new[i] - yp[i];
}

void EndCorrection::apply(double s, double h, std::span<double> y, std::span<double> yp) const {
  if (!active_) return;
  const double value = s * s * (3 - 2 * s);
  const double slope = h * s * s * (s - 1);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += value * dy_[i] + slope * dyp_[i];
  const double value_rate = 6 * s * (1 - s) / h;
  const double slope_rate = s * (3 * s - 2);
  for (std::size_t i = 0; i < yp.size(); ++i) yp[i] += value_rate * dy_[i] + slope_rate * dyp_[i];
}

}  // namespace daedalus
