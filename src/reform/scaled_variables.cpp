#include "reform/scaled_variables.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <unordered_map>

#include "expr/traverse.hpp"
#include "reform/system_expressions.hpp"

namespace daedalus {
namespace {

// Nominal values between its inverse and this are about 1.
constexpr double far_from_one = 3;
// Where no nominal value is given, a start value this large is one: three digits before ranks are judged by
// it wrongly (RankPolicy::square).
constexpr double large_start = 1e8;

double unit_of(const Variable& variable) {
  const bool by_start =
      !variable.has_nominal && variable.has_start && std::abs(variable.start) >= large_start;
  const double nominal = std::abs(by_start ? variable.start : variable.nominal);
  if (!(variable.has_nominal || by_start) || !std::isfinite(nominal) || nominal == 0) return 1;
  if (nominal < far_from_one && nominal > 1 / far_from_one) return 1;
  return std::pow(10.0, std::round(std::log10(nominal)));
}

}  // namespace

void scale_variables(RaisedSystem& raised) {
  DaeSystem& system = raised.system;
  ExprGraph& graph = *system.graph;
  const std::size_t count = system.variables.size();
  std::unordered_map<std::size_t, VariableId> scaled;
  std::vector<double> unit(count, 1);
  for (std::size_t v = 0; v < count; ++v) {
    if (system.variables[v].kind != VariableKind::Continuous || raised.eliminated[v]) continue;
    unit[v] = unit_of(system.variables[v]);
    if (unit[v] == 1) continue;
    Variable added = system.variables[v];
    added.name = fmt::format("{}/{:g}", added.name, unit[v]);
    added.internal = true;
    added.has_start = added.fixed = false;  // said of the variable itself
    added.start /= unit[v];
    added.start_value = {};
    added.nominal /= unit[v];
    added.min /= unit[v];
    added.max /= unit[v];
    system.variables.push_back(added);
    raised.eliminated.push_back(false);
    raised.eliminated[v] = true;
    scaled[v] = VariableId(system.variables.size() - 1);
  }
  if (scaled.empty()) return;
  for (LevelAlias& alias : raised.aliases) {
    const auto found = scaled.find(alias.target.at());
    if (found == scaled.end()) continue;
    alias.factor *= unit[alias.target.at()];
    alias.target = found->second;
  }
  for (const auto& [v, target] : scaled) {
    raised.aliases.push_back({.variable = VariableId(v), .target = target, .order = 0, .factor = unit[v]});
    system.reported.push_back(
        {.attributes = system.variables[v], .value = graph.variable(VariableId(v)), .parameter = false});
  }
  std::vector<NodeId> roots;
  for (const NodeId* slot : system_expressions(system)) roots.push_back(*slot);
  std::unordered_map<NodeId, NodeId> replacement;
  for (const NodeId id : topological_order(graph, roots)) {
    const Node& node = graph.node(id);
    if (node.op != Op::Variable) continue;
    const int order = node.args[1];
    const auto v = static_cast<std::size_t>(node.args[0]);
    if (const auto found = scaled.find(v); found != scaled.end())
      replacement[id] = graph.mul(graph.constant(unit[v]), graph.variable(found->second, order));
  }
  substitute_everywhere(system, replacement);
}

}  // namespace daedalus
