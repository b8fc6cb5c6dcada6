// Hybrid models from text: against closed-form event times and values.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "model/load.hpp"
#include "simulate/run.hpp"

namespace daedalus {
namespace {

struct Loaded {
  std::shared_ptr<SourceMap> sources = std::make_shared<SourceMap>();
  DaeSystem system;
};

Loaded load(const std::string& text) {
  Loaded loaded;
  const std::int32_t file = loaded.sources->add("test.mo", text);
  auto system = load_model(loaded.sources, file);
  EXPECT_TRUE(system.has_value()) << (system ? "" : render(system.error(), *loaded.sources));
  if (system) loaded.system = *std::move(system);
  return loaded;
}

RunResult run(const std::string& text, double until, const char* integrator, double rtol = 1e-8) {
  const Loaded loaded = load(text);
  RunOptions options;
  options.until = until;
  options.rtol = rtol;
  options.integrator = Selection(integrator);
  options.points = 101;
  auto result = simulate(loaded.system, options);
  EXPECT_TRUE(result.has_value()) << (result ? "" : render(result.error(), *loaded.sources));
  return result.value_or(RunResult{});
}

double final_value(const RunResult& result, const std::string& name) {
  for (const auto& [key, value] : result.summary.final_values) {
    if (key == name) return value;
  }
  ADD_FAILURE() << "no " << name;
  return 0;
}

// Every adaptive row of the table must handle every kind of event.
class Events : public ::testing::TestWithParam<const char*> {};

TEST_P(Events, BouncingBallAtTheExactTimes) {
  const RunResult r = run(R"(model Ball
    parameter Real g = 9.81, e = 0.8;
    Real h(start = 1, fixed = true), v(start = 0, fixed = true);
    Integer n(start = 0, fixed = true);
  equation
    der(h) = v;
    der(v) = -g;
    when h <= 0 then
      reinit(v, -e*pre(v));
      n = pre(n) + 1;
    end when;
  end Ball;)",
                          2, GetParam());
  ASSERT_TRUE(r.ok()) << r.summary.reason;
  // Fall time, then flights of 2 e^k v0 / g.
  const double g = 9.81;
  const double v0 = std::sqrt(2 * g);
  std::vector<double> bounces{v0 / g};
  for (double v = 0.8 * v0; bounces.back() + 2 * v / g < 2; v *= 0.8)
    bounces.push_back(bounces.back() + 2 * v / g);
  EXPECT_EQ(final_value(r, "n"), static_cast<double>(bounces.size()));
  // Each bounce is a crossing down; after it the ball crosses up again at once, which is an event too.
  double last_v = 0.8 * v0;
  for (std::size_t k = 1; k < bounces.size(); ++k) last_v *= 0.8;
  const double since = 2 - bounces.back();
  EXPECT_NEAR(final_value(r, "h"), last_v * since - g * since * since / 2, 1e-6);
  EXPECT_NEAR(final_value(r, "v"), last_v - g * since, 1e-6);
  EXPECT_NEAR(r.summary.events.front().t, bounces[0], 1e-8);
}

TEST_P(Events, TimeEventsAreHitExactly) {
  const RunResult r = run(R"(model Steps
    Real x(start = 0, fixed = true), u;
  equation
    u = if time < 0.3 then 1 elseif time < 0.7 then -2 else 0.5;
    der(x) = u;
  end Steps;)",
                          1, GetParam());
  ASSERT_TRUE(r.ok()) << r.summary.reason;
  EXPECT_NEAR(final_value(r, "x"), 0.3 - 0.8 + 0.15, 1e-12);  // piecewise linear: round-off
  EXPECT_EQ(r.summary.event_count, 2);
  EXPECT_DOUBLE_EQ(r.summary.events[0].t, 0.3);
}

TEST_P(Events, SamplePreAndEdge) {
  const RunResult r = run(R"(model Sampled
    Integer n(start = 0, fixed = true), rises(start = 0, fixed = true);
    Boolean on;
    discrete Real held(start = 0, fixed = true);
    Real x(start = 1, fixed = true);
  equation
    der(x) = -x;
    on = sin(10*time) > 0;
    when sample(0.25, 0.25) then
      n = pre(n) + 1;
      held = x;
    end when;
    when edge(on) then
      rises = pre(rises) + 1;
    end when;
  end Sampled;)",
                          1.1, GetParam());
  ASSERT_TRUE(r.ok()) << r.summary.reason;
  EXPECT_EQ(final_value(r, "n"), 4);  // 0.25, 0.5, 0.75, 1
  EXPECT_NEAR(final_value(r, "held"), std::exp(-1.0), 1e-6);
  EXPECT_EQ(final_value(r, "rises"), 2);  // just after 0, and at 2π/10; the next is at 4π/10 > 1.1
}

