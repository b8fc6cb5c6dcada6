#include "saddle/saddle_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace daedalus {
namespace {

struct Place {
  int column;
  int row;
  std::size_t list;  // none: the diagonal of a constraint, a zero that elimination fills
  std::size_t entry;
};

constexpr std::size_t no_list = static_cast<std::size_t>(-1);
constexpr double equal = 1e-10;  // of two values that shall be the same expression

}  // namespace

std::vector<int> paired_multipliers(const SymbolicMatrix& input, std::span<const double> inputs,
                                    const SymbolicMatrix& constraint, std::span<const double> gradients) {
  using Line = std::vector<std::pair<int, double>>;  // by row of S, the first value being 1
  const auto count = static_cast<std::size_t>(constraint.rows);
  std::vector<Line> rows(count);
  std::vector<Line> columns(count);
  for (std::size_t k = 0; k < gradients.size(); ++k) {
    const SymbolicEntry& entry = constraint.entries[k];
    rows[static_cast<std::size_t>(entry.row)].emplace_back(entry.column, gradients[k]);
  }
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const SymbolicEntry& entry = input.entries[k];
    columns[static_cast<std::size_t>(entry.column)].emplace_back(entry.row, inputs[k]);
  }
  const auto pattern_of = [](Line& line) {
    std::ranges::sort(line);
    const double first = line.empty() ? 1 : line.front().second;
    std::vector<int> pattern;
    for (auto& [index, value] : line) {
      value /= first;
      pattern.push_back(index);
    }
    return pattern;
  };
  std::map<std::vector<int>, std::vector<int>> candidates;  // multipliers
  for (std::size_t c = 0; c < count; ++c) candidates[pattern_of(columns[c])].push_back(static_cast<int>(c));
  std::vector<int> multiplier(count, -1);
  std::vector<bool> taken(count, false);
  for (std::size_t r = 0; r < count; ++r) {
    for (const int c : candidates[pattern_of(rows[r])]) {
      const bool fits =
          !taken[static_cast<std::size_t>(c)] &&
          std::ranges::equal(rows[r], columns[static_cast<std::size_t>(c)], [](const auto& x, const auto& y) {
            return std::abs(x.second - y.second) <= equal * (std::abs(x.second) + std::abs(y.second));
          });
      if (!fits) continue;
      multiplier[r] = c;
      taken[static_cast<std::size_t>(c)] = true;
      break;
    }
  }
  auto left = std::ranges::find(taken, false);
  for (int& c : multiplier) {
    if (c >= 0) continue;
    c = static_cast<int>(left - taken.begin());
    left = std::find(left + 1, taken.end(), false);
  }
  return multiplier;
}

template <class Scalar>
SaddleMatrix<Scalar>::SaddleMatrix(const SaddleShape& shape)
    : n_(static_cast<std::size_t>(shape.n)), multiplier_(shape.multiplier), scratch_(multiplier_.size()) {
  const int n = shape.n;
  const int constraints = static_cast<int>(multiplier_.size());
  std::vector<Place> places;
  const auto collect = [&](std::span<const SymbolicEntry> entries, int column, bool bottom) {
    for (std::size_t k = 0; k < entries.size(); ++k)
      places.push_back(
          {.column = entries[k].column + column,
           .row = bottom ? n + multiplier_[static_cast<std::size_t>(entries[k].row)] : entries[k].row,
           .list = place_.size(),
           .entry = k});
    place_.emplace_back(entries.size());
  };
  for (const auto& entries : shape.top) collect(entries, 0, false);
  collect(shape.right, n, false);
  collect(shape.bottom, 0, true);
  for (int i = n; i < n + constraints; ++i)
    places.push_back({.column = i, .row = i, .list = no_list, .entry = 0});
  std::ranges::sort(places, {}, [](const Place& p) { return std::pair(p.column, p.row); });
  pattern_ = {.size = n + constraints, .column_start = {}, .row = {}};
  pattern_.column_start.assign(static_cast<std::size_t>(pattern_.size) + 1, 0);
  const Place* before = nullptr;
  for (const Place& place : places) {
    if (before == nullptr || before->column != place.column || before->row != place.row) {
      pattern_.row.push_back(place.row);
      ++pattern_.column_start[static_cast<std::size_t>(place.column) + 1];
    }
    before = &place;
    if (place.list != no_list) place_[place.list][place.entry] = pattern_.nonzeros() - 1;
  }
  for (std::size_t c = 0; c + 1 < pattern_.column_start.size(); ++c)
    pattern_.column_start[c + 1] += pattern_.column_start[c];
  values_.assign(pattern_.row.size(), Scalar(0));
  solver_ = make_static_solver<Scalar>(pattern_, saddle_structure(pattern_, n));
}

template <class Scalar>
void SaddleMatrix<Scalar>::add(std::size_t list, std::span<const double> values, Scalar factor) {
  const std::vector<int>& place = place_[list];
  for (std::size_t k = 0; k < place.size(); ++k)
    values_[static_cast<std::size_t>(place[k])] += factor * values[k];
}

template <class Scalar>
void SaddleMatrix<Scalar>::solve(std::span<Scalar> rhs) {
  std::copy(rhs.begin() + static_cast<std::ptrdiff_t>(n_), rhs.end(), scratch_.begin());
  for (std::size_t r = 0; r < multiplier_.size(); ++r)
    rhs[n_ + static_cast<std::size_t>(multiplier_[r])] = scratch_[r];
  solver_->solve(rhs);
}

template class SaddleMatrix<double>;
template class SaddleMatrix<std::complex<double>>;

}  // namespace daedalus
