// References: which symbol a name means, and what its subscripts and fields choose.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "model/flatten/arrays.hpp"
#include "model/flatten/components.hpp"
#include "model/flatten/evaluate.hpp"
#include "model/flatten/functions.hpp"

namespace daedalus::flatten {
namespace {

using ast::Expr;
using ast::ExprRef;
using ast::NamePart;
using Parts = std::span<const NamePart>;

std::string joined(Parts parts) {
  std::string text;
  for (const NamePart& part : parts) {
    if (!text.empty()) text += '.';
    text += part.name;
  }
  return text;
}

Session::FoundSymbol cached_look_up(Frame& frame, ExprRef ref) {
  Session& session = frame.session;
  const Parts parts = frame.expression(ref).parts;
  if (frame.tree != &session.tree) return look_up(session, parts);
  if (session.symbol_of_expression.size() < session.tree.expressions.size()) {
    session.symbol_of_expression.resize(session.tree.expressions.size());
  }
  Session::FoundSymbol& entry = session.symbol_of_expression[static_cast<std::size_t>(ref)];
  if (entry.symbol == -2) entry = look_up(session, parts);
  return entry;
}

// Combines the parts that a choice of elements of an array of records gave.
Value gathered(const std::vector<Value>& elements, const Shape& outer, SourceSpan span) {
  Value all = stacked(elements, span);
  Shape shape = outer;
  const Shape& inner = shape_of(all);
  shape.insert(shape.end(), inner.begin() + 1, inner.end());
  return reshaped(all, std::move(shape));
}

Value access(Frame& frame, const Value& value, Parts parts, SourceSpan span);

// value.fields..., where an array of records gives an array of fields.
Value access_fields(Frame& frame, const Value& value, Parts fields, SourceSpan span) {
  if (fields.empty()) return value;
  if (!is_array(value)) return access(frame, field_of(value, fields[0].name, span), fields, span);
  std::vector<Value> elements;
  for (std::size_t i = 0; i < element_count(shape_of(value)); ++i) {
    elements.push_back(access_fields(frame, element(value, i), fields, span));
  }
  return gathered(elements, shape_of(value), span);
}

// Applies the subscripts of the first part, then the other parts as fields.
Value access(Frame& frame, const Value& value, Parts parts, SourceSpan span) {
  if (parts[0].subscripts.empty()) return access_fields(frame, value, parts.subspan(1), span);
  return access_fields(frame, subscripted(frame, value, parts[0].subscripts, span), parts.subspan(1), span);
}

NodeId leaf(Frame& frame, std::int32_t variable) {
  if (frame.overlay != nullptr) {
    if (const auto now = frame.overlay->find(variable); now != frame.overlay->end()) return now->second;
  }
  return variable_node(frame.session, VariableId(variable));
}

// All of an instance, or one element of it.
Value whole(Frame& frame, const Instance& instance, std::optional<std::size_t> only) {
  const std::size_t count = element_count(instance.shape);
  const std::size_t begin = only.value_or(0);
  const std::size_t end = only ? *only + 1 : count;
  Shape shape = only ? Shape{} : instance.shape;
  if (instance.parts.empty() && instance.type.base != BaseType::Record) {
    std::vector<NodeId> nodes;
    nodes.reserve(end - begin);
    for (std::size_t i = begin; i < end; ++i)
      nodes.push_back(leaf(frame, instance.first + static_cast<std::int32_t>(i)));
    return array(instance.type, std::move(shape), std::move(nodes));
  }
  const std::size_t fields = count == 0 ? 0 : instance.parts.size() / count;
  std::vector<Value> elements;
  for (std::size_t i = begin; i < end; ++i) {
    std::vector<Value> values;
    for (std::size_t k = 0; k < fields; ++k)
      values.push_back(whole(frame, instance.parts[(i * fields) + k], std::nullopt));
    elements.push_back(record(instance.type.definition, std::move(values)));
  }
  return array_of_parts(instance.type, std::move(shape), std::move(elements));
}

// The position of an element when every subscript is a number known without making nodes.
std::optional<std::size_t> single_position(Frame& frame, const Shape& shape,
                                           std::span<const ExprRef> subscripts, SourceSpan span) {
  if (subscripts.size() != shape.size()) return std::nullopt;
  std::size_t position = 0;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    frame.ends.push_back(shape[k]);
    const auto number = fold_number(frame, subscripts[k]);
    frame.ends.pop_back();
    if (!number || *number != std::floor(*number)) return std::nullopt;
    if (*number < 1 || *number > shape[k]) {
      raise(span, "subscript {} is {}, but the size there is {}", k + 1, *number, shape[k]);
    }
    position = (position * static_cast<std::size_t>(shape[k])) + static_cast<std::size_t>(*number) - 1;
  }
  return position;
}

// x[2, :] must not cost the size of x, since loops are full of it.
Value read_choice(Frame& frame, const Instance& instance, std::span<const ExprRef> subscripts,
                  SourceSpan span) {
  NodeId node;
  if (subscripts.size() <= instance.shape.size() &&
      unknown_subscript(frame, instance.shape, subscripts, node) >= 0) {
    return subscripted(frame, whole(frame, instance, std::nullopt), subscripts, span);
  }
  const Choice choice = choose(frame, instance.shape, subscripts, span);
  std::vector<NodeId> nodes;
  for (const std::size_t i : positions(choice, instance.shape)) {
    nodes.push_back(leaf(frame, instance.first + static_cast<std::int32_t>(i)));
  }
  return array(instance.type, choice.shape, std::move(nodes));
}

Value read(Frame& frame, const Instance& instance, Parts parts, SourceSpan span) {
  const auto& subscripts = parts[0].subscripts;
  std::optional<std::size_t> only;
  if (!subscripts.empty() || instance.shape.empty()) {
    if (subscripts.empty()) {
      only = 0;
    } else {
      only = single_position(frame, instance.shape, subscripts, span);
      if (!only && parts.size() == 1 && instance.type.base != BaseType::Record) {
        return read_choice(frame, instance, subscripts, span);
      }
      if (!only) return access(frame, whole(frame, instance, std::nullopt), parts, span);
    }
  }
  if (parts.size() == 1) return whole(frame, instance, only);
  if (instance.type.base != BaseType::Record) {
    raise(span, "'{}' has no field '{}': it is {}", parts[0].name, parts[1].name, type_text(instance.type));
  }
  if (!only) return access(frame, whole(frame, instance, std::nullopt), parts, span);
  const std::size_t fields = instance.parts.size() / std::max<std::size_t>(1, element_count(instance.shape));
  const int field = field_index(*instance.type.definition, parts[1].name);
  if (field < 0) raise(span, "'{}' has no field '{}'", instance.type.definition->name, parts[1].name);
  return read(frame, instance.parts[(*only * fields) + static_cast<std::size_t>(field)], parts.subspan(1),
              span);
}

void check_readable(const Frame& frame, const Symbol& symbol, SourceSpan span) {
  if (symbol.role == Role::Known && symbol.missing) {
    raise(span, "the parameter '{}' has no value; give one in its declaration or with --set {}=...",
          symbol.name, symbol.name);
  }
  if (symbol.role == Role::Known && !symbol.value.defined()) {
    raise(span, "the value of '{}' is not known here", symbol.name);
  }
  if (symbol.role == Role::Absent) {
    raise(span, "'{}' is not there: it is declared under a condition that is false", symbol.name);
  }
  if (symbol.role != Role::Variable) return;
  if (frame.place == Place::Declaration) {
    raise(span, "'{}' varies in time, so no parameter, size or attribute can depend on it", symbol.name);
  }
  if (frame.place == Place::Function)
    raise(span, "a function cannot see the variable '{}' of the model", symbol.name);
}

// 'x' or 'x'[2, 3], where 'x[1,1]', ... are declared one by one.
Value read_elements(Frame& frame, const Symbol& symbol, Parts parts, SourceSpan span) {
  static const NamePart nothing;
  const auto element_value = [&](std::size_t i) {
    const std::int32_t at = symbol.elements[i];
    if (at < 0) raise(span, "'{}{}' is not declared", symbol.name, subscript_text(symbol.shape, i));
    return read_symbol(frame, at, std::span(&nothing, 1), span);
  };
  if (!parts[0].subscripts.empty() && parts.size() == 1) {
    if (const auto only = single_position(frame, symbol.shape, parts[0].subscripts, span))
      return element_value(*only);
  }
  std::vector<Value> elements;
  for (std::size_t i = 0; i < symbol.elements.size(); ++i) elements.push_back(element_value(i));
  return access(frame, gathered(elements, symbol.shape, span), parts, span);
}

// 'x[2,3]' as one quoted name, where x is declared as an array.
std::optional<Value> read_subscripted_name(Frame& frame, const std::string& name, SourceSpan span) {
  const std::size_t bracket = name.rfind('[');
  if (bracket == std::string::npos || name.back() != ']') return std::nullopt;
  const std::int32_t index = find_symbol(frame.session, std::string_view(name).substr(0, bracket));
  if (index < 0) return std::nullopt;
  static const NamePart nothing;
  Value value = read_symbol(frame, index, std::span(&nothing, 1), span);
  const char* at = name.data() + bracket + 1;
  const char* const end = name.data() + name.size() - 1;
  while (at < end) {
    std::int32_t subscript = 0;
    const auto [next, problem] = std::from_chars(at, end, subscript);
    if (problem != std::errc() || (next != end && *next != ',') || !is_array(value)) return std::nullopt;
    if (subscript < 1 || subscript > shape_of(value)[0]) {
      raise(span, "subscript {} of '{}' is outside 1..{}", subscript, name, shape_of(value)[0]);
    }
    value = slice(value, static_cast<std::size_t>(subscript) - 1);
    at = next == end ? end : next + 1;
  }
  return value;
}

// Type.literal.
std::optional<Value> read_literal(const Frame& frame, Parts parts, SourceSpan span) {
  if (parts.size() < 2) return std::nullopt;
  const std::string type = joined(parts.first(parts.size() - 1));
  const ClassInfo* info = frame.session.classes.find(type);
  if (info == nullptr || info->literals.empty()) return std::nullopt;
  const int position = literal_position(*info, parts.back().name);
  if (position == 0) {
    const std::vector<std::string_view> known(info->literals.begin(), info->literals.end());
    raise(span, "the enumeration '{}' has no literal '{}'{}", type, parts.back().name,
          did_you_mean(parts.back().name, known));
  }
  return scalar({BaseType::Enumeration, info}, frame.graph().constant(position));
}

}  // namespace

