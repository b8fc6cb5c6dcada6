#include "consistent/accumulation.hpp"

#include <gtest/gtest.h>

#include <array>

namespace daedalus {
namespace {

constexpr std::array relation{0};

// A ball with restitution 1/2: each flight takes half the time of the one before, so that contact and release
// tend to t = 2.
TEST(Accumulation, FindsWhereABallComesToRest) {
  AccumulationWatch watch;
  double t = 0;
  double flight = 1;
  for (int k = 0; k < 30; ++k) {
    watch.crossed(t, relation);
    watch.crossed(t + (1e-9 * flight), relation);
    t += flight;
    flight /= 2;
  }
  const auto found = watch.found(5);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].relation, 0);
  EXPECT_NEAR(found[0].t, 2, 1e-6);
}

TEST(Accumulation, AClockDoesNotAccumulate) {
  AccumulationWatch watch;
  for (int k = 0; k < 100; ++k) watch.crossed(0.1 * k, relation);
  EXPECT_TRUE(watch.found(20).empty());
}

}  // namespace
}  // namespace daedalus
