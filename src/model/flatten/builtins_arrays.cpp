// Functions that make, measure and rearrange arrays (Modelica 10.3).
#include <algorithm>
#include <cmath>
#include <limits>

#include "model/flatten/arrays.hpp"
#include "model/flatten/calls.hpp"
#include "model/flatten/evaluate.hpp"
#include "model/flatten/operators.hpp"

namespace daedalus::flatten {
namespace {

using ast::Expr;
constexpr int any = 1'000'000'000;

Shape sizes(Frame& frame, Arguments arguments, std::string_view name) {
  Shape shape;
  for (const ast::ExprRef ref : arguments) {
    const std::int64_t size = evaluate_integer(frame, ref, fmt::format("a size in '{}'", name));
    const SourceSpan span = frame.expression(ref).span;
    if (size < 0) raise(span, "a size in '{}' is {}, but it cannot be negative", name, size);
    check_size(frame.session, static_cast<std::size_t>(size), span);
    shape.push_back(static_cast<std::int32_t>(size));
    check_size(frame.session, element_count(shape), span);
  }
  return shape;
}

Value filled(Frame& frame, double number, Shape shape) {
  const std::size_t count = element_count(shape);
  return array({BaseType::Integer}, std::move(shape),
               std::vector<NodeId>(count, frame.graph().constant(number)));
}

Value vector_argument(Frame& frame, ast::ExprRef ref, std::string_view name, std::int32_t size) {
  Value value = evaluate(frame, ref);
  const Shape& shape = shape_of(value);
  if (shape.size() != 1 || !is_numeric(value.type) || (size >= 0 && shape[0] != size)) {
    const std::string wanted =
        size >= 0 ? fmt::format("a vector of {} numbers", size) : "a vector of numbers";
    raise(frame.expression(ref).span, "'{}' needs {}, not {}", name, wanted, type_text(value));
  }
  return value;
}

Value call_zeros(Frame& frame, const Expr&, Arguments arguments) {
  return filled(frame, 0, sizes(frame, arguments, "zeros"));
}

Value call_ones(Frame& frame, const Expr&, Arguments arguments) {
  return filled(frame, 1, sizes(frame, arguments, "ones"));
}

Value call_fill(Frame& frame, const Expr& e, Arguments arguments) {
  const Value value = evaluate(frame, arguments[0]);
  Shape shape = sizes(frame, arguments.subspan(1), "fill");
  const std::size_t count = element_count(shape);
  if (!is_array(value) && holds_nodes(value.type)) {
    return array(value.type, std::move(shape), std::vector<NodeId>(count, value.node));
  }
  check_size(frame.session, count * std::max<std::size_t>(1, element_count(shape_of(value))), e.span);
  std::vector<Value> copies(count, value);
  Value all = stacked(copies, {});
  const Shape& inner = shape_of(value);
  shape.insert(shape.end(), inner.begin(), inner.end());
  return reshaped(all, std::move(shape));
}

Value diagonal_matrix(Frame& frame, Type type, std::span<const NodeId> entries) {
  const std::size_t n = entries.size();
  std::vector<NodeId> nodes(n * n, frame.graph().constant(0));
  for (std::size_t i = 0; i < n; ++i) nodes[i * (n + 1)] = entries[i];
  const auto size = static_cast<std::int32_t>(n);
  return array(type, {size, size}, std::move(nodes));
}

Value call_identity(Frame& frame, const Expr& e, Arguments arguments) {
  const Shape shape = sizes(frame, arguments, "identity");
  const auto n = static_cast<std::size_t>(shape[0]);
  check_size(frame.session, n * n, e.span);
  return diagonal_matrix(frame, {BaseType::Integer}, std::vector<NodeId>(n, frame.graph().constant(1)));
}

Value call_diagonal(Frame& frame, const Expr& e, Arguments arguments) {
  const Value v = vector_argument(frame, arguments[0], "diagonal", -1);
  check_size(frame.session, nodes_of(v).size() * nodes_of(v).size(), e.span);
  return diagonal_matrix(frame, v.type, nodes_of(v));
}

Value call_linspace(Frame& frame, const Expr& e, Arguments arguments) {
  const NodeId first = evaluate_scalar(frame, arguments[0], BaseType::Real, "the start of linspace");
  const NodeId last = evaluate_scalar(frame, arguments[1], BaseType::Real, "the end of linspace");
  const std::int64_t n = evaluate_integer(frame, arguments[2], "the count of linspace");
  if (n < 2) raise(e.span, "linspace needs at least 2 points, not {}", n);
  check_size(frame.session, static_cast<std::size_t>(n), e.span);
  ExprGraph& graph = frame.graph();
  std::vector<NodeId> nodes;
  for (std::int64_t i = 0; i < n; ++i) {
    const NodeId step = graph.div(graph.mul(graph.sub(last, first), graph.constant(static_cast<double>(i))),
                                  graph.constant(static_cast<double>(n - 1)));
    nodes.push_back(graph.add(first, step));
  }
  return array({BaseType::Real}, {static_cast<std::int32_t>(n)}, std::move(nodes));
}

Value matrix_argument(Frame& frame, ast::ExprRef ref, std::string_view name) {
  Value value = evaluate(frame, ref);
  if (shape_of(value).size() != 2 || !holds_nodes(value.type)) {
    raise(frame.expression(ref).span, "'{}' needs a matrix, not {}", name, type_text(value));
  }
  return value;
}

// promote(A, n): A with dimensions of size 1 added behind until there are n.
Value call_promote(Frame& frame, const Expr& e, Arguments arguments) {
  const Value value = evaluate(frame, arguments[0]);
  const std::int64_t n = evaluate_integer(frame, arguments[1], "the number of dimensions of promote");
  Shape shape = shape_of(value);
  constexpr std::int64_t most = 32;
  if (n < static_cast<std::int64_t>(shape.size()) || n > most)
    raise(e.span, "'promote' cannot give {} dimensions to {}", n, type_text(value));
  const Value whole = is_array(value) ? value : stacked(std::vector<Value>{value}, e.span);
  shape.resize(static_cast<std::size_t>(n), 1);
  return n == 0 ? value : reshaped(whole, std::move(shape));
}

Value call_transpose(Frame& frame, const Expr&, Arguments arguments) {
  const Value m = matrix_argument(frame, arguments[0], "transpose");
  const auto rows = static_cast<std::size_t>(shape_of(m)[0]);
  const auto columns = static_cast<std::size_t>(shape_of(m)[1]);
  std::vector<NodeId> nodes;
  for (std::size_t j = 0; j < columns; ++j) {
    for (std::size_t i = 0; i < rows; ++i) nodes.push_back(nodes_of(m)[(i * columns) + j]);
  }
  return array(m.type, {shape_of(m)[1], shape_of(m)[0]}, std::move(nodes));
}

// The upper triangle mirrored into the lower one.
Value call_symmetric(Frame& frame, const Expr& e, Arguments arguments) {
  const Value m = matrix_argument(frame, arguments[0], "symmetric");
  if (shape_of(m)[0] != shape_of(m)[1])
    raise(e.span, "'symmetric' needs a square matrix, not {}", type_text(m));
  const auto n = static_cast<std::size_t>(shape_of(m)[0]);
  std::vector<NodeId> nodes;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) nodes.push_back(nodes_of(m)[(std::min(i, j) * n) + std::max(i, j)]);
  }
  return array(m.type, shape_of(m), std::move(nodes));
}