// The longest beginning of the name that is declared: 'a.b.c' may be one flat name, or a field of a record.
Session::FoundSymbol look_up(const Session& session, Parts parts) {
  std::size_t longest = 1;
  while (longest < parts.size() && parts[longest - 1].subscripts.empty()) ++longest;
  for (std::size_t k = longest; k > 0; --k) {
    const std::int32_t symbol =
        k == 1 ? find_symbol(session, parts[0].name) : find_symbol(session, joined(parts.first(k)));
    if (symbol >= 0) return {symbol, static_cast<std::int32_t>(k)};
  }
  return {-1, 0};
}

Value read_symbol(Frame& frame, std::int32_t index, Parts parts, SourceSpan span) {
  Symbol& symbol = frame.session.symbols[static_cast<std::size_t>(index)];
  check_readable(frame, symbol, span);
  symbol.used = true;
  if (symbol.role == Role::Elements) return read_elements(frame, symbol, parts, span);
  if (symbol.role == Role::Known) return access(frame, symbol.value, parts, span);
  return read(frame, symbol.instance, parts, span);
}

Value read_instance(Frame& frame, const Instance& instance) {
  return whole(frame, instance, instance.shape.empty() ? std::optional<std::size_t>(0) : std::nullopt);
}

Value read_whole(Frame& frame, const Expr& name) {
  std::vector<NamePart> parts = name.parts;
  parts.back().subscripts.clear();
  const Session::FoundSymbol found = look_up(frame.session, parts);
  if (found.symbol >= 0) {
    return read_symbol(frame, found.symbol, Parts(parts).subspan(static_cast<std::size_t>(found.parts) - 1),
                       name.span);
  }
  if (auto value = read_component(frame, parts, name.span)) return *value;
  raise(name.span, "unknown name '{}'{}", joined(parts), similar_names(frame.session, joined(parts)));
}

