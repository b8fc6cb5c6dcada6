// Operators of Modelica that deal with time and events, and rounding, which makes events.
#include <cmath>

#include "model/flatten/calls.hpp"
#include "model/flatten/delays.hpp"
#include "model/flatten/evaluate.hpp"
#include "model/flatten/operators.hpp"
#include "model/flatten/rounding.hpp"

namespace daedalus::flatten {
namespace {

using ast::Expr;

template <class F>
Value map_elements(const Value& value, Type type, F&& function) {
  if (!is_array(value)) return scalar(type, function(value.node));
  std::vector<NodeId> nodes;
  for (const NodeId node : nodes_of(value)) nodes.push_back(function(node));
  return array(type, shape_of(value), std::move(nodes));
}

void only_in_model(const Frame& frame, const Expr& e, std::string_view name) {
  if (frame.place == Place::Function) raise(e.span, "'{}' cannot stand in a function", name);
  if (frame.place == Place::Declaration)
    raise(e.span, "'{}' cannot stand in a parameter or an attribute", name);
}

NodeId derivative_of(Frame& frame, NodeId node, SourceSpan span) {
  const Node& n = frame.graph().node(node);
  if (n.op == Op::Variable) return frame.graph().variable(VariableId(n.args[0]), n.args[1] + 1);
  if (n.op == Op::Discrete || n.op == Op::Pre) {
    const Variable& variable = frame.session.system.variables[static_cast<std::size_t>(n.args[0])];
    if (variable.kind == VariableKind::Parameter) return frame.graph().constant(0);
    raise(span, "'{}' is discrete (it changes only at events), so it has no derivative", variable.name);
  }
  if (!frame.session.derivative) frame.session.derivative.emplace(frame.graph());
  return (*frame.session.derivative)(node);
}

Value call_der(Frame& frame, const Expr& e, Arguments arguments) {
  only_in_model(frame, e, "der");
  const Value value = evaluate(frame, arguments[0]);
  if (value.type.base == BaseType::Record || !is_numeric(value.type)) {
    raise(e.span, "'der' needs a Real, not {}", type_text(value));
  }
  return map_elements(value, {BaseType::Real},
                      [&](NodeId node) { return derivative_of(frame, node, e.span); });
}

// The variables themselves, even where an algorithm has given them values already.
Value variables_of(Frame& frame, const Expr& e, ast::ExprRef argument, std::string_view name) {
  only_in_model(frame, e, name);
  const Scoped<Overlay*> overlay(frame.overlay, nullptr);
  const Value value = evaluate(frame, argument);
  if (!holds_nodes(value.type)) raise(e.span, "'{}' needs a variable, not {}", name, type_text(value));
  return value;
}

NodeId pre_of(Frame& frame, NodeId node, SourceSpan span, std::string_view name) {
  if (frame.graph().is_constant(node)) return node;
  const VariableId variable = variable_of(frame.session, node);
  if (!variable.valid()) raise(span, "'{}' needs a variable, not an expression", name);
  const VariableKind kind = frame.session.system.variables[variable.at()].kind;
  if (kind == VariableKind::Parameter || kind == VariableKind::FreeParameter) return node;
  return frame.graph().pre(variable);
}

Value call_pre(Frame& frame, const Expr& e, Arguments arguments) {
  const Value value = variables_of(frame, e, arguments[0], "pre");
  return map_elements(value, value.type, [&](NodeId node) { return pre_of(frame, node, e.span, "pre"); });
}

Value call_edge(Frame& frame, const Expr& e, Arguments arguments) {
  const Value value = variables_of(frame, e, arguments[0], "edge");
  if (value.type.base != BaseType::Boolean) raise(e.span, "'edge' needs a Boolean, not {}", type_text(value));
  return map_elements(value, value.type, [&](NodeId node) {
    const NodeId before = pre_of(frame, node, e.span, "edge");
    return frame.graph().apply(Op::And, node, frame.graph().apply(Op::Not, before));
  });
}

Value call_change(Frame& frame, const Expr& e, Arguments arguments) {
  const Value value = variables_of(frame, e, arguments[0], "change");
  return map_elements(value, {BaseType::Boolean}, [&](NodeId node) {
    return frame.graph().apply(Op::NotEqual, node, pre_of(frame, node, e.span, "change"));
  });
}

Value call_initial(Frame& frame, const Expr& e, Arguments /*arguments*/) {
  only_in_model(frame, e, "initial");
  return boolean(frame.graph().initial());
}

// Nothing happens after the end of a simulation here, so terminal() is never true.
Value call_terminal(Frame& frame, const Expr& e, Arguments /*arguments*/) {
  only_in_model(frame, e, "terminal");
  if (!frame.session.warned_of_terminal) {
    warn(frame.session, e.span,
         "terminal() is taken as false: nothing is computed after the end of a simulation");
    frame.session.warned_of_terminal = true;
  }
  return boolean(frame.graph().constant(0));
}

Value call_sample(Frame& frame, const Expr& e, Arguments arguments) {
  only_in_model(frame, e, "sample");
  const double start = evaluate_constant(frame, arguments[0], "the start of sample");
  const double interval = evaluate_constant(frame, arguments[1], "the interval of sample");
  if (!(interval > 0)) raise(e.span, "the interval of sample must be positive, but it is {}", interval);
  const auto [found, fresh] =
      frame.session.sample_of.try_emplace({start, interval}, SampleId(frame.session.system.samples.size()));
  if (fresh) frame.session.system.samples.push_back({.start = start, .interval = interval, .span = e.span});
  return boolean(frame.graph().sample(found->second));
}

Value call_no_event(Frame& frame, const Expr& /*e*/, Arguments arguments) {
  const Scoped<bool> events(frame.events, false);
  return evaluate(frame, arguments[0]);
}

// smooth(p, e) with p >= 1 says that e can be differentiated through, so no event is needed. With p = 0 a
// kink is left, and kinks deserve events.
Value call_smooth(Frame& frame, const Expr& /*e*/, Arguments arguments) {
  const double order = evaluate_constant(frame, arguments[0], "the order of smooth");
  const Scoped<bool> events(frame.events, frame.events && order < 1);
  return evaluate(frame, arguments[1]);
}

Value call_homotopy(Frame& frame, const Expr& /*e*/, Arguments arguments) {
  return evaluate(frame, arguments[0]);
}

// What semiLinear lets through where nothing flows, in the unit of the flow: far below what flows count for,
// and far above the rounding of sums of flows.
constexpr double seepage = 1e-12;

// semiLinear(x, a, b): a*x where x >= 0, b*x elsewhere (Modelica 3.7.2.5). In connections of flows of
// enthalpy, H = semiLinear(m, h_port, h), nothing else determines h_port, and where m = 0 nothing would. With
// a trace that seeps through, h_port is the mean of its neighbours then.
Value call_semi_linear(Frame& frame, const Expr& e, Arguments arguments) {
  const Value x =
      real(evaluate_scalar(frame, arguments[0], BaseType::Real, "the first argument of semiLinear"));
  const Value up = real(evaluate_scalar(frame, arguments[1], BaseType::Real, "the positive slope"));
  const Value down = real(evaluate_scalar(frame, arguments[2], BaseType::Real, "the negative slope"));
  const Value zero = real(frame.graph().constant(0));
  const NodeId positive = compare(frame, ast::Operator::GreaterEqual, x, zero, e.span).node;
  const Value linear =
      choose_value(frame, positive, product(frame, up, x, e.span), product(frame, down, x, e.span), e.span);
  const auto varies = [&](const Value& v) { return is_continuous(frame.session, v.node); };
  if (!varies(x) || !(varies(up) || varies(down))) return linear;
  ExprGraph& graph = frame.graph();
  return real(graph.add(linear.node, graph.mul(graph.constant(seepage), graph.sub(up.node, down.node))));
}

Value rounded(Frame& frame, const Expr& e, Arguments arguments, Rounding how) {
  const Value value = evaluate(frame, arguments[0]);
  if (value.type.base == BaseType::Enumeration)
    return map_elements(value, {BaseType::Integer}, [](NodeId n) { return n; });
  if (!is_numeric(value.type)) raise(e.span, "rounding needs a number, not {}", type_text(value));
  const Type type{how == Rounding::Integer ? BaseType::Integer : BaseType::Real};
  return map_elements(value, type, [&](NodeId node) {
    return how == Rounding::Up ? held_ceil(frame, node, e.span) : held_floor(frame, node, e.span);
  });
}

Value call_floor(Frame& frame, const Expr& e, Arguments arguments) {
  return rounded(frame, e, arguments, Rounding::Down);
}
Value call_ceil(Frame& frame, const Expr& e, Arguments arguments) {
  return rounded(frame, e, arguments, Rounding::Up);
}
Value call_integer(Frame& frame, const Expr& e, Arguments arguments) {
  return rounded(frame, e, arguments, Rounding::Integer);
}

struct Quotient {
  NodeId dividend;
  NodeId divisor;
  NodeId value;
  Type type;
};

Quotient quotient(Frame& frame, const Expr& e, Arguments arguments) {
  const Value a = evaluate(frame, arguments[0]);
  const Value b = evaluate(frame, arguments[1]);
  if (is_array(a) || is_array(b) || !is_numeric(a.type) || !is_numeric(b.type)) {
    raise(e.span, "a division with remainder needs two numbers, but here are {} and {}", type_text(a),
          type_text(b));
  }
  if (frame.graph().is_constant(b.node, 0)) raise(e.span, "division by zero");
  return {a.node, b.node, frame.graph().div(a.node, b.node),
          common_type(a.type, b.type, e.span, "a division")};
}

// The quotient without its fraction.
NodeId truncated(Frame& frame, NodeId value, SourceSpan span) {
  ExprGraph& graph = frame.graph();
  const Value zero = real(graph.constant(0));
  const NodeId positive = compare(frame, ast::Operator::GreaterEqual, real(value), zero, span).node;
  if (graph.is_constant(positive)) {
    return graph.node(positive).value != 0 ? held_floor(frame, value, span) : held_ceil(frame, value, span);
  }
  return graph.if_else(positive, held_floor(frame, value, span), held_ceil(frame, value, span));
}

Value call_div(Frame& frame, const Expr& e, Arguments arguments) {
  const Quotient q = quotient(frame, e, arguments);
  return scalar(q.type, truncated(frame, q.value, e.span));
}

Value call_mod(Frame& frame, const Expr& e, Arguments arguments) {
  const Quotient q = quotient(frame, e, arguments);
  const NodeId whole = held_floor(frame, q.value, e.span);
  return scalar(q.type, frame.graph().sub(q.dividend, frame.graph().mul(whole, q.divisor)));
}

Value call_rem(Frame& frame, const Expr& e, Arguments arguments) {
  const Quotient q = quotient(frame, e, arguments);
  const NodeId whole = truncated(frame, q.value, e.span);
  return scalar(q.type, frame.graph().sub(q.dividend, frame.graph().mul(whole, q.divisor)));
}

constexpr Builtin table[] = {
    {"der", 1, 1, "", call_der},
    {"pre", 1, 1, "", call_pre},
    {"edge", 1, 1, "", call_edge},
    {"change", 1, 1, "", call_change},
    {"initial", 0, 0, "", call_initial},
    {"terminal", 0, 0, "", call_terminal},
    {"delay", 2, 3, "expr,delayTime,delayMax", call_delay},
    {"sample", 2, 2, "start,interval", call_sample},
    {"noEvent", 1, 1, "", call_no_event},
    {"smooth", 2, 2, "p,expr", call_smooth},
    {"homotopy", 2, 2, "actual,simplified", call_homotopy},
    {"semiLinear", 3, 3, "", call_semi_linear},
    {"floor", 1, 1, "", call_floor},
    {"ceil", 1, 1, "", call_ceil},
    {"integer", 1, 1, "", call_integer},
    {"div", 2, 2, "", call_div},
    {"mod", 2, 2, "", call_mod},
    {"rem", 2, 2, "", call_rem},
};

}  // namespace

std::span<const Builtin> event_builtins() {
  return table;
}

}  // namespace daedalus::flatten
