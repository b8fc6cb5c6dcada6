// Systems of index 2 and 3, integrated as they stand: index weights and untested multipliers at work.
#include <gtest/gtest.h>

#include "integrate/drive.hpp"
#include "integrate/test_systems.hpp"

namespace daedalus::testing {
namespace {

// Pendulum (g = m = L = 1) after Gear, Gupta and Leimkuhler, index 2, unknowns (x, y, u, v, λ, μ):
//   x' = u - μx, y' = v - μy, u' = -λx, v' = -λy - 1, x² + y² = 1, xu + yv = 0.
class GglPendulum final : public DenseSystem {
 public:
  GglPendulum() : DenseSystem(6) {
    for (int k : {4, 5}) components_[k] = {.differential = false, .error_tested = false, .index = 2};
  }

 private:
  void equations(double, std::span<const double> y, std::span<const double> yp,
                 std::span<double> r) override {
    r[0] = yp[0] - y[2] + y[5] * y[0];
    r[1] = yp[1] - y[3] + y[5] * y[1];
    r[2] = yp[2] + y[4] * y[0];
    r[3] = yp[3] + y[4] * y[1] + 1;
    r[4] = y[0] * y[0] + y[1] * y[1] - 1;
    r[5] = y[0] * y[2] + y[1] * y[3];
  }
  void derivatives(double, std::span<const double> y, std::span<const double>, const Entry& dy,
                   const Entry& dyp) override {
    for (int k = 0; k < 2; ++k) {
      dyp(k, k) = 1;
      dy(k, 2 + k) = -1;
      dy(k, k) = y[5];
      dy(k, 5) = y[k];
      dyp(2 + k, 2 + k) = 1;
      dy(2 + k, k) = y[4];
      dy(2 + k, 4) = y[k];
      dy(4, k) = 2 * y[k];
      dy(5, k) = y[2 + k];
      dy(5, 2 + k) = y[k];
    }
  }
};

// The same at position level, index 3, unknowns (x, y, u, v, λ).
class PositionPendulum final : public DenseSystem {
 public:
  PositionPendulum() : DenseSystem(5) {
    for (int k : {2, 3}) components_[k].index = 2;
    components_[4] = {.differential = false, .error_tested = false, .index = 3};
  }

 private:
  void equations(double, std::span<const double> y, std::span<const double> yp,
                 std::span<double> r) override {
    r[0] = yp[0] - y[2];
    r[1] = yp[1] - y[3];
    r[2] = yp[2] + y[4] * y[0];
    r[3] = yp[3] + y[4] * y[1] + 1;
    r[4] = y[0] * y[0] + y[1] * y[1] - 1;
  }
  void derivatives(double, std::span<const double> y, std::span<const double>, const Entry& dy,
                   const Entry& dyp) override {
    for (int k = 0; k < 2; ++k) {
      dyp(k, k) = 1;
      dy(k, 2 + k) = -1;
      dyp(2 + k, 2 + k) = 1;
      dy(2 + k, k) = y[4];
      dy(2 + k, 4) = y[k];
      dy(4, k) = 2 * y[k];
    }
  }
};

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
