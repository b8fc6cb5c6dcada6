// From the entries of a square sparse matrix, met in any order, to its compressed-column pattern and the
// position of each of them in it.
#pragma once

#include <vector>

#include "numerics/sparse_pattern.hpp"

namespace daedalus {

class PatternBuilder {
 public:
  explicit PatternBuilder(int size) : size_(size) {}

  void reserve(std::size_t entries) {
    rows_.reserve(entries);
    columns_.reserve(entries);
  }
  // The number of the entry: 0, 1, 2, … An entry may be added more than once; it has one position.
  int add(int row, int column) {
    rows_.push_back(row);
    columns_.push_back(column);
    return static_cast<int>(rows_.size()) - 1;
  }

  struct Built {
    SparsePattern pattern;
    std::vector<int> position;  // by entry: where its value stands
  };
  // In time proportional to the entries and the size.
  [[nodiscard]] Built build() const;

 private:
  int size_;
  std::vector<int> rows_, columns_;
};

// The pattern alone, from the rows of each column in any order and some of them more than once; they are
// sorted.
[[nodiscard]] SparsePattern pattern_of(std::vector<std::vector<int>>& columns);

}  // namespace daedalus
