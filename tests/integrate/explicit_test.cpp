// What every explicit row promises, on ordinary equations with known solutions.
#include <gtest/gtest.h>

#include "integrate/drive.hpp"
#include "integrate/ode_systems.hpp"
#include "integrate/stiffness_watch.hpp"

namespace daedalus::testing {
namespace {

template <class Ode>
std::unique_ptr<Integrator> started(const IntegratorRow& row, Ode& ode, const IntegratorSettings& settings,
                                    double t_end) {
  auto integrator = make_explicit_integrator(std::string(row.name), ode, settings);
  integrator->start(0, Ode::exact(0), slope_at(ode, 0, Ode::exact(0)), t_end);
  return integrator;
}

// The largest error of a run to t_end: at the ends of the steps, and at `inside` points within each.
template <class Ode>
double largest_error(const IntegratorRow& row, const IntegratorSettings& settings, double t_end, int inside) {
  Ode ode;
  const auto integrator = started(row, ode, settings, t_end);
  std::vector<double> y(Ode::exact(0).size());
  double worst = 0;
  while (integrator->t() < t_end) {
    const StepOutcome outcome = integrator->step(t_end);
    EXPECT_TRUE(outcome.ok()) << outcome.detail;
    if (!outcome.ok()) break;
    worst = std::max(worst, max_difference(integrator->y(), Ode::exact(integrator->t())));
    for (int k = 1; k <= inside; ++k) {
      const double t = integrator->t_previous() + integrator->last_step() * k / (inside + 1);
      integrator->interpolate(t, y, {});
      worst = std::max(worst, max_difference(y, Ode::exact(t)));
    }
  }
  return worst;
}

// Halving h divides the error by 2^p; 0.4 is left for terms of higher order. The dense output of order p-1
// has the local error h^p, too, so that it does not show beside the error of the steps.
template <class Ode>
void expect_order(double h5, double h8) {
  for (const IntegratorRow& row : explicit_rows()) {
    const double h = row.order == 5 ? h5 : h8;
    for (const int inside : {0, 6}) {
      const double coarse = largest_error<Ode>(row, with_fixed_step(h), 6, inside);
      const double fine = largest_error<Ode>(row, with_fixed_step(h / 2), 6, inside);
      EXPECT_GT(fine, 1e-13) << row.name << ": rounding, not the method";
      EXPECT_NEAR(std::log2(coarse / fine), row.order, 0.4) << row.name << ": " << coarse << " -> " << fine;
    }
  }
}

TEST(Explicit, OrderOnAScalarEquation) {
  expect_order<Growth>(1.0 / 10, 1.0 / 3);
}
TEST(Explicit, OrderOnTheCircle) {
  expect_order<Circle>(1.0 / 10, 1.0 / 3);
}
TEST(Explicit, OrderOnKeplersProblem) {
  expect_order<Kepler>(1.0 / 40, 1.0 / 12);
}

// Local errors are held below the tolerance with an estimate of the order of the method, so the global error
// is proportional to it: over four decades within a factor of 30, and never above 100 tolerances over one
// period.
TEST(Explicit, ErrorIsProportionalToTheTolerance) {
  for (const IntegratorRow& row : explicit_rows()) {
    const double loose = largest_error<Kepler>(row, with_tolerance(1e-5, 1e-5), 6, 0);
    const double tight = largest_error<Kepler>(row, with_tolerance(1e-9, 1e-9), 6, 0);
    EXPECT_LE(loose, 1e-3) << row.name;
    EXPECT_LE(tight, 1e-7) << row.name;
    EXPECT_GE(loose / tight, 1e4 / 30) << row.name;
    EXPECT_LE(loose / tight, 1e4 * 30) << row.name;
  }
}

TEST(Explicit, DenseOutputIsAsGoodAsTheStepsAtEveryTolerance) {
  for (const IntegratorRow& row : explicit_rows()) {
    for (const double tolerance : {1e-4, 1e-7, 1e-10}) {
      EXPECT_LE(largest_error<Circle>(row, with_tolerance(tolerance, tolerance), 6, 9), 100 * tolerance)
          << row.name << " " << tolerance;
    }
  }
}

TEST(Explicit, DenseOutputMeetsTheEndsWithItsSlopes) {
  for (const IntegratorRow& row : explicit_rows()) {
    Circle ode;
    const auto integrator = started(row, ode, with_tolerance(1e-6, 1e-6), 6);
    std::vector<double> before = Circle::exact(0);
    std::vector<double> y(2);
    std::vector<double> yp(2);
    while (integrator->t() < 6) {
      ASSERT_TRUE(integrator->step(6).ok());
      const double near_end = integrator->t() - 1e-12 * integrator->last_step();
      for (const double t : {near_end, integrator->t()}) {
        integrator->interpolate(t, y, yp);
        EXPECT_LE(max_difference(y, integrator->y()), 1e-11) << row.name;
        EXPECT_LE(max_difference(yp, slope_at(ode, integrator->t(), integrator->y())), 1e-9) << row.name;
      }
      integrator->interpolate(integrator->t_previous(), y, yp);
      EXPECT_LE(max_difference(y, before), 1e-14) << row.name;
      EXPECT_LE(max_difference(yp, slope_at(ode, integrator->t_previous(), before)), 1e-12) << row.name;
      before.assign(integrator->y().begin(), integrator->y().end());
    }
  }
}

TEST(Explicit, SlopeIsTheDerivativeOfTheValue) {
  for (const IntegratorRow& row : explicit_rows()) {
    Kepler ode;
    const auto integrator = started(row, ode, with_tolerance(1e-6, 1e-6), 6);
    while (integrator->t() < 3) ASSERT_TRUE(integrator->step(6).ok());
    const double h = integrator->last_step();
    const double t = integrator->t() - 0.4 * h;
    const double d = 1e-4 * h;
    std::vector<double> y(4);
    std::vector<double> yp(4);
    std::vector<double> left(4);
    std::vector<double> right(4);
    integrator->interpolate(t, y, yp);
    integrator->interpolate(t - d, left, {});
    integrator->interpolate(t + d, right, {});
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(yp[i], (right[i] - left[i]) / (2 * d), 1e-6 + 1e-15 / d) << row.name;
    }
  }
}

// y' is used again as the first stage; stages that only dense output needs are evaluated when it is asked
// for.
TEST(Explicit, EvaluationsAreCountedAndNoneIsWasted) {
  for (const IntegratorRow& row : explicit_rows()) {
    const long stages = row.order == 5 ? 6 : 12;
    const long extra = row.order == 5 ? 0 : 3;
    for (const bool dense : {false, true}) {
      Circle ode;
      const auto integrator = started(row, ode, with_fixed_step(0.1), 1);
      std::vector<double> y(2);
      while (integrator->t() < 1) {
        ASSERT_TRUE(integrator->step(1).ok());
        integrator->interpolate(integrator->t(), y, {});
        if (!dense) continue;
        integrator->interpolate(integrator->t() - 0.01, y, {});
        integrator->interpolate(integrator->t() - 0.02, y, {});
      }
      EXPECT_EQ(integrator->counters().steps, 10) << row.name;
      EXPECT_EQ(integrator->counters().residual_evals, 1 + 10 * (stages + (dense ? extra : 0))) << row.name;
      EXPECT_EQ(integrator->counters().residual_evals, ode.calls) << row.name;
      EXPECT_EQ(integrator->counters().rejected, 0) << row.name;
    }
  }
}

TEST(Explicit, MeetsEveryStopAndAnnouncesItsSteps) {
  for (const IntegratorRow& row : explicit_rows()) {
    for (const bool fixed : {false, true}) {
      Kepler ode;
      IntegratorSettings settings = with_tolerance(1e-7, 1e-7);
      if (fixed) settings.fixed_step = 0.03;
      const auto integrator = started(row, ode, settings, 5);
      for (const double stop : {0.3, 0.30001, 1.0, 2.0 + 1.0 / 3, 5.0}) {
        while (integrator->t() < stop) {
          const long rejected = integrator->counters().rejected;
          const double announced = integrator->next_step(stop);
          ASSERT_TRUE(integrator->step(stop).ok()) << row.name;
          if (integrator->counters().rejected == rejected) {
            EXPECT_NEAR(integrator->last_step(), announced, 1e-12) << row.name;
          }
          EXPECT_LE(integrator->t(), stop) << row.name;
          EXPECT_LE(integrator->last_step(), fixed ? 0.03 * (1 + 1e-8) : 1.0) << row.name;
        }
        EXPECT_EQ(integrator->t(), stop) << row.name;
      }
      EXPECT_LE(max_difference(integrator->y(), Kepler::exact(5)), 1e-5) << row.name;
    }
  }
}

TEST(Explicit, KeepsToTheLargestAndTheFirstStep) {
  for (const IntegratorRow& row : explicit_rows()) {
    Circle ode;
    IntegratorSettings settings = with_tolerance(1e-3, 1e-3);
    settings.initial_step = 1e-5;
    const auto integrator = make_explicit_integrator(std::string(row.name) + ":max_step=0.05", ode, settings);
    integrator->start(0, Circle::exact(0), slope_at(ode, 0, Circle::exact(0)), 3);
    ASSERT_TRUE(integrator->step(3).ok());
    EXPECT_DOUBLE_EQ(integrator->last_step(), 1e-5) << row.name;
    double longest = 0;
    while (integrator->t() < 3) {
      ASSERT_TRUE(integrator->step(3).ok());
      longest = std::max(longest, integrator->last_step());
    }
    EXPECT_NEAR(longest, 0.05, 1e-12) << row.name;
  }
}

// At k = 2000 accuracy would allow steps of some tenths, but stability only about 3.3/k and 6/k.
TEST(Explicit, StiffnessIsNoticedOnceAndIsNoFailure) {
  for (const IntegratorRow& row : explicit_rows()) {
    StiffOde ode(2000);
    auto integrator = make_explicit_integrator(std::string(row.name), ode, with_tolerance(1e-4, 1e-4));
    integrator->start(0, StiffOde::exact(0), slope_at(ode, 0, StiffOde::exact(0)), 2);
    EXPECT_FALSE(integrator->stiff()) << row.name;
    int said = 0;
    while (integrator->t() < 2) {
      const StepOutcome outcome = integrator->step(2);
      ASSERT_TRUE(outcome.ok()) << outcome.detail;
      if (outcome.detail.find("stiff") != std::string::npos) ++said;
    }
    EXPECT_TRUE(integrator->stiff()) << row.name;
    EXPECT_EQ(said, 1) << row.name;
    EXPECT_LE(max_difference(integrator->y(), StiffOde::exact(2)), 1e-3) << row.name;
  }
}

// h|λ| at the boundary at every step: 8 of them are enough where many are left, 15 otherwise; six quiet ones
// in a row and all begins anew.
TEST(Explicit, StiffnessIsNoticedSoonerWhereMuchIsLeft) {
  for (const double left : {50.0, 200.0}) {
    StiffnessWatch watch(6);
    int steps = 1;
    while (!watch.see(7, false, left)) ++steps;
    EXPECT_EQ(steps, left > 100 ? 8 : 15);
  }
  StiffnessWatch watch(6);
  for (int k = 0; k < 7; ++k) EXPECT_FALSE(watch.see(7, false, 200));
  for (int k = 0; k < 6; ++k) EXPECT_FALSE(watch.see(5, false, 200));
  for (int k = 0; k < 7; ++k) EXPECT_FALSE(watch.see(7, false, 200));
  EXPECT_TRUE(watch.see(7, false, 200));
}

// While nothing is suspicious every fourth step is looked at, and what was rejected first.
TEST(Explicit, QuietStepsAreLookedAtNowAndThen) {
  StiffnessWatch watch(6);
  int looks = 0;
  for (int k = 0; k < 40; ++k) {
    if (!watch.due(false)) continue;
    ++looks;
    EXPECT_FALSE(watch.see(1, false, 200));
  }
  EXPECT_EQ(looks, 10);
  EXPECT_TRUE(watch.due(true));
  EXPECT_FALSE(watch.see(7, false, 200));
  for (int k = 0; k < 3; ++k) EXPECT_TRUE(watch.due(false));
}

// A system that says where it would like to find y gets it there, and the steps are the same to the bit. The
// last argument of a step is kept by the integrator, which looks at it later on: whether the equations are
// stiff.
template <class Ode>
class Placed final : public SmallOde {
 public:
  explicit Placed(Ode ode) : SmallOde(ode.size()), room(Ode::exact(0).size()), ode_(std::move(ode)) {}
  std::span<double> argument() override { return room; }
  void phi(double t, std::span<const double> y, std::span<double> yp) const override {
    if (y.data() == room.data()) ++placed;
    ode_.phi(t, y, yp);
  }
  mutable long placed = 0;
  std::vector<double> room;

