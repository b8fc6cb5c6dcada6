#include "numerics/elimination.hpp"

#include <algorithm>

namespace daedalus {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// Parents after their children, these in their order: an iterative walk from each root.
std::vector<int> postorder(const std::vector<int>& parent) {
  const std::size_t n = parent.size();
  std::vector<int> child(n, -1);
  std::vector<int> sibling(n, -1);
  for (std::size_t k = n; k-- > 0;) {
    if (parent[k] < 0) continue;
    sibling[k] = child[at(parent[k])];
    child[at(parent[k])] = static_cast<int>(k);
  }
  std::vector<int> result;
  std::vector<int> stack;
  for (std::size_t root = 0; root < n; ++root) {
    if (parent[root] >= 0) continue;
    stack.push_back(static_cast<int>(root));
    while (!stack.empty()) {
      const int top = stack.back();
      if (const int next = child[at(top)]; next >= 0) {
        child[at(top)] = sibling[at(next)];
        stack.push_back(next);
      } else {
        result.push_back(top);
        stack.pop_back();
      }
    }
  }
  return result;
}

}  // namespace

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

std::vector<int> inverse_permutation(std::span<const int> order) {
  std::vector<int> position(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) position[at(order[k])] = static_cast<int>(k);
  return position;
}

LowerPattern lower_pattern(const SparsePattern& pattern, std::span<const int> order) {
  const std::vector<int> position = inverse_permutation(order);
  LowerPattern lower{.start = {0}, .entry = {}};
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto column = at(order[k]);
    for (int p = pattern.column_start[column]; p < pattern.column_start[column + 1]; ++p) {
      const int row = position[at(pattern.row[at(p)])];
      if (row <= static_cast<int>(k)) lower.entry.push_back(row);
    }
    lower.start.push_back(static_cast<int>(lower.entry.size()));
  }
  return lower;
}

// Row k of L is what can be reached from the entries of row k in the elimination tree (§4.2).
FilledPattern fill_in(std::span<const int> start, std::span<const int> entry) {
  const std::size_t n = start.size() - 1;
  FilledPattern result;
  result.parent.assign(n, -1);
  std::vector<int>& parent = result.parent;
  std::vector<int> mark(n, -1);
  std::vector<int> counts(n, 0);
  result.line_start = {0};
  for (std::size_t k = 0; k < n; ++k) {
    mark[k] = static_cast<int>(k);
    const auto begin = result.line_column.size();
    for (int p = start[k]; p < start[k + 1]; ++p) {
      for (int i = entry[at(p)]; mark[at(i)] != static_cast<int>(k); i = parent[at(i)]) {
        if (parent[at(i)] < 0) parent[at(i)] = static_cast<int>(k);
        result.line_column.push_back(i);
        ++counts[at(i)];
        mark[at(i)] = static_cast<int>(k);
      }
    }
    std::sort(result.line_column.begin() + static_cast<std::ptrdiff_t>(begin), result.line_column.end());
    result.line_start.push_back(static_cast<int>(result.line_column.size()));
  }
  result.column_start.assign(n + 1, 0);
  for (std::size_t k = 0; k < n; ++k) result.column_start[k + 1] = result.column_start[k] + counts[k];
  std::vector<int> next(result.column_start.begin(), result.column_start.end() - 1);
  result.row.resize(result.line_column.size());
  result.line_place.resize(result.line_column.size());
  for (std::size_t k = 0; k < n; ++k) {
    for (int r = result.line_start[k]; r < result.line_start[k + 1]; ++r) {
      const int place = next[at(result.line_column[at(r)])]++;
      result.line_place[at(r)] = place;
      result.row[at(place)] = static_cast<int>(k);
    }
  }
  return result;
}

std::vector<int> neighbours_together(const SparsePattern& pattern, std::span<const int> order) {
  const LowerPattern lower = lower_pattern(pattern, order);
  std::vector<int> result;
  for (const int k : postorder(fill_in(lower.start, lower.entry).parent)) result.push_back(order[at(k)]);
  return result;
}

}  // namespace daedalus
