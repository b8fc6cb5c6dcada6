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
  const SparsePattern schur = schur_pattern(pattern, first);
  std::vector<int> permutation(at(schur.size));
  if (schur.size > 0) {
    const int status = amd_order(schur.size, schur.column_start.data(), schur.row.data(), permutation.data(),
                                 nullptr, nullptr);
    assert(status == AMD_OK || status == AMD_OK_BUT_JUMBLED);
    (void)status;
  }
  for (const int i : permutation) order.push_back(first + i);
  return neighbours_together(pattern, order);
}

StaticLdl::StaticLdl(const SparsePattern& pattern, std::span<const int> order)
    : order_(order.begin(), order.end()), position_(inverse_permutation(order)) {
  const std::size_t n = order_.size();
  const LowerPattern lower = lower_pattern(pattern, order);
  const FilledPattern l = fill_in(lower.start, lower.entry);
  nonzeros_ = l.row.size();
  find_blocks(l);
  std::vector<int> block_of(n);
  for (std::size_t b = 0; b + 1 < blocks_.size(); ++b) {
    for (int c = 0; c < blocks_[b].width; ++c) block_of[at(blocks_[b].first + c)] = static_cast<int>(b);
  }
  find_entries(pattern, block_of);
  find_targets(block_of);
  d_.assign(n, 0);
  inverse_.assign(n, 0);
  work_.assign(n, 0);
}

// A column joins the one before it where it is the first row below it and has the same rows otherwise.
void StaticLdl::find_blocks(const FilledPattern& l) {
  constexpr int widest = 32;  // a panel stays in the nearest cache
  const auto n = static_cast<int>(order_.size());
  const auto count = [&](int k) { return l.column_start[at(k) + 1] - l.column_start[at(k)]; };
  int panel = 0;
  std::size_t largest = 0;
  for (int k = 0; k < n;) {
    Block block{.first = k, .width = 1, .rows = static_cast<int>(rows_.size()), .panel = panel};
    while (block.width < widest && k + 1 < n && l.parent[at(k)] == k + 1 && count(k) == count(k + 1) + 1) {
      ++block.width;
      ++k;
    }
    block.below = count(k);
    for (int p = l.column_start[at(k)]; p < l.column_start[at(k) + 1]; ++p) rows_.push_back(l.row[at(p)]);
    block.kernels = &panel_kernels(block.width, block.below);
    panel += block.width * block.height();
    largest = std::max(largest, at(block.width) * at(block.height()));
    blocks_.push_back(block);
    ++k;
  }
  blocks_.push_back({.first = n, .rows = static_cast<int>(rows_.size()), .panel = panel});
  values_.assign(at(panel), 0);
  scaled_.assign(largest, 0);
}

int StaticLdl::place_of(const Block& block, int row, int column) const {
  const int line = block.panel + ((column - block.first) * block.height());
  if (row < block.first + block.width) return line + row - block.first;
  const auto begin = rows_.begin() + block.rows;
  const auto found = std::lower_bound(begin, begin + block.below, row);
  return line + block.width + static_cast<int>(found - begin);
}

void StaticLdl::find_entries(const SparsePattern& pattern, const std::vector<int>& block_of) {
  std::vector<bool> given(values_.size(), false);
  for (std::size_t c = 0; c < order_.size(); ++c) {
    for (int p = pattern.column_start[c]; p < pattern.column_start[c + 1]; ++p) {
      const int row = position_[c];
      const int column = position_[at(pattern.row[at(p)])];
      if (row < column) continue;
      const int target = place_of(blocks_[at(block_of[at(column)])], row, column);
      entries_.push_back({.place = p, .target = target});
      given[at(target)] = true;
    }
  }
  for (const Block& block : blocks_) {
    for (int j = 0; j < block.width; ++j) {
      for (int r = j; r < block.height(); ++r) {
        const int target = block.panel + (j * block.height()) + r;
        if (!given[at(target)]) entries_.push_back({.place = -1, .target = target});
      }
    }
  }
  std::ranges::sort(entries_, {}, &Entry::target);  // one way through memory
}

void StaticLdl::find_targets(const std::vector<int>& block_of) {
  for (Block& block : blocks_) {
    block.products = static_cast<int>(targets_.size());
    for (int s = 0; s < block.below; ++s) {
      const int column = rows_[at(block.rows + s)];
      const Block& owner = blocks_[at(block_of[at(column)])];
      for (int r = s; r < block.below; ++r)
        targets_.push_back(place_of(owner, rows_[at(block.rows + r)], column));
    }
  }
}

bool StaticLdl::factor(std::span<const double> values) {
  for (const Entry& entry : entries_)
    values_[at(entry.target)] = entry.place >= 0 ? values[at(entry.place)] : 0;
  for (std::size_t b = 0; b + 1 < blocks_.size(); ++b) {
    const Block& block = blocks_[b];
    const bool regular = block.kernels->eliminate(
        {.width = block.width, .below = block.below}, values_.data(), values_.data() + block.panel,
        {.d = d_.data() + block.first, .inverse = inverse_.data() + block.first, .scaled = scaled_.data()},
        targets_.data() + block.products);
    if (!regular) return false;
  }
  return true;
}

void StaticLdl::solve(std::span<double> b) {
  const std::size_t n = order_.size();
  for (std::size_t k = 0; k < n; ++k) work_[k] = b[at(order_[k])];
  for (std::size_t k = 0; k + 1 < blocks_.size(); ++k) {
    const Block& block = blocks_[k];
    block.kernels->forward({.width = block.width, .below = block.below}, values_.data() + block.panel,
                           work_.data() + block.first, rows_.data() + block.rows, work_.data());
  }
  for (std::size_t k = blocks_.size() - 1; k-- > 0;) {
    const Block& block = blocks_[k];
    block.kernels->backward({.width = block.width, .below = block.below}, values_.data() + block.panel,
                            inverse_.data() + block.first, work_.data() + block.first,
                            rows_.data() + block.rows, work_.data());
  }
  for (std::size_t k = 0; k < n; ++k) b[at(order_[k])] = work_[k];
}

}  // namespace daedalus
