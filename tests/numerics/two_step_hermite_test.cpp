#include "numerics/two_step_hermite.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

namespace daedalus {
namespace {

// Two polynomials of degree 5, which is what the interpolant must reproduce, and their slopes.
double value(int component, double t) {
  const double shifted = t - 0.3;
  return component == 0 ? 2 - (t * t * t) + (0.5 * std::pow(t, 5)) : std::pow(shifted, 4) - (3 * shifted);
}
double slope(int component, double t) {
  return component == 0 ? (-3 * t * t) + (2.5 * std::pow(t, 4)) : (4 * std::pow(t - 0.3, 3)) - 3;
}
std::vector<double> values(double t) {
  return {value(0, t), value(1, t)};
}
std::vector<double> slopes(double t) {
  return {slope(0, t), slope(1, t)};
}

// Values are below 10, divided differences over parts of 0.2 magnify their roundings.
constexpr double rounding = 1e-12;

TwoStepHermite after(std::initializer_list<double> times) {
  TwoStepHermite hermite;
  hermite.resize(2);
  bool first = true;
  for (const double t : times) {
    if (first) hermite.restart(t, values(t), slopes(t));
    if (!first) hermite.append(t, values(t), slopes(t));
    first = false;
  }
  return hermite;
}

TEST(TwoStepHermite, ReproducesPolynomialsOfDegreeFiveOverUnequalSteps) {
  const TwoStepHermite hermite = after({0, 0.5, 0.7, 1.6});
  ASSERT_TRUE(hermite.ready());
  for (const double t : {0.7, 0.9, 1.3, 1.6}) {
    for (const int i : {0, 1}) {
      EXPECT_NEAR(hermite.value(t, static_cast<std::size_t>(i)), value(i, t), rounding) << t;
      EXPECT_NEAR(hermite.slope(t, static_cast<std::size_t>(i)), slope(i, t), 10 * rounding) << t;
    }
  }
}

TEST(TwoStepHermite, IsReadyAfterThreePoints) {
  EXPECT_FALSE(after({0}).nearly_ready());
  EXPECT_TRUE(after({0, 1}).nearly_ready());
  EXPECT_FALSE(after({0, 1}).ready());
  EXPECT_TRUE(after({0, 1, 2}).ready());
}

TEST(TwoStepHermite, TellsWhatTheNextPointWouldMake) {
  TwoStepHermite hermite = after({0, 0.5});
  const double end = 1.2;
  for (const double t : {0.6, 1.0}) {
    const double foretold = hermite.value_with({.t = end, .y = value(0, end), .yp = slope(0, end)}, t, 0);
    EXPECT_NEAR(foretold, value(0, t), rounding) << t;
  }
}

// A projection moves the end of a step: output within it stays as it was, the next step begins there.
TEST(TwoStepHermite, KeepsTheIntervalWhoseEndWasMoved) {
  TwoStepHermite hermite = after({0, 0.5, 1});
  const double before = hermite.value(0.8, 0);
  const std::vector<double> moved{value(0, 1) + 1e-3, value(1, 1)};
  hermite.replace_last(moved, slopes(1));
  EXPECT_EQ(hermite.value(0.8, 0), before);

  hermite.append(1.5, values(1.5), slopes(1.5));
  EXPECT_NEAR(hermite.value(1, 0), moved[0], rounding);
  EXPECT_NEAR(hermite.value(1.5, 0), value(0, 1.5), rounding);
}

TEST(TwoStepHermite, ForgetsAtARestart) {
  TwoStepHermite hermite = after({0, 0.5, 1});
  hermite.restart(1, values(1), slopes(1));
  EXPECT_FALSE(hermite.nearly_ready());
}

TEST(TwoStepHermite, ASavedOneGoesOnWithTheSameBits) {
  TwoStepHermite hermite = after({0, 0.5, 1});
  hermite.replace_last(values(1.01), slopes(1.01));
  Archive out;
  hermite.state(out, 2);

  TwoStepHermite loaded;
  const std::vector<std::byte> bytes = out.finish();
  Archive in(bytes);
  loaded.state(in, 2);
  ASSERT_TRUE(in.ok()) << in.error();
  for (TwoStepHermite* one : {&hermite, &loaded}) one->append(1.5, values(1.5), slopes(1.5));
  for (const double t : {1.1, 1.4}) EXPECT_EQ(loaded.value(t, 1), hermite.value(t, 1));
}

}  // namespace
}  // namespace daedalus
