#include "numerics/static_ldl.hpp"

#include <amd.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "numerics/saddle_order.hpp"
#include "numerics/vectors.hpp"

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
  return pattern_of(neighbours);
}

// Whether the elimination of the first rows, as they come, makes entries that were not there: not that of the
// small blocks of bodies, but that of a tree of joints, whose rows begin at its root.
bool mass_fills_in(const SparsePattern& pattern, int first) {
  std::vector<std::vector<int>> columns(at(first));
  for (int c = 0; c < first; ++c) {
    columns[at(c)].push_back(c);
    for (int p = pattern.column_start[at(c)]; p < pattern.column_start[at(c) + 1]; ++p) {
      if (pattern.row[at(p)] < first) columns[at(c)].push_back(pattern.row[at(p)]);
    }
  }
  std::vector<int> natural(at(first));
  std::iota(natural.begin(), natural.end(), 0);
  const LowerPattern lower = lower_pattern(pattern_of(columns), natural);
  return fill_in(lower.start, lower.entry).row.size() + at(first) > lower.entry.size();
}

}  // namespace

std::vector<int> saddle_order(const SparsePattern& pattern, int first) {
  if (mass_fills_in(pattern, first))
    return neighbours_together(pattern, interleaved_saddle_order(pattern, first));
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

StaticLdl::StaticLdl(const SparsePattern& pattern, std::span<const int> order, std::span<const char> varying,
                     std::size_t room) {
  const std::vector<int> position = inverse_permutation(order);
  std::vector<LowerEntry> changing;
  for (std::size_t c = 0; c < order.size() && !varying.empty(); ++c) {
    for (int p = pattern.column_start[c]; p < pattern.column_start[c + 1]; ++p) {
      // What is not read does not count: one of a pair may be written as a constant.
      const int column = position[at(pattern.row[at(p)])];
      if (varying[at(p)] != 0 && column <= position[c])
        changing.push_back({.row = position[c], .column = column});
    }
  }
  const auto structure = std::make_shared<PanelStructure>();
  structure_ = structure;
  const PanelPlaces places(*structure, order, lower_pattern(pattern, order),
                           varying.empty() ? nullptr : &changing);
  places_.assign(pattern.row.size(), -1);
  for (std::size_t c = 0; c < order.size(); ++c) {
    const int row = structure_->position[c];
    for (int p = pattern.column_start[c]; p < pattern.column_start[c + 1]; ++p) {
      const int column = structure_->position[at(pattern.row[at(p)])];
      if (column <= row) places_[at(p)] = places.of(row, column);
    }
  }
  first_rhs_ = structure_->entries;
  constants_.assign(at(structure_->entries), 0);
  values_.assign(at(structure_->entries) + order.size() + room, 0);
  scratch_.assign(at(structure_->largest), 0);
  runs_ = panel_parts<SymmetricAlgebra>(*structure_, values_.data(), right_side());
  list_renewals();
}

StaticLdl::StaticLdl(const StaticLdl& other)
    : structure_(other.structure_),
      runs_(other.runs_),
      places_(other.places_),
      constants_(other.constants_),
      renewals_(other.renewals_),
      stages_(other.stages_),
      values_(other.values_),
      first_rhs_(other.first_rhs_),
      scratch_(other.scratch_) {
  // The runs point into the values of their own.
  const auto moved = [&](double*& pointer) { pointer = values_.data() + (pointer - other.values_.data()); };
  for (PanelPart<SymmetricAlgebra>& run : runs_) {
    moved(run.panels.panel);
    moved(run.panels.own);
    moved(run.panels.rhs);
    moved(run.panels.values);
  }
}

void StaticLdl::set_constants(std::span<const double> values) {
  std::ranges::fill(constants_, 0.0);
  for (std::size_t p = 0; p < places_.size(); ++p) {
    if (places_[p] >= 0) constants_[at(places_[p])] = values[p];
  }
  for (std::size_t k = 0; k < runs_.size(); ++k) {
    if (!runs_[k].constant) continue;
    PanelRun<SymmetricAlgebra> panels = runs_[k].panels;
    panels.panel_step = packed_panel(panels.width, panels.width + panels.below);
    panels.panel = constants_.data() + structure_->runs[k].panel;
    panels.values = constants_.data();
    runs_[k].kernels->factor(panels, scratch_.data());
  }
  copy_values(constants_, values_);
  for (PanelPart<SymmetricAlgebra>& run : runs_) share_constants(run);
  list_renewals();
}

// Bodies of one mass have equal panels.
void StaticLdl::share_constants(PanelPart<SymmetricAlgebra>& run) {
  if (!run.constant) return;
  PanelRun<SymmetricAlgebra>& panels = run.panels;
  const int space = packed_panel(panels.width, panels.width + panels.below);
  panels.panel_step = 0;
  for (int k = 1; k < panels.count && panels.panel_step == 0; ++k) {
    const double* const other = panels.panel + static_cast<std::ptrdiff_t>(k) * space;
    if (!std::equal(panels.panel, panels.panel + space, other)) panels.panel_step = space;
  }
}

// Mechanisms repeat themselves: groups of panels that begin alike are kept once, and stay in the cache.
void StaticLdl::list_renewals() {
  constexpr int worth_a_copy = 64;  // entries
  renewals_.clear();
  for (const PanelStructure::Stretch& panel : structure_->used_up) {
    const bool joins = !renewals_.empty() && renewals_.back().count < worth_a_copy &&
                       renewals_.back().to + renewals_.back().count == panel.begin;
    if (!joins) renewals_.push_back({.from = panel.begin, .to = panel.begin, .count = 0});
    renewals_.back().count += panel.end - panel.begin;
  }
  std::unordered_map<std::string_view, int> known;
  for (Renewal& group : renewals_) {
    const double* const first = constants_.data() + group.to;
    const std::string_view bytes(reinterpret_cast<const char*>(first), at(group.count) * sizeof(double));
    group.from = known.try_emplace(bytes, group.to).first->second;
  }
}

// In pieces: the copy of a piece of known size is written out.
void StaticLdl::renew(const Renewal& group) {
  constexpr std::ptrdiff_t piece = 8;
  const double* from = constants_.data() + group.from;
  const double* const end = from + group.count;
  double* to = values_.data() + group.to;
  for (; end - from >= piece; from += piece, to += piece) std::memcpy(to, from, piece * sizeof(double));
  for (; from != end; ++from, ++to) *to = *from;
}

void StaticLdl::reset() {
  for (const Renewal& group : renewals_) renew(group);
}

void StaticLdl::eliminate(const PanelPart<SymmetricAlgebra>& run, const PanelRun<SymmetricAlgebra>& panels) {
  const auto part = run.constant ? run.kernels->forward : run.kernels->eliminate;
  part(panels, scratch_.data());
}

void StaticLdl::eliminate() {
  for (const PanelPart<SymmetricAlgebra>& run : runs_) eliminate(run, run.panels);
}

void StaticLdl::reset(std::size_t stage) {
  for (const int k : stages_[stage].renewals) renew(renewals_[at(k)]);
}

void StaticLdl::eliminate(std::size_t stage) {
  for (const Slice& part : stages_[stage].slices) {
    const PanelPart<SymmetricAlgebra>& run = runs_[at(part.run)];
    eliminate(run, slice(run.panels, part.begin, part.end));
  }
}

// A panel is eliminated when all is put in that it has, and that it is subtracted from: what is put in later
// would be lost there. The order of the panels stays. Returns the stages in which entries are first touched.
std::vector<int> StaticLdl::list_slices(std::span<const int> stage) {
  std::vector<int> touched(at(first_rhs_), static_cast<int>(stages_.size()));
  std::vector<int> places;  // of some panels: entries
  int now = 0;
  for (std::size_t k = 0; k < runs_.size(); ++k) {
    const PanelStructure::Run& run = structure_->runs[k];
    const int space = packed_panel(run.width, run.width + run.below);
    const int products = run.below * (run.below + 1) / 2;
    const int together = run.period == run.count ? 1 : run.period;
    Slice slice{.run = static_cast<int>(k)};
    for (int group = 0; group < run.count; group += together) {
      places.clear();
      int needed = now;
      const auto need_rhs = [&](int position) {
        needed = std::max(needed, stage[at(first_rhs_ + position)]);
      };
      for (int p = group; p < group + together; ++p) {
        const int periods = p / run.period;
        const int listed = p % run.period;
        for (int j = 0; j < run.width; ++j) need_rhs(run.first + (p * run.width) + j);
        for (int r = 0; r < run.below; ++r)
          need_rhs(structure_->rows[at(run.rows + (listed * run.below) + r)] + (periods * run.row_step));
        if (run.constant) continue;
        for (int e = 0; e < space; ++e) places.push_back(run.panel + (p * space) + e);
        for (int e = 0; e < products; ++e)
          places.push_back(structure_->targets[at(run.targets + (listed * products) + e)] +
                           (periods * run.target_step));
      }
      for (const int place : places) needed = std::max(needed, stage[at(place)]);
      if (needed > now) {
        if (group > slice.begin) stages_[at(now)].slices.push_back(slice);
        slice.begin = group;
        now = needed;
      }
      slice.end = group + together;
      for (const int place : places) touched[at(place)] = std::min(touched[at(place)], now);
    }
    if (slice.end > slice.begin) stages_[at(now)].slices.push_back(slice);
  }
  return touched;
}

void StaticLdl::plan_stages(std::span<const int> stage, std::size_t count) {
  stages_.assign(count, {});
  const std::vector<int> touched = list_slices(stage);
  for (std::size_t k = 0; k < renewals_.size(); ++k) {
    int first = static_cast<int>(stages_.size()) - 1;
    for (int e = renewals_[k].to; e < renewals_[k].to + renewals_[k].count; ++e) {
      first = std::min(first, touched[at(e)]);
      if (stage[at(e)] >= 0) first = std::min(first, stage[at(e)]);
    }
    stages_[at(first)].renewals.push_back(static_cast<int>(k));
  }
}

double StaticLdl::share(int first) const {
  double theirs = 0;
  double all = 0;
  for (const PanelStructure::Run& run : structure_->runs) {
    for (int k = 0; k < run.count * run.width; ++k) {
      const double height = run.width + run.below - (k % run.width);
      all += height * height;
      if (structure_->order[at(run.first + k)] < first) theirs += height * height;
    }
  }
  return all > 0 ? theirs / all : 0;
}

bool StaticLdl::regular() const {
  return std::ranges::all_of(structure_->diagonal, [this](int place) {
    return values_[at(place)] != 0 && std::isfinite(values_[at(place)]);
  });
}

void StaticLdl::finish() {
  for (std::size_t k = runs_.size(); k-- > 0;) runs_[k].kernels->backward(runs_[k].panels, scratch_.data());
}

void StaticLdl::solve() {
  for (const PanelPart<SymmetricAlgebra>& run : runs_) run.kernels->forward(run.panels, scratch_.data());
  finish();
}

void StaticLdl::solve(std::span<double> b) {
  double* const rhs = right_side();
  for (std::size_t k = 0; k < b.size(); ++k) rhs[k] = b[at(structure_->order[k])];
  solve();
  for (std::size_t k = 0; k < b.size(); ++k) b[at(structure_->order[k])] = rhs[k];
}

}  // namespace daedalus
