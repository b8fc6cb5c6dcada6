#include "model/relation_table.hpp"

namespace daedalus {

bool RelationTable::is_continuous(const ExprGraph& graph, NodeId node) {
  // Arguments have smaller numbers than what is made of them, so one pass over the new nodes suffices.
  for (std::size_t i = continuous_.size(); i < graph.size(); ++i) {
    const Node& next = graph.node(NodeId(i));
    bool continuous = next.op == Op::Time || next.op == Op::Variable;
    for (std::size_t k = 0; k < next.arity; ++k) {
      continuous = continuous || continuous_[static_cast<std::size_t>(next.args[k])];
    }
    continuous_.push_back(continuous);
  }
  return continuous_[node.at()];
}

NodeId RelationTable::leaf(DaeSystem& system, NodeId difference, bool strict, SourceSpan span) {
  ExprGraph& graph = *system.graph;
  if (graph.is_constant(difference)) {
    const double value = graph.node(difference).value;
    return graph.constant((strict ? value > 0 : value >= 0) ? 1 : 0);
  }
  if (const auto found = relation_.find({difference.value, strict}); found != relation_.end()) {
    return graph.relation(found->second);
  }
  // a >= b is not (b - a > 0): one event serves both.
  const NodeId opposite = graph.neg(difference);
  if (const auto found = relation_.find({opposite.value, !strict}); found != relation_.end()) {
    return graph.apply(Op::Not, graph.relation(found->second));
  }
  const RelationId id(system.relations.size());
  system.relations.push_back({.difference = difference, .strict = strict, .span = span});
  relation_.emplace(Key{difference.value, strict}, id);
  return graph.relation(id);
}

}  // namespace daedalus
