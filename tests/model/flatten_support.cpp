#include "model/flatten_support.hpp"

#include <algorithm>

namespace daedalus::test {
namespace {

Result<DaeSystem> load_with(const std::shared_ptr<SourceMap>& sources, std::string text,
                            const std::vector<ParameterSetting>& settings, bool remove_aliases) {
  const std::int32_t file = sources->add("m.mo", std::move(text));
  return load_model(sources, file, {.settings = settings, .remove_aliases = remove_aliases});
}

}  // namespace

std::string messages(const Result<DaeSystem>& result, const SourceMap& sources) {
  return result ? std::string{} : render(result.error(), sources);
}

DaeSystem load(std::string text, const std::vector<ParameterSetting>& settings, bool remove_aliases) {
  const auto sources = std::make_shared<SourceMap>();
  Result<DaeSystem> result = load_with(sources, std::move(text), settings, remove_aliases);
  EXPECT_TRUE(result.has_value()) << messages(result, *sources);
  if (result) return std::move(*result);
  DaeSystem empty;
  empty.graph = std::make_shared<ExprGraph>();
  empty.sources = sources;
  return empty;
}

std::string refusal(std::string text, const std::vector<ParameterSetting>& settings) {
  const auto sources = std::make_shared<SourceMap>();
  const Result<DaeSystem> result = load_with(sources, std::move(text), settings, true);
  EXPECT_FALSE(result.has_value()) << "the model was accepted";
  return messages(result, *sources);
}

double value(const DaeSystem& system, NodeId node, const Point& point) {
  return evaluate(*system.graph, node, [&](NodeId leaf) {
    const Node& n = system.graph->node(leaf);
    if (n.op == Op::Relation) {
      const Relation& relation = system.relations.at(static_cast<std::size_t>(n.args[0]));
      const double difference = value(system, relation.difference, point);
      return (relation.strict ? difference > 0 : difference >= 0) ? 1.0 : 0.0;
    }
    const std::string name = leaf_name(system, leaf);
    const auto found = point.find(name);
    EXPECT_NE(found, point.end()) << "no value for " << name;
    return found == point.end() ? 0.0 : found->second;
  });
}

double residual(const DaeSystem& system, std::size_t i, const Point& point) {
  EXPECT_LT(i, system.equations.size());
  return i < system.equations.size() ? value(system, system.equations[i].residual, point) : 0;
}

double number(const std::string& expression, const std::string& declarations, const Point& point) {
  const DaeSystem system =
      load("model M\n" + declarations + "\nReal result_;\nequation\nresult_ = " + expression + ";\nend M;");
  Point all = point;
  all["result_"] = 0;
  return system.equations.empty() ? 0 : -value(system, system.equations.back().residual, all);
}

std::vector<double> numbers(const std::string& expression, const std::string& size,
                            const std::string& declarations, const Point& point) {
  const DaeSystem system = load("model M\n" + declarations + "\nReal result_[" + size +
                                "];\nequation\nresult_ = " + expression + ";\nend M;");
  Point all = point;
  for (const Variable& v : system.variables) {
    if (v.name.starts_with("result_")) all[v.name] = 0;
  }
  std::vector<double> values;
  for (const Equation& e : system.equations) values.push_back(-value(system, e.residual, all));
  return values;
}

const Variable& variable(const DaeSystem& system, std::string_view name) {
  static const Variable none;
  const auto found = std::ranges::find(system.variables, name, &Variable::name);
  EXPECT_NE(found, system.variables.end()) << "no variable " << name;
  return found == system.variables.end() ? none : *found;
}

bool has_variable(const DaeSystem& system, std::string_view name) {
  return std::ranges::find(system.variables, name, &Variable::name) != system.variables.end();
}

const ReportedValue& reported(const DaeSystem& system, std::string_view name) {
  static const ReportedValue none;
  const auto found = std::ranges::find_if(system.reported,
                                          [&](const ReportedValue& r) { return r.attributes.name == name; });
  EXPECT_NE(found, system.reported.end()) << name << " is not reported";
  return found == system.reported.end() ? none : *found;
}

double reported_number(const DaeSystem& system, std::string_view name) {
  const NodeId node = reported(system, name).value;
  if (!node.valid()) return 0;
  EXPECT_TRUE(system.graph->is_constant(node)) << name << " is no number";
  return system.graph->node(node).value;
}

NodeId assigned(const DaeSystem& system, std::string_view name) {
  for (const DiscreteStep& step : system.discrete_steps) {
    const auto* a = std::get_if<Assignment>(&step);
    if (a != nullptr && system.variables[a->target.at()].name == name) return a->value;
  }
  return {};
}

std::vector<const WhenClause*> when_clauses(const DaeSystem& system) {
  std::vector<const WhenClause*> clauses;
  for (const DiscreteStep& step : system.discrete_steps) {
    if (const auto* clause = std::get_if<WhenClause>(&step)) clauses.push_back(clause);
  }
  return clauses;
}

}  // namespace daedalus::test
