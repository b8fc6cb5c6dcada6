// What radau learns from failures, by counting.
#include "integrate/radau_patience.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace daedalus {
namespace {

// Newton's method converges below a step of 1, and the error allows any: of 200 steps one in sixteen fails
// where without patience each second would.
TEST(RadauPatience, FailuresAtTheSameSizeBecomeRare) {
  NewtonPatience patience;
  double h = 0.5;
  int failures = 0;
  for (int step = 0; step < 200; ++step) {
    for (bool first = true; h > 1; first = false) {
      patience.failed(h, first);
      if (first) ++failures;
      h *= 0.5;
    }
    h *= std::min(patience.growth(), 2.0);
  }
  EXPECT_LE(failures, 200 / 15 + 6) << "the first five come sooner";
  EXPECT_GE(failures, 200 / 20) << "longer steps are tried now and then";
}

TEST(RadauPatience, OneFailureHoldsNothingBack) {
  NewtonPatience patience;
  patience.failed(1, true);
  EXPECT_TRUE(std::isinf(patience.growth()));
  for (int step = 0; step < 10; ++step) (void)patience.growth();
  patience.failed(1, true);
  EXPECT_TRUE(std::isinf(patience.growth())) << "the last one is long ago";
  patience.failed(0.9, true);
  EXPECT_LT(patience.growth(), 1.1) << "it has failed again";
}

TEST(RadauPatience, OrdersThatHadToBeTakenBackAreTriedLater) {
  OrderPatience patience;
  const auto waits = [&patience] {
    int steps = 0;
    for (; !patience.over(); ++steps) patience.step();
    return steps;
  };
  EXPECT_EQ(waits(), 10);
  patience.changed(false);
  EXPECT_EQ(waits(), 10);
  patience.changed(true);
  EXPECT_EQ(waits(), 20);
  patience.changed(true);
  EXPECT_EQ(waits(), 40);
}

}  // namespace
}  // namespace daedalus
