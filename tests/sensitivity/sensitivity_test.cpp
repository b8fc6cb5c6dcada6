// Sensitivities against what a model's solution says in closed form, and against differences of whole runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "model/load.hpp"
#include "simulate/engine.hpp"

namespace daedalus {
namespace {

DaeSystem system_of(std::string_view text, std::vector<std::string> free) {
  auto sources = std::make_shared<SourceMap>();
  const auto file = sources->add("m.mo", std::string(text));
  auto system = load_model(sources, file, {.free = std::move(free)});
  EXPECT_TRUE(system.has_value()) << (system ? "" : render(system.error(), *sources));
  return *std::move(system);
}

std::shared_ptr<const Engine> engine_of(const DaeSystem& system, const RunOptions& options) {
  auto planned = plan(system, options);
  EXPECT_TRUE(planned.has_value()) << (planned ? "" : planned.error().front().message);
  if (!planned) return nullptr;
  auto engine = compile(*std::move(planned));
  EXPECT_TRUE(engine.has_value()) << (engine ? "" : engine.error().front().message);
  return engine ? *engine : nullptr;
}

std::size_t column(const RunResult& run, const std::string& name) {
  const auto found = std::ranges::find(run.trajectory.signals, name, &Signal::name);
  EXPECT_NE(found, run.trajectory.signals.end()) << name;
  return static_cast<std::size_t>(found - run.trajectory.signals.begin());
}

struct Case {
  std::string_view text;
  std::vector<std::string> parameters;  // free ones
  std::vector<std::pair<std::string, double>> values;
  std::vector<std::string> signals;
  double until = 1;
  std::vector<std::string> starts = {};  // with respect to start values, too
  std::string formulation = "auto";
  std::string integrator = "auto";
  double tolerance = 1e-6;  // relative to the largest sensitivity of the signal
  double rtol = 1e-11;
  double distance = 1e-3;  // of the values for differences, relative
  double least = 1e-2;     // sensitivities that are smaller count as if they were so large
};

// Differences of fourth order of runs at rtol 1e-13, beside which rounding and the cut leave some 1e-9.
void agrees_with_differences(const Case& c) {
  const DaeSystem system = system_of(c.text, c.parameters);
  std::vector<std::string> names = c.parameters;
  names.insert(names.end(), c.starts.begin(), c.starts.end());
  const RunOptions options{.until = c.until,
                           .rtol = c.rtol,
                           .atol = c.rtol,
                           .points = 21,
                           .formulation = *parse_selection(c.formulation),
                           .integrator = *parse_selection(c.integrator),
                           .sensitivities = names};
  const auto engine = engine_of(system, options);
  ASSERT_NE(engine, nullptr);
  const auto run = engine->run();
  ASSERT_TRUE(run.has_value());
  ASSERT_TRUE(run->ok()) << run->summary.reason;
  RunOptions plain = options;
  plain.sensitivities.clear();
  plain.rtol = plain.atol = 1e-13;
  const auto reference = engine_of(system, plain);
  for (const auto& [name, value] : c.values) {
    const double h = c.distance * (value == 0 ? 1 : std::abs(value));
    std::array<Trajectory, 4> near;
    constexpr std::array<double, 4> steps{-2, -1, 1, 2};
    for (std::size_t k = 0; k < near.size(); ++k) {
      auto other = reference->run({.set = {{name, value + (steps[k] * h)}}});
      ASSERT_TRUE(other.has_value() && other->ok()) << other->summary.reason;
      near[k] = std::move(other->trajectory);
      ASSERT_EQ(near[k].rows(), run->trajectory.rows());
    }
    for (const std::string& signal : c.signals) {
      const std::size_t at = column(*run, "d(" + signal + ")/d(" + name + ")");
      const std::size_t base = column(*run, signal);
      double largest = 0, off = 0;
      for (std::size_t row = 0; row < run->trajectory.rows(); ++row) {
        const auto f = [&](std::size_t k) { return near[k].at(row, base); };
        const double expected = (f(0) - (8 * f(1)) + (8 * f(2)) - f(3)) / (12 * h);
        largest = std::max(largest, std::abs(expected));
        off = std::max(off, std::abs(expected - run->trajectory.at(row, at)));
      }
      EXPECT_LE(off, c.tolerance * std::max(largest, c.least))
          << signal << " by " << name << ", of " << largest;
    }
  }
}

// x = x0 exp(-k t): ∂x/∂k = -t x, ∂x/∂x0 = exp(-k t).
TEST(Sensitivity, OfADecayIsItsFormula) {
  const auto system = system_of(R"(model Decay
    parameter Real k = 0.7;
    Real x(start = 2, fixed = true);
  equation
    der(x) = -k*x;
  end Decay;)",
                                {"k"});
  for (const char* integrator : {"dop853", "dopri5", "radau", "bdf"}) {
    const auto engine = engine_of(system, {.until = 3,
                                           .rtol = 1e-9,
                                           .atol = 1e-12,
                                           .points = 31,
                                           .integrator = Selection(integrator),
                                           .sensitivities = {"k", "x"}});
    const auto run = engine->run();
    ASSERT_TRUE(run.has_value() && run->ok()) << integrator;
    for (std::size_t row = 0; row < run->trajectory.rows(); ++row) {
      const double t = run->trajectory.times[row];
      // The error of the run and of the sensitivities, each some rtol.
      EXPECT_NEAR(run->trajectory.at(row, column(*run, "d(x)/d(k)")), -t * 2 * std::exp(-0.7 * t), 1e-7);
      EXPECT_NEAR(run->trajectory.at(row, column(*run, "d(x)/d(x)")), std::exp(-0.7 * t), 1e-7);
    }
  }
}

constexpr std::string_view pendulum = R"(model Pendulum
    parameter Real m = 1.3, L = 1.1, g = 9.81;
    Real x(start = 1), y(start = 0, fixed = true), vx, vy(start = 0, fixed = true), lambda;
  equation
    der(x) = vx; der(y) = vy;
    m*der(vx) = -lambda*x; m*der(vy) = -lambda*y - m*g;
    x^2 + y^2 = L^2;
  end Pendulum;)";

