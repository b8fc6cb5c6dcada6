// Inputs as functions of time: in a run, step by step, with jumps, under constraints. The expected values are
// exact solutions, or those of the model that has the function written in it.
#include "stepping/input_functions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "simulate/engine.hpp"
#include "simulate/run.hpp"
#include "support/model_text.hpp"

namespace daedalus::testing {
namespace {

const std::string oscillator = R"(model Oscillator
  input Real u(start = 0);
  Real x(start = 0, fixed = true), v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = u - x;
  annotation(experiment(StopTime = 10, Tolerance = 1e-9));
end Oscillator;)";

const std::string integrator = R"(model Sum
  input Real u(start = 3);
  Real x(start = 0, fixed = true);
equation
  der(x) = u;
  annotation(experiment(StopTime = 4, Tolerance = 1e-9));
end Sum;)";

// A bead on a bar whose height is given: index 3, and its force needs u''.
const std::string led = R"(model Led
  input Real u(start = 0);
  Real x(start = 0, fixed = true), y(start = 0), vx(start = 1, fixed = true), vy, f;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -x;
  der(vy) = f - 9.81;
  y = u;
  annotation(experiment(StopTime = 5, Tolerance = 1e-9));
end Led;)";

RunOptions with(TimeFunction function, const char* formulation = "auto",
                const char* integrator_name = "auto") {
  return {.formulation = Selection(formulation),
          .integrator = Selection(integrator_name),
          .inputs = {{.name = "u", .function = std::move(function)}}};
}

std::size_t column_of(const RunResult& result, const std::string& name) {
  const auto& signals = result.trajectory.signals;
  const auto found = std::ranges::find(signals, name, &Signal::name);
  EXPECT_NE(found, signals.end()) << name;
  return static_cast<std::size_t>(found - signals.begin());
}

double worst_error(const RunResult& result, const std::string& name, const TimeFunction& exact) {
  const std::size_t column = column_of(result, name);
  double worst = 0;
  for (std::size_t row = 0; row < result.trajectory.rows(); ++row)
    worst =
        std::max(worst, std::abs(result.trajectory.at(row, column) - exact(result.trajectory.times[row])));
  return worst;
}

// x'' = sin 2t - x from rest: x = (2 sin t - sin 2t)/3. Within a thousand tolerances, as without inputs.
TEST(InputFunctions, ASmoothForceIsFollowedToTheTolerance) {
  const DaeSystem system = from_text(oscillator);
  for (const char* method : {"auto", "dop853", "radau", "bdf", "dopri5"}) {
    const auto result = simulate(system, with([](double t) { return std::sin(2 * t); }, "auto", method));
    ASSERT_TRUE(result.has_value()) << result.error().front().message;
    ASSERT_TRUE(result->ok()) << result->summary.reason;
    EXPECT_LT(worst_error(*result, "x", [](double t) { return ((2 * std::sin(t)) - std::sin(2 * t)) / 3; }),
              std::string(method) == "bdf" ? 1e-5 : 1e-6)
        << method;
    EXPECT_LT(worst_error(*result, "u", [](double t) { return std::sin(2 * t); }), 1e-11) << method;
    EXPECT_EQ(result->summary.event_count, 0) << method;
  }
}

// A jump and a bend: x is the exact integral of what is left and right of them.
TEST(InputFunctions, JumpsAndBendsAreEventsAtTheirTimes) {
  const double jump = 1.0 / 3.0;
  const TimeFunction function = [&](double t) { return t < jump ? 1.0 : std::abs(t - 2); };
  const TimeFunction integral = [&](double t) {
    if (t < jump) return t;
    const auto after = [](double s) { return s < 2 ? -(2 - s) * (2 - s) / 2 : (s - 2) * (s - 2) / 2; };
    return jump + after(t) - after(jump);
  };
  for (const char* method : {"auto", "radau", "bdf"}) {
    const auto result = simulate(from_text(integrator), with(function, "auto", method));
    ASSERT_TRUE(result.has_value() && result->ok());
    EXPECT_LT(worst_error(*result, "x", integral), 1e-7) << method;
    ASSERT_EQ(result->summary.event_count, 2) << method;
    EXPECT_NEAR(result->summary.events[0].t, jump, 1e-12);
    EXPECT_NEAR(result->summary.events[1].t, 2, 1e-8);
    EXPECT_EQ(result->summary.events[0].what, "the input u");
  }
}

