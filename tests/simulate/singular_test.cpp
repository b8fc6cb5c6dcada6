// Constraints that are redundant, lose rank on the way, or cannot be fulfilled any more.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "simulate/run.hpp"
#include "support/model_text.hpp"

namespace daedalus {
namespace {

using testing::from_text;
using testing::problem;

std::size_t column(const Trajectory& trajectory, const std::string& name) {
  for (std::size_t c = 0; c < trajectory.signals.size(); ++c) {
    if (trajectory.signals[c].name == name) return c;
  }
  ADD_FAILURE() << name;
  return 0;
}

RunResult run(const DaeSystem& system, const RunOptions& options) {
  auto result = simulate(system, options);
  EXPECT_TRUE(result.has_value()) << (result ? "" : render(result.error(), *system.sources));
  return result ? *std::move(result) : RunResult{};
}

// The largest distance of two signals at the output points, which are the same.
double distance(const Trajectory& a, const std::string& of_a, const Trajectory& b, const std::string& of_b) {
  EXPECT_EQ(a.rows(), b.rows());
  const std::size_t ca = column(a, of_a);
  const std::size_t cb = column(b, of_b);
  double worst = 0;
  for (std::size_t r = 0; r < std::min(a.rows(), b.rows()); ++r)
    worst = std::max(worst, std::abs(a.at(r, ca) - b.at(r, cb)));
  return worst;
}

struct Start {
  double theta;
  double omega;
};

// Random starts of two ensembles: swings from rest, and rotations.
std::vector<Start> starts() {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> theta(0.5, 1.2);
  std::uniform_real_distribution<double> omega(3.9, 4.9);
  std::vector<Start> all{{std::numbers::pi / 4, 0}, {std::numbers::pi / 4, 4}};
  for (int k = 0; k < 4; ++k) {
    all.push_back({theta(random), 0});
    all.push_back({theta(random), omega(random)});
  }
  return all;
}

// The truth is the same mechanism in the crank's angle, which has no constraint: slider_crank_angle.mo at a
// tolerance a thousand times sharper. On the wrong branch theta2 would be off by more than 1.
TEST(SliderCrank, PassesItsDeadCentreOnTheRightBranch) {
  for (const Start& start : starts()) {
    const std::vector<ParameterSetting> settings{{"theta0", fmt::format("{:.17g}", start.theta)},
                                                 {"omega0", fmt::format("{:.17g}", start.omega)}};
    RunOptions options{.until = 10, .rtol = 1e-11, .atol = 1e-11, .points = 101};
    const RunResult truth = run(problem("slider_crank_angle.mo", settings), options);
    for (const auto& [tolerance, allowed, formulation] :
         {std::tuple(1e-5, 1e-2, "trust-region"), std::tuple(1e-8, 1e-5, "trust-region"),
          std::tuple(1e-5, 1e-2, "auto"), std::tuple(1e-8, 1e-5, "auto")}) {
      options.rtol = tolerance;
      options.atol = tolerance;
      options.formulation = Selection(formulation);
      const RunResult crank = run(problem("slider_crank.mo", settings), options);
      ASSERT_TRUE(crank.ok()) << crank.summary.reason;
      EXPECT_LE(distance(crank.trajectory, "theta1", truth.trajectory, "q"), allowed)
          << start.theta << " " << start.omega << " " << tolerance;
      // theta2 = pi - theta1 on this branch: both move by the same amount.
      const Trajectory& t = crank.trajectory;
      const std::size_t last = t.rows() - 1;
      EXPECT_NEAR(t.at(last, column(t, "theta1")) + t.at(last, column(t, "theta2")), std::numbers::pi,
                  2 * allowed);
    }
  }
}

// Times of passage by independent quadrature (reference of Example 5.2): quarter period 1.031266242172016.
TEST(SliderCrank, ReportsEachPassage) {
  const RunResult crank =
      run(problem("slider_crank.mo"),
          {.until = 10, .rtol = 1e-8, .atol = 1e-8, .formulation = Selection("trust-region")});
  ASSERT_EQ(crank.summary.rank_changes.size(), 5U);
  for (std::size_t k = 0; k < 5; ++k) {
    const RankChange& change = crank.summary.rank_changes[k];
    EXPECT_NEAR(change.t, 1.031266242172015754 * static_cast<double>((2 * k) + 1), 1e-5);
    EXPECT_EQ(change.from, 1);
    EXPECT_EQ(change.to, 0);
    ASSERT_EQ(change.constraints.size(), 1U);
    EXPECT_NE(change.constraints[0].find("cos(theta1)"), std::string::npos);
  }
}

TEST(SliderCrank, IsTakenByAutoWhichSaysWhy) {
  const RunResult crank =
      run(problem("slider_crank.mo"),
          {.until = 3, .rtol = 1e-6, .formulation = Selection("auto", {{.name = "explore", .text = "yes"}})});
  ASSERT_TRUE(crank.ok()) << crank.summary.reason;
  EXPECT_EQ(crank.summary.formulation.name(), "orthogonal-projection");
  EXPECT_NE(crank.summary.why.find("the constraints lose rank near t = 1.03"), std::string::npos)
      << crank.summary.why;
}

// I theta'' = -P cos(theta), all cranks parallel: its own model, without constraints.
TEST(NFourBar, FollowsTheExactMotionThroughEverySingularPoint) {
  const RunResult truth = run(from_text(R"(model Crank
      parameter Integer N = 2;
      Real theta(start = 1.5707963267948966, fixed = true), w(start = -1, fixed = true), B0x = cos(theta), B0y = sin(theta);
    equation
      der(theta) = w;
      ((N + 1)/3 + N)*der(w) = -9.81*((N + 1)/2 + N)*cos(theta);
    end Crank;)"),
                              {.until = 5, .rtol = 1e-11, .atol = 1e-11, .points = 101});
  const RunResult linkage = run(problem("n_four_bar.mo"), {.until = 5, .points = 101});
  ASSERT_TRUE(linkage.ok()) << linkage.summary.reason;
  EXPECT_LE(distance(linkage.trajectory, "B0x", truth.trajectory, "B0x"), 1e-3);
  EXPECT_LE(distance(linkage.trajectory, "B0y", truth.trajectory, "B0y"), 1e-3);
  // The crank lies level five times in 5 s; three linkages' worth of constraints lose rank 2 there
  // (reference: 14 → 12).
  // Two singular values vanish; in a computed motion not at exactly the same time, so that once in a while
  // only one is zero to working accuracy where the smallest one is smallest.
  ASSERT_EQ(linkage.summary.rank_changes.size(), 5U);
  int both = 0;
  for (const RankChange& change : linkage.summary.rank_changes) {
    EXPECT_EQ(change.from, 14);
    EXPECT_LE(change.to, 13);
    EXPECT_GE(change.to, 12);
    if (change.to == 12) ++both;
  }
  EXPECT_GE(both, 3);
}

constexpr const char* pendulum = R"(model Pendulum
    Real x(start = 1), y(start = 0, fixed = true), vx, vy(start = 0, fixed = true), lambda;
  equation
    der(x) = vx;  der(y) = vy;
    der(vx) = -2*x*lambda;  der(vy) = -2*y*lambda - 9.81;
    x^2 + y^2 = 1;
  end Pendulum;)";

// The constraint twice, and a third that is their combination, each with its own multiplier.
constexpr const char* redundant_pendulum = R"(model Redundant
    Real x(start = 1), y(start = 0, fixed = true), vx, vy(start = 0, fixed = true), l1, l2, l3;
  equation
    der(x) = vx;  der(y) = vy;
    der(vx) = -2*x*(l1 + l2) - 6*x*l3;  der(vy) = -2*y*(l1 + l2) - 6*y*l3 - 9.81;
    x^2 + y^2 = 1;
    y^2 + x^2 - 1 = 0;
    3*x^2 + 3*y^2 = 3;
  end Redundant;)";

