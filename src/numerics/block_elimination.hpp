// A X = B for several right-hand sides and a sparse A whose pattern stays: block by block of its block
// triangular form, each densely. For systems whose blocks are small: constraints of positions, of velocities,
// and accelerations with their multipliers.
#pragma once

#include <span>
#include <vector>

#include "numerics/augmented_elimination.hpp"
#include "numerics/sparse_pattern.hpp"

namespace daedalus {

class BlockElimination {
 public:
  BlockElimination() = default;
  explicit BlockElimination(const SparsePattern& pattern);

  // False: a matrix of this pattern is singular, whatever its values.
  [[nodiscard]] bool regular() const { return regular_; }
  [[nodiscard]] int largest_block() const { return largest_block_; }

  // So many right-hand sides, all zero. Rows of B and X are a whole number of vectors long; what is beyond
  // the right-hand sides is zero.
  void begin(int right_sides);
  [[nodiscard]] double* right(int row) { return right_.data() + (static_cast<std::size_t>(row) * width_); }
  // With these values on the pattern. False: there is no pivot, or a value is not finite.
  [[nodiscard]] bool solve(std::span<const double> values);
  // After solve(): the row of X for an unknown.
  [[nodiscard]] std::span<const double> solution(int unknown) const {
    return std::span(solution_).subspan(static_cast<std::size_t>(unknown) * width_, width_);
  }

 private:
  // An entry of the pattern: within its block, or in the column of an unknown that an earlier block gives.
  struct Entry {
    int value = 0;
    int row = 0;     // of the block
    int column = 0;  // of the block; or the unknown
  };
  struct Block {
    std::vector<int> equations, unknowns;
    std::vector<Entry> inner, earlier;
  };

  [[nodiscard]] double* known(int unknown) {
    return solution_.data() + (static_cast<std::size_t>(unknown) * width_);
  }

  bool regular_ = false;
  int largest_block_ = 0;
  std::size_t size_ = 0, width_ = 0;
  std::vector<Block> blocks_;
  std::vector<double> right_, solution_;
  AugmentedElimination elimination_;
};

}  // namespace daedalus
