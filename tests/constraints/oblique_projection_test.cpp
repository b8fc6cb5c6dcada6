// Projections along given directions: what the parametrisation integrates stays as it is.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>

#include "constraints/basis.hpp"
#include "constraints/constraint_projector.hpp"
#include "support/formed.hpp"

namespace daedalus::testing {
namespace {

const std::vector<KeptConstraint> both{{.constraint = 0, .times = 0}, {.constraint = 0, .times = 1}};

struct Oblique {
  Oblique()
      : bead(from_text(bead_text())),
        projector(*bead.model, ConstraintMatrices(*bead.model, *bead.form), both) {}
  // In the order x, y, whatever that of the form is.
  void along(double nx, double ny) {
    Eigen::MatrixXd n(2, 1);
    n(bead.position("x"), 0) = nx;
    n(bead.position("y"), 0) = ny;
    for (const int level : {0, 1}) projector.use_directions(level, n);
  }
  void place(double x, double y, double u, double v) {
    bead.value("x") = x;
    bead.value("y") = y;
    bead.value("x", 1) = u;
    bead.value("y", 1) = v;
  }
  Formed bead;
  ConstraintProjector projector;
};

// y and v follow from x and u alone.
TEST(ObliqueProjection, AlongACoordinateKeepsTheOther) {
  Oblique one;
  one.along(0, 1);
  EXPECT_FALSE(one.projector.suits_system());
  for (const double x : {-0.7, 0.0, 0.6}) {
    one.place(x, -0.9, 1.3, 0.4);
    ASSERT_TRUE(one.projector.project(one.bead.environment));
    const double y = -std::sqrt(1 - (x * x));
    EXPECT_EQ(one.bead.value("x"), x);
    EXPECT_EQ(one.bead.value("x", 1), 1.3);
    EXPECT_NEAR(one.bead.value("y"), y, 1e-15);
    EXPECT_NEAR(one.bead.value("y", 1), -x * 1.3 / y, 1e-14);
  }
}

// Whatever the direction n: aᵀp and aᵀv stay for a at right angles to n, and both constraints hold.
TEST(ObliqueProjection, KeepsWhatIsAtRightAnglesToItsDirection) {
  std::mt19937 random(3);
  const auto part = [&] { return (static_cast<double>(random()) / 4294967296.0) - 0.5; };
  for (int k = 0; k < 20; ++k) {
    Oblique one;
    const double nx = 0.6 + (0.5 * part());
    const double ny = -0.8 + (0.5 * part());
    one.along(nx, ny);
    const double x = 0.6 + (0.1 * part());
    const double y = -0.8 + (0.1 * part());
    one.place(x, y, 2 * part(), 2 * part());
    const double before = (ny * x) - (nx * y);
    const double speed = (ny * one.bead.value("x", 1)) - (nx * one.bead.value("y", 1));
    ASSERT_TRUE(one.projector.project(one.bead.environment));
    const double px = one.bead.value("x");
    const double py = one.bead.value("y");
    EXPECT_NEAR((ny * px) - (nx * py), before, 1e-14);
    EXPECT_NEAR((ny * one.bead.value("x", 1)) - (nx * one.bead.value("y", 1)), speed, 1e-14);
    EXPECT_NEAR(std::hypot(px, py), 1, 1e-15);
    EXPECT_NEAR((px * one.bead.value("x", 1)) + (py * one.bead.value("y", 1)), 0, 1e-14);
  }
}

// The direction is a tangent where the coordinate has its largest value: it does not determine the other.
TEST(ObliqueProjection, SaysWhereTheParametrisationEnds) {
  Oblique one;
  one.along(0, 1);
  one.place(1, 0, 0, 0.3);
  one.bead.value("x") = 0.999;  // so that there is something to do
  one.bead.value("y") = 0;
  EXPECT_FALSE(one.projector.project(one.bead.environment));
  EXPECT_NE(one.projector.trouble().find("do not determine"), std::string::npos) << one.projector.trouble();
}

// A constraint of velocity says nothing of positions: their basis is not the run's business, that of
// velocities is a basis of the kernel of both rows.
TEST(Basis, OfVelocitiesHasTheConstraintsOfBothKinds) {
  const Formed skate(from_text(R"(model Skate
  Real x(start = 1), y(start = 0), z(start = 0.5), u, v, w, lambda, mu;
equation
  der(x) = u; der(y) = v; der(z) = w;
  der(u) = -mu*sin(z); der(v) = -lambda + mu*cos(z); der(w) = 1;
  u*sin(z) - v*cos(z) = 0;
  y = 0.1*x;
end Skate;)"));
  const int slider = skate.form->constraints[0].level == 0 ? 0 : 1;
  const Parametrisation both_kinds{.policy = BasisPolicy::Tangent,
                                   .bases = {{.constraints = {slider}, .columns = 2},
                                             {.constraints = {0, 1}, .columns = 1},
                                             {.constraints = {}, .columns = 3}},
                                   .of_level = {0, 1},
                                   .fixed = {}};
  Eigen::MatrixXd g(2, 3);
  g << 0.3, -0.8, 0.2, 0.9, 0.1, -0.4;
  Basis positions(*skate.form, both_kinds, 0, 2, true);
  Basis velocities(*skate.form, both_kinds, 1, 2, true);
  const Basis free(*skate.form, both_kinds, 2, 2, true);
  EXPECT_FALSE(free.used());
  ASSERT_TRUE(positions.update(g));
  ASSERT_TRUE(velocities.update(g));
  EXPECT_EQ(positions.matrix().cols(), 2);
  EXPECT_EQ(velocities.matrix().cols(), 1);
  EXPECT_LT((g.row(slider) * positions.matrix()).norm(), 1e-14);
  EXPECT_LT((g * velocities.matrix()).norm(), 1e-14);
}

}  // namespace
}  // namespace daedalus::testing
