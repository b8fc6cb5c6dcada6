#include "results/plot_scale.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace daedalus {
namespace {

std::vector<std::string> labels(const std::vector<Tick>& ticks) {
  std::vector<std::string> texts;
  for (const Tick& tick : ticks) texts.push_back(tick.label);
  return texts;
}

TEST(PlotScale, TicksAreRoundNumbers) {
  EXPECT_EQ(labels(linear_ticks({0, 10}, 5)), (std::vector<std::string>{"0", "2", "4", "6", "8", "10"}));
  EXPECT_EQ(labels(linear_ticks({-1, 1}, 4)), (std::vector<std::string>{"-1", "-0.5", "0", "0.5", "1"}));
  EXPECT_EQ(labels(linear_ticks({0, 3e-7}, 3)), (std::vector<std::string>{"0", "1e-07", "2e-07", "3e-07"}));
}

// For any range: inside it, evenly spaced, about as many as wanted.
TEST(PlotScale, TicksLieInTheRange) {
  for (const double low : {-1e6, -3.7, 0.0, 1e-9, 123.4}) {
    for (const double width : {1e-6, 0.3, 1.0, 42.0, 9e9}) {
      const Range range{low, low + width};
      const auto ticks = linear_ticks(range, 6);
      EXPECT_GE(ticks.size(), 3u) << low << " " << width;
      EXPECT_LE(ticks.size(), 12u) << low << " " << width;
      for (const Tick& tick : ticks) {
        EXPECT_GE(tick.value, range.low - (1e-6 * width));
        EXPECT_LE(tick.value, range.high + (1e-6 * width));
      }
    }
  }
}

TEST(PlotScale, RangeIgnoresWhatIsNotFinite) {
  const Range range = range_of({1, std::nan(""), -2, std::numeric_limits<double>::infinity()});
  EXPECT_EQ(range.low, -2);
  EXPECT_EQ(range.high, 1);
}

TEST(PlotScale, ConstantHasAnAxisAroundIt) {
  for (const double value : {0.0, 5.0, -1e8}) {
    const Range range = range_of({value, value});
    EXPECT_LT(range.low, value);
    EXPECT_GT(range.high, value);
  }
  EXPECT_LT(range_of({}).low, range_of({}).high);
}

TEST(PlotScale, DecadesAreThinnedOut) {
  EXPECT_EQ(labels(decade_ticks({-3, 0}, 5)), (std::vector<std::string>{"1e-3", "1e-2", "1e-1", "1e0"}));
  EXPECT_LE(decade_ticks({-17, 3}, 5).size(), 6u);
}

TEST(PlotScale, AxisMapsEndsToEnds) {
  const Axis axis({2, 4}, 100, 0);
  EXPECT_EQ(axis(2), 100);
  EXPECT_EQ(axis(3), 50);
  EXPECT_EQ(axis(4), 0);
}

}  // namespace
}  // namespace daedalus
