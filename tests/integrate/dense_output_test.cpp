// Values between the steps.
#include <gtest/gtest.h>

#include <array>

#include "integrate/drive.hpp"
#include "integrate/ode_systems.hpp"
#include "integrate/test_systems.hpp"

namespace daedalus::testing {
namespace {

// The largest error over ten points in every step of a run to t = 10, in tolerances.
double error_between_steps(const std::string& selection, const IntegratorSettings& settings) {
  IndexOne system;
  const auto integrator = make_integrator(selection, system, settings);
  integrator->start(0, IndexOne::exact(0), IndexOne::exact_slope(0), 10);
  std::vector<double> y(2);
  std::vector<double> yp(2);
  double worst = 0;
  while (integrator->t() < 10) {
    EXPECT_TRUE(integrator->step(10).ok());
    for (int k = 0; k <= 10; ++k) {
      const double t = integrator->t_previous() + 0.1 * k * integrator->last_step();
      integrator->interpolate(t, y, yp);
      worst = std::max(worst, in_tolerances(y, IndexOne::exact(t), settings.tolerances));
    }
  }
  return worst;
}

// Several times at once, for those that have a way of their own and those that have not: the same bits.
void expect_same_in_lanes(Integrator& integrator, const std::string& selection, std::vector<double> y,
                          std::vector<double> yp) {
  integrator.start(0, y, yp, 10);
  std::vector<double> one(y.size());
  std::vector<double> all(lane_count * y.size());
  for (int step = 0; step < 5; ++step) {
    ASSERT_TRUE(integrator.step(10).ok());
    std::array<double, lane_count> times;
    for (std::size_t l = 0; l < lane_count; ++l)
      times[l] = integrator.t_previous() + (0.1 + 0.2 * static_cast<double>(l)) * integrator.last_step();
    integrator.interpolate_lanes(times, all);
    for (std::size_t l = 0; l < lane_count; ++l) {
      integrator.interpolate(times[l], one, {});
      for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(all[(lane_count * i) + l], one[i]) << selection;
    }
  }
}

TEST(DenseOutput, InLanesIsTheSame) {
  const IntegratorSettings settings = with_tolerance(1e-6, 1e-6);
  IndexOne implicit;
  for (const char* name : {"radau", "bdf"})
    expect_same_in_lanes(*make_integrator(name, implicit, settings), name, IndexOne::exact(0),
                         IndexOne::exact_slope(0));
  Circle circle;
  for (const char* name : {"dop853", "dopri5"})
    expect_same_in_lanes(*make_explicit_integrator(name, circle, settings), name, Circle::exact(0), {0, 1.5});
}

// BDF interpolates with the polynomial whose error the local error test bounds (Brenan, Campbell,
// Petzold 5.2.4).
TEST(DenseOutput, OfBdfIsAsGoodAsTheSteps) {
  for (const char* name : {"bdf", "ndf", "ida"}) {
    for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
      EXPECT_LE(error_between_steps(name, with_tolerance(tolerance, tolerance)), 10)
          << name << " " << tolerance;
    }
  }
}

// The collocation polynomial has order 3, like the error estimate, which is held below 0.1 rtol^(2/3).
TEST(DenseOutput, OfRadauIsBoundedByTheErrorEstimate) {
  for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
    const double error = error_between_steps("radau", with_tolerance(tolerance, tolerance));
    EXPECT_LE(error, 10 * 0.1 * std::pow(tolerance, -1.0 / 3)) << tolerance;
  }
}

// Order of the interpolant at fixed step: that of its polynomial, at least order + 1 locally for backward
// Euler's straight line, 4 for the cubic of Radau.
TEST(DenseOutput, ConvergesAtFixedStep) {
  for (const auto& [name, order] : {std::pair{"backward-euler", 1}, {"implicit-midpoint", 2}, {"radau", 4}}) {
    const double coarse = error_between_steps(name, with_fixed_step(0.1));
    const double fine = error_between_steps(name, with_fixed_step(0.05));
    EXPECT_NEAR(std::log2(coarse / fine), order, 0.3) << name;
  }
}

TEST(DenseOutput, MeetsTheEndsOfTheStep) {
  for (const IntegratorRow& row : implicit_rows()) {
    IndexOne system;
    IntegratorSettings settings = with_tolerance(1e-6, 1e-6);
    if (!row.adaptive) settings.fixed_step = 0.1;
    const auto integrator = make_integrator(std::string(row.name), system, settings);
    integrator->start(0, IndexOne::exact(0), IndexOne::exact_slope(0), 10);
    std::vector<double> before(IndexOne::exact(0));
    std::vector<double> y(2);
    for (int step = 0; step < 30; ++step) {
      ASSERT_TRUE(integrator->step(10).ok());
      integrator->interpolate(integrator->t_previous(), y, {});
      EXPECT_LE(max_difference(y, before), 1e-13) << row.name;
      integrator->interpolate(integrator->t(), y, {});
      EXPECT_LE(max_difference(y, integrator->y()), 1e-14) << row.name;
      before.assign(integrator->y().begin(), integrator->y().end());
    }
  }
}

TEST(DenseOutput, SlopeIsTheDerivativeOfTheValue) {
  for (const IntegratorRow& row : implicit_rows()) {
    IndexOne system;
    IntegratorSettings settings = with_tolerance(1e-6, 1e-6);
    if (!row.adaptive) settings.fixed_step = 0.1;
    const auto integrator = make_integrator(std::string(row.name), system, settings);
    integrator->start(0, IndexOne::exact(0), IndexOne::exact_slope(0), 10);
    while (integrator->t() < 5) ASSERT_TRUE(integrator->step(10).ok());
    const double h = integrator->last_step();
    const double t = integrator->t() - 0.4 * h;
    const double d = 1e-3 * h;
    std::vector<double> y(2);
    std::vector<double> yp(2);
    std::vector<double> left(2);
    std::vector<double> right(2);
    integrator->interpolate(t, y, yp);
    integrator->interpolate(t - d, left, {});
    integrator->interpolate(t + d, right, {});
    // Central differences: relative error of about (d/h)² = 1e-6, and rounding of ε/d.
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(yp[i], (right[i] - left[i]) / (2 * d), 1e-5 + 1e-15 / d) << row.name;
    }
  }
}

// Before the first step only the start is known.
TEST(DenseOutput, GivesTheStartBeforeTheFirstStep) {
  for (const IntegratorRow& row : implicit_rows()) {
    IndexOne system;
    const auto integrator = make_integrator(std::string(row.name), system, with_fixed_step(0.1));
    integrator->start(0, IndexOne::exact(0), IndexOne::exact_slope(0), 10);
    std::vector<double> y(2);
    std::vector<double> yp(2);
    integrator->interpolate(0, y, yp);
    EXPECT_EQ(y, IndexOne::exact(0));
    EXPECT_EQ(yp, IndexOne::exact_slope(0));
  }
}

}  // namespace
}  // namespace daedalus::testing
