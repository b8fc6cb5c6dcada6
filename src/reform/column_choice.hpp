// Choosing m well-conditioned columns of an m × n matrix of full row rank.
#pragma once

#include <vector>

namespace daedalus {

struct MatrixEntry {
  int row = 0;
  int column = 0;
  double value = 0;
};

struct ColumnChoice {
  std::vector<int> columns;  // ascending; empty when the rank is too small
  double growth = 1;         // largest |M⁻¹H| of the preferred columns before any exchange
};

// Beyond, a dense elimination is slower than a sparse one.
inline constexpr int most_dense_rows = 120;

// `preferred`: columns chosen before (empty: none), kept unless an exchange raises |det M| by more than
// `threshold`. Dense for up to most_dense_rows, sparse elimination with threshold pivoting otherwise.
[[nodiscard]] ColumnChoice choose_columns(int rows, int columns, const std::vector<MatrixEntry>& entries,
                                          const std::vector<int>& preferred, double threshold);

}  // namespace daedalus
