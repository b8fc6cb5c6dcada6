#include "reform/incidence.hpp"

#include <algorithm>
#include <array>

namespace daedalus {
namespace {

std::vector<SignatureEntry> signature_row(const ExprGraph& graph, const std::vector<Partial>& partials,
                                          const std::vector<int>& column) {
  std::vector<SignatureEntry> row;
  row.reserve(partials.size());
  for (const Partial& partial : partials) {
    row.push_back(
        {.variable = column[graph.variable_of(partial.leaf).at()], .order = graph.order_of(partial.leaf)});
  }
  std::ranges::sort(row, [](const SignatureEntry& a, const SignatureEntry& b) {
    return a.variable != b.variable ? a.variable < b.variable : a.order > b.order;
  });
  const auto repeated = std::ranges::unique(row, {}, &SignatureEntry::variable);
  row.erase(repeated.begin(), repeated.end());
  return row;
}

bool is_variable(const ExprGraph& graph, NodeId id) {
  return graph.node(id).op == Op::Variable;
}

// By variable: whether a derivative of it occurs.
std::vector<bool> has_derivative(const DaeSystem& system) {
  const ExprGraph& graph = *system.graph;
  std::vector<NodeId> roots;
  for (const Equation& equation : system.equations) roots.push_back(equation.residual);
  std::vector<bool> found(system.variables.size(), false);
  for (const NodeId id : topological_order(graph, roots))
    if (is_variable(graph, id) && graph.order_of(id) > 0) found[graph.variable_of(id).at()] = true;
  return found;
}

// By equation: the variables and derivatives that an equation of motion holds; nothing of another equation.
std::vector<std::vector<Partial>> leaves_of_motions(const DaeSystem& system) {
  const ExprGraph& graph = *system.graph;
  std::vector<NodeId> kept;
  for (const Equation& equation : system.equations)
    if (equation.keep) kept.push_back(equation.residual);
  const std::vector<std::vector<NodeId>> leaves = leaves_of_each(graph, kept);
  std::vector<std::vector<Partial>> result(system.equations.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (!system.equations[i].keep) continue;
    const std::vector<NodeId>& held = leaves[next++];
    const bool moves = std::ranges::any_of(
        held, [&](NodeId leaf) { return is_variable(graph, leaf) && graph.order_of(leaf) >= 2; });
    for (const NodeId leaf : held)
      if (moves && is_variable(graph, leaf)) result[i].push_back({.leaf = leaf, .value = {}});
  }
  return result;
}

}  // namespace

Incidence incidence_of(const DaeSystem& system, const std::vector<bool>& excluded,
                       PartialsOfMotion partials) {
  Incidence result;
  result.column.assign(system.variables.size(), -1);
  for (std::size_t v = 0; v < system.variables.size(); ++v) {
    const bool out = v < excluded.size() && excluded[v];
    if (system.variables[v].kind != VariableKind::Continuous || out) continue;
    result.column[v] = static_cast<int>(result.unknowns.size());
    result.unknowns.emplace_back(v);
  }
  result.signature.variables = static_cast<int>(result.unknowns.size());
  result.rows.reserve(system.equations.size());
  Gradient gradient(
      *system.graph, [&](NodeId leaf) { return system.graph->node(leaf).op == Op::Variable; },
      Gradient::Memory::Keep);
  const bool few = partials == PartialsOfMotion::Highest;
  const std::vector<bool> differentiated = few ? has_derivative(system) : std::vector<bool>{};
  Gradient highest(*system.graph, [&](NodeId leaf) {
    return is_variable(*system.graph, leaf) &&
           (system.graph->order_of(leaf) >= 2 || !differentiated[system.graph->variable_of(leaf).at()]);
  });
  const auto motions = few ? leaves_of_motions(system) : std::vector<std::vector<Partial>>{};
  for (std::size_t i = 0; i < system.equations.size(); ++i) {
    const Equation& equation = system.equations[i];
    if (few && !motions[i].empty()) {
      result.rows.push_back(highest(equation.residual));
      result.signature.add_row(signature_row(*system.graph, motions[i], result.column));
      continue;
    }
    result.rows.push_back(gradient(equation.residual));
    result.signature.add_row(signature_row(*system.graph, result.rows.back(), result.column));
  }
  return result;
}

std::vector<bool> output_only(const ExprGraph& graph, const Incidence& incidence) {
  std::vector<int> occurrences(incidence.unknowns.size(), 0);
  std::vector<bool> explicit_once(incidence.unknowns.size(), false);
  for (const std::vector<Partial>& row : incidence.rows) {
    for (const Partial& partial : row) {
      const int column = incidence.column[graph.variable_of(partial.leaf).at()];
      if (column < 0) continue;
      const auto j = static_cast<std::size_t>(column);
      explicit_once[j] =
          ++occurrences[j] == 1 && graph.order_of(partial.leaf) == 0 && graph.is_constant(partial.value);
    }
  }
  return explicit_once;
}

}  // namespace daedalus
