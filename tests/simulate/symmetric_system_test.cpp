#include "simulate/symmetric_system.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace daedalus {
namespace {

constexpr int n = 12;  // rows of M
constexpr int m = 5;   // of G, the last of which is the first once more

// [M Gᵀ; G 0] z = b with every entry an expression of its own or, one in three, a constant. M has couplings
// far from its diagonal, so that it is eliminated in another order than it is written in.
struct Random {
  explicit Random(unsigned seed) : random(seed) {
    matrix.rows = matrix.columns = n + m;
    for (int i = 0; i < n; ++i) {
      add(i, i, 4 + value(random));
      for (const int j : {i + 1, (i * 5 + 3) % n}) {
        if (j > i && j < n && dense[at(i)][at(j)] == 0) add(i, j, 0.5 * value(random));
      }
    }
    for (int r = 0; r < m; ++r) {
      for (int k = 0; k < 3; ++k) {
        const int column = (3 * (r % (m - 1)) + 4 * k) % n;
        if (r < m - 1) add(column, n + r, value(random));
        if (r == m - 1) repeat(column, n + r, n);
      }
    }
    for (int i = 0; i < n + m; ++i) {
      b.push_back(i == n + m - 1 ? b[at(n)] : value(random));
      rhs.push_back(leaf(b.back()));
    }
  }

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  NodeId leaf(double v) {
    environment.push_back(v);
    return graph.variable(VariableId(static_cast<int>(environment.size()) - 1));
  }
  void put(int i, int j, double v, NodeId node) {
    dense[at(i)][at(j)] = dense[at(j)][at(i)] = v;
    matrix.entries.push_back({.row = i, .column = j, .value = node});
    if (i != j) matrix.entries.push_back({.row = j, .column = i, .value = node});
  }
  void add(int i, int j, double v) { put(i, j, v, ++count % 3 == 0 ? graph.constant(v) : leaf(v)); }
  void repeat(int i, int j, int other) { put(i, j, dense[at(i)][at(other)], leaf(dense[at(i)][at(other)])); }

  std::mt19937 random;
  std::uniform_real_distribution<double> value{0.2, 1};
  ExprGraph graph;
  SymbolicMatrix matrix;
  std::vector<NodeId> rhs;
  std::vector<double> environment, b;
  std::vector<std::vector<double>> dense =
      std::vector<std::vector<double>>(n + m, std::vector<double>(n + m, 0.0));
  int count = 0;
};

class SymmetricSystems : public ::testing::TestWithParam<unsigned> {};

// The equations hold (numbers of order one, a condition below 1e4), and of the multipliers of the two equal
// constraints, of which only the sum is determined, those of least norm are equal.
TEST_P(SymmetricSystems, RedundantConstraintsAreSolvedWithLeastNorm) {
  Random given(GetParam());
  SymmetricSystem system(given.graph, given.matrix, given.rhs, n,
                         [&](std::span<const NodeId> roots, std::span<const int> destinations) {
                           return Program::compile(
                               given.graph, roots, static_cast<int>(given.environment.size()),
                               [&](NodeId leaf) { return given.graph.variable_of(leaf).value; }, {},
                               destinations);
                         });
  ASSERT_TRUE(system.settle(given.environment));
  EXPECT_TRUE(system.has_redundant());
  std::vector<double> z(n + m);
  ASSERT_TRUE(system.solve(given.environment));
  system.put(z);
  for (std::size_t i = 0; i < n + m; ++i) {
    double sum = -given.b[i];
    for (std::size_t j = 0; j < n + m; ++j) sum += given.dense[i][j] * z[j];
    EXPECT_NEAR(sum, 0, 1e-10) << i;
  }
  // What the constraints do not see is known up to rounding over δ, 2e-16/1e-11, and some operations.
  EXPECT_NEAR(z[n], z[n + m - 1], 1e-3 * std::abs(z[n]));
  EXPECT_TRUE(system.holds(given.environment));
  given.environment.front() += 0.5;  // M's first entry, or what is first of it
  EXPECT_FALSE(system.holds(given.environment));
}

INSTANTIATE_TEST_SUITE_P(Seeds, SymmetricSystems, ::testing::Range(1U, 9U));

}  // namespace
}  // namespace daedalus
