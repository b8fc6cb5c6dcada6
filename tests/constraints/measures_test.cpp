// What is measured at one point, of the bead on a circle by hand.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <random>

#include "constraints/mass_check.hpp"
#include "constraints/point_meter.hpp"
#include "constraints/rank_profile.hpp"
#include "constraints/redundancy.hpp"
#include "support/formed.hpp"
#include "support/model_families.hpp"

namespace daedalus::testing {
namespace {

struct Bead : Formed {
  explicit Bead(const std::vector<ParameterSetting>& settings = {})
      : Formed(from_text(bead_text(), settings)) {}
  void place(double angle, double speed) {
    value("x") = std::cos(angle);
    value("y") = std::sin(angle);
    value("x", 1) = -speed * std::sin(angle);
    value("y", 1) = speed * std::cos(angle);
  }
};

// G M⁻¹ Gᵀ = 4 (x²/mx + y²/my), and the condition of M = diag(1, 4).
TEST(PointMeter, SchurComplementAndMassAreThoseOfTheFormula) {
  Bead bead;
  PointMeter meter(*bead.model, *bead.form);
  bead.place(0.7, 0);
  const PointMeasure measure = meter.measure(bead.environment);
  const double x = std::cos(0.7);
  const double y = std::sin(0.7);
  EXPECT_NEAR(std::abs(meter.schur()(0, 0)), 4 * ((x * x) + (y * y / 4)), 1e-14);
  EXPECT_NEAR(meter.constraint().norm(), 2, 1e-14);
  EXPECT_NEAR(measure.mass_condition, 4, 1e-13);
  EXPECT_FALSE(meter.mass_is_singular());
}

// With equal masses R is orthogonal; with others |R| = |left M| / (left M S), S = (-y, x) = left.
TEST(PointMeter, ObliquenessIsThatOfTheProjectionAlongTheForces) {
  Bead equal(std::vector<ParameterSetting>{{"my", "1"}});
  PointMeter of_equal(*equal.model, *equal.form);
  equal.place(0.7, 0);
  EXPECT_NEAR(of_equal.measure(equal.environment).obliqueness, 1, 1e-13);
  Bead bead;
  PointMeter meter(*bead.model, *bead.form);
  bead.place(0.7, 0);
  const double sine = std::sin(0.7);
  const double cosine = std::cos(0.7);
  const double expected = std::hypot(sine, 4 * cosine) / ((sine * sine) + (4 * cosine * cosine));
  EXPECT_NEAR(meter.measure(bead.environment).obliqueness, expected, 1e-13);
}

// The tangent turns as fast as the bead goes round.
TEST(PointMeter, ConstraintSpeedIsTheAngularVelocity) {
  Bead bead(std::vector<ParameterSetting>{{"my", "1"}});
  PointMeter meter(*bead.model, *bead.form);
  for (const double speed : {0.0, 3.0}) {
    bead.place(0.7, speed);
    EXPECT_NEAR(meter.measure(bead.environment).constraint_speed, speed, 1e-13);
  }
}

// At the bottom the spring k x is all that holds it (λ = 0): frozen there it oscillates with √(k/m).
TEST(PointMeter, StiffnessIsTheFrequencyOfTheFrozenMotion) {
  Bead bead({{"k", "900"}, {"my", "1"}});
  PointMeter meter(*bead.model, *bead.form);
  bead.value("x") = 0;
  bead.value("y") = -1;
  EXPECT_NEAR(meter.measure(bead.environment).stiffness, 30, 1e-10);
}

TEST(PointMeter, ASingularMassIsSaid) {
  // x has no inertia of its own: z'' = F acts on both.
  const std::string text = R"(model Two
  Real x(start = 0.6); Real y(start = 0.8); Real vx; Real vy; Real lambda;
equation
  der(x) = vx; der(y) = vy;
  der(vx) + der(vy) = -2*x*lambda;
  der(vx) + der(vy) = -9.81 - 2*y*lambda;
  x^2 + y^2 = 1;
end Two;)";
  Formed two(from_text(text));
  PointMeter meter(*two.model, *two.form);
  two.value("x") = 0.6;
  two.value("y") = 0.8;
  EXPECT_TRUE(std::isinf(meter.measure(two.environment).mass_condition));
  EXPECT_TRUE(meter.mass_is_singular());
  EXPECT_NEAR(meter.schur()(0, 0), 4, 1e-14);  // G Gᵀ in its place
}

// Accelerations that fulfil the equations are not complained of, others are, by the name of the worst
// equation.
TEST(MassCheck, NamesTheEquationThatIsViolated) {
  Bead bead;
  MassCheck check(*bead.model, *bead.form);
  bead.place(0.7, 0);
  const double rtol = 1e-5;
  const double lambda = 1.5;
  bead.value("lambda") = lambda;
  bead.value("x", 2) = -2 * std::cos(0.7) * lambda;
  bead.value("y", 2) = -9.81 - (2 * std::sin(0.7) * lambda / 4);
  EXPECT_EQ(check.warning(bead.environment, rtol), "");
  bead.value("y", 2) *= 1.0001;  // below a thousandth of its terms
  EXPECT_EQ(check.warning(bead.environment, rtol), "");
  bead.value("y", 2) *= 1.05;
  const std::string warning = check.warning(bead.environment, rtol);
  EXPECT_NE(warning.find("der(vy)"), std::string::npos) << warning;
  EXPECT_EQ(warning.find("der(vx)"), std::string::npos) << warning;
}

Eigen::MatrixXd matrix(double a, double b, double c, double d) {
  return (Eigen::MatrixXd(2, 2) << a, b, c, d).finished();
}

TEST(RankProfile, ASingularPointShowsAndUnitsDoNot) {
  for (const double unit : {1.0, 1e-6, 1e6}) {
    const Eigen::MatrixXd d = matrix(1, 0, 0, unit);
    const RankProfile profile = rank_profile({d * matrix(2, 1, 1, 2) * d, d * matrix(2, 2, 2, 2) * d});
    EXPECT_EQ(profile.ranks, (std::vector<int>{2, 1}));
    EXPECT_EQ(profile.regular, 2);
    EXPECT_NEAR(profile.sigma_min, 0, 1e-14);
  }
  // Eigenvalues 1 and 3 of the first, over 3.
  EXPECT_NEAR(rank_profile({matrix(2, 1, 1, 2)}).sigma_min, 1.0 / 3, 1e-14);
}

TEST(RankProfile, ARedundantConstraintIsNoSingularPoint) {
  const RankProfile profile = rank_profile({matrix(2, 2, 2, 2), matrix(1, 1, 1, 1)});
  EXPECT_EQ(profile.ranks, (std::vector<int>{1, 1}));
  EXPECT_EQ(profile.regular, 1);
  EXPECT_GT(profile.sigma_min, 0.4);  // half as large at the second point as at the first
  EXPECT_EQ(rank_profile({}).regular, 0);
}

// Three planes, the third of which is the first and twice the second.
std::string planes() {
  return R"(model Planes
  Real x; Real y; Real z; Real u; Real v; Real w; Real a; Real b; Real c;
equation
  der(x) = u; der(y) = v; der(z) = w;
  der(u) = -a - b - 3*c; der(v) = -a + b + c; der(w) = -a - 2*b - 5*c + 1;
  x + y + z = 1;
  x - y + 2*z = 0;
  3*x - y + 5*z = 1;
end Planes;)";
}

