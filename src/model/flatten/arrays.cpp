#include "model/flatten/arrays.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/flatten/evaluate.hpp"
#include "model/flatten/operators.hpp"

namespace daedalus::flatten {
namespace {

// The type that all elements of an array constructor have in common.
Type element_type(std::span<const Value> elements, SourceSpan span) {
  Type type = elements.empty() ? Type{BaseType::Real} : elements.front().type;
  for (const Value& value : elements) type = common_type(type, value.type, span, "an array");
  return type;
}

void append(const Value& value, std::vector<NodeId>& nodes, std::vector<Value>& parts) {
  if (holds_nodes(value.type)) {
    const auto from = nodes_of(value);
    nodes.insert(nodes.end(), from.begin(), from.end());
  } else if (is_array(value)) {
    parts.insert(parts.end(), value.more->parts.begin(), value.more->parts.end());
  } else {
    parts.push_back(value);
  }
}

Value finished(Type type, Shape shape, std::vector<NodeId> nodes, std::vector<Value> parts) {
  return holds_nodes(type) ? array(type, std::move(shape), std::move(nodes))
                           : array_of_parts(type, std::move(shape), std::move(parts));
}

}  // namespace

void check_size(const Session& session, std::size_t count, SourceSpan span) {
  if (count > session.limits.elements) {
    raise(span, "an array of {} elements is larger than the limit of {}; make it smaller", count,
          session.limits.elements);
  }
}

Value stacked(std::span<const Value> elements, SourceSpan span) {
  const Type type = element_type(elements, span);
  Shape shape{static_cast<std::int32_t>(elements.size())};
  if (!elements.empty()) {
    const Shape& inner = shape_of(elements.front());
    shape.insert(shape.end(), inner.begin(), inner.end());
  }
  std::vector<NodeId> nodes;
  std::vector<Value> parts;
  for (const Value& value : elements) {
    if (shape_of(value) != shape_of(elements.front())) {
      raise(span, "the elements of an array must have one size, but here are {} and {}",
            shape_text(shape_of(elements.front())), shape_text(shape_of(value)));
    }
    append(value, nodes, parts);
  }
  return finished(type, std::move(shape), std::move(nodes), std::move(parts));
}

Value concatenated(std::span<const Value> elements, std::size_t dimension, SourceSpan span) {
  if (elements.empty()) raise(span, "there is nothing to join into an array");
  const Type type = element_type(elements, span);
  Shape shape = shape_of(elements.front());
  if (dimension >= shape.size()) {
    raise(span, "cannot join along dimension {}: {} has {} dimensions", dimension + 1,
          type_text(elements.front()), shape.size());
  }
  shape[dimension] = 0;
  for (const Value& value : elements) {
    Shape other = shape_of(value);
    bool fits = other.size() == shape.size();
    for (std::size_t k = 0; fits && k < shape.size(); ++k) fits = k == dimension || other[k] == shape[k];
    if (!fits) {
      raise(span, "cannot join arrays of sizes {} and {}", shape_text(shape_of(elements.front())),
            shape_text(other));
    }
    shape[dimension] += other[dimension];
  }
  // Row-major: for each index of the dimensions before, one stretch of every element after the other.
  const std::size_t outer = element_count(std::span(shape).first(dimension));
  std::vector<NodeId> nodes;
  std::vector<Value> parts;
  for (std::size_t i = 0; i < outer; ++i) {
    for (const Value& value : elements) {
      const std::size_t stretch = element_count(std::span(shape_of(value)).subspan(dimension));
      for (std::size_t k = 0; k < stretch; ++k) append(element(value, (i * stretch) + k), nodes, parts);
    }
  }
  return finished(type, std::move(shape), std::move(nodes), std::move(parts));
}

Value reshaped(const Value& value, Shape shape) {
  if (!holds_nodes(value.type)) {
    std::vector<Value> parts;
    for (std::size_t i = 0; i < element_count(shape); ++i) parts.push_back(element(value, i));
    return array_of_parts(value.type, std::move(shape), std::move(parts));
  }
  const auto nodes = nodes_of(value);
  return array(value.type, std::move(shape), {nodes.begin(), nodes.end()});
}

Value as_matrix(const Value& value, SourceSpan span) {
  Shape shape = shape_of(value);
  if (shape.size() > 2)
    raise(span, "a matrix is made of scalars, vectors and matrices, not of {}", type_text(value));
  while (shape.size() < 2) shape.push_back(1);
  return reshaped(value, std::move(shape));
}

RangeNumbers range_numbers(Frame& frame, ast::ExprRef ref) {
  const ast::Expr& e = frame.expression(ref);
  const bool stepped = e.children.size() == 3;
  const auto number = [&](ast::ExprRef child, std::string_view what, Type& type) {
    if (const auto folded = fold_number(frame, child); folded && *folded == std::floor(*folded)) {
      if (frame.expression(child).kind != ast::ExprKind::Number || frame.expression(child).is_integer) {
        return *folded;  // whole because it is made of Integers
      }
    }
    const Value value = evaluate(frame, child);
    const bool counted = value.type.base == BaseType::Enumeration || value.type.base == BaseType::Boolean;
    if (counted || type.base == BaseType::Integer) type = value.type;
    return evaluate_constant(frame, child, what);
  };
  RangeNumbers range{.type = {BaseType::Integer}};
  range.start = number(e.children[0], "the start of a range", range.type);
  if (stepped) range.step = number(e.children[1], "the step of a range", range.type);
  const double stop = number(e.children.back(), "the end of a range", range.type);
  if (range.step == 0 || std::isnan(range.step)) raise(e.span, "the step of a range must not be zero");
  // A tenth of a step's rounding slack: 0:0.1:1 has eleven elements.
  const double steps = std::floor(((stop - range.start) / range.step) + 1e-9);
  if (!(steps < 9e15)) raise(e.span, "this range has no end");
  range.count = steps < 0 ? 0 : static_cast<std::size_t>(steps) + 1;
  check_size(frame.session, range.count, e.span);
  return range;
}

Value evaluate_range(Frame& frame, ast::ExprRef ref) {
  const RangeNumbers range = range_numbers(frame, ref);
  std::vector<NodeId> nodes;
  nodes.reserve(range.count);
  count_work(frame.session, range.count, frame.expression(ref).span);
  for (std::size_t i = 0; i < range.count; ++i) nodes.push_back(frame.graph().constant(range.at(i)));
  return array(range.type, {static_cast<std::int32_t>(range.count)}, std::move(nodes));
}

namespace {

// Modelica 10.3.4.1: reductions of an expression over iterators.
Value reduced(Frame& frame, const std::string& name, const ast::Expr& e) {
  const bool sum = name == "sum";
  const bool multiply = name == "product";
  if (!sum && !multiply && name != "min" && name != "max") {
    raise(e.span, "'{}(... for ...)' is not supported; sum, product, min, max and array are", name);
  }
  ExprGraph& graph = frame.graph();
  Value result;
  for_each(frame, e.iterators, [&] {
    const Value next = evaluate(frame, e.children[0]);
    if (!result.defined()) {
      result = next;
    } else if (sum) {
      result = binary(frame, ast::Operator::Plus, result, next, e.span);
    } else if (is_array(next) || !is_numeric(next.type)) {
      raise(e.span, "{} needs numbers, not {}", name, type_text(next));
    } else {
      const Type type = common_type(result.type, next.type, e.span, name);
      const Op op = multiply ? Op::Mul : name == "min" ? Op::Min : Op::Max;
      result = scalar(type, graph.apply(op, result.node, next.node));
    }
  });
  if (result.defined()) return result;
  if (sum || multiply) return scalar({BaseType::Integer}, graph.constant(sum ? 0 : 1));
  constexpr double largest = std::numeric_limits<double>::max();
  return real(graph.constant(name == "min" ? largest : -largest));
}

// The iterators become dimensions, the first one slowest.
Value comprehended(Frame& frame, const ast::Expr& e, std::span<const ast::Iterator> iterators) {
  std::vector<Value> elements;
  for_each(frame, iterators.first(1), [&] {
    elements.push_back(iterators.size() == 1 ? evaluate(frame, e.children[0])
                                             : comprehended(frame, e, iterators.subspan(1)));
    check_size(frame.session, elements.size() * element_count(shape_of(elements.front())), e.span);
  });
  return stacked(elements, e.span);
}

}  // namespace

Value evaluate_comprehension(Frame& frame, ast::ExprRef ref) {
  const ast::Expr& e = frame.expression(ref);
  const std::string name = joined_name(e);
  if (!name.empty() && name != "array") return reduced(frame, name, e);
  return comprehended(frame, e, e.iterators);
}

}  // namespace daedalus::flatten
