// What elimination without pivoting does to a pattern: the tree of the eliminations, and the pattern of L
// (Davis, Direct Methods for Sparse Linear Systems, chapter 4).
#pragma once

#include <span>
#include <vector>

#include "numerics/pattern_builder.hpp"

namespace daedalus {

// By row: its position in the order.
[[nodiscard]] std::vector<int> inverse_permutation(std::span<const int> order);

// The lower triangle, diagonal included, of a symmetric pattern in an order: the entries of row k are
// entry[start[k]] … entry[start[k + 1] - 1], all of them ≤ k.
struct LowerPattern {
  std::vector<int> start, entry;
};
[[nodiscard]] LowerPattern lower_pattern(const SparsePattern& pattern, std::span<const int> order);

// The strictly lower triangle L of a factorisation, with its fill.
struct FilledPattern {
  // By rows: which columns, and where each entry stands in the order of the columns.
  std::vector<int> line_start, line_column, line_place;
  // By columns: its rows.
  std::vector<int> column_start, row;
  std::vector<int> parent;  // by column: the first row below the diagonal, or -1: the tree
};
// Of a lower triangle given as in LowerPattern.
[[nodiscard]] FilledPattern fill_in(std::span<const int> start, std::span<const int> entry);

// The same elimination in another order: all that a row depends on right before it. Neither the fill nor the
// operations change, but what belongs together lies together in memory. The pattern is symmetric.
[[nodiscard]] std::vector<int> neighbours_together(const SparsePattern& pattern, std::span<const int> order);

}  // namespace daedalus
