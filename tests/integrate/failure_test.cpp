// What happens when a step cannot be taken: the right status, a sentence, and the last accepted values.
#include <gtest/gtest.h>

#include "integrate/drive.hpp"
#include "integrate/test_systems.hpp"

namespace daedalus::testing {
namespace {

// y' = -1 as long as √y exists: not finite beyond t = 1.
class RootOfNegative final : public DenseSystem {
 public:
  RootOfNegative() : DenseSystem(1) {}
  std::string trouble() const override { return "sqrt(y) in equation 1"; }

 private:
  void equations(double, std::span<const double> y, std::span<const double> yp,
                 std::span<double> r) override {
    r[0] = yp[0] + 1 + 0 * std::sqrt(y[0]);
  }
  void derivatives(double, std::span<const double>, std::span<const double>, const Entry&,
                   const Entry& dyp) override {
    dyp(0, 0) = 1;
  }
};

// Example 5 of Mattsson and Söderlind (1993), (4.6): x' + t y' = f1, x + t y = f2. The iteration matrix
// [[cj, t cj], [1, t]] is singular for every step.
class AlwaysSingular final : public DenseSystem {
 public:
  AlwaysSingular() : DenseSystem(2) {}

 private:
  void equations(double t, std::span<const double> y, std::span<const double> yp,
                 std::span<double> r) override {
    r[0] = yp[0] + t * yp[1] - 2 * std::cos(2 * t) + std::cos(3 * t);
    r[1] = y[0] + t * y[1] - std::sin(2 * t);
  }
  void derivatives(double t, std::span<const double>, std::span<const double>, const Entry& dy,
                   const Entry& dyp) override {
    dyp(0, 0) = 1;
    dyp(0, 1) = t;
    dy(1, 0) = 1;
    dy(1, 1) = t;
  }
};

// x' = 1, z² = 1 - x: no solution beyond t = 1.
class TurningPoint final : public DenseSystem {
 public:
  TurningPoint() : DenseSystem(2) { components_[1].differential = false; }

 private:
  void equations(double, std::span<const double> y, std::span<const double> yp,
                 std::span<double> r) override {
    r[0] = yp[0] - 1;
    r[1] = y[1] * y[1] - 1 + y[0];
  }
  void derivatives(double, std::span<const double> y, std::span<const double>, const Entry& dy,
                   const Entry& dyp) override {
    dyp(0, 0) = 1;
    dy(1, 0) = 1;
    dy(1, 1) = 2 * y[1];
  }
};

// y' = y², y = 1/(1 - t).
class BlowUp final : public DenseSystem {
 public:
  BlowUp() : DenseSystem(1) {}

