#include "saddle/saddle_residual.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/vectors.hpp"

namespace daedalus {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// Of the largest acceleration, or multiplier: what the others count as at least.
constexpr double negligible = 1e-4;

}  // namespace

SaddleResidual::SaddleResidual(const PanelSystem& panels)
    : first_(panels.first()),
      unknown_(at(panels.size())),
      values_(panels.constants().begin(), panels.constants().end()),
      b_(unknown_.size()),
      r_(unknown_.size()),
      row_size_(unknown_.size()) {
  for (int i = 0; i < panels.size(); ++i) unknown_[at(panels.position(i))] = i;
  const SparsePattern& pattern = panels.pattern();
  for (int c = 0; c < pattern.size; ++c) {
    for (int p = pattern.column_start[at(c)]; p < pattern.column_start[at(c) + 1]; ++p) {
      const int row = pattern.row[at(p)];
      if (!panels.reads(p)) continue;
      if (row != c) {
        couplings_.push_back({.place = p, .row = panels.position(row), .column = panels.position(c)});
      } else if (c < first_) {
        mass_diagonal_.push_back({.place = p, .row = panels.position(c)});
      }
    }
  }
}

void SaddleResidual::set_right_side(std::span<const double> b) {
  copy_values(b, b_);
}

bool SaddleResidual::finite() const {
  return all_finite(values_);
}

std::vector<double> SaddleResidual::schur_diagonal() const {
  std::vector<double> mass(unknown_.size(), 0);
  for (const Diagonal& one : mass_diagonal_) mass[at(one.row)] = values_[at(one.place)];
  std::vector<double> schur(unknown_.size() - at(first_), 0);
  for (const Coupling& one : couplings_) {
    // The later of the two is the constraint, if one of them is.
    const auto [row, column] = std::minmax(one.row, one.column);
    const int constraint = unknown_[at(column)] - first_;
    if (constraint >= 0 && mass[at(row)] > 0)
      schur[at(constraint)] += values_[at(one.place)] * values_[at(one.place)] / mass[at(row)];
  }
  return schur;
}

std::span<const double> SaddleResidual::operator()(std::span<const double> z) {
  copy_values(b_, r_);
  for (const Diagonal& one : mass_diagonal_) r_[at(one.row)] -= values_[at(one.place)] * z[at(one.row)];
  for (const Coupling& one : couplings_) {
    const double value = values_[at(one.place)];
    r_[at(one.row)] -= value * z[at(one.column)];
    r_[at(one.column)] -= value * z[at(one.row)];
  }
  return r_;
}

double SaddleResidual::backward_error(std::span<const double> z) {
  (void)(*this)(z);
  double floors[2] = {0, 0};
  const auto kind = [&](int position) { return unknown_[at(position)] < first_ ? 0 : 1; };
  const int size = static_cast<int>(b_.size());
  for (int k = 0; k < size; ++k) floors[kind(k)] = std::max(floors[kind(k)], negligible * std::abs(z[at(k)]));
  const auto size_of = [&](int k) { return std::max(std::abs(z[at(k)]), floors[kind(k)]); };
  for (std::size_t k = 0; k < b_.size(); ++k) row_size_[k] = std::abs(b_[k]);
  for (const Diagonal& one : mass_diagonal_)
    row_size_[at(one.row)] += std::abs(values_[at(one.place)]) * size_of(one.row);
  for (const Coupling& one : couplings_) {
    const double value = std::abs(values_[at(one.place)]);
    row_size_[at(one.row)] += value * size_of(one.column);
    row_size_[at(one.column)] += value * size_of(one.row);
  }
  double worst = 0;
  for (std::size_t k = 0; k < b_.size(); ++k) {
    if (row_size_[k] > 0) worst = std::max(worst, std::abs(r_[k]) / row_size_[k]);
  }
  return worst;
}

}  // namespace daedalus
