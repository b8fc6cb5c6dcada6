#include "numerics/static_lu.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "numerics/test_matrices.hpp"

namespace daedalus::testing {
namespace {

// [S B; G 0]: S of blocks of three, coupled to the next block, near a positive definite matrix; constraint i
// joins block i to block i+1, and B is nearly Gᵀ.
template <class Scalar>
TestMatrix<Scalar> chain_saddle(int bodies, std::mt19937& random) {
  const int n = 3 * bodies;
  const int m = 2 * (bodies - 1);
  std::vector<std::vector<Scalar>> a(static_cast<std::size_t>(n + m),
                                     std::vector<Scalar>(static_cast<std::size_t>(n + m), Scalar(0)));
  const auto put = [&](int r, int c, Scalar value) {
    a[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)] += value;
  };
  for (int i = 0; i < n; ++i) {
    for (int j = std::max(0, i - 4); j < std::min(n, i + 5); ++j) {
      Scalar x;
      draw(random, x);
      put(i, j, i == j ? Scalar(6) + x : Scalar(0.5) * x);
    }
  }
  for (int k = 0; k < m; ++k) {
    for (int j = 0; j < 6; ++j) {
      Scalar x;
      Scalar difference;
      draw(random, x);
      draw(random, difference);
      const int column = 3 * (k / 2) + j;
      put(n + k, column, x);
      put(column, n + k, x + Scalar(0.01) * difference);
    }
  }
  TestMatrix<Scalar> matrix;
  matrix.pattern = {.size = n + m, .column_start = {0}, .row = {}};
  for (int c = 0; c < n + m; ++c) {
    for (int r = 0; r < n + m; ++r) {
      const Scalar value = a[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)];
      if (value == Scalar(0) && r != c) continue;
      matrix.pattern.row.push_back(r);
      matrix.values.push_back(value);
    }
    matrix.pattern.column_start.push_back(matrix.pattern.nonzeros());
  }
  return matrix;
}

template <class Scalar>
void solves(unsigned seed) {
  constexpr int bodies = 20;
  std::mt19937 random(seed);
  const TestMatrix<Scalar> matrix = chain_saddle<Scalar>(bodies, random);
  const auto solver =
      make_static_solver<Scalar>(matrix.pattern, saddle_structure(matrix.pattern, 3 * bodies));
  ASSERT_TRUE(solver->factor(matrix.values));
  EXPECT_EQ(solver->name(), "static-lu");
  std::vector<Scalar> x(static_cast<std::size_t>(matrix.pattern.size));
  for (Scalar& value : x) draw(random, value);
  std::vector<Scalar> b = matrix.times(x);
  solver->solve(b);
  // The condition of these matrices is below 1e5.
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_LE(std::abs(b[i] - x[i]), 1e-10) << seed;
}

TEST(StaticLu, SolvesRealAndComplexSaddles) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    solves<double>(seed);
    solves<std::complex<double>>(seed);
  }
}

// Bands of every width up to 40: panels of all sizes that have code of their own, and larger ones. Each row
// is dominated by its diagonal, so that the condition is below 10.
template <class Scalar>
void solves_band(int width, unsigned seed) {
  std::mt19937 random(seed);
  const int n = 2 * width + 7;
  TestMatrix<Scalar> matrix;
  matrix.pattern = {.size = n, .column_start = {0}, .row = {}};
  for (int c = 0; c < n; ++c) {
    for (int r = std::max(0, c - width); r < std::min(n, c + width + 1); ++r) {
      Scalar x;
      draw(random, x);
      // Not even the pattern is symmetric.
      if (r != c && std::abs(x) < 0.2) continue;
      matrix.pattern.row.push_back(r);
      matrix.values.push_back(r == c ? Scalar(3 * width + 2) + x : x);
    }
    matrix.pattern.column_start.push_back(matrix.pattern.nonzeros());
  }
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  StaticLu<Scalar> lu(std::make_shared<const LuStructure>(matrix.pattern, order));
  ASSERT_TRUE(lu.factor(matrix.values));
  std::vector<Scalar> x(static_cast<std::size_t>(n));
  for (Scalar& value : x) draw(random, value);
  std::vector<Scalar> b = matrix.times(x);
  lu.solve(b);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_LE(std::abs(b[i] - x[i]), 1e-13) << width;
}

