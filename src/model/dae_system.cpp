#include "model/dae_system.hpp"

#include <fmt/format.h>

namespace daedalus {

DaeSystem deep_copy(const DaeSystem& system) {
  DaeSystem copy = system;
  copy.graph = std::make_shared<ExprGraph>(*system.graph);
  return copy;
}

std::vector<VariableId> variables_of_kind(const DaeSystem& system, VariableKind kind) {
  std::vector<VariableId> found;
  for (std::size_t v = 0; v < system.variables.size(); ++v) {
    if (system.variables[v].kind == kind) found.emplace_back(v);
  }
  return found;
}

Diagnostics input_warnings(const DaeSystem& system) {
  Diagnostics warnings;
  for (const VariableId id : variables_of_kind(system, VariableKind::Input)) {
    const Variable& input = system.variables[id.at()];
    warnings.push_back(
        {.severity = Severity::Warning,
         .message = fmt::format("the input '{}' has no value; it is held at its start value", input.name),
         .span = input.span,
         .related = {}});
  }
  return warnings;
}

double value_at_starts(const DaeSystem& system, NodeId expression) {
  return evaluate(*system.graph, expression, [&](NodeId leaf) {
    const Node& node = system.graph->node(leaf);
    return node.op == Op::Discrete ? system.variables[static_cast<std::size_t>(node.args[0])].start : 0.0;
  });
}

std::string derivative_name(const std::string& name, int order) {
  if (order == 0) return name;
  if (order == 1) return fmt::format("der({})", name);
  return fmt::format("der({}, {})", name, order);
}

std::string leaf_name(const DaeSystem& system, NodeId leaf) {
  const Node& node = system.graph->node(leaf);
  const auto variable = [&] { return system.variables[static_cast<std::size_t>(node.args[0])].name; };
  switch (node.op) {
    case Op::Time:
      return std::string(time_name);
    case Op::Variable:
      return derivative_name(variable(), node.args[1]);
    case Op::Discrete:
      return variable();
    case Op::Pre:
      return fmt::format("pre({})", variable());
    case Op::Relation: {
      const Relation& relation = system.relations[static_cast<std::size_t>(node.args[0])];
      return fmt::format("({} {} 0)", expression_text(system, relation.difference),
                         relation.strict ? ">" : ">=");
    }
    case Op::Sample: {
      const SampleClock& clock = system.samples[static_cast<std::size_t>(node.args[0])];
      return fmt::format("sample({}, {})", clock.start, clock.interval);
    }
    case Op::Initial:
      return "initial()";
    default:
      return "?";
  }
}

std::string expression_text(const DaeSystem& system, NodeId expression) {
  return to_text(*system.graph, expression, [&](NodeId leaf) { return leaf_name(system, leaf); });
}

std::string equation_text(const DaeSystem& system, const Equation& equation) {
  // What a mechanism's equation says has no text of its own in the file.
  if (equation.keep && !equation.label.empty())
    return equation.span.valid()
               ? fmt::format("{} ({})", equation.label, system.sources->place(equation.span))
               : equation.label;
  if (equation.span.valid()) {
    const std::string with = equation.label.empty() ? "" : fmt::format(" with {}", equation.label);
    return fmt::format("{}{} ({})", system.sources->excerpt(equation.span), with,
                       system.sources->place(equation.span));
  }
  if (!equation.label.empty()) return equation.label;
  return expression_text(system, equation.residual) + " = 0";
}

}  // namespace daedalus
