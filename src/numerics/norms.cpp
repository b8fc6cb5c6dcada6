#include "numerics/norms.hpp"

#include <cassert>
#include <cmath>
#include <cstring>

#include "numerics/wide.hpp"

namespace daedalus {

// Four sums, so that none waits for the one before it.
DAEDALUS_WIDE double weighted_rms(std::span<const double> v, std::span<const double> scale, double count) {
  assert(v.size() == scale.size());
  if (count <= 0) return 0;
  constexpr std::size_t lanes = 4;  // independent sums, which the processor works on at once
  Four sum{};
  std::size_t i = 0;
  for (; i + lanes <= v.size(); i += lanes) {
    Four x;
    Four weight;
    std::memcpy(&x, v.data() + i, sizeof x);
    std::memcpy(&weight, scale.data() + i, sizeof weight);
    x *= weight;
    sum += x * x;
  }
  for (; i < v.size(); ++i) {
    const double x = v[i] * scale[i];
    sum[0] += x * x;
  }
  return std::sqrt(((sum[0] + sum[1]) + (sum[2] + sum[3])) / count);
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
