#include "reform/reform_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace daedalus {

Result<DenseLiteral> parse_matrix(std::string_view text, std::string_view what, std::string_view words) {
  const std::string given(text);
  const auto bad = [&] {
    const bool cut = given.starts_with('[') && !given.ends_with(']');
    return fail(fmt::format(
        "{} must be {} or a matrix such as [1,0;0,1], rows separated by semicolons, but is {}{}", what, words,
        given, cut ? "; put the option in quotes, since a shell ends a command at a semicolon" : ""));
  };
  if (text.size() < 3 || text.front() != '[' || text.back() != ']') return bad();
  text = text.substr(1, text.size() - 2);
  DenseLiteral matrix{.rows = 1, .columns = 0, .values = {}};
  int columns = 0;
  while (!text.empty()) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || !std::isfinite(value)) return bad();
    matrix.values.push_back(value);
    ++columns;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    if (!text.empty() && text.front() != ',' && text.front() != ';') return bad();
    if (text.empty() || text.front() == ';') {
      if (matrix.columns != 0 && matrix.columns != columns) return bad();
      matrix.columns = columns;
      columns = 0;
      if (!text.empty()) ++matrix.rows;
    }
    if (!text.empty()) text.remove_prefix(1);
  }
  return columns == 0 ? Result<DenseLiteral>(matrix) : bad();
}

ReformBuilder::ReformBuilder(const ConstrainedForm& form)
    : form_(form), next_variable_(static_cast<int>(form.system().variables.size())) {}

NodeId ReformBuilder::fresh_leaf() {
  return graph().variable(VariableId(next_variable_++));
}

std::vector<NodeId> ReformBuilder::own_unknowns(const std::string& name, int count, int index) {
  std::vector<NodeId> leaves;
  for (int k = 0; k < count; ++k) {
    leaves.push_back(fresh_leaf());
    result_.unknowns.push_back({.leaf = leaves.back(),
                                .rate = {},
                                .name = fmt::format("{}[{}]", name, k + 1),
                                .index = index,
                                .tested = false,
                                .own = true});
  }
  return leaves;
}

void ReformBuilder::add_positions() {
  rates_.resize(static_cast<std::size_t>(m()));
  for (int k = 0; k < m(); ++k) {
    for (int i = 0; i < n(); ++i) {
      const NodeId rate = fresh_leaf();
      rates_[static_cast<std::size_t>(k)].push_back(rate);
      const Variable& variable = form_.system().variables[form_.positions[static_cast<std::size_t>(i)].at()];
      result_.unknowns.push_back(
          {.leaf = form_.x(i, k), .rate = rate, .name = derivative_name(variable.name, k)});
    }
  }
}

void ReformBuilder::add_multipliers(int index) {
  for (int i = 0; i < form_.ny(); ++i) {
    const VariableId v = form_.multipliers[static_cast<std::size_t>(i)];
    result_.unknowns.push_back({.leaf = form_.y(i),
                                .rate = {},
                                .name = form_.system().variables[v.at()].name,
                                .index = index,
                                .tested = false});
  }
}

void ReformBuilder::add_accelerations() {
  for (int i = 0; i < n(); ++i) {
    const Variable& variable = form_.system().variables[form_.positions[static_cast<std::size_t>(i)].at()];
    result_.unknowns.push_back({.leaf = form_.x(i, m()),
                                .rate = {},
                                .name = derivative_name(variable.name, m()),
                                .index = 2,
                                .tested = false});
  }
}

void ReformBuilder::use_rates_as_accelerations() {
  for (int i = 0; i < n(); ++i) {
    const NodeId top = form_.x(i, m());
    rates_.back()[static_cast<std::size_t>(i)] = top;
    const NodeId below = form_.x(i, m() - 1);
    std::ranges::find(result_.unknowns, below, &ReformUnknown::leaf)->rate = top;
  }
}

void ReformBuilder::add_companions() {
  for (const Companion& companion : form_.companions) {
    const Variable& variable = form_.system().variables[companion.variable.at()];
    if (companion.order == 0) {
      result_.unknowns.push_back({.leaf = graph().variable(companion.variable),
                                  .rate = {},
                                  .name = variable.name,
                                  .index = 2,
                                  .tested = false});
    }
    for (int k = 0; k < companion.order; ++k) {
      const NodeId next = graph().variable(companion.variable, k + 1);
      const bool top = k + 1 == companion.order;
      const NodeId rate = top ? next : fresh_leaf();
      result_.unknowns.push_back({.leaf = graph().variable(companion.variable, k),
                                  .rate = rate,
                                  .name = derivative_name(variable.name, k)});
      if (!top)
        equation(graph().sub(rate, next), fmt::format("der of {}", derivative_name(variable.name, k)));
    }
  }
  for (const int i : form_.companion_equations) {
    const Equation& e = form_.system().equations[static_cast<std::size_t>(i)];
    equation(e.residual, equation_text(form_.system(), e));
  }
}

