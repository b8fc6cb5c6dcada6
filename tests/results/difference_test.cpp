#include "results/difference.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace daedalus {
namespace {

// sin t and a step at `jump`, at `points` points of 0 … 10.
Trajectory waves(int points, double jump, double offset = 0) {
  Trajectory t;
  t.signals = {{.name = "sine"}, {.name = "step"}};
  for (int k = 0; k < points; ++k) {
    const double time = 10.0 * k / (points - 1);
    t.times.push_back(time);
    t.values.push_back(std::sin(time) + offset);
    t.values.push_back(time < jump ? 0 : 5);
  }
  return t;
}

TEST(Difference, OtherPointsAreNone) {
  const auto d = difference_of(waves(1001, 4), waves(777, 4));
  ASSERT_TRUE(d.has_value());
  EXPECT_TRUE(d->same());
}

// The tube is 1 % of 10 in time and 1 % of the range (2) in value.
TEST(Difference, TheTubeIsAsWideAsItSays) {
  const DifferenceOptions options{.tolerance = 1e-2};
  EXPECT_TRUE(difference_of(waves(1001, 4), waves(1001, 4.09), options)->same());
  EXPECT_FALSE(difference_of(waves(1001, 4), waves(1001, 4.15), options)->same());
  // Its height is measured where the sine is steepest least: at its extremes the window adds nothing.
  EXPECT_TRUE(difference_of(waves(1001, 4), waves(1001, 4, 0.0199), options)->same());
  const auto d = difference_of(waves(1001, 4), waves(1001, 4, 0.03), options);
  ASSERT_TRUE(d.has_value());
  ASSERT_FALSE(d->same());
  EXPECT_EQ(d->signals[0].name, "sine");
  EXPECT_NEAR(d->signals[0].excess, (0.03 - 0.02) / 2, 1e-4);
  EXPECT_FALSE(d->signals[1].differs);
  EXPECT_NEAR(d->signals[0].second - d->signals[0].first, 0.03, 1e-12);
}

TEST(Difference, WhatOnlyOneHasIsTold) {
  Trajectory second = waves(11, 4);
  second.signals[1].name = "other";
  const auto d = difference_of(waves(11, 4), second);
  ASSERT_TRUE(d.has_value());
  EXPECT_EQ(d->only_first, (std::vector<std::string>{"step"}));
  EXPECT_EQ(d->only_second, (std::vector<std::string>{"other"}));
  EXPECT_TRUE(d->same());
  EXPECT_FALSE(difference_of(waves(11, 4), second, {.vars = {"step"}}).has_value());
  EXPECT_FALSE(difference_of(waves(11, 4), second, {.vars = {"nothing"}}).has_value());
}

TEST(Difference, AShorterOrMissingResultDiffers) {
  Trajectory half = waves(1001, 4);
  half.times.resize(501);
  half.values.resize(1002);
  const auto d = difference_of(waves(1001, 4), half);
  ASSERT_TRUE(d.has_value());
  EXPECT_TRUE(d->lengths_differ);
  EXPECT_FALSE(d->same());
  EXPECT_DOUBLE_EQ(d->to, 5);
  EXPECT_FALSE(difference_of(waves(11, 4), Trajectory{.signals = {{.name = "sine"}}}).has_value());
}

TEST(Difference, NotANumberDiffersFromANumberOnly) {
  Trajectory holes = waves(101, 4);
  holes.values[100] = std::nan("");
  EXPECT_FALSE(difference_of(waves(101, 4), holes)->same());
  EXPECT_TRUE(difference_of(holes, holes)->same());
}

TEST(Difference, AConstantIsMeasuredByItsSize) {
  Trajectory a = waves(11, 20), b = waves(11, 20);
  for (std::size_t row = 0; row < a.rows(); ++row) {
    a.values[(2 * row) + 1] = 1e5;
    b.values[(2 * row) + 1] = 1e5 + 50;
  }
  EXPECT_TRUE(difference_of(a, b)->same());
  EXPECT_FALSE(difference_of(a, b, {.tolerance = 1e-4})->same());
}

TEST(Difference, SideBySideHasBothAtAllTimes) {
  const Trajectory both = side_by_side(waves(3, 4), waves(5, 4), {"sine"});
  ASSERT_EQ(both.signals.size(), 2U);
  EXPECT_EQ(both.signals[1].name, "sine (second)");
  ASSERT_EQ(both.times, (std::vector<double>{0, 2.5, 5, 7.5, 10}));
  EXPECT_DOUBLE_EQ(both.at(1, 1), std::sin(2.5));
  EXPECT_DOUBLE_EQ(both.at(1, 0), std::sin(5.0) / 2);  // a straight line
}

}  // namespace
}  // namespace daedalus
