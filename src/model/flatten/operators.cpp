#include "model/flatten/operators.hpp"

#include <cmath>

#include "model/flatten/arrays.hpp"

namespace daedalus::flatten {
namespace {

using ast::Operator;

std::string_view symbol(Operator op) {
  switch (op) {
    case Operator::Plus:
      return "+";
    case Operator::Minus:
      return "-";
    case Operator::Times:
      return "*";
    case Operator::Divide:
      return "/";
    case Operator::ElementPlus:
      return ".+";
    case Operator::ElementMinus:
      return ".-";
    case Operator::ElementTimes:
      return ".*";
    case Operator::ElementDivide:
      return "./";
    case Operator::Power:
      return "^";
    case Operator::ElementPower:
      return ".^";
    case Operator::And:
      return "and";
    case Operator::Or:
      return "or";
    case Operator::Not:
      return "not";
    case Operator::Less:
      return "<";
    case Operator::LessEqual:
      return "<=";
    case Operator::Greater:
      return ">";
    case Operator::GreaterEqual:
      return ">=";
    case Operator::Equal:
      return "==";
    case Operator::NotEqual:
      return "<>";
  }
  return "?";
}

Op graph_op(Operator op) {
  switch (op) {
    case Operator::Plus:
    case Operator::ElementPlus:
      return Op::Add;
    case Operator::Minus:
    case Operator::ElementMinus:
      return Op::Sub;
    case Operator::Divide:
    case Operator::ElementDivide:
      return Op::Div;
    case Operator::Power:
    case Operator::ElementPower:
      return Op::Pow;
    case Operator::And:
      return Op::And;
    case Operator::Or:
      return Op::Or;
    default:
      return Op::Mul;
  }
}

void require_numbers(Operator op, const Value& a, const Value& b, SourceSpan span) {
  if (is_numeric(a.type) && is_numeric(b.type)) return;
  raise(span, "'{}' needs numbers, but here are {} and {}", symbol(op), type_text(a), type_text(b));
}

// Integer stays Integer except under division and powers.
Type result_type(Operator op, const Value& a, const Value& b) {
  const bool whole = a.type.base == BaseType::Integer && b.type.base == BaseType::Integer;
  const Op kind = graph_op(op);
  return {whole && kind != Op::Div && kind != Op::Pow ? BaseType::Integer : BaseType::Real};
}

// One operation on every pair of elements; a scalar goes with every element of the other side.
Value elementwise(Frame& frame, Op op, Type type, const Value& a, const Value& b) {
  const auto x = nodes_of(a);
  const auto y = nodes_of(b);
  ExprGraph& graph = frame.graph();
  if (!is_array(a) && !is_array(b)) return scalar(type, graph.apply(op, x[0], y[0]));
  const Shape& shape = is_array(a) ? shape_of(a) : shape_of(b);
  const std::size_t count = element_count(shape);
  std::vector<NodeId> nodes(count);
  for (std::size_t i = 0; i < count; ++i) {
    nodes[i] = graph.apply(op, is_array(a) ? x[i] : x[0], is_array(b) ? y[i] : y[0]);
  }
  return array(type, shape, std::move(nodes));
}

void require_same_shape(Operator op, const Value& a, const Value& b, SourceSpan span) {
  if (shape_of(a) == shape_of(b)) return;
  raise(span, "'{}' needs operands of one size, but here are {} and {}", symbol(op), shape_text(shape_of(a)),
        shape_text(shape_of(b)));
}

Value joined_text(const Value& a, const Value& b) {
  return string_value(text_of(a) + text_of(b));
}

Value square_power(Frame& frame, const Value& a, const Value& exponent, SourceSpan span) {
  const Shape& shape = shape_of(a);
  if (shape.size() != 2 || shape[0] != shape[1]) {
    raise(span, "'^' needs a number or a square matrix, but this is {}; use '.^' element by element",
          type_text(a));
  }
  const bool known = !is_array(exponent) && frame.graph().is_constant(exponent.node);
  const double n = known ? frame.graph().node(exponent.node).value : -1;
  if (n < 0 || n > 1000 || n != std::floor(n))
    raise(span, "the power of a matrix must be a known whole number");
  std::vector<NodeId> nodes(element_count(shape), frame.graph().constant(0));
  for (std::size_t i = 0; i < static_cast<std::size_t>(shape[0]); ++i) {
    nodes[i * (static_cast<std::size_t>(shape[0]) + 1)] = frame.graph().constant(1);
  }
  Value result = array({BaseType::Real}, shape, std::move(nodes));
  for (int k = 0; k < static_cast<int>(n); ++k) result = product(frame, result, a, span);
  return result;
}

}  // namespace

Type common_type(const Type& a, const Type& b, SourceSpan span, std::string_view where) {
  if (a == b) return a;
  if (is_numeric(a) && is_numeric(b)) return {BaseType::Real};
  raise(span, "{} cannot hold both {} and {}", where, type_text(a), type_text(b));
}

Value map_nodes(Frame& frame, Type type, const Value& a, Op op) {
  if (!is_array(a)) return scalar(type, frame.graph().apply(op, a.node));
  std::vector<NodeId> nodes;
  nodes.reserve(nodes_of(a).size());
  for (const NodeId node : nodes_of(a)) nodes.push_back(frame.graph().apply(op, node));
  return array(type, shape_of(a), std::move(nodes));
}

Value product(Frame& frame, const Value& a, const Value& b, SourceSpan span) {
  const Type type = result_type(Operator::Times, a, b);
  if (!is_array(a) || !is_array(b)) return elementwise(frame, Op::Mul, type, a, b);
  const Shape& left = shape_of(a);
  const Shape& right = shape_of(b);
  if (left.size() > 2 || right.size() > 2 || left.back() != right.front()) {
    raise(span, "'*' cannot multiply {} by {}: the inner sizes must agree", shape_text(left),
          shape_text(right));
  }
  const auto rows = left.size() == 2 ? static_cast<std::size_t>(left[0]) : 1;
  const auto inner = static_cast<std::size_t>(left.back());
  const auto columns = right.size() == 2 ? static_cast<std::size_t>(right[1]) : 1;
  ExprGraph& graph = frame.graph();
  check_size(frame.session, rows * columns, span);
  count_work(frame.session, rows * columns * inner, span);
  const auto x = nodes_of(a);
  const auto y = nodes_of(b);
  std::vector<NodeId> nodes;
  nodes.reserve(rows * columns);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      NodeId sum = graph.constant(0);
      for (std::size_t k = 0; k < inner; ++k) {
        sum = graph.add(sum, graph.mul(x[(i * inner) + k], y[(k * columns) + j]));
      }
      nodes.push_back(sum);
    }
  }
  Shape shape;
  if (left.size() == 2) shape.push_back(left[0]);
  if (right.size() == 2) shape.push_back(right[1]);
  return array(type, std::move(shape), std::move(nodes));
}