TEST(StaticLu, PanelsOfAllSizes) {
  for (int width = 0; width <= 40; ++width) {
    solves_band<double>(width, static_cast<unsigned>(width));
    solves_band<std::complex<double>>(width, static_cast<unsigned>(width));
  }
}

// Equations in another order than their unknowns: A with its rows exchanged.
TEST(StaticLu, EquationsMayStandInAnotherOrder) {
  const TestMatrix<double> matrix = from_rows({{1, 0, 4}, {5, 1, 0}, {0, 6, 1}});
  const std::vector<int> order{2, 0, 1};
  const std::vector<int> equation{1, 2, 0};  // by unknown: where its large entry stands
  StaticLu<double> lu(std::make_shared<const LuStructure>(matrix.pattern, order, equation));
  ASSERT_TRUE(lu.factor(matrix.values));
  EXPECT_EQ(lu.pivots(), 3);
  // The pivots are 4, 5 and what is left of 6: 6 + 1/20.
  EXPECT_NEAR(lu.inverse_pivot_square(0), 1.0 / 16, 1e-16);
  const std::vector<double> x{1, 2, 3};
  std::vector<double> b = matrix.times(x);
  lu.solve(b);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(b[i], x[i], 1e-15);
}

// What an implicit method makes of p' = v, v' = a, K p + D v + M a = f: w p - v, w v - a, and the last. The
// unknowns are p, v, a of one after the other, the equations stand the other way round. Against K + w D + w²
// M, whose rows are dominated by M, everything else is small: the condition is below 1e3.
template <class Scalar>
void solves_planned(int bodies, unsigned seed) {
  std::mt19937 random(seed);
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  const int n = 3 * bodies;
  std::vector<std::vector<Scalar>> a(at(n), std::vector<Scalar>(at(n), Scalar(0)));
  Scalar w;
  draw(random, w);
  w += Scalar(5);
  EliminationPlan plan;
  plan.equation.resize(at(n));
  plan.turn.assign(at(n), EliminationPlan::Turn::Top);
  plan.next.assign(at(n), -1);
  for (int level = 0; level < 2; ++level) {
    for (int i = 0; i < bodies; ++i) {
      const int unknown = 3 * i + level;
      plan.turn[at(unknown)] = EliminationPlan::Turn::Early;
      plan.next[at(unknown)] = unknown + 1;
      plan.early.push_back(unknown);
    }
  }
  for (int i = 0; i < bodies; ++i) {
    for (int level = 0; level < 3; ++level) {
      const int unknown = 3 * i + level;
      const int equation = n - 1 - unknown;
      plan.equation[at(unknown)] = equation;
      if (level < 2) {
        a[at(equation)][at(unknown)] = w;
        a[at(equation)][at(unknown + 1)] = Scalar(-1);
        continue;
      }
      for (int j = std::max(0, i - 1); j <= std::min(bodies - 1, i + 1); ++j) {
        for (int k = 0; k < 3; ++k) draw(random, a[at(equation)][at(3 * j + k)]);
      }
      a[at(equation)][at(unknown)] += Scalar(10);
    }
  }
  TestMatrix<Scalar> matrix;
  matrix.pattern = {.size = n, .column_start = {0}, .row = {}};
  for (int c = 0; c < n; ++c) {
    for (int r = 0; r < n; ++r) {
      if (a[at(r)][at(c)] == Scalar(0)) continue;
      matrix.pattern.row.push_back(r);
      matrix.values.push_back(a[at(r)][at(c)]);
    }
    matrix.pattern.column_start.push_back(matrix.pattern.nonzeros());
  }
  const SharedLu structure = planned_structure(matrix.pattern, plan);
  EXPECT_EQ(structure->early.size(), at(2 * bodies));
  const auto solver = make_static_solver<Scalar>(matrix.pattern, structure);
  ASSERT_TRUE(solver->factor(matrix.values));
  EXPECT_EQ(solver->name(), "static-lu");
  std::vector<Scalar> x(at(n));
  for (Scalar& value : x) draw(random, value);
  std::vector<Scalar> b = matrix.times(x);
  solver->solve(b);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_LE(std::abs(b[i] - x[i]), 1e-12) << bodies;
}

