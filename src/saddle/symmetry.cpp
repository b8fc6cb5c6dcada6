#include "saddle/symmetry.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <unordered_map>
#include <utility>

#include "codegen/tape.hpp"
#include "core/decimal.hpp"
#include "numerics/rank_policy.hpp"
#include "numerics/vectors.hpp"
#include "saddle/pairing.hpp"
#include "saddle/random_point.hpp"

namespace daedalus {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// What is equal at so many random points is equal. Some points may have no values (the root of a negative
// number).
constexpr int points_needed = 3;
constexpr int points_tried = 60;
// Of the largest in its row and column: what is left of an entry whose terms cancel. A tenth of the noise
// that entries may have beside each other, since to drop what is something would be wrong.
constexpr double cancelled = 0.1 * RankPolicy::gradient;
// Of a ratio: roundings that joints which are alike may differ by.
constexpr double few_roundings = 64 * std::numeric_limits<double>::epsilon();

// An entry at all points.
bool zero_at(const std::vector<std::vector<double>>& points, std::size_t k) {
  return std::ranges::all_of(points, [k](const std::vector<double>& values) { return values[k] == 0; });
}

// Two values that shall be the same expression, in a row of this size.
bool alike(double a, double b, double size) {
  return std::abs(a - b) <= (RankPolicy::gradient * (std::abs(a) + std::abs(b))) + (cancelled * size);
}

class Symmetriser {
 public:
  Symmetriser(ExprGraph& graph, LinearCore& core) : graph_(graph), core_(core), size_(core.rhs.size()) {}

  std::optional<int> run(const ProgramSetting& setting) {
    if (!find_first()) return std::nullopt;
    std::vector<std::vector<double>> points = values_at_points(setting);
    if (points.size() < points_needed) return std::nullopt;
    std::vector<Place> noise = drop_rounding(points);
    pair_constraints(points.front(), noise);
    drop_mirrored(points, noise);
    std::vector<double> scale(size_, 1);
    if (!scale_rows(points, scale)) return std::nullopt;
    for (SymbolicEntry& entry : core_.matrix.entries)
      entry.value = graph_.mul(graph_.constant(scale[at(entry.row)]), entry.value);
    for (std::size_t k = 0; k < core_.rhs.size(); ++k)
      core_.rhs[k] = graph_.mul(graph_.constant(scale[k]), core_.rhs[k]);
    return first_;
  }

 private:
  struct Place {
    int row = 0;
    int column = 0;
  };
  bool find_first();
  [[nodiscard]] std::vector<std::vector<double>> values_at_points(const ProgramSetting& setting) const;
  [[nodiscard]] std::vector<Place> drop_rounding(std::vector<std::vector<double>>& points);
  void pair_constraints(const std::vector<double>& values, std::vector<Place>& noise);
  void drop_mirrored(std::vector<std::vector<double>>& points, const std::vector<Place>& noise);
  void keep_entries(const std::vector<bool>& kept, std::vector<std::vector<double>>& points);
  [[nodiscard]] bool scale_rows(const std::vector<std::vector<double>>& points, std::vector<double>& scale);

  ExprGraph& graph_;
  LinearCore& core_;
  std::size_t size_;
  int first_ = 0;
};

// Rows of M first, then constraints, whose diagonal is zero.
bool Symmetriser::find_first() {
  std::vector<bool> diagonal(size_, false);
  for (const SymbolicEntry& entry : core_.matrix.entries) {
    if (entry.row == entry.column) diagonal[at(entry.row)] = true;
  }
  const auto end = std::ranges::find(diagonal, false);
  first_ = static_cast<int>(end - diagonal.begin());
  return std::find(end, diagonal.end(), true) == diagonal.end();
}

// Of all entries, where all of them are finite.
std::vector<std::vector<double>> Symmetriser::values_at_points(const ProgramSetting& setting) const {
  std::vector<NodeId> roots;
  for (const SymbolicEntry& entry : core_.matrix.entries) roots.push_back(entry.value);
  const Tape tape = Tape::write(graph_, roots, setting.slots, setting.slot_of);
  std::vector<double> all;
  std::vector<double> environment(at(setting.slots));
  std::vector<std::vector<double>> points;
  std::mt19937 random(1);
  for (int k = 0; k < points_tried && points.size() < points_needed; ++k) {
    fill_at_random(random, environment);
    std::vector<double> results(roots.size());
    tape.compute(environment, all);
    for (std::size_t r = 0; r < roots.size(); ++r) results[r] = all[at(tape.roots[r])];
    if (all_finite(results)) points.push_back(std::move(results));
  }
  return points;
}

// Entries that are nothing but rounding at every point are none, and are returned. What is zero exactly may
// be something elsewhere.
std::vector<Symmetriser::Place> Symmetriser::drop_rounding(std::vector<std::vector<double>>& points) {
  std::vector<bool> kept(core_.matrix.entries.size(), false);
  for (const std::vector<double>& values : points) {
    std::vector<double> row(size_, 0);
    std::vector<double> column(size_, 0);
    for (std::size_t k = 0; k < values.size(); ++k) {
      const SymbolicEntry& entry = core_.matrix.entries[k];
      row[at(entry.row)] = std::max(row[at(entry.row)], std::abs(values[k]));
      column[at(entry.column)] = std::max(column[at(entry.column)], std::abs(values[k]));
    }
    for (std::size_t k = 0; k < values.size(); ++k) {
      const SymbolicEntry& entry = core_.matrix.entries[k];
      const double size = std::min(row[at(entry.row)], column[at(entry.column)]);
      kept[k] = kept[k] || std::abs(values[k]) > cancelled * size;
    }
  }
  std::vector<Place> noise;
  for (std::size_t k = 0; k < kept.size(); ++k) {
    kept[k] = kept[k] || zero_at(points, k);
    const SymbolicEntry& entry = core_.matrix.entries[k];
    if (!kept[k]) noise.push_back({.row = entry.row, .column = entry.column});
  }
  keep_entries(kept, points);
  return noise;
}

// An entry that is zero exactly, beside a mirrored one that is rounding, is none either: the two are the same
// expression, evaluated in another order.
void Symmetriser::drop_mirrored(std::vector<std::vector<double>>& points, const std::vector<Place>& noise) {
  std::set<std::pair<int, int>> mirrored;
  for (const Place& place : noise) mirrored.emplace(place.column, place.row);
  std::vector<bool> kept(core_.matrix.entries.size(), true);
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const SymbolicEntry& entry = core_.matrix.entries[k];
    kept[k] = !zero_at(points, k) || !mirrored.contains({entry.row, entry.column});
  }
  keep_entries(kept, points);
}

