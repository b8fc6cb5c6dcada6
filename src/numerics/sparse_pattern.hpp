// Compressed-column pattern of a square sparse matrix; values live elsewhere.
#pragma once

#include <vector>

namespace daedalus {

struct SparsePattern {
  int size = 0;
  std::vector<int> column_start;  // size + 1
  std::vector<int> row;           // sorted within a column, no duplicates

  [[nodiscard]] int nonzeros() const { return static_cast<int>(row.size()); }
  friend bool operator==(const SparsePattern&, const SparsePattern&) = default;
};

}  // namespace daedalus