TEST(Redundancies, AreTheLaterOnesWithTheirCombination) {
  const DaeSystem system = from_text(planes());
  const auto form = recognise_constrained_form(system);
  ASSERT_TRUE(form.has_value());
  ASSERT_EQ(form->ny(), 3);
  const auto model = CompiledModel::compile(level_system_of(*form));
  ASSERT_TRUE(model.has_value());
  ConstraintMatrices matrices(**model, *form);
  matrices.evaluate((*model)->fresh_environment());
  const std::vector<Redundancy> found = find_redundancies(*form, matrices.constraint());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].constraint, 2);
  EXPECT_TRUE(found[0].combination.starts_with("1 · [")) << found[0].combination;
  EXPECT_NE(found[0].combination.find(" + 2 · ["), std::string::npos) << found[0].combination;
}

// A little later and elsewhere, on the constraint; velocities stay.
TEST(NearbyPoint, IsConsistentAndElsewhere) {
  Bead bead;
  bead.place(0.7, 2);
  const std::vector<double> before = bead.environment;
  bead.environment = nearby_point(*bead.model, *bead.form, before, 10);
  EXPECT_NEAR(bead.time(), 0.01, 1e-15);
  EXPECT_NEAR(std::hypot(bead.value("x"), bead.value("y")), 1, 1e-14);
  EXPECT_GT(std::abs(bead.value("x") - std::cos(0.7)), 1e-5);
  EXPECT_EQ(bead.value("x", 1), -2 * std::sin(0.7));
}

