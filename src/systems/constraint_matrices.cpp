#include "systems/constraint_matrices.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace daedalus {
namespace {

Eigen::MatrixXd dense(const SymbolicMatrix& matrix, std::span<const double> values) {
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(matrix.rows, matrix.columns);
  for (std::size_t k = 0; k < values.size(); ++k)
    result(matrix.entries[k].row, matrix.entries[k].column) = values[k];
  return result;
}

}  // namespace

ConstraintMatrices::ConstraintMatrices(const CompiledModel& model, const ConstrainedForm& form)
    : form_(form) {
  std::vector<NodeId> roots;
  for (const SymbolicMatrix* matrix : {&form.mass, &form.input, &form.constraint}) {
    for (const SymbolicEntry& entry : matrix->entries) roots.push_back(entry.value);
  }
  program_ = model.compile(roots);
  values_.resize(roots.size());
}

void ConstraintMatrices::evaluate(std::span<const double> environment) {
  program_.evaluate(environment, values_, workspace_);
}

std::span<const double> ConstraintMatrices::mass_values() const {
  return std::span(values_).first(form_.mass.entries.size());
}
std::span<const double> ConstraintMatrices::input_values() const {
  return std::span(values_).subspan(form_.mass.entries.size(), form_.input.entries.size());
}
std::span<const double> ConstraintMatrices::constraint_values() const {
  return std::span(values_).last(form_.constraint.entries.size());
}
Eigen::MatrixXd ConstraintMatrices::mass() const {
  return dense(form_.mass, mass_values());
}
Eigen::MatrixXd ConstraintMatrices::input() const {
  return dense(form_.input, input_values());
}
Eigen::MatrixXd ConstraintMatrices::constraint() const {
  return dense(form_.constraint, constraint_values());
}

namespace {

// Entries that are not zero, the largest of them being 1.
using Direction = std::vector<std::pair<int, double>>;

void normalise(Direction& direction) {
  std::erase_if(direction, [](const auto& entry) { return entry.second == 0; });
  std::ranges::sort(direction);
  const auto largest =
      std::ranges::max_element(direction, {}, [](const auto& entry) { return std::abs(entry.second); });
  if (largest == direction.end()) return;
  const double size = largest->second;
  for (auto& entry : direction) entry.second /= size;
}

// Up to the sign, which the choice of the largest entry leaves open where two are equal.
bool parallel(const Direction& a, const Direction& b) {
  if (a.size() != b.size() || a.empty()) return false;
  double product = 0;
  double squares_a = 0;
  double squares_b = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (a[k].first != b[k].first) return false;
    product += a[k].second * b[k].second;
    squares_a += a[k].second * a[k].second;
    squares_b += b[k].second * b[k].second;
  }
  return std::abs((product * product) - (squares_a * squares_b)) <= 1e-12 * squares_a * squares_b;
}

}  // namespace

bool ConstraintMatrices::multipliers_act_along_constraints() const {
  const auto count = static_cast<std::size_t>(form_.ny());
  std::vector<Direction> gradients(count);
  std::vector<Direction> forces(count);
  const auto g = constraint_values();
  const auto b = input_values();
  for (std::size_t k = 0; k < g.size(); ++k) {
    const SymbolicEntry& entry = form_.constraint.entries[k];
    gradients[static_cast<std::size_t>(entry.row)].emplace_back(entry.column, g[k]);
  }
  for (std::size_t k = 0; k < b.size(); ++k) {
    const SymbolicEntry& entry = form_.input.entries[k];
    forces[static_cast<std::size_t>(entry.column)].emplace_back(entry.row, b[k]);
  }
  std::map<std::vector<int>, std::vector<std::size_t>> by_pattern;
  const auto pattern_of = [](const Direction& direction) {
    std::vector<int> pattern;
    for (const auto& [index, value] : direction) pattern.push_back(index);
    return pattern;
  };
  for (std::size_t i = 0; i < count; ++i) {
    normalise(gradients[i]);
    by_pattern[pattern_of(gradients[i])].push_back(i);
  }
  for (Direction& force : forces) {
    normalise(force);
    std::vector<std::size_t>& candidates = by_pattern[pattern_of(force)];
    const auto found =
        std::ranges::find_if(candidates, [&](std::size_t i) { return parallel(gradients[i], force); });
    if (found == candidates.end()) return false;
    candidates.erase(found);
  }
  return true;
}

SaddleSolver::SaddleSolver(const ConstraintMatrices& matrices, Top top, Right right, double delta)
    : top_(top), right_(right), delta_(delta) {
  const ConstrainedForm& form = matrices.form();
  const int n = form.n();
  if (top == Top::Mass) {
    for (const SymbolicEntry& e : form.mass.entries) places_.push_back({.column = e.column, .row = e.row});
  } else {
    for (int i = 0; i < n; ++i) places_.push_back({.column = i, .row = i});
  }
  if (right == Right::Input) {
    for (const SymbolicEntry& e : form.input.entries)
      places_.push_back({.column = n + e.column, .row = e.row});
  } else {
    for (const SymbolicEntry& e : form.constraint.entries)
      places_.push_back({.column = n + e.row, .row = e.column});
  }
  for (const SymbolicEntry& e : form.constraint.entries)
    places_.push_back({.column = e.column, .row = n + e.row});
  for (int i = 0; i < form.ny(); ++i) places_.push_back({.column = n + i, .row = n + i});
  build_pattern(n + form.ny());
}

void SaddleSolver::build_pattern(int size) {
  pattern_.size = size;
  std::vector<std::size_t> order(places_.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::ranges::sort(order, {}, [&](std::size_t k) { return std::pair(places_[k].column, places_[k].row); });
  pattern_.column_start.assign(static_cast<std::size_t>(pattern_.size) + 1, 0);
  targets_.resize(places_.size());
  for (const std::size_t k : order) {
    targets_[k] = pattern_.row.size();
    pattern_.row.push_back(places_[k].row);
    ++pattern_.column_start[static_cast<std::size_t>(places_[k].column) + 1];
  }
  for (std::size_t c = 0; c + 1 < pattern_.column_start.size(); ++c)
    pattern_.column_start[c + 1] += pattern_.column_start[c];
  values_.resize(places_.size());
  solver_ = make_linear_solver<double>(pattern_);
}

bool SaddleSolver::factor(const ConstraintMatrices& matrices) {
  std::size_t k = 0;
  const auto put = [&](std::span<const double> values) {
    for (const double value : values) values_[targets_[k++]] = value;
  };
  const auto n = static_cast<std::size_t>(matrices.form().n());
  if (top_ == Top::Mass) {
    put(matrices.mass_values());
  } else {
    for (std::size_t i = 0; i < n; ++i) values_[targets_[k++]] = 1;
  }
  put(right_ == Right::Input ? matrices.input_values() : matrices.constraint_values());
  put(matrices.constraint_values());
  double largest = 0;
  for (const double value : matrices.constraint_values()) largest = std::max(largest, std::abs(value));
  for (; k < targets_.size(); ++k) values_[targets_[k]] = -delta_ * std::max(largest, 1e-300);
  return std::ranges::all_of(values_, [](double v) { return std::isfinite(v); }) && solver_->factor(values_);
}

}  // namespace daedalus
