#include "numerics/static_ldl.hpp"

#include <amd.h>

#include <algorithm>
#include <cassert>
#include <cmath>

namespace daedalus {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// The graph of the rows from `first` on after the elimination of the others: each of these joins its
// neighbours. (The others are the rows of a mass matrix: small blocks, so the pattern of M itself stands for
// that of M⁻¹; ordering is a matter of fill, not of correctness.)
SparsePattern schur_pattern(const SparsePattern& pattern, int first) {
  const int rest = pattern.size - first;
  std::vector<std::vector<int>> neighbours(at(rest));
  std::vector<int> joined;
  for (int j = 0; j < pattern.size; ++j) {
    joined.clear();
    for (int p = pattern.column_start[at(j)]; p < pattern.column_start[at(j) + 1]; ++p) {
      if (pattern.row[at(p)] >= first) joined.push_back(pattern.row[at(p)] - first);
    }
    if (j >= first) joined.push_back(j - first);
    for (const int a : joined) {
      if (j < first) {
        neighbours[at(a)].insert(neighbours[at(a)].end(), joined.begin(), joined.end());
      } else {
        neighbours[at(a)].push_back(j - first);
        neighbours[at(j - first)].push_back(a);
      }
    }
  }
  SparsePattern result{.size = rest, .column_start = {0}, .row = {}};
  for (std::vector<int>& column : neighbours) {
    std::ranges::sort(column);
    column.erase(std::unique(column.begin(), column.end()), column.end());
    result.row.insert(result.row.end(), column.begin(), column.end());
    result.column_start.push_back(static_cast<int>(result.row.size()));
  }
  return result;
}

}  // namespace

std::vector<int> saddle_order(const SparsePattern& pattern, int first) {
  std::vector<int> order;
  for (int i = 0; i < first; ++i) order.push_back(i);
  if (first == pattern.size) return order;
  const SparsePattern schur = schur_pattern(pattern, first);
  std::vector<int> permutation(at(schur.size));
  const int status = amd_order(schur.size, schur.column_start.data(), schur.row.data(), permutation.data(),
                               nullptr, nullptr);
  assert(status == AMD_OK || status == AMD_OK_BUT_JUMBLED);
  (void)status;
  for (const int i : permutation) order.push_back(first + i);
  return order;
}

StaticLdl::StaticLdl(const SparsePattern& pattern, std::span<const int> order)
    : order_(order.begin(), order.end()) {
  permute(pattern);
  analyse();
}

void StaticLdl::permute(const SparsePattern& pattern) {
  const std::size_t n = order_.size();
  position_.resize(n);
  for (std::size_t k = 0; k < n; ++k) position_[at(order_[k])] = static_cast<int>(k);
  upper_start_ = {0};
  for (std::size_t k = 0; k < n; ++k) {
    const auto column = at(order_[k]);
    for (int p = pattern.column_start[column]; p < pattern.column_start[column + 1]; ++p) {
      const int row = position_[at(pattern.row[at(p)])];
      if (row > static_cast<int>(k)) continue;
      upper_row_.push_back(row);
      upper_place_.push_back(p);
    }
    upper_start_.push_back(static_cast<int>(upper_row_.size()));
  }
}

// Row k of L is what can be reached from the entries of column k in the elimination tree (Davis, Direct
// Methods for Sparse Linear Systems, §4.2).
void StaticLdl::analyse() {
  const std::size_t n = order_.size();
  std::vector<int> parent(n, -1);
  std::vector<int> mark(n, -1);
  std::vector<int> counts(n, 0);
  line_start_ = {0};
  for (std::size_t k = 0; k < n; ++k) {
    mark[k] = static_cast<int>(k);
    const auto begin = line_column_.size();
    for (int p = upper_start_[k]; p < upper_start_[k + 1]; ++p) {
      for (int i = upper_row_[at(p)]; mark[at(i)] != static_cast<int>(k); i = parent[at(i)]) {
        if (parent[at(i)] < 0) parent[at(i)] = static_cast<int>(k);
        line_column_.push_back(i);
        ++counts[at(i)];
        mark[at(i)] = static_cast<int>(k);
      }
    }
    std::sort(line_column_.begin() + static_cast<std::ptrdiff_t>(begin), line_column_.end());
    line_start_.push_back(static_cast<int>(line_column_.size()));
  }
  column_start_.assign(n + 1, 0);
  for (std::size_t k = 0; k < n; ++k) column_start_[k + 1] = column_start_[k] + counts[k];
  std::vector<int> next(column_start_.begin(), column_start_.end() - 1);
  row_.resize(line_column_.size());
  line_place_.resize(line_column_.size());
  for (std::size_t k = 0; k < n; ++k) {
    for (int r = line_start_[k]; r < line_start_[k + 1]; ++r) {
      const int place = next[at(line_column_[at(r)])]++;
      line_place_[at(r)] = place;
      row_[at(place)] = static_cast<int>(k);
    }
  }
  values_.assign(row_.size(), 0);
  d_.assign(n, 0);
  inverse_.assign(n, 0);
  work_.assign(n, 0);
}

bool StaticLdl::factor(std::span<const double> values) {
  const std::size_t n = order_.size();
  for (std::size_t k = 0; k < n; ++k) {
    for (int p = upper_start_[k]; p < upper_start_[k + 1]; ++p)
      work_[at(upper_row_[at(p)])] = values[at(upper_place_[at(p)])];
    double pivot = work_[k];
    work_[k] = 0;
    for (int r = line_start_[k]; r < line_start_[k + 1]; ++r) {
      const auto i = at(line_column_[at(r)]);
      const int place = line_place_[at(r)];
      const double y = work_[i];
      work_[i] = 0;
      for (int p = column_start_[i]; p < place; ++p) work_[at(row_[at(p)])] -= values_[at(p)] * y;
      const double factor = y * inverse_[i];
      pivot -= factor * y;
      values_[at(place)] = factor;
    }
    d_[k] = pivot;
    inverse_[k] = 1 / pivot;
    if (pivot == 0 || !std::isfinite(pivot)) {
      std::ranges::fill(work_, 0.0);
      return false;
    }
  }
  return true;
}

void StaticLdl::solve(std::span<double> b) {
  const std::size_t n = order_.size();
  for (std::size_t k = 0; k < n; ++k) work_[k] = b[at(order_[k])];
  for (std::size_t k = 0; k < n; ++k) {
    const double x = work_[k];
    for (int p = column_start_[k]; p < column_start_[k + 1]; ++p)
      work_[at(row_[at(p)])] -= values_[at(p)] * x;
  }
  for (std::size_t k = n; k-- > 0;) {
    double x = work_[k] * inverse_[k];
    for (int p = column_start_[k]; p < column_start_[k + 1]; ++p)
      x -= values_[at(p)] * work_[at(row_[at(p)])];
    work_[k] = x;
  }
  for (std::size_t k = 0; k < n; ++k) {
    b[at(order_[k])] = work_[k];
    work_[k] = 0;
  }
}

}  // namespace daedalus
