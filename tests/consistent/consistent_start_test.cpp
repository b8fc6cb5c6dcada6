#include "consistent/consistent_start.hpp"

#include <gtest/gtest.h>

#include "consistent/support.hpp"

namespace daedalus {
namespace {

// A position on the circle, and z₃ = z₁ z₂ that follows from it.
ConstraintFunction circle_and_product() {
  return {.rows = 2,
          .columns = 3,
          .column_start = {0, 2, 4, 5},
          .row = {0, 1, 0, 1, 1},
          .residual =
              [](std::span<const double> z, std::span<double> c) {
                c[0] = (z[0] * z[0]) + (z[1] * z[1]) - 1;
                c[1] = (z[0] * z[1]) - z[2];
              },
          .jacobian =
              [](std::span<const double> z, std::span<double> values) {
                values[0] = 2 * z[0];
                values[1] = z[1];
                values[2] = 2 * z[1];
                values[3] = z[0];
                values[4] = -1;
              }};
}

const std::vector<bool> third{false, false, true};

TEST(ConsistentStart, WhatFollowsIsSolvedAndTheRestStays) {
  const auto found = consistent_start(circle_and_product(), testing::from({0.6, 0.8, 0}), third);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ((*found)[0], 0.6);
  EXPECT_EQ((*found)[1], 0.8);
  EXPECT_NEAR((*found)[2], 0.48, 1e-16);
}

TEST(ConsistentStart, IsRefusedWhereAConditionFails) {
  EXPECT_FALSE(consistent_start(circle_and_product(), testing::from({0.6, 0.8 + 1e-12, 0}), third));
}

TEST(ConsistentStart, IsRefusedWhereWhatIsLeftIsNotSquare) {
  EXPECT_FALSE(consistent_start(circle_and_product(), testing::from({0.6, 0.8, 0}), {true, true, true}));
}

}  // namespace
}  // namespace daedalus
