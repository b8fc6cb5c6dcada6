// Output points that are computed several at a time against the same points one by one: of fewer than a
// hundred points each is by itself.
#include <gtest/gtest.h>

#include <cmath>

#include "model/load.hpp"
#include "simulate/run.hpp"

namespace daedalus {
namespace {

DaeSystem read(std::string_view text) {
  const auto sources = std::make_shared<SourceMap>();
  auto system = load_model(sources, sources->add("m.mo", std::string(text)));
  EXPECT_TRUE(system.has_value());
  return system ? *std::move(system) : DaeSystem{};
}

RunResult run(std::string_view text, int points, const char* formulation = "orthogonal-projection") {
  auto result = simulate(read(text), {.points = points, .formulation = Selection(formulation)});
  EXPECT_TRUE(result.has_value());
  return result ? *std::move(result) : RunResult{};
}

constexpr int few = 41;
constexpr int many = (few - 1) * 25 + 1;

// The steps are the same, and so is the arithmetic but for sines and cosines, which are right to one unit in
// the last place. What rounding of positions makes of accelerations is some hundred times as much.
constexpr double rounding = 1e-13;

void expect_the_same(std::string_view text, const char* formulation = "orthogonal-projection") {
  const RunResult one_by_one = run(text, few, formulation);
  const RunResult together = run(text, many, formulation);
  ASSERT_TRUE(one_by_one.ok()) << one_by_one.summary.reason;
  ASSERT_TRUE(together.ok()) << together.summary.reason;
  EXPECT_EQ(one_by_one.summary.counters.steps, together.summary.counters.steps);
  const Trajectory& a = one_by_one.trajectory;
  const Trajectory& b = together.trajectory;
  ASSERT_EQ(b.rows(), static_cast<std::size_t>(many));
  for (std::size_t c = 0; c < a.signals.size(); ++c) {
    double size = 1;
    for (std::size_t r = 0; r < b.rows(); ++r) size = std::max(size, std::abs(b.at(r, c)));
    for (std::size_t r = 0; r < a.rows(); ++r) {
      EXPECT_DOUBLE_EQ(a.times[r], b.times[25 * r]);
      EXPECT_NEAR(a.at(r, c), b.at(25 * r, c), rounding * size) << a.signals[c].name << " at " << a.times[r];
    }
  }
  ASSERT_EQ(a.drift.size(), b.drift.size());
  for (std::size_t level = 0; level < a.drift.size(); ++level) {
    ASSERT_EQ(b.drift[level].size(), b.rows());
    double largest = 0;
    for (const double drift : b.drift[level]) largest = std::max(largest, drift);
    EXPECT_EQ(largest, together.summary.drift.levels[level]);
    for (std::size_t r = 0; r < a.rows(); ++r) EXPECT_NEAR(a.drift[level][r], b.drift[level][25 * r], 1e-12);
  }
}

constexpr std::string_view pendulum = R"(
model Pendulum
  parameter Real L = 1.5, g = 9.81;
  Real x(start = 1.5), y(start = 0, fixed = true), lambda, energy;
  Real vx, vy(start = 0, fixed = true);
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -lambda*x;
  der(vy) = -lambda*y - g;
  x^2 + y^2 = L^2;
  energy = (vx^2 + vy^2)/2 + g*y;
  annotation(experiment(StopTime = 3, Tolerance = 1e-8));
end Pendulum;
)";

// Angles, a function without an instruction of its own, and an input of time.
constexpr std::string_view crank = R"(
model Crank
  Real a(start = 0.3, fixed = true), b(start = -0.2);
  Real wa(start = 1, fixed = true), wb, f;
equation
  der(a) = wa;
  der(b) = wb;
  der(wa)*(1 + 0.2*cos(a)^2) = f*cos(a) - 0.1*sin(a) - 0.1*tanh(wa) + 0.2*sin(time);
  2*der(wb) = f*2*cos(b) - 0.2*sin(b);
  sin(a) + 2*sin(b) = 0;
  annotation(experiment(StopTime = 3, Tolerance = 1e-8));
end Crank;
)";

TEST(PointsTogether, AreThoseOneByOne) {
  expect_the_same(pendulum);
  expect_the_same(crank);
}

// Formulations without a projection, and those that are completed in another way.
TEST(PointsTogether, AreThoseOneByOneUnderOtherFormulations) {
  for (const char* formulation : {"index1", "baumgarte", "dummy-derivatives", "ggl"})
    expect_the_same(pendulum, formulation);
}

// Without constraints, and with an event in the middle of a step: the last points before it and the first
// ones after it are on their own sides.
TEST(PointsTogether, KeepToTheirSideOfAnEvent) {
  constexpr std::string_view ball = R"(
model Ball
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
  Integer bounces(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -9.81;
  when h < 0 then
    reinit(v, -0.8*pre(v));
    bounces = pre(bounces) + 1;
  end when;
  annotation(experiment(StopTime = 1, Tolerance = 1e-8));
end Ball;
)";
  const RunResult result = run(ball, 1001, "index1");
  ASSERT_TRUE(result.ok()) << result.summary.reason;
  const Trajectory& trajectory = result.trajectory;
  ASSERT_EQ(trajectory.rows(), 1001U);
  const double fall = std::sqrt(2 / 9.81);
  for (std::size_t r = 0; r < trajectory.rows(); ++r) {
    const double t = trajectory.times[r];
    const double since = t - fall;
    const double h = t < fall ? 1 - 9.81 * t * t / 2 : since * (0.8 * 9.81 * fall - 9.81 * since / 2);
    EXPECT_EQ(trajectory.at(r, 2), t < fall ? 0 : 1) << t;
    EXPECT_NEAR(trajectory.at(r, 0), h, 1e-7) << t;  // ten times what was asked for
  }
}

// An assertion that fails between the steps ends the run at the point where it does; rows come up to there.
TEST(PointsTogether, EndWhereAnAssertionFails) {
  const std::string text =
      std::string(pendulum.substr(0, pendulum.find("  annotation"))) +
      "  assert(y > -1, \"too deep\");\n  annotation(experiment(StopTime = 3, Tolerance = "
      "1e-8));\nend Pendulum;\n";
  const RunResult one_by_one = run(text, 61);
  const RunResult together = run(text, 1201);
  EXPECT_FALSE(one_by_one.ok());
  EXPECT_FALSE(together.ok());
  EXPECT_NE(together.summary.reason.find("too deep"), std::string::npos);
  const Trajectory& rows = together.trajectory;
  ASSERT_GT(rows.rows(), 10U);
  const std::size_t last = rows.rows() - 1;
  // The row at which it fails is the last one.
  EXPECT_LE(rows.at(last, 1), -1);
  EXPECT_GT(rows.at(last - 1, 1), -1);
  EXPECT_NEAR(rows.times[last], one_by_one.trajectory.times.back(), 3.0 / 60);
}

}  // namespace
}  // namespace daedalus
