#include "systems/constraint_matrices.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "numerics/rank_policy.hpp"
#include "saddle/pairing.hpp"

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

void ConstraintMatrices::schur_diagonal(Norm norm, std::span<double> out) const {
  std::vector<double> mass(static_cast<std::size_t>(form_.n()), norm == Norm::Mass ? 0.0 : 1.0);
  for (std::size_t k = 0; k < form_.mass.entries.size() && norm == Norm::Mass; ++k) {
    const SymbolicEntry& entry = form_.mass.entries[k];
    if (entry.row == entry.column) mass[static_cast<std::size_t>(entry.row)] = std::abs(mass_values()[k]);
  }
  std::ranges::fill(out, 0.0);
  for (std::size_t k = 0; k < constraint_values().size(); ++k) {
    const SymbolicEntry& entry = form_.constraint.entries[k];
    const double weight = mass[static_cast<std::size_t>(entry.column)];
    const double value = constraint_values()[k];
    if (weight > 0) out[static_cast<std::size_t>(entry.row)] += value * value / weight;
  }
  double largest = 0;
  for (const double one : out) largest = std::max(largest, one);
  for (double& one : out) {
    if (!(one > 0)) one = largest > 0 ? largest : 1;
  }
}

bool ConstraintMatrices::multipliers_act_along_constraints() const {
  return pair_multipliers(form_.constraint, constraint_values(), form_.input, input_values()).complete();
}

namespace {

std::vector<int> natural_order(int count) {
  std::vector<int> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

std::vector<SymbolicEntry> transposed(std::span<const SymbolicEntry> entries) {
  std::vector<SymbolicEntry> result;
  for (const SymbolicEntry& e : entries)
    result.push_back({.row = e.column, .column = e.row, .value = e.value});
  return result;
}

std::vector<SymbolicEntry> diagonal_entries(int n) {
  std::vector<SymbolicEntry> result;
  for (int i = 0; i < n; ++i) result.push_back({.row = i, .column = i, .value = {}});
  return result;
}

}  // namespace

ConstraintSaddle::ConstraintSaddle(const ConstrainedForm& form, Top top, Right right)
    : top_(top),
      right_(right),
      ones_(top == Top::Identity ? static_cast<std::size_t>(form.n()) : 0, 1.0),
      delta_(static_cast<std::size_t>(form.ny())) {
  const std::vector<SymbolicEntry> identity = diagonal_entries(form.n());
  const std::vector<SymbolicEntry> gradients = transposed(form.constraint.entries);
  matrix_ = SaddleMatrix(
      {.n = form.n(),
       .multiplier = natural_order(form.ny()),
       .top = {top == Top::Mass ? std::span<const SymbolicEntry>(form.mass.entries) : identity},
       .right = right == Right::Input ? std::span<const SymbolicEntry>(form.input.entries) : gradients,
       .bottom = form.constraint.entries,
       .static_order = false});
}

bool ConstraintSaddle::factor(const ConstraintMatrices& matrices) {
  const auto gradients = matrices.constraint_values();
  matrix_.clear();
  matrix_.add(0, top_ == Top::Mass ? matrices.mass_values() : std::span<const double>(ones_), 1);
  matrix_.add(1, right_ == Right::Input ? matrices.input_values() : gradients, 1);
  matrix_.add(2, gradients, 1);
  matrices.schur_diagonal(top_, delta_);
  for (double& one : delta_) one *= RankPolicy::not_zero;
  matrix_.subtract_delta(delta_);
  return matrix_.factor();
}

}  // namespace daedalus
