// The scalar variables of the system.
#include <algorithm>

#include "model/flatten/arrays.hpp"
#include "model/flatten/declarations.hpp"
#include "model/flatten/evaluate.hpp"
#include "model/flatten/functions.hpp"

namespace daedalus::flatten {
namespace {

using ast::Component;

VariableKind kind_of(const Symbol& symbol, const Type& type, SourceSpan span) {
  if (symbol.role == Role::Unknown) return VariableKind::Parameter;
  switch (type.base) {
    case BaseType::Real:
      return symbol.declaration->variability == ast::Variability::Discrete ? VariableKind::DiscreteReal
                                                                           : VariableKind::Continuous;
    case BaseType::Integer:
    case BaseType::Enumeration:
      return VariableKind::Integer;
    case BaseType::Boolean:
      return VariableKind::Boolean;
    default:
      raise(span, "'{}' is {}; only parameters and constants can be that", symbol.name, type_text(type));
  }
}

// A top-level input that the model itself gives no value.
bool is_input(const Symbol& symbol) {
  return symbol.role == Role::Variable && symbol.declaration->causality == ast::Causality::Input &&
         symbol.declaration->binding < 0 && holds_nodes(symbol.declared.type);
}

ValueType value_type(VariableKind kind) {
  if (kind == VariableKind::Integer) return ValueType::Integer;
  return kind == VariableKind::Boolean ? ValueType::Boolean : ValueType::Real;
}

// Makes the scalars of a leaf, named prefix[subscripts].
Instance declare_leaf(Session& session, const Symbol& symbol, const Component& component, const Type& type,
                      Shape shape, const std::string& prefix) {
  const std::size_t count = element_count(shape);
  std::vector<Variable>& variables = session.system.variables;
  check_variables(session, count, component.span);
  Variable variable;
  variable.kind = kind_of(symbol, type, component.span);
  const bool given = is_input(symbol);
  if (given) variable.type = value_type(variable.kind);
  if (type.base == BaseType::Enumeration) variable.start = 1;  // its first literal (Modelica 4.9.5)
  variable.description = component.description;
  variable.span = component.span;
  Instance leaf{.type = type,
                .shape = std::move(shape),
                .first = static_cast<std::int32_t>(variables.size()),
                .parts = {}};
  for (std::size_t i = 0; i < count; ++i) {
    variable.name = prefix + subscript_text(leaf.shape, i);
    variables.push_back(variable);
    if (given && !has_course(session, variable.name)) variables.back().kind = VariableKind::Input;
  }
  return leaf;
}

class RecordDeclaration {
 public:
  RecordDeclaration(Session& session, const Symbol& symbol) : session_(session), symbol_(symbol) {}

  Instance declare(const Type& type, const Shape& shape, const std::string& prefix,
                   const Modifications& outer) {
    const Nesting nesting(session_, symbol_.declaration->span);
    Instance instance{.type = type, .shape = shape, .first = -1, .parts = {}};
    const std::size_t count = element_count(shape);
    for (std::size_t i = 0; i < count; ++i) {
      for (const Component& field : type.definition->node->components) {
        instance.parts.push_back(
            declare_field(*type.definition, field, prefix + subscript_text(shape, i), outer));
      }
    }
    return instance;
  }

 private:
  Instance declare_field(const ClassInfo& definition, const Component& field, const std::string& prefix,
                         const Modifications& outer) {
    const ResolvedType resolved = resolve_type(session_.classes, field.type, field.span);
    Frame frame{.session = session_, .tree = definition.tree, .place = Place::Declaration, .events = false};
    const std::optional<Shape> shape = declared_shape(frame, field, resolved);
    if (!shape) raise(field.span, "the size of the field '{}' is not given", field.name);
    const std::string name = prefix + "." + field.name;
    // r(a(start = 1)) reaches into the field a.
    Modifications inner;
    FoundModifier binding;
    for (const Modification& modification : outer) {
      for (const ast::Modifier& modifier : *modification.modifiers) {
        if (modifier.name != field.name) continue;
        inner.push_back({modification.tree, &modifier.nested});
        if (modifier.value >= 0 && binding.modifier == nullptr) binding = {modification.tree, &modifier};
      }
    }
    inner.push_back({definition.tree, &field.modifiers});
    for (const ResolvedType::Layer& layer : resolved.layers)
      inner.push_back({layer.tree, &layer.node->base_modifiers});
    if (resolved.type.base == BaseType::Record) return declare(resolved.type, *shape, name, inner);
    Instance leaf = declare_leaf(session_, symbol_, field, resolved.type, *shape, name);
    set_attributes(session_, leaf, inner);
    if (symbol_.declaration->binding < 0) bind(definition, field, leaf, binding);
    return leaf;
  }

  // The field's own value: from the modification, else from the record's definition.
  void bind(const ClassInfo& definition, const Component& field, const Instance& leaf,
            const FoundModifier& given) {
    if (given.modifier != nullptr) {
      session_.field_bindings.push_back({leaf, given.tree, given.modifier->value, given.modifier->span});
    } else if (field.binding >= 0) {
      session_.field_bindings.push_back({leaf, definition.tree, field.binding, field.span});
    }
  }

  Session& session_;
  const Symbol& symbol_;
};

void add_report_names(Session& session, const Instance& instance) {
  if (instance.type.base == BaseType::Record) {
    for (const Instance& part : instance.parts) add_report_names(session, part);
    return;
  }
  if (instance.first < 0) return;  // its declaration has failed
  for (std::size_t i = 0; i < element_count(instance.shape); ++i) {
    session.system.report_order.push_back(
        session.system.variables[static_cast<std::size_t>(instance.first) + i].name);
  }
}

}  // namespace

void declare_instance(Session& session, Symbol& symbol) {
  const Type& type = symbol.declared.type;
  if (type.base == BaseType::Record) {
    symbol.instance =
        RecordDeclaration(session, symbol).declare(type, symbol.shape, symbol.name, modifications_of(symbol));
    return;
  }
  symbol.instance = declare_leaf(session, symbol, *symbol.declaration, type, symbol.shape, symbol.name);
}

void declare_variables(Session& session) {
  // Unknown parameters are there already, since other declarations may mention them.
  for (Symbol& symbol : session.symbols) {
    try {
      if (symbol.role == Role::Variable) declare_instance(session, symbol);
    } catch (const ModelError& error) {
      report(session, error);
    }
  }
  for (const Symbol& symbol : session.symbols) {
    if (symbol.role != Role::Variable && symbol.role != Role::Unknown) continue;
    try {
      if (symbol.declared.type.base != BaseType::Record && symbol.instance.first >= 0) {
        set_attributes(session, symbol.instance, modifications_of(symbol));
      }
    } catch (const ModelError& error) {
      report(session, error);
    }
    add_report_names(session, symbol.instance);
  }
}

}  // namespace daedalus::flatten
