// Derivatives of expressions, exact and symbolic.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "expr/graph.hpp"
#include "expr/traverse.hpp"

namespace daedalus {

// d/dt along a trajectory: x^(k) becomes x^(k+1), time becomes 1; discrete values and relations are
// constant between events. Remembers what it has differentiated.
class TimeDerivative {
 public:
  explicit TimeDerivative(ExprGraph& graph) : graph_(&graph) {}
  NodeId operator()(NodeId root);

 private:
  [[nodiscard]] NodeId known(NodeId id) const { return id.at() < memo_.size() ? memo_[id.at()] : NodeId{}; }
  bool push_unknown_arguments(const Node& node);
  NodeId differentiate(NodeId id);  // once the arguments' derivatives are known

  ExprGraph* graph_;
  std::vector<NodeId> memo_;  // by NodeId; invalid: not differentiated yet
  std::vector<NodeId> stack_;
};

// All partial derivatives of an expression with respect to chosen leaves, Variable or Discrete, by one
// reverse sweep. Keep one for many expressions: a sweep costs what the expression costs, and the scratch
// space is reused.
class Gradient {
 public:
  using Wanted = std::function<bool(NodeId leaf)>;
  enum class Memory : std::uint8_t {
    Use,  // take what the graph knows; else sweep towards the wanted leaves only, the same in every call
    Keep  // sweep towards all leaves, for others to use
  };
  Gradient(ExprGraph& graph, Wanted wanted, Memory memory = Memory::Use)
      : graph_(&graph), wanted_(std::move(wanted)), memory_(memory), holds_(graph, wanted_) {}

  // Sorted by leaf. Partials that simplify to zero are left out. Valid until the next call.
  const std::vector<Partial>& operator()(NodeId root);

 private:
  [[nodiscard]] bool is_wanted(NodeId leaf) const;
  [[nodiscard]] bool is_active(NodeId node) const {
    return traversal_.met(node) && adjoint_[traversal_.position(node)].active;
  }
  // What the sweep knows of a node. The guard is the condition under which the root depends on the node
  // at all: an argument of a choice (If, Min, Max) counts only where it is taken.
  struct Adjoint {
    NodeId weight;        // ∂root/∂node from the parents seen so far; invalid: none
    NodeId guard;         // truth; the constant 1 for a node that is always used
    bool active = false;  // depends on a wanted leaf
  };
  void sweep(NodeId root);
  void walk(NodeId root);
  void mark_active();
  void propagate(std::size_t position);
  void propagate_choice(NodeId condition, const Node& node, const Adjoint& from);
  void contribute(NodeId child, NodeId amount, NodeId guard);

  ExprGraph* graph_;
  Wanted wanted_;
  Memory memory_;
  Holds holds_;          // a wanted leaf
  bool second_ = false;  // this is not the first sweep
  Traversal traversal_;
  std::vector<Adjoint> adjoint_;  // by position in the traversal
  std::vector<Partial> result_;
};

// The same for one expression and its Variable leaves. `with_discrete`: Discrete leaves count too (a
// parameter with fixed = false is one, and is an unknown of the initialisation).
[[nodiscard]] std::vector<Partial> gradient(ExprGraph& graph, NodeId root, bool with_discrete = false);

}  // namespace daedalus
