#include "drive/input_course.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/options.hpp"
#include "model/rebuild.hpp"

namespace daedalus {
namespace {

constexpr std::string_view begin_of = "begin of the piece of ";
constexpr std::string_view scale_of = "1/length of the piece of ";

std::string coefficient_name(std::size_t k, std::string_view input) {
  return fmt::format("coefficient {} of the piece of {}", k, input);
}

VariableId find(const DaeSystem& system, std::string_view name) {
  const auto found = std::ranges::find(system.variables, name, &Variable::name);
  return found == system.variables.end()
             ? VariableId()
             : VariableId(static_cast<std::size_t>(found - system.variables.begin()));
}

// The input of that name, which a function may drive.
Result<VariableId> find_input(const DaeSystem& system, std::string_view name) {
  const VariableId input = find(system, name);
  if (!input.valid() || system.variables[input.at()].kind != VariableKind::Input) {
    std::vector<std::string_view> known;
    for (const VariableId v : variables_of_kind(system, VariableKind::Input)) {
      if (!system.variables[v.at()].internal) known.push_back(system.variables[v.at()].name);
    }
    return fail(unknown_name_message("input", name, known));
  }
  const Variable& variable = system.variables[input.at()];
  if (variable.type != ValueType::Real)
    return fail(
        fmt::format("the input '{}' is not Real and cannot be a function of time: set it between steps, or "
                    "give it a table whose values are held",
                    name),
        variable.span);
  const ExprGraph& graph = *system.graph;
  for (std::size_t k = 0; k < graph.size(); ++k) {
    const Node& node = graph.node(NodeId(k));
    if (node.op == Op::Pre && node.args[0] == input.value)
      return fail(
          fmt::format("the input '{}' cannot be a function of time, because the model asks for pre({}), and "
                      "that is known only of inputs that change at events: set it between steps",
                      name, name),
          variable.span);
  }
  return input;
}

VariableId add_given(DaeSystem& system, std::string name, double start) {
  const VariableId id(system.variables.size());
  Variable made;
  made.name = std::move(name);
  made.kind = VariableKind::Input;
  made.internal = true;
  made.start = start;
  system.variables.push_back(std::move(made));
  return id;
}

// c_0 + (s - s_0) (c_1 + (s - s_1) (…)), s = (time - begin) scale.
NodeId polynomial(DaeSystem& system, VariableId input) {
  const Variable attributes = system.variables[input.at()];
  ExprGraph& graph = *system.graph;
  const NodeId begin = graph.discrete(add_given(system, std::string(begin_of) + attributes.name, 0));
  const NodeId scale = graph.discrete(add_given(system, std::string(scale_of) + attributes.name, 1));
  const NodeId s = graph.mul(graph.sub(graph.time(), begin), scale);
  NodeId sum;
  for (std::size_t k = FunctionPiece::size; k-- > 0;) {
    const VariableId id =
        add_given(system, coefficient_name(k, attributes.name), k == 0 ? attributes.start : 0);
    if (k == 0) system.variables.back().start_value = attributes.start_value;
    const NodeId coefficient = graph.discrete(id);
    sum = sum.valid() ? graph.add(coefficient,
                                  graph.mul(graph.sub(s, graph.constant(FunctionPiece::nodes()[k])), sum))
                      : coefficient;
  }
  return sum;
}

}  // namespace

Result<DaeSystem> with_input_courses(const DaeSystem& system, std::span<const std::string> names) {
  DaeSystem grown = deep_copy(system);
  const std::vector<InputCourse> present = input_courses(system);
  std::vector<std::pair<VariableId, NodeId>> replaced;
  for (const std::string& name : names) {
    if (std::ranges::find(present, name, &InputCourse::name) != present.end()) continue;
    const auto input = find_input(grown, name);
    if (!input) return std::unexpected(input.error());
    const bool twice = std::ranges::any_of(replaced, [&](const auto& one) { return one.first == *input; });
    if (!twice) replaced.emplace_back(*input, polynomial(grown, *input));
  }
  if (replaced.empty()) return grown;
  Replacements replacements(grown.variables.size());
  replacements.varies.assign(grown.variables.size(), false);
  for (const auto& [input, value] : replaced) {
    replacements.value[input.at()] = value;
    replacements.varies[input.at()] = true;
    Variable attributes = grown.variables[input.at()];
    attributes.kind = VariableKind::Continuous;
    attributes.start_value = {};
    grown.reported.push_back({.attributes = std::move(attributes), .value = value});
  }
  DaeSystem made = rebuilt(grown, replacements);
  for (std::size_t k = 0; k < made.equations.size(); ++k) made.equations[k].keep = grown.equations[k].keep;
  return made;
}

std::vector<InputCourse> input_courses(const DaeSystem& system) {
  std::vector<InputCourse> courses;
  for (std::size_t v = 0; v < system.variables.size(); ++v) {
    const std::string_view name = system.variables[v].name;
    if (system.variables[v].kind != VariableKind::Input || !system.variables[v].internal ||
        !name.starts_with(begin_of))
      continue;
    InputCourse course{.name = std::string(name.substr(begin_of.size())), .begin = VariableId(v)};
    course.scale = find(system, std::string(scale_of) + course.name);
    for (std::size_t k = 0; k < FunctionPiece::size; ++k)
      course.coefficients.push_back(find(system, coefficient_name(k, course.name)));
    courses.push_back(std::move(course));
  }
  return courses;
}

}  // namespace daedalus
