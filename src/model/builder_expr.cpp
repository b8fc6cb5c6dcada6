// Expr: operators and functions.
#include <array>
#include <cassert>

#include "model/builder.hpp"
#include "model/builder_state.hpp"

namespace daedalus {
namespace {

BuilderState* common(const Expr& a, const Expr& b) {
  assert(a.is_number() || b.is_number() || a.state() == b.state());
  return a.is_number() ? b.state() : a.state();
}

// Numbers alone are computed at once.
Expr numeric(Op op, double a, double b = 0, double c = 0) {
  return info(op).evaluate(a, b, c);
}

// a < b, or a <= b.
Expr less(const Expr& a, const Expr& b, bool strict) {
  BuilderState* state = common(a, b);
  const Op op = strict ? Op::Less : Op::LessEqual;
  if (state == nullptr) return numeric(op, a.number(), b.number());
  ExprGraph& graph = *state->system.graph;
  const NodeId x = a.node(*state);
  const NodeId y = b.node(*state);
  if (state->relations.is_continuous(graph, x) || state->relations.is_continuous(graph, y)) {
    return {state, state->relations.leaf(state->system, graph.sub(y, x), strict, {})};
  }
  return {state, graph.apply(op, x, y)};
}

}  // namespace

NodeId Expr::node(BuilderState& state) const {
  assert(state_ == nullptr || state_ == &state);
  return state_ == nullptr ? state.system.graph->constant(number_) : node_;
}

Expr apply(Op op, const Expr& a) {
  if (a.is_number()) return numeric(op, a.number());
  return {a.state(), a.state()->system.graph->apply(op, a.node(*a.state()))};
}

Expr apply(Op op, const Expr& a, const Expr& b) {
  BuilderState* state = common(a, b);
  if (state == nullptr) return numeric(op, a.number(), b.number());
  return {state, state->system.graph->apply(op, a.node(*state), b.node(*state))};
}

Expr operator<(const Expr& a, const Expr& b) {
  return less(a, b, true);
}
Expr operator<=(const Expr& a, const Expr& b) {
  return less(a, b, false);
}
Expr operator>(const Expr& a, const Expr& b) {
  return less(b, a, true);
}
Expr operator>=(const Expr& a, const Expr& b) {
  return less(b, a, false);
}

Expr pow(const Expr& a, const Expr& b) {
  return apply(Op::Pow, a, b);
}
Expr abs(const Expr& a) {
  return apply(Op::Abs, a);
}
Expr sign(const Expr& a) {
  return apply(Op::Sign, a);
}
Expr sqrt(const Expr& a) {
  return apply(Op::Sqrt, a);
}
Expr exp(const Expr& a) {
  return apply(Op::Exp, a);
}
Expr log(const Expr& a) {
  return apply(Op::Log, a);
}
Expr log10(const Expr& a) {
  return apply(Op::Log10, a);
}
Expr sin(const Expr& a) {
  return apply(Op::Sin, a);
}
Expr cos(const Expr& a) {
  return apply(Op::Cos, a);
}
Expr tan(const Expr& a) {
  return apply(Op::Tan, a);
}
Expr asin(const Expr& a) {
  return apply(Op::Asin, a);
}
Expr acos(const Expr& a) {
  return apply(Op::Acos, a);
}
Expr atan(const Expr& a) {
  return apply(Op::Atan, a);
}
Expr sinh(const Expr& a) {
  return apply(Op::Sinh, a);
}
Expr cosh(const Expr& a) {
  return apply(Op::Cosh, a);
}
Expr tanh(const Expr& a) {
  return apply(Op::Tanh, a);
}
Expr atan2(const Expr& y, const Expr& x) {
  return apply(Op::Atan2, y, x);
}
Expr min(const Expr& a, const Expr& b) {
  return apply(Op::Min, a, b);
}
Expr max(const Expr& a, const Expr& b) {
  return apply(Op::Max, a, b);
}

Expr if_else(const Expr& condition, const Expr& yes, const Expr& no) {
  if (condition.is_number()) return condition.number() != 0 ? yes : no;
  BuilderState& state = *condition.state();
  return {&state, state.system.graph->if_else(condition.node(state), yes.node(state), no.node(state))};
}

Expr der(const Expr& a) {
  if (a.is_number()) return 0;
  return {a.state(), a.state()->derivative(a.node(*a.state()))};
}

Expr pre(const Expr& variable) {
  if (variable.is_number()) return variable;
  BuilderState& state = *variable.state();
  const VariableId id = state.require_variable(variable.node(state), "pre");
  if (!id.valid() || state.system.variables[id.at()].kind == VariableKind::FreeParameter) return variable;
  return {&state, state.system.graph->pre(id)};
}

Expr no_event(const Expr& a) {
  if (a.is_number()) return a;
  BuilderState& state = *a.state();
  ExprGraph& graph = *state.system.graph;
  NodeId node = a.node(state);
  // A relation's difference may contain relations itself, so this ends when none is left.
  for (bool changed = true; changed;) {
    changed = false;
    for (const NodeId leaf : leaves_of(graph, node)) {
      if (graph.node(leaf).op != Op::Relation) continue;
      const Relation& relation = state.system.relations[static_cast<std::size_t>(graph.node(leaf).args[0])];
      const NodeId plain =
          graph.apply(relation.strict ? Op::Less : Op::LessEqual, graph.constant(0), relation.difference);
      node = substitute(graph, std::array{node}, {{leaf, plain}}).front();
      changed = true;
    }
  }
  return {&state, node};
}

}  // namespace daedalus
