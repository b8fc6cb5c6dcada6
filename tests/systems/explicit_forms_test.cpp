// The underlying ODE of a bead on a circle, as each of the explicit views of it, against the formula:
//
//   λ = (v² - k x²/mx - g y) / (2 x²/mx + 2 y²/my),   x'' = -(k x + 2 x λ)/mx,   y'' = -g - 2 y λ/my.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <array>
#include <cmath>

#include "explicit_model.hpp"
#include "systems/constraint_matrices.hpp"
#include "systems/linear_rates.hpp"
#include "systems/mechanical_form.hpp"
#include "systems/series_form.hpp"

namespace daedalus::testing {
namespace {

constexpr double mx = 1;
constexpr double my = 4;
constexpr double k = 3;
constexpr double g = 9.81;

struct Motion {  // of the formula
  double x, y, vx, vy;
  [[nodiscard]] double lambda() const {
    return ((vx * vx) + (vy * vy) - (k * x * x / mx) - (g * y)) / ((2 * x * x / mx) + (2 * y * y / my));
  }
  [[nodiscard]] double ax() const { return -((k * x) + (2 * x * lambda())) / mx; }
  [[nodiscard]] double ay() const { return -g - (2 * y * lambda() / my); }
};

const std::array<Motion, 3> motions{Motion{0.6, -0.8, 0.4, 0.3}, Motion{0.0, -1.0, 2.0, 0.0},
                                    Motion{-0.28, 0.96, -0.96, -0.28}};

struct Explicit : ExplicitModel {
  Explicit() : ExplicitModel(from_text(bead_text(), {{"k", "3"}})) {}
  [[nodiscard]] std::vector<double> state(const Motion& m) const {
    std::vector<double> y(static_cast<std::size_t>(ode.size()));
    y[place("x", 0)] = m.x;
    y[place("y", 0)] = m.y;
    y[place("x", 1)] = m.vx;
    y[place("y", 1)] = m.vy;
    return y;
  }
  void expect_rates(const Motion& m, const std::vector<double>& yp) const {
    EXPECT_NEAR(yp[place("x", 0)], m.vx, 1e-14);
    EXPECT_NEAR(yp[place("y", 0)], m.vy, 1e-14);
    EXPECT_NEAR(yp[place("x", 1)], m.ax(), 1e-13);
    EXPECT_NEAR(yp[place("y", 1)], m.ay(), 1e-13);
  }
};

TEST(ExplicitForm, RatesAreThoseOfTheFormula) {
  Explicit e;
  ASSERT_EQ(e.ode.size(), 4);
  for (const Motion& m : motions) {
    std::vector<double> yp(4);
    ASSERT_TRUE(e.ode.derivative(0, e.state(m), yp));
    e.expect_rates(m, yp);
  }
  EXPECT_EQ(e.ode.positions(), 2);
  EXPECT_EQ(e.ode.method(), "straight-line");
}

// complete() leaves multipliers and accelerations in the environment, and states and rates can be gathered.
TEST(ExplicitForm, CompleteLeavesEverythingInTheEnvironment) {
  Explicit e;
  for (const Motion& m : motions) {
    ASSERT_TRUE(e.ode.complete(0.5, e.state(m)));
    EXPECT_NEAR(e.value("lambda", 0), m.lambda(), 1e-13);
    EXPECT_EQ(e.value("x", 0), m.x);
    EXPECT_EQ(e.value("y", 1), m.vy);
    EXPECT_NEAR(e.value("x", 2), m.ax(), 1e-13);
    std::vector<double> y(4);
    std::vector<double> yp(4);
    e.ode.gather(y);
    e.ode.gather_rates(yp);
    EXPECT_EQ(y, e.state(m));
    e.expect_rates(m, yp);
  }
}

// x = y = 0 has no direction for the constraint's force: said, not computed.
TEST(ExplicitForm, ASingularPointIsSaid) {
  Explicit e;
  std::vector<double> yp(4);
  ASSERT_TRUE(e.ode.derivative(0, e.state(motions[0]), yp));
  EXPECT_FALSE(e.ode.derivative(0, e.state({0, 0, 1, 1}), yp));
  EXPECT_FALSE(e.ode.trouble().empty());
}

// A spring whose force a is given by a³ + a = x, or by a² = x, which has no solution where x is negative:
// that is no singular matrix, and no solution either.
TEST(ExplicitForm, NewtonsMethodSaysWhereItDoesNotConverge) {
  const auto with_force = [](const std::string& law) {
    return "model Sprung\n  Real x(start = 1); Real y; Real u; Real v; Real a(start = 1); Real l;\nequation\n"
           "  der(x) = u; der(y) = v; der(u) = -a - 2*x*l; der(v) = -2*y*l; x^2 + y^2 = 1; " +
           law + " = x;\nend Sprung;\n";
  };
  for (const bool solvable : {true, false}) {
    const Formed formed(from_text(with_force(solvable ? "a^3 + a" : "a^2 + a")));
    ReformedResidual residual(*formed.model, rewritten_by("index1", *formed.form));
    ExplicitForm ode(*formed.form, residual);
    ASSERT_EQ(ode.linear(), nullptr);
    std::vector<double> environment(static_cast<std::size_t>(residual.slots()), 0.0);
    std::ranges::copy(formed.environment, environment.begin());
    residual.bind(environment);
    for (const double x : solvable ? std::vector<double>{0.6, -0.6} : std::vector<double>{-0.6}) {
      std::vector<double> y(static_cast<std::size_t>(ode.size()), 0.0);
      std::vector<double> yp(y.size());
      for (std::size_t i = 0; i < y.size(); ++i) {
        const NodeId leaf = residual.system().unknowns[static_cast<std::size_t>(ode.states()[i])].leaf;
        if (leaf == formed.leaf("x")) y[i] = x;
        if (leaf == formed.leaf("y")) y[i] = 0.8;
      }
      ode.place(0, y);
      const bool found = ode.derivative(0, y, yp);
      EXPECT_EQ(found, solvable) << x;
      if (found) {
        const double a = environment[static_cast<std::size_t>(residual.slot(formed.leaf("a")))];
        EXPECT_NEAR((a * a * a) + a, x, 1e-12);
      } else {
        EXPECT_NE(ode.trouble().find("converge"), std::string::npos) << ode.trouble();
      }
    }
  }
}

TEST(ExplicitForm, ACopyForACopyOfTheResidualIsIndependent) {
  Explicit e;
  std::vector<double> yp(4);
  ASSERT_TRUE(e.ode.complete(0, e.state(motions[0])));
  ReformedResidual residual = e.residual;
  std::vector<double> elsewhere = e.environment;
  residual.bind(elsewhere);
  ExplicitForm copy(e.ode, residual);
  const std::vector<double> before = e.environment;
  std::vector<double> of_copy(4);
  ASSERT_TRUE(copy.complete(1, e.state(motions[2])));
  EXPECT_EQ(e.environment, before);
  ASSERT_TRUE(copy.derivative(1, e.state(motions[1]), of_copy));
  ASSERT_TRUE(e.ode.derivative(1, e.state(motions[1]), yp));
  EXPECT_EQ(yp, of_copy);
}

// A of the linear core factorised by itself: the same solution as rates() finds.
TEST(LinearRates, AreSolvedByFactorsAsWell) {
  Explicit e;
  LinearRates* linear = e.ode.linear();
  ASSERT_NE(linear, nullptr);
  EXPECT_EQ(linear->method(), "straight-line");
  EXPECT_EQ(linear->positions(), 2);
  for (const Motion& m : motions) {
    e.ode.place(0, e.state(m));
    ASSERT_TRUE(linear->rates(e.environment));
    EXPECT_NEAR(e.value("lambda", 0), m.lambda(), 1e-13);
    const LinearCore& core = linear->core();
    std::vector<double> z;
    for (const NodeId node : core.rhs)
      z.push_back(evaluate(e.formed.form->graph(), node, [&](NodeId leaf) {
        return e.environment[static_cast<std::size_t>(e.residual.slot(leaf))];
      }));
    ASSERT_TRUE(linear->factor(e.environment));
    linear->solve_factored(z);
    for (std::size_t i = 0; i < z.size(); ++i)
      EXPECT_NEAR(z[i], e.environment[static_cast<std::size_t>(e.residual.slot(core.unknowns[i]))], 1e-12);
    EXPECT_GT(linear->regularity(e.environment), 0);
  }
}

// The polynomial through a point satisfies p' = φ(p): at h with an error of the order h^order.
TEST(SeriesForm, ThePolynomialSatisfiesTheEquations) {
  Explicit e;
  SeriesForm series(*e.formed.form, e.residual, e.ode);
  constexpr int order = 16;
  constexpr double h = 0.02;
  for (const Motion& m : motions) {
    std::vector<double> c(4 * (order + 1));
    ASSERT_TRUE(series.expand(0, e.state(m), order, c));
    std::vector<double> value(4, 0.0);
    std::vector<double> slope(4, 0.0);
    for (std::size_t i = 0; i < 4; ++i) {
      for (int j = order; j >= 0; --j) {
        slope[i] = (slope[i] * h) + value[i];
        value[i] = (value[i] * h) + c[(static_cast<std::size_t>(j) * 4) + i];
      }
    }
    std::vector<double> yp(4);
    ASSERT_TRUE(series.derivative(h, value, yp));
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(slope[i], yp[i], 1e-11) << i;  // rates up to 60
    const std::vector<double> y = e.state(m);
    EXPECT_TRUE(std::equal(y.begin(), y.end(), c.begin()));
    // and lies on the constraint, as far as the order goes
    EXPECT_NEAR(std::hypot(value[e.place("x", 0)], value[e.place("y", 0)]), 1, 1e-12);
  }
}

struct Mechanical : Explicit {
  Mechanical() : form(*formed.form, residual, ode) {}
  MechanicalForm form;
};

// M a = f - B λ holds with the accelerations and the multiplier of the formula; g and ġ are those of the
// circle.
TEST(MechanicalForm, PartsAreThoseOfTheFormula) {
  Mechanical m;
  ASSERT_EQ(m.form.positions(), 2);
  ASSERT_EQ(m.form.constraints(), 1);
  EXPECT_TRUE(m.form.constant_mass());
  EXPECT_EQ(mechanical_obstacle(*m.formed.form, true), "");
  const auto px = static_cast<std::size_t>(m.formed.position("x"));
  const std::size_t py = 1 - px;
  for (const Motion& at : motions) {
    const std::vector<double> y = m.state(at);
    std::vector<double> f(2);
    ASSERT_TRUE(m.form.forces(0, y, f));
    ASSERT_TRUE(m.form.load_dynamics(0, y));
    ASSERT_TRUE(m.form.load_constraints(0, y));
    std::vector<double> a(2);
    a[px] = at.ax();
    a[py] = at.ay();
    std::vector<double> sum{-f[0], -f[1]};
    m.form.add_mass_times(a, sum);
    m.form.add_input_times(std::vector<double>{at.lambda()}, sum);
    EXPECT_NEAR(sum[0], 0, 1e-13);
    EXPECT_NEAR(sum[1], 0, 1e-13);
    std::vector<double> mass(2, 0.0);
    m.form.add_mass_times(std::vector<double>{1, 1}, mass);
    EXPECT_EQ(std::abs(mass[px]), mx);
    EXPECT_EQ(std::abs(mass[py]), my);
    std::vector<double> momentum(2);
    ASSERT_TRUE(m.form.momentum_forces(0, y, momentum));  // M is constant
    EXPECT_EQ(momentum, f);
    std::vector<double> c(1);
    ASSERT_TRUE(m.form.position_constraints(0, y, c));
    EXPECT_NEAR(std::abs(c[0]), std::abs((at.x * at.x) + (at.y * at.y) - 1), 1e-15);
    ASSERT_TRUE(m.form.velocity_constraints(0, y, c));
    EXPECT_NEAR(std::abs(c[0]), std::abs(2 * ((at.x * at.vx) + (at.y * at.vy))), 1e-14);
    std::vector<double> free = f;
    ASSERT_TRUE(m.form.solve_mass(free));
    EXPECT_NEAR(free[px], -k * at.x / mx, 1e-13);
    EXPECT_NEAR(free[py], -g, 1e-13);
  }
}

// Δ and ν of [M + d D + κ K, B; G 0] with K = diag(k + 2 λ, 2 λ), D = 0, by dense algebra.
TEST(MechanicalForm, TangentsAreThoseOfTheFormula) {
  Mechanical m;
  const int px = m.formed.position("x");
  const int py = 1 - px;
  ConstraintMatrices matrices(*m.formed.model, *m.formed.form);
  for (const Motion& at : motions) {
    const std::vector<double> y = m.state(at);
    std::vector<double> a(2);
    a[static_cast<std::size_t>(px)] = at.ax();
    a[static_cast<std::size_t>(py)] = at.ay();
    const double lambda = 1.7;
    ASSERT_TRUE(m.form.load_dynamics(0, y));
    ASSERT_TRUE(m.form.load_constraints(0, y));
    ASSERT_TRUE(m.form.load_tangents(0, y, a, std::vector<double>{lambda}));
    m.ode.place(0, y);
    matrices.evaluate(m.environment);
    EXPECT_NEAR(std::abs(matrices.constraint()(0, px)), std::abs(2 * at.x), 1e-15);
    EXPECT_NEAR(std::abs(matrices.input()(py, 0)), std::abs(2 * at.y), 1e-15);
    EXPECT_TRUE(matrices.multipliers_act_along_constraints());
    for (const double factor : {0.0, 0.3}) {
      Eigen::Matrix3d dense = Eigen::Matrix3d::Zero();
      dense.topLeftCorner(2, 2) = matrices.mass();
      dense(px, px) += factor * (k + (2 * lambda)) * (matrices.mass()(px, px) > 0 ? 1 : -1);
      dense(py, py) += factor * 2 * lambda * (matrices.mass()(py, py) > 0 ? 1 : -1);
      dense.topRightCorner(2, 1) = matrices.input();
      dense.bottomLeftCorner(1, 2) = matrices.constraint();
      const Eigen::Vector3d b(0.3, -0.8, 0.2);
      const Eigen::Vector3d expected = dense.fullPivLu().solve(b);
      std::vector<double> z(b.begin(), b.end());
      ASSERT_TRUE(m.form.factor_tangents(0.9, factor));
      m.form.solve_tangents(z);
      for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(z[i], expected(static_cast<int>(i)), 1e-12);
      if (factor != 0) continue;
      z.assign(b.begin(), b.end());
      ASSERT_TRUE(m.form.factor());
      m.form.solve(z);
      for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(z[i], expected(static_cast<int>(i)), 1e-12);
    }
  }
}

}  // namespace
}  // namespace daedalus::testing
