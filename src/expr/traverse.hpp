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
  void run(const ExprGraph& graph, std::span<const NodeId> roots);
  [[nodiscard]] const std::vector<NodeId>& order() const { return order_; }
  // Where in order() a node stands that the walk has met.
  [[nodiscard]] std::size_t position(NodeId id) const {
    return static_cast<std::size_t>(*position_.find(id));
  }

 private:
  struct Pending {
    std::int32_t id;
    std::int32_t next;  // the argument to visit next
  };
  void visit(const ExprGraph& graph, NodeId root);

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

// Whether an expression holds a leaf of a kind. For many expressions of one graph: what is known of a node
// is kept, so that all of them together cost what the graph costs.
class Holds {
 public:
  using Wanted = std::function<bool(NodeId leaf)>;
  Holds(const ExprGraph& graph, Wanted wanted) : graph_(&graph), wanted_(std::move(wanted)) {}
  [[nodiscard]] bool operator()(NodeId root);

 private:
  enum class Answer : std::uint8_t { Unknown, No, Yes };
  [[nodiscard]] Answer of_arguments(const Node& node) const;

  const ExprGraph* graph_;
  Wanted wanted_;
  std::vector<Answer> answer_;  // by NodeId
  std::vector<NodeId> stack_;
};

}  // namespace daedalus
