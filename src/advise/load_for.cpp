#include <algorithm>

#include "advise/plan.hpp"
#include "expr/traverse.hpp"
#include "structure/matching.hpp"

namespace daedalus {
namespace {

// Whether each equation can be given an unknown of its own, by which variables occur where. Not so where r =
// const has been put into constraints that depend on it: they say nothing any more, and multipliers are left
// over.
bool every_equation_has_an_unknown(const DaeSystem& system) {
  const ExprGraph& graph = *system.graph;
  std::vector<NodeId> residuals;
  for (const Equation& equation : system.equations) residuals.push_back(equation.residual);
  Signature signature;
  signature.variables = static_cast<int>(system.variables.size());
  std::vector<SignatureEntry> row;
  for (const std::vector<NodeId>& leaves : leaves_of_each(graph, residuals)) {
    row.clear();
    for (const NodeId leaf : leaves) {
      if (graph.node(leaf).op == Op::Variable)
        row.push_back({.variable = static_cast<int>(graph.variable_of(leaf).at()), .order = 0});
    }
    std::ranges::sort(row, {}, &SignatureEntry::variable);
    const auto repeated = std::ranges::unique(row, {}, &SignatureEntry::variable);
    row.erase(repeated.begin(), repeated.end());
    signature.add_row(row);
  }
  const MaximumMatching found = maximum_matching(signature);
  return std::ranges::none_of(found.matching.variable_of_equation, [](int variable) { return variable < 0; });
}

}  // namespace

Result<DaeSystem> load_for(const Selection& formulation, const ModelLoader& load) {
  auto plain = load(false);
  if (!plain) return plain;
  const FormulationRow* row = find_formulation(formulation.name());
  // auto takes the smaller model, unless that cannot be solved.
  if (row == nullptr ? every_equation_has_an_unknown(*plain) : row->any_dae) return plain;
  auto kept = load(true);
  if (!kept || kept->equations.size() == plain->equations.size() || !recognise_constrained_form(*kept))
    return plain;
  return kept;
}

}  // namespace daedalus
