#include "model/flatten/functions.hpp"

#include <algorithm>

#include "model/flatten/arrays.hpp"
#include "model/flatten/calls.hpp"
#include "model/flatten/evaluate.hpp"
#include "model/flatten/statements.hpp"

namespace daedalus::flatten {
namespace {

using ast::Component;
using ast::Expr;

// A value that has a type and a size but no contents yet.
Value blank(Frame& frame, const Type& type, const Shape& shape, SourceSpan span) {
  const std::size_t count = element_count(shape);
  check_size(frame.session, count, span);
  count_work(frame.session, count, span);
  if (holds_nodes(type)) return array(type, shape, std::vector<NodeId>(count));
  if (type.base != BaseType::Record) {
    return shape.empty()
               ? Value{.type = type, .node = {}, .more = nullptr}
               : array_of_parts(type, shape,
                                std::vector<Value>(count, Value{.type = type, .node = {}, .more = nullptr}));
  }
  const Nesting nesting(frame.session, span);
  std::vector<Value> fields;
  const Scoped<const ast::Ast*> tree(frame.tree, type.definition->tree);
  for (const Component& field : type.definition->node->components) {
    const ResolvedType resolved = resolve_type(frame.session.classes, field.type, field.span);
    fields.push_back(
        blank(frame, resolved.type, declared_shape(frame, field, resolved).value_or(Shape{}), field.span));
  }
  const Value one = record(type.definition, std::move(fields));
  return array_of_parts(type, shape, std::vector<Value>(count, one));
}

class LocalMemory : public Memory {
 public:
  explicit LocalMemory(LocalScope& scope) : scope_(&scope) {}

  void assign(Frame& frame, const ast::Expr& target, const Value& value, NodeId skip) override {
    if (target.kind != ast::ExprKind::Name) raise(target.span, "only a variable can be assigned to");
    Local* local = find_local(*scope_, target.parts[0].name);
    if (local == nullptr) raise(target.span, "'{}' is not a variable of this function", joined_name(target));
    if (local->declaration->causality == ast::Causality::Input) {
      raise(target.span, "'{}' is an input; a function cannot assign to its inputs", local->name);
    }
    const auto slot = static_cast<std::int32_t>(local - scope_->locals.data());
    const bool all = target.parts.size() == 1 && target.parts[0].subscripts.empty();
    const bool unconditional = !skip.valid() || frame.graph().is_constant(skip, 0);
    if (!all && !on_trial()) {  // nobody else needs the old value: change it in place
      assign_part(frame, local->value, target.parts, value, skip, target.span);
      return;
    }
    Value next = local->value;
    if (all && (unconditional || !next.defined())) {
      next = converted(value, local->declared.type, local->shape, target.span, local->name);
    } else {
      assign_part(frame, next, target.parts, value, skip, target.span);
    }
    put(frame, slot, std::move(next));
  }

  void call(Frame& frame, const ast::Expr& e) override {
    const std::string name = joined_name(e);
    if (has_no_effect(name)) return;
    (void)frame;
    raise(e.span, "the function '{}' is called for an effect only; this is not supported", name);
  }

  Value get(Frame& /*frame*/, std::int32_t slot) override { return stored(slot); }

 protected:
  void store(std::int32_t slot, Value value) override {
    scope_->locals[static_cast<std::size_t>(slot)].value = std::move(value);
  }
  [[nodiscard]] Value stored(std::int32_t slot) const override {
    return scope_->locals[static_cast<std::size_t>(slot)].value;
  }

