#include "saddle/condensation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <unordered_map>

namespace daedalus {
namespace {

// A chain of n rods, three accelerations each, pinned to each other and to the ground: constant masses, and
// two multipliers a joint, whose columns share sine and cosine (variables here, 2 i and 2 i + 1).
struct Rods {
  explicit Rods(int n) : bodies(n), size(5 * n) {
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < 3; ++k) add((3 * i) + k, (3 * i) + k, graph.constant(k < 2 ? 2.0 : 0.5));
      join(i, i, -1);
      if (i + 1 < n) join(i, i + 1, 1);
    }
    for (int i = 0; i < size; ++i) rhs.push_back(graph.constant(0.1 * i));
    for (int i = 0; i < n; ++i) leaves.insert(leaves.end(), {std::sin(0.3 + i), std::cos(0.3 + i)});
  }
  // Body i at one end of its rod to joint j.
  void join(int i, int j, double sign) {
    const int x = (3 * bodies) + (2 * j);
    const NodeId sine = graph.variable(VariableId(2 * i));
    const NodeId cosine = graph.variable(VariableId((2 * i) + 1));
    add(x, 3 * i, graph.constant(sign));
    add(x + 1, (3 * i) + 1, graph.constant(sign));
    add(x, (3 * i) + 2, sine);
    add(x + 1, (3 * i) + 2, graph.neg(cosine));
  }
  void add(int row, int column, NodeId value) {
    lower.push_back({.row = row, .column = column, .value = value});
  }
  [[nodiscard]] double value(NodeId node, const std::unordered_map<NodeId, double>& known = {}) const {
    return evaluate(graph, node, [&](NodeId leaf) {
      const auto found = known.find(leaf);
      return found != known.end() ? found->second : leaves[graph.variable_of(leaf).at()];
    });
  }

  int bodies;
  int size;
  ExprGraph graph;
  std::vector<EliminationEntry> lower;
  std::vector<NodeId> rhs;
  std::vector<double> leaves;
};

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// Gauss without pivoting: the matrices here are definite.
std::vector<double> solve_dense(std::vector<std::vector<double>> a, std::vector<double> b) {
  for (std::size_t k = 0; k < b.size(); ++k) {
    for (std::size_t i = k + 1; i < b.size(); ++i) {
      const double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < b.size(); ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = b.size(); k-- > 0;) {
    for (std::size_t j = k + 1; j < b.size(); ++j) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return b;
}

// What is left is solved in numbers, the others follow, and together they solve the whole system.
TEST(Condensation, WhatIsLeftAndWhatFollowsSolveTheWhole) {
  Rods rods(6);
  const auto made = condense(rods.graph, rods.size, rods.lower, rods.rhs, 3 * rods.bodies, {.widest = 8});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->taken.size(), 18U);
  ASSERT_EQ(made->left.size(), 12U);
  std::vector<std::vector<double>> a(12, std::vector<double>(12, 0.0));
  std::vector<double> b;
  for (const EliminationEntry& entry : made->lower) {
    ASSERT_GE(entry.row, entry.column);
    a[at(entry.row)][at(entry.column)] = a[at(entry.column)][at(entry.row)] = rods.value(entry.value);
  }
  for (const NodeId node : made->rhs) b.push_back(rods.value(node));
  const std::vector<double> left = solve_dense(a, b);
  std::vector<double> z(at(rods.size), 0);
  for (std::size_t k = 0; k < left.size(); ++k) z[at(made->left[k])] = left[k];
  for (std::size_t k = made->taken.size(); k-- > 0;) {
    const Condensation::Taken& one = made->taken[k];
    double sum = rods.value(one.rhs);
    for (const auto& [other, factor] : one.factors) sum -= rods.value(factor) * z[at(other)];
    z[at(one.unknown)] = one.inverse * sum;
  }
  std::vector<double> residual;
  for (const NodeId node : rods.rhs) residual.push_back(-rods.value(node));
  for (const EliminationEntry& entry : rods.lower) {
    residual[at(entry.row)] += rods.value(entry.value) * z[at(entry.column)];
    if (entry.row != entry.column) residual[at(entry.column)] += rods.value(entry.value) * z[at(entry.row)];
  }
  for (const double r : residual) EXPECT_NEAR(r, 0, 1e-12);  // numbers of order ten
}

// A pivot that varies, one that is not positive, and a row that is too wide stay.
TEST(Condensation, TakesOutWhatHasAPositiveNumberForAPivot) {
  Rods rods(6);
  rods.lower[0].value = rods.graph.variable(VariableId(0));
  rods.lower[1].value = rods.graph.constant(-2);
  const auto made = condense(rods.graph, rods.size, rods.lower, rods.rhs, 3 * rods.bodies, {.widest = 3});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->taken.size(), 11U);  // of 12 forces two less; of the moments the last, which has one joint
  EXPECT_EQ(made->left[0], 0);
  EXPECT_EQ(made->left[1], 1);
}

// Less than half of the accelerations: nothing. Entries that are all different from each other: nothing
// either, unless an elimination in numbers would be busy with them.
TEST(Condensation, IsNotForEverything) {
  Rods few(6);
  EXPECT_FALSE(condense(few.graph, few.size, few.lower, few.rhs, 3 * few.bodies, {.widest = 1}));
  ExprGraph graph;
  std::vector<EliminationEntry> lower;
  const int n = 1200;
  int leaf = 0;
  for (int i = 0; i < n; ++i) {
    lower.push_back({.row = i, .column = i, .value = graph.constant(1)});
    for (int k = 0; k < 6; ++k)
      lower.push_back(
          {.row = n + ((i + 7 * k) % n), .column = i, .value = graph.variable(VariableId(leaf++))});
  }
  const std::vector<NodeId> rhs(at(2 * n), graph.constant(1));
  EXPECT_FALSE(condense(graph, 2 * n, lower, rhs, n, {.widest = 8, .saved = 0.1}));
  EXPECT_TRUE(condense(graph, 2 * n, lower, rhs, n, {.widest = 8, .saved = 0.2}));
}

}  // namespace
}  // namespace daedalus
