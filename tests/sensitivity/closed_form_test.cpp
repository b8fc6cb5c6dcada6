// Sensitivities of models whose solutions are formulas in time and parameters, by every formulation: they are
// the formulas' derivatives.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "sensitivity/sensitivity_course.hpp"
#include "simulate/engine.hpp"
#include "support/model_text.hpp"

namespace daedalus::testing {
namespace {

struct Formula {
  const char* signal;
  const char* parameter;
  std::function<double(double)> value;  // of time
};

struct How {
  const char* formulation = "auto";
  const char* integrator = "auto";
  double rtol = 1e-9;
  double until = 1;
};

std::vector<std::string> parameters_of(const std::vector<Formula>& formulas) {
  std::vector<std::string> names;
  for (const Formula& f : formulas) {
    if (std::ranges::find(names, f.parameter) == names.end()) names.emplace_back(f.parameter);
  }
  return names;
}

Trajectory solved(const std::string& text, const std::vector<std::string>& free, const How& how,
                  const std::vector<std::string>& parameters) {
  auto sources = std::make_shared<SourceMap>();
  const auto system = load_model(sources, sources->add("m.mo", text), {.free = free});
  EXPECT_TRUE(system.has_value()) << (system ? "" : render(system.error(), *sources));
  if (!system) return {};
  auto planned = plan(*system, {.until = how.until,
                                .rtol = how.rtol,
                                .atol = how.rtol,
                                .points = 21,
                                .formulation = *parse_selection(how.formulation),
                                .integrator = *parse_selection(how.integrator),
                                .sensitivities = parameters});
  EXPECT_TRUE(planned.has_value()) << how.formulation;
  if (!planned) return {};
  const auto engine = compile(*std::move(planned));
  EXPECT_TRUE(engine.has_value());
  auto run = (*engine)->run();
  EXPECT_TRUE(run.has_value() && run->ok()) << how.formulation << ' ' << how.integrator;
  return run ? std::move(run->trajectory) : Trajectory{};
}

std::size_t column_of(const Trajectory& run, const std::string& name) {
  const auto found = std::ranges::find(run.signals, name, &Signal::name);
  EXPECT_NE(found, run.signals.end()) << name;
  return static_cast<std::size_t>(found - run.signals.begin());
}

// Every formula at every row, relative to its largest value. Sensitivities obey the tolerance as the solution
// does, and errors of both grow along the run: 1000 tolerances.
void obeys(const std::string& text, const std::vector<std::string>& free, const How& how,
           const std::vector<Formula>& formulas) {
  const Trajectory run = solved(text, free, how, parameters_of(formulas));
  ASSERT_EQ(run.rows(), 21U) << how.formulation << ' ' << how.integrator;
  for (const Formula& f : formulas) {
    const std::string name = sensitivity_name(f.signal, f.parameter);
    const std::size_t column = column_of(run, name);
    double largest = 0, off = 0;
    for (std::size_t row = 0; row < run.rows(); ++row) {
      const double expected = f.value(run.times[row]);
      largest = std::max(largest, std::abs(expected));
      off = std::max(off, std::abs(run.at(row, column) - expected));
    }
    EXPECT_LE(off, 1000 * how.rtol * std::max(1.0, largest))
        << how.formulation << ' ' << how.integrator << ": " << name;
  }
}

// A mass on a circle without gravity: θ = v₀ t/r, and the multiplier is m v₀²/(2 r²).
const std::string circle = R"(model Circle
  parameter Real m = 1.5, r = 1.2;
  Real x(start = 1.2, fixed = false), y(start = 0, fixed = true), u, v(start = 0.9, fixed = true), l;
equation
  der(x) = u; der(y) = v;
  m*der(u) = -2*l*x; m*der(v) = -2*l*y;
  x^2 + y^2 = r^2;
end Circle;)";

std::vector<Formula> circle_formulas() {
  constexpr double m = 1.5, r = 1.2, v0 = 0.9;
  const auto angle = [](double t) { return v0 * t / r; };
  return {
      {"x", "r", [=](double t) { return std::cos(angle(t)) + (std::sin(angle(t)) * angle(t)); }},
      {"y", "r", [=](double t) { return std::sin(angle(t)) - (std::cos(angle(t)) * angle(t)); }},
      {"u", "r", [=](double t) { return v0 * std::cos(angle(t)) * angle(t) / r; }},
      {"v", "r", [=](double t) { return v0 * std::sin(angle(t)) * angle(t) / r; }},
      {"l", "r", [](double /*t*/) { return -m * v0 * v0 / (r * r * r); }},
      {"x", "m", [](double /*t*/) { return 0.0; }},
      {"l", "m", [](double /*t*/) { return v0 * v0 / (2 * r * r); }},
      {"x", "v", [=](double t) { return -std::sin(angle(t)) * t; }},
      {"v", "v", [=](double t) { return std::cos(angle(t)) - (std::sin(angle(t)) * angle(t)); }},
      {"l", "v", [](double /*t*/) { return m * v0 / (r * r); }},
  };
}

TEST(ClosedForm, OfIndexThreeByEveryFormulation) {
  for (const char* formulation :
       {"auto", "dummy-derivatives", "ggl", "index1", "index2", "baumgarte", "projected-invariants",
        "projected-invariants:variant=pa", "projected-invariants:variant=pc", "orthogonal-projection",
        "orthogonal-projection:W=M", "coordinate-partitioning", "tangent-plane"}) {
    obeys(circle, {"m", "r"}, {.formulation = formulation}, circle_formulas());
  }
}

TEST(ClosedForm, OfIndexThreeByEveryIntegrator) {
  for (const char* integrator : {"dopri5", "dop853", "radau", "radau:order=variable", "bdf"}) {
    const bool is_explicit = std::string_view(integrator).starts_with("dop");
    obeys(circle, {"m", "r"},
          {.formulation = is_explicit ? "orthogonal-projection" : "dummy-derivatives",
           .integrator = integrator,
           .rtol = 1e-8},
          circle_formulas());
  }
}

// z = w cos(wt) + a sin(wt), the force that keeps x on sin(wt).
TEST(ClosedForm, OfIndexTwoWithTimeInTheConstraint) {
  const std::string text = R"(model Driven
    parameter Real a = 0.7, w = 2;
    Real x, z;
  equation
    der(x) = -a*x + z;
    x = sin(w*time);
  end Driven;)";
  constexpr double a = 0.7, w = 2;
  obeys(text, {"a", "w"}, {.until = 3},
        {{"x", "w", [](double t) { return t * std::cos(w * t); }},
         {"x", "a", [](double /*t*/) { return 0.0; }},
         {"z", "a", [](double t) { return std::sin(w * t); }},
         {"z", "w",
          [](double t) { return std::cos(w * t) - (w * t * std::sin(w * t)) + (a * t * std::cos(w * t)); }}});
}