TEST(MultipliersOfConstraints, AForceAlongTheNormalIsItsOwn) {
  Bead bead;
  bead.place(0.7, 0);
  EXPECT_EQ(multipliers_of_constraints(*bead.model, *bead.form, bead.environment), (std::vector<int>{0}));
}

// On an ellipse-like way inwards: G = 2 (x, y) and so G M⁻¹ Gᵀ shrinks with the square of the radius.
TEST(CourseRank, MeasuresAgainstTheLargestMet) {
  Bead bead(std::vector<ParameterSetting>{{"my", "1"}});
  PointMeter meter(*bead.model, *bead.form);
  CourseRank rank(meter, *bead.form);
  EXPECT_EQ(rank.full_rank(), 1);
  bead.place(0.7, 0);
  EXPECT_NEAR(rank.sigma(bead.environment), 1, 1e-14);
  for (const char* name : {"x", "y"}) bead.value(name) *= 0.1;
  EXPECT_NEAR(rank.sigma(bead.environment), 0.01, 1e-14);
  EXPECT_EQ(rank.rank(0.001), 1);
  EXPECT_EQ(rank.rank(0.1), 0);
  EXPECT_EQ(rank.weakest().size(), 1U);
}

// Two particles hanging at rest, the rods carrying 2 g and g: the double pendulum's ω² = g (2 ± √2).
TEST(PointMeter, EigenvaluesAreThoseOfTheLinearMotion) {
  Formed two(from_text(chain_text(2)));
  PointMeter meter(*two.model, *two.form);
  two.value("l1") = 9.81;
  two.value("l2") = 9.81 / 2;
  const PointMeasure measure = meter.measure(two.environment);
  EXPECT_NEAR(measure.stiffness, std::sqrt(9.81 * (2 + std::sqrt(2.0))), 1e-12);
  EXPECT_NEAR(measure.slowest, std::sqrt(9.81 * (2 - std::sqrt(2.0))), 1e-12);
  EXPECT_NEAR(measure.mass_condition, 1, 1e-14);
  EXPECT_NEAR(measure.obliqueness, 1, 1e-14);
  EXPECT_EQ(measure.constraint_speed, 0);
  EXPECT_EQ(measure.coupling, 0);
}

// Companions come along: a relay of rate 50 is the fastest part, a free drift has no rate of its own.
TEST(PointMeter, CompanionsTakePart) {
  std::string text = bead_text("der(z) = 50*(x - z);");
  text.replace(text.find(" Real mu;"), 9, " Real z(start = 0, fixed = true);");
  for (std::size_t at = 0; (at = text.find("*mu", at)) != std::string::npos;) text.replace(at, 3, "*0");
  Formed bead(from_text(text));
  ASSERT_EQ(bead.form->companions.size(), 1U);
  PointMeter meter(*bead.model, *bead.form);
  bead.value("x") = 0;
  bead.value("y") = -1;
  bead.value("lambda") = 0;
  EXPECT_NEAR(meter.measure(bead.environment).stiffness, 50, 1e-10);
  EXPECT_EQ(meter.measure(bead.environment).slowest, 0) << "at λ = 0 the bead itself is not drawn back";
}