TEST(Sensitivity, OfIndexThreeByEveryKindOfMethod) {
  for (const auto& [formulation, integrator] :
       std::vector<std::pair<std::string, std::string>>{{"auto", "auto"},
                                                        {"dummy-derivatives", "radau"},
                                                        {"dummy-derivatives", "bdf"},
                                                        {"ggl", "radau"},
                                                        {"orthogonal-projection", "dopri5"},
                                                        {"tangent-plane", "auto"},
                                                        {"coordinate-partitioning", "auto"}}) {
    SCOPED_TRACE(formulation + " by " + integrator);
    agrees_with_differences({.text = pendulum,
                             .parameters = {"m", "L", "g"},
                             .values = {{"m", 1.3}, {"L", 1.1}, {"g", 9.81}},
                             .signals = {"x", "y", "vx", "lambda"},
                             .until = 1,
                             .formulation = formulation,
                             .integrator = integrator,
                             .rtol = integrator == "bdf" ? 1e-9 : 1e-10});
  }
}

TEST(Sensitivity, OfStartValues) {
  agrees_with_differences({.text = R"(model P
    parameter Real L = 1;
    Real x(start = 0.6, fixed = true), y(start = -0.8), vx(start = 1.2, fixed = true), vy, l;
  equation
    der(x) = vx; der(y) = vy; der(vx) = -l*x; der(vy) = -l*y - 9.81;
    x^2 + y^2 = L^2;
  end P;)",
                           .parameters = {"L"},
                           .values = {{"L", 1}, {"x", 0.6}, {"vx", 1.2}},
                           .signals = {"x", "y", "vy", "l"},
                           .starts = {"x", "vx"}});
}

// Index 0, nonlinear, with a forcing that depends on time and a parameter.
TEST(Sensitivity, OfAnOde) {
  agrees_with_differences({.text = R"(model VanDerPol
    parameter Real mu = 2, w = 1.5;
    Real x(start = 1, fixed = true), v(start = 0, fixed = true), p;
  equation
    der(x) = v;
    der(v) = mu*(1 - x^2)*v - x + sin(w*time);
    p = x*v*w;
  end VanDerPol;)",
                           .parameters = {"mu", "w"},
                           .values = {{"mu", 2}, {"w", 1.5}},
                           .signals = {"x", "v", "p"},
                           .until = 5});
}

// Index 1 and stiff, with an equation that is nonlinear in its algebraic unknown.
TEST(Sensitivity, OfAStiffCircuit) {
  agrees_with_differences({.text = R"(model Diode
    parameter Real R = 100, C = 1e-5, Is = 1e-9;
    Real v(start = 0, fixed = true), u, i;
  equation
    5*sin(100*time) - u = R*i;
    i = Is*(exp((u - v)/0.05) - 1);
    C*der(v) = i - v/1000;
  end Diode;)",
                           .parameters = {"R", "C", "Is"},
                           .values = {{"R", 100}, {"C", 1e-5}, {"Is", 1e-9}},
                           .signals = {"v", "u"},
                           .until = 0.05,
                           .integrator = "radau",
                           .rtol = 1e-9,
                           .least = 1e-5});
}

