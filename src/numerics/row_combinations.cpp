#include "numerics/row_combinations.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "numerics/elimination.hpp"
#include "numerics/rank_policy.hpp"
#include "numerics/vectors.hpp"

namespace daedalus {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

RowCombinations::RowCombinations(int rows, int columns, std::span<const RowEntry> entries,
                                 std::span<const int> dependent)
    : rows_(at(rows)),
      columns_(columns),
      dependent_(dependent.begin(), dependent.end()),
      number_(at(rows), -1),
      entries_of_(dependent.size()),
      factors_(at(rows) * dependent.size()) {
  int independent = 0;
  for (int i = 0; i < rows; ++i) {
    if (!std::ranges::binary_search(dependent_, i)) number_[at(i)] = independent++;
  }
  const int size = columns + independent;
  std::vector<std::vector<int>> saddle(at(size));
  for (int k = 0; k < size; ++k) saddle[at(k)].push_back(k);
  for (std::size_t e = 0; e < entries.size(); ++e) {
    column_of_.push_back(entries[e].column);
    if (const int i = number_[at(entries[e].row)]; i >= 0) {
      saddle[at(entries[e].column)].push_back(columns + i);
      saddle[at(columns + i)].push_back(entries[e].column);
    } else {
      const auto k = std::ranges::lower_bound(dependent_, entries[e].row) - dependent_.begin();
      entries_of_[static_cast<std::size_t>(k)].push_back(e);
    }
  }
  const SparsePattern pattern = pattern_of(saddle);
  ldl_ = StaticLdl(pattern, saddle_order(pattern, columns));
  work_.resize(at(size));
  list_places(entries, pattern);
}

void RowCombinations::list_places(std::span<const RowEntry> entries, const SparsePattern& pattern) {
  std::map<std::pair<int, int>, int> known;  // row of the saddle below, column
  for (std::size_t e = 0; e < entries.size(); ++e) {
    if (const int i = number_[at(entries[e].row)]; i >= 0)
      known[{columns_ + i, entries[e].column}] = static_cast<int>(e);
  }
  for (int c = 0; c < pattern.size; ++c) {
    for (int p = pattern.column_start[at(c)]; p < pattern.column_start[at(c) + 1]; ++p) {
      const int r = pattern.row[at(p)];
      if (ldl_.place(p) < 0) continue;
      const bool diagonal = r == c;
      places_.push_back({.entry = diagonal ? -1 : known.at(std::minmax(r, c, std::greater())),
                         .constant = diagonal && c < columns_ ? 1.0 : 0.0,
                         .place = ldl_.place(p)});
    }
  }
}

// Of each row g the solution of [1 Gᵀ; G 0] (rest, factors) = (g, 0).
bool RowCombinations::update(std::span<const double> values) {
  if (!all_finite(values)) return false;
  ldl_.reset();
  for (const Place& one : places_)
    ldl_.values()[at(one.place)] = one.entry >= 0 ? values[at(one.entry)] : one.constant;
  std::ranges::fill(ldl_.rhs(), 0.0);
  ldl_.eliminate();
  if (!ldl_.regular()) return false;
  for (std::size_t k = 0; k < dependent_.size(); ++k) {
    std::ranges::fill(work_, 0.0);
    for (const std::size_t e : entries_of_[k]) work_[at(column_of_[e])] += values[e];
    ldl_.solve(work_);
    if (!all_finite(work_) || !nothing_left(k, values)) return false;
    double* const out = factors_.data() + (k * rows_);
    for (std::size_t i = 0; i < rows_; ++i) out[i] = number_[i] >= 0 ? work_[at(columns_ + number_[i])] : 0;
  }
  return true;
}

// A row that is dependent at some points only has a rest at others, and no vector of the null space.
bool RowCombinations::nothing_left(std::size_t k, std::span<const double> values) const {
  double row = 0;
  double rest = 0;
  for (const std::size_t e : entries_of_[k]) row = std::hypot(row, values[e]);
  for (int c = 0; c < columns_; ++c) rest = std::hypot(rest, work_[at(c)]);
  return rest <= RankPolicy::gradient_on_the_way * row;
}

void RowCombinations::make_least(std::span<double> y, std::span<const double> weights) const {
  const auto count = static_cast<Eigen::Index>(dependent_.size());
  Eigen::MatrixXd null(static_cast<Eigen::Index>(rows_), count);
  for (Eigen::Index k = 0; k < count; ++k) {
    const auto factors = combination(static_cast<std::size_t>(k));
    for (std::size_t i = 0; i < rows_; ++i) null(static_cast<Eigen::Index>(i), k) = -factors[i];
    null(dependent_[static_cast<std::size_t>(k)], k) = 1;
  }
  Eigen::Map<Eigen::VectorXd> all(y.data(), static_cast<Eigen::Index>(y.size()));
  const Eigen::Map<const Eigen::VectorXd> w(weights.data(), static_cast<Eigen::Index>(weights.size()));
  const Eigen::MatrixXd weighted = null.transpose() * w.asDiagonal();
  all -= null * (weighted * null).ldlt().solve(weighted * all);
}

}  // namespace daedalus