// y + y³ = p x: ∂y/∂p = x/(1 + 3y²).
TEST(ClosedForm, OfAnAlgebraicEquation) {
  const std::string text = R"(model Cubic
    parameter Real p = 2;
    Real x(start = 1, fixed = true), y;
  equation
    der(x) = -x;
    y + y^3 = p*x;
  end Cubic;)";
  const auto root = [](double c) {  // Cardano; the discriminant is positive
    const double d = std::sqrt((c * c / 4) + (1.0 / 27));
    return std::cbrt((c / 2) + d) + std::cbrt((c / 2) - d);
  };
  const auto slope = [=](double c) { return 1 / (1 + (3 * std::pow(root(c), 2))); };
  for (const char* formulation : {"auto", "dummy-derivatives"}) {
    obeys(text, {"p"}, {.formulation = formulation},
          {{"y", "p", [=](double t) { return slope(2 * std::exp(-t)) * std::exp(-t); }},
           {"y", "x", [=](double t) { return slope(2 * std::exp(-t)) * 2 * std::exp(-t); }}});
  }
}

// Doubled constraints: the reactions share what one alone would bear, and only the sum has a sensitivity,
// which the reported force has.
TEST(ClosedForm, OfAForceThatDoubledConstraintsShare) {
  std::string text = circle;
  text.replace(text.find("l;"), 2, "l, k, force;")
      .replace(text.find("-2*l*x"), 6, "-2*(l + k)*x")
      .replace(text.find("-2*l*y"), 6, "-2*(l + k)*y")
      .replace(text.find("r^2;"), 4, "r^2; 3*x^2 + 3*y^2 = 3*r^2; force = m*(u^2 + v^2)/r;");
  obeys(text, {"m", "r"}, {},
        {{"force", "m", [](double /*t*/) { return 0.9 * 0.9 / 1.2; }},
         {"force", "r", [](double /*t*/) { return -1.5 * 0.9 * 0.9 / (1.2 * 1.2); }},
         {"x", "m", [](double /*t*/) { return 0.0; }}});
}

// The switch is at t = c, and moves with it: y = a t before, a c + b (t - c) after.
TEST(ClosedForm, ThroughASwitchWhoseTimeIsAParameter) {
  const std::string text = R"(model Switch
    parameter Real a = 2, b = -1, c = 0.437;
    Real x(start = 0, fixed = true), y(start = 0, fixed = true);
  equation
    der(x) = 1;
    der(y) = if x < c then a else b;
  end Switch;)";
  static constexpr double c = 0.437;
  for (const char* integrator : {"dop853", "radau", "bdf"}) {
    obeys(text, {"a", "b", "c"}, {.integrator = integrator},
          {{"y", "a", [](double t) { return std::min(t, c); }},
           {"y", "b", [](double t) { return std::max(0.0, t - c); }},
           {"y", "c", [](double t) { return t < c ? 0.0 : 3.0; }},
           {"x", "c", [](double /*t*/) { return 0.0; }}});
  }
}

// A tank that is emptied at a level and filled again: h = t (mod c) falls to 0 at t = c, 2c, …: ∂h/∂c = -k.
TEST(ClosedForm, ThroughRepeatedReinits) {
  const std::string text = R"(model Tank
    parameter Real c = 0.3;
    Real h(start = 0, fixed = true);
  equation
    der(h) = 1;
    when h > c then
      reinit(h, 0);
    end when;
  end Tank;)";
  obeys(text, {"c"}, {}, {{"h", "c", [](double t) { return -std::floor(t / 0.3); }}});
}

