// The implicit midpoint rule: symmetric, keeps quadratic invariants, order 2 on differential components of
// any index.
#include <gtest/gtest.h>

#include "integrate/drive.hpp"
#include "integrate/ode_systems.hpp"

namespace daedalus::testing {
namespace {

// The same equations with time running backwards, s = -t.
class Reversed final : public ResidualSystem {
 public:
  explicit Reversed(ResidualSystem& system) : system_(system), yp_(static_cast<std::size_t>(system.size())) {}
  int size() const override { return system_.size(); }
  std::span<const Component> components() const override { return system_.components(); }
  const SparsePattern& pattern() const override { return system_.pattern(); }
  bool residual(double s, std::span<const double> y, std::span<const double> ys,
                std::span<double> r) override {
    return system_.residual(-s, y, negative(ys), r);
  }
  bool jacobian(double s, std::span<const double> y, std::span<const double> ys, std::span<double> dy,
                std::span<double> dys) override {
    const bool ok = system_.jacobian(-s, y, negative(ys), dy, dys);
    for (double& value : dys) value = -value;
    return ok;
  }

 private:
  std::span<const double> negative(std::span<const double> ys) {
    for (std::size_t i = 0; i < ys.size(); ++i) yp_[i] = -ys[i];
    return yp_;
  }
  ResidualSystem& system_;
  std::vector<double> yp_;
};

// N steps forward and N steps back; how far from the start, over the differential components.
double way_back(const std::string& method, ResidualSystem& system, const std::vector<double>& y,
                const std::vector<double>& yp) {
  const auto forward = make_integrator(method, system, with_fixed_step(0.1));
  forward->start(0, y, yp, 3);
  run_to(*forward, 3);
  Reversed reversed(system);
  const auto back = make_integrator(method, reversed, with_fixed_step(0.1));
  std::vector<double> slopes(forward->yp().begin(), forward->yp().end());
  for (double& slope : slopes) slope = -slope;
  back->start(-3, forward->y(), slopes, 0);
  run_to(*back, 0);
  double worst = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (system.components()[i].differential) worst = std::max(worst, std::abs(back->y()[i] - y[i]));
  }
  return worst;
}

// Newton leaves 1e-13 a step, and Kepler's flow takes errors of a period apart by about a factor of 30.
TEST(ImplicitMidpoint, IsSymmetric) {
  Kepler ode;
  AsResidual kepler(ode);
  const std::vector<double> y = Kepler::exact(0);
  EXPECT_LE(way_back("implicit-midpoint", kepler, y, slope_at(ode, 0, y)), 1e-11);
  IndexOne dae;
  EXPECT_LE(way_back("implicit-midpoint", dae, IndexOne::exact(0), IndexOne::exact_slope(0)), 1e-11);
  // A method that is not: the test can tell.
  EXPECT_GE(way_back("backward-euler", kepler, y, slope_at(ode, 0, y)), 1e-2);
}

std::unique_ptr<Integrator> reversible(ResidualSystem& system, double tolerance) {
  return make_integrator("implicit-midpoint:steps=reversible", system,
                         {.tolerances = {.relative = tolerance, .absolute = tolerance}});
}

// N steps, and as many back: h is found from the step alone, so that it is the same again. It varies by a
// factor of five along the orbit. What is left is Newton's error and that of h, which moves along the orbit.
TEST(ImplicitMidpoint, ReversibleStepsAreSymmetric) {
  Kepler ode;
  AsResidual system(ode);
  const std::vector<double> y = Kepler::exact(0);
  const auto forward = reversible(system, 1e-5);
  forward->start(0, y, slope_at(ode, 0, y), 100);
  constexpr int steps = 150;
  double shortest = 100;
  double longest = 0;
  for (int k = 0; k < steps; ++k) {
    ASSERT_TRUE(forward->step(100).ok());
    shortest = std::min(shortest, forward->last_step());
    longest = std::max(longest, forward->last_step());
  }
  EXPECT_GT(longest, 2 * shortest);
  Reversed reversed(system);
  const auto back = reversible(reversed, 1e-5);
  std::vector<double> slopes(forward->yp().begin(), forward->yp().end());
  for (double& slope : slopes) slope = -slope;
  back->start(-forward->t(), forward->y(), slopes, 100);
  for (int k = 0; k < steps; ++k) ASSERT_TRUE(back->step(100).ok());
  EXPECT_NEAR(back->t(), 0, 1e-7);
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(back->y()[i], y[i], 1e-7);
}

// The estimate is the local error, of third order: errors fall as the tolerance to two thirds.
TEST(ImplicitMidpoint, ReversibleStepsFollowTheTolerance) {
  Kepler ode;
  AsResidual system(ode);
  const std::vector<double> y = Kepler::exact(0);
  const auto error_at = [&](double tolerance) {
    const auto integrator = reversible(system, tolerance);
    integrator->start(0, y, slope_at(ode, 0, y), 2);
    run_to(*integrator, 2);
    const std::vector<double> exact = Kepler::exact(2);
    double worst = 0;
    for (std::size_t i = 0; i < y.size(); ++i)
      worst = std::max(worst, std::abs(integrator->y()[i] - exact[i]));
    return worst;
  };
  const double coarse = error_at(1e-5);
  const double fine = error_at(1e-8);
  EXPECT_LT(coarse, 1e-2);
  EXPECT_NEAR(std::log10(coarse / fine), 2, 0.2);
}

// yᵀy is invariant under every symmetric Gauss method (Hairer, Lubich, Wanner, theorem IV.2.1): only Newton's
// error is left, at 5000 steps of 1e-13.
TEST(ImplicitMidpoint, KeepsQuadraticInvariants) {
  Circle ode;
  AsResidual circle(ode);
  const auto integrator = make_integrator("implicit-midpoint", circle, with_fixed_step(0.2));
  integrator->start(0, Circle::exact(0), slope_at(ode, 0, Circle::exact(0)), 1000);
  run_to(*integrator, 1000);
  EXPECT_EQ(integrator->counters().steps, 5000);
  EXPECT_NEAR(std::hypot(integrator->y()[0], integrator->y()[1]), 1, 5e-10);
}

TEST(ImplicitMidpoint, NewtonsToleranceIsAnOption) {
  Circle ode;
  AsResidual circle(ode);
  long iterations[2];
  int k = 0;
  for (const char* method : {"implicit-midpoint", "implicit-midpoint:newton=1e-4"}) {
    const auto integrator = make_integrator(method, circle, with_fixed_step(0.2));
    integrator->start(0, Circle::exact(0), slope_at(ode, 0, Circle::exact(0)), 10);
    run_to(*integrator, 10);
    iterations[k++] = integrator->counters().newton_iterations;
  }
  EXPECT_GT(iterations[0], iterations[1]);
}

// The ends satisfy all equations, though the stages lie between them: pendulum by dummy derivatives.
TEST(ImplicitMidpoint, EndsAreConsistent) {
  std::vector<double> y;
  std::vector<double> yp;
  DummyPendulum::initial(0.5, 0, y, yp);
  DummyPendulum system(false);
  const auto integrator = make_integrator("implicit-midpoint", system, with_fixed_step(0.01));
  integrator->start(0, y, yp, 10);
  std::vector<double> r(7);
  while (integrator->t() < 10) {
    ASSERT_TRUE(integrator->step(10).ok());
    ASSERT_TRUE(system.residual(integrator->t(), integrator->y(), integrator->yp(), r));
    EXPECT_LE(max_difference(r, std::vector<double>(7, 0.0)), 1e-11);
  }
}

// Index 2, x + w given and z its multiplier. The ends cannot be solved for z; x and w keep order 2, and z,
// extrapolated, order 1 at least: its error is that of a difference quotient of alternating errors h².
class IndexTwo final : public DenseSystem {
 public:
  IndexTwo() : DenseSystem(3) { components_[2] = {.differential = false, .error_tested = false, .index = 2}; }
  static std::vector<double> exact(double t) { return {std::sin(t), std::cos(t), std::sin(t) + std::cos(t)}; }
  static std::vector<double> exact_slope(double t) {
    return {std::cos(t), -std::sin(t), std::cos(t) - std::sin(t)};
  }

