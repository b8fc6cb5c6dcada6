// Advice on models whose rank, stiffness and speed of constraints can be found by hand.
#include "advise/advice.hpp"
#include "simulate/run.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numbers>
#include <sstream>

#include "advise/check.hpp"
#include "model/load.hpp"

namespace daedalus {
namespace {

DaeSystem read(const std::string& text, const std::string& name, LoadOptions options) {
  auto sources = std::make_shared<SourceMap>();
  auto system = load_model(sources, sources->add(name, text), options);
  EXPECT_TRUE(system.has_value()) << (system ? "" : render(system.error(), *sources));
  return system.value_or(DaeSystem{});
}

DaeSystem problem(const std::string& name, std::vector<ParameterSetting> settings = {}) {
  std::ifstream in(std::string(DAEDALUS_SOURCE_DIR) + "/problems/" + name + ".mo");
  EXPECT_TRUE(in.good()) << name;
  std::stringstream text;
  text << in.rdbuf();
  return read(text.str(), name + ".mo", {.settings = std::move(settings)});
}

std::string number(double value) {
  return std::to_string(value);
}

DaeSystem example(int k, double nu, double c = 1) {
  std::vector<ParameterSetting> settings{{.name = "nu", .value = number(nu)}};
  if (k == 3) settings.push_back({.name = "c", .value = number(c)});
  return problem("ascher_petzold_" + std::to_string(k), settings);
}

// What is measured at the initial values: of a run that is too short to see more.
Measures at_start(const DaeSystem& system) {
  RunOptions options;
  options.until = system.experiment.start_time + 1e-7;
  const Advice advice = advise(system, options);
  EXPECT_TRUE(advice.measures.taken) << advice.why;
  return advice.measures;
}

// Everything below is for t = 0, with paper 003's R, S and F worked out on paper; the run of 1e-7 moves it
// by less than 1e-6.
constexpr double close = 1e-5;

TEST(AdviceMeasures, TurningConstraintOfExample1) {
  for (const double nu : {10.0, 1000.0}) {
    const Measures m = at_start(example(1, nu));
    EXPECT_NEAR(m.constraint_speed, nu, close * nu);
    EXPECT_NEAR(m.stiffness, 1, close);  // x' = -x + …
    EXPECT_NEAR(m.coupling, 0, 1e-8 * nu);
    EXPECT_NEAR(m.obliqueness, 1, close);
    EXPECT_EQ(m.rank, 1);
  }
}

TEST(AdviceMeasures, CouplingOfExample2) {
  // C = (t + 2)(1, t - 2): it turns at 1/(1 + (t - 2)²). S = (2, 1)/√5, R = (1 - ν, 2ν) √5/2, so that
  // R'S = R C⁺ C' S = 0.1 - 0.5 ν.
  for (const double nu : {10.0, 1000.0}) {
    const Measures m = at_start(example(2, nu));
    EXPECT_NEAR(m.constraint_speed, 0.2, close);
    EXPECT_NEAR(m.coupling, (0.5 * nu) - 0.1, close * nu);
    EXPECT_NEAR(m.obliqueness, std::hypot(1 - nu, 2 * nu) * std::sqrt(5.0) / 2, close * nu);
    EXPECT_NEAR(m.stiffness, 0, 1e-6);
  }
}

TEST(AdviceMeasures, MassOfExample3) {
  for (const double nu : {1.0, 100.0}) {
    for (const double c : {0.0, 1.0, 2.0}) {
      const Measures m = at_start(example(3, nu, c));
      const double a = ((2 * nu * nu) - (2 * nu) + 1) / (4 * nu * nu);
      const double trace = a + 2;
      const double root = std::sqrt((trace * trace) - (1 / (nu * nu)));  // det M = 1/(4 ν²)
      EXPECT_NEAR(m.mass_condition, (trace + root) / (trace - root), 1e-4 * (trace + root) / (trace - root));
      EXPECT_NEAR(m.stiffness, c * nu / 2, 1e-4 * nu);
      EXPECT_NEAR(m.coupling, std::abs(0.2 - nu), close * nu);  // 2 R'S
      EXPECT_NEAR(m.constraint_speed, 0.2, close);
    }
  }
}

TEST(AdviceMeasures, Example4) {
  for (const double nu : {1.0, 100.0}) {
    const Measures m = at_start(example(4, nu));
    EXPECT_NEAR(m.constraint_speed, nu, close * nu);
    EXPECT_NEAR(m.stiffness, nu * nu, close * nu * nu);  // v' = -ν² v + …
    EXPECT_NEAR(m.mass_condition, 1, 1e-12);
    EXPECT_NEAR(m.coupling, 0, 1e-8 * nu);
  }
}

// A pendulum that hangs, with length L: its frequency is √(g/L). With a velocity v the normal turns at v/L.
std::string pendulum(double y, double vx, const std::string& extra = "", const std::string& forces = "") {
  return "model P\n  Real x(start = 0, fixed = true), y(start = " + number(y) +
         "), vx(start = " + number(vx) + ", fixed = true), vy, lambda;\n" +
         (extra.empty() ? "" : "  Real mu;\n") +
         "equation\n  der(x) = vx;\n  der(y) = vy;\n  der(vx) = -2*x*lambda" + forces +
         ";\n  der(vy) = -2*y*lambda - 9.81" + (forces.empty() ? "" : " - 1e4*vy") +
         ";\n  x^2 + y^2 = " + number(y * y) + ";\n" + extra +
         "  annotation(experiment(StopTime = 10));\nend P;\n";
}

TEST(AdviceMeasures, HangingPendulum) {
  for (const double length : {1.0, 4.0}) {
    const Measures m = at_start(read(pendulum(-length, 0), "p.mo", {}));
    EXPECT_NEAR(m.stiffness, std::sqrt(9.81 / length), close);
    EXPECT_NEAR(m.constraint_speed, 0, close);
    const Measures moving = at_start(read(pendulum(-length, 3), "p.mo", {}));
    EXPECT_NEAR(moving.constraint_speed, 3 / length, close);
  }
}

struct Expected {
  const char* name;
  std::vector<ParameterSetting> settings;
  MotionCase motion;
  const char* formulation;
};

// Which of the four cases, by the papers' own words on their examples.
TEST(AdviceCases, OfTheExamplesOfPaper003) {
  const std::vector<Expected> table{
      {"ascher_petzold_1", {}, MotionCase::FastConstraints, "projected-invariants:variant=pb"},
      {"ascher_petzold_2", {}, MotionCase::StiffCoupling, "projected-invariants:variant=pb"},
      {"ascher_petzold_3", {}, MotionCase::Slow, "orthogonal-projection"},
      {"ascher_petzold_3", {{"nu", "1000"}}, MotionCase::StiffCoupling, "projected-invariants:variant=pc"},
      {"ascher_petzold_3",
       {{"nu", "1000"}, {"c", "2"}},
       MotionCase::StiffCoupling,
       "projected-invariants:variant=pc"},
      {"ascher_petzold_4", {}, MotionCase::Slow, "orthogonal-projection"},
      {"ascher_petzold_4", {{"nu", "100"}}, MotionCase::StiffCoupling, "projected-invariants:variant=pc"},
      {"pendulum_large", {}, MotionCase::Slow, "orthogonal-projection"},
      {"car_axis", {}, MotionCase::Slow, "orthogonal-projection"},
      {"andrews", {}, MotionCase::Slow, "orthogonal-projection"}};
  for (const Expected& expected : table) {
    const Advice advice = advise(problem(expected.name, expected.settings));
    EXPECT_EQ(advice.motion, expected.motion) << expected.name << ": " << advice.why;
    EXPECT_EQ(advice.formulation.to_text(), expected.formulation) << expected.name << ": " << advice.why;
    EXPECT_TRUE(advice.why.starts_with(expected.formulation)) << advice.why;
    EXPECT_FALSE(advice.measures.singular.has_value()) << expected.name;
  }
}

TEST(AdviceCases, StiffMotion) {
  // A damper of rate 1e4, a motion that takes thousands of seconds.
  const Advice advice = advise(read(pendulum(-1, 0.1, "", " - 1e4*vx"), "p.mo", {}));
  EXPECT_EQ(advice.motion, MotionCase::StiffMotion) << advice.why;
  EXPECT_NEAR(advice.measures.stiffness, 1e4, 10);
  EXPECT_EQ(advice.formulation.name(), "dummy-derivatives");
}

// What is recommended reaches the exact solution x = p = v = exp(t) of all four examples at least as well
// as dummy derivatives do, or to a tenth of the tolerance.
TEST(Advice, IsNotWorse) {
  for (const int k : {1, 2, 3, 4}) {
    const DaeSystem system = example(k, 300);
    const auto error = [&](const Selection& formulation) {
      RunOptions options;
      options.formulation = formulation;
      options.points = 11;
      const auto result = simulate(system, options);
      EXPECT_TRUE(result && result->ok()) << formulation.to_text();
      double largest = 0;
      if (!result) return largest;
      const Trajectory& t = result->trajectory;
      for (std::size_t row = 0; row < t.rows(); ++row) {
        for (std::size_t column = 0; column < t.signals.size(); ++column) {
          if (std::string_view("pvx").find(t.signals[column].name[0]) == std::string_view::npos) continue;
          largest = std::max(largest, std::abs(t.at(row, column) - std::exp(t.times[row])));
        }
      }
      return largest;
    };
    const Advice advice = advise(system);
    EXPECT_EQ(advice.formulation.name(), "projected-invariants") << k;
    EXPECT_LE(error(advice.formulation), std::max(1e-7, error(Selection("dummy-derivatives")))) << k;
  }
}

TEST(AdviceRank, ConstraintWrittenTwice) {
  const std::string text = pendulum(-2, 1, "  3*x^2 + 3*y^2 = 12;\n");
  // The second constraint pushes, too.
  std::string both = text;
  both.replace(both.find("-2*x*lambda"), 11, "-2*x*lambda - 6*x*mu");
  both.replace(both.find("-2*y*lambda"), 11, "-2*y*lambda - 6*y*mu");
  const Advice advice = advise(read(both, "p.mo", {}));
  EXPECT_EQ(advice.formulation.name(), "trust-region") << advice.why;
  EXPECT_EQ(advice.measures.rank, 1);
  EXPECT_EQ(advice.dof, 2);
  EXPECT_NEAR(advice.measures.sigma_min, 1, 1e-9);  // the one that belongs to the rank
  ASSERT_EQ(advice.measures.redundant.size(), 1U);
  const Redundancy& r = advice.measures.redundant[0];
  EXPECT_EQ(r.constraint, 1);
  EXPECT_NE(r.name.find("3*x^2 + 3*y^2 = 12"), std::string::npos) << r.name;
  EXPECT_TRUE(r.combination.starts_with("3 · [x^2 + y^2")) << r.combination;
}

TEST(AdviceRank, LinearCombination) {
  const Advice advice = advise(problem("petzold_redundant"));
  EXPECT_EQ(advice.formulation.name(), "trust-region") << advice.why;
  EXPECT_EQ(advice.measures.rank, 2);
  EXPECT_EQ(advice.dof, 1);  // three unknowns, two independent constraints, m = 1
  ASSERT_EQ(advice.measures.redundant.size(), 1U);
  const std::string& sum = advice.measures.redundant[0].combination;
  EXPECT_TRUE(sum.starts_with("1 · [0 = x1")) << sum;
  EXPECT_NE(sum.find(" + 1 · [0 = x2"), std::string::npos) << sum;
}

TEST(AdviceRank, SingularPointAhead) {
  // From the energy of the crank, (3/2 + cos 2q) q'² = 9.8 (cos q - cos q₀): by quadrature 1.0312662 to q =
  // 0.
  const Advice crank = advise(problem("slider_crank"));
  ASSERT_TRUE(crank.measures.singular.has_value()) << crank.why;
  EXPECT_NEAR(crank.measures.singular->t, 1.0312662, 1e-3);
  EXPECT_EQ(crank.measures.singular->from, 1);
  EXPECT_EQ(crank.measures.singular->to, 0);
  ASSERT_EQ(crank.measures.singular->constraints.size(), 1U);
  EXPECT_EQ(crank.formulation.name(), "orthogonal-projection");
}

TEST(AdviceRank, FourBarsLieLevel) {
  // I θ'' = -P cos θ from θ = π/2, θ' = -1 (see the model): to θ = 0 it takes ∫ dθ/√(1 + 2 P/I (1 - sin θ)).
  // There N constraints are lost.
  const int n = 2;
  const double inertia = ((n + 1) / 3.0) + n;
  const double pull = 9.81 * (((n + 1) / 2.0) + n);
  const int cells = 2000;
  double t = 0;
  for (int k = 0; k < cells; ++k) {
    const double theta = (k + 0.5) * std::numbers::pi / (2 * cells);
    t += std::numbers::pi / (2 * cells) / std::sqrt(1 + (2 * pull / inertia * (1 - std::sin(theta))));
  }
  const Advice advice = advise(problem("n_four_bar"));
  ASSERT_TRUE(advice.measures.singular.has_value()) << advice.why;
  EXPECT_NEAR(advice.measures.singular->t, t, 1e-3);
  EXPECT_EQ(advice.measures.singular->from, 14);
  EXPECT_EQ(advice.measures.singular->to, 14 - n);
  EXPECT_EQ(advice.formulation.name(), "orthogonal-projection");
}

TEST(AdviceRank, SingularPointsThatRegularisationDoesNotHelp) {
  // m = 1: the multiplier has a pole there. Motion constraints: the way on is not determined by them.
  for (const char* name : {"petzold_linear", "petzold_singular", "slider_crank_velocity"}) {
    const Advice advice = advise(problem(name));
    EXPECT_TRUE(advice.measures.singular.has_value()) << name << ": " << advice.why;
    EXPECT_EQ(advice.formulation.name(), "dummy-derivatives") << name;
    ASSERT_TRUE(advice.form);
    EXPECT_FALSE(passes_singular_points(*advice.form)) << name;
  }
}

TEST(AdviceRank, StartInASingularPoint) {
  // Both links lie on the line of the slider; a little beside it the constraint has rank 1.
  const Advice advice = advise(problem("slider_crank", {{"theta0", "0"}, {"omega0", "2"}}));
  ASSERT_TRUE(advice.measures.singular.has_value()) << advice.why;
  EXPECT_EQ(advice.measures.singular->t, 0);
  EXPECT_TRUE(advice.measures.redundant.empty());
  EXPECT_EQ(advice.measures.rank, 1);
  EXPECT_EQ(advice.formulation.name(), "trust-region");
}

TEST(Advice, WithoutTheFormSaysWhy) {
  const Advice advice = advise(problem("mattsson_soderlind_1"));
  EXPECT_EQ(advice.formulation.name(), "dummy-derivatives");
  EXPECT_EQ(advice.form, nullptr);
  EXPECT_NE(advice.broken_by.find("x4"), std::string::npos) << advice.broken_by;
  EXPECT_NE(advice.why.find(advice.broken_by), std::string::npos) << advice.why;
  EXPECT_FALSE(advice.measures.taken);
}

// The run ahead must not look beyond an event, after which everything may be different.
TEST(Advice, LooksAheadUntilTheFirstEvent) {
  std::string text = pendulum(-1, 2);
  text.insert(text.find("  annotation"), "  when x > 0.2 then\n    reinit(vx, -pre(vx));\n  end when;\n");
  const Advice advice = advise(read(text, "p.mo", {}));
  // x = 0.2 is reached at about 0.1; a step may end before it.
  EXPECT_GT(advice.measures.looked_ahead, 0);
  EXPECT_LE(advice.measures.looked_ahead, 0.11);
}

TEST(CheckOfForm, RedundantModelIsDescribed) {
  const DaeSystem system = problem("petzold_redundant");
  const auto report = check(system, system);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->index, 2);
  EXPECT_EQ(report->dof, 1);
  EXPECT_FALSE(report->regular);
  ASSERT_TRUE(report->form.found);
  EXPECT_EQ(report->form.order, 1);
  EXPECT_EQ(report->form.positions, (std::vector<std::string>{"x1", "x2", "x3"}));
  EXPECT_EQ(report->form.multipliers, (std::vector<std::string>{"y1", "y2", "y3"}));
  ASSERT_EQ(report->form.constraints.size(), 3U);
  EXPECT_TRUE(report->initialised);
}

// Multipliers are found by the direction in which they push, not by their order.
TEST(CheckOfForm, MultipliersBelongToConstraints) {
  const DaeSystem system = problem("n_four_bar");
  const auto report = check(system, system);
  ASSERT_TRUE(report.has_value());
  for (const CheckedConstraint& constraint : report->form.constraints) {
    // x[i] - (i - 1) - 0.5*cos(phi[i]) = 0 with i = 2: ax[2], and so on.
    const bool ground_x = constraint.text.starts_with("x[i] - (i - 1)");
    const bool ground_y = constraint.text.starts_with("y[i] - 0.5");
    if (!ground_x && !ground_y) continue;
    const std::string index = constraint.text.substr(constraint.text.find("with i = ") + 9, 1);
    EXPECT_EQ(constraint.multiplier, (ground_x ? "ax[" : "ay[") + index + "]") << constraint.text;
  }
}

TEST(CheckOfForm, ContradictoryConstraintsAreAnErrorThatSaysByHowMuch) {
  std::string text = pendulum(-2, 1, "  3*x^2 + 3*y^2 = 12.6;\n");
  text.replace(text.find("-2*x*lambda"), 11, "-2*x*lambda - 6*x*mu");
  text.replace(text.find("-2*y*lambda"), 11, "-2*y*lambda - 6*y*mu");
  const DaeSystem system = read(text, "p.mo", {});
  const auto report = check(system, system);
  ASSERT_FALSE(report.has_value());
  const std::string& message = report.error().front().message;
  EXPECT_NE(message.find("contradict"), std::string::npos) << message;
  EXPECT_NE(message.find("x^2 + y^2"), std::string::npos) << message;
  EXPECT_NE(message.find("3*x^2 + 3*y^2"), std::string::npos) << message;
  EXPECT_NE(message.find("off by"), std::string::npos) << message;
}

}  // namespace
}  // namespace daedalus
