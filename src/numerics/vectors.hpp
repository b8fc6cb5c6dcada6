// What is done with every entry of long vectors.
#pragma once

#include <algorithm>
#include <cassert>
#include <span>
#include <vector>

namespace daedalus {

// Two numbers that the processor treats as one.
using Two = double __attribute__((vector_size(2 * sizeof(double))));

// to := from, which is not longer. (std::ranges::copy of libstdc++ 12 copies constant values one by one.)
inline void copy_values(std::span<const double> from, std::span<double> to) {
  assert(from.size() <= to.size());
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
// together.
class IndexedCopy {
 public:
  IndexedCopy() = default;
  IndexedCopy(std::span<const int> from, std::span<const int> to);

  void operator()(const double* from, double* to) const;

 private:
  struct Stretch {
    int from = 0;
    int to = 0;
    int count = 0;
  };
  struct Pair {
    int from = 0;
    int to = 0;
  };
  std::vector<Stretch> stretches_;
  std::vector<Pair> single_;
};

}  // namespace daedalus