// The hidden constraints have u' and u'': y = u, vy = u', f = u'' + g at every output point.
TEST(InputFunctions, HiddenConstraintsKnowTheDerivatives) {
  const DaeSystem system = from_text(led);
  const TimeFunction function = [](double t) { return 0.3 * std::sin(3 * t); };
  const TimeFunction first = [](double t) { return 0.9 * std::cos(3 * t); };
  const TimeFunction force = [](double t) { return 9.81 - (2.7 * std::sin(3 * t)); };
  for (const char* formulation : {"auto", "dummy-derivatives", "orthogonal-projection", "ggl"}) {
    const auto result = simulate(system, with(function, formulation));
    ASSERT_TRUE(result.has_value()) << formulation << result.error().front().message;
    ASSERT_TRUE(result->ok()) << formulation << result->summary.reason;
    EXPECT_LT(worst_error(*result, "y", function), 1e-8) << formulation;
    EXPECT_LT(worst_error(*result, "vy", first), 1e-6) << formulation;
    // The multipliers of ggl are of lower order: with the sine written in the model they are 1e-5 away.
    EXPECT_LT(worst_error(*result, "f", force), std::string(formulation) == "ggl" ? 1e-4 : 1e-6)
        << formulation;
    EXPECT_LT(worst_error(*result, "x", [](double t) { return std::sin(t); }), 1e-6) << formulation;
  }
}

// An input that jumps where it leads a position: the position jumps with it, the free one does not.
TEST(InputFunctions, WhatAJumpLeadsFollowsIt) {
  const auto result = simulate(from_text(led), with([](double t) { return t < 1 ? 0.0 : 0.5; }));
  ASSERT_TRUE(result.has_value() && result->ok()) << result->summary.reason;
  EXPECT_LT(worst_error(*result, "x", [](double t) { return std::sin(t); }), 1e-6);
  EXPECT_NEAR(result->trajectory.at(result->trajectory.rows() - 1, column_of(*result, "y")), 0.5, 1e-9);
}

// A relation of the input alone crosses where the function does.
TEST(InputFunctions, EventsOfAnInputAreLocated) {
  const DaeSystem system = from_text(R"(model Switch
  input Real u;
  Real x(start = 0, fixed = true);
  Integer n(start = 0, fixed = true);
equation
  der(x) = if u > 0.5 then 1 else 0;
  when u > 0.5 then
    n = pre(n) + 1;
  end when;
  annotation(experiment(StopTime = 10, Tolerance = 1e-8));
end Switch;)");
  const double pi = std::acos(-1.0);
  const auto result = simulate(system, with([](double t) { return std::sin(t); }));
  ASSERT_TRUE(result.has_value() && result->ok()) << result->summary.reason;
  // From π/6 to 5π/6, and once more; located on a polynomial that is 1e-12 away.
  EXPECT_NEAR(result->trajectory.at(result->trajectory.rows() - 1, column_of(*result, "x")), 2 * 2 * pi / 3,
              1e-8);
  EXPECT_EQ(result->trajectory.at(result->trajectory.rows() - 1, column_of(*result, "n")), 2);
}

TEST(InputFunctions, AnEngineTakesOtherFunctionsAndConstants) {
  auto planned = plan(from_text(integrator), {.inputs = {{.name = "u", .function = {}}}});
  ASSERT_TRUE(planned.has_value());
  const auto engine = compile(*std::move(planned));
  ASSERT_TRUE(engine.has_value());
  EXPECT_EQ((*engine)->settable(), std::vector<std::string>{"u"});
  const auto end_of = [&](const RunRequest& request) {
    const auto result = (*engine)->run(request);
    EXPECT_TRUE(result.has_value() && result->ok());
    return result ? result->trajectory.at(result->trajectory.rows() - 1, column_of(*result, "x")) : 0.0;
  };
  EXPECT_NEAR(end_of({}), 12, 1e-8);  // its start value, 3
  EXPECT_NEAR(end_of({.set = {{"u", -1}}}), -4, 1e-8);
  EXPECT_NEAR(end_of({.inputs = {{"u", [](double t) { return t; }}}}), 8, 1e-7);
  EXPECT_NEAR(end_of({.set = {{"u", 5}}, .inputs = {{"u", [](double t) { return t * t; }}}}), 64.0 / 3, 1e-6);
  EXPECT_FALSE((*engine)->run({.inputs = {{"x", [](double) { return 0.0; }}}}).has_value());
}

