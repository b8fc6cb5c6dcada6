// Advice on models whose rank, stiffness and speed of constraints can be found by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "advise/advice.hpp"
#include "models.hpp"
#include "support/model_text.hpp"

namespace daedalus::testing {
namespace {

DaeSystem example(int k, double nu, double c = 1) {
  std::vector<ParameterSetting> settings{{.name = "nu", .value = std::to_string(nu)}};
  if (k == 3) settings.push_back({.name = "c", .value = std::to_string(c)});
  return problem("ascher_petzold_" + std::to_string(k) + ".mo", settings);
}

// What is measured at the initial values: of a run that is too short to see more.
Measures at_start(const DaeSystem& system) {
  RunOptions options;
  options.until = system.experiment.start_time + 1e-7;
  const Advice advice = advise(system, options);
  EXPECT_TRUE(advice.measures.taken) << advice.why;
  return advice.measures;
}

// Everything below is for t = 0, with R, S and F of Ascher, Petzold 1993 worked out on paper; the run of 1e-7
// moves it by less than 1e-6.
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

TEST(AdviceMeasures, HangingPendulum) {
  for (const double length : {1.0, 4.0}) {
    const Measures m = at_start(from_text(hanging_pendulum(-length, 0)));
    EXPECT_NEAR(m.stiffness, std::sqrt(9.81 / length), close);
    EXPECT_NEAR(m.constraint_speed, 0, close);
    const Measures moving = at_start(from_text(hanging_pendulum(-length, 3)));
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
      {"ascher_petzold_4", {{"nu", "1000"}}, MotionCase::StiffCoupling, "projected-invariants:variant=pc"},
      {"pendulum_large", {}, MotionCase::Slow, "orthogonal-projection"},
      {"car_axis", {}, MotionCase::Slow, "orthogonal-projection"},
      {"andrews", {}, MotionCase::Slow, "orthogonal-projection"}};
  for (const Expected& expected : table) {
    const Advice advice = advise(problem(expected.name + std::string(".mo"), expected.settings));
    EXPECT_EQ(advice.motion, expected.motion) << expected.name << ": " << advice.why;
    EXPECT_EQ(advice.formulation.to_text(), expected.formulation) << expected.name << ": " << advice.why;
    EXPECT_TRUE(advice.why.starts_with(expected.formulation)) << advice.why;
    EXPECT_FALSE(advice.measures.singular.has_value()) << expected.name;
  }
}

TEST(AdviceCases, StiffMotion) {
  // A damper of rate 1e4, a motion that takes thousands of seconds.
  const Advice advice = advise(from_text(hanging_pendulum(-1, 0.1, "", " - 1e4*vx")));
  EXPECT_EQ(advice.motion, MotionCase::StiffMotion) << advice.why;
  EXPECT_NEAR(advice.measures.stiffness, 1e4, 10);
  EXPECT_EQ(advice.formulation.name(), "dummy-derivatives");
}

TEST(AdviceRank, ConstraintWrittenTwice) {
  const Advice advice = advise(from_text(circle_twice("12")));
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
  const Advice advice = advise(problem("petzold_redundant.mo"));
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
  const Advice crank = advise(problem("slider_crank.mo"));
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
  const Advice advice = advise(problem("n_four_bar.mo"));
  ASSERT_TRUE(advice.measures.singular.has_value()) << advice.why;
  EXPECT_NEAR(advice.measures.singular->t, t, 1e-3);
  EXPECT_EQ(advice.measures.singular->from, 14);
  EXPECT_EQ(advice.measures.singular->to, 14 - n);
  EXPECT_EQ(advice.formulation.name(), "orthogonal-projection");
}

TEST(AdviceRank, SingularPointsThatRegularisationDoesNotHelp) {
  // m = 1: the multiplier has a pole there. Motion constraints: the way on is not determined by them.
  for (const char* name : {"petzold_linear", "petzold_singular", "slider_crank_velocity"}) {
    const Advice advice = advise(problem(name + std::string(".mo")));
    EXPECT_TRUE(advice.measures.singular.has_value()) << name << ": " << advice.why;
    EXPECT_EQ(advice.formulation.name(), "dummy-derivatives") << name;
    ASSERT_TRUE(advice.form);
    EXPECT_FALSE(passes_singular_points(*advice.form)) << name;
  }
}

TEST(AdviceRank, StartInASingularPoint) {
  // Both links lie on the line of the slider; a little beside it the constraint has rank 1.
  const Advice advice = advise(problem("slider_crank.mo", {{"theta0", "0"}, {"omega0", "2"}}));
  ASSERT_TRUE(advice.measures.singular.has_value()) << advice.why;
  EXPECT_EQ(advice.measures.singular->t, 0);
  EXPECT_TRUE(advice.measures.redundant.empty());
  EXPECT_EQ(advice.measures.rank, 1);
  EXPECT_EQ(advice.formulation.name(), "trust-region");
}

TEST(Advice, WithoutTheFormSaysWhy) {
  const Advice advice = advise(problem("mattsson_soderlind_1.mo"));
  EXPECT_EQ(advice.formulation.name(), "dummy-derivatives");
  EXPECT_EQ(advice.form, nullptr);
  EXPECT_NE(advice.broken_by.find("x4"), std::string::npos) << advice.broken_by;
  EXPECT_NE(advice.why.find(advice.broken_by), std::string::npos) << advice.why;
  EXPECT_FALSE(advice.measures.taken);
}

// The run ahead must not look beyond an event, after which everything may be different.
TEST(Advice, LooksAheadUntilTheFirstEvent) {
  std::string text = hanging_pendulum(-1, 2);
  text.insert(text.find("  annotation"), "  when x > 0.2 then\n    reinit(vx, -pre(vx));\n  end when;\n");
  const Advice advice = advise(from_text(text));
  // x = 0.2 is reached at about 0.1; a step may end before it.
  EXPECT_GT(advice.measures.looked_ahead, 0);
  EXPECT_LE(advice.measures.looked_ahead, 0.11);
}

}  // namespace
}  // namespace daedalus::testing