 private:
  LocalScope* scope_;
};

// Pairs the arguments with the inputs; null where nothing is given.
std::vector<const Argument*> paired(std::span<const Component* const> inputs,
                                    std::span<const Argument> arguments, std::string_view function,
                                    SourceSpan span) {
  std::vector<const Argument*> given(inputs.size(), nullptr);
  std::size_t next = 0;
  for (const Argument& argument : arguments) {
    std::size_t at = next;
    if (argument.name.empty()) {
      if (next >= inputs.size()) {
        raise(argument.span, "'{}' takes {} arguments, but more are given", function, inputs.size());
      }
      ++next;
    } else {
      at = static_cast<std::size_t>(std::ranges::find(inputs, argument.name, &Component::name) -
                                    inputs.begin());
      if (at == inputs.size()) {
        std::vector<std::string_view> known;
        for (const Component* input : inputs) known.emplace_back(input->name);
        raise(argument.span, "'{}' has no argument '{}'{}", function, argument.name,
              did_you_mean(argument.name, known));
      }
    }
    if (given[at] != nullptr) raise(argument.span, "the argument '{}' is given twice", inputs[at]->name);
    given[at] = &argument;
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (given[i] == nullptr && inputs[i]->binding < 0) {
      raise(span, "the argument '{}' of '{}' is missing", inputs[i]->name, function);
    }
  }
  return given;
}

std::size_t rank(const Component& component, const ResolvedType& type) {
  std::size_t count = component.dimensions.size();
  for (const ResolvedType::Layer& layer : type.layers) count += layer.node->base_dimensions.size();
  return count;
}

// A function of scalars called with arrays is called for every element (Modelica 12.4.6).
std::optional<std::vector<Value>> vectorised(Frame& caller, const ClassInfo& function,
                                             std::span<const Argument> arguments, SourceSpan span) {
  std::vector<const Component*> inputs;
  for (const Component& c : function.node->components) {
    if (c.causality == ast::Causality::Input) inputs.push_back(&c);
  }
  std::optional<Shape> outer;
  std::vector<bool> spread(arguments.size(), false);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto input =
        arguments[i].name.empty()
            ? (i < inputs.size() ? inputs.begin() + static_cast<std::ptrdiff_t>(i) : inputs.end())
            : std::ranges::find(inputs, arguments[i].name, &Component::name);
    if (input == inputs.end()) continue;
    const ResolvedType type = resolve_type(caller.session.classes, (*input)->type, (*input)->span);
    const Shape& shape = shape_of(arguments[i].value);
    const std::size_t expected = rank(**input, type);
    if (shape.size() <= expected) continue;
    const Shape leading(shape.begin(), shape.end() - static_cast<std::ptrdiff_t>(expected));
    if (outer && *outer != leading) {
      raise(span, "the arrays given to '{}' have different sizes: {} and {}", function.name,
            shape_text(*outer), shape_text(leading));
    }
    outer = leading;
    spread[i] = true;
  }
  if (!outer) return std::nullopt;
  const std::size_t count = element_count(*outer);
  std::vector<std::vector<Value>> results;
  for (std::size_t k = 0; k < count; ++k) {
    std::vector<Argument> each(arguments.begin(), arguments.end());
    for (std::size_t i = 0; i < each.size(); ++i) {
      if (!spread[i]) continue;
      const Shape& shape = shape_of(each[i].value);
      Shape flat(shape.begin() + static_cast<std::ptrdiff_t>(outer->size()), shape.end());
      flat.insert(flat.begin(), static_cast<std::int32_t>(count));
      each[i].value = slice(reshaped(each[i].value, flat), k);
    }
    results.push_back(call_function(caller, function, each, span));
  }
  std::vector<Value> outputs;
  for (std::size_t o = 0; !results.empty() && o < results[0].size(); ++o) {
    std::vector<Value> column;
    for (const auto& result : results) column.push_back(result[o]);
    Value all = stacked(column, span);
    Shape shape = *outer;
    shape.insert(shape.end(), shape_of(all).begin() + 1, shape_of(all).end());
    outputs.push_back(reshaped(all, std::move(shape)));
  }
  return outputs;
}

// Declares the variables of a function in their order; inputs get their arguments.
void declare_locals(Frame& frame, const ClassInfo& function, std::span<const Argument> arguments,
                    SourceSpan span) {
  std::vector<const Component*> inputs;
  for (const Component& c : function.node->components) {
    if (c.causality == ast::Causality::Input) inputs.push_back(&c);
  }
  const std::vector<const Argument*> given = paired(inputs, arguments, function.name, span);
  // Inputs first: sizes of other variables may depend on any of them.
  std::vector<const Component*> order = inputs;
  for (const Component& c : function.node->components) {
    if (c.causality != ast::Causality::Input) order.push_back(&c);
  }
  frame.locals->locals.reserve(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Component& c = *order[i];
    const Argument* argument = i < inputs.size() ? given[i] : nullptr;
    Local local{.name = c.name,
                .declaration = &c,
                .declared = resolve_type(frame.session.classes, c.type, c.span),
                .shape = std::nullopt,
                .value = {}};
    local.shape = declared_shape(frame, c, local.declared);
    if (argument != nullptr) {
      const std::string what = fmt::format("the argument '{}' of '{}'", c.name, function.name);
      local.value = converted(argument->value, local.declared.type, local.shape, argument->span, what);
      if (!local.shape && shape_of(local.value).size() != rank(c, local.declared)) {
        raise(argument->span, "{} has {} dimensions, but this is {}", what, rank(c, local.declared),
              type_text(argument->value));
      }
    } else if (c.binding >= 0) {
      local.value = converted(evaluate(frame, c.binding), local.declared.type, local.shape, c.span, c.name);
    } else if (local.shape) {
      local.value = blank(frame, local.declared.type, *local.shape, c.span);
    } else {
      local.value.type = local.declared.type;
    }
    frame.locals->locals.push_back(std::move(local));
  }
}

// The arguments of an external function that it fills, in their order: f(u, y) where y is an output.
std::vector<Local*> results_among(Frame& frame, const ast::Class& node) {
  std::vector<Local*> results;
  const auto output = [&](ast::ExprRef ref) -> Local* {
    if (ref < 0 || frame.expression(ref).kind != ast::ExprKind::Name) return nullptr;
    Local* local = find_local(*frame.locals, joined_name(frame.expression(ref)));
    return local != nullptr && local->declaration->causality == ast::Causality::Output ? local : nullptr;
  };
  if (Local* local = output(node.external_output); local != nullptr) results.push_back(local);
  for (const ast::ExprRef ref : node.external_arguments) {
    if (Local* local = output(ref); local != nullptr) results.push_back(local);
  }
  if (!results.empty()) return results;
  for (Local& local : frame.locals->locals) {
    if (local.declaration->causality == ast::Causality::Output) results.push_back(&local);
  }
  return results;
}

void run_external(Frame& frame, const ClassInfo& function, SourceSpan span) {
  const ast::Class& node = *function.node;
  const std::string& name = node.external_name.empty() ? node.name : node.external_name;
  if (!is_known_external(name)) {
    raise(span, "'{}' is the external {} function {}, which is not supported", function.name,
          node.external_language.empty() ? "C" : node.external_language, name);
  }
  const std::vector<Local*> results = results_among(frame, node);
  std::vector<Value> arguments;
  for (const ast::ExprRef ref : node.external_arguments) {
    const Expr& e = frame.expression(ref);
    const bool result =
        e.kind == ast::ExprKind::Name &&
        std::ranges::any_of(results, [&](const Local* local) { return local->name == joined_name(e); });
    if (!result) arguments.push_back(evaluate(frame, ref));
  }
  if (node.external_arguments.empty()) {
    for (const Local& local : frame.locals->locals) {
      if (local.declaration->causality == ast::Causality::Input) arguments.push_back(local.value);
    }
  }
  std::vector<Value> values = call_external(frame, name, arguments, span);
  for (std::size_t i = 0; i < std::min(values.size(), results.size()); ++i) {
    values[i].type = results[i]->declared.type;
    results[i]->value = std::move(values[i]);
  }
}

class CallLevel {
 public:
  CallLevel(Session& session, std::string_view function, SourceSpan span) : session_(&session) {
    if (session.calls >= session.limits.calls) {
      raise(span, "functions call each other more than {} deep; does '{}' call itself for ever?",
            session.limits.calls, function);
    }
    if (++session.function_calls > session.limits.function_calls) {
      raise(span,
            "the functions of the model are called more than {} times in all, which is the limit ('{}' is "
            "called "
            "here); does a function call itself more than once?",
            session.limits.function_calls, function);
    }
    ++session.calls;
  }
  ~CallLevel() { --session_->calls; }
  CallLevel(const CallLevel&) = delete;
  CallLevel& operator=(const CallLevel&) = delete;