// Units of constraints, of their multipliers and of equations of motion are no part of what is measured.
TEST(PointMeter, UnitsDoNotMatter) {
  std::vector<PointMeasure> measures;
  for (const auto& [constraint, equation] : std::initializer_list<std::pair<const char*, const char*>>{
           {"1", "1"}, {"1e-6", "1"}, {"1", "1e6"}, {"1e5", "1e-5"}}) {
    std::string text = bead_text();
    text.replace(text.find("  x^2 + y^2 = 1;"), 16, "  " + std::string(constraint) + "*(x^2 + y^2 - 1) = 0;");
    text.replace(text.find("  mx * der(vx) = -k*x - 2*x*lambda;"), 35,
                 "  " + std::string(equation) + "*(mx * der(vx) + k*x + 2*x*lambda) = 0;");
    Formed bead(from_text(text, {{"k", "900"}}));
    PointMeter meter(*bead.model, *bead.form);
    bead.value("x") = std::cos(0.7);
    bead.value("y") = std::sin(0.7);
    bead.value("x", 1) = -2 * std::sin(0.7);
    bead.value("y", 1) = 2 * std::cos(0.7);
    bead.value("lambda") = 0.3;
    measures.push_back(meter.measure(bead.environment));
  }
  for (const PointMeasure& measure : measures) {
    EXPECT_NEAR(measure.stiffness, measures[0].stiffness, 1e-9 * measures[0].stiffness);
    EXPECT_NEAR(measure.coupling, measures[0].coupling, 1e-9 * (1 + measures[0].coupling));
    EXPECT_NEAR(measure.constraint_speed, measures[0].constraint_speed, 1e-12);
    EXPECT_NEAR(measure.obliqueness, measures[0].obliqueness, 1e-9);
  }
}

// What is not finite is measured as nothing, instead of as anything.
TEST(PointMeter, PointsWithoutValuesAreNotMeasured) {
  Formed crank(problem("slider_crank.mo"));
  PointMeter meter(*crank.model, *crank.form);
  crank.value("theta1") = std::nan("");
  const PointMeasure measure = meter.measure(crank.environment);
  EXPECT_EQ(measure.stiffness, 0);
  EXPECT_EQ(measure.coupling, 0);
}

// Units of several orders on either side of the same matrices, at every point alike: ranks stay.
TEST(RankProfile, RanksDoNotDependOnUnits) {
  std::mt19937 random(2);
  const auto number = [&] { return (static_cast<double>(random()) / 2147483648.0) - 1; };
  for (int trial = 0; trial < 10; ++trial) {
    std::vector<Eigen::MatrixXd> points;
    for (int k = 0; k < 3; ++k) {
      Eigen::MatrixXd half(4, 3);
      for (double& entry : half.reshaped()) entry = number();
      // Rank 3 of 4, and 2 at one of them.
      if (k == 1) half.col(2) = half.col(0) - half.col(1);
      points.emplace_back(half * half.transpose());
    }
    Eigen::VectorXd units(4);
    for (double& unit : units) unit = std::pow(10, 4 * number());
    std::vector<Eigen::MatrixXd> others;
    for (const Eigen::MatrixXd& point : points)
      others.emplace_back(units.asDiagonal() * point * units.asDiagonal());
    const RankProfile as_is = rank_profile(points);
    const RankProfile in_units = rank_profile(others);
    EXPECT_EQ(as_is.ranks, (std::vector<int>{3, 2, 3}));
    EXPECT_EQ(in_units.ranks, as_is.ranks);
    EXPECT_EQ(in_units.regular, 3);
  }
}