 private:
  // x = sin t, w = cos t, z = x' + x = sin t + cos t.
  void equations(double t, std::span<const double> y, std::span<const double> yp,
                 std::span<double> r) override {
    r[0] = yp[0] + y[0] - y[2];
    r[1] = yp[1] + std::sin(t) + y[1] - std::cos(t) - (y[2] - std::sin(t) - std::cos(t));
    r[2] = y[0] + y[1] - std::sin(t) - std::cos(t);
  }
  void derivatives(double, std::span<const double>, std::span<const double>, const Entry& dy,
                   const Entry& dyp) override {
    dyp(0, 0) = dyp(1, 1) = 1;
    dy(0, 0) = dy(1, 1) = 1;
    dy(0, 2) = dy(1, 2) = -1;
    dy(2, 0) = dy(2, 1) = 1;
  }
};

TEST(ImplicitMidpoint, GoesOnWhereTheEndsAreSingular) {
  std::vector<double> errors;
  for (const double h : {0.05, 0.025}) {
    IndexTwo system;
    const auto integrator = make_integrator("implicit-midpoint", system, with_fixed_step(h));
    integrator->start(0, IndexTwo::exact(0), IndexTwo::exact_slope(0), 5);
    double states = 0;
    double multiplier = 0;
    while (integrator->t() < 5) {
      ASSERT_TRUE(integrator->step(5).ok());
      const std::vector<double> exact = IndexTwo::exact(integrator->t());
      states = std::max(states, max_difference(integrator->y().first(2), std::span(exact).first(2)));
      multiplier = std::max(multiplier, std::abs(integrator->y()[2] - exact[2]));
    }
    errors.push_back(states);
    EXPECT_LE(multiplier, 3 * h);
    EXPECT_EQ(integrator->counters().rejected, 0);
    EXPECT_EQ(integrator->counters().newton_failures, 0);
  }
  EXPECT_GE(std::log2(errors[0] / errors[1]), 1.8);
}

}  // namespace
}  // namespace daedalus::testing