std::string joined_name(const Expr& expression) {
  return joined(expression.parts);
}

int field_index(const ClassInfo& definition, std::string_view name) {
  const auto& fields = definition.node->components;
  const auto found = std::ranges::find(fields, name, &ast::Component::name);
  return found == fields.end() ? -1 : static_cast<int>(found - fields.begin());
}

Value field_of(const Value& value, std::string_view name, SourceSpan span) {
  if (value.type.base != BaseType::Record) raise(span, "{} has no field '{}'", type_text(value), name);
  const int field = field_index(*value.type.definition, name);
  if (field < 0) {
    std::vector<std::string_view> known;
    for (const ast::Component& c : value.type.definition->node->components) known.push_back(c.name);
    raise(span, "the record '{}' has no field '{}'{}", value.type.definition->name, name,
          did_you_mean(name, known));
  }
  const Value& found = value.more->parts[static_cast<std::size_t>(field)];
  if (!found.defined()) raise(span, "the field '{}' is read before it has a value", name);
  return found;
}

std::optional<double> fold_name(Frame& frame, ExprRef ref) {
  const Expr& e = frame.expression(ref);
  if (e.parts.size() != 1 || !e.parts[0].subscripts.empty()) return std::nullopt;
  const std::string& name = e.parts[0].name;
  const auto number = [&](const Value& value) -> std::optional<double> {
    if (!is_numeric(value.type) || !value.node.valid() || !frame.graph().is_constant(value.node))
      return std::nullopt;
    return frame.graph().node(value.node).value;
  };
  for (std::size_t i = frame.iterators.size(); i-- > 0;) {
    if (frame.iterators[i].name == name) return number(frame.iterators[i].value);
  }
  if (frame.locals != nullptr) {
    if (const Local* local = find_local(*frame.locals, name)) return number(local->value);
  }
  const Session::FoundSymbol found = cached_look_up(frame, ref);
  if (found.symbol < 0) return std::nullopt;
  Symbol& symbol = frame.session.symbols[static_cast<std::size_t>(found.symbol)];
  if (symbol.role != Role::Known || symbol.missing) return std::nullopt;
  symbol.used = true;
  return number(symbol.value);
}

