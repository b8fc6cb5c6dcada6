#include "expr/derivative.hpp"

#include <algorithm>
#include <array>

namespace daedalus {
namespace {

using Arguments = std::array<NodeId, 3>;

Arguments arguments(const Node& node) {
  return {NodeId(node.args[0]), NodeId(node.args[1]), NodeId(node.args[2])};
}

// ∂node/∂argument i.
NodeId partial(ExprGraph& graph, NodeId id, const Node& node, int i) {
  const Arguments args = arguments(node);
  return info(node.op).partial(graph, id, std::span(args.data(), node.arity), i);
}

// A choice hands on one of its last two arguments; this is the condition for the first of them.
NodeId condition_of(ExprGraph& graph, const Node& node) {
  const Arguments args = arguments(node);
  return info(node.op).choice(graph, std::span(args.data(), node.arity));
}

bool is_choice(const Node& node) {
  return info(node.op).choice != nullptr;
}
bool piecewise_constant(const Node& node) {
  return info(node.op).partial == nullptr && !is_choice(node);
}
// The arguments that the value depends on smoothly are those from here on.
int first_smooth_argument(const Node& node) {
  if (piecewise_constant(node)) return node.arity;
  return is_choice(node) ? node.arity - 2 : 0;
}

// outer * inner by the chain rule. Where inner is zero by choice, as that of sqrt(max(x, 0)) for x < 0, so is
// the product, although outer may be infinite there.
NodeId chain(ExprGraph& graph, NodeId outer, NodeId inner) {
  const Node node = graph.node(inner);
  if (node.op == Op::If && !graph.node(outer).finite) {
    const NodeId condition(node.args[0]);
    const NodeId yes(node.args[1]);
    const NodeId no(node.args[2]);
    if (graph.is_constant(yes, 0)) return graph.if_else(condition, yes, graph.mul(outer, no));
    if (graph.is_constant(no, 0)) return graph.if_else(condition, graph.mul(outer, yes), no);
  }
  return graph.mul(outer, inner);
}

NodeId leaf_derivative(ExprGraph& graph, const Node& node) {
  if (node.op == Op::Time) return graph.constant(1);
  if (node.op == Op::Variable) return graph.variable(VariableId(node.args[0]), node.args[1] + 1);
  return graph.constant(0);
}

}  // namespace

bool TimeDerivative::push_unknown_arguments(const Node& node) {
  bool none = true;
  for (int i = first_smooth_argument(node); i < node.arity; ++i) {
    const NodeId child(node.args[static_cast<std::size_t>(i)]);
    if (known(child).valid()) continue;
    stack_.push_back(child);
    none = false;
  }
  return none;
}

NodeId TimeDerivative::differentiate(NodeId id) {
  const Node node = graph_->node(id);  // a copy: the graph grows below
  if (node.arity == 0) return leaf_derivative(*graph_, node);
  NodeId derivative = graph_->constant(0);
  if (piecewise_constant(node)) return derivative;
  const Arguments args = arguments(node);
  if (is_choice(node)) {
    // The derivative chooses as the value does, so that 0 * (branch not taken) never appears.
    const auto first = static_cast<std::size_t>(first_smooth_argument(node));
    return graph_->if_else(condition_of(*graph_, node), known(args[first]), known(args[first + 1]));
  }
  for (int i = 0; i < node.arity; ++i) {
    const NodeId inner = known(args[static_cast<std::size_t>(i)]);
    if (graph_->is_constant(inner, 0)) continue;
    derivative = graph_->add(derivative, chain(*graph_, partial(*graph_, id, node, i), inner));
  }
  return derivative;
}

NodeId TimeDerivative::operator()(NodeId root) {
  // A depth-first search of our own, because it stops at what is known already.
  stack_.assign(1, root);
  while (!stack_.empty()) {
    const NodeId id = stack_.back();
    if (!known(id).valid()) {
      if (!push_unknown_arguments(graph_->node(id))) continue;
      const NodeId derivative = differentiate(id);
      if (memo_.size() <= id.at()) memo_.resize(graph_->size());
      memo_[id.at()] = derivative;
    }
    stack_.pop_back();
  }
  return known(root);
}

bool Gradient::is_wanted(NodeId leaf) const {
  if (memory_ == Memory::Use) return wanted_(leaf);
  const Op op = graph_->node(leaf).op;
  return op == Op::Variable || op == Op::Discrete;
}

void Gradient::mark_active() {
  const std::vector<NodeId>& order = traversal_.order();
  adjoint_.assign(order.size(), Adjoint{});
  for (std::size_t k = 0; k < order.size(); ++k) {
    const Node& node = graph_->node(order[k]);
    if (node.arity == 0) {
      adjoint_[k].active = node.op != Op::Constant && is_wanted(order[k]);
      continue;
    }
    for (int i = first_smooth_argument(node); i < node.arity && !adjoint_[k].active; ++i) {
      const NodeId child(node.args[static_cast<std::size_t>(i)]);
      adjoint_[k].active = is_active(child);
    }
  }
}

void Gradient::contribute(NodeId child, NodeId amount, NodeId guard) {
  if (graph_->is_constant(amount, 0)) return;
  if (!is_active(child)) return;
  Adjoint& to = adjoint_[traversal_.position(child)];
  if (!to.weight.valid()) {
    to.weight = amount;
    to.guard = guard;
  } else {
    to.weight = graph_->add(to.weight, amount);
    if (to.guard != guard) to.guard = graph_->apply(Op::Or, to.guard, guard);
  }
}

void Gradient::propagate_choice(NodeId condition, const Node& node, const Adjoint& from) {
  const auto first = static_cast<std::size_t>(first_smooth_argument(node));
  const NodeId zero = graph_->constant(0);
  contribute(NodeId(node.args[first]), graph_->if_else(condition, from.weight, zero),
             graph_->apply(Op::And, from.guard, condition));
  contribute(NodeId(node.args[first + 1]), graph_->if_else(condition, zero, from.weight),
             graph_->apply(Op::And, from.guard, graph_->apply(Op::Not, condition)));
}

void Gradient::propagate(std::size_t position) {
  const NodeId id = traversal_.order()[position];
  const Node node = graph_->node(id);  // copies: both may move below
  const Adjoint from = adjoint_[position];
  if (is_choice(node)) return propagate_choice(condition_of(*graph_, node), node, from);
  for (int i = first_smooth_argument(node); i < node.arity; ++i) {
    const NodeId child(node.args[static_cast<std::size_t>(i)]);
    if (!is_active(child)) continue;
    const NodeId inner = partial(*graph_, id, node, i);
    NodeId amount = graph_->mul(from.weight, inner);
    // Where the guard is false the weight is zero, but the partial derivative may be infinite there, as in
    // if x > 0 then sqrt(x) else 0; zero times it would be NaN.
    if (!graph_->node(inner).finite) amount = graph_->if_else(from.guard, amount, graph_->constant(0));
    contribute(child, amount, from.guard);
  }
}

const std::vector<Partial>& Gradient::operator()(NodeId root) {
  if (const auto known = graph_->known_gradients().find(root)) {
    result_.assign(known->begin(), known->end());
  } else {
    sweep(root);
    if (memory_ == Memory::Use) return result_;
    graph_->known_gradients().keep(root, result_);
  }
  std::erase_if(result_, [&](const Partial& partial) { return !wanted_(partial.leaf); });
  return result_;
}

// From the second sweep on only through what holds a wanted leaf: which nodes do is found once for all
// sweeps, which together then cost what depends on these leaves, and not the graph as often as there are
// roots. The order of what is left is the same.
void Gradient::walk(NodeId root) {
  if (second_ && memory_ == Memory::Use)
    traversal_.run(*graph_, std::array{root}, [this](NodeId node) { return holds_(node); });
  else
    traversal_.run(*graph_, std::array{root});
  second_ = true;
}

void Gradient::sweep(NodeId root) {
  walk(root);
  mark_active();
  result_.clear();
  adjoint_.back().weight = graph_->constant(1);
  adjoint_.back().guard = graph_->constant(1);
  for (std::size_t k = adjoint_.size(); k-- > 0;) {
    const Adjoint& adjoint = adjoint_[k];
    if (!adjoint.active || !adjoint.weight.valid() || graph_->is_constant(adjoint.weight, 0)) continue;
    const NodeId id = traversal_.order()[k];
    if (graph_->node(id).arity == 0) {
      result_.push_back({id, adjoint.weight});
    } else {
      propagate(k);
    }
  }
  std::sort(result_.begin(), result_.end(),
            [](const Partial& a, const Partial& b) { return a.leaf < b.leaf; });
}

std::vector<Partial> gradient(ExprGraph& graph, NodeId root, bool with_discrete) {
  Gradient sweep(graph, [&](NodeId leaf) {
    const Op op = graph.node(leaf).op;
    return op == Op::Variable || (with_discrete && op == Op::Discrete);
  });
  return sweep(root);
}

}  // namespace daedalus
