// Derivatives of expressions, exact and symbolic.
#pragma once

#include <vector>

#include "expr/graph.hpp"

namespace daedalus {

// d/dt along a trajectory: x^(k) becomes x^(k+1), time becomes 1; discrete values and relations are
// constant between events. Remembers what it has differentiated.
class TimeDerivative {
 public:
  explicit TimeDerivative(ExprGraph& graph) : graph_(&graph) {}
  NodeId operator()(NodeId root);

 private:
  ExprGraph* graph_;
  std::vector<NodeId> memo_;  // by NodeId; invalid: not differentiated yet
};

struct Partial {
  NodeId leaf;   // a Variable leaf, or a Discrete one if asked for
  NodeId value;  // ∂root/∂leaf, not the constant zero
};

// All partial derivatives of one expression with respect to its Variable leaves, by one reverse sweep;
// sorted by leaf. Partials that simplify to zero are left out. `with_discrete`: Discrete leaves count
// too (a parameter with fixed = false is one, and is an unknown of the initialisation).
[[nodiscard]] std::vector<Partial> gradient(ExprGraph& graph, NodeId root, bool with_discrete = false);

}  // namespace daedalus
