#include "model/flatten/rounding.hpp"

namespace daedalus::flatten {
NodeId held_floor(Frame& frame, NodeId x, SourceSpan span) {
  Session& session = frame.session;
  ExprGraph& graph = frame.graph();
  if (!frame.events || !is_continuous(session, x)) return graph.apply(Op::Floor, x);
  if (const auto known = session.floors.find(x); known != session.floors.end()) return known->second;
  const VariableId n(session.system.variables.size());
  Variable variable;
  // Named by its place in the text: the expression itself can be of any length.
  variable.name =
      fmt::format("floor in {} #{}", session.sources->excerpt(span, 60), session.floors.size() + 1);
  variable.kind = VariableKind::Integer;
  variable.internal = true;
  variable.description = "held between events";
  variable.span = span;
  session.system.variables.push_back(std::move(variable));
  const NodeId value = graph.discrete(n);
  session.floors.emplace(x, value);
  const NodeId before = graph.pre(n);
  const NodeId above = graph.add(before, graph.constant(1));
  const NodeId up = relation_node(session, graph.sub(x, above), false, span);
  const NodeId down = relation_node(session, graph.sub(before, x), true, span);
  const NodeId floor = graph.apply(Op::Floor, x);
  const NodeId below = graph.sub(before, graph.constant(1));
  const NodeId moved = graph.if_else(up, graph.apply(Op::Max, floor, above),
                                     graph.if_else(down, graph.apply(Op::Min, floor, below), before));
  session.discrete_equations.push_back({.left = value,
                                        .right = graph.if_else(graph.initial(), floor, moved),
                                        .type = {BaseType::Integer},
                                        .span = span,
                                        .label = {}});
  return value;
}

NodeId held_ceil(Frame& frame, NodeId x, SourceSpan span) {
  ExprGraph& graph = frame.graph();
  if (!frame.events || !is_continuous(frame.session, x)) return graph.apply(Op::Ceil, x);
  return graph.neg(held_floor(frame, graph.neg(x), span));
}

}  // namespace daedalus::flatten
