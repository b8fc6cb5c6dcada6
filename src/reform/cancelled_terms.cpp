#include "reform/cancelled_terms.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "expr/derivative.hpp"

namespace daedalus {
namespace {

// What is left of terms that cancel: a few units of roundoff of the largest.
constexpr double rounding = 16 * std::numeric_limits<double>::epsilon();

// A leaf's factor in a sum, and how large the terms were that made it.
struct Factor {
  double sum = 0;
  double size = 0;
};

// The equation as a sum of leaves with constant factors and of the rest.
class TopLevelSum {
 public:
  TopLevelSum(const ExprGraph& graph, NodeId root) : graph_(graph) {
    std::vector<Pending> stack{{root, 1.0}};
    while (!stack.empty()) {
      const auto [id, factor] = stack.back();
      stack.pop_back();
      const Node& node = graph.node(id);
      const NodeId a(node.args[0]);
      const NodeId b(node.args[1]);
      if (node.op == Op::Add || node.op == Op::Sub) {
        stack.push_back({a, factor});
        stack.push_back({b, node.op == Op::Add ? factor : -factor});
      } else if (node.op == Op::Neg) {
        stack.push_back({a, -factor});
      } else if (node.op == Op::Mul && graph.is_constant(a)) {
        stack.push_back({b, factor * graph.node(a).value});
      } else if (node.op == Op::Mul && graph.is_constant(b)) {
        stack.push_back({a, factor * graph.node(b).value});
      } else if (node.op == Op::Div && graph.is_constant(b)) {
        stack.push_back({a, factor / graph.node(b).value});
      } else {
        if (!factors_.contains(id)) terms_.push_back(id);
        Factor& of = factors_[id];
        of.sum += factor;
        of.size += std::abs(factor);
        if (node.arity > 0) rest_.push_back(id);
      }
    }
  }

  // What is left; the root if nothing cancels but leaves.
  [[nodiscard]] NodeId remainder(ExprGraph& graph, NodeId root) const {
    const auto cancels = [&](NodeId id) {
      const Factor& of = factors_.at(id);
      return std::abs(of.sum) <= rounding * of.size;
    };
    if (std::ranges::none_of(rest_, cancels)) return root;
    NodeId sum = graph.constant(0);
    for (const NodeId id : terms_) {
      if (!cancels(id)) sum = graph.add(sum, graph.mul(graph.constant(factors_.at(id).sum), id));
    }
    return sum;
  }

  // Its terms cancel, and it stands nowhere else.
  [[nodiscard]] std::vector<NodeId> cancelled() const {
    std::vector<NodeId> found;
    for (const auto& [id, of] : factors_) {
      if (graph_.node(id).op == Op::Variable && std::abs(of.sum) <= rounding * of.size) found.push_back(id);
    }
    if (found.empty()) return found;
    std::vector<NodeId> counts;
    for (const NodeId id : rest_) {
      const Factor& of = factors_.at(id);
      if (std::abs(of.sum) > rounding * of.size) counts.push_back(id);
    }
    const std::vector<NodeId> below = topological_order(graph_, counts);
    const std::unordered_set<NodeId> elsewhere(below.begin(), below.end());
    std::erase_if(found, [&](NodeId leaf) { return elsewhere.contains(leaf); });
    return found;
  }

 private:
  struct Pending {
    NodeId node;
    double factor;
  };
  const ExprGraph& graph_;
  std::unordered_map<NodeId, Factor> factors_;
  std::vector<NodeId> terms_;  // each once, in their order
  std::vector<NodeId> rest_;
};

bool is_differentiable(Op op) {
  return info(op).partial != nullptr || op == Op::Min || op == Op::Max;
}

// Variables that stand in a condition, or below an operation that has no derivative.
std::unordered_set<NodeId> leaves_in_conditions(const ExprGraph& graph, std::span<const NodeId> order) {
  std::vector<NodeId> roots;
  for (const NodeId id : order) {
    const Node& node = graph.node(id);
    if (node.arity == 0) continue;
    if (node.op == Op::If) {
      roots.emplace_back(node.args[0]);
    } else if (!is_differentiable(node.op)) {
      for (std::size_t k = 0; k < node.arity; ++k) roots.emplace_back(node.args[k]);
    }
  }
  const std::vector<NodeId> below = topological_order(graph, roots);
  return {below.begin(), below.end()};
}

NodeId constant_for(const DaeSystem& system, NodeId leaf) {
  const double start = system.variables[system.graph->variable_of(leaf).at()].start;
  return system.graph->constant(system.graph->order_of(leaf) == 0 ? start : 0);
}

}  // namespace

NodeId without_cancelled_terms(ExprGraph& graph, NodeId residual) {
  return TopLevelSum(graph, residual).remainder(graph, residual);
}

void drop_cancelled_terms(DaeSystem& system) {
  ExprGraph& graph = *system.graph;
  Traversal below;
  Gradient gradient(
      graph, [&](NodeId leaf) { return graph.node(leaf).op == Op::Variable; }, Gradient::Memory::Keep);
  for (Equation& equation : system.equations) {
    std::vector<NodeId> gone = TopLevelSum(graph, equation.residual).cancelled();
    const std::vector<Partial>& partials = gradient(equation.residual);
    below.run(graph, std::array{equation.residual});
    for (const NodeId id : below.order()) {
      if (graph.node(id).op == Op::Variable && !std::ranges::binary_search(partials, id, {}, &Partial::leaf))
        gone.push_back(id);
    }
    if (gone.empty()) continue;
    const auto conditions = leaves_in_conditions(graph, below.order());
    std::unordered_map<NodeId, NodeId> constants;
    for (const NodeId leaf : gone) {
      if (!conditions.contains(leaf)) constants[leaf] = constant_for(system, leaf);
    }
    if (constants.empty()) continue;
    const NodeId residual = substitute(graph, std::array{equation.residual}, constants).front();
    // An unknown that was divided by itself, at a start of zero: it stays.
    if (!graph.is_constant(residual) || std::isfinite(graph.node(residual).value))
      equation.residual = residual;
  }
}

}  // namespace daedalus
