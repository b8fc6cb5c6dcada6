// When events happen, and what they cost: relations of time, samples, events at one instant, runs that make
// no headway.
#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <set>
#include <utility>

#include "stepping/event_support.hpp"

namespace daedalus {
namespace {

using testing::at_end;
using testing::run_hybrid;

// mod(1e9*time, 120) < 60 becomes true at 0 and at every multiple of 120 ns.
TEST(EventTimes, PeriodsOfNanosecondsAreKnownBeforehand) {
  for (const char* m :
       {"mod(1e9*time, 120)", "1e9*time - 120*floor(1e9*time/120)", "1e9*mod(time, 1.2e-7)"}) {
    const RunResult r = run_hybrid(
        fmt::format(
            "Real x(start=0,fixed=true), m; Integer n(start=0,fixed=true); equation der(x)=if m<60 then "
            "1e9 else 0; m={}; when m < 60 then n=pre(n)+1; end when;",
            m),
        {.until = 1e-6});
    ASSERT_TRUE(r.ok()) << r.summary.reason;
    EXPECT_EQ(at_end(r, "n"), 8) << m;  // at 120, 240, … 960 ns; at 0 it is true from the start
    EXPECT_NEAR(at_end(r, "x"), 8 * 60 + 40, 1e-6) << m;
    EXPECT_LE(r.summary.counters.rejected, 0) << m;  // nothing is stepped over
  }
}

// Not linear in time, and still known: sin(time) > 0.5 changes at π/6 and 5π/6 of each turn.
TEST(EventTimes, RelationsOfTimeAloneAreTimeEvents) {
  const RunResult r = run_hybrid(
      "Real x(start=0,fixed=true), s; Integer n(start=0,fixed=true); equation s=sin(time); der(x)=if s>0.5 "
      "then 1 "
      "else 0; when s > 0.5 then n=pre(n)+1; end when;",
      {.until = 100});
  ASSERT_TRUE(r.ok()) << r.summary.reason;
  EXPECT_EQ(at_end(r, "n"), 16);
  // Piecewise linear, so exact but for rounding: 15 full intervals of 2π/3 and the last one up to 5π/6 + 15
  // turns.
  EXPECT_NEAR(at_end(r, "x"), 16 * 2 * std::numbers::pi / 3, 1e-10);
  EXPECT_EQ(r.summary.event_count, 32);
}

// At a root of odd order the relation changes although its slope there is zero; at one of even order it does
// not.
TEST(EventTimes, RootsOfHigherOrderChangeRelationsOrDoNot) {
  for (const auto& [relation, expected] :
       {std::pair("(time-1)^3>0", 2.0), std::pair("(time-1)^5>=0", 2.0), std::pair("(1-time)^3>0", 1.0),
        std::pair("1e12*(time-1)^3>0", 2.0), std::pair("(time-1)^2>0", 3.0),
        std::pair("sin(time-1)^3>0", 2.0), std::pair("time^3*(time-1)>0", 2.0)}) {
    const RunResult r =
        run_hybrid(fmt::format("Real x(start=0,fixed=true); equation der(x)=if {} then 1 else 0;", relation),
                   {.until = 3});
    ASSERT_TRUE(r.ok()) << r.summary.reason;
    EXPECT_NEAR(at_end(r, "x"), expected, 1e-6) << relation;  // the integrator's tolerance
  }
}

TEST(EventTimes, SamplesFireHoweverLateTheRunStarts) {
  for (const char* start : {"1e12", "0", "999999999999.25"}) {
    const RunResult r = run_hybrid(
        fmt::format("Integer n(start=0,fixed=true); Real x(start=0,fixed=true); equation der(x)=1; when "
                    "sample({}, 0.25) then n=pre(n)+1; end when; "
                    "annotation(experiment(StartTime=1e12,StopTime=1000000000002));",
                    start),
        {.until = 1e12 + 2});
    ASSERT_TRUE(r.ok()) << r.summary.reason;
    EXPECT_EQ(at_end(r, "n"), 9) << start;  // 0, 0.25, … 2 after the start
  }
}

// The last tick is at the end of the run; each instant is there once, and each event has a cause.
TEST(EventTimes, NoEventIsFoundTwice) {
  const RunResult r = run_hybrid(
      "Integer n(start=0,fixed=true); Real x(start=0,fixed=true), y(start=0,fixed=true); Boolean b, c; "
      "equation "
      "der(x)=1; der(y)=-2; b = x > 0.5; c = y < -1; when sample(0, 0.25) then n=pre(n)+1; end when;",
      {.until = 2});
  ASSERT_TRUE(r.ok()) << r.summary.reason;
  EXPECT_EQ(at_end(r, "n"), 9);
  std::set<double> times;
  for (const auto& event : r.summary.events) {
    EXPECT_TRUE(times.insert(event.t).second) << event.t << ": " << event.what;
    EXPECT_FALSE(event.what.empty()) << event.t;
  }
  EXPECT_EQ(r.summary.event_count, 9);  // x and y cross at 0.5, which is a tick
}

// A triangle wave turns at ±5 for ever; that is no chattering.
TEST(EventTimes, ATriangleWaveIsNoChattering) {
  const RunResult r = run_hybrid(
      "Real x(start=0,fixed=true), s(start=1,fixed=true); Integer n(start=0,fixed=true); equation der(x)=s; "
      "der(s)=0; when x > 5 or x < -5 then reinit(s, -pre(s)); n=pre(n)+1; end when;",
      {.until = 1000});
  ASSERT_TRUE(r.ok()) << r.summary.reason;
  EXPECT_EQ(at_end(r, "n"), 100);  // at 5, 15, … 995
}

// A switch that is on for 0.4 of each period: 10,000 events. None is searched for, and each costs a few
// steps.
TEST(EventTimes, ABuckConverterCostsAFewStepsAnEvent) {
  const RunResult r = run_hybrid(
      "parameter Real L=1e-4, C=1e-4, R=5, V=12, T=1e-5; Real i(start=0,fixed=true), v(start=0,fixed=true), "
      "u, m; "
      "Boolean on; equation m=mod(time,T); on=m<0.4*T; u=if on then V else 0; L*der(i)=u-v; C*der(v)=i-v/R;",
      {.until = 0.05, .rtol = 1e-6, .integrator = "radau"});
  ASSERT_TRUE(r.ok()) << r.summary.reason;
  EXPECT_NEAR(static_cast<double>(r.summary.event_count), 10'000, 1);
  EXPECT_LE(r.summary.counters.steps, 40'000);
  // The mean of u is 0.4 V; the ripple of v is V·0.4·0.6/(8 L C)·T² = 0.0036.
  EXPECT_NEAR(at_end(r, "v"), 4.8, 0.0036);
}

// sin(1/x) crosses zero ever more often towards x = 0, beyond all bounds.
TEST(EventTimes, ARunWithoutHeadwayEnds) {
  const RunResult r = run_hybrid(
      "Real x(start=1,fixed=true), y(start=0,fixed=true); Integer n(start=0,fixed=true); equation der(x)=-1; "
      "der(y)=0; when sin(1/x) > 0 then n=pre(n)+1; end when;",
      {.until = 2, .integrator = "radau"});
  EXPECT_FALSE(r.ok());
  EXPECT_NEAR(r.summary.t_end, 1, 1e-2) << r.summary.reason;
}

}  // namespace
}  // namespace daedalus
