#include "numerics/panel_structure.hpp"

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "numerics/panel_algebra.hpp"

namespace daedalus {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

PanelPlaces::PanelPlaces(PanelStructure& structure, std::span<const int> order, const LowerPattern& lower,
                         const std::vector<LowerEntry>* varying)
    : structure_(structure) {
  structure = {};
  structure.order.assign(order.begin(), order.end());
  const FilledPattern l = fill_in(lower.start, lower.entry);
  structure.nonzeros = l.row.size();
  find_blocks(l);
  find_owners();
  find_kinds(varying);
  rearrange();
  find_owners();
  list_targets();
  list_runs();
  structure.diagonal.resize(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    structure.diagonal[i] = of(structure.position[i], structure.position[i]);
}

// A column joins the one before it where it is the first row below it and has the same rows otherwise.
void PanelPlaces::find_blocks(const FilledPattern& l) {
  const auto n = static_cast<int>(structure_.order.size());
  const auto count = [&](int k) { return l.column_start[at(k) + 1] - l.column_start[at(k)]; };
  for (int k = 0; k < n; ++k) {
    Block block{.first = k, .width = 1, .rows = static_cast<int>(rows_.size())};
    while (block.width < widest_panel && k + 1 < n && l.parent[at(k)] == k + 1 &&
           count(k) == count(k + 1) + 1) {
      ++block.width;
      ++k;
    }
    block.below = count(k);
    for (int p = l.column_start[at(k)]; p < l.column_start[at(k) + 1]; ++p) rows_.push_back(l.row[at(p)]);
    blocks_.push_back(block);
  }
}

void PanelPlaces::find_owners() {
  owner_.resize(structure_.order.size());
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    for (int c = 0; c < blocks_[b].width; ++c) owner_[at(blocks_[b].first + c)] = static_cast<int>(b);
  }
}

// A block is constant if its entries are, if nothing reaches it that is not, and if it reaches no entry that
// varies: that one is put in anew each time, and what was subtracted from it would be lost.
void PanelPlaces::find_kinds(const std::vector<LowerEntry>* varying) {
  const auto n = static_cast<std::int64_t>(owner_.size());
  std::unordered_set<std::int64_t> anew;  // row n + column, by position
  for (Block& block : blocks_) block.constant = varying != nullptr;
  if (varying != nullptr) {
    for (const LowerEntry& entry : *varying) {
      Block& block = blocks_[at(owner_[at(entry.column)])];
      block.constant = false;
      if (anew.insert((entry.row * n) + entry.column).second) ++block.anew;
      if (entry.row == block.first && entry.column == block.first) block.pivot_anew = true;
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
  for (Block& block : blocks_) {
    block.constant = block.constant && !reaches_new(block);
    for (int r = 0; r < block.below; ++r) {
      Block& reached = blocks_[at(owner_[at(rows_[at(block.rows + r)])])];
      reached.leaf = false;
      reached.constant = reached.constant && block.constant;
    }
  }
}

// Within stretches that stay in the nearest cache, blocks that depend on no other go first, those of one size
// together: then there are few runs. The elimination remains the same: what others depend on stays where it
// is among its like.
void PanelPlaces::rearrange() {
  constexpr int stretch = 2048;  // entries
  const auto kind = [](const Block& block) {
    return std::tuple(!block.leaf, block.leaf && !block.constant, block.leaf ? block.width : 0,
                      block.leaf ? block.below : 0, block.first);
  };
  for (auto begin = blocks_.begin(); begin != blocks_.end();) {
    auto end = begin;
    for (int space = 0; end != blocks_.end() && space < stretch; ++end) space += end->space();
    std::ranges::sort(begin, end, {}, kind);
    begin = end;
  }
  std::vector<int> moved(structure_.order.size());  // by position: the new one
  std::vector<int> order;
  std::vector<int> rows;
  int panel = 0;
  for (Block& block : blocks_) {
    const int old_first = std::exchange(block.first, static_cast<int>(order.size()));
    const int old_rows = std::exchange(block.rows, static_cast<int>(rows.size()));
    block.panel = panel;
    panel += block.space();
    for (int c = 0; c < block.width; ++c) {
      moved[at(old_first + c)] = block.first + c;
      order.push_back(structure_.order[at(old_first + c)]);
    }
    for (int r = 0; r < block.below; ++r) rows.push_back(rows_[at(old_rows + r)]);
  }
  for (int& row : rows) row = moved[at(row)];
  structure_.order = std::move(order);
  rows_ = std::move(rows);
  structure_.position = inverse_permutation(structure_.order);
  structure_.entries = panel;
}

int PanelPlaces::of(int position, int other) const {
  const auto [column, row] = std::minmax(position, other);
  const Block& block = blocks_[at(owner_[at(column)])];
  const int line = block.panel + packed(column - block.first, 0, block.height());
  if (row < block.first + block.width) return line + row - block.first;
  const auto begin = rows_.begin() + block.rows;
  const auto found = std::lower_bound(begin, begin + block.below, row);
  return line + block.width + static_cast<int>(found - begin);
}

void PanelPlaces::list_targets() {
  for (Block& block : blocks_) {
    block.targets = static_cast<int>(targets_.size());
    for (int s = 0; s < block.below; ++s) {
      for (int r = s; r < block.below; ++r)
        targets_.push_back(of(rows_[at(block.rows + r)], rows_[at(block.rows + s)]));
    }
  }
}

void PanelPlaces::list_runs() {
  for (const Block& block : blocks_) {
    structure_.largest = std::max(structure_.largest, block.width * block.height());
    if (block.used_up() > 0)
      structure_.used_up.push_back({.begin = block.panel, .end = block.panel + block.used_up()});
  }
  for (std::size_t begin = 0; begin < blocks_.size();) {
    std::size_t end = begin + 1;
    while (end < blocks_.size() && blocks_[end].is_like(blocks_[begin])) ++end;
    // What repeats itself, and what is between that.
    std::size_t open = begin;
    const auto close = [&](std::size_t here) {
      const auto count = static_cast<int>(here - open);
      if (count > 0) add_run(open, {.period = count, .count = count});
    };
    while (begin < end) {
      const Repetition found = find_repetition(begin, end);
      if (found.count == 0) {
        ++begin;
        continue;
      }
      close(begin);
      add_run(begin, found);
      begin += at(found.count);
      open = begin;
    }
    close(end);
  }
}

void PanelPlaces::add_run(std::size_t begin, const Repetition& repetition) {
  const Block& block = blocks_[begin];
  std::vector<int>& rows = structure_.rows;
  std::vector<int>& targets = structure_.targets;
  structure_.runs.push_back({.count = repetition.count,
                             .width = block.width,
                             .below = block.below,
                             .first = block.first,
                             .panel = block.panel,
                             .constant = block.constant,
                             .period = repetition.period,
                             .row_step = repetition.row_step,
                             .target_step = repetition.target_step,
                             .rows = static_cast<int>(rows.size()),
                             .targets = static_cast<int>(targets.size())});
  // The lists of blocks lie one after the other.
  const auto add = [](std::vector<int>& to, const std::vector<int>& from, int first, int count) {
    to.insert(to.end(), from.begin() + first, from.begin() + first + count);
  };
  add(rows, rows_, block.rows, repetition.period * block.below);
  add(targets, targets_, block.targets, repetition.period * block.products());
}

// The longest one that begins here and is worth while.
PanelPlaces::Repetition PanelPlaces::find_repetition(std::size_t begin, std::size_t end) const {
  constexpr int longest_period = 12;  // blocks that a link of a mechanism may have
  constexpr int least_gain = 4;       // blocks without lists
  Repetition best;
  for (int period = 1; period <= longest_period; ++period) {
    const Repetition one = repetition(begin, end, period);
    if (one.count > best.count && one.count - period >= least_gain) best = one;
  }
  return best;
}

PanelPlaces::Repetition PanelPlaces::repetition(std::size_t begin, std::size_t end, int period) const {
  Repetition result{.period = period, .count = period};
  const std::size_t second = begin + at(period);
  if (second >= end) return {};
  const Block& block = blocks_[begin];
  if (block.below > 0) {
    result.row_step = rows_[at(blocks_[second].rows)] - rows_[at(block.rows)];
    result.target_step = targets_[at(blocks_[second].targets)] - targets_[at(block.targets)];
  }
  std::size_t k = second;
  while (k < end && follows(blocks_[k], blocks_[k - at(period)], result)) ++k;
  result.count = static_cast<int>(k - begin) / period * period;
  return result;
}

bool PanelPlaces::follows(const Block& block, const Block& before, const Repetition& steps) const {
  const auto moved = [](const std::vector<int>& list, int here, int there, int count, int step) {
    return std::equal(list.begin() + here, list.begin() + here + count, list.begin() + there,
                      [step](int a, int b) { return a == b + step; });
  };
  return moved(rows_, block.rows, before.rows, block.below, steps.row_step) &&
         moved(targets_, block.targets, before.targets, block.products(), steps.target_step);
}

}  // namespace daedalus
