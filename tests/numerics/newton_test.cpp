#include "numerics/newton.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

namespace daedalus {
namespace {

// One equation in one unknown.
struct Scalar {
  std::function<double(double)> f, slope;
  double x = 0;
  NewtonStep rule = NewtonStep::Tested;  // for steps that are not small
  double small = 1e-12;
  double delta = 0, trial = 0, trial_f = 0, derivative = 0;
  int evaluations = 0;

  bool linearise() {
    derivative = slope(x);
    return derivative != 0 && std::isfinite(derivative);
  }
  double step() {
    delta = -f(x) / derivative;
    return std::abs(delta);
  }
  NewtonStep judge(double size) const { return size < small ? NewtonStep::Last : rule; }
  bool evaluate(double lambda) {
    ++evaluations;
    trial = x + (lambda * delta);
    trial_f = f(trial);
    return std::isfinite(trial_f);
  }
  bool descends(double lambda, double size) const {
    return naturally_monotone(std::abs(trial_f / derivative), size, lambda);
  }
  void accept() { x = trial; }
};

Scalar arctangent(double start) {
  return {.f = [](double x) { return std::atan(x); },
          .slope = [](double x) { return 1 / (1 + (x * x)); },
          .x = start};
}

// Plain Newton for atan diverges from |x| > 1.3917…; damping reaches the root from anywhere.
TEST(DampedNewton, ReachesTheRootOfTheArctangentFromFarAway) {
  for (const double start : {0.5, 1.5, 10.0, -1000.0}) {
    Scalar problem = arctangent(start);
    const DampedOutcome outcome = damped_newton(problem, {});
    EXPECT_EQ(outcome.status, DampedStatus::Converged) << start;
    EXPECT_NEAR(problem.x, 0, 1e-15) << start;
  }
}

TEST(DampedNewton, PlainStepsDivergeThere) {
  Scalar problem = arctangent(1.5);
  problem.rule = NewtonStep::Untested;
  const DampedOutcome outcome = damped_newton(problem, {.iterations = 8});
  EXPECT_NE(outcome.status, DampedStatus::Converged);
  EXPECT_GT(std::abs(problem.x), 1.5);
}

// For x² = 2 from 1 the errors of plain Newton are squared in each step: 5 steps give full accuracy.
TEST(DampedNewton, ConvergesQuadratically) {
  Scalar problem{.f = [](double x) { return (x * x) - 2; }, .slope = [](double x) { return 2 * x; }, .x = 1};
  problem.small = 1e-8;
  const DampedOutcome outcome = damped_newton(problem, {});
  EXPECT_EQ(outcome.status, DampedStatus::Converged);
  EXPECT_LE(outcome.iterations, 5);
  EXPECT_EQ(problem.evaluations, outcome.iterations);
  EXPECT_NEAR(problem.x, std::sqrt(2.0), 1e-15);
}

// A step into where F has no value is shortened: log from 5 would go to 5 - 5 log 5 < 0.
TEST(DampedNewton, StaysWhereTheFunctionHasAValue) {
  Scalar problem{.f = [](double x) { return std::log(x); }, .slope = [](double x) { return 1 / x; }, .x = 5};
  EXPECT_EQ(damped_newton(problem, {}).status, DampedStatus::Converged);
  EXPECT_NEAR(problem.x, 1, 1e-15);
}

TEST(DampedNewton, SaysHowItFailed) {
  Scalar flat{.f = [](double) { return 1.0; }, .slope = [](double) { return 0.0; }};
  EXPECT_EQ(damped_newton(flat, {}).status, DampedStatus::Singular);
  // x² + 1 = 0 has no real root: no factor passes the test near the minimum, or the steps never end.
  Scalar none{.f = [](double x) { return (x * x) + 1; }, .slope = [](double x) { return 2 * x; }, .x = 2};
  EXPECT_NE(damped_newton(none, {}).status, DampedStatus::Converged);
  Scalar nowhere{.f = [](double x) { return x == 3 ? 1.0 : std::numeric_limits<double>::quiet_NaN(); },
                 .slope = [](double) { return 1.0; },
                 .x = 3};
  EXPECT_EQ(damped_newton(nowhere, {}).status, DampedStatus::NoDescent);
  Scalar slow = arctangent(1e6);
  EXPECT_EQ(damped_newton(slow, {.iterations = 2}).status, DampedStatus::TooManyIterations);
}

// "None": the point is the solution already, nothing is evaluated and nothing moves.
TEST(DampedNewton, AStepThatIsNotNeededIsNotTaken) {
  struct AtSolution : Scalar {
    NewtonStep judge(double size) const { return size <= 1e-9 ? NewtonStep::None : NewtonStep::Tested; }
  };
  AtSolution problem;
  problem.f = [](double x) { return x - 1; };
  problem.slope = [](double) { return 1.0; };
  problem.x = 1 + 1e-10;
  const DampedOutcome outcome = damped_newton(problem, {});
  EXPECT_EQ(outcome.status, DampedStatus::Converged);
  EXPECT_EQ(outcome.iterations, 0);
  EXPECT_EQ(problem.evaluations, 0);
  EXPECT_EQ(problem.x, 1 + 1e-10);
}

// The test does not see the scale of the equation: the same iterates for F and 1e9 F.
TEST(DampedNewton, DoesNotDependOnTheScaleOfTheEquation) {
  Scalar one = arctangent(10);
  Scalar other = arctangent(10);
  constexpr double factor = 1024.0 * 1024.0;  // a power of two, so that nothing is rounded
  other.f = [](double x) { return factor * std::atan(x); };
  other.slope = [](double x) { return factor / (1 + (x * x)); };
  EXPECT_EQ(damped_newton(one, {}).iterations, damped_newton(other, {}).iterations);
  EXPECT_EQ(one.x, other.x);
}

// Heron's steps shrink squared until they are rounding, which stays as it is: that ends it, and the last step
// is rounding.
TEST(RoundingStop, EndsWhereStepsAreRounding) {
  for (const double a : {2.0, 3.0, 1e6, 0.7}) {
    RoundingStop at_rounding{{}};
    double x = a + 1;
    int steps = 0;
    for (bool done = false; !done && steps < 100; ++steps) {
      const double next = (x + (a / x)) / 2;
      done = at_rounding(std::abs(next - x) / x);
      x = next;
    }
    EXPECT_LT(steps, 20);
    EXPECT_LT(at_rounding.last(), 1e-9);
    EXPECT_NEAR(x, std::sqrt(a), 4e-16 * x);
  }
}

// Steps that do not shrink are no rounding as long as they are large, and slow convergence goes on.
TEST(RoundingStop, DoesNotTakeSlowConvergenceOrDivergenceForRounding) {
  RoundingStop at_rounding{{.nothing = 1e-15, .close = 1e-9, .shrinking = 0.5}};
  for (const double size : {1.0, 1.0, 2.0, 1e-8, 1e-8, 9e-10, 4e-10, 1.9e-10})
    EXPECT_FALSE(at_rounding(size));
  EXPECT_EQ(at_rounding.last(), 1.9e-10);
  EXPECT_TRUE(at_rounding(1e-10));  // more than half of the one before
  EXPECT_FALSE(at_rounding(std::numeric_limits<double>::quiet_NaN()));
  RoundingStop other{{}};
  EXPECT_FALSE(other(1));
  EXPECT_TRUE(other(1e-16));
}

// x² = a by whole steps.
struct SquareRoot : WholeSteps {
  double a, x, change = 0;
  int steps = 0;
  SquareRoot(double a_, double x_) : a(a_), x(x_) {}
  bool linearise() {
    change = ((x * x) - a) / (2 * x);
    return x != 0;
  }
  [[nodiscard]] double step() const { return std::abs(change / x); }
  void accept() {
    x -= change;
    ++steps;
  }
};

// Newton's steps for a square root double the right digits: four steps from 1.5, and one or two that are
// rounding.
TEST(WholeNewton, GoesOnToRounding) {
  SquareRoot problem(2, 1.5);
  EXPECT_TRUE(whole_newton(problem, 20, 0));
  EXPECT_NEAR(problem.x, std::sqrt(2.0), 2 * std::numeric_limits<double>::epsilon());
  EXPECT_LE(problem.steps, 7);
}

TEST(WholeNewton, TakesASmallLastStepForTheSolution) {
  SquareRoot problem(2, 1.5);
  EXPECT_FALSE(whole_newton(problem, 2, 1e-10));  // the second step is about 2e-3
  problem.x = 1.5;
  EXPECT_TRUE(whole_newton(problem, 2, 1e-2));
}

TEST(WholeNewton, FailsWhereTheMatrixIsSingular) {
  SquareRoot problem(2, 0);
  EXPECT_FALSE(whole_newton(problem, 20, 1e300));
}

}  // namespace
}  // namespace daedalus
