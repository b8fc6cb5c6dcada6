#include "consistent/nearest_point.hpp"

#include <gtest/gtest.h>

#include "consistent/support.hpp"

namespace daedalus {
namespace {

using testing::circle;
using testing::from;

// The nearest point of a circle lies on the ray through the guess.
TEST(NearestPoint, OfACircleLiesOnTheRay) {
  const NearestResult found = nearest_point(circle(1), from({3, 4}));
  ASSERT_EQ(found.status, NearestStatus::Ok);
  EXPECT_NEAR(found.z[0], 0.6, 1e-7);  // Gauss–Newton ends at steps of 1e-7
  EXPECT_NEAR(found.z[1], 0.8, 1e-7);
  EXPECT_NEAR(std::hypot(found.z[0], found.z[1]), 1, 1e-15);
}

TEST(NearestPoint, WhatIsHeldStaysToTheBit) {
  NearestProblem problem = from({0.3, 5});
  problem.held[0] = true;
  const NearestResult found = nearest_point(circle(1), problem);
  ASSERT_EQ(found.status, NearestStatus::Ok);
  EXPECT_EQ(found.z[0], 0.3);
  EXPECT_NEAR(found.z[1], std::sqrt(1 - 0.09), 1e-15);
}

TEST(NearestPoint, APointOnTheManifoldStays) {
  const NearestResult found = nearest_point(circle(1), from({0.6, 0.8}));
  ASSERT_EQ(found.status, NearestStatus::Ok);
  EXPECT_NEAR(found.z[0], 0.6, 2e-16);
  EXPECT_NEAR(found.z[1], 0.8, 2e-16);
}

// The same constraint twice: steps of least norm solve it as it is.
ConstraintFunction twice(double second_radius) {
  ConstraintFunction both = circle(1);
  both.rows = 2;
  both.column_start = {0, 2, 4};
  both.row = {0, 1, 0, 1};
  both.residual = [second_radius](std::span<const double> z, std::span<double> c) {
    const double square = (z[0] * z[0]) + (z[1] * z[1]);
    c[0] = square - 1;
    c[1] = square - (second_radius * second_radius);
  };
  both.jacobian = [](std::span<const double> z, std::span<double> values) {
    values[0] = values[1] = 2 * z[0];
    values[2] = values[3] = 2 * z[1];
  };
  return both;
}

TEST(NearestPoint, RedundantConstraintsAreSolvedAsTheyAre) {
  const NearestResult found = nearest_point(twice(1), from({3, 4}));
  ASSERT_EQ(found.status, NearestStatus::Ok);
  EXPECT_NEAR(found.z[0], 0.6, 1e-6);
  EXPECT_NEAR(std::hypot(found.z[0], found.z[1]), 1, 1e-12);
}

TEST(NearestPoint, ContradictionsAreNotCalledSolved) {
  EXPECT_EQ(nearest_point(twice(2), from({3, 4})).status, NearestStatus::NoConvergence);
  const std::vector<Dependency> found = find_dependencies(twice(2), from({3, 4}), std::vector{0.6, 0.8});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].rows, (std::vector<int>{0, 1}));
  EXPECT_NEAR(std::abs(found[0].defect), 3, 1e-12);  // 2² - 1²
}

TEST(NearestPoint, SaysWhichConstraintHasNoValue) {
  ConstraintFunction logarithm = circle(1);
  logarithm.residual = [](std::span<const double> z, std::span<double> c) { c[0] = std::log(z[0]); };
  const NearestResult found = nearest_point(logarithm, from({-1, 0}));
  EXPECT_EQ(found.status, NearestStatus::NotFinite);
  EXPECT_EQ(found.bad_row, 0);
}

}  // namespace
}  // namespace daedalus