Value call_outer_product(Frame& frame, const Expr& e, Arguments arguments) {
  const Value a = vector_argument(frame, arguments[0], "outerProduct", -1);
  const Value b = vector_argument(frame, arguments[1], "outerProduct", -1);
  return product(frame, reshaped(a, {shape_of(a)[0], 1}), reshaped(b, {1, shape_of(b)[0]}), e.span);
}

Value call_cross(Frame& frame, const Expr&, Arguments arguments) {
  const Value a = vector_argument(frame, arguments[0], "cross", 3);
  const Value b = vector_argument(frame, arguments[1], "cross", 3);
  ExprGraph& graph = frame.graph();
  const auto x = nodes_of(a);
  const auto y = nodes_of(b);
  std::vector<NodeId> nodes;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3;
    const std::size_t k = (i + 2) % 3;
    nodes.push_back(graph.sub(graph.mul(x[j], y[k]), graph.mul(x[k], y[j])));
  }
  return array({BaseType::Real}, {3}, std::move(nodes));
}

Value call_skew(Frame& frame, const Expr&, Arguments arguments) {
  const Value v = vector_argument(frame, arguments[0], "skew", 3);
  ExprGraph& g = frame.graph();
  const auto x = nodes_of(v);
  const NodeId zero = g.constant(0);
  return array({BaseType::Real}, {3, 3},
               {zero, g.neg(x[2]), x[1], x[2], zero, g.neg(x[0]), g.neg(x[1]), x[0], zero});
}