TEST_P(Events, ReinitOfAConstrainedVelocityStaysOnTheConstraint) {
  // A pendulum that is struck at the lowest point: index 3 before and after.
  const RunResult r = run(R"(model Struck
    Real x(start = 0.6, fixed = true), y(start = -0.8), vx(start = 0, fixed = true), vy, lambda;
  equation
    der(x) = vx;
    der(y) = vy;
    der(vx) = -lambda*x;
    der(vy) = -lambda*y - 1;
    x^2 + y^2 = 1;
    when x < 0 then
      reinit(vx, 2*pre(vx));
    end when;
  end Struck;)",
                          3, GetParam());
  ASSERT_TRUE(r.ok()) << r.summary.reason;
  EXPECT_LE(r.summary.drift.levels[0], 1e-10);
  EXPECT_LE(r.summary.drift.levels[1], 1e-10);
  // Energy before: -0.8. At x = 0 all of the gain 0.2 is kinetic, v² = 0.4; doubled: v² = 1.6, E = 0.8 - 1.
  const double v2 = std::pow(final_value(r, "vx"), 2) + std::pow(final_value(r, "vy"), 2);
  EXPECT_NEAR(0.5 * v2 + final_value(r, "y"), -0.2, 1e-6);
}

TEST_P(Events, NoEventMakesNone) {
  const RunResult r = run(R"(model Smooth
    Real x(start = 1, fixed = true);
  equation
    der(x) = noEvent(if x > 0.5 then -x else -0.5);
  end Smooth;)",
                          1, GetParam());
  ASSERT_TRUE(r.ok()) << r.summary.reason;
  EXPECT_EQ(r.summary.event_count, 0);
  EXPECT_NEAR(final_value(r, "x"), 0.5 - 0.5 * (1 - std::log(2.0)),
              1e-5);  // a kink costs accuracy without an event
}

TEST_P(Events, ChatteringIsDetectedAndNamed) {
  const RunResult r = run(R"(model Relay
    Real x(start = 0.5, fixed = true);
  equation
    der(x) = if x > 0 then -1 else 1;
  end Relay;)",
                          1, GetParam());
  EXPECT_EQ(r.summary.status, "failed");
  EXPECT_NE(r.summary.reason.find("chattering"), std::string::npos) << r.summary.reason;
  EXPECT_NE(r.summary.reason.find("x > 0"), std::string::npos) << r.summary.reason;
  EXPECT_NEAR(r.summary.t_end, 0.5, 1e-6);
}

// Bounces at t1 (1 + 2e + 2e² + …), t1 = √(2h/g): at rest from t1 (1 + e)/(1 - e) on. What a program makes of
// the time after that is not what the model means, so the run ends there and says why.
TEST_P(Events, AccumulatingEventsEndTheRun) {
  for (const double e : {0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8}) {
    for (const char* condition : {"h <= 0", "h < 0", "h <= 0 and v < 0"}) {
      const std::string ball = fmt::format(R"(model Ball
    Real h(start = 1, fixed = true), v(start = 0, fixed = true);
  equation
    der(h) = v;
    der(v) = -9.81;
    when {} then
      reinit(v, -{}*pre(v));
    end when;
  end Ball;)",
                                           condition, e);
      const double rest = std::sqrt(2 / 9.81) * (1 + e) / (1 - e);
      const RunResult after = run(ball, 1.5 * rest, GetParam());
      EXPECT_EQ(after.summary.status, "failed") << e << ", " << condition;
      EXPECT_NE(after.summary.reason.find("accumulate"), std::string::npos)
          << after.summary.reason << "; " << e << ", " << condition;
      EXPECT_NE(after.summary.reason.find("h <"), std::string::npos) << after.summary.reason;
      // The last flight that is seen is higher than atol 1e-9: its time is √(8 atol/g) < 3e-5, and those
      // after it take e/(1 - e) of that together.
      EXPECT_NEAR(after.summary.t_end, rest, 1e-3) << e << ", " << condition;
      const RunResult before = run(ball, 0.9 * rest, GetParam());
      EXPECT_TRUE(before.ok()) << before.summary.reason;
      EXPECT_TRUE(before.summary.warnings.empty());
    }
  }
}