 private:
  Session* session_;
};

}  // namespace

namespace {

// A record of another definition fits if it has the same fields by name (Modelica 6.3). Undefined: it does
// not.
Value as_record(const Value& value, const ClassInfo& definition) {
  const auto& fields = definition.node->components;
  const auto& own = value.type.definition->node->components;
  // A record put together from flat names knows no types, and may have fields that are not asked for.
  const bool declared = definition.tree != nullptr && value.type.definition->tree != nullptr;
  if ((declared && fields.size() != own.size()) || value.more == nullptr) return {};
  std::vector<std::size_t> position;
  for (const Component& field : fields) {
    const auto found = std::ranges::find(own, field.name, &Component::name);
    if (found == own.end() || (declared && found->type != field.type)) return {};
    position.push_back(static_cast<std::size_t>(found - own.begin()));
  }
  std::vector<Value> elements;
  for (std::size_t i = 0; i < element_count(shape_of(value)); ++i) {
    const Value one = element(value, i);
    std::vector<Value> parts;
    for (const std::size_t from : position) parts.push_back(one.more->parts[from]);
    elements.push_back(record(&definition, std::move(parts)));
  }
  return array_of_parts({BaseType::Record, &definition}, shape_of(value), std::move(elements));
}

}  // namespace

Value converted(Value value, const Type& type, const std::optional<Shape>& shape, SourceSpan span,
                std::string_view what) {
  if (value.type != type && type.base == BaseType::Record && value.type.base == BaseType::Record) {
    if (Value fitting = as_record(value, *type.definition); fitting.defined()) value = std::move(fitting);
  }
  const bool functions = type.base == BaseType::Function && value.type.base == BaseType::Function;
  if (value.type != type && !functions) {
    const bool empty_array = is_array(value) && element_count(shape_of(value)) == 0;
    const bool widens = type.base == BaseType::Real && value.type.base == BaseType::Integer;
    if (!widens && !empty_array) {
      const char* hint = type.base == BaseType::Integer && value.type.base == BaseType::Real
                             ? "; use integer(...) to round down"
                             : "";
      raise(span, "{} is {}, but this is {}{}", what, type_text(type), type_text(value), hint);
    }
    value.type = type;
  }
  if (shape && *shape != shape_of(value)) {
    raise(span, "{} has size {}, but this has size {}", what, shape_text(*shape),
          shape_text(shape_of(value)));
  }
  return value;
}

