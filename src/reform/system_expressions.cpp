#include "reform/system_expressions.hpp"

namespace daedalus {

std::vector<NodeId*> system_expressions(DaeSystem& system) {
  std::vector<NodeId*> all;
  for (Equation& e : system.equations) all.push_back(&e.residual);
  for (Equation& e : system.initial_equations) all.push_back(&e.residual);
  for (Assignment& a : system.initial_assignments) all.push_back(&a.value);
  for (Relation& r : system.relations) all.push_back(&r.difference);
  for (DiscreteStep& step : system.discrete_steps) {
    if (auto* assignment = std::get_if<Assignment>(&step)) {
      all.push_back(&assignment->value);
      continue;
    }
    for (WhenBranch& branch : std::get<WhenClause>(step).branches) {
      for (NodeId& condition : branch.conditions) all.push_back(&condition);
      for (Assignment& a : branch.assignments) all.push_back(&a.value);
      for (Assignment& a : branch.reinits) all.push_back(&a.value);
    }
  }
  for (Assertion& a : system.assertions) all.push_back(&a.condition);
  for (ReportedValue& r : system.reported) all.push_back(&r.value);
  return all;
}

void substitute_everywhere(DaeSystem& system, const std::unordered_map<NodeId, NodeId>& replacement) {
  const std::vector<NodeId*> slots = system_expressions(system);
  std::vector<NodeId> roots;
  roots.reserve(slots.size());
  for (const NodeId* slot : slots) roots.push_back(*slot);
  const std::vector<NodeId> changed = substitute(*system.graph, roots, replacement);
  for (std::size_t i = 0; i < slots.size(); ++i) *slots[i] = changed[i];
}

}  // namespace daedalus
