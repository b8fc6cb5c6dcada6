#include "model/flatten/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/flatten/arrays.hpp"
#include "model/flatten/calls.hpp"
#include "model/flatten/operators.hpp"

namespace daedalus::flatten {
namespace {

using ast::Expr;
using ast::ExprKind;
using ast::ExprRef;

Value evaluate_number(const Frame& frame, const Expr& e) {
  const BaseType type = e.is_integer ? BaseType::Integer : BaseType::Real;
  return scalar({type}, frame.graph().constant(e.number));
}

Value evaluate_chain(Frame& frame, const Expr& e) {
  Value result = evaluate(frame, e.children[0]);
  for (std::size_t i = 0; i < e.ops.size(); ++i) {
    result = binary(frame, e.ops[i], result, evaluate(frame, e.children[i + 1]), e.span);
  }
  return result;
}

Value evaluate_unary(Frame& frame, const Expr& e) {
  Value operand = evaluate(frame, e.children[0]);
  if (e.ops[0] == ast::Operator::Not) return logical_not(frame, operand, e.span);
  if (e.ops[0] == ast::Operator::Minus || e.ops[0] == ast::Operator::ElementMinus) {
    return negated(frame, operand, e.span);
  }
  if (!is_numeric(operand.type)) raise(e.span, "'+' needs a number, not {}", type_text(operand));
  return operand;
}

// Conditions that are known choose a branch; the others are not even looked at, since a parameter may have
// been tested exactly because they make no sense otherwise.
Value evaluate_if(Frame& frame, const Expr& e) {
  struct Branch {
    NodeId condition;
    Value value;
  };
  std::vector<Branch> branches;
  const NodeId outer_path = frame.path;
  const Scoped<NodeId> restore(frame.path, frame.path);
  Value result;
  const std::size_t n = e.children.size();
  for (std::size_t i = 0; i + 1 < n; i += 2) {
    const NodeId condition =
        evaluate_scalar(frame, e.children[i], BaseType::Boolean, "the condition of an if-expression");
    if (frame.graph().is_constant(condition, 0)) continue;
    if (frame.graph().is_constant(condition)) {
      result = evaluate(frame, e.children[i + 1]);
      break;
    }
    const NodeId before = frame.path;
    frame.path = narrowed(frame, condition);
    branches.push_back({condition, evaluate(frame, e.children[i + 1])});
    frame.path = before;
    frame.path = narrowed(frame, frame.graph().apply(Op::Not, condition));
  }
  if (!result.defined()) result = evaluate(frame, e.children[n - 1]);
  frame.path = outer_path;
  for (std::size_t k = branches.size(); k-- > 0;) {
    result = choose_value(frame, branches[k].condition, branches[k].value, result, e.span);
  }
  return result;
}

Value evaluate_array(Frame& frame, const Expr& e) {
  std::vector<Value> elements;
  elements.reserve(e.children.size());
  for (const ExprRef child : e.children) elements.push_back(evaluate(frame, child));
  return stacked(elements, e.span);
}

Value evaluate_matrix(Frame& frame, const Expr& e) {
  std::vector<Value> rows;
  std::size_t next = 0;
  for (const std::int32_t columns : e.row_sizes) {
    std::vector<Value> row;
    for (std::int32_t k = 0; k < columns; ++k) {
      row.push_back(as_matrix(evaluate(frame, e.children[next++]), e.span));
    }
    rows.push_back(concatenated(row, 1, e.span));
  }
  return concatenated(rows, 0, e.span);
}

Value evaluate_end(const Frame& frame, const Expr& e) {
  if (frame.ends.empty()) raise(e.span, "'end' has a meaning only inside a subscript");
  return scalar({BaseType::Integer}, frame.graph().constant(frame.ends.back()));
}

Value evaluate_subscripted(Frame& frame, const Expr& e) {
  return subscripted(frame, evaluate(frame, e.children[0]), std::span(e.children).subspan(1), e.span);
}

// An array of records gives an array of fields.
Value field_of_all(const Value& value, std::string_view name, SourceSpan span) {
  if (!is_array(value)) return field_of(value, name, span);
  std::vector<Value> fields;
  for (std::size_t i = 0; i < element_count(shape_of(value)); ++i)
    fields.push_back(field_of(element(value, i), name, span));
  Value all = stacked(fields, span);
  Shape shape = shape_of(value);
  shape.insert(shape.end(), shape_of(all).begin() + 1, shape_of(all).end());
  return reshaped(all, std::move(shape));
}

// (f(x)).field[1]...
Value evaluate_member(Frame& frame, const Expr& e) {
  Value value = evaluate(frame, e.children[0]);
  for (const ast::NamePart& part : e.parts) {
    value = subscripted(frame, field_of_all(value, part.name, e.span), part.subscripts, e.span);
  }
  return value;
}

Value dispatch(Frame& frame, ExprRef ref) {
  const Expr& e = frame.expression(ref);
  switch (e.kind) {
    case ExprKind::Number:
      return evaluate_number(frame, e);
    case ExprKind::String:
      return string_value(e.text);
    case ExprKind::Boolean:
      return boolean(frame.graph().constant(e.number));
    case ExprKind::Name:
      return evaluate_name(frame, ref);
    case ExprKind::Chain:
      return evaluate_chain(frame, e);
    case ExprKind::Unary:
      return evaluate_unary(frame, e);
    case ExprKind::Power: {
      const Value base = evaluate(frame, e.children[0]);
      return power(frame, e.ops[0], base, evaluate(frame, e.children[1]), e.span);
    }
    case ExprKind::Relation: {
      const Value left = evaluate(frame, e.children[0]);
      return compare(frame, e.ops[0], left, evaluate(frame, e.children[1]), e.span);
    }
    case ExprKind::If:
      return evaluate_if(frame, e);
    case ExprKind::Call:
      return evaluate_call(frame, ref);
    case ExprKind::Comprehension:
      return evaluate_comprehension(frame, ref);
    case ExprKind::Array:
      return evaluate_array(frame, e);
    case ExprKind::Matrix:
      return evaluate_matrix(frame, e);
    case ExprKind::Range:
      return evaluate_range(frame, ref);
    case ExprKind::End:
      return evaluate_end(frame, e);
    case ExprKind::Subscripted:
      return evaluate_subscripted(frame, e);
    case ExprKind::Member:
      return evaluate_member(frame, e);
    case ExprKind::Tuple:
      raise(e.span, "several values in parentheses can stand only on the left of '=' or ':='");
    case ExprKind::Colon:
      raise(e.span, "':' has a meaning only as a subscript");
    case ExprKind::PartialCall:
      return partial_call(frame, e);
  }
  raise(e.span, "this expression is not supported");
}

}  // namespace

Value evaluate(Frame& frame, ExprRef ref) {
  const SourceSpan span = frame.expression(ref).span;
  const Nesting nesting(frame.session, span);
  Value value = dispatch(frame, ref);
  const std::size_t count = is_array(value) ? element_count(shape_of(value)) : 1;
  check_size(frame.session, count, span);
  count_work(frame.session, count, span);
  return value;
}

NodeId evaluate_scalar(Frame& frame, ExprRef ref, BaseType type, std::string_view what) {
  const Value value = evaluate(frame, ref);
  const bool integer_for_real = type == BaseType::Real && value.type.base == BaseType::Integer;
  if (is_array(value) || (value.type.base != type && !integer_for_real)) {
    raise(frame.expression(ref).span, "{} must be {}, but this is {}", what, type_text(Type{type}),
          type_text(value));
  }
  return value.node;
}

double evaluate_constant(Frame& frame, ExprRef ref, std::string_view what) {
  const Value value = evaluate(frame, ref);
  const SourceSpan span = frame.expression(ref).span;
  if (is_array(value) || !holds_nodes(value.type)) {
    raise(span, "{} must be a single number, but this is {}", what, type_text(value));
  }
  if (frame.graph().is_constant(value.node)) return frame.graph().node(value.node).value;
  // What does not fold although it has no variables is no finite number: 1/0, log(-1).
  if (leaves_of(frame.graph(), value.node).empty()) {
    return daedalus::evaluate(frame.graph(), value.node, [](NodeId) { return 0.0; });
  }
  raise_unknown(frame.session, value.node, span, what);
}

std::optional<double> fold_number(Frame& frame, ExprRef ref) {
  const Expr& e = frame.expression(ref);
  switch (e.kind) {
    case ExprKind::Number:
      return e.number;
    case ExprKind::End:
      return frame.ends.empty() ? std::nullopt : std::optional<double>(frame.ends.back());
    case ExprKind::Name:
      return fold_name(frame, ref);
    case ExprKind::Unary: {
      if (e.ops[0] != ast::Operator::Minus) return std::nullopt;
      const auto inner = fold_number(frame, e.children[0]);
      return inner ? std::optional(-*inner) : std::nullopt;
    }
    case ExprKind::Chain: {
      std::optional<double> sum = fold_number(frame, e.children[0]);
      for (std::size_t i = 0; i < e.ops.size() && sum; ++i) {
        const auto next = fold_number(frame, e.children[i + 1]);
        if (!next) return std::nullopt;
        if (e.ops[i] == ast::Operator::Plus) {
          *sum += *next;
        } else if (e.ops[i] == ast::Operator::Minus) {
          *sum -= *next;
        } else if (e.ops[i] == ast::Operator::Times) {
          *sum *= *next;
        } else {
          return std::nullopt;
        }
      }
      return sum;
    }
    default:
      return std::nullopt;
  }
}

std::int64_t evaluate_integer(Frame& frame, ExprRef ref, std::string_view what) {
  std::optional<double> number = fold_number(frame, ref);
  if (!number) number = evaluate_constant(frame, ref, what);
  constexpr double largest = 9e15;  // whole numbers are exact in double below 2^53
  if (!(std::fabs(*number) <= largest) || *number != std::floor(*number)) {
    raise(frame.expression(ref).span, "{} must be a whole number, but it is {}", what, *number);
  }
  return static_cast<std::int64_t>(*number);
}

void for_each(Frame& frame, std::span<const ast::Iterator> iterators, const std::function<void()>& body) {
  if (iterators.empty()) {
    body();
    return;
  }
  const ast::Iterator& first = iterators.front();
  if (first.range < 0) {
    raise(first.span, "the iterator '{}' needs a range: for {} in 1:n", first.name, first.name);
  }
  const auto run = [&](Value value) {
    count_iteration(frame.session, first.span);
    frame.iterators.push_back({first.name, std::move(value)});
    try {
      for_each(frame, iterators.subspan(1), body);
    } catch (...) {
      frame.iterators.pop_back();
      throw;
    }
    frame.iterators.pop_back();
  };
  const Expr& range = frame.expression(first.range);
  if (range.kind == ExprKind::Range) {
    const RangeNumbers numbers = range_numbers(frame, first.range);
    for (std::size_t i = 0; i < numbers.count; ++i) {
      run(scalar(numbers.type, frame.graph().constant(numbers.at(i))));
    }
    return;
  }
  const Value values = evaluate(frame, first.range);
  if (shape_of(values).size() != 1) {
    raise(range.span, "the iterator '{}' runs over a vector or a range, but this is {}", first.name,
          type_text(values));
  }
  for (std::size_t i = 0; i < element_count(shape_of(values)); ++i) run(element(values, i));
}

std::string iterator_text(const Frame& frame) {
  std::string text;
  for (const BoundIterator& iterator : frame.iterators) {
    if (!text.empty()) text += ", ";
    text += iterator.name;
    if (holds_nodes(iterator.value.type) && frame.graph().is_constant(iterator.value.node)) {
      fmt::format_to(std::back_inserter(text), " = {}", frame.graph().node(iterator.value.node).value);
    }
  }
  return text;
}

}  // namespace daedalus::flatten
