#include "numerics/tangent.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace daedalus {
namespace {

DenseMatrix matrix(int rows, int columns, std::vector<double> by_rows) {
  DenseMatrix m(rows, columns);
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) m.at(r, c) = by_rows[static_cast<std::size_t>((r * columns) + c)];
  }
  return m;
}

// x' = 3 x + 2 u as a row x' - 3 x - 2 u: columns x, x'.
TEST(Tangent, OfAnOdeIsItsRightHandSide) {
  const Tangent t = tangent_of({.jacobian = matrix(1, 2, {-3, 1}),
                                .input_jacobian = matrix(1, 1, {-2}),
                                .highest = {false, true},
                                .order = {0, 1},
                                .size = {1, 1}});
  ASSERT_EQ(t.states, (std::vector<int>{0}));
  EXPECT_DOUBLE_EQ(t.directions.at(1, 0), 3);
  EXPECT_DOUBLE_EQ(t.directions.at(1, 1), 2);
  EXPECT_FALSE(t.constrains_inputs);
}

// Columns x, y, x', y'; x + 2 y = 0 and its derivative, x' = 5 y. The constraint is there twice.
TEST(Tangent, ConstraintsLeaveStatesAndMayBeRedundant) {
  const Tangent t = tangent_of({.jacobian = matrix(4, 4, {1, 2, 0, 0, 0, 0, 1, 2, 0, -5, 1, 0, 3, 6, 0, 0}),
                                .input_jacobian = DenseMatrix(4, 0),
                                .highest = {false, false, true, true},
                                .order = {0, 0, 1, 1},
                                .size = {1, 1, 1, 1}});
  ASSERT_EQ(t.states.size(), 1U);
  EXPECT_EQ(t.redundant, 1);
  // With y = -x/2: x' = -5/2 x, y' = 5/4 x.
  const double x = t.states[0] == 0 ? 1 : -2;  // δx for one of the state
  EXPECT_NEAR(t.directions.at(2, 0), -2.5 * x, 1e-14);
  EXPECT_NEAR(t.directions.at(3, 0), 1.25 * x, 1e-14);
  EXPECT_NEAR(t.directions.at(0, 0) + (2 * t.directions.at(1, 0)), 0, 1e-14);
}

// Two multipliers of one constraint: their sum alone is known. Columns a, b (both algebraic): a + b + u = 0.
TEST(Tangent, SaysWhatIsOpenAndTakesTheLeastNorm) {
  const Tangent t = tangent_of({.jacobian = matrix(1, 3, {1, 1, 0}),
                                .input_jacobian = matrix(1, 1, {1}),
                                .highest = {true, true, true},
                                .order = {0, 0, 0},
                                .size = {1, 1, 1}});
  EXPECT_TRUE(t.open[0] && t.open[1]);
  EXPECT_NEAR(t.directions.at(0, 0), -0.5, 1e-14);
  EXPECT_NEAR(t.directions.at(1, 0), -0.5, 1e-14);
}

// x = 0 and x = u: u has no freedom.
TEST(Tangent, InputsThatConstraintsHoldAreRefused) {
  const Tangent t = tangent_of({.jacobian = matrix(2, 2, {1, 0, 1, 0}),
                                .input_jacobian = matrix(2, 1, {0, -1}),
                                .highest = {false, true},
                                .order = {0, 1},
                                .size = {1, 1}});
  EXPECT_EQ(t.status, TangentStatus::InputsHeld);
  EXPECT_EQ(t.row, 1);
}

TEST(Tangent, NamesTheRowWithoutAValue) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Tangent t = tangent_of({.jacobian = matrix(2, 2, {1, 1, 0, nan}),
                                .input_jacobian = DenseMatrix(2, 0),
                                .highest = {true, true},
                                .order = {0, 0},
                                .size = {1, 1}});
  EXPECT_EQ(t.status, TangentStatus::NotFinite);
  EXPECT_EQ(t.row, 1);
}

// The constrained pair again, with rows and columns in other units: the same states and rates in these units.
TEST(Tangent, DoesNotDependOnUnits) {
  const std::vector<double> row{1e12, 1e-9, 1e6}, unit{1e-8, 1e7, 1e-3, 1e5};
  const std::vector<double> plain{1, 2, 0, 0, 0, 0, 1, 2, 0, -5, 1, 0};
  TangentProblem problem{.jacobian = matrix(3, 4, plain),
                         .input_jacobian = DenseMatrix(3, 0),
                         .highest = {false, false, true, true},
                         .order = {0, 0, 1, 1},
                         .size = {1, 1, 1, 1}};
  const Tangent t = tangent_of(problem);
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 4; ++c)
      problem.jacobian.at(r, c) *= row[static_cast<std::size_t>(r)] / unit[static_cast<std::size_t>(c)];
  }
  const Tangent scaled = tangent_of(problem);
  ASSERT_EQ(scaled.states.size(), 1U);
  EXPECT_EQ(scaled.redundant, 0);
  // δz in other units, by δz of the state that was chosen there.
  const auto s = static_cast<std::size_t>(scaled.states[0]);
  for (int c = 0; c < 4; ++c) {
    const double expected = t.directions.at(c, 0) / t.directions.at(scaled.states[0], 0) *
                            unit[static_cast<std::size_t>(c)] / unit[s];
    EXPECT_NEAR(scaled.directions.at(c, 0), expected, 1e-10 * (1 + std::abs(expected)));
  }
}

}  // namespace
}  // namespace daedalus
