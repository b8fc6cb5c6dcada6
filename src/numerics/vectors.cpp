#include "numerics/vectors.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>

namespace daedalus {

// Four sums, so that none waits for the one before it.
bool all_finite(std::span<const double> values) {
  double sum[4] = {0, 0, 0, 0};
  std::size_t k = 0;
  for (; k + 4 <= values.size(); k += 4) {
    for (std::size_t i = 0; i < 4; ++i) sum[i] += values[k + i] * 0.0;
  }
  for (; k < values.size(); ++k) sum[0] += values[k] * 0.0;
  return sum[0] + sum[1] + sum[2] + sum[3] == 0;
}

IndexedCopy::IndexedCopy(std::span<const int> from, std::span<const int> to) {
  assert(from.size() == to.size());
  constexpr int worth_a_call = 6;
  for (std::size_t begin = 0; begin < from.size();) {
    std::size_t end = begin + 1;
    while (end < from.size() && from[end] == from[end - 1] + 1 && to[end] == to[end - 1] + 1) ++end;
    const Stretch stretch{.from = from[begin], .to = to[begin], .count = static_cast<int>(end - begin)};
    if (stretch.count >= worth_a_call) {
      stretches_.push_back(stretch);
    } else {
      for (int k = 0; k < stretch.count; ++k)
        single_.push_back({.from = stretch.from + k, .to = stretch.to + k});
    }
    begin = end;
  }
}

void IndexedCopy::operator()(const double* from, double* to) const {
  for (const Stretch& stretch : stretches_) std::copy_n(from + stretch.from, stretch.count, to + stretch.to);
  _Pragma("GCC unroll 4") for (const Pair& pair : single_) to[pair.to] = from[pair.from];
}

}  // namespace daedalus