NodeId ReformBuilder::rate(int i, int k) const {
  return rates_[static_cast<std::size_t>(k)][static_cast<std::size_t>(i)];
}

void ReformBuilder::equation(NodeId residual, std::string name) {
  result_.equations.push_back({.residual = residual, .name = std::move(name)});
}

void ReformBuilder::kinematics(int k, std::span<const NodeId> correction) {
  for (int i = 0; i < n(); ++i) {
    NodeId residual = graph().sub(rate(i, k), form_.x(i, k + 1));
    if (!correction.empty()) residual = graph().sub(residual, correction[static_cast<std::size_t>(i)]);
    const Variable& variable = form_.system().variables[form_.positions[static_cast<std::size_t>(i)].at()];
    equation(residual, fmt::format("the rate of {}", derivative_name(variable.name, k)));
  }
}

void ReformBuilder::add_dynamics(std::span<const NodeId> extra) {
  for (std::size_t i = 0; i < form_.dynamics.size(); ++i) {
    const Equation& e = form_.system().equations[static_cast<std::size_t>(form_.dynamics[i])];
    const NodeId residual = extra.empty() ? e.residual : graph().add(e.residual, extra[i]);
    equation(residual, equation_text(form_.system(), e));
  }
}

void ReformBuilder::add_constraint(int i, int k) {
  const auto& derivatives = form_.constraints[static_cast<std::size_t>(i)].derivatives;
  if (k + 1 < static_cast<int>(derivatives.size())) result_.kept.push_back({.constraint = i, .times = k});
  const std::string text = form_.constraint_name(i);
  equation(derivatives[static_cast<std::size_t>(k)],
           k == 0 ? text : fmt::format("derivative {} of {}", k, text));
}

void ReformBuilder::weigh(NodeId leaf, int index, bool tested) {
  const auto found = std::ranges::find(result_.unknowns, leaf, &ReformUnknown::leaf);
  found->index = index;
  found->tested = tested;
}

std::vector<NodeId> ReformBuilder::transposed_times(const SymbolicMatrix& matrix,
                                                    std::span<const NodeId> factor) const {
  std::vector<NodeId> result(static_cast<std::size_t>(matrix.columns), constant(0));
  for (const SymbolicEntry& entry : matrix.entries) {
    const NodeId f = factor[static_cast<std::size_t>(entry.row)];
    if (!f.valid()) continue;
    NodeId& sum = result[static_cast<std::size_t>(entry.column)];
    sum = graph().add(sum, graph().mul(entry.value, f));
  }
  return result;
}

std::vector<NodeId> ReformBuilder::times(const SymbolicMatrix& matrix, std::span<const NodeId> factor) const {
  std::vector<NodeId> result(static_cast<std::size_t>(matrix.rows), constant(0));
  for (const SymbolicEntry& entry : matrix.entries) {
    const NodeId f = factor[static_cast<std::size_t>(entry.column)];
    if (!f.valid()) continue;
    NodeId& sum = result[static_cast<std::size_t>(entry.row)];
    sum = graph().add(sum, graph().mul(entry.value, f));
  }
  return result;
}

std::vector<NodeId> ReformBuilder::literal_times(const DenseLiteral& matrix,
                                                 std::span<const NodeId> factor) const {
  std::vector<NodeId> result(static_cast<std::size_t>(matrix.rows), constant(0));
  for (int r = 0; r < matrix.rows; ++r) {
    for (int c = 0; c < matrix.columns; ++c) {
      const int at = (r * matrix.columns) + c;
      const double value = matrix.values[static_cast<std::size_t>(at)];
      if (value == 0) continue;
      NodeId& sum = result[static_cast<std::size_t>(r)];
      sum = graph().add(sum, graph().mul(constant(value), factor[static_cast<std::size_t>(c)]));
    }
  }
  return result;
}

NodeId ReformBuilder::held(HeldValue::Role role, int row, int column) {
  const NodeId leaf = graph().discrete(VariableId(next_variable_++));
  result_.held.push_back({.role = role, .leaf = leaf, .row = row, .column = column});
  return leaf;
}

std::vector<int> holonomic(const ConstrainedForm& form) {
  std::vector<int> found;
  for (int i = 0; i < form.ny(); ++i) {
    if (form.constraints[static_cast<std::size_t>(i)].level == 0) found.push_back(i);
  }
  return found;
}

}  // namespace daedalus