 private:
  void equations(double, std::span<const double> y, std::span<const double> yp,
                 std::span<double> r) override {
    r[0] = yp[0] - y[0] * y[0];
  }
  void derivatives(double, std::span<const double> y, std::span<const double>, const Entry& dy,
                   const Entry& dyp) override {
    dy(0, 0) = -2 * y[0];
    dyp(0, 0) = 1;
  }
};

struct End {
  StepOutcome outcome;
  double t;
  std::vector<double> y;
};

// Steps until a failure, which must leave the values of the last accepted step.
End run_until_failure(const IntegratorRow& row, ResidualSystem& system, double t0,
                      const std::vector<double>& y, const std::vector<double>& yp) {
  IntegratorSettings settings = with_tolerance(1e-6, 1e-8);
  if (!row.adaptive) settings.fixed_step = 0.01;
  const auto integrator = make_integrator(std::string(row.name), system, settings);
  integrator->start(t0, y, yp, t0 + 2);
  StepOutcome outcome;
  double t_before = t0;
  std::vector<double> y_before = y;
  for (int step = 0; step < 100000 && integrator->t() < t0 + 2; ++step) {
    t_before = integrator->t();
    y_before.assign(integrator->y().begin(), integrator->y().end());
    outcome = integrator->step(t0 + 2);
    if (!outcome.ok()) break;
  }
  EXPECT_FALSE(outcome.ok()) << row.name;
  EXPECT_EQ(integrator->t(), t_before) << row.name;
  EXPECT_EQ(max_difference(integrator->y(), y_before), 0) << row.name;
  EXPECT_NE(outcome.detail.find("at t = "), std::string::npos) << outcome.detail;
  EXPECT_NE(outcome.detail.find("step size"), std::string::npos) << outcome.detail;
  return {outcome, integrator->t(), y_before};
}

TEST(Failure, ANonFiniteModelIsNamedInTheModelsWords) {
  for (const IntegratorRow& row : implicit_rows()) {
    RootOfNegative system;
    const End end = run_until_failure(row, system, 0, {1}, {-1});
    EXPECT_EQ(end.outcome.status, StepStatus::NotFinite) << row.name << ": " << end.outcome.detail;
    EXPECT_NE(end.outcome.detail.find("sqrt(y) in equation 1"), std::string::npos) << end.outcome.detail;
    // As near to the edge as the smallest step allows (20 halvings of 0.01 for backward Euler).
    EXPECT_NEAR(end.t, 1, 1e-7) << row.name;
  }
}

TEST(Failure, AMatrixSingularForEveryStepIsReportedAsSuch) {
  for (const IntegratorRow& row : implicit_rows()) {
    AlwaysSingular system;
    const double t = 0.5;
    const std::vector<double> y{std::sin(2 * t) - t * std::cos(3 * t), std::cos(3 * t)};
    const std::vector<double> yp{2 * std::cos(2 * t) - std::cos(3 * t) + 3 * t * std::sin(3 * t),
                                 -3 * std::sin(3 * t)};
    const End end = run_until_failure(row, system, t, y, yp);
    EXPECT_EQ(end.outcome.status, StepStatus::SingularMatrix) << row.name << ": " << end.outcome.detail;
    EXPECT_GE(end.outcome.component, 0) << row.name;
    EXPECT_LE(end.outcome.component, 1) << row.name;
  }
}

TEST(Failure, ASolutionThatCeasesToExistStopsThere) {
  for (const IntegratorRow& row : implicit_rows()) {
    TurningPoint system;
    const End end = run_until_failure(row, system, 0, {0, 1}, {1, -0.5});
    EXPECT_NE(end.outcome.status, StepStatus::Ok) << row.name;
    EXPECT_GE(end.t, 0.9) << row.name << ": " << end.outcome.detail;
    EXPECT_LE(end.t, 1 + 1e-6) << row.name;
    if (row.name == "ida") continue;  // it does not tell which component
    EXPECT_EQ(end.outcome.component, 1) << row.name << ": " << end.outcome.detail;
  }
}

TEST(Failure, ASolutionThatBlowsUpStopsThere) {
  for (const IntegratorRow& row : implicit_rows()) {
    if (!row.adaptive) continue;  // at fixed step nothing is controlled
    BlowUp system;
    const End end = run_until_failure(row, system, 0, {1}, {1});
    EXPECT_NEAR(end.t, 1, 1e-3) << row.name << ": " << end.outcome.detail;
    EXPECT_GT(end.y[0], 1e6) << row.name;
  }
}

// The same integrator can be started again after a failure.
TEST(Failure, IsNotTheEndOfTheIntegrator) {
  for (const IntegratorRow& row : implicit_rows()) {
    RootOfNegative system;
    IntegratorSettings settings = with_tolerance(1e-6, 1e-8);
    if (!row.adaptive) settings.fixed_step = 0.01;
    const auto integrator = make_integrator(std::string(row.name), system, settings);
    integrator->start(0, std::vector<double>{1e-3}, std::vector<double>{-1}, 2);
    while (integrator->step(2).ok()) {
    }
    integrator->start(0, std::vector<double>{5}, std::vector<double>{-1}, 2);
    run_to(*integrator, 2);
    EXPECT_NEAR(integrator->y()[0], 3, 1e-9) << row.name;  // a straight line, exact for every method
  }
}

}  // namespace
}  // namespace daedalus::testing
