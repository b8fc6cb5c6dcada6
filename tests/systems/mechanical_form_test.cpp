// The parts of constrained mechanical systems against differences of each other: masses that move, pivots
// that move, tangents; and what keeps a model from being one.
#include "systems/mechanical_form.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "explicit_model.hpp"
#include "support/model_families.hpp"

namespace daedalus::testing {
namespace {

struct MechanicalModel : ExplicitModel {
  explicit MechanicalModel(const DaeSystem& system, bool unconstrained = false)
      : ExplicitModel(system, unconstrained), form(*formed.form, residual, ode) {}
  [[nodiscard]] std::size_t n() const { return static_cast<std::size_t>(form.positions()); }
  [[nodiscard]] std::size_t m() const { return static_cast<std::size_t>(form.constraints()); }
  // M(p) v, with M of the positions in y.
  std::vector<double> momentum(double t, const std::vector<double>& y, const std::vector<double>& v) {
    std::vector<double> sum(n(), 0.0);
    EXPECT_TRUE(form.load_dynamics(t, y));
    form.add_mass_times(v, sum);
    return sum;
  }
  // M a - f + B λ.
  std::vector<double> residual_at(double t, const std::vector<double>& y, const std::vector<double>& a,
                                  const std::vector<double>& lambda) {
    std::vector<double> sum = momentum(t, y, a);
    form.add_input_times(lambda, sum);
    std::vector<double> f(n());
    EXPECT_TRUE(form.forces(t, y, f));
    for (std::size_t i = 0; i < n(); ++i) sum[i] -= f[i];
    return sum;
  }
  Eigen::MatrixXd matrix_of(const std::function<void(std::span<const double>, std::span<double>)>& product,
                            std::size_t rows, std::size_t columns) {
    Eigen::MatrixXd matrix(rows, columns);
    for (std::size_t c = 0; c < columns; ++c) {
      std::vector<double> unit(columns, 0.0);
      std::vector<double> out(rows, 0.0);
      unit[c] = 1;
      product(unit, out);
      for (std::size_t r = 0; r < rows; ++r) matrix(r, c) = out[r];
    }
    return matrix;
  }
  Eigen::MatrixXd mass() {
    return matrix_of([&](auto v, auto out) { form.add_mass_times(v, out); }, n(), n());
  }
  Eigen::MatrixXd input() {
    return matrix_of([&](auto v, auto out) { form.add_input_times(v, out); }, n(), m());
  }
  Eigen::MatrixXd gradient() {
    return matrix_of([&](auto v, auto out) { form.add_constraints_times(v, out); }, m(), n());
  }
  MechanicalForm form;
};

struct Family {
  const char* name;
  DaeSystem system;
  bool unconstrained = false;
};

std::vector<Family> families() {
  return {{"bead", from_text(bead_text(), {{"k", "3"}})}, {"chain", from_text(chain_text(3))},
          {"moving pivot", from_text(moving_pivot)},      {"arms", from_text(arms), true},
          {"slider crank", problem("slider_crank.mo")},   {"four bars", problem("n_four_bar.mo")}};
}

// Central differences with steps of 1e-5 of values up to 100: see values.hpp.
constexpr double difference_error = 1e-7;
constexpr double now = 0.3;

std::vector<double> slice(const std::vector<double>& y, std::size_t first, std::size_t count) {
  return {y.begin() + static_cast<std::ptrdiff_t>(first),
          y.begin() + static_cast<std::ptrdiff_t>(first + count)};
}

// M a = f - B λ and G a = … with what derivative() and multipliers() give.
TEST(MechanicalForm, RatesAndMultipliersFulfilTheEquationsOfMotion) {
  for (const Family& family : families()) {
    MechanicalModel model(family.system, family.unconstrained);
    for (unsigned seed = 1; seed <= 5; ++seed) {
      const std::vector<double> y = model.some_states(seed);
      std::vector<double> yp(y.size());
      ASSERT_TRUE(model.form.derivative(now, y, yp)) << family.name;
      ASSERT_TRUE(model.ode.complete(now, y)) << family.name;
      std::vector<double> lambda(model.m());
      model.form.multipliers(lambda);
      const std::vector<double> acceleration = slice(yp, model.n(), model.n());
      double size = 1;
      for (const double value : lambda) size = std::max(size, std::abs(value));
      for (const double a : acceleration) size = std::max(size, std::abs(a));
      for (const double r : model.residual_at(now, y, acceleration, lambda))
        EXPECT_NEAR(r, 0, 1e-9 * size) << family.name;
      EXPECT_EQ(slice(yp, 0, model.n()), slice(y, model.n(), model.n())) << "p' = v";
    }
  }
}

// f + Ṁ v, Ṁ by differences along the motion.
TEST(MechanicalForm, MomentumForcesHaveTheRateOfTheMass) {
  bool moves = false;
  for (const Family& family : families()) {
    MechanicalModel model(family.system, family.unconstrained);
    const std::vector<double> y = model.some_states(3);
    const std::vector<double> v = slice(y, model.n(), model.n());
    std::vector<double> f(model.n());
    std::vector<double> momentum(model.n());
    ASSERT_TRUE(model.form.forces(now, y, f));
    ASSERT_TRUE(model.form.momentum_forces(now, y, momentum));
    for (std::size_t i = 0; i < model.n(); ++i) {
      const double rate = central_difference([&](double h) {
        std::vector<double> there = y;
        for (std::size_t j = 0; j < model.n(); ++j) there[j] += h * v[j];
        return model.momentum(now + h, there, v)[i];
      });
      EXPECT_NEAR(momentum[i] - f[i], rate, difference_error) << family.name;
      if (std::abs(rate) > 0.01) moves = true;
    }
    EXPECT_EQ(model.form.constant_mass(),
              family.name != std::string_view("arms") && family.name != std::string_view("slider crank"))
        << family.name;
  }
  EXPECT_TRUE(moves);
}

// The constraint of velocity is the rate of that of position, G v + ∂g/∂t; G is its derivative by v.
TEST(MechanicalForm, VelocityConstraintsAreRatesOfPositionConstraints) {
  for (const Family& family : families()) {
    MechanicalModel model(family.system, family.unconstrained);
    const std::vector<double> y = model.some_states(4);
    std::vector<double> c(model.m());
    ASSERT_TRUE(model.form.velocity_constraints(now, y, c));
    ASSERT_TRUE(model.form.load_constraints(now, y));
    const Eigen::MatrixXd gradient = model.gradient();
    std::vector<double> moved(model.m());
    for (std::size_t i = 0; i < model.m(); ++i) {
      const double rate = central_difference([&](double h) {
        std::vector<double> there = y;
        for (std::size_t j = 0; j < model.n(); ++j) there[j] += h * y[model.n() + j];
        EXPECT_TRUE(model.form.position_constraints(now + h, there, moved));
        return moved[i];
      });
      EXPECT_NEAR(c[i], rate, difference_error) << family.name;
      for (std::size_t j = 0; j < model.n(); ++j) {
        const double slope = central_difference([&](double h) {
          std::vector<double> there = y;
          there[model.n() + j] += h;
          EXPECT_TRUE(model.form.velocity_constraints(now, there, moved));
          return moved[i];
        });
        EXPECT_NEAR(gradient(static_cast<int>(i), static_cast<int>(j)), slope, difference_error)
            << family.name;
      }
    }
  }
}

// [M + d D + k K, B; G 0] with K and D by differences of the residual, against dense algebra.
TEST(MechanicalForm, TangentsAreDerivativesOfTheResidual) {
  for (const Family& family : families()) {
    MechanicalModel model(family.system, family.unconstrained);
    const std::vector<double> y = model.some_states(6);
    std::vector<double> a(model.n());
    std::vector<double> lambda(model.m());
    scatter_numbers(a, 7);
    scatter_numbers(lambda, 8);
    const auto n = static_cast<Eigen::Index>(model.n());
    const auto m = static_cast<Eigen::Index>(model.m());
    Eigen::MatrixXd stiffness(n, n);
    Eigen::MatrixXd damping(n, n);
    for (Eigen::Index j = 0; j < n; ++j) {
      for (const bool rates : {false, true}) {
        for (Eigen::Index i = 0; i < n; ++i) {
          const double slope = central_difference([&](double h) {
            std::vector<double> there = y;
            there[static_cast<std::size_t>(j) + (rates ? model.n() : 0)] += h;
            return model.residual_at(now, there, a, lambda)[static_cast<std::size_t>(i)];
          });
          (rates ? damping : stiffness)(i, j) = slope;
        }
      }
    }
    ASSERT_TRUE(model.form.load_dynamics(now, y));
    ASSERT_TRUE(model.form.load_constraints(now, y));
    ASSERT_TRUE(model.form.load_tangents(now, y, a, lambda));
    for (const auto& [d, k] :
         std::initializer_list<std::pair<double, double>>{{0, 0}, {0.3, 0}, {0, 0.2}, {0.1, 0.4}}) {
      Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(n + m, n + m);
      dense.topLeftCorner(n, n) = model.mass() + d * damping + k * stiffness;
      dense.topRightCorner(n, m) = model.input();
      dense.bottomLeftCorner(m, n) = model.gradient();
      std::vector<double> z(static_cast<std::size_t>(n + m));
      scatter_numbers(z, 9);
      const Eigen::VectorXd b = Eigen::Map<const Eigen::VectorXd>(z.data(), n + m);
      const bool regular = model.form.factor_tangents(d, k);
      ASSERT_TRUE(regular) << family.name << " " << d << " " << k << " " << model.form.trouble();
      model.form.solve_tangents(z);
      const Eigen::VectorXd solution = Eigen::Map<const Eigen::VectorXd>(z.data(), n + m);
      EXPECT_LT((dense * solution - b).cwiseAbs().maxCoeff(),
                difference_error * (1 + solution.cwiseAbs().maxCoeff()))
          << family.name << " " << d << " " << k;
      if (d != 0 || k != 0) continue;
      std::vector<double> plain(b.begin(), b.end());
      ASSERT_TRUE(model.form.factor()) << family.name;
      model.form.solve(plain);
      for (std::size_t i = 0; i < plain.size(); ++i)
        EXPECT_NEAR(plain[i], z[i], 1e-9 * (1 + std::abs(z[i]))) << family.name;
    }
  }
}

TEST(MechanicalForm, MassesAreSolved) {
  for (const Family& family : families()) {
    MechanicalModel model(family.system, family.unconstrained);
    const std::vector<double> y = model.some_states(2);
    std::vector<double> v(model.n());
    scatter_numbers(v, 5);
    std::vector<double> back = model.momentum(now, y, v);
    ASSERT_TRUE(model.form.solve_mass(back)) << family.name;
    for (std::size_t i = 0; i < v.size(); ++i) EXPECT_NEAR(back[i], v[i], 1e-12) << family.name;
  }
}

// A mass matrix of rank 1 is said to be singular, and so is a saddle matrix with a gradient that vanishes.
TEST(MechanicalForm, SingularMatricesAreSaid) {
  MechanicalModel two(from_text(R"(model Two
  Real x(start = 0.6); Real y(start = 0.8); Real vx; Real vy; Real lambda;
equation
  der(x) = vx; der(y) = vy;
  der(vx) + der(vy) = -2*x*lambda;
  der(vx) + der(vy) = -9.81 - 2*y*lambda;
  x^2 + y^2 = 1;
end Two;)"));
  std::vector<double> v{1, 2};
  ASSERT_TRUE(two.form.load_dynamics(0, two.some_states(1)));
  EXPECT_FALSE(two.form.solve_mass(v));
  EXPECT_EQ(two.form.trouble(), "the mass matrix is singular");
  MechanicalModel bead(from_text(bead_text()));
  const std::vector<double> middle(4, 0.0);
  ASSERT_TRUE(bead.form.load_dynamics(0, middle));
  ASSERT_TRUE(bead.form.load_constraints(0, middle));
  EXPECT_FALSE(bead.form.factor());
  EXPECT_NE(bead.form.trouble().find("accelerations and multipliers are singular"), std::string::npos);
}

TEST(MechanicalForm, WhatIsNotFiniteIsSaid) {
  MechanicalModel bead(from_text(bead_text(), {{"k", "3"}}));
  const std::vector<double> y(4, std::numeric_limits<double>::infinity());
  std::vector<double> out(2);
  EXPECT_FALSE(bead.form.forces(0, y, out));
  EXPECT_EQ(bead.form.trouble(), "the equations of motion");
  EXPECT_FALSE(bead.form.position_constraints(0, y, std::span(out).first(1)));
}

// A copy for copies of residual and ODE has memory of its own.
TEST(MechanicalForm, CopiesAreIndependent) {
  MechanicalModel model(problem("slider_crank.mo"));
  const std::vector<double> y = model.some_states(1);
  ASSERT_TRUE(model.form.load_dynamics(now, y));
  ASSERT_TRUE(model.form.load_constraints(now, y));
  ReformedResidual residual = model.residual;
  std::vector<double> elsewhere = model.environment;
  residual.bind(elsewhere);
  ExplicitForm ode(model.ode, residual);
  MechanicalForm copy(model.form, residual, ode);
  const std::vector<double> before = model.environment;
  const Eigen::MatrixXd mass = model.mass();
  std::vector<double> f(2);
  std::vector<double> of_copy(2);
  ASSERT_TRUE(copy.load_dynamics(now, model.some_states(2)));
  ASSERT_TRUE(copy.forces(now, model.some_states(3), of_copy));
  EXPECT_EQ(model.environment, before);
  EXPECT_EQ(model.mass(), mass);
  ASSERT_TRUE(model.form.forces(now, model.some_states(3), f));
  EXPECT_EQ(f, of_copy);
}

// Each obstacle by the name of what stands in the way.
TEST(MechanicalObstacle, NamesWhatStandsInTheWay) {
  struct Row {
    DaeSystem system;
    bool holonomic_only;
    const char* says;  // empty: nothing
  };
  const std::string moving_mass = R"(model MovingMass
  Real x(start = 0.6); Real y(start = -0.8); Real u; Real v; Real l;
equation
  der(x) = u; der(y) = v;
  (2 + sin(time))*der(u) = -2*x*l;
  der(v) = -9.81 - 2*y*l;
  x^2 + y^2 = 1;
end MovingMass;)";
  std::string companion = bead_text("der(z) = x;");
  companion.replace(companion.find(" Real mu;"), 9, " Real z(start = 0, fixed = true);");
  for (std::size_t at = 0; (at = companion.find("*mu", at)) != std::string::npos;)
    companion.replace(at, 3, "*0");
  for (const Row& row :
       {Row{from_text(bead_text()), true, ""}, Row{problem("slider_crank.mo"), true, ""},
        Row{from_text(moving_pivot), true, ""}, Row{from_text(moving_mass), false, ""},
        Row{from_text(moving_mass), true, "the mass matrix depends on time"}, Row{from_text(sled), false, ""},
        Row{from_text(sled), true, "a constraint of velocities that follows from none of positions"},
        Row{problem("petzold_linear.mo"), false, "the model is of order 1"},
        Row{from_text(companion), false, "z has a differential equation of its own"}}) {
    const auto form = recognise_constrained_form(row.system);
    ASSERT_TRUE(form.has_value()) << row.says;
    const std::string obstacle = mechanical_obstacle(*form, row.holonomic_only);
    if (std::string(row.says).empty()) {
      EXPECT_EQ(obstacle, "") << row.system.name;
    } else {
      EXPECT_NE(obstacle.find(row.says), std::string::npos) << row.system.name << ": " << obstacle;
    }
  }
}

}  // namespace
}  // namespace daedalus::testing
