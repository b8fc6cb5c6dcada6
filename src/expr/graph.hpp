// The expression graph: hash-consed and append-only. Equal expressions are one node, and a NodeId
// once handed out means the same expression for ever; so values that hold NodeIds are immutable
// although the graph grows. Nothing here recurses: depth is no limit.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/index.hpp"
#include "core/large_vector.hpp"
#include "expr/node_map.hpp"
#include "expr/op.hpp"

namespace daedalus {

struct Node {
  Op op = Op::Constant;
  std::uint8_t arity = 0;
  bool finite = true;                            // finite by construction (OpInfo::finite all the way down)
  std::array<std::int32_t, 3> args{-1, -1, -1};  // NodeIds; for leaves {id, order}
  double value = 0;                              // Constant only
};

struct Partial {
  NodeId leaf;
  NodeId value;  // ∂root/∂leaf, not the constant zero
};

// The gradients that were found before. An expression never changes, so neither does its gradient; the same
// equations are differentiated by the structural analysis, the formulations and the Jacobians.
class KnownGradients {
 public:
  // With respect to all Variable and Discrete leaves, sorted by leaf; nothing: not known.
  [[nodiscard]] std::optional<std::span<const Partial>> find(NodeId root) const {
    const Range* range = range_.find(root);
    if (range == nullptr) return std::nullopt;
    return std::span(partials_).subspan(range->begin, range->count);
  }
  void keep(NodeId root, std::span<const Partial> partials) {
    if (range_.try_emplace(root, {partials_.size(), partials.size()}).fresh)
      partials_.insert(partials_.end(), partials.begin(), partials.end());
  }

 private:
  struct Range {
    std::size_t begin = 0;
    std::size_t count = 0;
  };
  NodeMap<Range> range_;           // among the partials
  std::vector<Partial> partials_;  // of all roots, so that a graph is copied as a few arrays
};

// A new expression was to be made in a frozen graph: whoever meets it works on a copy of the graph instead.
struct GraphFrozen : std::logic_error {
  GraphFrozen() : std::logic_error("an expression is to be made in a graph that is shared between threads") {}
};

class ExprGraph {
 public:
  ExprGraph();

  // From now on it does not grow, and any number of threads may read it: expressions that are there already
  // are found, new ones throw GraphFrozen. A copy of it may grow.
  void freeze() { frozen_.set = true; }
  [[nodiscard]] bool frozen() const { return frozen_.set; }

  // Leaves.
  NodeId constant(double value);
  NodeId time();
  NodeId variable(VariableId v, int order = 0);
  NodeId discrete(VariableId v);
  NodeId pre(VariableId v);
  NodeId relation(RelationId r);
  NodeId sample(SampleId s);
  NodeId initial();

  // An operation, simplified. A simplification never changes a value's meaning: constants are folded
  // only when the result is finite, 0*x is 0 only where x is finite by construction.
  NodeId apply(Op op, NodeId a);
  NodeId apply(Op op, NodeId a, NodeId b);
  NodeId apply(Op op, NodeId a, NodeId b, NodeId c);

  NodeId add(NodeId a, NodeId b) { return apply(Op::Add, a, b); }
  NodeId sub(NodeId a, NodeId b) { return apply(Op::Sub, a, b); }
  NodeId mul(NodeId a, NodeId b) { return apply(Op::Mul, a, b); }
  NodeId div(NodeId a, NodeId b) { return apply(Op::Div, a, b); }
  NodeId pow(NodeId a, NodeId b) { return apply(Op::Pow, a, b); }
  NodeId neg(NodeId a) { return apply(Op::Neg, a); }
  NodeId if_else(NodeId condition, NodeId yes, NodeId no) { return apply(Op::If, condition, yes, no); }

  [[nodiscard]] const Node& node(NodeId id) const { return nodes_[id.at()]; }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] bool is_constant(NodeId id) const { return node(id).op == Op::Constant; }
  [[nodiscard]] bool is_constant(NodeId id, double value) const {
    return is_constant(id) && node(id).value == value;
  }
  // Leaf accessors.
  [[nodiscard]] VariableId variable_of(NodeId leaf) const { return VariableId(node(leaf).args[0]); }
  [[nodiscard]] int order_of(NodeId leaf) const { return node(leaf).args[1]; }

  [[nodiscard]] KnownGradients& known_gradients() { return known_gradients_; }

 private:
  NodeId intern(const Node& node);
  NodeId leaf(Op op, std::int32_t id, std::int32_t order = 0);
  NodeId simplify(Op op, std::span<const NodeId> args);
  [[nodiscard]] std::size_t slot_of(const Node& node, std::uint32_t hash) const;
  void grow();

  // The hash stands beside the id so that a search seldom has to look at a node: in a large graph each look
  // is a miss of the cache.
  struct Slot {
    std::int32_t id = -1;  // -1 empty
    std::uint32_t hash = 0;
  };
  LargeVector<Node> nodes_;
  LargeVector<Slot> table_;  // open addressing
  KnownGradients known_gradients_;
  // Not copied.
  struct Frozen {
    bool set = false;
    Frozen() = default;
    Frozen(const Frozen& /*other*/) noexcept {}
    Frozen& operator=(const Frozen& /*other*/) noexcept {
      set = false;
      return *this;
    }
    ~Frozen() = default;
  };
  Frozen frozen_;
};

// The nodes that the roots depend on, children before parents, each once.
[[nodiscard]] std::vector<NodeId> topological_order(const ExprGraph& graph, std::span<const NodeId> roots);

// The leaves (other than constants) that a root depends on, in order of NodeId.
[[nodiscard]] std::vector<NodeId> leaves_of(const ExprGraph& graph, NodeId root);

// Replaces nodes by others, everywhere below the roots; the results are simplified.
[[nodiscard]] std::vector<NodeId> substitute(ExprGraph& graph, std::span<const NodeId> roots,
                                             const std::unordered_map<NodeId, NodeId>& replacement);

// The value of one expression; `leaf` gives the value of every leaf that is not a constant. For tests,
// messages and constant expressions; the hot path is codegen's.
[[nodiscard]] double evaluate(const ExprGraph& graph, NodeId root, const std::function<double(NodeId)>& leaf);

// Text as Modelica would write it; `leaf` names the leaves. What is shared in the graph is written out
// each time, so the text may be exponentially longer than the graph: beyond `limit` characters it ends
// with "…".
[[nodiscard]] std::string to_text(const ExprGraph& graph, NodeId root,
                                  const std::function<std::string(NodeId)>& leaf,
                                  std::size_t limit = 100'000);

}  // namespace daedalus
