// Runs of models that use what the language takes over from the Modelica library: delays, random numbers,
// solved equations.
#include <gtest/gtest.h>

#include <cmath>

#include "stepping/event_support.hpp"

namespace daedalus::testing {
namespace {

// The integral of a staircase that is delayed is the staircase's, so many seconds later.
TEST(LibraryRun, ADelayedStaircaseIsTheStaircaseLater) {
  const std::string stairs =
      "Integer n(start = 0, fixed = true); Real late = delay(n, 0.35); Real x(start = 0, fixed = true); Real "
      "y(start = 0, "
      "fixed = true); equation when sample(0.1, 0.1) then n = pre(n) + 1; end when; der(x) = n; der(y) = "
      "late; ";
  // n is k between 0.1 k and 0.1 (k + 1); until 1.05 the integral is 0.1*(0 + 1 + ... + 9) + 0.05*10.
  const RunResult result = run_hybrid(stairs, {.until = 1.05});
  EXPECT_NEAR(at_end(result, "x"), 0.1 * 45 + 0.05 * 10, 1e-9);
  // late is n of 0.35 seconds ago: until 0.7 by that clock.
  EXPECT_NEAR(at_end(result, "y"), 0.1 * (0 + 1 + 2 + 3 + 4 + 5 + 6), 1e-9);
  EXPECT_EQ(at_end(result, "late"), 7);
}

TEST(LibraryRun, ARealThatCopiesADiscreteValueCanBeDelayed) {
  const RunResult result = run_hybrid(
      "Boolean on = time > 0.2 and time < 0.5; Real r; Real late; Real x(start = 0, fixed = true); equation "
      "r = if on "
      "then 2 else 1; late = delay(r, 0.4, 1); der(x) = late;",
      {.until = 1});
  // 1 until 0.6, 2 until 0.9, 1 again.
  EXPECT_NEAR(at_end(result, "x"), 1 + 0.3, 1e-9);
  EXPECT_EQ(at_end(result, "late"), 1);
}

TEST(LibraryRun, MoreChangesThanADelayHoldsAreAnErrorNotAWrongValue) {
  auto sources = std::make_shared<SourceMap>();
  const std::int32_t file =
      sources->add("test.mo",
                   "model M Integer n(start = 0, fixed = true); Real late = delay(n, 1); Real x(start = 0, "
                   "fixed = true); equation when "
                   "sample(0.01, 0.01) then n = pre(n) + 1; end when; der(x) = late; end M;");
  const auto system = load_model(sources, file);
  ASSERT_TRUE(system.has_value());
  RunOptions options;
  options.until = 1.0;
  const auto result = simulate(*system, options);
  ASSERT_TRUE(result.has_value());
  EXPECT_NE(result->summary.reason.find("a delay holds at most 16 changes at a time"), std::string::npos)
      << result->summary.reason;
}

// u^3 + u = t is solved at every instant, so u(2) = 1.
TEST(LibraryRun, ASolvedEquationFollowsItsArguments) {
  const RunResult result = run_hybrid(
      "function f input Real u; input Real a; output Real y; algorithm y := u^3 + u - a; end f; Real u = "
      "'Modelica.Math.Nonlinear.solveOneNonlinearEquation'(function f(a = time), 0, 2); Real x(start = 0, "
      "fixed = true); "
      "equation der(x) = u;",
      {.until = 2});
  EXPECT_NEAR(at_end(result, "u"), 1, 1e-9);
  // The integral of u over t = u^3 + u is 3/4 u^4 + 1/2 u^2.
  EXPECT_NEAR(at_end(result, "x"), 1.25, 1e-7);
}

// A state of random numbers that changes at samples gives the same sequence as one that is computed
// beforehand.
TEST(LibraryRun, RandomStatesGoOnDuringTheRun) {
  const std::string next = "'Modelica.Math.Random.Generators.Xorshift64star.random'";
  const RunResult result = run_hybrid(
      "function after input Integer n; output Real r; protected Integer s[2] = {3, 5}; algorithm for i in "
      "1:n loop (r, s) "
      ":= " +
          next +
          "(s); end for; end after; Integer s[2](start = {3, 5}, each fixed = true); discrete Real r(start = "
          "0, fixed = "
          "true); Real gap = r - after(4); Real x(start = 0, fixed = true); equation when "
          "sample(0.1, 0.1) then "
          "(r, s) = " +
          next + "(pre(s)); end when; der(x) = 1;",
      {.until = 0.45});
  EXPECT_EQ(at_end(result, "gap"), 0);
  EXPECT_GT(at_end(result, "r"), 0);
}

// Two volumes with a pipe without content between them; the flow stands still from 1 to 2 and turns back
// then. At rest the temperature in the pipe is the mean of what is beside it, and heat that does not flow is
// not lost.
TEST(LibraryRun, WhereNothingFlowsThePortHasTheMeanOfItsNeighbours) {
  const RunResult result = run_hybrid(
      "Real m = if time < 1 then 1 - time else if time < 2 then 0 else 2 - time; Real hp(start=300), "
      "h1(start=300, "
      "fixed=true), h2(start=400, fixed=true), H1, H2; equation H1 = semiLinear(m, h1, hp); H2 = "
      "semiLinear(-m, h2, hp); "
      "H1 + H2 = 0; 10*der(h1) = -H1 + m*h1; 10*der(h2) = -H2 - m*h2;",
      {.until = 1.5});
  ASSERT_TRUE(result.ok()) << result.summary.reason;
  // 0.5 kg of 300 have come into the 10 kg of 400: h2' = m (300 - h2)/10.
  const double h2 = 300 + (100 * std::exp(-0.05));
  EXPECT_NEAR(at_end(result, "h2"), h2, 1e-5);
  EXPECT_NEAR(at_end(result, "h1"), 300, 1e-5);
  EXPECT_NEAR(at_end(result, "hp"), (300 + h2) / 2, 1e-4);
}

}  // namespace
}  // namespace daedalus::testing
