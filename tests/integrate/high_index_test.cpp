// Systems of index 2 and 3, integrated as they stand: index weights and untested multipliers at work.
#include <gtest/gtest.h>

#include "integrate/drive.hpp"
#include "integrate/high_index_systems.hpp"

namespace daedalus::testing {
namespace {

// φ(0) = π/2, φ'(0) = -1 and the exact values at t = 10 (elliptic functions).
const std::vector<double> kStart{1, 0, 0, -1};
const std::vector<double> kStartSlope{0, -1, -1, -1};
const std::vector<double> kEnd{-0.48363010530359631, -0.87527248399800182, -1.45161902179939894,
                               0.80208926158262447};

// The error of positions and velocities at t = 10, and of the length on the way.
void expect_end(const std::string& method, ResidualSystem& system, std::vector<double> y,
                std::vector<double> yp, double tolerance, double allowed) {
  const auto integrator = make_integrator(method, system, with_tolerance(tolerance, tolerance));
  integrator->start(0, y, yp, 10);
  double length_error = 0;
  while (integrator->t() < 10) {
    const StepOutcome outcome = integrator->step(10);
    ASSERT_TRUE(outcome.ok()) << method << " " << tolerance << ": " << outcome.detail;
    const auto now = integrator->y();
    length_error = std::max(length_error, std::abs(std::hypot(now[0], now[1]) - 1));
  }
  EXPECT_LE(max_difference(integrator->y().first(4), kEnd), allowed) << method << " " << tolerance;
  EXPECT_LE(length_error, tolerance) << method << " " << tolerance;
}

// Local errors add up over ten units of time, on an orbit whose phase error grows: a factor of 1000, as for
// the pendulum in minimal coordinates (energy errors of 3e-6 for 1e-9 over 1000).
TEST(HighIndex, StabilisedPendulumOfIndexTwo) {
  for (const char* method : {"bdf", "ndf", "radau", "ida"}) {
    for (const double tolerance : {1e-5, 1e-7, 1e-9}) {
      GglPendulum system;
      std::vector<double> y = kStart;
      y.insert(y.end(), {1, 0});  // λ = u² + v² - y
      std::vector<double> yp = kStartSlope;
      yp.insert(yp.end(), {3, 0});  // λ' = -3 v
      // IDA carries Newton's errors along, see pendulum_test.cpp.
      const double factor = std::string_view(method) == "ida" ? 10000 : 1000;
      expect_end(method, system, y, yp, tolerance, factor * tolerance);
    }
  }
}

// BDF with variable steps is not safe at index 3 (Brenan, Campbell, Petzold, section 3.2.4); Radau IIA is.
TEST(HighIndex, PendulumAtPositionLevelByRadau) {
  for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
    PositionPendulum system;
    std::vector<double> y = kStart;
    y.push_back(1);
    std::vector<double> yp = kStartSlope;
    yp.push_back(3);
    expect_end("radau", system, y, yp, tolerance, 1000 * tolerance);
  }
}

}  // namespace
}  // namespace daedalus::testing
