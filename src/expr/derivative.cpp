#include "expr/derivative.hpp"

#include <algorithm>
#include <array>

namespace daedalus {
namespace {

std::array<NodeId, 3> arguments(const Node& node) {
  return {NodeId(node.args[0]), NodeId(node.args[1]), NodeId(node.args[2])};
}

// ∂node/∂argument i, or the constant zero.
NodeId partial(ExprGraph& graph, NodeId id, int i) {
  const Node node = graph.node(id);  // a copy: the graph may grow
  const OpInfo& row = info(node.op);
  if (row.partial == nullptr) return graph.constant(0);
  const auto args = arguments(node);
  return row.partial(graph, id, std::span(args.data(), node.arity), i);
}

NodeId leaf_derivative(ExprGraph& graph, const Node& node) {
  if (node.op == Op::Time) return graph.constant(1);
  if (node.op == Op::Variable) return graph.variable(VariableId(node.args[0]), node.args[1] + 1);
  return graph.constant(0);
}

// An if-expression keeps its condition and differentiates its branches, so that 0 * (branch not taken)
// never appears.
NodeId if_derivative(ExprGraph& graph, const Node& node, NodeId yes, NodeId no) {
  return graph.if_else(NodeId(node.args[0]), yes, no);
}

}  // namespace

NodeId TimeDerivative::operator()(NodeId root) {
  const auto known = [&](NodeId id) { return id.at() < memo_.size() ? memo_[id.at()] : NodeId{}; };
  if (known(root).valid()) return known(root);
  // topological_order would walk below what is known already; a depth-first search of our own stops there.
  std::vector<NodeId> stack{root};
  while (!stack.empty()) {
    const NodeId id = stack.back();
    if (known(id).valid()) {
      stack.pop_back();
      continue;
    }
    const Node node = graph_->node(id);
    bool ready = true;
    const bool piecewise_constant = node.arity > 0 && info(node.op).partial == nullptr;
    for (std::size_t i = node.op == Op::If ? 1 : 0; i < node.arity && !piecewise_constant; ++i) {
      if (!known(NodeId(node.args[i])).valid()) {
        stack.emplace_back(node.args[i]);
        ready = false;
      }
    }
    if (!ready) continue;
    stack.pop_back();
    NodeId derivative = graph_->constant(0);
    if (node.arity == 0) {
      derivative = leaf_derivative(*graph_, node);
    } else if (node.op == Op::If) {
      derivative = if_derivative(*graph_, node, known(NodeId(node.args[1])), known(NodeId(node.args[2])));
    } else if (!piecewise_constant) {
      for (int i = 0; i < node.arity; ++i) {
        const NodeId inner = known(NodeId(node.args[static_cast<std::size_t>(i)]));
        if (graph_->is_constant(inner, 0)) continue;
        derivative = graph_->add(derivative, graph_->mul(partial(*graph_, id, i), inner));
      }
    }
    if (memo_.size() <= id.at()) memo_.resize(std::max(graph_->size(), id.at() + 1));
    memo_[id.at()] = derivative;
  }
  return known(root);
}

std::vector<Partial> gradient(ExprGraph& graph, NodeId root, bool with_discrete) {
  const std::vector<NodeId> order = topological_order(graph, std::array{root});
  std::unordered_map<NodeId, NodeId> adjoint{{root, graph.constant(1)}};
  std::vector<Partial> result;
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const auto found = adjoint.find(*it);
    if (found == adjoint.end() || graph.is_constant(found->second, 0)) continue;
    const NodeId weight = found->second;
    const Node node = graph.node(*it);
    if (node.op == Op::Variable || (with_discrete && node.op == Op::Discrete)) result.push_back({*it, weight});
    for (int i = 0; i < node.arity; ++i) {
      const NodeId child(node.args[static_cast<std::size_t>(i)]);
      NodeId contribution;
      if (node.op == Op::If) {
        if (i == 0) continue;
        const NodeId zero = graph.constant(0);
        contribution = i == 1 ? graph.if_else(NodeId(node.args[0]), weight, zero)
                              : graph.if_else(NodeId(node.args[0]), zero, weight);
      } else {
        const NodeId inner = partial(graph, *it, i);
        if (graph.is_constant(inner, 0)) continue;
        contribution = graph.mul(weight, inner);
      }
      const auto [slot, fresh] = adjoint.try_emplace(child, contribution);
      if (!fresh) slot->second = graph.add(slot->second, contribution);
    }
  }
  std::sort(result.begin(), result.end(), [](const Partial& a, const Partial& b) { return a.leaf < b.leaf; });
  return result;
}

}  // namespace daedalus