TEST(InputFunctions, StepByStepFunctionsAndConstantsTakeTurns) {
  auto planned = plan(from_text(integrator), {.inputs = {{.name = "u", .function = {}}}});
  const auto engine = compile(*std::move(planned));
  auto sim = (*engine)->start();
  ASSERT_TRUE(sim.has_value());
  ASSERT_TRUE(sim->advance_to(1));
  EXPECT_NEAR(*sim->value("x"), 3, 1e-9);
  ASSERT_TRUE(sim->set("u", [](double t) { return 2 * t; }).has_value());
  ASSERT_TRUE(sim->advance_to(2));
  EXPECT_NEAR(*sim->value("u"), 4, 1e-9);
  EXPECT_NEAR(*sim->value("x"), 6, 1e-8);
  const Simulation copy = *sim;
  ASSERT_TRUE(sim->set("u", -1.0).has_value());
  ASSERT_TRUE(sim->advance_to(3));
  EXPECT_NEAR(*sim->value("x"), 5, 1e-8);
  Simulation other = copy;  // goes on with the function
  ASSERT_TRUE(other.advance_to(3));
  EXPECT_NEAR(*other.value("x"), 11, 1e-8);
}

TEST(InputFunctions, AreGivenAgainWhenASimulationIsLoaded) {
  const TimeFunction wave = [](double t) { return std::sin(5 * t); };
  auto planned = plan(from_text(oscillator), with(wave));
  const auto engine = compile(*std::move(planned));
  auto sim = (*engine)->start();
  for (int k = 0; k < 20; ++k) ASSERT_TRUE(sim->step());
  const auto bytes = sim->save();
  ASSERT_TRUE(bytes.has_value());
  const auto refused = (*engine)->load(*bytes);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().front().message.find("'u' was a function of time"), std::string::npos);
  const InputFunction input{.name = "u", .function = wave};
  auto loaded = (*engine)->load(*bytes, {&input, 1});
  ASSERT_TRUE(loaded.has_value()) << loaded.error().front().message;
  while (sim->time() < 5) ASSERT_TRUE(sim->step());
  while (loaded->time() < 5) ASSERT_TRUE(loaded->step());
  EXPECT_EQ(sim->time(), loaded->time());
  EXPECT_EQ(sim->values(), loaded->values());
}

// It is not asked for values beyond the end, where it may have none.
TEST(InputFunctions, AreNotAskedBeyondTheRun) {
  const auto result =
      simulate(from_text(integrator), with([](double t) { return t > 4 ? std::nan("") : std::cos(t); }));
  ASSERT_TRUE(result.has_value()) << result.error().front().message;
  ASSERT_TRUE(result->ok()) << result->summary.reason;
  EXPECT_NEAR(result->trajectory.at(result->trajectory.rows() - 1, column_of(*result, "x")), std::sin(4),
              1e-8);
}

TEST(InputFunctions, WhatIsWrongIsSaidByName) {
  const DaeSystem system = from_text(integrator);
  const auto unknown = simulate(system, {.inputs = {{"v", [](double) { return 0.0; }}}});
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().front().message, "unknown input 'v'; did you mean 'u'? (known: u)");
  const auto at_once = simulate(system, with([](double) { return std::nan(""); }));
  ASSERT_FALSE(at_once.has_value());
  EXPECT_NE(at_once.error().front().message.find("the input 'u' is nan at t = 0"), std::string::npos);
  const auto later = simulate(system, with([](double t) { return t < 2 ? 1 : std::nan(""); }));
  ASSERT_TRUE(later.has_value());
  EXPECT_FALSE(later->ok());
  EXPECT_NE(later->summary.reason.find("the input 'u' is nan at t = 2"), std::string::npos)
      << later->summary.reason;
  const auto whole =
      simulate(from_text("model W input Integer n; Real x(start=0,fixed=true); equation der(x)=n; end W;"),
               {.inputs = {{"n", [](double) { return 0.0; }}}});
  ASSERT_FALSE(whole.has_value());
  EXPECT_NE(whole.error().front().message.find("not Real"), std::string::npos);
}

}  // namespace
}  // namespace daedalus::testing