Value binary(Frame& frame, Operator op, const Value& a, const Value& b, SourceSpan span) {
  if (op == Operator::Plus && a.type.base == BaseType::String && b.type.base == BaseType::String) {
    const std::size_t most = frame.session.limits.text;
    if (text_of(a).size() + text_of(b).size() > most)
      raise(span, "this String is longer than {} characters, which is the limit", most);
    return joined_text(a, b);
  }
  if (op == Operator::And || op == Operator::Or) {
    if (a.type.base != BaseType::Boolean || b.type.base != BaseType::Boolean) {
      raise(span, "'{}' needs Booleans, but here are {} and {}", symbol(op), type_text(a), type_text(b));
    }
    require_same_shape(op, a, b, span);
    return elementwise(frame, graph_op(op), {BaseType::Boolean}, a, b);
  }
  require_numbers(op, a, b, span);
  if (op == Operator::Times) return product(frame, a, b, span);
  if (op == Operator::Plus || op == Operator::Minus) require_same_shape(op, a, b, span);
  if (op == Operator::Divide && is_array(b)) {
    raise(span, "'/' cannot divide by {}; use './' element by element", type_text(b));
  }
  if (is_array(a) && is_array(b)) require_same_shape(op, a, b, span);
  return elementwise(frame, graph_op(op), result_type(op, a, b), a, b);
}

Value power(Frame& frame, Operator op, const Value& a, const Value& b, SourceSpan span) {
  require_numbers(op, a, b, span);
  if (op == Operator::Power && is_array(a)) return square_power(frame, a, b, span);
  if (op == Operator::Power && is_array(b))
    raise(span, "the exponent of '^' must be a number, not {}", type_text(b));
  if (is_array(a) && is_array(b)) require_same_shape(op, a, b, span);
  return elementwise(frame, Op::Pow, {BaseType::Real}, a, b);
}

