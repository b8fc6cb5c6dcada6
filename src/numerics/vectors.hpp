// What is done with every entry of long vectors.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

namespace daedalus {

// Two numbers that the processor treats as one.
using Two = double __attribute__((vector_size(2 * sizeof(double))));

// Fewer than 16, without a call.
inline void copy_few(const double* from, std::size_t n, double* to) {
  const auto copy = [&]<std::size_t count>(std::integral_constant<std::size_t, count>) {
    if ((n & count) == 0) return;
    std::memcpy(to, from, count * sizeof(double));
    from += count;
    to += count;
  };
  copy(std::integral_constant<std::size_t, 8>());
  copy(std::integral_constant<std::size_t, 4>());
  copy(std::integral_constant<std::size_t, 2>());
  copy(std::integral_constant<std::size_t, 1>());
}

// to := from, which is not longer and lies elsewhere. (std::ranges::copy of libstdc++ 12 copies constant
// values one by one.)
inline void copy_values(std::span<const double> from, std::span<double> to) {
  assert(from.size() <= to.size());
  if (from.size() < 16) return copy_few(from.data(), from.size(), to.data());
  std::copy_n(from.data(), from.size(), to.data());
}

// None is infinite or no number.
[[nodiscard]] bool all_finite_of_many(std::span<const double> values);
[[nodiscard]] inline bool all_finite(std::span<const double> values) {
  if (values.size() >= 8) return all_finite_of_many(values);
  double sum = 0;
  for (const double value : values) sum += value * 0.0;
  return sum == 0;
}

// to[to_k] := from[from_k] for lists of places that stay: neighbours that stay neighbours are copied
// together, and of lists that repeat themselves, as those of mechanisms do from body to body, one period is
// kept.
class IndexedCopy {
 public:
  IndexedCopy() = default;
  IndexedCopy(std::span<const int> from, std::span<const int> to);

  void operator()(const double* from, double* to) const {
    if (!few_) return copy_many(from, to);
    for (const Pair& pair : pairs_) to[pair.to] = from[pair.from];
  }

 private:
  void copy_many(const double* from, double* to) const;

  struct Stretch {
    int from = 0;
    int to = 0;
    int count = 0;
  };
  struct Pair {
    int from = 0;
    int to = 0;
  };
  // Pairs from `first` on, so often, moved on each time.
  struct Repetition {
    std::size_t first = 0;
    int period = 0;
    int times = 1;
    Pair step;
  };
  static Repetition find_repetition(std::span<const Pair> pairs);
  void keep(std::span<const Pair> pairs);

  bool few_ = true;  // the pairs are all there is
  std::vector<Stretch> stretches_;
  std::vector<Repetition> repetitions_;
  std::vector<Pair> pairs_;
};

}  // namespace daedalus
