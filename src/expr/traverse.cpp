#include <algorithm>
#include <cmath>

#include "expr/graph.hpp"

namespace daedalus {
namespace {

// Marks of visited nodes. Small traversals in a large graph must not cost the size of the graph, so the
// set is a hash set until it is worth a bitmap.
class Visited {
 public:
  // True if the node was not there before.
  bool insert(std::int32_t id) {
    if (!bits_.empty()) {
      const bool fresh = !bits_[static_cast<std::size_t>(id)];
      bits_[static_cast<std::size_t>(id)] = true;
      return fresh;
    }
    if (slots_.empty() || count_ * 2 >= slots_.size()) grow();
    std::size_t slot = start(id);
    while (slots_[slot] >= 0) {
      if (slots_[slot] == id) return false;
      slot = (slot + 1) & (slots_.size() - 1);
    }
    slots_[slot] = id;
    ++count_;
    return true;
  }

 private:
  [[nodiscard]] std::size_t start(std::int32_t id) const {
    return (static_cast<std::uint32_t>(id) * 2654435761U >> 7) & (slots_.size() - 1);
  }
  void grow() {
    std::vector<std::int32_t> old = std::move(slots_);
    slots_.assign(std::max<std::size_t>(64, old.size() * 2), -1);
    count_ = 0;
    for (const std::int32_t id : old) {
      if (id >= 0) insert(id);
    }
  }

  std::vector<bool> bits_;
  std::vector<std::int32_t> slots_;
  std::size_t count_ = 0;
};

struct Pending {
  std::int32_t id;
  int next;  // the argument to visit next
};

// Depth-first, children before parents.
void visit(const ExprGraph& graph, NodeId root, Visited& seen, std::vector<NodeId>& order) {
  if (!seen.insert(root.value)) return;
  std::vector<Pending> stack{{root.value, 0}};
  while (!stack.empty()) {
    Pending& top = stack.back();
    const Node& node = graph.node(NodeId(top.id));
    if (top.next < node.arity) {
      const std::int32_t child = node.args[static_cast<std::size_t>(top.next++)];
      if (seen.insert(child)) stack.push_back({child, 0});
    } else {
      order.emplace_back(top.id);
      stack.pop_back();
    }
  }
}

}  // namespace

std::vector<NodeId> topological_order(const ExprGraph& graph, std::span<const NodeId> roots) {
  Visited seen;
  std::vector<NodeId> order;
  for (const NodeId root : roots) visit(graph, root, seen, order);
  return order;
}

std::vector<NodeId> leaves_of(const ExprGraph& graph, NodeId root) {
  std::vector<NodeId> leaves;
  for (const NodeId id : topological_order(graph, std::array{root})) {
    if (graph.node(id).arity == 0 && !graph.is_constant(id)) leaves.push_back(id);
  }
  std::sort(leaves.begin(), leaves.end());
  return leaves;
}

std::vector<NodeId> substitute(ExprGraph& graph, std::span<const NodeId> roots,
                               const std::unordered_map<NodeId, NodeId>& replacement) {
  std::unordered_map<NodeId, NodeId> changed;  // only nodes that differ
  const auto now = [&](std::int32_t id) {
    const auto found = changed.find(NodeId(id));
    return found == changed.end() ? NodeId(id) : found->second;
  };
  for (const NodeId id : topological_order(graph, roots)) {
    if (const auto given = replacement.find(id); given != replacement.end()) {
      if (given->second != id) changed[id] = given->second;
      continue;
    }
    const Node node = graph.node(id);  // a copy: the graph grows below
    std::array<NodeId, 3> args;
    bool differs = false;
    for (std::size_t i = 0; i < node.arity; ++i) {
      args[i] = now(node.args[i]);
      differs = differs || args[i] != NodeId(node.args[i]);
    }
    if (!differs) continue;
    NodeId made;
    if (node.arity == 1) made = graph.apply(node.op, args[0]);
    if (node.arity == 2) made = graph.apply(node.op, args[0], args[1]);
    if (node.arity == 3) made = graph.apply(node.op, args[0], args[1], args[2]);
    if (made != id) changed[id] = made;
  }
  std::vector<NodeId> results;
  results.reserve(roots.size());
  for (const NodeId root : roots) results.push_back(now(root.value));
  return results;
}

double evaluate(const ExprGraph& graph, NodeId root, const std::function<double(NodeId)>& leaf) {
  std::unordered_map<NodeId, double> values;
  for (const NodeId id : topological_order(graph, std::array{root})) {
    const Node& node = graph.node(id);
    double value = 0;
    if (node.op == Op::Constant) {
      value = node.value;
    } else if (node.arity == 0) {
      value = leaf(id);
    } else {
      std::array<double, 3> x{};
      for (std::size_t i = 0; i < node.arity; ++i) x[i] = values.at(NodeId(node.args[i]));
      value = info(node.op).evaluate(x[0], x[1], x[2]);
    }
    values[id] = value;
  }
  return values.at(root);
}

}  // namespace daedalus
