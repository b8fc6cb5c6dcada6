#include "saddle/elimination.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace daedalus {
namespace {

// A symmetric matrix whose entries are variables; their values make it diagonally dominant.
struct Random {
  explicit Random(int size, unsigned seed) : n(size), values(static_cast<std::size_t>(size * size), 0) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> entry(-1, 1);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j <= i; ++j) {
        const bool diagonal = i == j;
        if (!diagonal && entry(random) > 0) continue;  // half of them are missing
        const double value = diagonal ? n + entry(random) : entry(random);
        const NodeId leaf = graph.variable(VariableId(static_cast<std::int32_t>(leaves.size())));
        leaves.push_back(value);
        lower.push_back({.row = i, .column = j, .value = leaf});
        at(i, j) = at(j, i) = value;
      }
    }
  }
  double& at(int i, int j) { return values[static_cast<std::size_t>((i * n) + j)]; }
  double value(NodeId id) const {
    return evaluate(graph, id, [this](NodeId leaf) { return leaves[graph.variable_of(leaf).at()]; });
  }

  int n;
  ExprGraph graph;
  std::vector<double> leaves, values;
  std::vector<EliminationEntry> lower;
};

class Eliminations : public ::testing::TestWithParam<unsigned> {};

// A x - b is rounding: 8 unknowns, a condition below 10.
TEST_P(Eliminations, SolveTheSystem) {
  Random system(8, GetParam());
  const auto ldl = SymbolicLdl::factor(system.graph, system.n, system.lower, 10'000);
  ASSERT_TRUE(ldl.has_value());
  std::vector<NodeId> b;
  for (int i = 0; i < system.n; ++i) b.push_back(system.graph.constant(std::cos(i)));
  const auto x = ldl->solve(system.graph, b);
  for (int i = 0; i < system.n; ++i) {
    double sum = -std::cos(i);
    for (int j = 0; j < system.n; ++j) sum += system.at(i, j) * system.value(x[static_cast<std::size_t>(j)]);
    EXPECT_NEAR(sum, 0, 1e-13);
    EXPECT_GT(system.value(ldl->pivots()[static_cast<std::size_t>(i)]), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Random, Eliminations, ::testing::Range(1U, 9U));

TEST(Elimination, HasALimit) {
  Random system(12, 1);
  EXPECT_FALSE(SymbolicLdl::factor(system.graph, system.n, system.lower, 20).has_value());
}

TEST(Elimination, AMissingPivotIsSaid) {
  ExprGraph graph;
  const NodeId x = graph.variable(VariableId(0));
  const std::vector<EliminationEntry> lower{{.row = 1, .column = 0, .value = x}};
  EXPECT_FALSE(SymbolicLdl::factor(graph, 2, lower, 100).has_value());
}

}  // namespace
}  // namespace daedalus
