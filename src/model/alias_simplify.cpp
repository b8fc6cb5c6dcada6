// Expressions in terms of what the alias search knows by now.
#include <algorithm>

#include "model/alias_search.hpp"

namespace daedalus {

NodeId AliasSearch::signed_node(NodeId node, bool negative, VariableKind kind) {
  if (!negative) return node;
  return graph_.apply(kind == VariableKind::Boolean ? Op::Not : Op::Neg, node);
}

// A value is a number, time, or a discrete value, with a sign: its derivatives are known at sight.
NodeId AliasSearch::derivative_of(NodeId value, int order) {
  const Node node = graph_.node(value);
  if (node.op == Op::Neg) return graph_.neg(derivative_of(NodeId(node.args[0]), order));
  return graph_.constant(node.op == Op::Time && order == 1 ? 1 : 0);
}

NodeId AliasSearch::leaf_now(const Node& node, NodeId id) {
  if (node.op == Op::Relation) {
    const NodeId now = relation_[static_cast<std::size_t>(node.args[0])];
    return now.valid() ? now : id;
  }
  if (node.op != Op::Variable && node.op != Op::Discrete && node.op != Op::Pre) return id;
  const Signed alias = classes_.find(node.args[0]);
  const VariableKind kind = system_.variables[static_cast<std::size_t>(node.args[0])].kind;
  if (const NodeId value = classes_.value(alias.root); value.valid()) {
    const int order = node.op == Op::Variable ? node.args[1] : 0;
    return signed_node(order == 0 ? value : derivative_of(value, order), alias.negative, kind);
  }
  if (alias.root == node.args[0]) return id;
  const VariableId root(alias.root);
  const NodeId leaf = node.op == Op::Variable   ? graph_.variable(root, node.args[1])
                      : node.op == Op::Discrete ? graph_.discrete(root)
                                                : graph_.pre(root);
  return signed_node(leaf, alias.negative, kind);
}

NodeId AliasSearch::applied(const Node& node) {
  const auto arg = [&](std::size_t i) { return memo_[static_cast<std::size_t>(node.args[i])]; };
  if (node.arity == 1) return graph_.apply(node.op, arg(0));
  if (node.arity == 2) return graph_.apply(node.op, arg(0), arg(1));
  return graph_.apply(node.op, arg(0), arg(1), arg(2));
}

NodeId AliasSearch::simplified(NodeId root, std::int32_t& cost) {
  ++now_;
  cost = 0;
  const auto reserve = [&] {
    if (memo_.size() < graph_.size()) {
      memo_.resize(std::max(graph_.size(), memo_.size() * 2));
      stamp_.resize(memo_.size(), 0);
    }
  };
  reserve();
  std::vector<NodeId> stack{root};
  while (!stack.empty()) {
    const NodeId id = stack.back();
    if (stamp_[id.at()] == now_) {
      stack.pop_back();
      continue;
    }
    const Node node = graph_.node(id);  // a copy: the graph grows
    bool ready = true;
    bool differs = false;
    for (std::size_t i = 0; i < node.arity; ++i) {
      const auto child = static_cast<std::size_t>(node.args[i]);
      if (stamp_[child] != now_) {
        stack.emplace_back(node.args[i]);
        ready = false;
      } else {
        differs = differs || memo_[child] != NodeId(node.args[i]);
      }
    }
    if (!ready) continue;
    stack.pop_back();
    ++cost;
    const NodeId now = node.arity == 0 ? leaf_now(node, id) : differs ? applied(node) : id;
    memo_[id.at()] = now;
    stamp_[id.at()] = now_;
  }
  return memo_[root.at()];
}

}  // namespace daedalus
