// start, fixed, min, max, nominal, unit, stateSelect.
#include <algorithm>
#include <array>
#include <cmath>

#include "model/flatten/declarations.hpp"
#include "model/flatten/evaluate.hpp"

namespace daedalus::flatten {
namespace {

constexpr std::array ignored{"quantity", "displayUnit", "unbounded", "uncertain"};

struct AttributeFrame {
  Session& session;
  const Instance& leaf;
  FoundModifier found;

  [[nodiscard]] const std::string& name() const {
    return session.system.variables[static_cast<std::size_t>(leaf.first)].name;
  }
};

// The attribute's value, checked against the leaf's shape.
Value attribute_value(const AttributeFrame& at, BaseType type) {
  Frame frame{.session = at.session, .tree = at.found.tree, .place = Place::Declaration, .events = false};
  Value value = evaluate(frame, at.found.modifier->value);
  const SourceSpan span = at.found.modifier->span;
  const bool fits =
      value.type.base == type || (type == BaseType::Real && value.type.base == BaseType::Integer);
  if (!fits) {
    raise(span, "the attribute '{}' of '{}' is {}, but this is {}", at.found.modifier->name, at.name(),
          type_text(Type{type}), type_text(value));
  }
  if (is_array(value) && shape_of(value) != at.leaf.shape) {
    raise(span, "the attribute '{}' has size {}, but '{}' has size {}", at.found.modifier->name,
          shape_text(shape_of(value)), at.name(), shape_text(at.leaf.shape));
  }
  return value;
}

// Applies `set(variable, node)` to every scalar of the leaf.
template <class F>
void for_scalars(const AttributeFrame& at, const Value& value, F&& set) {
  const auto nodes = nodes_of(value);
  const std::size_t count = element_count(at.leaf.shape);
  for (std::size_t i = 0; i < count; ++i) {
    const VariableId id(at.leaf.first + static_cast<std::int32_t>(i));
    set(id, nodes[is_array(value) ? i : 0]);
  }
}

double known(const AttributeFrame& at, NodeId node) {
  const ExprGraph& graph = at.session.graph();
  if (graph.is_constant(node)) return graph.node(node).value;
  const SourceSpan span = at.found.modifier->span;
  // 1e999 or 1/0 as a bound: no finite number, but a known one.
  if (leaves_of(graph, node).empty()) return daedalus::evaluate(graph, node, [](NodeId) { return 0.0; });
  raise_unknown(at.session, node, span,
                fmt::format("the attribute '{}' of '{}'", at.found.modifier->name, at.name()));
}

// Bounds and nominal values are taken at the default values of free parameters.
double known_at_defaults(const AttributeFrame& at, NodeId node) {
  const auto number = default_value(at.session, node);
  return number ? *number : known(at, node);
}

// A start value may depend on a parameter that the initialisation determines. Held, it is an equation of the
// initialisation; as a guess, the parameter's own guess must do.
void set_start(const AttributeFrame& at, const Value& value) {
  Session& session = at.session;
  for_scalars(at, value, [&](VariableId id, NodeId node) {
    Variable& variable = session.system.variables[id.at()];
    variable.has_start = true;
    if (session.graph().is_constant(node)) {
      variable.start = session.graph().node(node).value;
      return;
    }
    variable.start = daedalus::evaluate(session.graph(), node, [&](NodeId leaf) {
      const VariableId other = variable_of(session, leaf);
      return other.valid() ? session.system.variables[other.at()].start : 0.0;
    });
    if (!std::isfinite(variable.start)) {
      raise(at.found.modifier->span, "the start value of '{}' is {}", variable.name, variable.start);
    }
    if (depends_on_given_only(session, node)) {
      variable.start_value = node;
      return;
    }
    if (variable.fixed && !leaves_of(session.graph(), node).empty()) {
      variable.fixed = false;
      const NodeId residual = session.graph().sub(variable_node(session, id), node);
      session.system.initial_equations.push_back({.residual = residual,
                                                  .span = at.found.modifier->span,
                                                  .label = fmt::format("start of {}", variable.name)});
    }
  });
}

void set_numbers(const AttributeFrame& at) {
  const std::string& name = at.found.modifier->name;
  for_scalars(at, attribute_value(at, BaseType::Real), [&](VariableId id, NodeId node) {
    Variable& variable = at.session.system.variables[id.at()];
    const double number = known_at_defaults(at, node);
    if (name == "min") variable.min = number;
    if (name == "max") variable.max = number;
    if (name != "nominal") return;
    if (!std::isfinite(number) || !(number > 0)) {
      raise(at.found.modifier->span, "the nominal value of '{}' must be positive, but it is {}",
            variable.name, number);
    }
    variable.nominal = number;
    variable.has_nominal = true;
  });
}

void set_state_select(const AttributeFrame& at) {
  for_scalars(at, attribute_value(at, BaseType::Enumeration), [&](VariableId id, NodeId node) {
    const double position = known(at, node);
    const bool literal = position >= 1 && position <= 5;
    if (!literal) raise(at.found.modifier->span, "stateSelect is a literal of StateSelect");
    at.session.system.variables[id.at()].state_select =
        static_cast<StateSelect>(static_cast<int>(position) - 1);
  });
}

void set_unit(const AttributeFrame& at) {
  Frame frame{.session = at.session, .tree = at.found.tree, .place = Place::Declaration, .events = false};
  const Value value = evaluate(frame, at.found.modifier->value);
  if (value.type.base != BaseType::String)
    raise(at.found.modifier->span, "a unit is a String, but this is {}", type_text(value));
  const std::size_t count = element_count(at.leaf.shape);
  if (is_array(value) && element_count(shape_of(value)) != count) {
    raise(at.found.modifier->span, "{} units are given for {} elements", element_count(shape_of(value)),
          count);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Value one = is_array(value) ? element(value, i) : value;
    at.session.system.variables[static_cast<std::size_t>(at.leaf.first) + i].unit = text_of(one);
  }
}

void check_bounds(const Session& session, const Instance& leaf) {
  for (std::size_t i = 0; i < element_count(leaf.shape); ++i) {
    const Variable& v = session.system.variables[static_cast<std::size_t>(leaf.first) + i];
    if (v.min > v.max) raise(v.span, "'{}' has min = {}, which is above its max = {}", v.name, v.min, v.max);
  }
}

void check_names(const Modifications& all, const std::string& name) {
  static constexpr std::array known_names{"start", "fixed", "min", "max", "nominal", "unit", "stateSelect"};
  for (const Modification& modification : all) {
    for (const ast::Modifier& modifier : *modification.modifiers) {
      const auto same = [&](const char* known) { return modifier.name == known; };
      if (std::ranges::any_of(known_names, same) || std::ranges::any_of(ignored, same)) continue;
      const std::vector<std::string_view> candidates(known_names.begin(), known_names.end());
      raise(modifier.span, "'{}' has no attribute '{}'{}", name, modifier.name,
            did_you_mean(modifier.name, candidates));
    }
  }
}

}  // namespace

FoundModifier find_modifier(const Modifications& all, std::string_view name) {
  for (const Modification& modification : all) {
    for (const ast::Modifier& modifier : *modification.modifiers) {
      if (modifier.name == name && modifier.value >= 0) return {modification.tree, &modifier};
    }
  }
  return {};
}

Modifications modifications_of(const Symbol& symbol) {
  Modifications all{{symbol.tree, &symbol.declaration->modifiers}};
  for (const ResolvedType::Layer& layer : symbol.declared.layers)
    all.push_back({layer.tree, &layer.node->base_modifiers});
  return all;
}

void set_attributes(Session& session, const Instance& leaf, const Modifications& all) {
  if (element_count(leaf.shape) == 0) return;
  check_names(all, session.system.variables[static_cast<std::size_t>(leaf.first)].name);
  const auto at = [&](std::string_view name) {
    return AttributeFrame{session, leaf, find_modifier(all, name)};
  };
  if (const auto fixed = at("fixed"); fixed.found.modifier != nullptr) {
    for_scalars(fixed, attribute_value(fixed, BaseType::Boolean), [&](VariableId id, NodeId node) {
      session.system.variables[id.at()].fixed = known(fixed, node) != 0;
    });
  }
  if (const auto start = at("start"); start.found.modifier != nullptr) {
    const BaseType type = leaf.type.base == BaseType::Enumeration ? BaseType::Enumeration : leaf.type.base;
    set_start(start, attribute_value(start, type));
  }
  for (const char* name : {"min", "max", "nominal"}) {
    if (leaf.type.base == BaseType::Enumeration) break;
    if (const auto number = at(name); number.found.modifier != nullptr) set_numbers(number);
  }
  check_bounds(session, leaf);
  if (const auto select = at("stateSelect"); select.found.modifier != nullptr) set_state_select(select);
  if (const auto unit = at("unit"); unit.found.modifier != nullptr) set_unit(unit);
}

}  // namespace daedalus::flatten
