// Discrete values at the start.
#include <fmt/format.h>

#include "stepping/event_support.hpp"

namespace daedalus {
namespace {

using testing::at_end;
using testing::run_hybrid;

double at_start(const RunResult& result, const std::string& name) {
  const auto& signals = result.trajectory.signals;
  for (std::size_t k = 0; k < signals.size(); ++k) {
    if (signals[k].name == name) return result.trajectory.at(0, k);
  }
  ADD_FAILURE() << "no " << name;
  return 0;
}

TEST(EventStart, TheIterationRunsAfterInitialisationToo) {
  const RunResult r =
      run_hybrid("Integer a(start=0,fixed=true), b; equation a = if time >= 0.5 then 2 else 1; b = pre(a);");
  ASSERT_TRUE(r.ok()) << r.summary.reason;
  EXPECT_EQ(at_start(r, "b"), 1);
  EXPECT_EQ(at_end(r, "b"), 2);
}

// pre(u) = … in an initial equation is not about u, which has an equation of its own.
TEST(EventStart, WhatWasBeforeIsGivenByInitialEquations) {
  for (const char* before : {"true", "false"}) {
    const RunResult r = run_hybrid(fmt::format(
        "Boolean u, y; Integer n(start=0,fixed=true); initial equation pre(u) = {}; equation u = time "
        "< 0.5; y = pre(u); when y then n = pre(n) + 1; end when;",
        before));
    ASSERT_TRUE(r.ok()) << r.summary.reason;
    EXPECT_EQ(at_start(r, "u"), 1);
    EXPECT_EQ(at_end(r, "y"), 0);
  }
}

// A latch of two gates, with a delay in the loop: it keeps what it was set to.
TEST(EventStart, ALoopThroughPreSettles) {
  const RunResult r = run_hybrid(
      "Boolean set, reset, q, nq; equation set = time > 0.2 and time < 0.3; reset = time > 0.6 and time < "
      "0.7; q "
      "= not (reset or pre(nq)); nq = not (set or q);",
      {.until = 0.5});
  ASSERT_TRUE(r.ok()) << r.summary.reason;
  EXPECT_EQ(at_end(r, "q"), 1);
}

// x hands on the past of y, so that to fix x at the start is to say what y was.
TEST(EventStart, CopiesOfThePastAreLookedThrough) {
  for (const char* value : {"true", "false"}) {
    const RunResult r =
        run_hybrid(fmt::format("Boolean x, step, next; initial equation x = {}; pre(next) = "
                               "pre(step); equation x = step; step = pre(next); next = step;",
                               value));
    ASSERT_TRUE(r.ok()) << r.summary.reason;
    EXPECT_EQ(at_start(r, "x"), std::string(value) == "true" ? 1 : 0);
    EXPECT_EQ(at_end(r, "next"), std::string(value) == "true" ? 1 : 0);
  }
}

TEST(EventStart, AnEnumerationWithoutAStartIsItsFirstLiteral) {
  const RunResult r = run_hybrid(
      "type E = enumeration(a, b, c); E e; Real x(start=0,fixed=true); equation der(x)=1; when x > 0.5 then "
      "e = "
      "E.c; end when;");
  ASSERT_TRUE(r.ok()) << r.summary.reason;
  EXPECT_EQ(at_start(r, "e"), 1);
  EXPECT_EQ(at_end(r, "e"), 3);
}

}  // namespace
}  // namespace daedalus
