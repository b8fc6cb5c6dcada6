#include "reform/incidence.hpp"

#include <algorithm>

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

}  // namespace

Incidence incidence_of(const DaeSystem& system, const std::vector<bool>& excluded) {
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
  for (const Equation& equation : system.equations) {
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
