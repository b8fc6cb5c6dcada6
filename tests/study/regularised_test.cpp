// The regularised equations of Petzold, Ren and Maly written out by hand, against the formulations of the
// engine.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "model/load.hpp"
#include "simulate/run.hpp"
#include "study/experiment.hpp"

namespace daedalus {
namespace {

// With e = x - (t + 1), p = 2 (direct) or 4 (trust region), Example 5.1 becomes, whatever is done to it
// after,
//   e' = (ε - (γ t^p + t^(p-1)) e)/(t^p + ε).
// Runge's classical method in steps of 1e-5 is exact to all digits that matter here.
double exact_error(int p, double epsilon, double gamma) {
  const auto slope = [&](double t, double e) {
    const double tp = std::pow(t, p);
    return (epsilon - (((gamma * tp) + std::pow(t, p - 1)) * e)) / (tp + epsilon);
  };
  constexpr double h = 1e-5;
  double e = 0;
  double largest = 0;
  for (int n = 0; n < 200'000; ++n) {
    const double t = -1 + (n * h);
    const double k1 = slope(t, e);
    const double k2 = slope(t + (h / 2), e + (h / 2 * k1));
    const double k3 = slope(t + (h / 2), e + (h / 2 * k2));
    const double k4 = slope(t + h, e + (h * k3));
    e += h / 6 * (k1 + (2 * k2) + (2 * k3) + k4);
    largest = std::max(largest, std::abs(e));
  }
  return largest;
}

TEST(Regularised, Example51HasTheErrorOfTheErrorEquation) {
  for (const auto& [name, p] : {std::pair{"direct-regularization", 2}, {"trust-region", 4}}) {
    for (const double epsilon : {1e-6, 1e-9}) {
      RunSetup setup{.model = "petzold_linear"};
      setup.formulation = std::string(name) + (epsilon == 1e-6 ? ":eps=1e-6" : ":eps=1e-9") + ",gamma=1e3";
      setup.integrator = "radau:max_step=1e-3";
      setup.rtol = setup.atol = 1e-9;
      setup.points = 200001;
      const auto run = perform(setup);
      ASSERT_TRUE(run && run->ok()) << name;
      double largest = 0;
      for (std::size_t row = 0; row < run->trajectory.rows(); ++row) {
        const double t = run->trajectory.times[row];
        largest =
            std::max(largest, std::abs(run->trajectory.at(row, column_of(run->trajectory, "x")) - (t + 1)));
      }
      // The peak is found between output points 1e-5 apart, of a layer of width 3e-5 in the sharpest case.
      EXPECT_NEAR(largest, exact_error(p, epsilon, 1e3), 0.02 * largest) << setup.formulation;
    }
  }
}

// a = G M⁻¹ Gᵀ and R = G f + h + γ g₂ (index 2) or G f + [h] + 2γ g₂ + 2γ² g₃ (index 3), M⁻¹ by hand.
constexpr const char* crank_by_hand = R"(
model CrankByHand
  parameter Real gamma = 1e3, eps = 1e-6;
  parameter Real power = 1 "1: (a^2 + eps) lambda = a R, trust region; 0: (a + eps) lambda = R, direct";
  parameter Real position = 0 "1: with the constraint of position";
  parameter Real curvature = 1;
  Real theta1(start = 0.9, fixed = true), theta2(start = 2.241592653589793, fixed = true);
  Real v1(start = 0.3, fixed = true), v2(start = -0.3, fixed = true), lambda;
  Real c, s, D, Q1, Q2, f1, f2, a, R, h;
equation
  der(theta1) = v1;
  der(theta2) = v2;
  c = cos(theta2 - theta1);
  s = sin(theta2 - theta1);
  D = 2 - c^2;
  Q1 = -s*v2^2 + 19.6*sin(theta1);
  Q2 = s*v1^2 + 9.8*sin(theta2);
  f1 = -(Q1 - c*Q2)/D;
  f2 = -(2*Q2 - c*Q1)/D;
  a = (sin(theta1)^2 - 2*c*sin(theta1)*sin(theta2) + 2*sin(theta2)^2)/D;
  h = cos(theta1)*v1^2 + cos(theta2)*v2^2;
  R = sin(theta1)*f1 + sin(theta2)*f2 + curvature*h + (1 + position)*gamma*(sin(theta1)*v1 + sin(theta2)*v2)
    - position*2*gamma^2*(cos(theta1) + cos(theta2));
  (a^(1 + power) + eps)*lambda = a^power*R;
  2*der(v1) + c*der(v2) + Q1 + sin(theta1)*lambda = 0;
  c*der(v1) + der(v2) + Q2 + sin(theta2)*lambda = 0;
end CrankByHand;
)";

struct HandCase {
  const char* model;
  const char* formulation;
  std::vector<ParameterSetting> settings;
};

double by_hand(const HandCase& which) {
  const auto sources = std::make_shared<SourceMap>();
  const auto file = sources->add("hand", crank_by_hand);
  const auto system = load_model(sources, file, {.settings = which.settings});
  EXPECT_TRUE(system) << render(system.error(), *sources);
  RunOptions options;
  options.until = 2;
  options.rtol = options.atol = 1e-9;
  options.points = 2;
  options.integrator = Selection("radau");
  const auto run = simulate(*system, options);
  EXPECT_TRUE(run && run->ok());
  return last_value(run->trajectory, "theta1");
}

// Two passages of dead centre in [0, 2]. At tolerance 1e-9 the two runs, of the same equations, agree to what
// a hundred steps and the growth by -2.6 and less at each passage leave.
TEST(Regularised, TheSliderCrankIsThatOfTheEquationsByHand) {
  const std::vector<HandCase> cases{
      {"slider_crank_velocity", "trust-region:eps=1e-6,gamma=1e3", {}},
      {"slider_crank_velocity", "direct-regularization:eps=1e-6,gamma=1e3", {{"power", "0"}}},
      {"slider_crank", "trust-region:eps=1e-6,gamma=1e3", {{"position", "1"}}},
      {"slider_crank",
       "trust-region:eps=1e-6,gamma=1e3,curvature=no",
       {{"position", "1"}, {"curvature", "0"}}},
      {"slider_crank",
       "direct-regularization:eps=1e-6,gamma=1e3,curvature=no",
       {{"position", "1"}, {"curvature", "0"}, {"power", "0"}}},
  };
  for (const HandCase& which : cases) {
    RunSetup setup{.model = which.model, .settings = {{"theta0", "0.9"}, {"omega0", "0.3"}}};
    setup.formulation = which.formulation;
    setup.integrator = "radau";
    setup.until = 2;
    setup.rtol = setup.atol = 1e-9;
    setup.points = 2;
    const auto run = perform(setup);
    ASSERT_TRUE(run && run->ok()) << which.formulation;
    EXPECT_NEAR(last_value(run->trajectory, "theta1"), by_hand(which), 1e-6)
        << which.model << " " << which.formulation;
  }
}

double largest_error(const std::string& text, const std::string& formulation) {
  const auto sources = std::make_shared<SourceMap>();
  const auto file = sources->add("model", text);
  const auto system = load_model(sources, file, {});
  EXPECT_TRUE(system) << (system ? "" : render(system.error(), *sources));
  RunOptions options;
  options.rtol = options.atol = 1e-8;
  options.points = 101;
  options.formulation = parse_selection(formulation).value();
  options.integrator = Selection("radau");
  const auto run = simulate(*system, options);
  EXPECT_TRUE(run && run->ok()) << text << (run ? run->summary.reason : "");
  if (!run) return INFINITY;
  double largest = 0;
  for (std::size_t row = 0; row < run->trajectory.rows(); ++row) {
    const double x = run->trajectory.at(row, column_of(run->trajectory, "x"));
    const double exact = run->trajectory.at(row, column_of(run->trajectory, "exact"));
    largest = std::max(largest, std::abs(x - exact));
  }
  return largest;
}

// What stands on which side of `=`, the sign of a multiplier, and the order of equations and multipliers are
// no matter of the model: Example 5.1 of Petzold, Ren, Maly 1997, and doubled constraints with two
// multipliers.
TEST(Regularised, SidesSignsAndOrdersDoNotMatter) {
  const auto linear = [](const char* dynamics, const char* constraint) {
    return std::string("model M Real x(start = 0), y(start = 1), exact; equation exact = time + 1; ") +
           dynamics + "; " + constraint + "; annotation(experiment(StartTime = -1, StopTime = 1)); end M;";
  };
  for (const char* formulation :
       {"direct-regularization:eps=1e-6,gamma=1e3", "trust-region:eps=1e-6,gamma=1e3"}) {
    double first = -1;
    for (const char* dynamics : {"der(x) = 2 + time*y", "der(x) = 2 - time*y", "-der(x) = -2 - time*y",
                                 "2 - time*y - der(x) = 0", "2*der(x) = 4 + 2*time*y"}) {
      for (const char* constraint : {"0 = time*x - time*(time + 1)", "time*(time + 1) - time*x = 0"}) {
        const double error = largest_error(linear(dynamics, constraint), formulation);
        if (first < 0) first = error;
        // All are the same equations; steps differ by round-off at most.
        EXPECT_NEAR(error, first, 0.01 * first) << formulation << ": " << dynamics << "; " << constraint;
      }
    }
    EXPECT_LT(first, 0.05) << formulation;
  }
  const auto doubled = [](const char* constraints, const char* forces) {
    return std::string(
               "model D Real x(start = 1), y, vx, vy, a, b, exact; equation der(x) = vx; der(y) = vy; "
               "exact = cos(time); ") +
           forces + constraints + " annotation(experiment(StopTime = 2)); end D;";
  };
  // x = cos t, y = sin t: the circle is there twice, and a moving line through the point is there, too.
  for (const char* forces :
       {"der(vx) = -a*x - b*x; der(vy) = -a*y - b*y;", "der(vx) = a*x + b*x; der(vy) = a*y + b*y;",
        "der(vx) = -a*x + b*x; der(vy) = -a*y + b*y;"}) {
    for (const char* constraints : {"x^2 + y^2 = 1; x^2 + y^2 = 1;", "1 = x^2 + y^2; x^2 + y^2 = 1;",
                                    "1 - x^2 = y^2; 1 = x^2 + y^2;"}) {
      std::string text = doubled(constraints, forces);
      text.replace(text.find("vy,"), 3, "vy(start = 1),");
      EXPECT_LT(largest_error(text, "direct-regularization:eps=1e-8"), 1e-5) << text;
    }
  }
}

}  // namespace
}  // namespace daedalus
