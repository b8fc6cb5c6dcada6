#include "numerics/norms.hpp"

#include <cassert>
#include <cmath>

namespace daedalus {

double weighted_rms(std::span<const double> v, std::span<const double> scale, double count) {
  assert(v.size() == scale.size());
  if (count <= 0) return 0;
  double sum = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const double x = v[i] * scale[i];
    sum += x * x;
  }
  return std::sqrt(sum / count);
}

double weighted_max(std::span<const double> v, std::span<const double> scale) {
  assert(v.size() == scale.size());
  double largest = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const double x = std::abs(v[i] * scale[i]);
    if (!(x <= largest)) largest = x;  // so that NaN wins and stays
    if (std::isnan(largest)) break;
  }
  return largest;
}

int worst_entry(std::span<const double> v, std::span<const double> scale) {
  assert(v.size() == scale.size());
  int worst = -1;
  double largest = -1;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const double x = std::abs(v[i] * scale[i]);
    if (!std::isfinite(x)) return static_cast<int>(i);
    if (x > largest) {
      largest = x;
      worst = static_cast<int>(i);
    }
  }
  return worst;
}

}  // namespace daedalus