void Symmetriser::keep_entries(const std::vector<bool>& kept, std::vector<std::vector<double>>& points) {
  const auto keep = [&kept](auto& list) {
    std::size_t n = 0;
    for (std::size_t k = 0; k < kept.size(); ++k) {
      if (kept[k]) list[n++] = list[k];
    }
    list.resize(n);
  };
  keep(core_.matrix.entries);
  for (std::vector<double>& values : points) keep(values);
}

// Puts the row of each constraint beside the column of its own multiplier.
void Symmetriser::pair_constraints(const std::vector<double>& values, std::vector<Place>& noise) {
  const std::size_t constraints = size_ - at(first_);
  std::vector<SparseLine> rows(constraints);
  std::vector<SparseLine> columns(constraints);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const SymbolicEntry& entry = core_.matrix.entries[k];
    if (entry.row >= first_) rows[at(entry.row - first_)].emplace_back(entry.column, values[k]);
    if (entry.column >= first_) columns[at(entry.column - first_)].emplace_back(entry.row, values[k]);
  }
  const Pairing pairing = pair_multipliers(std::move(rows), std::move(columns));
  if (!pairing.complete()) return;  // not symmetric
  const auto row_of = [&](std::size_t r) { return first_ + pairing.multiplier[r]; };
  std::vector<NodeId> rhs = core_.rhs;
  std::vector<int> equations = core_.equations;
  for (std::size_t r = 0; r < constraints; ++r) {
    core_.rhs[at(row_of(r))] = rhs[at(first_) + r];
    core_.equations[at(row_of(r))] = equations[at(first_) + r];
  }
  const auto move = [&](int& row) {
    if (row >= first_) row = row_of(at(row - first_));
  };
  for (SymbolicEntry& entry : core_.matrix.entries) move(entry.row);
  for (Place& place : noise) move(place.row);
}

// scale_i A_ij = A_ji for the rows i of constraints, and M symmetric as it is.
bool Symmetriser::scale_rows(const std::vector<std::vector<double>>& points, std::vector<double>& scale) {
  const auto& entries = core_.matrix.entries;
  std::unordered_map<std::int64_t, std::size_t> place;
  const auto key = [this](int row, int column) {
    return (static_cast<std::int64_t>(row) * static_cast<std::int64_t>(size_)) + column;
  };
  for (std::size_t k = 0; k < entries.size(); ++k) place[key(entries[k].row, entries[k].column)] = k;
  std::vector<std::size_t> widest(size_, entries.size());  // by row: its largest entry left of it
  for (std::size_t k = 0; k < entries.size(); ++k) {
    std::size_t& best = widest[at(entries[k].row)];
    if (entries[k].column > entries[k].row) continue;
    if (best == entries.size() || std::abs(points[0][k]) > std::abs(points[0][best])) best = k;
  }
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const int i = entries[k].row;
    if (entries[k].column > i) continue;
    const auto other = place.find(key(entries[k].column, i));
    if (other == place.end()) return false;
    const std::size_t best = widest[at(i)];
    if (i < first_ || k != best) continue;
    const double ratio = points[0][other->second] / points[0][k];
    scale[at(i)] = without_noise(ratio, few_roundings * std::abs(ratio));  // equal for joints that are alike
  }
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const int i = entries[k].row;
    if (entries[k].column > i) continue;
    const std::size_t other = place.at(key(entries[k].column, i));
    for (const std::vector<double>& values : points) {
      const double size = scale[at(i)] * std::abs(values[widest[at(i)]]);
      if (!alike(scale[at(i)] * values[k], values[other], std::abs(size))) return false;
    }
  }
  // Every entry above the diagonal has a partner below it.
  const auto lower = std::ranges::count_if(entries, [](const SymbolicEntry& e) { return e.column < e.row; });
  const auto upper = std::ranges::count_if(entries, [](const SymbolicEntry& e) { return e.column > e.row; });
  return lower == upper && std::ranges::all_of(scale, [](double s) { return s != 0 && std::isfinite(s); });
}

}  // namespace

std::optional<int> make_symmetric(ExprGraph& graph, LinearCore& core, const ProgramSetting& setting) {
  return Symmetriser(graph, core).run(setting);
}

}  // namespace daedalus
