// Damped Newton by the natural monotonicity test (Deuflhard, Newton Methods for Nonlinear Problems, 2004,
// algorithm NLEQ-ERR and §4.4 for steps of least norm). One loop for every problem: what an unknown is, how
// a step is computed and measured, and when it is small enough is the problem's.
//
// The test compares the Newton step Δx with the simplified one at the trial point, Δx̄ = -J(x)⁻¹ F(x + λΔx):
// a factor λ is accepted when |Δx̄| ≤ (1 - λ/4) |Δx|. It needs no norm of F and so does not depend on how the
// equations are scaled.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <utility>

namespace daedalus {

// What to do with a Newton step, decided by its size.
enum class NewtonStep {
  None,      // it is so small that x is the solution already: the iteration ends here
  Last,      // it is so small that after it x is the solution: it is taken without a test
  Untested,  // it is taken without a test (plain Newton), as long as F has a value there
  Tested     // it is damped until it passes the test
};

enum class DampedStatus { Converged, Singular, NoDescent, TooManyIterations };

struct NewtonLimits {
  int iterations = 100;
  // Below this factor a step is a failure: F has no value in its direction, or no descent.
  double smallest_damping = 1e-9;
  // By how much the factor may recover from one step to the next.
  double recovery = 4;
};

struct DampedOutcome {
  DampedStatus status = DampedStatus::Converged;
  int iterations = 0;    // steps that were taken
  double last_size = 0;  // of the last step computed
};

// The problem at its present point x and, after a trial, at x + λΔx.
template <class P>
concept NewtonProblem = requires(P problem, double number) {
  { problem.linearise() } -> std::same_as<bool>;               // J at x, factorised; false: singular
  { problem.step() } -> std::same_as<double>;                  // Δx and its size
  { problem.judge(number) } -> std::same_as<NewtonStep>;       // of a step of this size
  { problem.evaluate(number) } -> std::same_as<bool>;          // F at x + λΔx; false: not finite
  { problem.descends(number, number) } -> std::same_as<bool>;  // with λ and the size of Δx
  problem.accept();                                            // x := x + λΔx
};

// |Δx̄| against |Δx| for a factor λ.
[[nodiscard]] inline bool naturally_monotone(double simplified, double size, double lambda) {
  return simplified <= (1 - (lambda / 4)) * size;
}

template <NewtonProblem P>
DampedOutcome damped_newton(P& problem, const NewtonLimits& limits) {
  DampedOutcome outcome;
  double lambda = 1;
  for (; outcome.iterations < limits.iterations; ++outcome.iterations) {
    if (!problem.linearise()) {
      outcome.status = DampedStatus::Singular;
      return outcome;
    }
    outcome.last_size = problem.step();
    if (!std::isfinite(outcome.last_size)) {
      outcome.status = DampedStatus::Singular;
      return outcome;
    }
    const NewtonStep kind = problem.judge(outcome.last_size);
    if (kind == NewtonStep::None) return outcome;
    lambda = std::min(1.0, limits.recovery * lambda);
    bool accepted = false;
    for (; lambda > limits.smallest_damping; lambda *= 0.5) {
      if (!problem.evaluate(lambda)) continue;
      accepted = kind != NewtonStep::Tested || problem.descends(lambda, outcome.last_size);
      if (accepted) break;
    }
    if (!accepted) {
      outcome.status = DampedStatus::NoDescent;
      return outcome;
    }
    problem.accept();
    if (kind == NewtonStep::Last && lambda == 1) {
      ++outcome.iterations;
      return outcome;
    }
  }
  outcome.status = DampedStatus::TooManyIterations;
  return outcome;
}

// For iterations that go on to rounding: whether a step of this size, relative to x, is it. Nothing smaller
// counts, and close to rounding neither does a step that is no longer clearly smaller than the one before.
class RoundingStop {
 public:
  struct Limits {
    double nothing = 1e-15;  // some roundings of x
    double close = 1e-9;     // half of the digits are right: steps that stay as large are rounding, amplified
    double shrinking = 0.5;  // of the step before; Newton's method would do far better, a slow iteration not
  };
  explicit RoundingStop(const Limits& limits) : limits_(limits) {}

  [[nodiscard]] bool operator()(double size) {
    const double last = std::exchange(last_, size);
    return size < limits_.nothing || (size < limits_.close && size >= limits_.shrinking * last);
  }
  [[nodiscard]] double last() const { return last_; }

 private:
  Limits limits_;
  double last_ = std::numeric_limits<double>::infinity();
};

// What a problem is made of whose steps are taken whole until they are rounding: the start is near, and
// nothing is gained by damping.
class WholeSteps {
 public:
  [[nodiscard]] NewtonStep judge(double size) {
    return at_rounding_(size) ? NewtonStep::Last : NewtonStep::Untested;
  }
  static bool evaluate(double /*lambda*/) { return true; }
  static bool descends(double /*lambda*/, double /*size*/) { return true; }

 private:
  RoundingStop at_rounding_{{}};
};

// The iteration of such a problem: it has come to an end, or its last step was `small` all the same.
template <NewtonProblem P>
bool whole_newton(P& problem, int iterations, double small) {
  const DampedOutcome outcome = damped_newton(problem, {.iterations = iterations});
  return outcome.status == DampedStatus::Converged ||
         (outcome.status == DampedStatus::TooManyIterations && outcome.last_size < small);
}

}  // namespace daedalus
