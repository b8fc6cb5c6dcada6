// Work is part of the answer, so it is counted exactly.
#include <gtest/gtest.h>

#include <algorithm>

#include "integrate/drive.hpp"
#include "integrate/test_systems.hpp"

namespace daedalus::testing {
namespace {

TEST(Counters, AreWhatTheModelSaw) {
  for (const IntegratorRow& row : implicit_rows()) {
    DummyPendulum system(false);
    std::vector<double> y;
    std::vector<double> yp;
    DummyPendulum::initial(0.1, 0, y, yp);
    IntegratorSettings settings = with_tolerance(1e-6, 1e-6);
    if (!row.adaptive) settings.fixed_step = 0.01;
    const auto integrator = make_integrator(std::string(row.name), system, settings);
    integrator->start(0, y, yp, 10);
    long steps = 0;
    while (integrator->t() < 10 && integrator->step(10).ok()) ++steps;
    const Counters& counters = integrator->counters();
    EXPECT_EQ(counters.steps, steps) << row.name;
    EXPECT_EQ(counters.residual_evals, system.residual_calls) << row.name;
    EXPECT_EQ(counters.jacobian_evals, system.jacobian_calls) << row.name;
    EXPECT_EQ(counters.rejected, counters.newton_failures + counters.error_test_failures) << row.name;
    EXPECT_GE(counters.newton_iterations, steps) << row.name;
    EXPECT_GE(counters.factorizations, 1) << row.name;
  }
}

TEST(Counters, GoOnOverARestart) {
  for (const IntegratorRow& row : implicit_rows()) {
    IndexOne system;
    IntegratorSettings settings = with_tolerance(1e-6, 1e-6);
    if (!row.adaptive) settings.fixed_step = 0.01;
    const auto integrator = make_integrator(std::string(row.name), system, settings);
    integrator->start(0, IndexOne::exact(0), IndexOne::exact_slope(0), 1);
    run_to(*integrator, 1);
    const Counters first = integrator->counters();
    integrator->start(0, IndexOne::exact(0), IndexOne::exact_slope(0), 1);
    run_to(*integrator, 1);
    const Counters& both = integrator->counters();
    // The second run repeats the first.
    EXPECT_EQ(both.steps, 2 * first.steps) << row.name;
    EXPECT_EQ(both.residual_evals, 2 * first.residual_evals) << row.name;
    EXPECT_EQ(both.jacobian_evals, 2 * first.jacobian_evals) << row.name;
    EXPECT_EQ(both.newton_iterations, 2 * first.newton_iterations) << row.name;
    EXPECT_EQ(both.factorizations, 2 * first.factorizations) << row.name;
  }
}

// A linear system with constant coefficients needs one Jacobian; later matrices are put together from it.
TEST(Counters, ALinearSystemCostsOneJacobian) {
  for (const char* name : {"bdf", "ndf", "radau"}) {
    StiffLinear system(1000);
    const auto integrator = make_integrator(name, system, with_tolerance(1e-6, 1e-6));
    integrator->start(0, StiffLinear::exact(0), StiffLinear::exact_slope(0), 10);
    run_to(*integrator, 10);
    EXPECT_EQ(integrator->counters().jacobian_evals, 1) << name;
    EXPECT_GT(integrator->counters().factorizations, 1) << name;
  }
}

// Of a linear system the first iteration is exact as long as the matrix is that of the step. That is measured
// by a second one, which the steps after it with the same matrix do without, some of them.
TEST(Counters, AMeasuredRateOfConvergenceServesSomeSteps) {
  for (const char* name : {"bdf", "ndf"}) {
    constexpr std::size_t count = 100;  // kFewUnknowns
    StiffLinear system(1000, static_cast<int>(count));
    const auto integrator = make_integrator(name, system, with_tolerance(1e-6, 1e-6));
    integrator->start(0, StiffLinear::exact(0, count), StiffLinear::exact_slope(0, count), 10);
    long once = 0;
    long in_a_row = 0;
    long most = 0;
    while (integrator->t() < 10) {
      const Counters before = integrator->counters();
      ASSERT_TRUE(integrator->step(10).ok());
      const Counters& now = integrator->counters();
      const bool one = now.newton_iterations == before.newton_iterations + 1;
      in_a_row = one ? in_a_row + 1 : 0;
      most = std::max(most, in_a_row);
      once += one ? 1 : 0;
      if (one) {
        EXPECT_EQ(now.factorizations, before.factorizations) << name << ": a new matrix, not measured";
      }
    }
    EXPECT_GT(2 * once, integrator->counters().steps - 2 * integrator->counters().factorizations) << name;
    EXPECT_LE(most, 8) << name;  // kCarriedSteps
  }
}

}  // namespace
}  // namespace daedalus::testing
