#include "consistent/accumulation.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace daedalus {
namespace {

constexpr std::array relation{0};

// A ball with restitution 1/2: each flight takes half the time of the one before.
TEST(Accumulation, SeesABallComeToRest) {
  AccumulationWatch watch;
  double t = 0;
  double flight = 1;
  for (int k = 0; k < 30; ++k) {
    watch.crossed(t, relation);
    watch.crossed(t + (1e-9 * flight), relation);
    t += flight;
    flight /= 2;
  }
  EXPECT_TRUE(watch.shrinks(0));
  EXPECT_FALSE(watch.shrinks(1));
}

TEST(Accumulation, AClockDoesNotAccumulate) {
  AccumulationWatch watch;
  for (int k = 0; k < 100; ++k) watch.crossed(0.1 * k, relation);
  EXPECT_FALSE(watch.shrinks(0));
}

// sin(x²): the intervals shrink for ever, but by a ratio that tends to 1.
TEST(Accumulation, ARisingFrequencyDoesNotAccumulate) {
  AccumulationWatch watch;
  for (int k = 10; k < 2000; ++k) watch.crossed(std::sqrt(static_cast<double>(k)), relation);
  EXPECT_FALSE(watch.shrinks(0));
}

}  // namespace
}  // namespace daedalus