TEST(Redundancy, RunsToTheSameTrajectoryAndNamesTheConstraints) {
  for (const double rtol : {1e-5, 1e-8}) {
    const RunOptions options{.until = 3, .rtol = rtol, .atol = rtol, .points = 61};
    const RunResult one = run(from_text(pendulum), options);
    const RunResult three = run(from_text(redundant_pendulum), options);
    ASSERT_TRUE(three.ok()) << three.summary.reason;
    EXPECT_LE(distance(one.trajectory, "x", three.trajectory, "x"), 10 * rtol);
    EXPECT_LE(distance(one.trajectory, "y", three.trajectory, "y"), 10 * rtol);
    EXPECT_EQ(three.summary.dof, 2);
    EXPECT_EQ(std::ranges::count_if(
                  three.summary.warnings,
                  [](const std::string& warning) { return warning.starts_with("redundant constraints"); }),
              2);
  }
}

// The radius bounds the multipliers only where it must: far from a singular point the run is that of ε = 0.
TEST(TrustRegion, TakesARadius) {
  RunOptions options{.until = 3, .rtol = 1e-8, .atol = 1e-8, .points = 61};
  const RunResult truth = run(from_text(pendulum), options);
  options.formulation = Selection("trust-region", {{"delta", "1e3"}});
  const RunResult region = run(from_text(pendulum), options);
  EXPECT_LE(distance(truth.trajectory, "x", region.trajectory, "x"), 1e-7);
}

// The multiplier of Example 5.1 has a pole, -1/t. The radius holds at the end of every step, not one step
// later, and is reached.
TEST(TrustRegion, TheRadiusHoldsAtTheEndOfTheStep) {
  for (const double bound : {10.0, 100.0}) {
    RunOptions options{.rtol = 1e-8, .atol = 1e-10, .step = 1.0 / 512, .points = 1025};
    const double delta = *options.step * *options.step / 2 * bound * bound;
    options.formulation = Selection("trust-region", {{"delta", std::to_string(delta)}, {"gamma", "1e2"}});
    options.integrator = Selection("backward-euler");
    const RunResult region = run(from_text(R"(model Pole
        Real x(start = 0), y(start = 1);
      equation
        der(x) = 2 + time*y;
        0 = time*x - time*(time + 1);
        annotation(experiment(StartTime = -1, StopTime = 1));
      end Pole;)"),
                                 options);
    ASSERT_TRUE(region.ok()) << region.summary.reason;
    double largest = 0;
    const Trajectory& trajectory = region.trajectory;
    for (int row = 0; row < static_cast<int>(trajectory.rows()); ++row)
      largest = std::max(largest, std::abs(trajectory.at(row, column(trajectory, "y"))));
    // A radius may be exceeded by one part in a hundred; text has six digits of it.
    EXPECT_LT(largest, bound * 1.006);
    EXPECT_GT(largest, bound * 0.9);
  }
}

