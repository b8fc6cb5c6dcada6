// replace_state(): the caller projects the end of a step, and the method goes on from there.
#include <gtest/gtest.h>

#include "integrate/drive.hpp"
#include "integrate/ode_systems.hpp"

namespace daedalus::testing {
namespace {

// Circle, by an implicit or an explicit row. (Methods for mechanical systems have nothing to do with it; the
// tests of simulate project what they make.)
struct CircleRun {
  CircleRun(const IntegratorRow& row, const IntegratorSettings& settings) {
    integrator = row.make != nullptr ? make_integrator(std::string(row.name), residual, settings)
                                     : make_explicit_integrator(std::string(row.name), ode, settings);
    integrator->start(0, Circle::exact(0), slope_at(ode, 0, Circle::exact(0)), 6);
  }
  // Onto the circle.
  void project() {
    const double r = std::hypot(integrator->y()[0], integrator->y()[1]);
    const std::vector<double> y{integrator->y()[0] / r, integrator->y()[1] / r};
    integrator->replace_state(y, slope_at(ode, integrator->t(), y));
  }

  Circle ode;
  AsResidual residual{ode};
  std::unique_ptr<Integrator> integrator;
};

std::vector<IntegratorRow> one_step_rows() {
  std::vector<IntegratorRow> rows;
  std::ranges::copy_if(integrators(), std::back_inserter(rows), [](const IntegratorRow& row) {
    return row.one_step && (row.make != nullptr || row.make_explicit != nullptr);
  });
  return rows;
}

IntegratorSettings settings_for(const IntegratorRow& row, double h) {
  IntegratorSettings settings = with_tolerance(1e-6, 1e-6);
  if (!row.adaptive) settings.fixed_step = h;
  return settings;
}

double projected_error(const IntegratorRow& row, double h) {
  CircleRun run(row, with_fixed_step(h));
  double worst = 0;
  while (run.integrator->t() < 6) {
    EXPECT_TRUE(run.integrator->step(6).ok());
    run.project();
    EXPECT_NEAR(std::hypot(run.integrator->y()[0], run.integrator->y()[1]), 1, 1e-15) << row.name;
    worst = std::max(worst, max_difference(run.integrator->y(), Circle::exact(run.integrator->t())));
  }
  return worst;
}

// A projection is as small as the local error, so the order stays (Hairer, Lubich, Wanner IV.4).
TEST(ReplaceState, ProjectionKeepsTheOrder) {
  for (const IntegratorRow& row : one_step_rows()) {
    const double h = row.order == 1   ? 1.0 / 80
                     : row.order == 2 ? 1.0 / 40
                     : row.order == 5 ? 1.0 / 6
                                      : 1.0 / 3;
    const double coarse = projected_error(row, h);
    const double fine = projected_error(row, h / 2);
    EXPECT_GT(fine, 1e-13) << row.name;
    // Projection may do better than the order, not worse.
    EXPECT_GE(std::log2(coarse / fine), row.order - 0.4) << row.name << ": " << coarse << " -> " << fine;
  }
}

TEST(ReplaceState, DenseOutputEndsInTheNewValuesAndGoesOnFromThem) {
  for (const IntegratorRow& row : one_step_rows()) {
    CircleRun run(row, settings_for(row, 0.1));
    Integrator& integrator = *run.integrator;
    std::vector<double> y(2);
    std::vector<double> yp(2);
    std::vector<double> before = Circle::exact(0);
    while (integrator.t() < 3) {
      ASSERT_TRUE(integrator.step(6).ok());
      run.project();
      integrator.interpolate(integrator.t_previous(), y, {});
      EXPECT_LE(max_difference(y, before), 1e-13) << row.name;
      integrator.interpolate(integrator.t(), y, yp);
      EXPECT_EQ(max_difference(y, integrator.y()), 0) << row.name;
      EXPECT_EQ(max_difference(yp, integrator.yp()), 0) << row.name;
      const double d = 1e-9 * integrator.last_step();
      integrator.interpolate(integrator.t() - d, y, yp);
      EXPECT_LE(max_difference(y, integrator.y()), 3 * d + 1e-14) << row.name;
      EXPECT_LE(max_difference(yp, integrator.yp()), 1e-6) << row.name;
      before.assign(integrator.y().begin(), integrator.y().end());
    }
  }
}

// Two moves of the same end add up, and one that moves nothing changes nothing.
TEST(ReplaceState, MovesAddUp) {
  for (const IntegratorRow& row : one_step_rows()) {
    CircleRun once(row, settings_for(row, 0.1));
    CircleRun twice(row, settings_for(row, 0.1));
    for (CircleRun* run : {&once, &twice}) ASSERT_TRUE(run->integrator->step(6).ok());
    const double t = once.integrator->t();
    const std::vector<double> y{once.integrator->y()[0] + 0.01, once.integrator->y()[1] - 0.02};
    const std::vector<double> elsewhere{3, 4};
    once.integrator->replace_state(y, slope_at(once.ode, t, y));
    twice.integrator->replace_state(elsewhere, slope_at(twice.ode, t, elsewhere));
    twice.integrator->replace_state(y, slope_at(twice.ode, t, y));
    std::vector<double> a(2);
    std::vector<double> b(2);
    std::vector<double> ap(2);
    std::vector<double> bp(2);
    const double inside = t - 0.3 * once.integrator->last_step();
    once.integrator->interpolate(inside, a, ap);
    twice.integrator->interpolate(inside, b, bp);
    EXPECT_LE(max_difference(a, b), 1e-14) << row.name;
    EXPECT_LE(max_difference(ap, bp), 1e-14 / once.integrator->last_step()) << row.name;
    ASSERT_TRUE(once.integrator->step(6).ok());
    ASSERT_TRUE(twice.integrator->step(6).ok());
    EXPECT_LE(max_difference(once.integrator->y(), twice.integrator->y()), 1e-13) << row.name;
  }
}

// The next step is the one that a fresh start from the new values would make: nothing else is remembered.
// With Radau, other guesses for Newton's iteration.
TEST(ReplaceState, TheNextStepIsThatOfAFreshStart) {
  for (const IntegratorRow& row : one_step_rows()) {
    CircleRun run(row, with_fixed_step(0.1));
    CircleRun fresh(row, with_fixed_step(0.1));
    ASSERT_TRUE(run.integrator->step(6).ok());
    const double t = run.integrator->t();
    const std::vector<double> y{0.6, 0.9};
    // Explicit methods evaluate the slopes themselves.
    run.integrator->replace_state(y, row.make != nullptr ? slope_at(run.ode, t, y) : std::vector<double>{});
    fresh.integrator->start(t, y, slope_at(run.ode, t, y), 6);
    EXPECT_LE(max_difference(run.integrator->yp(), fresh.integrator->yp()), 1e-15) << row.name;
    ASSERT_TRUE(run.integrator->step(6).ok());
    ASSERT_TRUE(fresh.integrator->step(6).ok());
    EXPECT_LE(max_difference(run.integrator->y(), fresh.integrator->y()), 1e-11) << row.name;
  }
}

// Between the steps, too, the error stays of the order of the method's own dense output.
TEST(ReplaceState, DenseOutputKeepsItsOrder) {
  for (const IntegratorRow& row : one_step_rows()) {
    std::vector<double> errors;
    const double h = row.order <= 2 ? 1.0 / 40 : row.order == 5 ? 1.0 / 6 : 1.0 / 3;
    for (const double step : {h, h / 2}) {
      CircleRun run(row, with_fixed_step(step));
      std::vector<double> y(2);
      double worst = 0;
      while (run.integrator->t() < 6) {
        ASSERT_TRUE(run.integrator->step(6).ok());
        run.project();
        for (int k = 1; k < 10; ++k) {
          const double t = run.integrator->t_previous() + 0.1 * k * run.integrator->last_step();
          run.integrator->interpolate(t, y, {});
          worst = std::max(worst, max_difference(y, Circle::exact(t)));
        }
      }
      errors.push_back(worst);
    }
    // Radau's first step has only the collocation polynomial, with a local error of h^4.
    const int order = row.name == "radau" ? 4 : row.order;
    EXPECT_GE(std::log2(errors[0] / errors[1]), order - 0.4)
        << row.name << ": " << errors[0] << " -> " << errors[1];
  }
}

// An adaptive explicit method keeps the slope where a projection moves the end by less than the error of the
// step: as many evaluations as without projection. Moved by more, it evaluates it anew.
TEST(ReplaceState, SmallMovesCostNoEvaluation) {
  for (const IntegratorRow& row : one_step_rows()) {
    if (row.make_explicit == nullptr || !row.adaptive) continue;
    for (const double move : {1e-9, 1e-3}) {
      CircleRun run(row, with_tolerance(1e-6, 1e-6));
      for (int k = 0; k < 3; ++k) {
        ASSERT_TRUE(run.integrator->step(6).ok());
        const auto evaluations = run.integrator->counters().residual_evals;
        const std::vector<double> end(run.integrator->y().begin(), run.integrator->y().end());
        const std::vector<double> y{(1 + move) * run.integrator->y()[0], (1 + move) * run.integrator->y()[1]};
        run.integrator->replace_state(y, {});
        EXPECT_EQ(run.integrator->counters().residual_evals - evaluations, move > 1e-6 ? 1 : 0) << row.name;
        if (move > 1e-6) {  // and back: the slope is that of neither the end nor the place in between
          run.integrator->replace_state(end, {});
          EXPECT_LT(max_difference(run.integrator->yp(), slope_at(run.ode, run.integrator->t(), end)), 1e-8);
          run.integrator->replace_state(y, {});
          continue;
        }
        run.integrator->replace_state(y, {}, true);
        EXPECT_EQ(run.integrator->counters().residual_evals - evaluations, 1) << row.name;
        EXPECT_LT(max_difference(run.integrator->yp(), slope_at(run.ode, run.integrator->t(), y)), 1e-8);
      }
    }
  }
}

}  // namespace
}  // namespace daedalus::testing