Value evaluate_name(Frame& frame, ExprRef ref) {
  const Expr& e = frame.expression(ref);
  const Parts parts = e.parts;
  for (std::size_t i = frame.iterators.size(); i-- > 0;) {
    if (frame.iterators[i].name == parts[0].name)
      return access(frame, frame.iterators[i].value, parts, e.span);
  }
  if (frame.locals != nullptr) {
    if (const Local* local = find_local(*frame.locals, parts[0].name)) {
      if (!local->value.defined()) raise(e.span, "'{}' is read before it has a value", local->name);
      Value value = access(frame, local->value, parts, e.span);
      if (holds_nodes(value.type) && !std::ranges::all_of(nodes_of(value), &NodeId::valid)) {
        raise(e.span, "'{}' is read before all of it has a value", local->name);
      }
      return value;
    }
  }
  const Session::FoundSymbol found = cached_look_up(frame, ref);
  if (found.symbol >= 0) {
    return read_symbol(frame, found.symbol, parts.subspan(static_cast<std::size_t>(found.parts) - 1), e.span);
  }
  if (parts.size() == 1 && parts[0].name == time_name && frame.locals == nullptr) {
    if (frame.place == Place::Declaration)
      raise(e.span, "'time' varies, so no parameter or attribute can depend on it");
    return real(frame.graph().time());
  }
  if (auto literal = read_literal(frame, parts, e.span)) return *literal;
  if (auto value = read_subscripted_name(frame, joined(parts), e.span)) return *value;
  if (auto value = read_component(frame, parts, e.span)) return *value;
  const std::string name = joined(parts);
  if (auto function = named_function(frame, name)) return *function;
  raise(e.span, "unknown name '{}'{}", name, similar_names(frame.session, name));
}

}  // namespace daedalus::flatten
