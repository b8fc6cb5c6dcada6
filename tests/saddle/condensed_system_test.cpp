#include "saddle/condensed_system.hpp"

#include <gtest/gtest.h>

#include "dense_saddle.hpp"

namespace daedalus::testing {
namespace {

std::unique_ptr<CondensedSystem> condensed(SaddleExpressions& e) {
  return CondensedSystem::make(
      e.graph, {.size = e.matrix.rows, .lower = e.lower, .rhs = e.rhs, .first = e.first, .saved = 1},
      e.setting());
}

class CondensedSystems : public ::testing::TestWithParam<unsigned> {
 protected:
  [[nodiscard]] DenseSaddle given() const {
    return random_saddle(12 + (7 * static_cast<int>(GetParam())), 3 + (4 * static_cast<int>(GetParam())),
                         Masses::Diagonal, GetParam());
  }
};

TEST_P(CondensedSystems, SolveWhatDenseAlgebraSolves) {
  const DenseSaddle one = given();
  SaddleExpressions e(one, true);
  const auto system = condensed(e);
  ASSERT_NE(system, nullptr);
  DenseSaddle other = one;
  other.gradient *= -0.8;
  for (const DenseSaddle& at : {one, other}) {
    e.load(at);
    std::vector<double> z(static_cast<std::size_t>(at.size()));
    system->solve(e.environment, z);
    EXPECT_TRUE(system->regular());
    system->put_multipliers(z);
    const Eigen::VectorXd expected = at.solution();
    EXPECT_LE((as_vector(z) - expected).cwiseAbs().maxCoeff(), forward_tolerance(at, expected));
  }
}

// All of M is taken out, so that the pivots that are left are those of -G M⁻¹ Gᵀ: their product is its
// determinant.
TEST_P(CondensedSystems, HavePivotsWhoseProductIsTheDeterminantOfTheSchurComplement) {
  const DenseSaddle one = given();
  SaddleExpressions e(one, true);
  const auto system = condensed(e);
  ASSERT_NE(system, nullptr);
  system->eliminate(e.environment);
  double logarithm = 0;
  for (int i = one.n(); i < one.size(); ++i) {
    EXPECT_LT(system->pivot(i), 0);
    logarithm += std::log(-system->pivot(i));
  }
  const Eigen::MatrixXd schur = one.gradient * one.mass.inverse() * one.gradient.transpose();
  const Eigen::MatrixXd factor = schur.llt().matrixL();
  EXPECT_NEAR(logarithm, 2 * factor.diagonal().array().log().sum(), 1e-12 * one.size());
}

// (0, c) in the place of a right-hand side that is zero, with the last elimination.
TEST_P(CondensedSystems, SolveForOtherConstraints) {
  DenseSaddle one = given();
  SaddleExpressions e(one, true);
  std::ranges::fill(e.rhs, e.graph.constant(0));
  const auto system = condensed(e);
  ASSERT_NE(system, nullptr);
  system->eliminate(e.environment);
  one.b.head(one.n()).setZero();
  for (const double frequency : {0.3, 1.7}) {
    std::vector<double> c;
    for (int i = 0; i < one.m(); ++i) c.push_back(one.b(one.n() + i) = std::cos(frequency * i));
    std::vector<double> z(static_cast<std::size_t>(one.size()));
    system->solve_for(c, z);
    const Eigen::VectorXd expected = one.solution();
    EXPECT_LE((as_vector(z) - expected).head(one.n()).cwiseAbs().maxCoeff(),
              forward_tolerance(one, expected));
  }
}

TEST_P(CondensedSystems, CopiesAreIndependent) {
  const DenseSaddle one = given();
  SaddleExpressions e(one, true);
  const auto system = condensed(e);
  ASSERT_NE(system, nullptr);
  std::vector<double> z(static_cast<std::size_t>(one.size()));
  std::vector<double> of_copy = z;
  system->solve(e.environment, z);
  system->put_multipliers(z);
  CondensedSystem copy = *system;
  DenseSaddle other = one;
  other.b *= 3;
  SaddleExpressions elsewhere(other, true);
  copy.solve(elsewhere.environment, of_copy);
  std::vector<double> multipliers = z;
  system->put_multipliers(multipliers);
  EXPECT_EQ(multipliers, z);
  copy.solve(e.environment, of_copy);
  copy.put_multipliers(of_copy);
  EXPECT_EQ(of_copy, z);
}

INSTANTIATE_TEST_SUITE_P(Sizes, CondensedSystems, ::testing::Range(1U, 9U));

// A constraint given twice: nothing is left of its pivot but rounding, or nothing at all.
TEST(CondensedSystem, ARedundantConstraintHasNoPivot) {
  DenseSaddle one = random_saddle(20, 6, Masses::Diagonal, 5);
  one.gradient.row(5) = one.gradient.row(0);
  SaddleExpressions e(one, true);
  const auto system = condensed(e);
  ASSERT_NE(system, nullptr);
  system->eliminate(e.environment);
  double smallest = 1;
  for (const int i : {20, 25})
    smallest = std::min(smallest, std::abs(system->pivot(i)) / one.schur_diagonal()(0));
  EXPECT_LE(smallest, 1e-14);
}

TEST(CondensedSystem, IsNotMadeWhereMassesVary) {
  const DenseSaddle one = random_saddle(20, 6, Masses::Coupled, 5);
  SaddleExpressions e(one, false);
  EXPECT_EQ(condensed(e), nullptr);
}

}  // namespace
}  // namespace daedalus::testing
