// Systems of equations of any size, for the benchmarks.
//
//   rods    a chain of n pin-jointed planar rods in maximal coordinates: 8 residuals, 2 of sin and cos a rod
//   net     a square net of n x n point masses with springs along rows and columns, in the plane
//   random  random operations that the processor does itself, arguments among the last 1000
//   sum     one sum of n products: deep, but of two kinds
//   mixed   a chain in which no two neighbours are of one kind: the worst case for grouping
#pragma once

#include <array>
#include <random>
#include <vector>

#include "expr/graph.hpp"

namespace daedalus::bench {

struct System {
  ExprGraph graph;
  std::vector<NodeId> residuals;
  int variables = 0;

  // x_v^(order) stands in slot 2 v + order.
  [[nodiscard]] int slots() const { return 2 * variables; }
  [[nodiscard]] int slot(NodeId leaf) const {
    return 2 * graph.variable_of(leaf).value + graph.order_of(leaf);
  }
};

struct End {
  NodeId x, y;
};

// Rod i has x, y, phi, vx, vy, w and the force (fx, fy) on its upper end: variables 8 i … 8 i + 7.
inline System rods(int n) {
  System s;
  s.variables = 8 * (n + 1);
  ExprGraph& g = s.graph;
  const NodeId half = g.constant(0.5), mass = g.constant(1.3), inertia = g.constant(0.11),
               weight = g.constant(12.753);
  const auto v = [&](int rod, int k, int order = 0) { return g.variable(VariableId(8 * rod + k), order); };
  End above{g.constant(0), g.constant(0)};  // where the last rod ends
  for (int i = 0; i < n; ++i) {
    const NodeId dx = g.mul(half, g.apply(Op::Cos, v(i, 2))), dy = g.mul(half, g.apply(Op::Sin, v(i, 2)));
    for (int k = 0; k < 3; ++k) s.residuals.push_back(g.sub(v(i, k, 1), v(i, 3 + k)));
    const NodeId fx = g.sub(v(i, 6), v(i + 1, 6)), fy = g.sub(v(i, 7), v(i + 1, 7));
    const NodeId sx = g.add(v(i, 6), v(i + 1, 6)), sy = g.add(v(i, 7), v(i + 1, 7));
    s.residuals.push_back(g.sub(g.mul(mass, v(i, 3, 1)), fx));
    s.residuals.push_back(g.sub(g.mul(mass, v(i, 4, 1)), g.sub(fy, weight)));
    s.residuals.push_back(g.sub(g.mul(inertia, v(i, 5, 1)), g.sub(g.mul(dy, sx), g.mul(dx, sy))));
    s.residuals.push_back(g.sub(g.sub(v(i, 0), dx), above.x));
    s.residuals.push_back(g.sub(g.sub(v(i, 1), dy), above.y));
    above = {g.add(v(i, 0), dx), g.add(v(i, 1), dy)};
  }
  return s;
}

// Mass (i, j) has x, y, vx, vy: variables 4 (i n + j) … + 3. A spring's force is one expression, shared by
// both its ends.
inline System net(int n) {
  System s;
  s.variables = 4 * n * n;
  ExprGraph& g = s.graph;
  const NodeId stiffness = g.constant(120.0), length = g.constant(0.9), damping = g.constant(0.05),
               weight = g.constant(9.81);
  const auto v = [&](int i, int j, int k, int order = 0) {
    return g.variable(VariableId(4 * (i * n + j) + k), order);
  };
  const auto spring = [&](int i, int j, int k, int l) {
    const NodeId dx = g.sub(v(k, l, 0), v(i, j, 0)), dy = g.sub(v(k, l, 1), v(i, j, 1));
    const NodeId distance = g.apply(Op::Sqrt, g.add(g.mul(dx, dx), g.mul(dy, dy)));
    const NodeId pull = g.mul(stiffness, g.sub(g.constant(1), g.div(length, distance)));
    return End{g.mul(pull, dx), g.mul(pull, dy)};
  };
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      NodeId fx = g.neg(g.mul(damping, v(i, j, 2))), fy = g.sub(g.neg(g.mul(damping, v(i, j, 3))), weight);
      const auto add = [&](bool there, int sign, const auto& force) {
        if (!there) return;
        const End f = force();
        fx = g.apply(sign > 0 ? Op::Add : Op::Sub, fx, f.x);
        fy = g.apply(sign > 0 ? Op::Add : Op::Sub, fy, f.y);
      };
      add(i > 0, -1, [&] { return spring(i - 1, j, i, j); });
      add(j > 0, -1, [&] { return spring(i, j - 1, i, j); });
      add(i + 1 < n, 1, [&] { return spring(i, j, i + 1, j); });
      add(j + 1 < n, 1, [&] { return spring(i, j, i, j + 1); });
      for (int k = 0; k < 2; ++k) s.residuals.push_back(g.sub(v(i, j, k, 1), v(i, j, 2 + k)));
      s.residuals.push_back(g.sub(v(i, j, 2, 1), fx));
      s.residuals.push_back(g.sub(v(i, j, 3, 1), fy));
    }
  }
  return s;
}

inline System random(int n) {
  System s;
  s.variables = 1000;
  std::mt19937_64 engine(1);
  std::vector<NodeId> nodes;
  for (int v = 0; v < s.variables; ++v) nodes.push_back(s.graph.variable(VariableId(v)));
  const std::array ops{Op::Add, Op::Sub, Op::Mul, Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Less, Op::Max};
  const auto pick = [&] { return nodes[nodes.size() - 1 - engine() % 1000]; };
  while (nodes.size() < static_cast<std::size_t>(n))
    nodes.push_back(s.graph.apply(ops[engine() % ops.size()], pick(), pick()));
  s.residuals.assign(nodes.end() - 1000, nodes.end());
  return s;
}

inline System sum(int n) {
  System s;
  s.variables = 1000;
  NodeId total = s.graph.constant(0);
  for (int k = 0; k < n / 2; ++k) {
    const NodeId x = s.graph.variable(VariableId(k % 1000));
    total = s.graph.add(total, s.graph.mul(s.graph.constant(k + 0.5), x));
  }
  s.residuals.push_back(total);
  return s;
}

inline System mixed(int n) {
  System s;
  s.variables = 100;
  NodeId node = s.graph.variable(VariableId(0));
  const std::array ops{Op::Add, Op::Mul, Op::Sub, Op::Max, Op::Div, Op::Min};
  std::mt19937_64 engine(1);
  std::size_t last = 0;
  for (int k = 0; k < n; ++k) {
    last = (last + 1 + engine() % (ops.size() - 1)) % ops.size();
    node = s.graph.apply(ops[last], node, s.graph.variable(VariableId(static_cast<int>(engine() % 100))));
  }
  s.residuals.push_back(node);
  return s;
}

inline std::vector<double> environment_of(const System& s) {
  std::vector<double> environment(static_cast<std::size_t>(s.slots()));
  for (std::size_t k = 0; k < environment.size(); ++k)
    environment[k] = 0.3 + 0.001 * static_cast<double>(k % 997);
  return environment;
}

}  // namespace daedalus::bench
