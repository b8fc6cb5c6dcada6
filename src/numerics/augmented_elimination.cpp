#include "numerics/augmented_elimination.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "numerics/wide.hpp"

namespace daedalus {
namespace {

struct AugmentedRows {
  double** row;    // in the order of the pivots
  double* weight;  // 1 over the row's largest entry; of a row that has been the pivot's, 1 over the pivot
  std::size_t size;
  std::size_t right;   // where right-hand sides begin
  std::size_t stride;  // length of a row
};

// Numbers in a vector (numerics/wide.hpp).
constexpr std::size_t lanes = 4;
// A pivot that is smaller than this against its row, whose largest entry was one, is what rounding leaves of
// zero: an elimination of so few unknowns loses two or three digits.
constexpr double smallest_pivot = 1e-13;

// to -= factor * from, both a multiple of four long.
[[gnu::always_inline]] inline void subtract(double factor, const double* from, double* to,
                                            std::size_t count) {
  const Four factors{factor, factor, factor, factor};
  for (std::size_t k = 0; k < count; k += lanes) {
    Four a, b;
    load_four(from + k, a);
    load_four(to + k, b);
    b -= factors * a;
    store_four(b, to + k);
  }
}

// Where the largest entry of a column stands among the rows from `step` on, against their sizes; -1: there is
// none.
[[gnu::always_inline]] inline int pivot_of(const AugmentedRows& rows, std::size_t step) {
  double largest = smallest_pivot;
  int found = -1;
  for (std::size_t k = step; k < rows.size; ++k) {
    const double relative = std::abs(rows.row[k][step]) * rows.weight[k];
    if (relative > largest) {
      largest = relative;
      found = static_cast<int>(k);
    }
  }
  return std::isfinite(largest) ? found : -1;
}

DAEDALUS_WIDE bool eliminate(AugmentedRows& rows) {
  for (std::size_t k = 0; k < rows.size; ++k) {
    const int pivot = pivot_of(rows, k);
    if (pivot < 0) return false;
    std::swap(rows.row[k], rows.row[pivot]);
    std::swap(rows.weight[k], rows.weight[pivot]);
    const std::size_t first = k / lanes * lanes;  // what stands before the pivot is not looked at again
    const double* const from = rows.row[k];
    const double inverse = 1 / from[k];
    rows.weight[k] = inverse;
    for (std::size_t below = k + 1; below < rows.size; ++below) {
      double* const to = rows.row[below];
      if (to[k] != 0) subtract(to[k] * inverse, from + first, to + first, rows.stride - first);
    }
  }
  const std::size_t width = rows.stride - rows.right;
  for (std::size_t k = rows.size; k-- > 0;) {
    double* const from = rows.row[k] + rows.right;
    const Four inverse{rows.weight[k], rows.weight[k], rows.weight[k], rows.weight[k]};
    for (std::size_t b = 0; b < width; b += lanes) {
      Four value;
      load_four(from + b, value);
      value *= inverse;
      store_four(value, from + b);
    }
    for (std::size_t above = 0; above < k; ++above) {
      double* const to = rows.row[above];
      if (to[k] != 0) subtract(to[k], from, to + rows.right, width);
    }
  }
  return true;
}

}  // namespace

void AugmentedElimination::begin(int size, int right_sides) {
  size_ = size;
  right_sides_ = right_sides;
  const auto whole = [](int count) { return (static_cast<std::size_t>(count) + lanes - 1) / lanes * lanes; };
  right_ = whole(size);
  stride_ = right_ + whole(right_sides);
  values_.assign(stride_ * static_cast<std::size_t>(size), 0);
  weight_.resize(static_cast<std::size_t>(size));
  rows_.resize(static_cast<std::size_t>(size));
}

bool AugmentedElimination::solve() {
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    double* const entries = values_.data() + (r * stride_);
    rows_[r] = entries;
    double largest = 0;
    for (int c = 0; c < size_; ++c) {
      const double entry = std::abs(entries[c]);
      largest = entry > largest ? entry : largest;
    }
    weight_[r] = 1 / largest;  // infinite for a row of zeros, which is never a pivot
  }
  AugmentedRows rows{.row = rows_.data(),
                     .weight = weight_.data(),
                     .size = rows_.size(),
                     .right = right_,
                     .stride = stride_};
  return eliminate(rows);
}

std::span<const double> AugmentedElimination::solution(int unknown) const {
  return {rows_[static_cast<std::size_t>(unknown)] + right_, static_cast<std::size_t>(right_sides_)};
}

}  // namespace daedalus
