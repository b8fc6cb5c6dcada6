// Numeric functions whose type or arity is special, and conversions to text.
#include "model/flatten/calls.hpp"
#include "model/flatten/evaluate.hpp"
#include "model/flatten/operators.hpp"

namespace daedalus::flatten {
namespace {

using ast::Expr;

Value numeric_argument(Frame& frame, const Expr& e, ast::ExprRef ref) {
  Value value = evaluate(frame, ref);
  if (!is_numeric(value.type)) raise(e.span, "'{}' needs a number, not {}", joined_name(e), type_text(value));
  return value;
}

Value call_abs(Frame& frame, const Expr& e, Arguments arguments) {
  const Value value = numeric_argument(frame, e, arguments[0]);
  return map_nodes(frame, value.type, value, Op::Abs);
}

Value call_sign(Frame& frame, const Expr& e, Arguments arguments) {
  return map_nodes(frame, {BaseType::Integer}, numeric_argument(frame, e, arguments[0]), Op::Sign);
}

Value call_atan2(Frame& frame, const Expr& /*e*/, Arguments arguments) {
  const NodeId y = evaluate_scalar(frame, arguments[0], BaseType::Real, "the first argument of atan2");
  const NodeId x = evaluate_scalar(frame, arguments[1], BaseType::Real, "the second argument of atan2");
  return real(frame.graph().apply(Op::Atan2, y, x));
}

// Integer(literal).
Value call_to_integer(Frame& frame, const Expr& e, Arguments arguments) {
  const Value value = evaluate(frame, arguments[0]);
  if (is_array(value) || (value.type.base != BaseType::Enumeration && value.type.base != BaseType::Integer)) {
    raise(e.span, "'Integer' converts a literal of an enumeration, not {}; integer(...) rounds a Real",
          type_text(value));
  }
  return scalar({BaseType::Integer}, value.node);
}

// Text of a value that is known; the format arguments are not needed for messages.
Value call_string(Frame& frame, const Expr& e, Arguments arguments) {
  Value value = evaluate(frame, arguments[0]);
  if (value.type.base == BaseType::String) return value;
  if (is_array(value) || !holds_nodes(value.type))
    raise(e.span, "'String' cannot convert {}", type_text(value));
  if (!frame.graph().is_constant(value.node)) {
    // The value that it will have is not known yet; texts are for messages, so its name stands for it.
    std::string text = expression_text(frame.session.system, value.node);
    constexpr std::size_t longest = 80;
    if (text.size() > longest) text = text.substr(0, longest) + "...";
    return string_value(std::move(text));
  }
  const double number = frame.graph().node(value.node).value;
  if (value.type.base == BaseType::Boolean) return string_value(number != 0 ? "true" : "false");
  if (value.type.base == BaseType::Enumeration) {
    return string_value(value.type.definition->literals.at(static_cast<std::size_t>(number) - 1));
  }
  return string_value(fmt::format("{:.6g}", number));
}

// Base Modelica: prioritize(value, priority) in a guess. All guesses are followed as nearly as possible here,
// so the priority makes no difference.
Value call_prioritize(Frame& frame, const Expr& /*e*/, Arguments arguments) {
  return evaluate(frame, arguments[0]);
}

Value call_instance_name(Frame& frame, const Expr& /*e*/, Arguments /*arguments*/) {
  return string_value(frame.session.system.name);
}

constexpr Builtin table[] = {
    {"abs", 1, 1, "", call_abs},
    {"sign", 1, 1, "", call_sign},
    {"atan2", 2, 2, "", call_atan2},
    {"Integer", 1, 1, "", call_to_integer},
    {"String", 1, 5, "value,significantDigits,minimumLength,leftJustified,format", call_string},
    {"prioritize", 2, 2, "", call_prioritize},
    {"getInstanceName", 0, 0, "", call_instance_name},
};

}  // namespace

std::span<const Builtin> math_builtins() {
  return table;
}

}  // namespace daedalus::flatten