// The one element of an array, or the array with dimensions of size 1 left out.
Value call_scalar(Frame& frame, const Expr& e, Arguments arguments) {
  const Value value = evaluate(frame, arguments[0]);
  if (element_count(shape_of(value)) != 1)
    raise(e.span, "'scalar' needs one element, but this is {}", type_text(value));
  return element(value, 0);
}

Value call_vector(Frame& frame, const Expr& e, Arguments arguments) {
  const Value value = evaluate(frame, arguments[0]);
  const auto& shape = shape_of(value);
  const auto count = static_cast<std::int32_t>(element_count(shape));
  const auto long_ones = std::ranges::count_if(shape, [](std::int32_t n) { return n > 1; });
  if (long_ones > 1)
    raise(e.span, "'vector' needs at most one dimension above 1, but this is {}", type_text(value));
  return reshaped(value, {count});
}

Value call_matrix(Frame& frame, const Expr& e, Arguments arguments) {
  return as_matrix(evaluate(frame, arguments[0]), e.span);
}

Value call_cat(Frame& frame, const Expr& e, Arguments arguments) {
  const std::int64_t dimension = evaluate_integer(frame, arguments[0], "the dimension of cat");
  if (dimension < 1) raise(e.span, "the dimension of cat must be at least 1, not {}", dimension);
  std::vector<Value> values;
  for (const ast::ExprRef ref : arguments.subspan(1)) values.push_back(evaluate(frame, ref));
  return concatenated(values, static_cast<std::size_t>(dimension) - 1, e.span);
}

Value call_array(Frame& frame, const Expr& e, Arguments arguments) {
  std::vector<Value> values;
  for (const ast::ExprRef ref : arguments) values.push_back(evaluate(frame, ref));
  return stacked(values, e.span);
}

// The size of a variable is known even where its value is not.
Shape shape_of_expression(Frame& frame, ast::ExprRef ref) {
  const Expr& e = frame.expression(ref);
  if (e.kind == ast::ExprKind::Name && frame.locals == nullptr && e.parts.back().subscripts.empty()) {
    const std::int32_t symbol = find_symbol(frame.session, joined_name(e));
    if (symbol >= 0) return frame.session.symbols[static_cast<std::size_t>(symbol)].shape;
  }
  return shape_of(evaluate(frame, ref));
}

Value call_size(Frame& frame, const Expr& e, Arguments arguments) {
  const Shape shape = shape_of_expression(frame, arguments[0]);
  const Type integer{BaseType::Integer};
  if (arguments.size() == 2) {
    const std::int64_t k = evaluate_integer(frame, arguments[1], "the dimension of size");
    if (k < 1 || k > static_cast<std::int64_t>(shape.size())) {
      raise(e.span, "dimension {} is asked for, but there are {}", k, shape.size());
    }
    return scalar(integer, frame.graph().constant(shape[static_cast<std::size_t>(k) - 1]));
  }
  std::vector<NodeId> nodes;
  for (const std::int32_t n : shape) nodes.push_back(frame.graph().constant(n));
  return array(integer, {static_cast<std::int32_t>(shape.size())}, std::move(nodes));
}

Value call_ndims(Frame& frame, const Expr&, Arguments arguments) {
  const auto count = static_cast<double>(shape_of_expression(frame, arguments[0]).size());
  return scalar({BaseType::Integer}, frame.graph().constant(count));
}

