#include "numerics/vectors.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>

#include "numerics/wide.hpp"

namespace daedalus {

namespace {

// Several sums, so that none waits for the one before it.
DAEDALUS_WIDE double sum_of_zeros(const double* value, const double* end) {
  constexpr int lanes = 8;
  double sums[lanes] = {};
  for (; end - value >= lanes; value += lanes) {
    for (int k = 0; k < lanes; ++k) sums[k] += value[k] * 0.0;
  }
  double sum = 0;
  for (; value != end; ++value) sum += *value * 0.0;
  for (const double one : sums) sum += one;
  return sum;
}

}  // namespace

bool all_finite_of_many(std::span<const double> values) {
  return sum_of_zeros(values.data(), values.data() + values.size()) == 0;
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
