#include "integrate/end_correction.hpp"

#include "numerics/vectors.hpp"

namespace daedalus {

void EndCorrection::keep(std::span<const double> y, std::span<const double> yp) {
  if (active_) return;
  active_ = true;
  y_.resize(y.size());
  yp_.resize(yp.size());
  copy_values(y, y_);
  copy_values(yp, yp_);
}

void EndCorrection::apply(double s, double h, const End& end, std::span<double> y,
                          std::span<double> yp) const {
  if (!active_) return;
  const double value = s * s * (3 - 2 * s);
  const double slope = h * s * s * (s - 1);
  for (std::size_t i = 0; i < y.size(); ++i)
    y[i] += value * (end.y[i] - y_[i]) + slope * (end.yp[i] - yp_[i]);
  const double value_rate = 6 * s * (1 - s) / h;
  const double slope_rate = s * (3 * s - 2);
  for (std::size_t i = 0; i < yp.size(); ++i)
    yp[i] += value_rate * (end.y[i] - y_[i]) + slope_rate * (end.yp[i] - yp_[i]);
}

}  // namespace daedalus
