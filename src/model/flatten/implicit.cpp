#include "model/flatten/implicit.hpp"

namespace daedalus::flatten {
namespace {

// Halves the interval until it cannot be halved any more.
double bisected(Frame& frame, const ImplicitEquation& equation, SourceSpan span) {
  ExprGraph& graph = frame.graph();
  const auto at = [&](double u) { return graph.node(equation.value(graph.constant(u))).value; };
  double low = graph.node(equation.low).value;
  double high = graph.node(equation.high).value;
  const double f_low = at(low);
  if (f_low == 0) return low;
  if (at(high) * f_low > 0) {
    raise(span, "f(u) = 0 is to be solved between {} and {}, but '{}' has the same sign at both ends", low,
          high, equation.name);
  }
  while (true) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return middle;
    (at(middle) * f_low > 0 ? low : high) = middle;
  }
}

NodeId unknown_of(Frame& frame, const ImplicitEquation& equation, SourceSpan span) {
  Session& session = frame.session;
  ExprGraph& graph = frame.graph();
  const std::string key = equation.key.empty() ? std::string()
                                               : fmt::format("{} where {}", equation.key,
                                                             frame.path.valid() ? frame.path.value : -1);
  if (const auto known = session.implicit.find(key); known != session.implicit.end()) return known->second;
  const VariableId id(session.system.variables.size());
  Variable variable;
  variable.name =
      fmt::format("solution #{} of {}", session.implicit.size() + 1, session.sources->excerpt(span, 60));
  variable.internal = true;
  variable.span = span;
  const auto low = default_value(session, equation.low);
  const auto high = default_value(session, equation.high);
  if (low && high) variable.start = (*low + *high) / 2;
  variable.has_start = low && high;
  const double start = variable.start;
  session.system.variables.push_back(std::move(variable));
  const NodeId u = graph.variable(id);
  NodeId residual = equation.value(u);
  // Where the call does not count, the unknown rests at its start value.
  if (frame.path.valid()) residual = graph.if_else(frame.path, residual, graph.sub(u, graph.constant(start)));
  session.system.equations.push_back({.residual = residual, .span = span, .label = {}});
  session.implicit.emplace(key.empty() ? fmt::format("#{}", id.value) : key, u);
  return u;
}

}  // namespace

NodeId solve_equation(Frame& frame, const ImplicitEquation& equation, SourceSpan span) {
  const ExprGraph& graph = frame.graph();
  const bool bounds = graph.is_constant(equation.low) && graph.is_constant(equation.high);
  if (bounds && graph.is_constant(equation.value(equation.low)))
    return frame.graph().constant(bisected(frame, equation, span));
  return unknown_of(frame, equation, span);
}

}  // namespace daedalus::flatten
