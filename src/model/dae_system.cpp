#include "model/dae_system.hpp"

#include <fmt/format.h>

namespace daedalus {

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
