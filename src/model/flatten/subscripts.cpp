// Subscripts: numbers, ranges, ':' and, in an expression, a subscript that is known only while simulating.
#include <algorithm>
#include <cmath>

#include "model/flatten/arrays.hpp"
#include "model/flatten/evaluate.hpp"
#include "model/flatten/operators.hpp"

namespace daedalus::flatten {
namespace {

using ast::ExprRef;

std::int32_t checked(double subscript, std::size_t dimension, std::int32_t size, SourceSpan span) {
  const bool inside = subscript >= 1 && subscript <= size;
  if (!inside) {
    raise(span, "subscript {} is {}, but the size there is {}", dimension + 1, subscript, size);
  }
  if (subscript != std::floor(subscript))
    raise(span, "subscript {} is {}, not a whole number", dimension + 1, subscript);
  return static_cast<std::int32_t>(subscript) - 1;
}

// An index vector counts the elements of a Boolean vector that are true, as Modelica's logical indexing.
void add_indices(Frame& frame, const Value& value, std::size_t dimension, std::int32_t size, SourceSpan span,
                 Choice& choice) {
  auto& indices = choice.indices.emplace_back();
  const auto nodes = nodes_of(value);
  for (const NodeId node : nodes) {
    if (!frame.graph().is_constant(node)) raise_unknown(frame.session, node, span, "a vector of subscripts");
    indices.push_back(checked(frame.graph().node(node).value, dimension, size, span));
  }
  if (is_array(value)) choice.shape.push_back(static_cast<std::int32_t>(nodes.size()));
}

void check_count(const Shape& shape, std::span<const ExprRef> subscripts, SourceSpan span) {
  if (subscripts.size() <= shape.size()) return;
  if (shape.empty()) raise(span, "a subscript is given, but this is a scalar");
  raise(span, "{} subscripts are given, but there are {} dimensions", subscripts.size(), shape.size());
}

// Moves one dimension to the front: what a chain of if-expressions over that subscript chooses from.
Value moved_to_front(const Value& value, std::size_t dimension) {
  const Shape& shape = shape_of(value);
  Shape rotated{shape[dimension]};
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (k != dimension) rotated.push_back(shape[k]);
  }
  const std::size_t outer = element_count(std::span(shape).first(dimension));
  const std::size_t inner = element_count(std::span(shape).subspan(dimension + 1));
  const auto middle = static_cast<std::size_t>(shape[dimension]);
  std::vector<Value> elements;
  for (std::size_t m = 0; m < middle; ++m) {
    for (std::size_t o = 0; o < outer; ++o) {
      for (std::size_t i = 0; i < inner; ++i)
        elements.push_back(element(value, (((o * middle) + m) * inner) + i));
    }
  }
  return reshaped(stacked(elements, {}), std::move(rotated));
}

// table[n] for an n that changes: if n == 1 then table[1] elseif n == 2 then ... else the last one.
Value chosen_while_simulating(Frame& frame, const Value& value, std::size_t dimension, NodeId node,
                              SourceSpan span) {
  constexpr std::int32_t longest = 10'000;
  const std::int32_t size = shape_of(value)[dimension];
  if (size < 1 || size > longest) {
    raise(span, "a subscript that changes while simulating needs a size of 1 to {}, but it is {}", longest,
          size);
  }
  const Value front = moved_to_front(value, dimension);
  Value result = slice(front, static_cast<std::size_t>(size) - 1);
  for (std::int32_t i = size - 1; i >= 1; --i) {
    const NodeId here = frame.graph().apply(Op::Equal, node, frame.graph().constant(i));
    result = choose_value(frame, here, slice(front, static_cast<std::size_t>(i) - 1), result, span);
  }
  return result;
}

}  // namespace

int unknown_subscript(Frame& frame, const Shape& shape, std::span<const ExprRef> subscripts, NodeId& node) {
  for (std::size_t k = 0; k < subscripts.size(); ++k) {
    if (frame.expression(subscripts[k]).kind == ast::ExprKind::Colon) continue;
    frame.ends.push_back(shape[k]);
    const bool number = fold_number(frame, subscripts[k]).has_value();
    const Value value = number ? Value{} : evaluate(frame, subscripts[k]);
    frame.ends.pop_back();
    if (number || is_array(value) || !holds_nodes(value.type) || frame.graph().is_constant(value.node))
      continue;
    if (value.type.base == BaseType::Real) {
      raise(frame.expression(subscripts[k]).span, "a subscript must be an Integer, not Real");
    }
    node = value.node;
    return static_cast<int>(k);
  }
  return -1;
}

Choice choose(Frame& frame, const Shape& shape, std::span<const ExprRef> subscripts, SourceSpan span) {
  check_count(shape, subscripts, span);
  Choice choice;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const bool all = k >= subscripts.size() || frame.expression(subscripts[k]).kind == ast::ExprKind::Colon;
    if (all) {
      auto& indices = choice.indices.emplace_back(static_cast<std::size_t>(shape[k]));
      for (std::int32_t i = 0; i < shape[k]; ++i) indices[static_cast<std::size_t>(i)] = i;
      choice.shape.push_back(shape[k]);
      continue;
    }
    frame.ends.push_back(shape[k]);
    if (const auto number = fold_number(frame, subscripts[k])) {
      choice.indices.push_back({checked(*number, k, shape[k], span)});
    } else {
      const Value value = evaluate(frame, subscripts[k]);
      if (!holds_nodes(value.type)) raise(span, "a subscript must be an Integer, not {}", type_text(value));
      add_indices(frame, value, k, shape[k], span, choice);
    }
    frame.ends.pop_back();
  }
  return choice;
}

std::vector<std::size_t> positions(const Choice& choice, const Shape& shape) {
  std::vector<std::size_t> result{0};
  for (std::size_t k = 0; k < shape.size(); ++k) {
    std::vector<std::size_t> longer;
    longer.reserve(result.size() * choice.indices[k].size());
    for (const std::size_t before : result) {
      for (const std::int32_t index : choice.indices[k]) {
        longer.push_back((before * static_cast<std::size_t>(shape[k])) + static_cast<std::size_t>(index));
      }
    }
    result = std::move(longer);
  }
  return result;
}

Value subscripted(Frame& frame, const Value& value, std::span<const ExprRef> subscripts, SourceSpan span) {
  if (subscripts.empty()) return value;
  const Shape& shape = shape_of(value);
  check_count(shape, subscripts, span);
  NodeId node;
  if (const int unknown = unknown_subscript(frame, shape, subscripts, node); unknown >= 0) {
    const auto dimension = static_cast<std::size_t>(unknown);
    const Value rest = chosen_while_simulating(frame, value, dimension, node, span);
    std::vector<ExprRef> others(subscripts.begin(), subscripts.end());
    others.erase(others.begin() + unknown);
    return subscripted(frame, rest, others, span);
  }
  const Choice choice = choose(frame, shape, subscripts, span);
  const std::vector<std::size_t> chosen = positions(choice, shape);
  if (holds_nodes(value.type)) {
    std::vector<NodeId> nodes;
    nodes.reserve(chosen.size());
    for (const std::size_t i : chosen) nodes.push_back(value.more->nodes[i]);
    return array(value.type, choice.shape, std::move(nodes));
  }
  std::vector<Value> parts;
  for (const std::size_t i : chosen) parts.push_back(value.more->parts[i]);
  return array_of_parts(value.type, choice.shape, std::move(parts));
}

}  // namespace daedalus::flatten
