// Variants that the papers define in a sentence: constraints converted stably to index 2 and then regularised
// (Petzold, Ren, Maly 1997, §4), Baumgarte's equation with eliminated multipliers (2.8), and (3.16) of
// Petzold, Potra 1992 where [G; L] is dependent (lemma 3.1).
#include <array>
#include <numbers>

#include "simulate/formulation_support.hpp"

namespace daedalus {
namespace {

using testing::difference;
using testing::final_value;
using testing::formulation_value;
using testing::from_text;
using testing::problem;
using testing::refusal;
using testing::run;
using testing::Setting;
using testing::signal;

const std::vector<std::string> plane{"x", "y", "u", "v"};

// g = x² + y² - 1, G = (2x, 2y), L = (2u, 2v), M = diag(1, 3), B = sign · Gᵀ.
std::string pendulum(const std::string& u, const std::string& sign = "-") {
  return "model P Real x(start = 0.8, fixed = true), y(start = -0.6), u(start = " + u +
         ", fixed = true), v, lambda; equation der(x) = u; der(y) = v; der(u) = " + sign +
         "2*lambda*x; 3*der(v) = " + sign + "2*lambda*y - 9.81; x^2 + y^2 = 1; end P;";
}

// One backward Euler step, the equations written out by hand from Petzold, Ren, Maly 1997 (2.10) and (2.12)
// for X = (x, y, u, v), Y = (μ, λ), C = (g, ġ):  𝔅 = [Gᵀ 0; 0 M⁻¹Gᵀ],  ∂C/∂X = [G 0; L G], r = C' + γ C with
// X' = (X - X_0)/h = F - 𝔅 Y.
TEST(Variants, ConvertedStablyToIndexTwoThenRegularised) {
  constexpr double h = 1.0 / 64;
  constexpr double gamma = 7;
  constexpr double eps = 0.3;
  const DaeSystem system = from_text(pendulum("0.5"));
  const Setting setting{.integrator = "backward-euler", .until = h, .steps = 1};
  for (const bool direct : {false, true}) {
    const RunResult result =
        run(system,
            std::string(direct ? "direct-regularization" : "trust-region") + ":convert=ggl,gamma=7,eps=0.3",
            setting);
    const auto step = [&](const char* name) {
      const auto values = signal(result, name);
      return std::array{values.front(), values.back(), (values.back() - values.front()) / h};
    };
    const auto [x0, x, dx] = step("x");
    const auto [y0, y, dy] = step("y");
    const auto [u0, u, du] = step("u");
    const auto [v0, v, dv] = step("v");
    const double lambda = final_value(result, "lambda");
    const double mu = formulation_value(result, "mu[1]");
    EXPECT_NEAR(dx, u - 2 * x * mu, 1e-9);
    EXPECT_NEAR(dy, v - 2 * y * mu, 1e-9);
    EXPECT_NEAR(du, -2 * lambda * x, 1e-9);
    EXPECT_NEAR(3 * dv, -2 * lambda * y - 9.81, 1e-9);
    // C' along X', and γ C.
    const double r1 = 2 * x * dx + 2 * y * dy + gamma * (x * x + y * y - 1);
    const double r2 = 2 * u * dx + 2 * v * dy + 2 * x * du + 2 * y * dv + gamma * (2 * x * u + 2 * y * v);
    // ∂C/∂X 𝔅 = [c 0; d e].
    const double c = 4 * (x * x + y * y);
    const double d = 4 * (u * x + v * y);
    const double e = 4 * (x * x + y * y / 3);
    EXPECT_NEAR(direct ? r1 : c * r1 + d * r2, eps * mu, 1e-8) << direct;
    EXPECT_NEAR(direct ? r2 : e * r2, eps * lambda, 1e-8) << direct;
    // ε is so large that both multipliers feel it.
    EXPECT_GT(std::abs(r1), 1e-5);
    EXPECT_GT(std::abs(r2), 1e-2);
  }
}

// A system of first order is of index 2 already: there is nothing to convert.
TEST(Variants, ConversionOfIndexTwoIsNone) {
  const DaeSystem system = problem("ascher_petzold_1.mo", {{"nu", "7"}});
  const Setting setting{.integrator = "backward-euler", .until = 1, .steps = 64};
  for (const std::string name : {"trust-region:eps=1e-3", "direct-regularization:eps=1e-3"})
    EXPECT_LE(
        difference(run(system, name, setting), run(system, name + ",convert=ggl", setting), {"x1", "x2"}),
        1e-10)
        << name;
}

// m = 3, motion constraints and redundant ones are converted as well; ε by the tolerance.
TEST(Variants, ConvertedSystemsFindTheMotion) {
  const std::string third =
      "model T Real x(start = 1), y(start = 0, fixed = true), u, v(start = 1, fixed = true), a(start = -1), "
      "b(start = 0, fixed = true), l; equation der(x) = u; der(y) = v; der(u) = a; der(v) = b; der(a) = "
      "sin(time) + 2*cos(time) - 2*x*l; der(b) = -cos(time) + 2*sin(time) - 2*y*l; x^2 + y^2 = 1; end T;";
  const std::string redundant =
      "model R Real x(start = 1), y(start = 0, fixed = true), u, v(start = 1, fixed = true), l, k; equation "
      "der(x) = u; der(y) = v; der(u) = -x + 2*x*(1 - l - k); der(v) = -y + 2*y*(1 - l - k); "
      "x^2 + y^2 = 1; 2*x^2 + 2*y^2 = 2; end R;";
  const std::string rolling =
      "model N Real x(start = 1), y(start = 0, fixed = true), s(start = 0, fixed = true), u, "
      "v(start = 1, fixed = true), w, l, k; equation der(x) = u; der(y) = v; der(s) = w; "
      "der(u) = -x + 2*x*(1 - l); der(v) = -y + 2*y*(1 - l) + x*(k - 1); der(w) = 1 - k; "
      "x^2 + y^2 = 1; w = x*v - y*u; end N;";
  for (const std::string& text : {third, redundant, rolling}) {
    for (const char* kind : {"trust-region", "direct-regularization"}) {
      for (const char* integrator : {"radau", "bdf", "dop853"}) {
        const RunResult result = run(from_text(text), std::string(kind) + ":convert=ggl",
                                     {.integrator = integrator, .until = 2, .tolerance = 1e-7});
        EXPECT_NEAR(final_value(result, "x"), std::cos(2), 1e-5) << text << kind << integrator;
        EXPECT_NEAR(final_value(result, "y"), std::sin(2), 1e-5) << text << kind << integrator;
      }
    }
  }
}

// Through the singular points of the slider crank, against the motion in its one angle: swings and rotations,
// at a tolerance at which the other trust region is inaccurate or wrong.
TEST(Variants, ConvertedTrustRegionPassesTheSliderCrank) {
  for (const char* theta : {"0.55", "0.8", "1.15"}) {
    for (const char* omega : {"0", "4", "4.8"}) {
      const std::vector<ParameterSetting> start{{"theta0", theta}, {"omega0", omega}};
      const RunResult result = run(problem("slider_crank.mo", start), "trust-region:convert=ggl",
                                   {.integrator = "radau", .until = 5, .tolerance = 1e-3});
      const RunResult angle = run(problem("slider_crank_angle.mo", start), "auto",
                                  {.integrator = "dop853", .until = 5, .tolerance = 1e-10});
      EXPECT_NEAR(final_value(result, "theta1"), final_value(angle, "q"), 1e-2) << theta << " " << omega;
      EXPECT_GE(result.summary.rank_changes.size(), 1U);
    }
  }
}

// With γ = 1/h under error control what the trust region does at such a point depends on the step there.
TEST(Variants, CoupledTrustRegionSaysThatItPassedASingularPoint) {
  const auto warnings = [](const char* formulation) {
    const RunResult result =
        run(problem("slider_crank.mo"), formulation, {.integrator = "ida", .until = 2, .tolerance = 1e-2});
    std::string all;
    for (const std::string& warning : result.summary.warnings) all += warning;
    return all;
  };
  EXPECT_NE(warnings("trust-region:gamma=1/h").find("does not treat such points"), std::string::npos);
  EXPECT_EQ(warnings("trust-region:convert=ggl").find("does not treat such points"), std::string::npos);
}

// The sign of ε goes with the side of `=` on which a constraint stands, and with the sign of its multiplier:
// by the other sign the doubled constraint made the run fail.
TEST(Variants, DirectRegularisationDoesNotDependOnSides) {
  const Setting setting{.integrator = "radau", .until = 1, .tolerance = 1e-10};
  const auto model = [](const std::string& force, const std::string& constraints) {
    return from_text(
        "model P Real x(start = 0.8, fixed = true), y(start = -0.6), u, v(start = 0.5, fixed = "
        "true), a, b; equation der(x) = u; der(y) = v; der(u) = " +
        force + "*x; der(v) = " + force + "*y - 9.81; " + constraints + " end P;");
  };
  const std::string plain = "x^2 + y^2 = 1; ";
  const std::string doubled = "2*x^2 + 2*y^2 = 2;";
  for (const char* convert : {"none", "ggl"}) {
    const std::string name = std::string("direct-regularization:eps=1e-4,convert=") + convert;
    const RunResult first = run(model("-(a + 2*b)", plain + doubled), name, setting);
    for (const auto& [force, constraints] :
         {std::pair<std::string, std::string>{"-(a + 2*b)", "1 = x^2 + y^2; " + doubled},
          {"-(a + 2*b)", "1 = x^2 + y^2; 2 = 2*x^2 + 2*y^2;"},
          {"(a + 2*b)", plain + doubled},
          {"(2*b - a)", plain + "2 = 2*x^2 + 2*y^2;"}}) {
      const RunResult other = run(model(force, constraints), name, setting);
      // Up to the order of additions: ten tolerances.
      EXPECT_LE(difference(first, other, plane), 1e-9) << name << ": " << force << ", " << constraints;
    }
  }
}

// γ = 1/h under error control follows the step within a factor of two and no further, so that errors follow
// the tolerance; they did not.
TEST(Variants, BaumgarteByTheStepConvergesWithTheTolerance) {
  const DaeSystem system = from_text(pendulum("0.5"));
  const RunResult exact =
      run(system, "orthogonal-projection", {.integrator = "dop853", .until = 2, .tolerance = 1e-12});
  for (const char* integrator : {"radau", "bdf", "dopri5"}) {
    for (const double rtol : {1e-4, 1e-6, 1e-8}) {
      const RunResult result =
          run(system, "baumgarte:gamma=1/h", {.integrator = integrator, .until = 2, .tolerance = rtol});
      EXPECT_LE(difference(result, exact, plane), 100 * rtol) << integrator << " at " << rtol;
    }
  }
}

// (2.1a) coupled to (2.5), and (2.8): different equations for Newton's method, one solution.
TEST(Variants, EliminatedAndCoupledBaumgarteAreTheSameStep) {
  const DaeSystem system = from_text(pendulum("0.5"));
  const Setting setting{.integrator = "backward-euler", .until = 1, .steps = 64};
  for (const std::string name : {"baumgarte:gamma=5", "baumgarte:alpha=3,beta=4", "baumgarte-h:h=0.1"}) {
    const RunResult coupled = run(system, name + ",form=coupled", setting);
    const RunResult eliminated = run(system, name + ",form=eliminated", setting);
    EXPECT_LE(difference(coupled, eliminated, {"x", "y", "u", "v", "lambda"}), 1e-9) << name;
    const RunResult adaptive =
        run(system, name + ",form=eliminated", {.integrator = "radau", .until = 1, .tolerance = 1e-8});
    const RunResult as_ode = run(system, name, {.integrator = "dop853", .until = 1, .tolerance = 1e-10});
    EXPECT_LE(difference(adaptive, as_ode, plane), 1e-5) << name;
  }
}

// Lemma 3.1: at rest L = 0, and of λ and τ only the sum is determined. It is y, whatever the sign of B.
TEST(Variants, ExtendedByLeastNormStartsAtRest) {
  for (const char* sign : {"-", "+"}) {
    const DaeSystem system = from_text(pendulum("0", sign));
    for (const char* integrator : {"radau", "bdf"}) {
      const Setting setting{.integrator = integrator, .until = 3, .tolerance = 1e-8};
      const RunResult result = run(system, "extended:variant=differentiated", setting);
      const RunResult ggl = run(system, "ggl", setting);
      EXPECT_LE(difference(result, ggl, plane), 1e-5) << integrator << sign;
      EXPECT_LE(difference(result, ggl, {"lambda"}), 1e-3) << integrator << sign;
      // At rest Gᵀλ balances gravity along the bar: G M⁻¹(0, -9.81) = G M⁻¹ Gᵀ λ.
      const double balance = -0.6 * 2 * -9.81 / 3 / (4 * (0.64 + 0.36 / 3));
      EXPECT_NEAR(signal(result, "lambda").front(), sign[0] == '-' ? balance : -balance, 1e-8);
      EXPECT_LE(result.summary.drift.levels[0] + result.summary.drift.levels[1], 1e-12);
    }
  }
}

// μ and τ are of the discretisation: with the step of backward Euler they and the error are halved.
TEST(Variants, ExtendedByLeastNormIsOfTheOrderOfTheMethod) {
  const DaeSystem system = from_text(pendulum("0.5"));
  const RunResult exact =
      run(system, "orthogonal-projection", {.integrator = "dop853", .until = 1, .tolerance = 1e-12});
  std::vector<double> errors;
  std::vector<double> taus;
  for (const int steps : {128, 256}) {
    const RunResult result = run(system, "extended:variant=differentiated",
                                 {.integrator = "backward-euler", .until = 1, .steps = steps});
    errors.push_back(std::abs(final_value(result, "x") - final_value(exact, "x")));
    taus.push_back(std::abs(formulation_value(result, "tau[1]")));
  }
  EXPECT_NEAR(errors[0] / errors[1], 2, 0.3);
  EXPECT_NEAR(taus[0] / taus[1], 2, 0.3);
}

TEST(Variants, WhatIsNotDefinedIsRefused) {
  const DaeSystem system = from_text(pendulum("0.5"));
  const Setting setting{.integrator = "radau"};
  EXPECT_NE(refusal(system, "trust-region:convert=ggl,delta=1e-3", setting).find("convert=none"),
            std::string::npos);
  EXPECT_NE(refusal(system, "trust-region:convert=ggl,gamma0=2,gamma1=2", setting).find("gamma and eps"),
            std::string::npos);
  EXPECT_NE(refusal(system, "direct-regularization:convert=ggl,curvature=no", setting).find("curvature"),
            std::string::npos);
}

}  // namespace
}  // namespace daedalus
