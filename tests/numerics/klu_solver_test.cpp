// What is particular to the sparse solver: it keeps its pivots while they serve, and its orderings.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "numerics/linear_solver.hpp"
#include "numerics/test_matrices.hpp"

namespace daedalus {
namespace {

using testing::from_rows;

constexpr double kEps = std::numeric_limits<double>::epsilon();

// With the pivots of the first matrix the second one loses all digits: the pivot 1 becomes 1e-14, so
// elimination adds terms of size 1e14. New pivots give the exact answer.
TEST(KluSolver, ChoosesNewPivotsWhenTheOldOnesGrow) {
  auto matrix = from_rows({{1, 1, 0}, {1, 2, 1}, {0, 1, 3}});
  const auto solver = make_klu_solver<double>(matrix.pattern);
  ASSERT_TRUE(solver->factor(matrix.values));
  matrix = from_rows({{1e-14, 1, 0}, {1, 1e-14, 1}, {0, 1, 3}});
  ASSERT_TRUE(solver->factor(matrix.values));
  const std::vector<double> x{3, -2, 5};
  std::vector<double> b = matrix.times(x);
  solver->solve(b);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(b[i], x[i], 100 * kEps) << i;
}

TEST(KluSolver, RecoversAfterAnExactlyZeroPivot) {
  auto matrix = from_rows({{1, 1, 0}, {1, 2, 1}, {0, 1, 3}});
  const auto solver = make_klu_solver<double>(matrix.pattern);
  ASSERT_TRUE(solver->factor(matrix.values));
  matrix.values[0] = 0;  // the entry stays in the pattern
  ASSERT_TRUE(solver->factor(matrix.values));
  const std::vector<double> x{1, 2, 3};
  std::vector<double> b = matrix.times(x);
  solver->solve(b);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(b[i], x[i], 100 * kEps) << i;
}

// A chain of n bodies with a constraint between neighbours, [I Gᵀ; G 0]: with a good ordering the work grows
// with n, and n = 50,000 would not end with a bad one.
TEST(KluSolver, FactorsALongSaddleMatrix) {
  const int bodies = 50000;
  const int n = 2 * bodies - 1;
  testing::TestMatrix<double> matrix;
  matrix.pattern.size = n;
  matrix.pattern.column_start.push_back(0);
  const auto end_column = [&] { matrix.pattern.column_start.push_back(matrix.pattern.nonzeros()); };
  const auto add = [&](int row, double value) {
    matrix.pattern.row.push_back(row);
    matrix.values.push_back(value);
  };
  for (int j = 0; j < bodies; ++j) {
    add(j, 1);
    if (j > 0) add(bodies + j - 1, -1);
    if (j < bodies - 1) add(bodies + j, 1);
    end_column();
  }
  for (int k = 0; k < bodies - 1; ++k) {
    add(k, 1);
    add(k + 1, -1);
    end_column();
  }
  const auto solver = make_linear_solver<double>(matrix.pattern);
  EXPECT_EQ(solver->name(), "klu");
  ASSERT_TRUE(solver->factor(matrix.values));
  std::vector<double> x(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) x[i] = std::sin(0.01 * i);
  std::vector<double> b = matrix.times(x);
  solver->solve(b);
  // The Schur complement G Gᵀ of a path with n nodes has condition number of about n².
  double worst = 0;
  for (int i = 0; i < n; ++i) worst = std::max(worst, std::abs(b[i] - x[i]));
  EXPECT_LE(worst, 0.1 * kEps * static_cast<double>(bodies) * bodies);
}

}  // namespace
}  // namespace daedalus