 private:
  Ode ode_;
};

template <class Ode>
void expect_same_steps(const IntegratorRow& row, Ode plain, double t_end, double tolerance) {
  Placed<Ode> placed(plain);
  const IntegratorSettings settings = with_tolerance(tolerance, tolerance);
  const auto one = started(row, plain, settings, t_end);
  auto other = make_explicit_integrator(std::string(row.name), placed, settings);
  other->start(0, Ode::exact(0), slope_at(placed, 0, Ode::exact(0)), t_end);
  while (one->t() < t_end) {
    ASSERT_TRUE(one->step(t_end).ok());
    ASSERT_TRUE(other->step(t_end).ok());
    ASSERT_EQ(max_difference(one->y(), other->y()), 0) << row.name << " " << one->t();
    ASSERT_EQ(one->stiff(), other->stiff()) << row.name << " " << one->t();
  }
  EXPECT_GT(placed.placed, 3 * other->counters().steps) << row.name;
}

TEST(Explicit, ArgumentsAreWrittenWhereTheSystemWantsThem) {
  for (const IntegratorRow& row : explicit_rows()) {
    expect_same_steps(row, Kepler(), 5, 1e-8);
    expect_same_steps(row, StiffOde(2000), 1, 1e-4);
  }
}

TEST(Explicit, StiffnessIsNotSeenWhereThereIsNone) {
  for (const IntegratorRow& row : explicit_rows()) {
    for (const double tolerance : {1e-4, 1e-6, 1e-10}) {
      Kepler ode;
      const auto integrator = started(row, ode, with_tolerance(tolerance, tolerance), 20);
      run_to(*integrator, 20);
      EXPECT_FALSE(integrator->stiff()) << row.name << " " << tolerance;
    }
  }
}

// y' = -1 as long as √y exists.
class RootOde final : public SmallOde {
 public:
  RootOde() : SmallOde(1) {}
  std::string trouble() const override { return "sqrt(y) in equation 1"; }
  void phi(double, std::span<const double> y, std::span<double> yp) const override {
    yp[0] = -1 + 0 * std::sqrt(y[0]);
  }
};

class BlowUpOde final : public SmallOde {
 public:
  BlowUpOde() : SmallOde(1) {}
  void phi(double, std::span<const double> y, std::span<double> yp) const override { yp[0] = y[0] * y[0]; }
};

TEST(Explicit, FailuresSayWhereAndWhy) {
  for (const IntegratorRow& row : explicit_rows()) {
    for (const bool fixed : {false, true}) {
      RootOde ode;
      IntegratorSettings settings = with_tolerance(1e-6, 1e-8);
      if (fixed) settings.fixed_step = 0.01;
      const auto integrator = make_explicit_integrator(std::string(row.name), ode, settings);
      integrator->start(0, std::vector<double>{1}, std::vector<double>{-1}, 2);
      StepOutcome outcome;
      double t = 0;
      while (outcome.ok() && integrator->t() < 2) {
        t = integrator->t();
        outcome = integrator->step(2);
      }
      EXPECT_EQ(outcome.status, StepStatus::NotFinite) << row.name << ": " << outcome.detail;
      EXPECT_NE(outcome.detail.find("sqrt(y) in equation 1"), std::string::npos) << outcome.detail;
      EXPECT_EQ(integrator->t(), t) << row.name;
      EXPECT_NEAR(t, 1, 1e-7) << row.name;
      EXPECT_NEAR(integrator->y()[0], 1 - t, 1e-12) << row.name;
      // The last accepted step can still be interpolated, and the integrator started again.
      std::vector<double> y(1);
      const double middle = integrator->t_previous() + integrator->last_step() / 2;
      integrator->interpolate(middle, y, {});
      EXPECT_NEAR(y[0], 1 - middle, 1e-12) << row.name;
      integrator->start(0, std::vector<double>{5}, std::vector<double>{-1}, 2);
      run_to(*integrator, 2);
      EXPECT_NEAR(integrator->y()[0], 3, 1e-12) << row.name;
    }
  }
}

TEST(Explicit, ABadStartFailsInTheFirstStep) {
  for (const IntegratorRow& row : explicit_rows()) {
    RootOde ode;
    const auto integrator = make_explicit_integrator(std::string(row.name), ode, with_tolerance(1e-6, 1e-8));
    integrator->start(0, std::vector<double>{-1}, std::vector<double>{-1}, 2);
    EXPECT_EQ(integrator->step(2).status, StepStatus::NotFinite) << row.name;
    EXPECT_EQ(integrator->t(), 0) << row.name;
  }
}

TEST(Explicit, ASolutionThatBlowsUpStopsThere) {
  for (const IntegratorRow& row : explicit_rows()) {
    BlowUpOde ode;
    const auto integrator = make_explicit_integrator(std::string(row.name), ode, with_tolerance(1e-6, 1e-8));
    integrator->start(0, std::vector<double>{1}, std::vector<double>{1}, 2);
    StepOutcome outcome;
    for (int step = 0; step < 100000 && outcome.ok() && integrator->t() < 2; ++step)
      outcome = integrator->step(2);
    EXPECT_FALSE(outcome.ok()) << row.name;
    EXPECT_NEAR(integrator->t(), 1, 1e-3) << row.name << ": " << outcome.detail;
    EXPECT_GT(integrator->y()[0], 1e6) << row.name;
  }
}

// y' = rate, which may be exchanged.
class Switched final : public SmallOde {
 public:
  Switched() : SmallOde(1) {}
  void phi(double t, std::span<const double>, std::span<double> yp) const override { yp[0] = rate * t; }
  double rate = 1;
};

// After an exchange of the equations the last step is still the old one, though stages for its dense output
// can no longer be evaluated, and the next one is new: y = t²/2 up to T, then y = T²/2 - (t² - T²).
TEST(Explicit, GoesOnWithExchangedEquations) {
  for (const IntegratorRow& row : explicit_rows()) {
    Switched ode;
    const auto integrator = make_explicit_integrator(std::string(row.name), ode, with_fixed_step(0.25));
    integrator->start(0, std::vector<double>{0}, std::vector<double>{0}, 2);
    run_to(*integrator, 1);
    ode.rate = -2;
    integrator->system_changed();
    EXPECT_EQ(integrator->yp()[0], -2) << row.name;
    std::vector<double> y(1);
    integrator->interpolate(0.9, y, {});
    EXPECT_NEAR(y[0], 0.405, 1e-14) << row.name;
    run_to(*integrator, 2);
    EXPECT_NEAR(integrator->y()[0], 0.5 - 3, 1e-13) << row.name;
  }
}

// The cubic of the ends: its error falls with h⁴ (0.4 is left for terms of higher order), and is that of the
// step itself at its ends. It takes no evaluation; interpolate() of dop853 takes three.
TEST(Explicit, AGlanceIsACubicAndCostsNothing) {
  for (const IntegratorRow& row : explicit_rows()) {
    const auto largest = [&row](double h) {
      Kepler ode;
      const auto integrator = started(row, ode, with_fixed_step(h), 1);
      std::vector<double> y(4);
      double inside = 0;
      while (integrator->t() < 1) {
        EXPECT_TRUE(integrator->step(1).ok());
        const long calls = ode.calls;
        for (const double s : {0.0, 0.25, 0.5, 0.9, 1.0}) {
          const double t = integrator->t_previous() + s * integrator->last_step();
          integrator->cheap_interpolation(t, y);
          const double error = max_difference(y, Kepler::exact(t));
          EXPECT_LT(error, s == 0 || s == 1 ? 1e-6 : 1e-3) << row.name << ", t = " << t;
          inside = std::max(inside, error);
        }
        EXPECT_EQ(ode.calls, calls) << row.name;
      }
      return inside;
    };
    const double coarse = largest(0.1);
    const double fine = largest(0.05);
    EXPECT_NEAR(std::log2(coarse / fine), 4, 0.4) << row.name << ": " << coarse << " -> " << fine;
  }
}

// y = sin⁵ t: it stays near zero for a while on its way from one side to the other.
class Swing final : public SmallOde {
 public:
  Swing() : SmallOde(1) {}
  static std::vector<double> exact(double t) { return {std::pow(std::sin(t), 5)}; }
  void phi(double t, std::span<const double> /*y*/, std::span<double> yp) const override {
    yp[0] = 5 * std::pow(std::sin(t), 4) * std::cos(t);
  }
};

// A coordinate that passes zero is measured by where it comes from. With next to no absolute tolerance it
// costs 2.4 (dopri5) and 1.2 times (dop853) the work that it costs with one of the relative size; were only
// the ends of the step looked at, 3.3 and 1.7 times.
TEST(Explicit, PassingZeroCostsLittle) {
  for (const IntegratorRow& row : explicit_rows()) {
    const auto work = [&row](double absolute) {
      Swing ode;
      const auto integrator = started(row, ode, with_tolerance(1e-6, absolute), 50);
      while (integrator->t() < 50 && integrator->step(50).ok()) continue;
      EXPECT_EQ(integrator->t(), 50) << row.name;
      return static_cast<double>(integrator->counters().residual_evals);
    };
    EXPECT_LT(work(1e-14), (row.order == 5 ? 2.8 : 1.45) * work(1e-6)) << row.name;
  }
}

}  // namespace
}  // namespace daedalus::testing