Value negated(Frame& frame, const Value& a, SourceSpan span) {
  if (!is_numeric(a.type)) raise(span, "'-' needs a number, not {}", type_text(a));
  return map_nodes(frame, a.type, a, Op::Neg);
}

Value logical_not(Frame& frame, const Value& a, SourceSpan span) {
  if (a.type.base != BaseType::Boolean) raise(span, "'not' needs a Boolean, not {}", type_text(a));
  return map_nodes(frame, a.type, a, Op::Not);
}

namespace {

NodeId compared(Frame& frame, Operator op, NodeId a, NodeId b, SourceSpan span) {
  ExprGraph& graph = frame.graph();
  if (op == Operator::Equal) return graph.apply(Op::Equal, a, b);
  if (op == Operator::NotEqual) return graph.apply(Op::NotEqual, a, b);
  // Written as "right side greater": a < b is b - a > 0.
  if (op == Operator::Greater || op == Operator::GreaterEqual) std::swap(a, b);
  const bool strict = op == Operator::Less || op == Operator::Greater;
  const bool both_known = graph.is_constant(a) && graph.is_constant(b);
  if (!frame.events || both_known || !(is_continuous(frame.session, a) || is_continuous(frame.session, b))) {
    return graph.apply(strict ? Op::Less : Op::LessEqual, a, b);
  }
  return relation_node(frame.session, graph.sub(b, a), strict, span);
}

}  // namespace

Value compare(Frame& frame, Operator op, const Value& a, const Value& b, SourceSpan span) {
  if (is_array(a) || is_array(b)) {
    raise(span, "'{}' compares single values, but here are {} and {}", symbol(op), type_text(a),
          type_text(b));
  }
  if (a.type.base == BaseType::String && b.type.base == BaseType::String) {
    const int order = text_of(a).compare(text_of(b));
    const bool truth = op == Operator::Equal       ? order == 0
                       : op == Operator::NotEqual  ? order != 0
                       : op == Operator::Less      ? order < 0
                       : op == Operator::LessEqual ? order <= 0
                       : op == Operator::Greater   ? order > 0
                                                   : order >= 0;
    return boolean(frame.graph().constant(truth ? 1 : 0));
  }
  const bool comparable =
      (is_numeric(a.type) && is_numeric(b.type)) || (a.type == b.type && holds_nodes(a.type));
  if (!comparable) {
    raise(span, "'{}' cannot compare {} with {}", symbol(op), type_text(a), type_text(b));
  }
  return boolean(compared(frame, op, a.node, b.node, span));
}

namespace {

// An element that only one branch has set is undefined in the other, where nothing may read it.
NodeId picked(ExprGraph& graph, NodeId condition, NodeId yes, NodeId no) {
  if (!yes.valid() || !no.valid()) return yes.valid() ? yes : no;
  return graph.if_else(condition, yes, no);
}

}  // namespace

Value choose_value(Frame& frame, NodeId condition, const Value& yes, const Value& no, SourceSpan span) {
  const Type type = common_type(yes.type, no.type, span, "an if-expression");
  if (shape_of(yes) != shape_of(no)) {
    raise(span, "the branches of an if-expression must have one size, but here are {} and {}",
          shape_text(shape_of(yes)), shape_text(shape_of(no)));
  }
  ExprGraph& graph = frame.graph();
  if (holds_nodes(type)) {
    const auto x = nodes_of(yes);
    const auto y = nodes_of(no);
    if (!is_array(yes)) return scalar(type, picked(graph, condition, x[0], y[0]));
    std::vector<NodeId> nodes(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) nodes[i] = picked(graph, condition, x[i], y[i]);
    return array(type, shape_of(yes), std::move(nodes));
  }
  if (type.base == BaseType::Record) {
    Value result{.type = type, .node = {}, .more = std::make_shared<Aggregate>()};
    result.more->shape = shape_of(yes);
    for (std::size_t i = 0; i < yes.more->parts.size(); ++i) {
      const Value& a = yes.more->parts[i];
      const Value& b = no.more->parts[i];
      if (!a.defined() || !b.defined()) {
        result.more->parts.push_back(a.defined() ? a : b);
      } else {
        result.more->parts.push_back(choose_value(frame, condition, a, b, span));
      }
    }
    return result;
  }
  if (type.base == BaseType::String && text_of(yes) == text_of(no)) return yes;
  raise(span, "a {} cannot be chosen while the simulation runs", type_text(type));
}

}  // namespace daedalus::flatten