TEST(StaticLu, EarlyUnknownsJoinThoseThatTheyFollowFrom) {
  for (int bodies = 1; bodies < 12; ++bodies) {
    solves_planned<double>(bodies, static_cast<unsigned>(bodies));
    solves_planned<std::complex<double>>(bodies, static_cast<unsigned>(bodies));
  }
}

// Every constraint comes after all that it joins, and right after the last of them.
TEST(StaticLu, PutsConstraintsAmongTheRowsThatTheyJoin) {
  constexpr int bodies = 50;
  std::mt19937 random(1);
  const TestMatrix<double> matrix = chain_saddle<double>(bodies, random);
  const std::vector<int> order = interleaved_saddle_order(matrix.pattern, 3 * bodies);
  std::vector<int> position(order.size());
  for (std::size_t k = 0; k < order.size(); ++k)
    position[static_cast<std::size_t>(order[k])] = static_cast<int>(k);
  for (int k = 0; k < 2 * (bodies - 1); ++k) {
    for (int j = 0; j < 6; ++j) {
      EXPECT_GT(position[static_cast<std::size_t>(3 * bodies + k)],
                position[static_cast<std::size_t>(3 * (k / 2) + j)]);
    }
  }
  // Fill grows with the length, not with its square: a chain has separators of one body.
  const StaticLu<double> lu(std::make_shared<const LuStructure>(matrix.pattern, order));
  EXPECT_LE(lu.nonzeros(), static_cast<std::size_t>(20 * 5 * bodies));
}

// A pivot that vanishes later: the first matrix is eliminated as it stands, the second one cannot be.
TEST(StaticLu, NoticesWhenAPivotVanishes) {
  TestMatrix<double> matrix = from_rows({{4, 1, 2}, {1, 2, 1}, {1, 1, 1}});
  const auto solver = make_static_solver<double>(matrix.pattern, saddle_structure(matrix.pattern, 2));
  ASSERT_TRUE(solver->factor(matrix.values));
  EXPECT_EQ(solver->name(), "static-lu");
  const std::vector<double> x{1, 2, 3};
  for (const double first : {1e-14, 0.0}) {
    // Column by column: the first row is {first, 1, 2}, the second {1, first², 1}.
    matrix.values[0] = first;
    matrix.values[4] = first * first;
    ASSERT_TRUE(solver->factor(matrix.values));
    std::vector<double> b = matrix.times(x);
    solver->solve(b);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(b[i], x[i], 1e-12);
  }
  EXPECT_NE(solver->name(), "static-lu");
}

// S is singular in its first row, the whole is not: without pivoting there is no way, with it there is.
TEST(StaticLu, LeavesToPivotingWhatNeedsIt) {
  const TestMatrix<double> matrix = from_rows({{0, 1, 2}, {1, 2, 1}, {1, 1, 0}});
  const auto solver = make_static_solver<double>(matrix.pattern, saddle_structure(matrix.pattern, 2));
  ASSERT_TRUE(solver->factor(matrix.values));
  EXPECT_NE(solver->name(), "static-lu");
  const std::vector<double> x{1, 2, 3};
  std::vector<double> b = matrix.times(x);
  solver->solve(b);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(b[i], x[i], 1e-14);
}

}  // namespace
}  // namespace daedalus::testing
