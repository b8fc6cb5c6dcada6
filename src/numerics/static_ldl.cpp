#include "numerics/static_ldl.hpp"

#include <amd.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <unordered_set>
#include <utility>

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

StaticLdl::StaticLdl(const SparsePattern& pattern, std::span<const int> order, std::span<const char> varying)
    : order_(order.begin(), order.end()), position_(inverse_permutation(order)) {
  const LowerPattern lower = lower_pattern(pattern, order);
  const FilledPattern l = fill_in(lower.start, lower.entry);
  nonzeros_ = l.row.size();
  std::vector<Block> blocks = find_blocks(l);
  find_kinds(blocks, pattern, varying);
  rearrange(blocks);
  find_places(pattern, blocks);
  find_runs(blocks);
  first_rhs_ = static_cast<int>(values_.size());
  constants_.assign(values_.size(), 0);
  values_.resize(values_.size() + order_.size(), 0);
  inverse_.assign(order_.size(), 0);
  for (Run& run : runs_) run.panels = panels(run);
}

// A column joins the one before it where it is the first row below it and has the same rows otherwise.
std::vector<StaticLdl::Block> StaticLdl::find_blocks(const FilledPattern& l) {
  const auto n = static_cast<int>(order_.size());
  const auto count = [&](int k) { return l.column_start[at(k) + 1] - l.column_start[at(k)]; };
  std::vector<Block> blocks;
  for (int k = 0; k < n; ++k) {
    Block block{.first = k, .width = 1, .rows = static_cast<int>(rows_.size())};
    while (block.width < widest_panel && k + 1 < n && l.parent[at(k)] == k + 1 &&
           count(k) == count(k + 1) + 1) {
      ++block.width;
      ++k;
    }
    block.below = count(k);
    for (int p = l.column_start[at(k)]; p < l.column_start[at(k) + 1]; ++p) rows_.push_back(l.row[at(p)]);
    blocks.push_back(block);
  }
  return blocks;
}

std::vector<int> StaticLdl::owners(const std::vector<Block>& blocks) const {
  std::vector<int> owner(order_.size());
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    for (int c = 0; c < blocks[b].width; ++c) owner[at(blocks[b].first + c)] = static_cast<int>(b);
  }
  return owner;
}

// A block is constant if its entries are, if nothing reaches it that is not, and if it reaches no entry that
// varies: that one is put in anew each time, and what was subtracted from it would be lost.
void StaticLdl::find_kinds(std::vector<Block>& blocks, const SparsePattern& pattern,
                           std::span<const char> varying) const {
  const std::vector<int> owner = owners(blocks);
  const auto n = static_cast<std::int64_t>(order_.size());
  std::unordered_set<std::int64_t> anew;  // row n + column, by position
  for (std::size_t c = 0; c < order_.size(); ++c) {
    for (int p = pattern.column_start[c]; p < pattern.column_start[c + 1]; ++p) {
      const auto [column, row] = std::minmax(position_[c], position_[at(pattern.row[at(p)])]);
      if (!varying.empty() && varying[at(p)] == 0) continue;
      blocks[at(owner[at(column)])].constant = false;
      if (!varying.empty()) anew.insert((row * n) + column);
    }
  }
  const auto reaches_new = [&](const Block& block) {
    for (int s = 0; s < block.below; ++s) {
      for (int r = s; r < block.below; ++r) {
        if (anew.contains((rows_[at(block.rows + r)] * n) + rows_[at(block.rows + s)])) return true;
      }
    }
    return false;
  };
  for (Block& block : blocks) {
    block.constant = block.constant && !reaches_new(block);
    for (int r = 0; r < block.below; ++r) {
      Block& reached = blocks[at(owner[at(rows_[at(block.rows + r)])])];
      reached.leaf = false;
      reached.constant = reached.constant && block.constant;
    }
  }
}

// Within stretches that stay in the nearest cache, blocks that depend on no other go first, those of one size
// together: then there are few runs. The elimination remains the same: what others depend on stays where it
// is among its like.
void StaticLdl::rearrange(std::vector<Block>& blocks) {
  constexpr int stretch = 2048;  // values
  const auto kind = [](const Block& block) {
    return std::tuple(!block.leaf, block.leaf && !block.constant, block.leaf ? block.width : 0,
                      block.leaf ? block.below : 0, block.first);
  };
  for (auto begin = blocks.begin(); begin != blocks.end();) {
    auto end = begin;
    for (int space = 0; end != blocks.end() && space < stretch; ++end) space += end->space();
    std::ranges::sort(begin, end, {}, kind);
    begin = end;
  }
  std::vector<int> moved(order_.size());  // by position: the new one
  std::vector<int> order;
  std::vector<int> rows;
  int panel = 0;
  for (Block& block : blocks) {
    const int old_first = std::exchange(block.first, static_cast<int>(order.size()));
    const int old_rows = std::exchange(block.rows, static_cast<int>(rows.size()));
    block.panel = panel;
    panel += block.space();
    for (int c = 0; c < block.width; ++c) {
      moved[at(old_first + c)] = block.first + c;
      order.push_back(order_[at(old_first + c)]);
    }
    for (int r = 0; r < block.below; ++r) rows.push_back(rows_[at(old_rows + r)]);
  }
  for (int& row : rows) row = moved[at(row)];
  order_ = std::move(order);
  rows_ = std::move(rows);
  position_ = inverse_permutation(order_);
  values_.assign(at(panel), 0);
}

