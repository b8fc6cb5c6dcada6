// Drivers step by step: what they hold, what they let drift, what they report, what they save.
#include <gtest/gtest.h>

#include <cmath>

#include "drive/dummy_driver.hpp"
#include "drive/projection_driver.hpp"
#include "drive/reform_driver.hpp"
#include "driven.hpp"

namespace daedalus::testing {
namespace {

TEST(OrthogonalProjectionDriver, EndsOfStepsKeepBothConstraints) {
  Stepped run("orthogonal-projection", "dopri5");
  run.go(20);
  run.complete();
  EXPECT_LT(run.position_drift(), 1e-14);
  EXPECT_LT(run.velocity_drift(), 1e-14);
}

// Of index 1, without projection, both drift; the projection is what makes the difference.
TEST(OrthogonalProjectionDriver, WithoutItTheSameMethodDrifts) {
  Stepped run("index1", "dopri5");
  run.go(20);
  run.complete();
  EXPECT_GT(run.position_drift(), 1e-12);
}

// An output point between the steps is interpolated, and then projected: not only the ends keep them.
TEST(OrthogonalProjectionDriver, PointsBetweenTheStepsAreProjected) {
  Stepped run("orthogonal-projection", "dopri5");
  run.go(5);
  Integrator& integrator = *run.begun.integrator;
  for (const double part : {0.2, 0.5, 0.8}) {
    const double t = integrator.t_previous() + (part * integrator.last_step());
    integrator.interpolate(t, run.begun.y, {});
    run.driven.driver->place(t, run.begun.y, {});
    run.driven.driver->complete_output();
    EXPECT_LT(run.position_drift(), 1e-14);
    EXPECT_LT(run.velocity_drift(), 1e-14);
  }
}

// Accelerations and multiplier of a completed point fulfil the equations of motion: x'' = -2 x λ, 4 y'' = -4
// g - 2 y λ.
TEST(Drivers, CompletedPointsFulfilTheEquationsOfMotion) {
  for (const auto& [formulation, integrator] :
       std::initializer_list<std::pair<const char*, const char*>>{{"orthogonal-projection", "dopri5"},
                                                                  {"index1", "dopri5"},
                                                                  {"dummy-derivatives", "radau"},
                                                                  {"ggl", "radau"}}) {
    Stepped run(formulation, integrator);
    run.go(5);
    run.complete();
    EXPECT_NEAR(run.at("x", 2), -2 * run.at("x") * run.at("lambda"), 1e-6) << formulation;
    EXPECT_NEAR(run.at("y", 2), -9.81 - (run.at("y") * run.at("lambda") / 2), 1e-6) << formulation;
  }
}

TEST(Drivers, EnergyStaysWithinTheTolerance) {
  for (const auto& [formulation, integrator] :
       std::initializer_list<std::pair<const char*, const char*>>{{"orthogonal-projection", "dopri5"},
                                                                  {"dummy-derivatives", "radau"},
                                                                  {"ggl", "radau"},
                                                                  {"coordinate-partitioning", "radau"},
                                                                  {"tangent-plane", "radau"}}) {
    Stepped run(formulation, integrator);
    run.complete();
    const double before = run.energy();
    run.go(8);
    run.complete();
    // Eight steps of local errors of 1e-6 of values up to 40.
    EXPECT_NEAR(run.energy(), before, 8 * 40 * 1e-6) << formulation;
  }
}

// The symmetric projection solves for its multipliers until rounding, and counts its own steps.
TEST(SymmetricProjectionDriver, HoldsTheConstraintsAndCountsItsSteps) {
  Stepped run("symmetric-projection", "auto");
  run.go(10);
  run.complete();
  EXPECT_LT(run.position_drift(), 1e-12);
  EXPECT_LT(run.velocity_drift(), 1e-12);
  const Summary summary = run.finished();
  EXPECT_EQ(summary.counters.steps, 10);
}

// There and back with the same steps: a symmetric method comes home.
TEST(SymmetricProjectionDriver, EnergyDoesNotDrift) {
  Stepped run("symmetric-projection", "auto");
  run.complete();
  const double before = run.energy();
  run.go(90);
  run.complete();
  EXPECT_NEAR(run.energy(), before, 1e-2);  // h² of the midpoint rule with h = 0.01, times the energy
}

// At an angle of -0.5 the constraint is solved for x, below -1.1 for y: the bead falls there within a second.
TEST(DummyDriver, ExchangesStatesWhereTheOldOnesStopDetermining) {
  Stepped run("dummy-derivatives", "radau", -0.5);
  const std::vector<int> before = run.driven.driver->states();
  run.go(60);
  const Summary summary = run.finished();
  EXPECT_GE(summary.pivot_count, 1);
  ASSERT_FALSE(summary.pivots.empty());
  EXPECT_FALSE(summary.pivots.front().states_in.empty());
  EXPECT_EQ(summary.pivots.front().states_in.size(), summary.pivots.front().states_out.size());
  EXPECT_EQ(run.driven.driver->states().size(), before.size());
}

TEST(DummyDriver, MakesTheOthersConsistentWithItsStates) {
  Stepped run("dummy-derivatives", "radau");
  RunDriver& driver = *run.driven.driver;
  std::vector<double>& e = run.begun.environment;
  const int x = run.driven.slot_of("x", 0) - run.driven.model->layout().levels;
  const bool by_x = std::ranges::binary_search(driver.states(), x);
  const auto state = static_cast<std::size_t>(run.driven.slot_of(by_x ? "x" : "y", 0));
  e[state] *= 0.9;
  ASSERT_TRUE(driver.make_consistent());
  EXPECT_LT(run.position_drift(), 1e-10);
  EXPECT_LT(run.velocity_drift(), 1e-10);
}

// What a driver has learnt is saved; a copy that reads it goes on with the same bits.
TEST(Drivers, SavedStateGoesOnWithTheSameBits) {
  for (const auto& [formulation, integrator] :
       std::initializer_list<std::pair<const char*, const char*>>{{"orthogonal-projection", "dopri5"},
                                                                  {"dummy-derivatives", "radau"},
                                                                  {"ggl", "radau"},
                                                                  {"trust-region", "radau"},
                                                                  {"tangent-plane", "radau"}}) {
    Stepped run(formulation, integrator);
    run.go(6);
    Archive writing;
    run.driven.driver->state(writing);
    run.begun.integrator->state(writing);
    const std::vector<std::byte> bytes = writing.finish();
    Stepped other(formulation, integrator);
    other.begun.environment = run.begun.environment;
    other.driven.driver->bind(other.begun.environment);
    Archive reading(bytes);
    other.driven.driver->state(reading);
    other.begun.integrator = other.driven.driver->make_integrator(*other.driven.plan->integrator_row,
                                                                  Begun::settings(other.driven));
    other.begun.integrator->state(reading);
    ASSERT_TRUE(reading.ok()) << formulation << ": " << reading.error();
    run.go(6);
    other.go(6);
    EXPECT_EQ(run.begun.integrator->t(), other.begun.integrator->t()) << formulation;
    EXPECT_EQ(run.begun.y, other.begun.y) << formulation;
  }
}

TEST(Drivers, BytesOfAnotherDriverAreRefused) {
  Stepped run("orthogonal-projection", "dopri5");
  Archive writing;
  run.driven.driver->state(writing);
  const std::vector<std::byte> bytes = writing.finish();
  Stepped other("dummy-derivatives", "radau");
  Archive reading(bytes);
  other.driven.driver->state(reading);
  EXPECT_FALSE(reading.ok());
}

// The takeover: another method asks the same driver for another system, in which multipliers are unknowns.
TEST(ReformDriver, AnImplicitMethodTakesOver) {
  Stepped run("orthogonal-projection", "dopri5");
  run.go(3);
  const int states = run.driven.driver->size();
  IntegratorSettings settings;
  settings.tolerances = run.driven.plan->settings.tolerances;
  settings.selection = stiff_integrator(*find_integrator("radau"), 1e-6);
  auto radau = run.driven.driver->make_integrator(*find_integrator("radau"), settings);
  EXPECT_GT(run.driven.driver->size(), states);
  EXPECT_TRUE(run.driven.driver->reads_rates());
  const double t = run.begun.integrator->t();
  std::vector<double> y(static_cast<std::size_t>(run.driven.driver->size()));
  std::vector<double> yp(y.size());
  run.driven.driver->start_values(nullptr, y, yp);
  radau->start(t, y, yp, far);
  run.begun.integrator = std::move(radau);
  run.go(3);
  run.complete();
  EXPECT_GT(run.begun.integrator->t(), t);
  EXPECT_LT(run.position_drift(), 1e-12);
}

// The looser the tolerance, the lower the order of radau that takes over.
TEST(RunPlan, OfTheStiffIntegratorTheOrderFollowsTheTolerance) {
  const IntegratorRow& radau = *find_integrator("radau");
  EXPECT_NE(stiff_integrator(radau, 0.05).to_text(), stiff_integrator(radau, 1e-6).to_text());
  EXPECT_EQ(stiff_integrator(radau, 1e-6).name(), "radau");
}

}  // namespace
}  // namespace daedalus::testing