// x' = (A + p B) x with random matrices. The sensitivity is the solution of a larger linear system, whose
// exponential a Taylor series has, 40 terms of which leave less than rounding for ‖A‖ ≤ 3.
TEST(ClosedForm, OfRandomLinearSystems) {
  constexpr std::size_t n = 3;
  constexpr double p = 0.6;
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U}) {
    std::mt19937_64 random(seed);
    const auto between = [&random] { return (2 * static_cast<double>(random() >> 11U) * 0x1p-53) - 1; };
    std::vector<double> a(n * n), b(n * n);
    for (double& value : a) value = between();
    for (double& value : b) value = between();
    std::string text =
        "model Linear parameter Real p = 0.6; Real x1(start = 1, fixed = true), x2(start = -1, "
        "fixed = true), x3(start = 0.5, fixed = true); equation ";
    for (std::size_t i = 0; i < n; ++i) {
      text += "der(x" + std::to_string(i + 1) + ") = 0";
      for (std::size_t j = 0; j < n; ++j)
        text += " + (" + std::to_string(a[(i * n) + j]) + " + p*(" + std::to_string(b[(i * n) + j]) + "))*x" +
                std::to_string(j + 1);
      text += "; ";
    }
    text += "end Linear;";
    for (double& value : a) value = std::stod(std::to_string(value));  // as they are written
    for (double& value : b) value = std::stod(std::to_string(value));
    // The solution and its derivative: x^(k+1) = M x^(k), s^(k+1) = M s^(k) + B x^(k).
    const auto sensitivity = [=](std::size_t which, double t) {
      std::vector<double> x{1, -1, 0.5}, s(n, 0.0), sum(n, 0.0);
      for (int k = 1; k <= 40; ++k) {
        std::vector<double> next_x(n, 0.0), next_s(n, 0.0);
        for (std::size_t i = 0; i < n; ++i) {
          for (std::size_t j = 0; j < n; ++j) {
            const double m = a[(i * n) + j] + (p * b[(i * n) + j]);
            next_x[i] += t / k * m * x[j];
            next_s[i] += t / k * ((m * s[j]) + (b[(i * n) + j] * x[j]));
          }
        }
        x = next_x;
        s = next_s;
        for (std::size_t i = 0; i < n; ++i) sum[i] += s[i];
      }
      return sum[which];
    };
    obeys(text, {"p"}, {},
          {{"x1", "p", [=](double t) { return sensitivity(0, t); }},
           {"x2", "p", [=](double t) { return sensitivity(1, t); }},
           {"x3", "p", [=](double t) { return sensitivity(2, t); }}});
  }
}

// Lengths and gravity s times as large make the same motion, s times as large: L ∂x/∂L + g ∂x/∂g + x₀ ∂x/∂x₀
// = x. Gravity s² times as large makes it s times as fast: ∂x/∂t t = 2 g ∂x/∂g, from rest. The mass does not
// matter.
TEST(ClosedForm, ObeysWhatScalingSaysOfAPendulum) {
  const std::string text = R"(model Pendulum
  parameter Real m = 1.3, L = 1.1, g = 9.81;
  Real x(start = 1.1, fixed = false), y(start = 0, fixed = true), vx, vy(start = 0, fixed = true), lambda;
equation
  der(x) = vx; der(y) = vy;
  m*der(vx) = -lambda*x; m*der(vy) = -lambda*y - m*g;
  x^2 + y^2 = L^2;
end Pendulum;)";
  for (const char* formulation :
       {"auto", "dummy-derivatives", "ggl", "projected-invariants", "tangent-plane"}) {
    const How how{.formulation = formulation};
    const Trajectory run = solved(text, {"m", "L", "g"}, how, {"m", "L", "g"});
    ASSERT_EQ(run.rows(), 21U) << formulation;
    for (const auto& [signal, slope] : {std::pair("x", "vx"), std::pair("y", "vy")}) {
      const std::size_t value = column_of(run, signal), rate = column_of(run, slope);
      const std::size_t by_m = column_of(run, sensitivity_name(signal, "m"));
      const std::size_t by_length = column_of(run, sensitivity_name(signal, "L"));
      const std::size_t by_g = column_of(run, sensitivity_name(signal, "g"));
      for (std::size_t row = 0; row < run.rows(); ++row) {
        const double t = run.times[row];
        // y = 0 at the start whatever L is, so x₀ follows L, and its term is in ∂/∂L. Sizes are 10 at most.
        EXPECT_NEAR((1.1 * run.at(row, by_length)) + (9.81 * run.at(row, by_g)), run.at(row, value), 1e-5)
            << formulation << ' ' << t;
        EXPECT_NEAR(2 * 9.81 * run.at(row, by_g), t * run.at(row, rate), 1e-5) << formulation << ' ' << t;
        EXPECT_NEAR(run.at(row, by_m), 0, 1e-6) << formulation << ' ' << t;
      }
    }
  }
}

}  // namespace
}  // namespace daedalus::testing
