// Random expressions for property tests. Deterministic: a seed gives the same graph on every machine
// (std::mt19937_64 is specified to the bit; the standard distributions are not, so they are not used).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "expr/graph.hpp"

namespace daedalus::test {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }
  double between(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_() >> 11) * 0x1p-53);
  }

 private:
  std::mt19937_64 engine_;
};

// A random expression list, kept apart from any graph: operations as drawn, before simplification.
struct Drawn {
  Op op = Op::Constant;
  double value = 0;               // Constant
  int leaf = 0;                   // Variable: its number
  std::vector<std::size_t> args;  // earlier entries
};

struct DrawOptions {
  int variables = 4;
  int operations = 30;
  std::size_t reach = 40;           // an operation takes its arguments among the last `reach` entries
  std::vector<double> constants{};  // besides random ones
  std::vector<Op> ops{};            // empty: all
};

// 0, -0, infinities, NaN, the identities, the largest and the smallest numbers.
inline std::vector<double> odd_constants() {
  return {0.0, -0.0, INFINITY, -INFINITY, NAN, 1.0, -1.0, 2.0, 3.0, 0.5, 1e308, 5e-324};
}

inline std::vector<Op> every_operation() {
  std::vector<Op> ops;
  for (const OpInfo& row : all_ops()) {
    if (row.arity > 0) ops.push_back(row.op);
  }
  return ops;
}

inline std::vector<Drawn> draw(Random& random, const DrawOptions& options) {
  const std::vector<Op> ops = options.ops.empty() ? every_operation() : options.ops;
  std::vector<Drawn> list;
  for (int v = 0; v < options.variables; ++v)
    list.push_back({.op = Op::Variable, .value = 0, .leaf = v, .args = {}});
  list.push_back({.op = Op::Constant, .value = random.between(-3, 3), .leaf = 0, .args = {}});
  for (int k = 0; k < options.operations; ++k) {
    if (!options.constants.empty() && random.below(8) == 0) {
      const double value = options.constants[random.below(options.constants.size())];
      list.push_back({.op = Op::Constant, .value = value, .leaf = 0, .args = {}});
    }
    Drawn made{.op = ops[random.below(ops.size())], .value = 0, .leaf = 0, .args = {}};
    for (int i = 0; i < info(made.op).arity; ++i) {
      const std::size_t reach = std::min(options.reach, list.size());
      made.args.push_back(list.size() - 1 - random.below(reach));
    }
    list.push_back(std::move(made));
  }
  return list;
}

// The same list in a graph, that is, simplified. Variable v is x_v^(v mod 3).
inline std::vector<NodeId> build(ExprGraph& graph, const std::vector<Drawn>& list) {
  std::vector<NodeId> nodes;
  for (const Drawn& drawn : list) {
    const auto arg = [&](std::size_t i) { return nodes[drawn.args[i]]; };
    if (drawn.op == Op::Constant) {
      nodes.push_back(graph.constant(drawn.value));
    } else if (drawn.op == Op::Variable) {
      nodes.push_back(graph.variable(VariableId(drawn.leaf), drawn.leaf % 3));
    } else if (drawn.args.size() == 1) {
      nodes.push_back(graph.apply(drawn.op, arg(0)));
    } else if (drawn.args.size() == 2) {
      nodes.push_back(graph.apply(drawn.op, arg(0), arg(1)));
    } else {
      nodes.push_back(graph.apply(drawn.op, arg(0), arg(1), arg(2)));
    }
  }
  return nodes;
}

}  // namespace daedalus::test