// Rows of small integers with planted dependencies: found are those that the rank does not grow with, and
// each combination gives its row back.
TEST(Redundancies, AreThoseThatTheRankDoesNotGrowWith) {
  const Formed chain(from_text(chain_text(5)));
  std::mt19937 random(12);
  for (int trial = 0; trial < 20; ++trial) {
    Eigen::MatrixXd g(5, 10);
    for (double& entry : g.reshaped()) entry = static_cast<double>(random() % 7) - 3;
    const int planted = 1 + static_cast<int>(random() % 4);
    const int of = static_cast<int>(random() % static_cast<unsigned>(planted));
    g.row(planted) = -2 * g.row(of);
    if (planted > 1) g.row(planted) += 5 * g.row((of + 1) % planted);
    std::vector<int> expected;
    for (int i = 0; i < 5; ++i) {
      const auto rank = [&](int rows) {
        return rows == 0 ? 0 : Eigen::FullPivLU<Eigen::MatrixXd>(g.topRows(rows)).rank();
      };
      if (rank(i + 1) == rank(i)) expected.push_back(i);
    }
    const std::vector<Redundancy> found = find_redundancies(*chain.form, g);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      EXPECT_EQ(found[k].constraint, expected[k]);
      EXPECT_EQ(found[k].name, chain.form->constraint_name(expected[k]));
    }
    const auto at = std::ranges::find(found, planted, &Redundancy::constraint);
    ASSERT_NE(at, found.end());
    if (found.size() == 1) {
      EXPECT_NE(at->combination.find("-2 · [" + chain.form->constraint_name(of) + "]"), std::string::npos)
          << at->combination;
    }
    // A factor of every row changes nothing about who depends on whom.
    const Eigen::VectorXd units =
        Eigen::VectorXd::LinSpaced(5, -4, 4).unaryExpr([](double e) { return std::pow(10, e); });
    EXPECT_EQ(find_redundancies(*chain.form, units.asDiagonal() * g).size(), found.size());
  }
}

// A row of zeros depends on nothing, and is redundant.
TEST(Redundancies, NothingIsTheCombinationOfNothing) {
  const Formed bead(from_text(bead_text()));
  const std::vector<Redundancy> found = find_redundancies(*bead.form, Eigen::MatrixXd::Zero(1, 2));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].combination, "0");
}

