#include "saddle/condensed_system.hpp"

#include <gtest/gtest.h>

#include "dense_saddle.hpp"

// What it solves is compared with dense algebra in strategies_test.cpp.
namespace daedalus::testing {
namespace {

TEST(CondensedSystem, IsNotMadeWhereMassesVaryAndLeavesThePanelsThen) {
  const DenseSaddle one = random_saddle(20, 6, Masses::Coupled, 5);
  SaddleExpressions e(one, false);
  PanelSystem whole(e.equations(), e.setting());
  EXPECT_EQ(CondensedSystem::make(e.equations(), e.setting(), whole), nullptr);
  whole.compile();
  ASSERT_TRUE(whole.solve_at(e.environment));
  const Eigen::VectorXd expected = one.solution();
  EXPECT_LE((as_vector(whole.accelerations()) - expected.head(20)).cwiseAbs().maxCoeff(),
            forward_tolerance(one, expected));
}

// Multipliers are recovered where they are asked for, and only then.
TEST(CondensedSystem, TheSolutionHasItsMultipliersWhenItIsComplete) {
  const DenseSaddle one = random_saddle(30, 9, Masses::Diagonal, 3);
  SaddleExpressions e(one, true);
  PanelSystem whole(e.equations(), e.setting());
  const auto system = CondensedSystem::make(e.equations(), e.setting(), whole);
  ASSERT_NE(system, nullptr);
  ASSERT_TRUE(system->solve_at(e.environment));
  const Eigen::VectorXd expected = one.solution();
  EXPECT_EQ(Eigen::VectorXd(as_vector(system->solution()).tail(9)), Eigen::VectorXd::Zero(9));
  system->complete();
  EXPECT_LE((as_vector(system->solution()) - expected).cwiseAbs().maxCoeff(),
            forward_tolerance(one, expected));
}

}  // namespace
}  // namespace daedalus::testing