Value folded(Frame& frame, const Expr& e, ast::ExprRef ref, Op op, double start) {
  const Value value = evaluate(frame, ref);
  if (!is_numeric(value.type)) raise(e.span, "'{}' needs numbers, not {}", joined_name(e), type_text(value));
  const auto nodes = nodes_of(value);
  if (nodes.empty()) return scalar(value.type, frame.graph().constant(start));
  NodeId result = nodes[0];
  for (const NodeId node : nodes.subspan(1)) result = frame.graph().apply(op, result, node);
  return scalar(value.type, result);
}

Value call_sum(Frame& frame, const Expr& e, Arguments arguments) {
  return folded(frame, e, arguments[0], Op::Add, 0);
}

Value call_product(Frame& frame, const Expr& e, Arguments arguments) {
  return folded(frame, e, arguments[0], Op::Mul, 1);
}

// Of Booleans and enumerations too: false < true, and literals in their order (Modelica 10.3.4).
Value extremum_of_array(Frame& frame, const Expr& e, ast::ExprRef ref, Op op) {
  const Value value = evaluate(frame, ref);
  if (!holds_nodes(value.type)) raise(e.span, "'{}' needs numbers, not {}", joined_name(e), type_text(value));
  const auto nodes = nodes_of(value);
  if (nodes.empty()) {
    constexpr double largest = std::numeric_limits<double>::max();
    const bool boolean = value.type.base == BaseType::Boolean;
    const double none = boolean ? (op == Op::Min ? 1 : 0) : (op == Op::Min ? largest : -largest);
    return scalar(value.type, frame.graph().constant(none));
  }
  if (value.type.base == BaseType::Boolean) op = op == Op::Min ? Op::And : Op::Or;
  NodeId result = nodes[0];
  for (const NodeId node : nodes.subspan(1)) result = frame.graph().apply(op, result, node);
  return scalar(value.type, result);
}

Value extremum(Frame& frame, const Expr& e, Arguments arguments, Op op) {
  if (arguments.size() == 1) return extremum_of_array(frame, e, arguments[0], op);
  const Value a = evaluate(frame, arguments[0]);
  const Value b = evaluate(frame, arguments[1]);
  const Type type = common_type(a.type, b.type, e.span, joined_name(e));
  if (is_array(a) || is_array(b) || !holds_nodes(type)) {
    raise(e.span, "'{}' needs two numbers, or one array, but here are {} and {}", joined_name(e),
          type_text(a), type_text(b));
  }
  return scalar(type, frame.graph().apply(op, a.node, b.node));
}

Value call_min(Frame& frame, const Expr& e, Arguments arguments) {
  return extremum(frame, e, arguments, Op::Min);
}

Value call_max(Frame& frame, const Expr& e, Arguments arguments) {
  return extremum(frame, e, arguments, Op::Max);
}

constexpr Builtin table[] = {
    {"zeros", 1, any, "", call_zeros},
    {"ones", 1, any, "", call_ones},
    {"fill", 2, any, "", call_fill},
    {"identity", 1, 1, "", call_identity},
    {"diagonal", 1, 1, "", call_diagonal},
    {"linspace", 3, 3, "", call_linspace},
    {"promote", 2, 2, "", call_promote},
    {"transpose", 1, 1, "", call_transpose},
    {"symmetric", 1, 1, "", call_symmetric},
    {"outerProduct", 2, 2, "", call_outer_product},
    {"cross", 2, 2, "", call_cross},
    {"skew", 1, 1, "", call_skew},
    {"scalar", 1, 1, "", call_scalar},
    {"vector", 1, 1, "", call_vector},
    {"matrix", 1, 1, "", call_matrix},
    {"cat", 2, any, "", call_cat},
    {"array", 1, any, "", call_array},
    {"size", 1, 2, "", call_size},
    {"ndims", 1, 1, "", call_ndims},
    {"sum", 1, 1, "", call_sum},
    {"product", 1, 1, "", call_product},
    {"min", 1, 2, "", call_min},
    {"max", 1, 2, "", call_max},
};

}  // namespace

std::span<const Builtin> array_builtins() {
  return table;
}

}  // namespace daedalus::flatten