// 1.5 cos(theta1) + cos(theta2) = 0 has a solution only while |cos(theta1)| ≤ 2/3; theta1 = 2 + 0.6 t leaves
// that at t* = (acos(-2/3) - 2)/0.6.
TEST(Impasse, IsToldFromASmallStep) {
  const char* const locking = R"(model Lock
      Real th1(start = 2), th2(start = 1), l1, l2, w1, w2;
    equation
      der(th1) = w1;  der(th2) = w2;
      der(w1) = l1 + 1.5*sin(th1)*l2;
      der(w2) = sin(th2)*l2 - sin(th2);
      th1 = 2.0 + 0.6*time;
      1.5*cos(th1) + cos(th2) = 0;
    end Lock;)";
  const RunResult lock = run(from_text(locking), {.until = 3});
  EXPECT_FALSE(lock.ok());
  EXPECT_NE(lock.summary.reason.find("impasse at t = "), std::string::npos) << lock.summary.reason;
  EXPECT_NE(lock.summary.reason.find("1.5*cos(th1)"), std::string::npos) << lock.summary.reason;
  for (const double rtol : {1e-3, 1e-4, 1e-8}) {
    const RunResult other = run(from_text(locking), {.until = 3, .rtol = rtol});
    EXPECT_NE(other.summary.reason.find("impasse at t = "), std::string::npos) << other.summary.reason;
  }
  // Told when it is 3000 tolerances, 0.006 of an angle that is turned by 0.6, and up to a step later.
  EXPECT_NEAR(lock.summary.t_end, (std::acos(-2.0 / 3) - 2) / 0.6, 0.03);
}

// A parallelogram that turns at a constant speed: at φ = π all bars are in line, and it could fold into the
// other assembly. Radau's Newton method ends there; the formulations that were named go on by bdf, on the
// branch on which they came, and say that such points are not what they are for.
TEST(ChangePoint, FormulationsByNamePassItByAnotherIntegrator) {
  const DaeSystem system = from_text(R"(model Parallelogram
  Real x1(start = 0.955336489125606, fixed = true), y1(start = 0.2955202066613396);
  Real x2(start = 2.955336489125606), y2(start = 0.2955202066613396);
  Real u1, v1(start = 1.910672978251212, fixed = true), u2, v2(start = 1.910672978251212), a, b, c;
equation
  der(x1) = u1; der(y1) = v1; der(x2) = u2; der(y2) = v2;
  der(u1) = -2*x1*a + 2*(x2 - x1)*c; der(v1) = -2*y1*a + 2*(y2 - y1)*c;
  der(u2) = -2*(x2 - 2)*b - 2*(x2 - x1)*c; der(v2) = -2*y2*b - 2*(y2 - y1)*c;
  x1^2 + y1^2 = 1; (x2 - 2)^2 + y2^2 = 1; (x2 - x1)^2 + (y2 - y1)^2 = 4;
end Parallelogram;)");
  for (const char* formulation : {"ggl", "projected-invariants:variant=pa", "projected-invariants",
                                  "tangent-plane", "coordinate-partitioning"}) {
    RunOptions options{.until = 3, .rtol = 1e-8, .points = 31};
    options.formulation = parse_selection(formulation).value();
    const RunResult result = run(system, options);
    EXPECT_TRUE(result.ok()) << formulation << ": " << result.summary.reason;
    EXPECT_EQ(result.summary.integrator.name(), "bdf") << formulation;
    EXPECT_NE(result.summary.why.find("nearly singular"), std::string::npos) << result.summary.why;
    const std::size_t x1 = column(result.trajectory, "x1");
    const std::size_t y2 = column(result.trajectory, "y2");
    for (std::size_t r = 0; r < result.trajectory.rows(); ++r) {
      const double angle = 0.3 + (2 * result.trajectory.times[r]);
      // 2000 tolerances, as in the matrix of formulations.
      EXPECT_NEAR(result.trajectory.at(r, x1), std::cos(angle), 2e-5) << formulation;
      EXPECT_NEAR(result.trajectory.at(r, y2), std::sin(angle), 2e-5) << formulation;
    }
    const auto& warnings = result.summary.warnings;
    EXPECT_TRUE(std::ranges::any_of(warnings, [](const std::string& w) {
      return w.find("rank") != std::string::npos;
    })) << formulation;
  }
}

}  // namespace
}  // namespace daedalus