int StaticLdl::place_of(const Block& block, int row, int column) const {
  const int line = block.panel + ((column - block.first) * block.height());
  if (row < block.first + block.width) return line + row - block.first;
  const auto begin = rows_.begin() + block.rows;
  const auto found = std::lower_bound(begin, begin + block.below, row);
  return line + block.width + static_cast<int>(found - begin);
}

void StaticLdl::find_places(const SparsePattern& pattern, const std::vector<Block>& blocks) {
  const std::vector<int> owner = owners(blocks);
  places_.assign(pattern.row.size(), -1);
  diagonal_.resize(order_.size());
  for (std::size_t c = 0; c < order_.size(); ++c) {
    const int row = position_[c];
    const Block& own = blocks[at(owner[at(row)])];
    diagonal_[c] = place_of(own, row, row);
    for (int p = pattern.column_start[c]; p < pattern.column_start[c + 1]; ++p) {
      const int column = position_[at(pattern.row[at(p)])];
      if (column <= row) places_[at(p)] = place_of(blocks[at(owner[at(column)])], row, column);
    }
  }
}

void StaticLdl::find_runs(const std::vector<Block>& blocks) {
  const std::vector<int> owner = owners(blocks);
  int largest = 0;
  for (const Block& block : blocks) {
    const bool alike = !runs_.empty() && runs_.back().block.width == block.width &&
                       runs_.back().block.below == block.below &&
                       runs_.back().block.constant == block.constant;
    if (!alike) {
      runs_.push_back({.products = static_cast<int>(targets_.size()),
                       .block = block,
                       .kernels = &panel_kernels(block.width, block.below)});
    }
    ++runs_.back().count;
    if (!block.constant) {
      if (varying_.empty() || varying_.back().end != block.panel)
        varying_.push_back({.begin = block.panel, .end = block.panel});
      varying_.back().end += block.space();
    }
    largest = std::max(largest, block.space());
    for (int s = 0; s < block.below; ++s) {
      const int column = rows_[at(block.rows + s)];
      const Block& reached = blocks[at(owner[at(column)])];
      for (int r = s; r < block.below; ++r)
        targets_.push_back(place_of(reached, rows_[at(block.rows + r)], column));
    }
  }
  scratch_.assign(at(largest), 0);
}

PanelRun StaticLdl::panels(const Run& run) {
  return {.count = run.count,
          .width = run.block.width,
          .below = run.block.below,
          .panel = values_.data() + run.block.panel,
          .inverse = inverse_.data() + run.block.first,
          .own = right_side() + run.block.first,
          .rows = rows_.data() + run.block.rows,
          .target = targets_.data() + run.products};
}

PanelSpace StaticLdl::space() {
  return {.values = values_.data(), .rhs = right_side(), .scratch = scratch_.data()};
}

void StaticLdl::set_constants(std::span<const double> values) {
  std::ranges::fill(constants_, 0.0);
  for (std::size_t p = 0; p < places_.size(); ++p) {
    if (places_[p] >= 0) constants_[at(places_[p])] = values[p];
  }
  const PanelSpace in_constants{.values = constants_.data(), .rhs = right_side(), .scratch = scratch_.data()};
  for (const Run& run : runs_) {
    if (!run.block.constant) continue;
    PanelRun panels = run.panels;
    panels.panel = constants_.data() + run.block.panel;
    run.kernels->eliminate(panels, in_constants);
  }
  std::ranges::copy(constants_, values_.begin());
}

// In pieces: the copy of a piece of known size is written out.
void StaticLdl::reset() {
  constexpr std::ptrdiff_t piece = 8;
  for (const Stretch& stretch : varying_) {
    const double* from = constants_.data() + stretch.begin;
    const double* const end = constants_.data() + stretch.end;
    double* to = values_.data() + stretch.begin;
    for (; end - from >= piece; from += piece, to += piece) std::memcpy(to, from, piece * sizeof(double));
    std::copy(from, end, to);
  }
}

void StaticLdl::eliminate() {
  const PanelSpace all = space();
  for (const Run& run : runs_) {
    const auto part = run.block.constant ? run.kernels->forward : run.kernels->eliminate;
    part(run.panels, all);
  }
}

bool StaticLdl::regular() const {
  return std::ranges::all_of(
      diagonal_, [this](int place) { return values_[at(place)] != 0 && std::isfinite(values_[at(place)]); });
}

void StaticLdl::finish() {
  const PanelSpace all = space();
  for (std::size_t k = runs_.size(); k-- > 0;) runs_[k].kernels->backward(runs_[k].panels, all);
}

void StaticLdl::solve() {
  const PanelSpace all = space();
  for (const Run& run : runs_) run.kernels->forward(run.panels, all);
  finish();
}

void StaticLdl::solve(std::span<double> b) {
  double* const rhs = right_side();
  for (std::size_t k = 0; k < b.size(); ++k) rhs[k] = b[at(order_[k])];
  solve();
  for (std::size_t k = 0; k < b.size(); ++k) b[at(order_[k])] = rhs[k];
}

}  // namespace daedalus
