#include "numerics/pattern_builder.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace daedalus {

// Two counting sorts, by row and then by column, leave the entries in the order of the pattern.
PatternBuilder::Built PatternBuilder::build() const {
  const auto n = static_cast<std::size_t>(size_);
  const std::size_t entries = rows_.size();
  const auto sorted_by = [n](const std::vector<int>& key, const std::vector<int>& order) {
    std::vector<int> next(n + 1, 0);
    for (const int k : key) {
      assert(k >= 0 && static_cast<std::size_t>(k) < n);
      ++next[static_cast<std::size_t>(k) + 1];
    }
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::vector<int> sorted(order.size());
    for (const int e : order) {
      int& place = next[static_cast<std::size_t>(key[static_cast<std::size_t>(e)])];
      sorted[static_cast<std::size_t>(place++)] = e;
    }
    return sorted;
  };
  std::vector<int> order(entries);
  std::iota(order.begin(), order.end(), 0);
  order = sorted_by(columns_, sorted_by(rows_, order));

  Built built{.pattern = {.size = size_, .column_start = std::vector<int>(n + 1, 0), .row = {}},
              .position = std::vector<int>(entries)};
  int last_row = -1;
  int last_column = -1;
  for (const int e : order) {
    const int row = rows_[static_cast<std::size_t>(e)];
    const int column = columns_[static_cast<std::size_t>(e)];
    if (row != last_row || column != last_column) {
      built.pattern.row.push_back(row);
      ++built.pattern.column_start[static_cast<std::size_t>(column) + 1];
    }
    built.position[static_cast<std::size_t>(e)] = built.pattern.nonzeros() - 1;
    last_row = row;
    last_column = column;
  }
  std::vector<int>& start = built.pattern.column_start;
  std::partial_sum(start.begin(), start.end(), start.begin());
  return built;
}

SparsePattern pattern_of(std::vector<std::vector<int>>& columns) {
  SparsePattern pattern{.size = static_cast<int>(columns.size()), .column_start = {0}, .row = {}};
  for (std::vector<int>& column : columns) {
    std::ranges::sort(column);
    column.erase(std::unique(column.begin(), column.end()), column.end());
    pattern.row.insert(pattern.row.end(), column.begin(), column.end());
    pattern.column_start.push_back(static_cast<int>(pattern.row.size()));
  }
  return pattern;
}

}  // namespace daedalus
