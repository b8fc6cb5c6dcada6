#include "expr/traverse.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace daedalus {

void Traversal::begin(const ExprGraph& graph, std::size_t roots) {
  position_.clear();
  order_.clear();
  position_.expect(roots, graph.size());
}

std::vector<NodeId> topological_order(const ExprGraph& graph, std::span<const NodeId> roots) {
  Traversal traversal;
  traversal.run(graph, roots);
  return traversal.order();
}

const std::vector<NodeId>& Leaves::operator()(NodeId root) {
  traversal_.run(*graph_, std::array{root});
  leaves_.clear();
  for (const NodeId id : traversal_.order()) {
    if (graph_->node(id).arity == 0 && !graph_->is_constant(id)) leaves_.push_back(id);
  }
  std::sort(leaves_.begin(), leaves_.end());
  return leaves_;
}

std::vector<std::vector<NodeId>> leaves_of_each(const ExprGraph& graph, std::span<const NodeId> roots) {
  constexpr std::size_t together = 64;
  std::vector<std::vector<NodeId>> leaves(roots.size());
  Traversal below;
  std::vector<std::uint64_t> belongs;  // by position
  for (std::size_t first = 0; first < roots.size(); first += together) {
    const auto batch = roots.subspan(first, std::min(together, roots.size() - first));
    below.run(graph, batch);
    belongs.assign(below.order().size(), 0);
    for (std::size_t r = 0; r < batch.size(); ++r) belongs[below.position(batch[r])] |= std::uint64_t{1} << r;
    for (std::size_t k = belongs.size(); k-- > 0;) {
      const NodeId id = below.order()[k];
      const Node& node = graph.node(id);
      for (std::size_t i = 0; i < node.arity; ++i)
        belongs[below.position(NodeId(node.args[i]))] |= belongs[k];
      if (node.arity > 0 || graph.is_constant(id)) continue;
      for (std::uint64_t rest = belongs[k]; rest != 0; rest &= rest - 1)
        leaves[first + static_cast<std::size_t>(std::countr_zero(rest))].push_back(id);
    }
  }
  for (std::vector<NodeId>& one : leaves) std::ranges::sort(one);
  return leaves;
}

// Of a node with arguments; unknown while that of one of them is, and none holds the leaf.
Holds::Answer Holds::of_arguments(const Node& node) const {
  Answer answer = Answer::No;
  for (std::size_t i = 0; i < node.arity; ++i) {
    const Answer one = answer_[NodeId(node.args[i]).at()];
    if (one == Answer::Yes) return Answer::Yes;
    if (one == Answer::Unknown) answer = Answer::Unknown;
  }
  return answer;
}

bool Holds::find(NodeId root) {
  if (answer_.size() < graph_->size()) answer_.resize(graph_->size(), Answer::Unknown);
  stack_.assign(1, root);
  while (!stack_.empty()) {
    const NodeId id = stack_.back();
    Answer& answer = answer_[id.at()];
    const Node& node = graph_->node(id);
    if (answer == Answer::Unknown) {
      if (node.arity > 0)
        answer = of_arguments(node);
      else
        answer = node.op != Op::Constant && wanted_(id) ? Answer::Yes : Answer::No;
    }
    if (answer != Answer::Unknown) {
      stack_.pop_back();
      continue;
    }
    for (std::size_t i = 0; i < node.arity; ++i) {
      const NodeId child(node.args[i]);
      if (answer_[child.at()] == Answer::Unknown) stack_.push_back(child);
    }
  }
  return answer_[root.at()] == Answer::Yes;
}

std::vector<NodeId> leaves_of(const ExprGraph& graph, NodeId root) {
  return Leaves(graph)(root);
}

std::vector<NodeId> substitute(ExprGraph& graph, std::span<const NodeId> roots,
                               const std::unordered_map<NodeId, NodeId>& replacement) {
  Traversal traversal;
  traversal.run(graph, roots);
  std::vector<NodeId> now = traversal.order();  // what each node has become
  for (std::size_t k = 0; k < now.size(); ++k) {
    if (const auto given = replacement.find(now[k]); given != replacement.end()) {
      now[k] = given->second;
      continue;
    }
    const Node node = graph.node(now[k]);  // a copy: the graph grows below
    std::array<NodeId, 3> args;
    bool differs = false;
    for (std::size_t i = 0; i < node.arity; ++i) {
      args[i] = now[traversal.position(NodeId(node.args[i]))];
      differs = differs || args[i] != NodeId(node.args[i]);
    }
    if (!differs) continue;
    if (node.arity == 1) now[k] = graph.apply(node.op, args[0]);
    if (node.arity == 2) now[k] = graph.apply(node.op, args[0], args[1]);
    if (node.arity == 3) now[k] = graph.apply(node.op, args[0], args[1], args[2]);
  }
  std::vector<NodeId> results;
  results.reserve(roots.size());
  for (const NodeId root : roots) results.push_back(now[traversal.position(root)]);
  return results;
}

double evaluate(const ExprGraph& graph, NodeId root, const std::function<double(NodeId)>& leaf) {
  Traversal traversal;
  traversal.run(graph, std::array{root});
  std::vector<double> values;
  values.reserve(traversal.order().size());
  for (const NodeId id : traversal.order()) {
    const Node& node = graph.node(id);
    if (node.op == Op::Constant) {
      values.push_back(node.value);
    } else if (node.arity == 0) {
      values.push_back(leaf(id));
    } else {
      std::array<double, 3> x{};
      for (std::size_t i = 0; i < node.arity; ++i) x[i] = values[traversal.position(NodeId(node.args[i]))];
      values.push_back(info(node.op).evaluate(x[0], x[1], x[2]));
    }
  }
  return values.back();
}

}  // namespace daedalus
