#include "numerics/vectors.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>

namespace daedalus {

// Four sums, so that none waits for the one before it.
bool all_finite(std::span<const double> values) {
  const double* value = values.data();
  const double* const end = value + values.size();
  double sum = 0;
  if (values.size() >= 8) {
    double a = 0;
    double b = 0;
    double c = 0;
    for (; end - value >= 4; value += 4) {
      sum += value[0] * 0.0;
      a += value[1] * 0.0;
      b += value[2] * 0.0;
      c += value[3] * 0.0;
    }
    sum += a + b + c;
  }
  for (; value != end; ++value) sum += *value * 0.0;
  return sum == 0;
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
  const Pair* pair = single_.data();
  const Pair* const end = pair + single_.size();
  for (; end - pair >= 4; pair += 4) {
    to[pair[0].to] = from[pair[0].from];
    to[pair[1].to] = from[pair[1].from];
    to[pair[2].to] = from[pair[2].from];
    to[pair[3].to] = from[pair[3].from];
  }
  for (; pair != end; ++pair) to[pair->to] = from[pair->from];
}

}  // namespace daedalus