// Index 2: a velocity is prescribed by a constraint that depends on the parameter.
TEST(Sensitivity, OfIndexTwo) {
  agrees_with_differences({.text = R"(model Two
    parameter Real a = 0.8, k = 3;
    Real x(start = 1, fixed = true), y, l;
  equation
    der(x) = -k*x + l;
    der(y) = x - y*l;
    x = a + a*sin(y);
  end Two;)",
                           .parameters = {"a", "k"},
                           .values = {{"a", 0.8}, {"k", 3}},
                           .signals = {"x", "y", "l"},
                           .until = 0.7});
}

TEST(Sensitivity, OfAMechanismWithDependentConstraints) {
  // Two constraints that say the same of each other for any length.
  agrees_with_differences({.text = R"(model Doubled
    parameter Real L = 1, g = 9.81;
    Real x(start = 0.6), y(start = -0.8), vx(start = 0, fixed = true), vy, l, m;
  equation
    der(x) = vx; der(y) = vy;
    der(vx) = -(l + m)*x; der(vy) = -(l + m)*y - g;
    x^2 + y^2 = L^2;
    2*x^2 + 2*y^2 = 2*L^2;
  end Doubled;)",
                           .parameters = {"L", "g"},
                           .values = {{"L", 1}, {"g", 9.81}},
                           .signals = {"x", "y", "vx"}});
}

// Falls, bounces three times: after each bounce the time of it depends on g, e and the height.
constexpr std::string_view ball = R"(model Ball
    parameter Real e = 0.8, g = 9.81;
    Real h(start = 1, fixed = true), v(start = 0, fixed = true);
  equation
    der(h) = v; der(v) = -g;
    when h < 0 then reinit(v, -e*pre(v)); end when;
  end Ball;)";

TEST(Sensitivity, ThroughImpacts) {
  agrees_with_differences({.text = ball,
                           .parameters = {"e", "g"},
                           .values = {{"e", 0.8}, {"g", 9.81}, {"h", 1}},
                           .signals = {"h", "v"},
                           .until = 1.7,
                           .starts = {"h"},
                           .distance = 2e-4});  // no output point may change sides of a bounce
}

// v⁺ = -e v⁻ at t₁ = √(2 h/g): h(t) = e g t₁ (t - t₁) - g (t - t₁)²/2, in closed form.
TEST(Sensitivity, AfterAnImpactIsItsFormula) {
  const auto system = system_of(ball, {"e", "g"});
  const auto engine =
      engine_of(system, {.until = 1, .rtol = 1e-10, .points = 2, .sensitivities = {"e", "g", "h"}});
  const auto run = engine->run();
  ASSERT_TRUE(run.has_value() && run->ok());
  const double g = 9.81, e = 0.8, t1 = std::sqrt(2 / g), s = 1 - t1;
  const auto at_end = [&](const std::string& name) { return run->trajectory.at(1, column(*run, name)); };
  EXPECT_NEAR(at_end("d(h)/d(e)"), g * t1 * s, 1e-8);
  // ∂h/∂t₁ = e g (s - t₁) + g s, ∂t₁/∂h₀ = 1/(g t₁)
  EXPECT_NEAR(at_end("d(h)/d(h)"), ((e * g * (s - t1)) + (g * s)) / (g * t1), 1e-8);
  EXPECT_NEAR(at_end("d(v)/d(e)"), g * t1, 1e-8);
}

TEST(Sensitivity, ThroughASwitchAndTimeEvents) {
  agrees_with_differences({.text = R"(model Switched
    parameter Real R = 1, C = 0.5, limit = 0.5, T = 1.23;
    Real v(start = 0, fixed = true), u;
  equation
    u = if time > T then 0.2 else 1;
    C*der(v) = (u - v)/R - (if v > limit then 0.5*v else 0);
  end Switched;)",
                           .parameters = {"R", "C", "limit", "T"},
                           .values = {{"R", 1}, {"limit", 0.5}, {"T", 1.23}},
                           .signals = {"v"},
                           .until = 2,
                           .distance = 2e-4});
}

