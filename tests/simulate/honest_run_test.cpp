// A run ends where its equations have no values, and says where they hold less well than the tolerances ask.
#include <fmt/format.h>

#include "simulate/formulation_support.hpp"

namespace daedalus::testing {
namespace {

RunResult ended_early(const std::string& text, const std::string& integrator, double until = 2) {
  const DaeSystem system = from_text(text);
  RunOptions options;
  options.until = until;
  options.integrator = parse_selection(integrator).value();
  if (!find_integrator(options.integrator.name())->adaptive) options.step = 1e-3;
  auto result = simulate(system, options);
  EXPECT_TRUE(result.has_value());
  if (!result) return {};
  EXPECT_FALSE(result->ok()) << integrator << "\n" << text;
  for (const double value : result->trajectory.values) EXPECT_TRUE(std::isfinite(value)) << integrator;
  return *std::move(result);
}

bool says(const RunResult& result, const std::string& words) {
  return std::ranges::any_of(result.summary.warnings, [&](const std::string& warning) {
    return warning.find(words) != std::string::npos;
  });
}

const std::vector<std::string> implicit_methods{
    "bdf", "ndf", "ida", "radau", "radau:order=variable", "backward-euler", "implicit-midpoint"};

// Output points between 0.49 and 0.51 have no value; steps pass them easily, since nothing reads x.
TEST(OutputPoints, WithoutAFiniteValueEndTheRun) {
  for (const std::string& integrator : implicit_methods) {
    for (const char* equation : {"x = sqrt((time - 0.5)^2 - 1e-4)", "x = log(abs(time - 0.5) - 0.01)"}) {
      const RunResult result =
          ended_early(std::string("model M Real x, y(start = 0, fixed = true); equation der(y) = 1; ") +
                          equation + "; end M;",
                      integrator);
      EXPECT_NE(result.summary.reason.find("x = "), std::string::npos) << result.summary.reason;
      EXPECT_LE(result.trajectory.times.back(), 0.49 + 1e-12);
    }
    // 0.5 is an output point of 2001 up to 2.
    const RunResult pole = ended_early(
        "model M Real x, y(start = 0, fixed = true); equation der(y) = 1; x = 1/(time - 0.5); end M;",
        integrator);
    EXPECT_LT(pole.trajectory.times.back(), 0.5);
  }
}

// Two folds: x² = c - t has no solution beyond c, and at y = 2/3 the branch of x from -1.5 ends, the next one
// being 3 away. Scaled as well: neither units of x nor of time matter.
TEST(Folds, AreTheEndOfTheRun) {
  for (const std::string& integrator : implicit_methods) {
    const RunResult root = ended_early(
        "model M Real x(start = 1), y(start = 0, fixed = true); equation x^2 = 1 - time; der(y) = x; end M;",
        integrator);
    EXPECT_NEAR(root.summary.t_end, 1, 2e-3) << integrator;
    const std::size_t x = column_of(root.trajectory, "x");
    for (std::size_t row = 0; row < root.trajectory.rows(); ++row) {
      const double value = root.trajectory.at(row, x);
      EXPECT_NEAR(value * value, 1 - root.trajectory.times[row], 1e-5) << integrator;
    }
    for (const char* scale : {"1", "1e6"}) {
      const RunResult cubic = ended_early(
          fmt::format("model M parameter Real s = {}; Real x(start = -1.5*s, fixed = true, nominal = s), y; "
                      "equation y = (x/s)^3/3 - x/s; der(y) = 1; end M;",
                      scale),
          integrator);
      EXPECT_NEAR(cubic.summary.t_end, 2.0 / 3 - 0.375, 2e-3) << integrator;
      const std::size_t column = column_of(cubic.trajectory, "x");
      for (std::size_t row = 0; row < cubic.trajectory.rows(); ++row)
        EXPECT_LT(cubic.trajectory.at(row, column), 0) << integrator;
    }
  }
}

// An algebraic unknown that really jumps, without an event, is no end of a solution; nor is a steep one.
TEST(Folds, AreNotSeenWhereThereAreNone) {
  for (const std::string& integrator : implicit_methods) {
    const DaeSystem system = from_text(R"(model M
      Real x, z, y(start = 0, fixed = true);
    equation
      x + 0.1*sin(x) = noEvent(if y > 0.5 then 3 else 0) + z;
      z + 0.2*z^3 = tanh(1e4*(y - 0.75));
      der(y) = 1;
    end M;)");
    RunOptions options;
    options.integrator = parse_selection(integrator).value();
    if (!find_integrator(options.integrator.name())->adaptive) options.step = 1e-3;
    const auto result = simulate(system, options);
    ASSERT_TRUE(result.has_value());
    EXPECT_TRUE(result->ok()) << integrator << ": " << result->summary.reason;
  }
}

// The last row of a run that failed is the last state that was accepted, complete with what follows from it.
TEST(LastRow, FulfilsTheEquations) {
  for (const char* integrator : {"bdf", "radau", "dopri5", "dop853"}) {
    const DaeSystem system = from_text(R"(model M
      Real x(start = 1, fixed = true), v(start = 1, fixed = true), a;
    equation
      der(x) = v; der(v) = a; a = 6*x^2;
      assert(x < 50, "too far");
    end M;)");
    RunOptions options;
    options.until = 5;
    options.points = 7;  // far apart
    options.formulation =
        Selection(std::string(integrator).starts_with("dop") ? "orthogonal-projection" : "auto");
    options.integrator = Selection(integrator);
    const auto result = simulate(system, options);
    if (!result) continue;  // explicit methods need the form of order 2
    ASSERT_FALSE(result->ok());
    const Trajectory& t = result->trajectory;
    const double x = t.at(t.rows() - 1, column_of(t, "x"));
    EXPECT_NEAR(t.at(t.rows() - 1, column_of(t, "a")), 6 * x * x, 1e-5 * (1 + 6 * x * x)) << integrator;
  }
}

constexpr const char* pendulum = R"(model Pendulum
  parameter Real s = 1;
  Real x(start = s, nominal = s), y(start = 0, fixed = true, nominal = s), u(nominal = s), v(start = 0, fixed = true, nominal = s), l;
equation
  der(x) = u; der(y) = v; der(u) = -x*l; der(v) = -y*l - 9.81*s;
  1e3*((x/s)^2 + (y/s)^2) = 1e3;
end Pendulum;)";

// What drifts by more than 100 tolerances is said, at whatever level, by any method, in any unit.
TEST(DriftWarning, ComesWithEveryDriftBeyondTheTolerances) {
  for (const char* s : {"1", "1e-6", "1e6"}) {
    const DaeSystem system = from_text(pendulum, {{"s", s}});
    RunOptions options;
    options.until = 20;
    options.rtol = 1e-6;
    options.points = 201;
    // In position, by local errors that add up; in velocity, by a method that has none of its own there.
    options.formulation = Selection("index1");
    options.integrator = Selection("dopri5");
    auto far = simulate(system, options);
    ASSERT_TRUE(far && far->ok());
    options.formulation = Selection("index3");
    options.integrator = Selection("implicit-midpoint");
    options.step = 0.01;
    auto wild = simulate(system, options);  // refused, or said
    EXPECT_TRUE(!wild || !wild->ok() || says(*wild, "is violated by")) << s;
    // The measure itself: that of the drift in length, (x² + y²)/s² - 1 against 2 rtol or so.
    const Trajectory& t = far->trajectory;
    double length = 0;
    for (std::size_t row = 0; row < t.rows(); ++row) {
      const double scale = std::strtod(s, nullptr);
      length = std::max(
          length,
          std::abs(std::hypot(t.at(row, column_of(t, "x")), t.at(row, column_of(t, "y"))) / scale - 1));
    }
    ASSERT_FALSE(far->summary.drift.in_tolerances.empty());
    EXPECT_GT(far->summary.drift.in_tolerances[0], 0.1 * length / 1e-6) << s;
    EXPECT_LT(far->summary.drift.in_tolerances[0], 5 * length / 1e-6) << s;
    options.step.reset();
    for (const char* formulation : {"auto", "dummy-derivatives"}) {
      options.formulation = Selection(formulation);
      options.integrator = Selection("auto");
      const auto kept = simulate(system, options);
      ASSERT_TRUE(kept && kept->ok());
      EXPECT_FALSE(says(*kept, "violated")) << kept->summary.warnings.front();
    }
  }
}

// The slider crank of equal lengths passes points where its constraints lose rank.
TEST(SingularPoints, PassedWithoutAMethodForThemAreSaid) {
  const DaeSystem crank = problem("slider_crank.mo");
  RunOptions options;
  options.until = 3;
  options.rtol = 1e-6;
  options.points = 61;
  for (const char* formulation : {"index1", "baumgarte", "orthogonal-projection:levels=positions", "ggl",
                                  "dummy-derivatives", "direct-regularization"}) {
    for (const char* integrator : {"dopri5", "dop853", "radau", "bdf"}) {
      options.formulation = parse_selection(formulation).value();
      options.integrator = Selection(integrator);
      const auto result = simulate(crank, options);
      if (!result || !result->ok() || result->summary.rank_changes.empty()) continue;
      // It is made for such points, but explicit methods came out of them wrong at rtol 1e-8.
      if (std::string_view(formulation) == "direct-regularization" &&
          !std::string_view(integrator).starts_with("dop"))
        continue;
      EXPECT_TRUE(says(*result, "changed their rank")) << formulation << ", " << integrator;
    }
  }
}

// The length of a vector that is zero at the start has no derivative there, and nothing reads it: r = √5 t,
// which integration does exactly, is as good as rounding. What a state reads is refused as before.
TEST(OutputPoints, OfOutputsWithoutADerivativeAreRight) {
  const DaeSystem outputs = from_text(
      "model M Real x(start=0, fixed=true), re, im, r, s; equation der(x) = 1; re = x; im = 2*x; "
      "r = sqrt(re^2 + im^2); s = 1 + 3*r; end M;");
  const DaeSystem state = from_text("model M Real x(start=0, fixed=true); equation der(x) = sqrt(x); end M;");
  RunOptions options;
  options.points = 21;
  for (const char* integrator : {"radau", "bdf", "ndf", "ida"}) {
    options.integrator = Selection(integrator);
    const auto result = simulate(outputs, options);
    ASSERT_TRUE(result.has_value()) << integrator;
    ASSERT_TRUE(result->ok()) << integrator << ": " << result->summary.reason;
    const std::vector<double> r = signal(*result, "r");
    const std::vector<double> s = signal(*result, "s");
    for (std::size_t row = 0; row < r.size(); ++row) {
      const double exact = std::sqrt(5.0) * result->trajectory.times[row];
      EXPECT_NEAR(r[row], exact, 1e-12) << integrator;
      EXPECT_NEAR(s[row], 1 + 3 * exact, 1e-12) << integrator;
    }
    const auto refused = simulate(state, options);
    EXPECT_FALSE(refused.has_value() && refused->ok()) << integrator;
  }
}

TEST(Tolerance, BelowRoundingIsSaid) {
  const DaeSystem system = from_text("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;");
  RunOptions options;
  for (const auto& [rtol, said] : {std::pair(1e-15, true), std::pair(1e-10, false)}) {
    options.rtol = rtol;
    const auto result = simulate(system, options);
    ASSERT_TRUE(result.has_value());
    EXPECT_EQ(says(*result, "double precision"), said) << rtol;
  }
}

// z^3 - 3z = p has no root near the last one behind p = -2 ... 2: a step that finds another root does not
// follow the solution. With a condition that makes no event somewhere, the model may mean it.
TEST(Jumps, AreWarnedOfWhereAConditionMakesNoEvent) {
  const std::string fold =
      "model M Real p(start = -3, fixed = true); Real z(start = -2.1038); equation der(p) = 1; "
      "z^3 - 3*z = p";
  RunOptions options;
  options.until = 8;
  options.formulation = Selection("dummy-derivatives");
  options.integrator = Selection("backward-euler");
  options.points = 2;  // none within the step that jumps, where the equations have no values near it
  int jumps = 0;
  for (const double h : {0.13, 0.3, 0.7, 1.1, 1.7, 3.3}) {
    options.step = h;
    const auto ends = simulate(from_text(fold + "; end M;"), options);
    const auto jumped = simulate(from_text(fold + " + (if noEvent(p > 100) then 1 else 0); end M;"), options);
    ASSERT_TRUE(ends.has_value() && jumped.has_value()) << h;
    EXPECT_FALSE(says(*ends, "without an event")) << h;
    if (ends->summary.reason.find("ends there or shortly after") == std::string::npos) continue;
    ++jumps;
    EXPECT_TRUE(jumped->ok()) << h << ": " << jumped->summary.reason;
    EXPECT_TRUE(says(*jumped, "z jumps from")) << h;
    EXPECT_TRUE(says(*jumped, "without an event")) << h;
  }
  EXPECT_GE(jumps, 1);
}

// The root of y + y^3/10 = c, by Newton's method to rounding.
double root_for(double c) {
  double y = 1;
  for (int k = 0; k < 60; ++k) y -= (y + 0.1 * y * y * y - c) / (1 + 0.3 * y * y);
  return y;
}

// A value that jumps without an event: radau's Newton iteration does not get over it, with any step size; one
// stage that ends behind it has nothing in the way. Where the integrator was left to auto, bdf is tried then.
TEST(OtherIntegrator, GoesOnWhereRadauGivesUp) {
  const DaeSystem system = from_text(
      "model M Real x(start = 0, fixed = true), w(start = 0, fixed = true), y(start = 1); equation "
      "der(x) = 1; der(w) = y; y + 0.1*y^3 = if noEvent(x > 0.5) then 10 else 1; end M;");
  RunOptions options;
  options.until = 1;
  options.integrator = Selection("radau");
  const auto named = simulate(system, options);
  ASSERT_TRUE(named.has_value());
  EXPECT_FALSE(named->ok());
  EXPECT_NEAR(named->summary.t_end, 0.5, 1e-6);
  options.integrator = Selection("auto");
  const auto free = simulate(system, options);
  ASSERT_TRUE(free.has_value());
  ASSERT_TRUE(free->ok()) << free->summary.reason;
  EXPECT_EQ(free->summary.integrator.name(), "bdf");
  EXPECT_NE(free->summary.why.find("radau gave up at t = 0.5"), std::string::npos) << free->summary.why;
  // The jump is met within a step whose error test holds at rtol 1e-6; ten times that for the rest of the
  // run.
  EXPECT_NEAR(signal(*free, "w").back(), (0.5 * root_for(1)) + (0.5 * root_for(10)), 1e-5);
}

// A ring, 4 y[i] - y[i-1] - y[i+1] = p x, is y = p x/2. Solved for one y after the other each error would
// grow by 3.7 from one to the next, and it had: x was 0.05 after a second, with status ok.
TEST(HonestRun, ALongChainOfDefinitionsLosesNoDigits) {
  for (const int n : {5, 12, 20, 60, 200}) {
    const DaeSystem system =
        from_text(fmt::format("model Ring parameter Integer n = {}; parameter Real p = 1; Real x(start = 1, "
                              "fixed = true), y[n]; equation "
                              "der(x) = -x + 0.1*y[1]; 4*y[1] - y[n] - y[2] = p*x; for i in 2:n-1 loop "
                              "4*y[i] - y[i-1] - y[i+1] = p*x; "
                              "end for; 4*y[n] - y[n-1] - y[1] = p*x; end Ring;",
                              n));
    for (const char* integrator : {"auto", "radau", "bdf"}) {
      RunOptions options;
      options.until = 1;
      options.rtol = 1e-8;
      options.atol = 1e-10;
      options.integrator = *parse_selection(integrator);
      const auto result = simulate(system, options);
      ASSERT_TRUE(result.has_value() && result->ok()) << n << ' ' << integrator;
      const std::size_t x = column_of(result->trajectory, "x");
      const std::size_t y = column_of(result->trajectory, fmt::format("y[{}]", (n + 1) / 2));
      const std::size_t last = result->trajectory.rows() - 1;
      // The error of the run: some tolerances; of definitions that lose eight digits nothing is seen.
      EXPECT_NEAR(result->trajectory.at(last, x), std::exp(-0.95), 1e-6) << n << ' ' << integrator;
      EXPECT_NEAR(result->trajectory.at(last, y), std::exp(-0.95) / 2, 1e-6) << n << ' ' << integrator;
    }
  }
}

}  // namespace
}  // namespace daedalus::testing
