#include "drive/state_space_driver.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "driven.hpp"

namespace daedalus::testing {
namespace {

constexpr double far = 100;

struct Driving {
  explicit Driving(const std::string& formulation, double angle)
      : driven(formulation, "dopri5"), begun(driven, *driven.driver, angle) {
    begun.integrator->start(0, begun.y, begun.yp, far);
  }
  static void go(RunDriver& driver, Integrator& integrator, std::vector<double>& y, int steps) {
    for (int k = 0; k < steps; ++k) {
      driver.before_step(integrator, far);
      ASSERT_TRUE(driver.step(integrator, far).ok());
      y.resize(static_cast<std::size_t>(driver.size()));
      integrator.interpolate(integrator.t(), y, {});
      driver.place(integrator.t(), y, {});
      ASSERT_EQ(driver.after_step(integrator), "");
    }
  }
  void go(int steps) { go(*driven.driver, *begun.integrator, begun.y, steps); }
  [[nodiscard]] double at(const std::string& name, int order = 0) const {
    return begun.environment[static_cast<std::size_t>(driven.slot_of(name, order))];
  }
  Driven driven;
  Begun begun;
};

TEST(StateSpaceDriver, IsMadeForExplicitMethodsOnly) {
  const Driven by_stages("coordinate-partitioning", "dopri5");
  EXPECT_NE(dynamic_cast<StateSpaceDriver*>(by_stages.driver.get()), nullptr);
  const Driven by_equations("coordinate-partitioning", "radau");
  EXPECT_EQ(dynamic_cast<StateSpaceDriver*>(by_equations.driver.get()), nullptr);
}

// Whatever the argument, the rates are those of the point of the circle with the same independent coordinate.
TEST(StateSpaceDriver, RatesAreThoseOfTheManifold) {
  Driving run("coordinate-partitioning", -0.3);  // x depends, y is independent
  RunDriver& driver = *run.driven.driver;
  auto* const ode = driver.system().as<OdeSystem>();
  ASSERT_NE(ode, nullptr);
  std::vector<double> exact(run.begun.y.size());
  ASSERT_TRUE(ode->derivative(0, run.begun.y, exact));
  std::vector<double> off = run.begun.y;
  const double x = std::cos(-0.3);
  const double speed_x = 1.5 * std::sin(0.3);
  for (double& value : off) {
    if (std::abs(value - x) < 1e-12) value += 0.01;
    if (std::abs(value - speed_x) < 1e-12) value -= 0.02;
  }
  ASSERT_NE(off, run.begun.y);
  std::vector<double> rates(off.size());
  ASSERT_TRUE(ode->derivative(0, off, rates));
  for (std::size_t k = 0; k < rates.size(); ++k) EXPECT_NEAR(rates[k], exact[k], 1e-12);
}

TEST(StateSpaceDriver, EndsOfStepsKeepBothConstraints) {
  for (const char* formulation : {"coordinate-partitioning", "tangent-plane"}) {
    Driving run(formulation, -0.2);  // falling, so that the other coordinate becomes the better one
    for (int k = 0; k < 300; ++k) {
      run.go(1);
      ASSERT_NEAR(std::hypot(run.at("x"), run.at("y")), 1, 1e-14) << formulation;
      ASSERT_NEAR((run.at("x") * run.at("x", 1)) + (run.at("y") * run.at("y", 1)), 0, 1e-13) << formulation;
    }
    Summary summary;
    run.driven.driver->finish(summary);
    EXPECT_GT(summary.pivot_count, 0) << formulation;
  }
}

// A copy with the memory of the first goes on with the same bits.
TEST(StateSpaceDriver, CopiesGoOnWithTheSameBits) {
  for (const char* formulation : {"coordinate-partitioning", "tangent-plane"}) {
    Driving run(formulation, -0.9);
    run.go(40);
    const std::unique_ptr<RunDriver> copy = run.driven.driver->copy();
    std::vector<double> environment = run.begun.environment;
    copy->bind(environment);
    const auto integrator = run.begun.integrator->clone_on(copy->system());
    ASSERT_NE(integrator, nullptr);
    Archive saving;
    run.driven.driver->state(saving);
    const std::vector<std::byte> bytes = saving.finish();
    Archive loading{std::span<const std::byte>(bytes)};
    copy->state(loading);
    ASSERT_TRUE(loading.ok());
    std::vector<double> y = run.begun.y;
    Driving::go(*copy, *integrator, y, 40);
    run.go(40);
    EXPECT_EQ(std::vector<double>(integrator->y().begin(), integrator->y().end()),
              std::vector<double>(run.begun.integrator->y().begin(), run.begun.integrator->y().end()))
        << formulation;
  }
}

}  // namespace
}  // namespace daedalus::testing
