#include "constraints/constraint_monitor.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/formed.hpp"

namespace daedalus::testing {
namespace {

// A slider crank whose crank and rod are equally long, as points: the crank's end (x, y) and the slider s.
// Along the motion x = cos t, y = sin t, s = 2 cos t both gradients are (0, 2 y, 0) at t = π/2, and nowhere
// else before 3π/2.
std::string slider_crank() {
  return R"(model SliderCrank
  parameter Real scale = 1;
  Real x(start = 1); Real y(start = 0); Real s(start = 2); Real u; Real v; Real w; Real l1; Real l2;
equation
  der(x) = u;
  der(y) = v;
  der(s) = w;
  der(u) = -2*x*l1 + 2*scale*(s - x)*l2;
  der(v) = -9.81 - 2*y*l1 - 2*scale*y*l2;
  2*der(w) = -2*scale*(s - x)*l2;
  x^2 + y^2 = 1;
  scale*((s - x)^2 + y^2 - 1) = 0;
end SliderCrank;
)";
}

struct Watched {
  explicit Watched(const DaeSystem& system)
      : crank(system), monitor(*crank.model, ConstraintMatrices(*crank.model, *crank.form), 1e-6) {}
  void place(double t) {
    crank.time() = t;
    crank.value("x") = std::cos(t);
    crank.value("y") = std::sin(t);
    crank.value("s") = 2 * std::cos(t);
  }
  void begin(double t) {
    place(t);
    monitor.begin(crank.environment);
  }
  // Steps of the same length, the last of which ends at t1.
  void go(double t0, double t1, int steps) {
    const auto load = [this](double t) { place(t); };
    for (int k = 0; k < steps; ++k) {
      const double from = t0 + ((t1 - t0) * k / steps);
      const double to = t0 + ((t1 - t0) * (k + 1) / steps);
      place(to);
      monitor.watch({.t0 = from, .t1 = to, .load = load, .cheap_interpolation = load}, crank.environment);
    }
  }
  Formed crank;
  ConstraintMonitor monitor;
};

class Scales : public ::testing::TestWithParam<const char*> {};

// The passage is found between the steps, however they fall, and in whatever units the constraint is written.
TEST_P(Scales, ThePassageOfASliderCrankIsFound) {
  for (const int steps : {7, 10, 33}) {
    Watched watched(from_text(slider_crank(), {{"scale", GetParam()}}));
    watched.begin(0.4);
    EXPECT_EQ(watched.monitor.rank(), 2);
    EXPECT_TRUE(watched.monitor.redundancies().empty());
    watched.go(0.4, 2.5, steps);
    ASSERT_EQ(watched.monitor.changes().size(), 1U) << steps;
    const RankChange& change = watched.monitor.changes().front();
    // σ ~ (t - t*)², searched down to a threshold of 1e-6: |t - t*| of the order 1e-3.
    EXPECT_NEAR(change.t, std::numbers::pi / 2, 2e-3);
    EXPECT_EQ(change.from, 2);
    EXPECT_EQ(change.to, 1);
    EXPECT_EQ(change.constraints.size(), 2U);  // the gradients are equal: neither alone is to blame
    EXPECT_EQ(watched.crank.time(), 2.5);      // the environment is left at the end of the step
  }
}
INSTANTIATE_TEST_SUITE_P(Units, Scales, ::testing::Values("1", "1e-5", "1e5"));

TEST(ConstraintMonitor, WithoutAPassageNothingIsReported) {
  Watched watched(from_text(slider_crank()));
  watched.begin(0.2);
  watched.go(0.2, 1.2, 20);
  EXPECT_TRUE(watched.monitor.changes().empty());
  EXPECT_FALSE(watched.monitor.came_close());
}

// How close a point is does not depend on units either, and goes to zero with the square of the distance.
TEST(ConstraintMonitor, ClosenessGoesToZeroWithTheSquareOfTheDistance) {
  std::vector<std::vector<double>> found;
  for (const char* scale : {"1", "1e4"}) {
    Watched watched(from_text(slider_crank(), {{"scale", scale}}));
    watched.begin(0.4);
    found.emplace_back();
    for (const double distance : {0.02, 0.01}) {
      watched.place((std::numbers::pi / 2) - distance);
      found.back().push_back(watched.monitor.singularity_distance(watched.crank.environment));
    }
    EXPECT_NEAR(found.back()[0] / found.back()[1], 4, 0.05);
  }
  EXPECT_NEAR(found[0][0], found[1][0], 1e-6 * found[0][0]);
}

// A constraint twice: the rank to begin with is one, the combination is named, and the motion never loses it.
TEST(ConstraintMonitor, ARedundantConstraintIsNamedAndDoesNotCount) {
  Formed bead(from_text(bead_text("3*(x^2 + y^2 - 1) = 0;")));
  ConstraintMonitor monitor(*bead.model, ConstraintMatrices(*bead.model, *bead.form), 1e-6);
  monitor.begin(bead.environment);
  EXPECT_EQ(monitor.rank(), 1);
  ASSERT_EQ(monitor.redundancies().size(), 1U);
  const auto load = [&](double t) {
    bead.value("x") = std::sin(t);
    bead.value("y") = -std::cos(t);
  };
  for (int k = 0; k < 30; ++k) {
    load(0.3 * (k + 1));
    monitor.watch({.t0 = 0.3 * k, .t1 = 0.3 * (k + 1), .load = load, .cheap_interpolation = load},
                  bead.environment);
  }
  EXPECT_TRUE(monitor.changes().empty());
}

TEST(ConstraintMonitor, CopiesWatchForThemselves) {
  Watched watched(from_text(slider_crank()));
  watched.begin(0.4);
  watched.go(0.4, 1.4, 5);
  const ConstraintMonitor before = watched.monitor;
  watched.go(1.4, 2.0, 3);
  EXPECT_EQ(watched.monitor.changes().size(), 1U);
  EXPECT_TRUE(before.changes().empty());
}

}  // namespace
}  // namespace daedalus::testing
