#include "numerics/linear_solver.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "numerics/test_matrices.hpp"

namespace daedalus {
namespace {

using testing::from_rows;
using testing::random_matrix;
using testing::TestMatrix;

constexpr double kEps = std::numeric_limits<double>::epsilon();

// By how much rounding errors may grow: KLU accepts pivots that lose three digits.
double growth(LinearSolverKind kind) {
  return kind == LinearSolverKind::Klu ? 1000 : 1;
}

// Solves A x = b for b = A·(known x) and gives the largest difference.
template <class Scalar>
double solution_error(LinearSolver<Scalar>& solver, const TestMatrix<Scalar>& matrix) {
  std::vector<Scalar> x(static_cast<std::size_t>(matrix.pattern.size));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = Scalar(1.0 + static_cast<double>(i % 7));
  std::vector<Scalar> b = matrix.times(x);
  EXPECT_TRUE(solver.factor(matrix.values));
  solver.solve(b);
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) worst = std::max(worst, std::abs(b[i] - x[i]));
  return worst;
}

template <class Scalar>
class EverySolver : public ::testing::Test {};
using Scalars = ::testing::Types<double, std::complex<double>>;
TYPED_TEST_SUITE(EverySolver, Scalars);

TYPED_TEST(EverySolver, SolvesRandomSparseSystems) {
  for (const LinearSolverKind kind : {LinearSolverKind::Dense, LinearSolverKind::Klu}) {
    for (const int n : {1, 2, 5, 17, 64, 150}) {
      for (unsigned seed = 0; seed < 5; ++seed) {
        const auto matrix = random_matrix<TypeParam>(n, 4, seed);
        const auto solver = make_linear_solver<TypeParam>(matrix.pattern, kind);
        // Diagonally dominant up to a permutation: the condition number is below 10, |x| ≤ 7, and each of the
        // n operations on an entry rounds once.
        EXPECT_LE(solution_error(*solver, matrix), growth(kind) * 10 * 7 * kEps * (n + 10))
            << solver->name() << " " << n;
      }
    }
  }
}

TYPED_TEST(EverySolver, FactorsAgainWithOtherValues) {
  for (const LinearSolverKind kind : {LinearSolverKind::Dense, LinearSolverKind::Klu}) {
    auto matrix = random_matrix<TypeParam>(40, 4, 3);
    const auto solver = make_linear_solver<TypeParam>(matrix.pattern, kind);
    for (int round = 0; round < 5; ++round) {
      EXPECT_LE(solution_error(*solver, matrix), growth(kind) * 10 * 7 * kEps * 50)
          << solver->name() << " " << round;
      for (auto& value : matrix.values) value *= TypeParam(1.0 + 0.1 * round);
    }
  }
}

TYPED_TEST(EverySolver, SurvivesRowsOfVeryDifferentSize) {
  for (const LinearSolverKind kind : {LinearSolverKind::Dense, LinearSolverKind::Klu}) {
    auto matrix = random_matrix<TypeParam>(30, 4, 11);
    for (std::size_t p = 0; p < matrix.values.size(); ++p) {
      matrix.values[p] *= std::pow(10.0, matrix.pattern.row[p] % 13 - 6);
    }
    const auto solver = make_linear_solver<TypeParam>(matrix.pattern, kind);
    EXPECT_LE(solution_error(*solver, matrix), growth(kind) * 10 * 7 * kEps * 40) << solver->name();
  }
}

TYPED_TEST(EverySolver, NamesTheColumnOfASingularMatrix) {
  // Column 2 is the sum of columns 0 and 1, exactly in floating point.
  const auto real = from_rows({{1, 2, 3}, {4, 1, 5}, {2, 2, 4}});
  const std::vector<TypeParam> values(real.values.begin(), real.values.end());
  for (const LinearSolverKind kind : {LinearSolverKind::Dense, LinearSolverKind::Klu}) {
    const auto solver = make_linear_solver<TypeParam>(real.pattern, kind);
    const bool regular = solver->factor(values);
    const Pivot weakest = solver->weakest_pivot();
    EXPECT_LE(weakest.relative, 4 * kEps) << solver->name();
    EXPECT_GE(weakest.column, 0) << solver->name();
    // The same pattern with other values is regular again.
    if (!regular) {
      auto better = values;
      better[0] += TypeParam(7);
      EXPECT_TRUE(solver->factor(better)) << solver->name();
      EXPECT_GT(solver->weakest_pivot().relative, 1e-3) << solver->name();
    }
  }
}

TYPED_TEST(EverySolver, ReportsAMissingUnknown) {
  // No equation contains unknown 1.
  SparsePattern pattern;
  pattern.size = 3;
  pattern.column_start = {0, 2, 2, 4};
  pattern.row = {0, 1, 1, 2};
  const std::vector<TypeParam> values(4, TypeParam(1));
  for (const LinearSolverKind kind : {LinearSolverKind::Dense, LinearSolverKind::Klu}) {
    const auto solver = make_linear_solver<TypeParam>(pattern, kind);
    EXPECT_FALSE(solver->factor(values)) << solver->name();
    EXPECT_EQ(solver->weakest_pivot().column, 1) << solver->name();
  }
}

TYPED_TEST(EverySolver, RefusesValuesThatAreNotFinite) {
  auto matrix = random_matrix<TypeParam>(12, 3, 1);
  matrix.values[5] = TypeParam(std::nan(""));
  for (const LinearSolverKind kind : {LinearSolverKind::Dense, LinearSolverKind::Klu}) {
    const auto solver = make_linear_solver<TypeParam>(matrix.pattern, kind);
    EXPECT_FALSE(solver->factor(matrix.values)) << solver->name();
  }
}

TEST(ChooseLinearSolver, TakesDenseForSmallOrFullAndSparseOtherwise) {
  EXPECT_EQ(choose_linear_solver(random_matrix<double>(8, 3, 1).pattern), LinearSolverKind::Dense);
  EXPECT_EQ(choose_linear_solver(random_matrix<double>(100, 4, 1).pattern), LinearSolverKind::Klu);
  EXPECT_EQ(choose_linear_solver(random_matrix<double>(30, 200, 1).pattern), LinearSolverKind::Dense);
  EXPECT_EQ(make_linear_solver<double>(random_matrix<double>(100, 4, 1).pattern)->name(), "klu");
  EXPECT_EQ(
      make_linear_solver<double>(random_matrix<double>(100, 4, 1).pattern, LinearSolverKind::Dense)->name(),
      "dense");
}

}  // namespace
}  // namespace daedalus
