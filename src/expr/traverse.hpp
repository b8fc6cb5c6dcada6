// A reusable depth-first walk over the part of a graph below given roots.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "expr/graph.hpp"
#include "expr/node_map.hpp"

namespace daedalus {

class Traversal {
 public:
  // Forgets the last walk and makes another. order(): children before parents, each node once.
  void run(const ExprGraph& graph, std::span<const NodeId> roots) {
    run(graph, roots, [](NodeId) { return true; });
  }
  // The same without what is below nodes of which `enters` is false, and without these; roots are always
  // entered.
  template <class Enters>
  void run(const ExprGraph& graph, std::span<const NodeId> roots, const Enters& enters) {
    begin(graph, roots.size());
    for (const NodeId root : roots) visit(graph, root, enters);
  }
  [[nodiscard]] const std::vector<NodeId>& order() const { return order_; }
  [[nodiscard]] bool met(NodeId id) const { return position_.find(id) != nullptr; }
  // Where in order() a node stands that the walk has met.
  [[nodiscard]] std::size_t position(NodeId id) const {
    return static_cast<std::size_t>(*position_.find(id));
  }

 private:
  struct Pending {
    std::int32_t id;
    std::int32_t next;  // the argument to visit next
  };
  void begin(const ExprGraph& graph, std::size_t roots);
  template <class Enters>
  void visit(const ExprGraph& graph, NodeId root, const Enters& enters) {
    if (!position_.try_emplace(root, -1).fresh) return;
    stack_.push_back({root.value, 0});
    while (!stack_.empty()) {
      Pending& top = stack_.back();
      const Node& node = graph.node(NodeId(top.id));
      if (top.next < node.arity) {
        const NodeId child(node.args[static_cast<std::size_t>(top.next++)]);
        if (enters(child) && position_.try_emplace(child, -1).fresh) stack_.push_back({child.value, 0});
      } else {
        *position_.find(NodeId(top.id)) = static_cast<std::int32_t>(order_.size());
        order_.emplace_back(top.id);
        stack_.pop_back();
      }
    }
  }

  NodeMap<std::int32_t> position_;  // -1 until the node's arguments are done
  std::vector<NodeId> order_;
  std::vector<Pending> stack_;
};

// leaves_of for many roots: the scratch space is kept.
class Leaves {
 public:
  explicit Leaves(const ExprGraph& graph) : graph_(&graph) {}
  // In order of NodeId, without constants. Valid until the next call.
  const std::vector<NodeId>& operator()(NodeId root);

 private:
  const ExprGraph* graph_;
  Traversal traversal_;
  std::vector<NodeId> leaves_;
};

// The leaves of each of many roots, in order of NodeId, without constants. They share one walk for every 64
// roots, in which every node says by a bit to which of them it belongs.
[[nodiscard]] std::vector<std::vector<NodeId>> leaves_of_each(const ExprGraph& graph,
                                                              std::span<const NodeId> roots);

// Whether an expression holds a leaf of a kind. For many expressions of one graph: what is known of a node
// is kept, so that all of them together cost what the graph costs.
class Holds {
 public:
  using Wanted = std::function<bool(NodeId leaf)>;
  Holds(const ExprGraph& graph, Wanted wanted) : graph_(&graph), wanted_(std::move(wanted)) {}
  [[nodiscard]] bool operator()(NodeId root) {
    const Answer known = root.at() < answer_.size() ? answer_[root.at()] : Answer::Unknown;
    return known == Answer::Unknown ? find(root) : known == Answer::Yes;
  }

 private:
  enum class Answer : std::uint8_t { Unknown, No, Yes };
  [[nodiscard]] bool find(NodeId root);
  [[nodiscard]] Answer of_arguments(const Node& node) const;

  const ExprGraph* graph_;
  Wanted wanted_;
  std::vector<Answer> answer_;  // by NodeId
  std::vector<NodeId> stack_;
};

}  // namespace daedalus