TEST(Sensitivity, ThroughSampledValues) {
  agrees_with_differences({.text = R"(model Sampled
    parameter Real k = 2, a = 1;
    Real x(start = 1, fixed = true);
    discrete Real u(start = 0, fixed = true);
  equation
    der(x) = -a*x + u;
    when sample(0.1, 0.2) then u = -k*x + 0.5*pre(u); end when;
  end Sampled;)",
                           .parameters = {"k", "a"},
                           .values = {{"k", 2}, {"a", 1}},
                           .signals = {"x"},
                           .until = 1.05});
}

// An impulse of the constraint: the parameter decides when the rope becomes taut, and how fast it moves on.
TEST(Sensitivity, ThroughAReinitOfAConstrainedVelocity) {
  agrees_with_differences({.text = R"(model Kicked
    parameter Real L = 1, push = 0.7;
    Real x(start = 0.6, fixed = true), y(start = -0.8), vx(start = 0, fixed = true), vy, l;
  equation
    der(x) = vx; der(y) = vy; der(vx) = -l*x; der(vy) = -l*y - 9.81;
    x^2 + y^2 = L^2;
    when x < 0.2 then reinit(vx, pre(vx) - push*x); end when;
  end Kicked;)",
                           .parameters = {"L", "push"},
                           .values = {{"L", 1}, {"push", 0.7}},
                           .signals = {"x", "y", "vx"},
                           .until = 0.9,
                           .distance = 1e-3});
}

// The tolerance that was asked for is about what sensitivities have, too.
TEST(Sensitivity, HasErrorControl) {
  const auto system = system_of(pendulum, {"L"});
  const auto value = [&](double rtol) {
    const auto engine =
        engine_of(system, {.until = 3, .rtol = rtol, .atol = rtol, .points = 2, .sensitivities = {"L"}});
    const auto run = engine->run();
    EXPECT_TRUE(run.has_value() && run->ok());
    return run->trajectory.at(1, column(*run, "d(x)/d(L)"));
  };
  const double exact = value(1e-12);
  double last = 1;
  for (const double rtol : {1e-4, 1e-6, 1e-8}) {
    const double off = std::abs(value(rtol) - exact) / std::abs(exact);
    // Errors of the solution grow along three swings, and its sensitivity has those of its derivatives.
    EXPECT_LT(off, 1000 * rtol);
    EXPECT_LT(off, last);
    last = off;
  }
}

std::string refusal(std::string_view text, std::vector<std::string> free, RunOptions options) {
  const auto system = system_of(text, std::move(free));
  auto planned = plan(system, options);
  if (!planned) return planned.error().front().message;
  auto engine = compile(*std::move(planned));
  if (!engine) return engine.error().front().message;
  const auto run = (*engine)->run();
  return !run ? run.error().front().message : run->summary.reason;
}

TEST(Sensitivity, IsRefusedByName) {
  EXPECT_NE(refusal(ball, {}, {.sensitivities = {"e"}}).find("'e'"), std::string::npos);
  EXPECT_NE(refusal(ball, {"g"}, {.sensitivities = {"nothing"}}).find("free parameters and inputs: g"),
            std::string::npos);
  EXPECT_NE(refusal(R"(model Root
    parameter Real p = 0;
    Real x(start = 0, fixed = true);
  equation
    der(x) = 1 - sqrt(p);
  end Root;)",
                    {"p"}, {.sensitivities = {"p"}})
                .find("does not start"),
            std::string::npos);
}

// Wherever values are recorded: output points that are computed four at a time, dense output, chosen signals.
TEST(Sensitivity, IsInEveryKindOfOutput) {
  const auto system = system_of(pendulum, {"L"});
  const auto dense = std::make_shared<DenseOutput>();
  const auto engine = engine_of(
      system, {.until = 1, .rtol = 1e-9, .points = 501, .vars = {"x", "lambda"}, .sensitivities = {"L"}});
  const auto run = engine->run({.dense = dense});
  ASSERT_TRUE(run.has_value() && run->ok());
  std::vector<std::string> names;
  for (const Signal& signal : run->trajectory.signals) names.push_back(signal.name);
  EXPECT_EQ(names, (std::vector<std::string>{"x", "lambda", "d(x)/d(L)", "d(lambda)/d(L)"}));
  std::vector<double> row(names.size());
  for (const std::size_t k : {50U, 133U, 400U}) {
    dense->evaluate(run->trajectory.times[k], row);
    EXPECT_NEAR(row[2], run->trajectory.at(k, 2), 1e-6);
    EXPECT_NEAR(row[3], run->trajectory.at(k, 3), 1e-4);
  }
}

}  // namespace
}  // namespace daedalus
