// A = L D Lᵀ of a symmetric matrix whose pattern stays, in an order that is found once, without pivoting: for
// quasi-definite matrices [M Gᵀ; G -δ], M positive definite, whose factors exist in any order, and in the
// order taken here (the rows of M, then those of G) are those of M and of the Schur complement
// -(G M⁻¹ Gᵀ + δ).
#pragma once

#include <span>
#include <vector>

#include "numerics/sparse_pattern.hpp"

namespace daedalus {

// The order of elimination for a symmetric saddle pattern: `first` rows first, as they come, then the others
// by minimum degree (AMD) of what is left.
[[nodiscard]] std::vector<int> saddle_order(const SparsePattern& pattern, int first);

class StaticLdl {
 public:
  StaticLdl() = default;
  // The pattern is that of the whole matrix; of two symmetric entries the one in the later column of the
  // order is read.
  StaticLdl(const SparsePattern& pattern, std::span<const int> order);

  // False: a pivot is zero or not finite. Nothing is allocated.
  [[nodiscard]] bool factor(std::span<const double> values);
  // b := A⁻¹ b. The last factor() has succeeded.
  void solve(std::span<double> b);

  [[nodiscard]] int size() const { return static_cast<int>(order_.size()); }
  [[nodiscard]] std::size_t nonzeros() const { return row_.size(); }  // of L, below the diagonal
  // D at row i of the matrix.
  [[nodiscard]] double pivot(int i) const {
    return d_[static_cast<std::size_t>(position_[static_cast<std::size_t>(i)])];
  }

 private:
  void permute(const SparsePattern& pattern);
  void analyse();

  std::vector<int> order_;     // row of the matrix by position
  std::vector<int> position_;  // and back
  // The upper triangle of the permuted matrix by columns: row and place in the values.
  std::vector<int> upper_start_, upper_row_, upper_place_;
  // L by rows: which columns, and where in values_ each entry stands; by columns: its rows.
  std::vector<int> line_start_, line_column_, line_place_;
  std::vector<int> column_start_, row_;
  std::vector<double> values_, d_, inverse_, work_;
};

}  // namespace daedalus
