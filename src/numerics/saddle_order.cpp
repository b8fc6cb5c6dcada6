#include "numerics/saddle_order.hpp"

#include <amd.h>

#include <algorithm>
#include <cassert>

#include "numerics/elimination.hpp"

namespace daedalus {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// Which rows of S each constraint joins.
std::vector<std::vector<int>> constrained_rows(const SparsePattern& pattern, int first) {
  std::vector<std::vector<int>> rows(at(pattern.size - first));
  for (int c = 0; c < pattern.size; ++c) {
    for (int p = pattern.column_start[at(c)]; p < pattern.column_start[at(c) + 1]; ++p) {
      const int r = pattern.row[at(p)];
      if (r >= first && c < first) rows[at(r - first)].push_back(c);
      if (c >= first && r < first) rows[at(c - first)].push_back(r);
    }
  }
  for (std::vector<int>& line : rows) {
    std::ranges::sort(line);
    line.erase(std::unique(line.begin(), line.end()), line.end());
  }
  return rows;
}

SparsePattern joined_pattern(const SparsePattern& pattern, int first,
                             const std::vector<std::vector<int>>& constrained) {
  std::vector<std::vector<int>> columns(at(first));
  for (int c = 0; c < first; ++c) {
    columns[at(c)].push_back(c);
    for (int p = pattern.column_start[at(c)]; p < pattern.column_start[at(c) + 1]; ++p) {
      const int r = pattern.row[at(p)];
      if (r >= first) continue;
      columns[at(c)].push_back(r);
      columns[at(r)].push_back(c);
    }
  }
  for (const std::vector<int>& line : constrained) {
    for (const int i : line) columns[at(i)].insert(columns[at(i)].end(), line.begin(), line.end());
  }
  return pattern_of(columns);
}

}  // namespace

std::vector<int> interleaved_saddle_order(const SparsePattern& pattern, int first) {
  const auto constrained = constrained_rows(pattern, first);
  std::vector<int> permutation(at(first));
  if (first > 0) {
    const SparsePattern joined = joined_pattern(pattern, first, constrained);
    const int status = amd_order(joined.size, joined.column_start.data(), joined.row.data(),
                                 permutation.data(), nullptr, nullptr);
    assert(status == AMD_OK || status == AMD_OK_BUT_JUMBLED);
    (void)status;
  }
  const std::vector<int> position = inverse_permutation(permutation);
  std::vector<std::vector<int>> ready(at(first) + 1);  // by position: constraints that can follow it
  for (std::size_t i = 0; i < constrained.size(); ++i) {
    int last = -1;
    for (const int row : constrained[i]) last = std::max(last, position[at(row)]);
    ready[at(last < 0 ? first : last)].push_back(first + static_cast<int>(i));
  }
  std::vector<int> order;
  for (std::size_t k = 0; k <= at(first); ++k) {
    if (k < permutation.size()) order.push_back(permutation[k]);
    order.insert(order.end(), ready[k].begin(), ready[k].end());
  }
  return order;
}

std::vector<int> planned_order(const SparsePattern& pattern, const EliminationPlan& plan) {
  using Turn = EliminationPlan::Turn;
  const auto n = at(pattern.size);
  const std::vector<int> unknown_of = inverse_permutation(plan.equation);
  // Where a column has gone when the early unknowns are eliminated.
  std::vector<int> joined(n);
  for (std::size_t c = 0; c < n; ++c) joined[c] = static_cast<int>(c);
  for (auto c = plan.early.rbegin(); c != plan.early.rend(); ++c)
    joined[at(*c)] = joined[at(plan.next[at(*c)])];
  // What is left, numbered: top, then constraints.
  std::vector<int> core;
  for (const Turn turn : {Turn::Top, Turn::Constraint}) {
    for (std::size_t c = 0; c < n; ++c) {
      if (plan.turn[c] == turn) core.push_back(static_cast<int>(c));
    }
  }
  std::vector<int> number(n, -1);
  for (std::size_t k = 0; k < core.size(); ++k) number[at(core[k])] = static_cast<int>(k);
  std::vector<std::vector<int>> columns(core.size());
  for (std::size_t c = 0; c < n; ++c) {
    const int column = number[at(joined[c])];
    if (column < 0) continue;
    for (int p = pattern.column_start[c]; p < pattern.column_start[c + 1]; ++p) {
      const int row = number[at(unknown_of[at(pattern.row[at(p)])])];
      if (row >= 0) columns[at(column)].push_back(row);
    }
  }
  const SparsePattern left = pattern_of(columns);
  const auto tops = std::ranges::count(plan.turn, Turn::Top);
  std::vector<int> order = plan.early;
  for (const int k : interleaved_saddle_order(left, static_cast<int>(tops))) order.push_back(core[at(k)]);
  for (std::size_t c = 0; c < n; ++c) {
    if (plan.turn[c] == Turn::Late) order.push_back(static_cast<int>(c));
  }
  return order;
}

}  // namespace daedalus
