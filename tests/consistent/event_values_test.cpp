// Values after an event against the laws of impact: momentum by dense algebra, the energy that an impact
// takes (Carnot), what stays, and what cannot be had.
#include "consistent/event_values.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "consistent/support.hpp"
#include "support/formed.hpp"
#include "support/model_families.hpp"

namespace daedalus {
namespace {

using testing::body_of;
using testing::Started;
using Outcome = EventValues::Outcome;
constexpr Tolerances tight{.relative = 1e-9, .absolute = 1e-9};

struct AtEvent : Started {
  explicit AtEvent(const std::string& text) : Started(text), values(*model, tight) {
    EXPECT_TRUE(ok()) << outcome.reason;
  }
  [[nodiscard]] int level(const std::string& name, int order = 0) const {
    const DaeSystem& dae = model->dae();
    for (std::size_t v = 0; v < dae.variables.size(); ++v) {
      if (dae.variables[v].name == name)
        return model->levels().level_of(dae.graph->variable(VariableId(v), order));
    }
    ADD_FAILURE() << name;
    return 0;
  }
  double& at(const std::string& name, int order = 0) {
    return environment[static_cast<std::size_t>(model->layout().levels + level(name, order))];
  }
  EventValues values;
};

// Without anything asked for, what is consistent stays to the bit.
TEST(EventValues, ConsistentValuesStay) {
  AtEvent chain(body_of(testing::chain_text(3)));
  const std::vector<double> before = chain.environment;
  EXPECT_EQ(chain.values.solve(chain.environment, {}), Outcome::Solved);
  EXPECT_EQ(chain.values.jumped(chain.environment), -1);
  for (std::size_t k = 0; k < before.size(); ++k) EXPECT_NEAR(chain.environment[k], before[k], 1e-9);
}

// A chain of three unit masses, one velocity of which is set anew: M (v⁺ - v⁻) = e δ - Gᵀ Λ, G v⁺ = 0, and
// that velocity as asked for.
TEST(EventValues, AReinitialisedVelocityMovesTheOthersAsAnImpulseDoes) {
  constexpr int n = 3;
  for (int pushed = 1; pushed <= n; ++pushed) {
    AtEvent chain(body_of(testing::chain_text(n)));
    // Not hanging straight: the constraints join x and y.
    double x = 0;
    double y = 0;
    for (int k = 1; k <= n; ++k) {
      x += std::sin(0.3 * k);
      y -= std::cos(0.3 * k);
      chain.at("x" + std::to_string(k)) = x;
      chain.at("y" + std::to_string(k)) = y;
    }
    const std::vector<double> before = chain.environment;
    const Reinit push{.level = chain.level("x" + std::to_string(pushed), 1), .value = 2};
    ASSERT_EQ(chain.values.solve(chain.environment, {push}), Outcome::Solved) << pushed;
    // [1 Gᵀ -e; G 0 0; eᵀ 0 0], v⁻ = 0.
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero((3 * n) + 1, (3 * n) + 1);
    matrix.topLeftCorner(2 * n, 2 * n).setIdentity();
    for (int k = 1; k <= n; ++k) {
      const auto at = [&](const char* q, int i) { return i == 0 ? 0 : chain.at(q + std::to_string(i)); };
      const double dx = 2 * (at("x", k) - at("x", k - 1));
      const double dy = 2 * (at("y", k) - at("y", k - 1));
      const int row = (2 * n) + k - 1;
      const auto put = [&](int column, double value) { matrix(row, column) = matrix(column, row) = value; };
      put(2 * (k - 1), dx);
      put((2 * (k - 1)) + 1, dy);
      if (k == 1) continue;
      put(2 * (k - 2), -dx);
      put((2 * (k - 2)) + 1, -dy);
    }
    matrix(2 * (pushed - 1), 3 * n) = -1;
    matrix(3 * n, 2 * (pushed - 1)) = 1;
    Eigen::VectorXd right = Eigen::VectorXd::Zero((3 * n) + 1);
    right((3 * n)) = 2;
    const Eigen::VectorXd expected = matrix.fullPivLu().solve(right);
    for (int k = 1; k <= n; ++k) {
      EXPECT_NEAR(chain.at("x" + std::to_string(k), 1), expected(2 * (k - 1)), 1e-9) << pushed;
      EXPECT_NEAR(chain.at("y" + std::to_string(k), 1), expected((2 * (k - 1)) + 1), 1e-9) << pushed;
      EXPECT_EQ(chain.at("x" + std::to_string(k)),
                before[static_cast<std::size_t>(chain.model->layout().levels +
                                                chain.level("x" + std::to_string(k)))])
          << "positions stay";
    }
    EXPECT_LT(chain.largest_residual(), 1e-8) << "accelerations and multipliers follow";
    EXPECT_NE(chain.values.jumped(chain.environment), -1);
  }
}

// Velocities that a constraint does not allow, as when a rope becomes tight: the nearest ones in the norm of
// the mass, which cost the energy of what was lost (Carnot), and are along the constraint.
TEST(EventValues, AnImpactTakesTheEnergyOfTheLostVelocity) {
  AtEvent bead(body_of(testing::bead_text()));
  bead.at("x") = 0.6;
  bead.at("y") = -0.8;
  const double u = 1.5;
  const double v = -0.4;
  bead.at("x", 1) = u;
  bead.at("y", 1) = v;
  ASSERT_EQ(bead.values.solve(bead.environment, {}), Outcome::Solved);
  const double du = u - bead.at("x", 1);
  const double dv = v - bead.at("y", 1);
  const auto energy = [](double a, double b) { return ((a * a) + (4 * b * b)) / 2; };
  EXPECT_NEAR((0.6 * bead.at("x", 1)) - (0.8 * bead.at("y", 1)), 0, 1e-12);
  EXPECT_NEAR(energy(u, v) - energy(bead.at("x", 1), bead.at("y", 1)), energy(du, dv), 1e-12);
  EXPECT_GT(energy(du, dv), 0.01);
  // M Δv is along the gradient (0.6, -0.8).
  EXPECT_NEAR((du * -0.8) - (4 * dv * 0.6), 0, 1e-12);
}

// A velocity that a constraint determines cannot be chosen; nothing is changed.
TEST(EventValues, WhatAConstraintDeterminesCannotBeHad) {
  AtEvent driven(
      "Real x(start=0), y(start=1,fixed=true), u, v(start=0,fixed=true), l; equation der(x)=u; der(y)=v; "
      "der(u)=l; der(v)=-y; x = sin(time) + 0*l;");
  const std::vector<double> before = driven.environment;
  EXPECT_EQ(driven.values.solve(driven.environment, {{.level = driven.level("x", 1), .value = 7}}),
            Outcome::NotFound);
  EXPECT_EQ(driven.environment, before);
  EXPECT_EQ(driven.values.solve(driven.environment, {{.level = driven.level("y", 1), .value = 7}}),
            Outcome::Solved);
  EXPECT_EQ(driven.at("y", 1), 7);
}

// Of an ODE a state takes its value, the others stay, and rates and outputs follow.
TEST(EventValues, OfAnOdeOnlyWhatIsAskedForChanges) {
  AtEvent ode(
      "Real x(start=1,fixed=true), y(start=2,fixed=true), s; equation der(x) = -3*y - x; der(y) = x - y; s^3 "
      "+ s = x + y;");
  ASSERT_EQ(ode.values.solve(ode.environment, {{.level = ode.level("x"), .value = 28}}), Outcome::Solved);
  EXPECT_EQ(ode.at("x"), 28);
  EXPECT_EQ(ode.at("y"), 2);
  EXPECT_NEAR(ode.at("y", 1), 26, 1e-12);
  EXPECT_NEAR(ode.value("s"), 3, 1e-9);  // 27 + 3 = 28 + 2
  EXPECT_EQ(ode.values.jumped(ode.environment), ode.level("x"));
}

// Two reinitialised values at once, each as asked for.
TEST(EventValues, SeveralValuesAtOnce) {
  AtEvent two("Real x(start=1,fixed=true), y(start=2,fixed=true); equation der(x) = y; der(y) = -x;");
  ASSERT_EQ(two.values.solve(two.environment, {{.level = two.level("x"), .value = 5},
                                               {.level = two.level("x", 1), .value = 6}}),
            Outcome::Solved);
  EXPECT_EQ(two.at("x"), 5);
  EXPECT_EQ(two.at("x", 1), 6);
  EXPECT_NEAR(two.at("x", 2), -5, 1e-12);
}

}  // namespace
}  // namespace daedalus