// The same ball with a state of rest: it stays there, and there is nothing to warn of.
TEST_P(Events, AStateOfRestEndsTheBouncing) {
  const RunResult r = run(R"(model Ball
    Real h(start = 1, fixed = true), v(start = 0, fixed = true), v_new(start = 0);
    Boolean flying(start = true, fixed = true), impact;
  equation
    der(h) = v;
    der(v) = if flying then -9.81 else 0;
    impact = h <= 0;
    when {h <= 0 and v <= 0, impact} then
      v_new = if edge(impact) then -0.7*pre(v) else 0;
      flying = v_new > 0;
      reinit(v, v_new);
    end when;
  end Ball;)",
                          4, GetParam());
  ASSERT_TRUE(r.ok()) << r.summary.reason;
  EXPECT_TRUE(r.summary.warnings.empty()) << r.summary.warnings.front();
  EXPECT_EQ(final_value(r, "flying"), 0);
  EXPECT_EQ(final_value(r, "v"), 0);
  EXPECT_NEAR(final_value(r, "h"), 0, 2e-9);  // within atol, where a bounce cannot be seen
}

// Each of the relation's changes is seen, however many of them lie in one step: sin(φ) passes 0.8 upwards at
// φ = asin(0.8) + 2πk.
TEST_P(Events, NoChangeWithinALongStepIsMissed) {
  for (const double rate : {5.0, 23.0, 200.0}) {
    for (const char* relation : {"sin(phi) > 0.8", "sin(phi) - 0.8 >= 0", "y > 0.8", "0.8 < sin(phi)"}) {
      const RunResult r = run(fmt::format(R"(model Turns
    Real phi(start = 0, fixed = true), y, z;
    Integer n(start = 0, fixed = true);
  equation
    der(phi) = {};
    y = sin(phi);
    z = if {} then 1 else 0;
    when {} then
      n = pre(n) + 1;
    end when;
  end Turns;)",
                                          rate, relation, relation),
                              10, GetParam());
      ASSERT_TRUE(r.ok()) << r.summary.reason;
      const double turns = (10 * rate - std::asin(0.8)) / (2 * std::numbers::pi);
      EXPECT_EQ(final_value(r, "n"), std::floor(turns) + 1) << rate << ", " << relation;
    }
  }
}

// The same where the relation reads an unknown that only follows by solving: y + sin(y)/10 = sin(φ) has y =
// 0.7 where sin(φ) is 0.7 + sin(0.7)/10.
TEST_P(Events, NoChangeOfASolvedUnknownIsMissed) {
  for (const double rate : {5.0, 23.0, 200.0}) {
    const RunResult r = run(fmt::format(R"(model Turns
    Real phi(start = 0, fixed = true), y;
    Integer n(start = 0, fixed = true);
  equation
    der(phi) = {};
    y + 0.1*sin(y) = sin(phi);
    when y > 0.7 then
      n = pre(n) + 1;
    end when;
  end Turns;)",
                                        rate),
                            10, GetParam());
    ASSERT_TRUE(r.ok()) << r.summary.reason;
    const double first = std::asin(0.7 + (0.1 * std::sin(0.7)));
    EXPECT_EQ(final_value(r, "n"), std::floor((10 * rate - first) / (2 * std::numbers::pi)) + 1) << rate;
  }
}

// A peak that is over in a millionth of the step, and one that only touches the threshold.
TEST_P(Events, NarrowPeaksAreFound) {
  const RunResult r = run(R"(model Peak
    Real x(start = -1, fixed = true);
    Integer n(start = 0, fixed = true), m(start = 0, fixed = true);
  equation
    der(x) = 1;
    when 1 - 1e12*(x - 0.3)^2 > 0 then
      n = pre(n) + 1;
    end when;
    when cos(x) > 1 then
      m = pre(m) + 1;
    end when;
  end Peak;)",
                          3, GetParam());
  ASSERT_TRUE(r.ok()) << r.summary.reason;
  EXPECT_EQ(final_value(r, "n"), 1);
  EXPECT_EQ(final_value(r, "m"), 0);
}

// s is in no error test, so that steps grow as if it were not there; its crossings must be found on values
// that solve its equation. They come ever faster, but do not accumulate.
TEST_P(Events, AnAlgebraicUnknownCrossesWhereItsEquationSays) {
  const RunResult r = run(R"(model Chirp
    Real s;
    Integer n(start = 0, fixed = true);
    Real x(start = 0, fixed = true);
  equation
    der(x) = 1;
    s = sin(x^2);
    when s > 0 then
      n = pre(n) + 1;
    end when;
  end Chirp;)",
                          10, GetParam());
  EXPECT_EQ(r.summary.status, "ok") << r.summary.reason;
  EXPECT_TRUE(r.summary.warnings.empty()) << r.summary.warnings.front();
  EXPECT_EQ(final_value(r, "n"), 16);  // x² = 2πk, k = 0 … 15
  ASSERT_EQ(r.summary.events.size(), 32U);
  // The first is at once: s rests at zero there.
  for (std::size_t k = 1; k < r.summary.events.size(); ++k) {
    // x is exact; s at the crossing is solved to the absolute tolerance 1e-9, its slope is 2x.
    EXPECT_NEAR(r.summary.events[k].t, std::sqrt(std::numbers::pi * static_cast<double>(k)), 1e-9);
  }
}

