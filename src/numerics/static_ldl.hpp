// A = L D Lᵀ of a symmetric matrix whose pattern stays, in an order that is found once, without pivoting: for
// quasi-definite matrices [M Gᵀ; G -δ], M positive definite, whose factors exist in any order, and in the
// order taken here (each row of G after the rows of M that it joins) are those of M and of the Schur
// complement -(G M⁻¹ Gᵀ + δ).
#pragma once

#include <span>
#include <vector>

#include "numerics/elimination.hpp"
#include "numerics/ldl_panel.hpp"
#include "numerics/sparse_pattern.hpp"

namespace daedalus {

// The order of elimination for a symmetric saddle pattern: `first` rows first, as they come, then the others
// by minimum degree (AMD) of what is left; and of the orders that amount to the same, one in which neighbours
// are together.
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
  [[nodiscard]] std::size_t nonzeros() const { return nonzeros_; }  // of L, below the diagonal
  // D at row i of the matrix.
  [[nodiscard]] double pivot(int i) const {
    return d_[static_cast<std::size_t>(position_[static_cast<std::size_t>(i)])];
  }

 private:
  // Columns of L with the same rows below them (a supernode): a dense panel, column by column, first the
  // triangle of the columns themselves.
  struct Block {
    int first = 0;     // position
    int width = 0;     // columns
    int below = 0;     // rows below them
    int rows = 0;      // these, in rows_
    int panel = 0;     // in values_
    int products = 0;  // where in values_ the products of the rows below are subtracted, in targets_
    const PanelKernels* kernels = nullptr;
    [[nodiscard]] int height() const { return width + below; }
  };
  struct Entry {
    int place;   // in the values of the matrix; -1: it has nothing there
    int target;  // in values_
  };
  void find_blocks(const FilledPattern& l);
  void find_entries(const SparsePattern& pattern, const std::vector<int>& block_of);
  void find_targets(const std::vector<int>& block_of);
  [[nodiscard]] int place_of(const Block& block, int row, int column) const;  // in values_

  std::vector<int> order_;     // row of the matrix by position
  std::vector<int> position_;  // and back
  std::vector<Block> blocks_;  // and one more, the end
  std::vector<int> rows_;
  std::vector<Entry> entries_;
  std::vector<int> targets_;
  std::size_t nonzeros_ = 0;
  std::vector<double> values_, d_, inverse_, work_;
  std::vector<double> scaled_;  // L D of the block at hand
};

}  // namespace daedalus