std::optional<Shape> declared_shape(Frame& frame, const Component& component, const ResolvedType& type) {
  Shape shape;
  bool open = false;
  const auto add = [&](ast::ExprRef ref) {
    if (frame.expression(ref).kind == ast::ExprKind::Colon) {
      open = true;
      return;
    }
    const SourceSpan span = frame.expression(ref).span;
    // Boolean and an enumeration as a dimension count their values.
    const ast::Expr& e = frame.expression(ref);
    if (e.kind == ast::ExprKind::Name) {
      const ClassInfo* enumeration = frame.session.classes.find(joined_name(e));
      if (enumeration != nullptr && !enumeration->literals.empty()) {
        shape.push_back(static_cast<std::int32_t>(enumeration->literals.size()));
        return;
      }
    }
    const std::int64_t size = evaluate_integer(frame, ref, fmt::format("the size of '{}'", component.name));
    if (size < 0) raise(span, "the size of '{}' is {}, but it cannot be negative", component.name, size);
    check_size(frame.session, static_cast<std::size_t>(size), span);
    shape.push_back(static_cast<std::int32_t>(size));
    check_size(frame.session, element_count(shape), span);
  };
  for (const ast::ExprRef ref : component.dimensions) add(ref);
  for (const ResolvedType::Layer& layer : type.layers) {
    const Scoped<const ast::Ast*> tree(frame.tree, layer.tree);
    for (const ast::ExprRef ref : layer.node->base_dimensions) add(ref);
  }
  if (open) return std::nullopt;
  return shape;
}

