// A X = B by elimination of [A | B] as a whole, for a small square A and several right-hand sides: rows in
// the order of their pivots, the largest entry of a column against the size of its row. Rows that have a zero
// in the pivot's column are left alone, so that what is sparse in a good order of columns stays cheap.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace daedalus {

class AugmentedElimination {
 public:
  // Room for a matrix of this size, all zero. Nothing is allocated once it has been as large.
  void begin(int size, int right_sides);

  // A row of A, and of B.
  [[nodiscard]] double* row(int r) { return values_.data() + (static_cast<std::size_t>(r) * stride_); }
  [[nodiscard]] double* right(int r) { return row(r) + right_; }
  // False: there is no pivot, or a value is not finite.
  [[nodiscard]] bool solve();
  // After solve(): the row of X for an unknown.
  [[nodiscard]] std::span<const double> solution(int unknown) const;

 private:
  int size_ = 0, right_sides_ = 0;
  std::size_t right_ = 0, stride_ = 0;
  std::vector<double> values_, weight_;
  std::vector<double*> rows_;  // in the order of the pivots, after solve()
};

}  // namespace daedalus
