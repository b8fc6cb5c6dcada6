#include "consistent/in_stages.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "consistent/support.hpp"
#include "consistent/tolerances.hpp"

namespace daedalus {
namespace {

// z0² + z1² = 1 for positions; z0 z2 + z1 z3 = 0 for velocities; z4 = z2 + z3 follows. With `twice` the first
// condition is there again.
ConstraintFunction pendulum(bool twice) {
  ConstraintFunction made{.rows = twice ? 4 : 3, .columns = 5};
  std::vector<std::vector<int>> rows_of{{0, 1}, {0, 1}, {1, 2}, {1, 2}, {2}};
  if (twice) {
    rows_of[0].push_back(3);
    rows_of[1].push_back(3);
  }
  made.column_start = {0};
  for (const auto& rows : rows_of) {
    made.row.insert(made.row.end(), rows.begin(), rows.end());
    made.column_start.push_back(static_cast<int>(made.row.size()));
  }
  made.residual = [twice](std::span<const double> z, std::span<double> c) {
    c[0] = (z[0] * z[0]) + (z[1] * z[1]) - 1;
    c[1] = (z[0] * z[2]) + (z[1] * z[3]);
    c[2] = z[2] + z[3] - z[4];
    if (twice) c[3] = 2 * c[0];
  };
  made.jacobian = [twice](std::span<const double> z, std::span<double> values) {
    std::vector<double> out{2 * z[0], z[2]};
    if (twice) out.push_back(4 * z[0]);
    out.insert(out.end(), {2 * z[1], z[3]});
    if (twice) out.push_back(4 * z[1]);
    out.insert(out.end(), {z[0], 1, z[1], 1, -1});
    std::ranges::copy(out, values.begin());
  };
  return made;
}

NearestProblem asked(std::vector<double> guess) {
  NearestProblem problem = testing::from(std::move(guess));
  using namespace consistent;
  problem.weight = {weight_of_wish, weight_of_wish, weight_of_default, weight_of_default, weight_of_nothing};
  problem.first = problem.guess;
  return problem;
}

// Each stage is the nearest point to its own guess: the ray through (3, 4), then the part of (1, 0) along
// the tangent.
TEST(InStages, WhatMattersIsDecidedFirst) {
  for (const bool twice : {false, true}) {
    const auto z = nearest_in_stages(pendulum(twice), asked({3, 4, 1, 0, 7}));
    ASSERT_TRUE(z.has_value());
    EXPECT_NEAR((*z)[0], 0.6, 1e-6);
    EXPECT_NEAR((*z)[1], 0.8, 1e-6);
    EXPECT_NEAR(std::hypot((*z)[0], (*z)[1]), 1, 1e-15);
    EXPECT_NEAR((*z)[2], 0.64, 1e-6);  // (1, 0) less its part along the normal (0.6, 0.8)
    EXPECT_NEAR((*z)[3], -0.48, 1e-6);
    EXPECT_NEAR((*z)[4], (*z)[2] + (*z)[3], 1e-15);
  }
}

TEST(InStages, ValuesThatFitStayToTheBit) {
  const auto z = nearest_in_stages(pendulum(true), asked({1, 0, 0, 2, 0}));
  ASSERT_TRUE(z.has_value());
  EXPECT_EQ((*z)[0], 1);
  EXPECT_EQ((*z)[1], 0);
  EXPECT_EQ((*z)[2], 0);
  EXPECT_EQ((*z)[3], 2);
  EXPECT_EQ((*z)[4], 2);
}

// A velocity that is held as well as the position cannot be mended by what matters less.
TEST(InStages, NothingComesBackWhereAStageHasNoSolution) {
  NearestProblem problem = asked({1, 0, 1, 0, 0});
  problem.held = {true, true, true, false, false};
  EXPECT_FALSE(nearest_in_stages(pendulum(false), problem).has_value());
}

TEST(RestrictedTo, OtherRowsAreEmpty) {
  const ConstraintFunction part = restricted_to({false, true, true}, pendulum(false));
  std::vector<double> c(3);
  std::vector<double> values(part.row.size());
  part.residual(std::vector<double>{3, 4, 1, 0, 7}, c);
  part.jacobian(std::vector<double>{3, 4, 1, 0, 7}, values);
  EXPECT_EQ(c, (std::vector<double>{0, 3, -6}));
  EXPECT_EQ(values, (std::vector<double>{0, 1, 0, 0, 3, 1, 4, 1, -1}));
}

}  // namespace
}  // namespace daedalus
