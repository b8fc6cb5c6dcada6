// What is measured at one point, of the bead on a circle by hand.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "constraints/mass_check.hpp"
#include "constraints/point_meter.hpp"
#include "constraints/rank_profile.hpp"
#include "constraints/redundancy.hpp"
#include "support/formed.hpp"

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
TEST(RankWatch, MeasuresAgainstTheLargestMet) {
  Bead bead(std::vector<ParameterSetting>{{"my", "1"}});
  PointMeter meter(*bead.model, *bead.form);
  RankWatch watch(meter, *bead.form);
  EXPECT_EQ(watch.full_rank(), 1);
  bead.place(0.7, 0);
  EXPECT_NEAR(watch.sigma(bead.environment), 1, 1e-14);
  for (const char* name : {"x", "y"}) bead.value(name) *= 0.1;
  EXPECT_NEAR(watch.sigma(bead.environment), 0.01, 1e-14);
  EXPECT_EQ(watch.rank(0.001), 1);
  EXPECT_EQ(watch.rank(0.1), 0);
  EXPECT_EQ(watch.weakest().size(), 1U);
}

}  // namespace
}  // namespace daedalus::testing
