#include "numerics/static_ldl.hpp"

#include <amd.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <string_view>
#include <unordered_map>

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

// The panels from `begin` to `end` of a run.
PanelPart<SymmetricAlgebra> slice(PanelPart<SymmetricAlgebra> run, int begin, int end) {
  PanelRun<SymmetricAlgebra>& panels = run.panels;
  panels.count = end - begin;
  panels.panel +=
      static_cast<std::ptrdiff_t>(begin) * packed_panel(panels.width, panels.width + panels.below);
  panels.inverse += static_cast<std::ptrdiff_t>(begin) * panels.width;
  panels.own += static_cast<std::ptrdiff_t>(begin) * panels.width;
  panels.rows += static_cast<std::ptrdiff_t>(begin) * panels.below;
  panels.target += static_cast<std::ptrdiff_t>(begin) * panels.below * (panels.below + 1) / 2;
  return run;
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
  const PanelPlaces places(structure_, order, lower_pattern(pattern, order),
                           varying.empty() ? nullptr : &changing);
  places_.assign(pattern.row.size(), -1);
  for (std::size_t c = 0; c < order.size(); ++c) {
    const int row = structure_.position[c];
    for (int p = pattern.column_start[c]; p < pattern.column_start[c + 1]; ++p) {
      const int column = structure_.position[at(pattern.row[at(p)])];
      if (column <= row) places_[at(p)] = places.of(row, column);
    }
  }
  first_rhs_ = structure_.entries;
  constants_.assign(at(structure_.entries), 0);
  values_.assign(at(structure_.entries) + order.size() + room, 0);
  inverse_.assign(order.size(), 0);
  scratch_.assign(at(structure_.largest), 0);
  runs_ = panel_parts<SymmetricAlgebra>(structure_, values_.data(), inverse_.data(), right_side());
  list_renewals();
}

PanelSpace<SymmetricAlgebra> StaticLdl::space() {
  return {.values = values_.data(), .rhs = right_side(), .scratch = scratch_.data()};
}

void StaticLdl::set_constants(std::span<const double> values) {
  std::ranges::fill(constants_, 0.0);
  for (std::size_t p = 0; p < places_.size(); ++p) {
    if (places_[p] >= 0) constants_[at(places_[p])] = values[p];
  }
  const PanelSpace<SymmetricAlgebra> in_constants{
      .values = constants_.data(), .rhs = right_side(), .scratch = scratch_.data()};
  for (const PanelPart<SymmetricAlgebra>& run : runs_) {
    if (!run.constant) continue;
    PanelRun<SymmetricAlgebra> panels = run.panels;
    panels.panel = constants_.data() + (panels.panel - values_.data());
    run.kernels->eliminate(panels, in_constants);
  }
  copy_values(constants_, values_);
  list_renewals();
}

// Mechanisms repeat themselves: groups of panels that begin alike are kept once, and stay in the cache.
void StaticLdl::list_renewals() {
  constexpr int worth_a_copy = 64;  // entries
  renewals_.clear();
  for (const PanelStructure::Stretch& panel : structure_.used_up) {
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

void StaticLdl::eliminate(const PanelPart<SymmetricAlgebra>& run, const PanelSpace<SymmetricAlgebra>& all) {
  const auto part = run.constant ? run.kernels->forward : run.kernels->eliminate;
  part(run.panels, all);
}

void StaticLdl::eliminate() {
  const PanelSpace<SymmetricAlgebra> all = space();
  for (const PanelPart<SymmetricAlgebra>& run : runs_) eliminate(run, all);
}

void StaticLdl::reset(std::size_t stage) {
  for (const int k : stages_[stage].renewals) renew(renewals_[at(k)]);
}

void StaticLdl::eliminate(std::size_t stage) {
  const PanelSpace<SymmetricAlgebra> all = space();
  for (const PanelPart<SymmetricAlgebra>& run : stages_[stage].runs) eliminate(run, all);
}

// A panel is eliminated when all is put in that it has, and that it is subtracted from: what is put in later
// would be lost there. The order of the panels stays. Returns the stages in which entries are first touched.
std::vector<int> StaticLdl::list_slices(std::span<const int> stage) {
  std::vector<int> touched(at(first_rhs_), static_cast<int>(stages_.size()));
  int now = 0;
  for (std::size_t k = 0; k < runs_.size(); ++k) {
    const PanelStructure::Run& run = structure_.runs[k];
    const int space = packed_panel(run.width, run.width + run.below);
    const int products = run.below * (run.below + 1) / 2;
    int begin = 0;
    for (int p = 0; p < run.count; ++p) {
      std::vector<int> places;
      for (int e = 0; e < space; ++e) places.push_back(run.panel + (p * space) + e);
      for (int e = 0; e < products; ++e)
        places.push_back(structure_.targets[at(run.products + (p * products) + e)]);
      int needed = now;
      for (const int place : places) needed = std::max(needed, stage[at(place)]);
      for (int j = 0; j < run.width; ++j)
        needed = std::max(needed, stage[at(first_rhs_ + run.first + (p * run.width) + j)]);
      for (int r = 0; r < run.below; ++r)
        needed =
            std::max(needed, stage[at(first_rhs_ + structure_.rows[at(run.rows + (p * run.below) + r)])]);
      if (needed > now) {
        if (p > begin) stages_[at(now)].runs.push_back(slice(runs_[k], begin, p));
        begin = p;
        now = needed;
      }
      for (const int place : places) touched[at(place)] = std::min(touched[at(place)], now);
    }
    if (run.count > begin) stages_[at(now)].runs.push_back(slice(runs_[k], begin, run.count));
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

bool StaticLdl::regular() const {
  return std::ranges::all_of(structure_.diagonal, [this](int place) {
    return values_[at(place)] != 0 && std::isfinite(values_[at(place)]);
  });
}

void StaticLdl::finish() {
  const PanelSpace<SymmetricAlgebra> all = space();
  for (std::size_t k = runs_.size(); k-- > 0;) runs_[k].kernels->backward(runs_[k].panels, all);
}

void StaticLdl::solve() {
  const PanelSpace<SymmetricAlgebra> all = space();
  for (const PanelPart<SymmetricAlgebra>& run : runs_) run.kernels->forward(run.panels, all);
  finish();
}

void StaticLdl::solve(std::span<double> b) {
  double* const rhs = right_side();
  for (std::size_t k = 0; k < b.size(); ++k) rhs[k] = b[at(structure_.order[k])];
  solve();
  for (std::size_t k = 0; k < b.size(); ++k) b[at(structure_.order[k])] = rhs[k];
}

}  // namespace daedalus
