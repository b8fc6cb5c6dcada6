#include "saddle/saddle_matrix.hpp"

#include "numerics/pattern_builder.hpp"
#include "numerics/static_lu.hpp"
#include "numerics/vectors.hpp"

namespace daedalus {

SaddleMatrix::SaddleMatrix(const SaddleShape& shape)
    : n_(static_cast<std::size_t>(shape.n)), multiplier_(shape.multiplier), scratch_(multiplier_.size()) {
  const int n = shape.n;
  const int constraints = static_cast<int>(multiplier_.size());
  PatternBuilder builder(n + constraints);
  const auto collect = [&](std::span<const SymbolicEntry> entries, int column, bool bottom) {
    std::vector<int>& numbers = place_.emplace_back();
    for (const SymbolicEntry& entry : entries) {
      const int row = bottom ? n + multiplier_[static_cast<std::size_t>(entry.row)] : entry.row;
      numbers.push_back(builder.add(row, entry.column + column));
    }
  };
  for (const auto& entries : shape.top) collect(entries, 0, false);
  collect(shape.right, n, false);
  collect(shape.bottom, 0, true);
  for (int i = n; i < n + constraints; ++i) diagonal_.push_back(builder.add(i, i));
  const PatternBuilder::Built built = builder.build();
  const auto to_positions = [&](std::vector<int>& numbers) {
    for (int& number : numbers) number = built.position[static_cast<std::size_t>(number)];
  };
  std::ranges::for_each(place_, to_positions);
  to_positions(diagonal_);
  values_.assign(built.pattern.row.size(), 0.0);
  solver_ = shape.static_order ? make_static_solver<double>(built.pattern, saddle_structure(built.pattern, n))
                               : make_linear_solver<double>(built.pattern);
}

void SaddleMatrix::add(std::size_t list, std::span<const double> values, double factor) {
  const std::vector<int>& place = place_[list];
  for (std::size_t k = 0; k < place.size(); ++k)
    values_[static_cast<std::size_t>(place[k])] += factor * values[k];
}

void SaddleMatrix::subtract_delta(std::span<const double> delta) {
  for (std::size_t i = 0; i < delta.size(); ++i) values_[static_cast<std::size_t>(diagonal_[i])] -= delta[i];
}

bool SaddleMatrix::factor() {
  return all_finite(values_) && solver_->factor(values_);
}

void SaddleMatrix::solve(std::span<double> rhs) {
  std::copy(rhs.begin() + static_cast<std::ptrdiff_t>(n_), rhs.end(), scratch_.begin());
  for (std::size_t r = 0; r < multiplier_.size(); ++r)
    rhs[n_ + static_cast<std::size_t>(multiplier_[r])] = scratch_[r];
  solver_->solve(rhs);
}

}  // namespace daedalus
