#include "simulate/saddle_matrix.hpp"

#include <algorithm>

namespace daedalus {
namespace {

struct Place {
  int column;
  int row;
  std::size_t list;  // none: the diagonal of a constraint, a zero that elimination fills
  std::size_t entry;
};

constexpr std::size_t no_list = static_cast<std::size_t>(-1);

}  // namespace

template <class Scalar>
SaddleMatrix<Scalar>::SaddleMatrix(int n, int constraints,
                                   std::span<const std::span<const SymbolicEntry>> top,
                                   std::span<const SymbolicEntry> right,
                                   std::span<const SymbolicEntry> bottom) {
  std::vector<Place> places;
  const auto collect = [&](std::span<const SymbolicEntry> entries, int row, int column) {
    for (std::size_t k = 0; k < entries.size(); ++k)
      places.push_back({.column = entries[k].column + column,
                        .row = entries[k].row + row,
                        .list = place_.size(),
                        .entry = k});
    place_.emplace_back(entries.size());
  };
  for (const auto& entries : top) collect(entries, 0, 0);
  collect(right, 0, n);
  collect(bottom, n, 0);
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
  solver_ = make_saddle_solver<Scalar>(pattern_, n);
}

template <class Scalar>
void SaddleMatrix<Scalar>::add(std::size_t list, std::span<const double> values, Scalar factor) {
  const std::vector<int>& place = place_[list];
  for (std::size_t k = 0; k < place.size(); ++k)
    values_[static_cast<std::size_t>(place[k])] += factor * values[k];
}

template class SaddleMatrix<double>;
template class SaddleMatrix<std::complex<double>>;

}  // namespace daedalus