// Constraints of position and of velocity: what is the derivative of one is so called, and what is negligible
// left out.
TEST(CombinationText, SaysWhichDerivativesItMeans) {
  const Formed mixed(from_text(R"(model Mixed
  Real x(start = 1), y(start = 0), z(start = 0), u, v, w, a, b;
equation
  der(x) = u; der(y) = v; der(z) = w;
  der(u) = -2*x*a - b; der(v) = -2*y*a + 2*b; der(w) = -b;
  x^2 + y^2 = 1;
  u - 2*v + w = 0;
end Mixed;)"));
  const ConstrainedForm& form = *mixed.form;
  ASSERT_EQ(form.ny(), 2);
  const int velocity = form.constraints[0].level == 1 ? 0 : 1;
  const int position = 1 - velocity;
  const std::vector<int> rows{position, velocity};
  const std::vector<double> factors{0.5, 1e-12};
  EXPECT_EQ(combination_text(form, velocity, rows, factors),
            "0.5 · derivative of [" + form.constraint_name(position) + "]");
  const std::vector<double> both{-1, 2};
  EXPECT_EQ(combination_text(form, position, rows, both), "-1 · [" + form.constraint_name(position) +
                                                              "] + 2 · integral of [" +
                                                              form.constraint_name(velocity) + "]");
}

// Where nothing consistent is nearby, the point is the one that was given.
TEST(NearbyPoint, WithoutAnyItIsTheSame) {
  Formed bead(from_text(bead_text("(x - 5)^2 + y^2 = 1;")));
  EXPECT_EQ(nearby_point(*bead.model, *bead.form, bead.environment, 10), bead.environment);
}

// Multipliers are found by the direction of their forces, in whatever order they are and however they pull.
TEST(MultipliersOfConstraints, AreFoundByTheirForces) {
  std::string text = chain_text(3);
  // The first and the last multiplier exchange their names, and the second one pulls the other way.
  for (const auto& [from, to] : std::initializer_list<std::pair<const char*, const char*>>{
           {"l1", "L3"}, {"l3", "l1"}, {"L3", "l3"}, {"*l2", "*(-l2)"}}) {
    const std::string old = from;
    for (std::size_t at = 0; (at = text.find(old, at)) != std::string::npos; at += std::string(to).size())
      text.replace(at, old.size(), to);
  }
  Formed chain(from_text(text));
  const std::vector<int> found = multipliers_of_constraints(*chain.model, *chain.form, chain.environment);
  ASSERT_EQ(found.size(), 3U);
  std::vector<std::string> names;
  for (const int j : found)
    names.push_back(
        chain.form->system().variables[chain.form->multipliers[static_cast<std::size_t>(j)].at()].name);
  EXPECT_EQ(names, (std::vector<std::string>{"l3", "l2", "l1"}));
}

// An acceleration with which the second equation is violated by this part of its terms: inertia I, and I - r
// beside it.
void violate(Bead& bead, double part) {
  const double others = (4 * 9.81) + (2 * bead.value("y") * bead.value("lambda"));  // 4 y'' + others = r
  // r = part (|I| + |I - r|), I - r = -others, of the same sign as I.
  const double inertia = -others * (1 + part) / (1 - part);
  bead.value("y", 2) = inertia / 4;
  bead.value("x", 2) = -2 * bead.value("x") * bead.value("lambda");
}

// The tolerance decides, up to a thousandth of the terms; a millionth of the largest is no matter.
TEST(MassCheck, AsksForNoMoreThanTheTolerance) {
  Bead bead;
  MassCheck check(*bead.model, *bead.form);
  bead.place(0.7, 0);
  bead.value("lambda") = 1.5;
  struct Row {
    double part, rtol;
    bool warns;
  };
  for (const Row& row : {Row{5e-2, 1e-3, true}, Row{5e-4, 1e-3, false}, Row{2e-3, 1, true},
                         Row{1e-4, 1e-8, true}, Row{5e-7, 1e-8, false}}) {
    violate(bead, row.part);
    const std::string warning = check.warning(bead.environment, row.rtol);
    EXPECT_EQ(!warning.empty(), row.warns) << row.part << " at " << row.rtol << ": " << warning;
  }
  violate(bead, 0.05);
  EXPECT_NE(check.warning(bead.environment, 1e-6).find("violated by 0.05 of its terms"), std::string::npos);
}

// An equation whose terms are nothing beside those of the others is no matter.
TEST(MassCheck, EquationsThatHardlyCountAreLeftAlone) {
  Bead bead(std::vector<ParameterSetting>{{"mx", "1e-9"}});
  MassCheck check(*bead.model, *bead.form);
  bead.place(1.5707963267948966, 0);  // x = 0: the constraint pushes in the direction of y only
  bead.value("lambda") = 1.5;
  violate(bead, 0);
  bead.value("x", 2) = 3;  // of its own terms all of them
  EXPECT_EQ(check.warning(bead.environment, 1e-6), "");
}

// Two gradients that become equal: both are behind the smallest value, and the rank is one less there.
TEST(CourseRank, NamesAllConstraintsThatAreInvolved) {
  Formed crank(from_text(R"(model SliderCrank
  Real x(start = 1); Real y(start = 0); Real s(start = 2); Real u; Real v; Real w; Real l1; Real l2;
equation
  der(x) = u; der(y) = v; der(s) = w;
  der(u) = -2*x*l1 + 2*(s - x)*l2;
  der(v) = -9.81 - 2*y*l1 - 2*y*l2;
  der(w) = -2*(s - x)*l2;
  x^2 + y^2 = 1;
  (s - x)^2 + y^2 = 1;
end SliderCrank;)"));
  PointMeter meter(*crank.model, *crank.form);
  CourseRank rank(meter, *crank.form);
  const auto sigma = [&](double angle) {
    crank.value("x") = std::cos(angle);
    crank.value("y") = std::sin(angle);
    crank.value("s") = 2 * std::cos(angle);
    return rank.sigma(crank.environment);
  };
  const double half_pi = std::acos(0.0);
  EXPECT_GT(sigma(0.5), 0.05);
  EXPECT_EQ(rank.rank(1e-5), 2);
  // σ goes with the square of the distance.
  EXPECT_NEAR(sigma(half_pi - 0.02) / sigma(half_pi - 0.01), 4, 0.05);
  EXPECT_LT(sigma(half_pi), 1e-14);
  EXPECT_EQ(rank.rank(1e-5), 1);
  EXPECT_EQ(rank.weakest().size(), 2U);
}

}  // namespace
}  // namespace daedalus::testing
