// Whole runs on models built by hand: against exact solutions, invariants and each other.
#include "simulate/run.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "advise/check.hpp"
#include "support/equations.hpp"

namespace daedalus {
namespace {

using testing::der;
using testing::Equations;
using testing::Pendulum;
using testing::sin;
using testing::Term;

RunResult run(const Equations& e, RunOptions options) {
  auto result = simulate(e.system, options);
  EXPECT_TRUE(result.has_value()) << (result ? "" : render(result.error(), *e.system.sources));
  return result.value_or(RunResult{});
}

RunOptions options(double until, double tolerance, const char* integrator = "bdf") {
  RunOptions o;
  o.until = until;
  o.rtol = tolerance;
  o.atol = tolerance;
  o.integrator = Selection(integrator);
  return o;
}

double final_value(const RunResult& result, const std::string& name) {
  for (const auto& [key, value] : result.summary.final_values) {
    if (key == name) return value;
  }
  ADD_FAILURE() << "no " << name;
  return 0;
}

double largest_energy_error(const RunResult& result) {
  const Trajectory& t = result.trajectory;
  double first = 0;
  double largest = 0;
  for (std::size_t k = 0; k < t.rows(); ++k) {
    const double energy = (0.5 * ((t.at(k, 2) * t.at(k, 2)) + (t.at(k, 3) * t.at(k, 3)))) + t.at(k, 1) + 1;
    if (k == 0) first = energy;
    largest = std::max(largest, std::abs(energy - first));
  }
  return largest;
}

// Table 1 and Table 2 of Mattsson and Söderlind, model c. Reference values by Jacobi's elliptic functions.
TEST(Run, PendulumOfPaper004Case1) {
  Pendulum e(std::sin(0.1), -std::cos(0.1), 0, 0);
  e.fix(e.x);
  e.fix(e.u);
  const RunResult result = run(e, options(1000, 1e-9));
  ASSERT_TRUE(result.ok()) << result.summary.reason;
  EXPECT_EQ(result.summary.index, 3);
  EXPECT_EQ(result.summary.dof, 2);
  EXPECT_LE(result.summary.counters.steps, 30000);
  ASSERT_EQ(result.summary.drift.levels.size(), 3U);
  EXPECT_LE(result.summary.drift.levels[0], 1e-10);
  EXPECT_LE(result.summary.drift.levels[1], 1e-10);
  EXPECT_LE(largest_energy_error(result), 3e-7);
  EXPECT_NEAR(final_value(result, "x"), 0.09385022089534377417, 1e-3);
  EXPECT_NEAR(final_value(result, "y"), -0.99558632776766032628, 1e-3);
  EXPECT_EQ(result.summary.pivot_count, 0);
}

TEST(Run, PendulumOfPaper004Case2PivotsWithoutRestart) {
  Pendulum e(1, 0, 0, -1);
  e.fix(e.y);
  e.fix(e.v);
  const RunResult result = run(e, options(1000, 1e-9));
  ASSERT_TRUE(result.ok()) << result.summary.reason;
  EXPECT_LE(result.summary.counters.steps, 110000);
  EXPECT_EQ(result.summary.pivot_count, 464);  // four a period, 116 periods
  EXPECT_LE(result.summary.drift.levels[0], 1e-10);
  EXPECT_LE(largest_energy_error(result), 3e-6);
  EXPECT_NEAR(final_value(result, "x"), 0.90762546777300388925, 1e-3);
  EXPECT_NEAR(final_value(result, "y"), 0.41978090743843493490, 1e-3);
}

// Every row of the table solves the same index-3 problem to its tolerance.
TEST(Run, EveryIntegratorAgreesOnThePendulum) {
  // t = 10, case 2; elliptic functions.
  const double x = -0.48363010530359630827;
  const double y = -0.87527248399800181655;
  for (const IntegratorRow& row : integrators()) {
    if (row.make == nullptr) continue;  // explicit: they need an ODE
    Pendulum e(1, 0, 0, -1);
    e.fix(e.y);
    e.fix(e.v);
    RunOptions o = options(10, 1e-8, row.name.data());
    if (!row.adaptive) o.step = 2e-5;
    const RunResult result = run(e, o);
    ASSERT_TRUE(result.ok()) << row.name << ": " << result.summary.reason;
    // Adaptive: 1e3 times the tolerance over 10 time units; backward Euler: error about 10 h |x''| e^{…} <
    // 1e-2.
    const double allowed = row.adaptive ? 1e-5 : 2e-3;
    EXPECT_NEAR(final_value(result, "x"), x, allowed) << row.name;
    EXPECT_NEAR(final_value(result, "y"), y, allowed) << row.name;
    EXPECT_LE(result.summary.drift.levels[0], 1e-10) << row.name;
  }
}

TEST(Run, IndexOneAndOrdinaryEquationsNeedNoExtraUnknowns) {
  Equations e;
  const Term x = e.variable("x", 1, true);
  e.equation(der(x) + x, "der(x) = -x");
  const RunResult result = run(e, options(1, 1e-8));
  EXPECT_EQ(result.summary.index, 0);
  EXPECT_EQ(result.summary.unknowns, 1);
  EXPECT_NEAR(final_value(result, "x"), std::exp(-1.0), 1e-6);  // 100 × tolerance
}

TEST(Run, StartValuesThatAreNotFixedAreKeptExactly) {
  Equations e;
  const Term x = e.variable("x", 1);
  e.equation(der(x) + x - 2, "der(x) = 2 - x");
  const RunResult result = run(e, options(1, 1e-8));
  EXPECT_EQ(result.trajectory.at(0, 0), 1.0);
  Equations unset;
  const Term y = unset.variable("y");
  unset.equation(der(y) + y - 2, "der(y) = 2 - y");
  EXPECT_EQ(run(unset, options(1, 1e-8)).trajectory.at(0, 0), 0.0);
}

TEST(Run, ContradictoryFixedValuesAreNamed) {
  Pendulum e(1, 0.5, 0, 0);
  e.fix(e.x);
  e.fix(e.y);
  const auto result = simulate(e.system, options(1, 1e-6));
  ASSERT_FALSE(result.has_value());
  const std::string text = render(result.error(), *e.system.sources);
  EXPECT_NE(text.find("x = 1"), std::string::npos) << text;
  EXPECT_NE(text.find("y = 0.5"), std::string::npos) << text;
  EXPECT_NE(text.find("x^2 + y^2 = 1"), std::string::npos) << text;
  EXPECT_NE(text.find("0.25"), std::string::npos) << text;
}

TEST(Run, VelocitiesThatViolateAHiddenConstraintAreNamed) {
  Pendulum e(1, 0, 0.5, 0);
  e.fix(e.x);
  e.fix(e.u);
  const auto result = simulate(e.system, options(1, 1e-6));
  ASSERT_FALSE(result.has_value());
  const std::string text = render(result.error(), *e.system.sources);
  EXPECT_NE(text.find("u = 0.5"), std::string::npos) << text;
  EXPECT_NE(text.find("first derivative of x^2 + y^2 = 1"), std::string::npos) << text;
}

TEST(Run, RepairedSystemsGiveTheExactSolution) {
  // x = t + sin t, y = 0, from equations whose structure lies.
  Equations e;
  const Term x = e.variable("x");
  const Term y = e.variable("y");
  e.equation(-der(x, 2) - y - sin(e.time()), "f1");
  e.equation(der(x, 2) + x + y - e.time(), "f2");
  const RunResult result = run(e, options(2, 1e-8));
  ASSERT_TRUE(result.ok()) << result.summary.reason;
  EXPECT_NEAR(final_value(result, "x"), 2 + std::sin(2.0), 1e-12);  // algebraic: round-off
  EXPECT_NEAR(final_value(result, "y"), 0, 1e-12);
}

TEST(Run, SuperfluousDifferentiationsCanBeRemoved) {
  // Examples 1 and 2 of Mattsson, Söderlind 1991: (3.2) has nine unknowns and a second derivative, (3.3) six
  // unknowns. The solution with x1(0) = 0.6, x1'(0) = 0.6 is x1 = cos t + sin t - 0.4 cos 2t - 0.2 sin 2t.
  const auto model = [] {
    Equations e;
    const Term x1 = e.variable("x1", 0.6, true);
    const Term x2 = e.variable("x2");
    const Term x3 = e.variable("x3");
    const Term x4 = e.variable("x4");
    const Term w1 = e.variable("w1", 0.6, true);
    const Term t = e.time();
    e.equation(x1 + x2 + sin(t), "(3.1a)");
    e.equation(x1 + x2 + x3 + testing::cos(t), "(3.1b)");
    e.equation(x1 + x4 + sin(2.0 * t), "(3.1c)");
    e.equation(2.0 * der(x1, 2) + der(x2, 2) + der(x3, 2) + der(x4) + testing::cos(t), "(3.1d)");
    e.equation(der(x1) - w1, "der(x1) = w1");
    return e;
  };
  RunOptions o = options(5, 1e-9);
  const RunResult kept = run(model(), o);
  o.formulation = Selection("dummy-derivatives", {{"superfluous", "remove"}});
  const RunResult removed = run(model(), o);
  ASSERT_TRUE(kept.ok() && removed.ok()) << kept.summary.reason << removed.summary.reason;
  EXPECT_LT(removed.summary.unknowns, kept.summary.unknowns);
  const double x1 = std::cos(5.0) + std::sin(5.0) - (0.4 * std::cos(10.0)) - (0.2 * std::sin(10.0));
  // Errors grow like e^t: e^5 = 148 times the tolerance, and a factor 10 for the method.
  EXPECT_NEAR(final_value(kept, "x1"), x1, 2e-6);
  EXPECT_NEAR(final_value(removed, "x1"), x1, 2e-6);
}

TEST(Run, ARunThatDiesKeepsWhatItComputed) {
  // x' = x^2, x(0) = 1 has a pole at t = 1.
  Equations e;
  const Term x = e.variable("x", 1, true);
  e.equation(der(x) - x * x, "der(x) = x^2");
  const RunResult result = run(e, options(2, 1e-8));
  EXPECT_EQ(result.summary.status, "failed");
  EXPECT_NEAR(result.summary.t_end, 1, 1e-3);
  EXPECT_NE(result.summary.reason.find("t = "), std::string::npos);
  ASSERT_GT(result.trajectory.rows(), 100U);
  EXPECT_NEAR(result.trajectory.at(50, 0), 1 / (1 - result.trajectory.times[50]), 1e-6);
}

TEST(Run, NotANumberOnTheWayNamesTheEquation) {
  Equations e;
  const Term x = e.variable("x", 1, true);
  const Term y = e.variable("y");
  e.equation(der(x) + 1, "der(x) = -1");
  e.equation(y - testing::sqrt(x), "y = sqrt(x)");
  const RunResult result = run(e, options(2, 1e-8));
  EXPECT_EQ(result.summary.status, "failed");
  EXPECT_NEAR(result.summary.t_end, 1, 1e-2);
  EXPECT_NE(result.summary.reason.find("y = sqrt(x)"), std::string::npos) << result.summary.reason;
}

TEST(Run, ProgressCanStopIt) {
  Equations e;
  const Term x = e.variable("x", 1, true);
  e.equation(der(x) + x, "der(x) = -x");
  RunOptions o = options(1, 1e-8);
  o.progress = [](const Progress& p) { return p.t < 0.5; };
  const RunResult result = run(e, o);
  EXPECT_EQ(result.summary.status, "failed");
  EXPECT_NE(result.summary.reason.find("interrupted"), std::string::npos);
  EXPECT_GE(result.trajectory.times.back(), 0.5);
  EXPECT_LT(result.trajectory.times.back(), 1.0);
}

TEST(Run, WrongOptionsAreExplained) {
  const Pendulum e(1, 0, 0, 0);
  RunOptions o = options(1, 1e-6, "bfd");
  auto result = simulate(e.system, o);
  ASSERT_FALSE(result.has_value());
  EXPECT_NE(result.error()[0].message.find("did you mean 'bdf'"), std::string::npos);
  o = options(1, 1e-6, "backward-euler");
  result = simulate(e.system, o);
  ASSERT_FALSE(result.has_value());
  EXPECT_NE(result.error()[0].message.find("--step"), std::string::npos);
  o = options(-1, 1e-6);
  EXPECT_FALSE(simulate(e.system, o).has_value());
  o = options(1, 0);
  EXPECT_FALSE(simulate(e.system, o).has_value());
}

TEST(Check, NamesHiddenConstraintsAndStates) {
  Pendulum e(1, 0, 0, 0);
  e.fix(e.y);
  e.fix(e.v);
  const auto report = check(e.system, e.system);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->index, 3);
  EXPECT_EQ(report->dof, 2);
  EXPECT_EQ(report->hidden_constraints.size(), 2U);
  EXPECT_TRUE(report->sigma_agrees);
  EXPECT_EQ(report->states, (std::vector<std::string>{"y", "v"}));
  EXPECT_EQ(report->fixed, (std::vector<std::string>{"y", "v"}));
  EXPECT_TRUE(report->initialised);
}

}  // namespace
}  // namespace daedalus
