// Random expressions for property tests. Deterministic: a seed gives the same graph on every machine
// (std::mt19937_64 is specified; the standard distributions are not, so they are not used).
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "expr/graph.hpp"

namespace daedalus::test {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }
  double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  double between(double low, double high) { return low + (high - low) * unit(); }

 private:
  std::mt19937_64 engine_;
};

struct RandomGraphOptions {
  int variables = 4;
  int operations = 30;
  std::size_t reach = 40;     // an operation takes its arguments among the last `reach` nodes
  bool odd_constants = true;  // 0, -0, infinities and NaN among the constants
};

// Adds random operations of every kind to the graph; gives the nodes in the order of making.
inline std::vector<NodeId> random_nodes(ExprGraph& graph, Random& random,
                                        const RandomGraphOptions& options = {}) {
  static const double odd[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1.0, -1.0, 2.0, 0.5, 1e308, 5e-324};
  std::vector<NodeId> nodes{graph.time(), graph.constant(2), graph.constant(random.between(-3, 3))};
  for (int v = 0; v < options.variables; ++v) nodes.push_back(graph.variable(VariableId(v), v % 3));
  nodes.push_back(graph.relation(RelationId(0)));
  const auto pick = [&] {
    const std::size_t reach = std::min(options.reach, nodes.size());
    return nodes[nodes.size() - 1 - random.below(reach)];
  };
  const std::size_t first = static_cast<std::size_t>(Op::Add);
  for (int k = 0; k < options.operations; ++k) {
    if (options.odd_constants && random.below(12) == 0) {
      nodes.push_back(graph.constant(odd[random.below(std::size(odd))]));
    }
    const OpInfo& row = all_ops()[first + random.below(static_cast<std::size_t>(op_count) - first)];
    if (row.arity == 1) nodes.push_back(graph.apply(row.op, pick()));
    if (row.arity == 2) nodes.push_back(graph.apply(row.op, pick(), pick()));
    if (row.arity == 3) nodes.push_back(graph.apply(row.op, pick(), pick(), pick()));
  }
  return nodes;
}

}  // namespace daedalus::test