namespace {

std::vector<Value> run_function(Frame& caller, const ClassInfo& function, std::span<const Argument> arguments,
                                SourceSpan span) {
  if (auto outputs = vectorised(caller, function, arguments, span)) return *outputs;
  LocalScope scope;
  Frame frame{.session = caller.session,
              .tree = function.tree,
              .place = Place::Function,
              .events = false,
              .locals = &scope,
              .overlay = nullptr,
              .path = caller.path};
  declare_locals(frame, function, arguments, span);
  if (function.node->is_external) {
    run_external(frame, function, span);
  } else {
    LocalMemory memory(scope);
    Flow flow = start_flow(frame);
    for (const auto& section : function.node->sections.algorithms) execute(frame, memory, flow, section);
  }
  std::vector<Value> outputs;
  for (Local& local : scope.locals) {
    if (local.declaration->causality != ast::Causality::Output) continue;
    const bool missing =
        !local.value.defined() ||
        (holds_nodes(local.value.type) && !std::ranges::all_of(nodes_of(local.value), &NodeId::valid));
    if (missing) raise(span, "the function '{}' gives its output '{}' no value", function.name, local.name);
    outputs.push_back(std::move(local.value));
  }
  return outputs;
}

}  // namespace

std::vector<Value> call_function(Frame& caller, const ClassInfo& function,
                                 std::span<const Argument> arguments, SourceSpan span) {
  const CallLevel level(caller.session, function.name, span);
  if (!is_library_function(caller.session, function)) return run_function(caller, function, arguments, span);
  try {
    return run_function(caller, function, arguments, span);
  } catch (ModelError& error) {
    // The user's place is the call; our own text would not tell them anything.
    raise(span, "in '{}': {}", function.name, error.diagnostic.message);
  }
}

Value construct_record(Frame& caller, const ClassInfo& definition, std::span<const Argument> arguments,
                       SourceSpan span) {
  std::vector<const Component*> fields;
  for (const Component& c : definition.node->components) fields.push_back(&c);
  const std::vector<const Argument*> given = paired(fields, arguments, definition.name, span);
  LocalScope scope;
  Frame frame{.session = caller.session,
              .tree = definition.tree,
              .place = Place::Function,
              .events = false,
              .locals = &scope,
              .overlay = nullptr,
              .path = caller.path};
  std::vector<Value> values;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const Component& c = *fields[i];
    const ResolvedType type = resolve_type(caller.session.classes, c.type, c.span);
    const std::optional<Shape> shape = declared_shape(frame, c, type);
    const SourceSpan where = given[i] == nullptr ? c.span : given[i]->span;
    Value value = given[i] == nullptr ? evaluate(frame, c.binding) : given[i]->value;
    value = converted(std::move(value), type.type, shape, where, fmt::format("the field '{}'", c.name));
    values.push_back(value);
    scope.locals.push_back(
        {.name = c.name, .declaration = &c, .declared = type, .shape = shape, .value = std::move(value)});
  }
  return record(&definition, std::move(values));
}

}  // namespace daedalus::flatten