// Whether the instant itself belongs to the one side or the other: n counts, x integrates the piecewise
// constant slope, so its end value is the length of the part where it is 1.
TEST_P(Events, EveryComparisonWithTimeSwitchesThere) {
  for (const char* comparison : {"time > 0.3", "time >= 0.3", "0.3 < time", "not time <= 0.3",
                                 "not time < 0.3", "time + 1 > 1.3", "2*time - 0.6 > 0"}) {
    const RunResult r = run(std::string(R"(model Switch
    Real x(start = 0, fixed = true);
    Integer n(start = 0, fixed = true);
  equation
    der(x) = if )") + comparison +
                                R"( then 1 else 0;
    when )" + comparison + R"( then
      n = pre(n) + 1;
    end when;
  end Switch;)",
                            1, GetParam());
    EXPECT_EQ(r.summary.status, "ok") << comparison << ": " << r.summary.reason;
    EXPECT_NEAR(final_value(r, "x"), 0.7, 1e-9) << comparison;
    EXPECT_EQ(final_value(r, "n"), 1) << comparison;
  }
}

TEST_P(Events, TimeComparedWithTheStart) {
  for (const char* comparison : {"time > 0", "time + 1 > 1"}) {
    const RunResult r = run(std::string(R"(model AtOnce
    Real x(start = 0, fixed = true);
  equation
    der(x) = if )") + comparison +
                                R"( then 1 else 0;
  end AtOnce;)",
                            1, GetParam());
    EXPECT_EQ(r.summary.status, "ok") << comparison << ": " << r.summary.reason;
    EXPECT_NEAR(final_value(r, "x"), 1, 1e-9) << comparison;
  }
}

// A model of nanoseconds: two events a picosecond apart are two.
TEST_P(Events, InstantsAreToldApartAtTheScaleOfTheModel) {
  const RunResult r = run(R"(model Pulse
    Real x(start = 0, fixed = true);
  equation
    der(x) = if time > 1e-9 and time <= 1.001e-9 then 1e12 else 0;
  end Pulse;)",
                          3e-9, GetParam());
  EXPECT_EQ(r.summary.status, "ok") << r.summary.reason;
  EXPECT_NEAR(final_value(r, "x"), 1, 1e-6);
}

TEST_P(Events, TerminateEndsWell) {
  const RunResult r = run(R"(model Ends
    Real x(start = 1, fixed = true);
  equation
    der(x) = -1;
    when x < 0.25 then
      terminate("low");
    end when;
  end Ends;)",
                          2, GetParam());
  EXPECT_TRUE(r.ok());
  EXPECT_NEAR(r.summary.t_end, 0.75, 1e-8);
  EXPECT_NE(r.summary.reason.find("low"), std::string::npos);
}

TEST_P(Events, IdealDiodeRectifies) {
  const RunResult r = run(R"(model HalfWave
    Real u, i, v, s(start = 0);
    Boolean off(start = true);
    Real q(start = 0, fixed = true);
  equation
    u = sin(6.283185307179586*time);
    off = s < 0;
    v = s*(if off then 1 else 1e-5);
    i = s*(if off then 1e-5 else 1);
    u = v + i;
    der(q) = i;
  end HalfWave;)",
                          1, GetParam());
  ASSERT_TRUE(r.ok()) << r.summary.reason;
  // One half wave of charge, 1/π, less what 1e-5 of leakage takes back.
  EXPECT_NEAR(final_value(r, "q"), 1 / M_PI, 1e-4);
  EXPECT_GE(r.summary.event_count, 1);
}

INSTANTIATE_TEST_SUITE_P(EveryAdaptiveIntegrator, Events, ::testing::Values("bdf", "radau", "ida"));

TEST(EventRuns, AssertionsEndTheRunWithTheirText) {
  const RunResult r = run(R"(model Guarded
    Real x(start = 1, fixed = true);
  equation
    der(x) = -1;
    assert(x > 0.5, "x became too small");
  end Guarded;)",
                          1, "bdf");
  EXPECT_EQ(r.summary.status, "failed");
  EXPECT_NE(r.summary.reason.find("x became too small"), std::string::npos) << r.summary.reason;
}

}  // namespace
}  // namespace daedalus
