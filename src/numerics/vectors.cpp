#include "numerics/vectors.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>

#include "numerics/wide.hpp"

namespace daedalus {

namespace {

// Several sums, so that none waits for the one before it.
DAEDALUS_WIDE double sum_of_zeros(const double* value, const double* end) {
  constexpr int lanes = 8;  // two vectors of four, or four of two
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
  constexpr int worth_a_call = 6;  // numbers; fewer are copied one by one
  std::vector<Pair> single;
  for (std::size_t begin = 0; begin < from.size();) {
    std::size_t end = begin + 1;
    while (end < from.size() && from[end] == from[end - 1] + 1 && to[end] == to[end - 1] + 1) ++end;
    const Stretch stretch{.from = from[begin], .to = to[begin], .count = static_cast<int>(end - begin)};
    if (stretch.count >= worth_a_call) {
      stretches_.push_back(stretch);
    } else {
      for (int k = 0; k < stretch.count; ++k)
        single.push_back({.from = stretch.from + k, .to = stretch.to + k});
    }
    begin = end;
  }
  keep(single);
  constexpr std::size_t many = 16;  // from there on a call costs less than the loop written out
  few_ = stretches_.empty() && single.size() == pairs_.size() && pairs_.size() < many;
}

// What the pairs begin with and repeat most; once, if they do not.
IndexedCopy::Repetition IndexedCopy::find_repetition(std::span<const Pair> pairs) {
  constexpr std::size_t longest_period = 24;  // numbers of a body that are copied
  constexpr std::size_t least_gain = 16;      // pairs
  Repetition best{.first = 0, .period = 1, .times = 1, .step = {}};
  std::size_t covered = least_gain;
  for (std::size_t period = 1; period <= longest_period && 2 * period <= pairs.size(); ++period) {
    const Pair step{.from = pairs[period].from - pairs[0].from, .to = pairs[period].to - pairs[0].to};
    std::size_t end = period;
    while (end < pairs.size() && pairs[end].from - pairs[end - period].from == step.from &&
           pairs[end].to - pairs[end - period].to == step.to)
      ++end;
    const std::size_t times = end / period;
    if (times < 2 || times * period < covered + period) continue;
    covered = (times - 1) * period;
    best = {.first = 0, .period = static_cast<int>(period), .times = static_cast<int>(times), .step = step};
  }
  // Several short periods are one: less is left to do between them.
  constexpr int long_enough = 12;
  const int together = std::min((long_enough + best.period - 1) / best.period, best.times / 4);
  if (together > 1) {
    best.period *= together;
    best.times /= together;
    best.step = {.from = together * best.step.from, .to = together * best.step.to};
  }
  return best;
}

void IndexedCopy::keep(std::span<const Pair> pairs) {
  while (!pairs.empty()) {
    Repetition found = find_repetition(pairs);
    const auto period = static_cast<std::size_t>(found.period);
    const bool joins = found.times == 1 && !repetitions_.empty() && repetitions_.back().times == 1;
    if (joins) {
      ++repetitions_.back().period;
    } else {
      found.first = pairs_.size();
      repetitions_.push_back(found);
    }
    pairs_.insert(pairs_.end(), pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(period));
    pairs = pairs.subspan(period * static_cast<std::size_t>(found.times));
  }
}

void IndexedCopy::copy_many(const double* from, double* to) const {
  for (const Stretch& stretch : stretches_) std::copy_n(from + stretch.from, stretch.count, to + stretch.to);
  for (const Repetition& one : repetitions_) {
    const Pair* const begin = pairs_.data() + one.first;
    const Pair* const end = begin + one.period;
    const double* source = from;
    double* target = to;
    for (int k = 0; k < one.times; ++k, source += one.step.from, target += one.step.to) {
      const Pair* pair = begin;
      for (; end - pair >= 4; pair += 4) {
        target[pair[0].to] = source[pair[0].from];
        target[pair[1].to] = source[pair[1].from];
        target[pair[2].to] = source[pair[2].from];
        target[pair[3].to] = source[pair[3].from];
      }
      for (; pair != end; ++pair) target[pair->to] = source[pair->from];
    }
  }
}

}  // namespace daedalus
