// Given the states, everything else: against closed solutions, from near and from far, saved and copied, and
// what stays as it is.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "consistent/algebraic_solver.hpp"
#include "consistent/support.hpp"
#include "support/formed.hpp"
#include "support/model_families.hpp"

namespace daedalus {
namespace {

using testing::body_of;
using testing::Started;

constexpr Tolerances tight{.relative = 1e-10, .absolute = 1e-10};

struct Solved : Started {
  explicit Solved(const std::string& text) : Started(text), solver(*model, tight) {
    EXPECT_TRUE(ok()) << outcome.reason;
    const LevelSystem& levels = model->levels();
    for (std::size_t k = 0; k < levels.levels.size(); ++k) {
      const int j = levels.incidence.column[levels.levels[k].variable.at()];
      if (levels.levels[k].order < levels.plan.d[static_cast<std::size_t>(j)])
        states.push_back(static_cast<int>(k));
    }
    solver.select(states);
  }
  double& level(int k) { return environment[static_cast<std::size_t>(model->layout().levels + k)]; }
  [[nodiscard]] int level_of(const std::string& name) const {
    for (int k = 0; k < model->level_count(); ++k) {
      if (model->levels().level_name(k) == name) return k;
    }
    ADD_FAILURE() << name;
    return 0;
  }
  [[nodiscard]] bool is_state(int k) const { return std::ranges::find(states, k) != states.end(); }
  // Everything but the states, moved by a part of itself and an amount.
  void disturb(double part, double amount) {
    for (int k = 0; k < model->level_count(); ++k) {
      if (!is_state(k)) level(k) += (part * level(k)) + amount;
    }
  }
  std::vector<int> states;
  AlgebraicSolver solver;
};

// sinh y = x, w = exp(-y) + time, each with its inverse in closed form.
TEST(AlgebraicFamilies, ClosedSolutionsAreFound) {
  for (const double x : {-3.0, -0.1, 0.0, 0.5, 10.0}) {
    Solved m("Real x(start=0,fixed=true), y, w; equation der(x) = w; sinh(y) = x; w = exp(-y) + time;");
    m.level(m.level_of("x")) = x;
    m.environment[static_cast<std::size_t>(m.model->layout().time)] = 2;
    ASSERT_EQ(m.solver.solve(m.environment, true), AlgebraicStatus::Ok) << x;
    EXPECT_NEAR(m.value("y"), std::asinh(x), 1e-14 * (1 + std::abs(x)));
    EXPECT_NEAR(m.value("w"), std::exp(-std::asinh(x)) + 2, 1e-13 * (1 + std::abs(x)));
    EXPECT_EQ(m.value("x"), x) << "a state stays to the bit";
  }
}

// From everywhere the same values, where there is one solution only.
TEST(AlgebraicFamilies, TheWayDoesNotMatter) {
  for (const std::string& text :
       {std::string(
            "Real x(start=1,fixed=true), y, z; equation der(x) = -y; y + y^3 = 10*x; z = y*x + sin(time);"),
        std::string(
            "Real x(start=0.3,fixed=true), a, b; equation der(x) = -a; a + exp(a) = b; b + a = 3*x;")}) {
    Solved m(text);
    const std::vector<double> expected = m.environment;
    for (const double part : {1e-6, 0.1, 1.0, -3.0}) {
      m.environment = expected;
      m.disturb(part, part);
      ASSERT_EQ(m.solver.solve(m.environment, true), AlgebraicStatus::Ok) << part;
      for (std::size_t k = 0; k < expected.size(); ++k)
        EXPECT_NEAR(m.environment[k], expected[k], 1e-12 * (1 + std::abs(expected[k]))) << part;
    }
  }
}

// Near the solution the quick way does, and gives the same.
TEST(AlgebraicFamilies, TheQuickWayAgreesWithTheRobustOne) {
  Solved m("Real x(start=1,fixed=true), y, z; equation der(x) = -y; y + y^3 = 10*x; z^3 + z*y = x;");
  const std::vector<double> expected = m.environment;
  for (const double part : {0.0, 1e-9, 1e-3, 0.05}) {
    m.environment = expected;
    m.disturb(part, 0);
    ASSERT_EQ(m.solver.solve(m.environment, false), AlgebraicStatus::Ok) << part;
    EXPECT_NEAR(m.value("y"), 2, 1e-12) << part;
    EXPECT_LT(m.largest_residual(), 1e-10) << part;
  }
}

// Accelerations and multipliers of mechanisms follow from positions and velocities: residuals are rounding.
TEST(AlgebraicFamilies, HighestDerivativesFollowInMechanisms) {
  for (const std::string& text : {testing::chain_text(1), testing::chain_text(4), testing::moving_pivot,
                                  testing::sled, testing::skew_bead}) {
    Solved m(body_of(text));
    m.solver.select_highest();
    const std::vector<double> expected = m.environment;
    const LevelSystem& levels = m.model->levels();
    std::vector<bool> highest(static_cast<std::size_t>(m.model->level_count()));
    for (std::size_t k = 0; k < highest.size(); ++k) {
      const int j = levels.incidence.column[levels.levels[k].variable.at()];
      highest[k] = levels.levels[k].order == levels.plan.d[static_cast<std::size_t>(j)];
      if (highest[k]) m.level(static_cast<int>(k)) += 1;
    }
    ASSERT_EQ(m.solver.solve(m.environment, true), AlgebraicStatus::Ok) << text;
    for (std::size_t k = 0; k < highest.size(); ++k) {
      const auto at = static_cast<std::size_t>(m.model->layout().levels) + k;
      if (highest[k]) {
        EXPECT_NEAR(m.environment[at], expected[at], 1e-9) << levels.level_name(static_cast<int>(k));
      } else {
        EXPECT_EQ(m.environment[at], expected[at]) << levels.level_name(static_cast<int>(k));
      }
    }
  }
}

TEST(AlgebraicFamilies, ValuesThatAreNoneAreSaid) {
  Solved m("Real x(start=1,fixed=true), y; equation der(x) = -y; y = log(x);");
  m.level(m.level_of("x")) = -1;
  EXPECT_EQ(m.solver.solve(m.environment, true), AlgebraicStatus::NotFinite);
  EXPECT_GE(m.solver.worst_equation(), 0);
}

// Of a state-space form rates are its right-hand side.
TEST(AlgebraicFamilies, RatesOfStatesAreTheRightHandSide) {
  for (const double x : {0.2, 1.0, 4.0}) {
    Solved m(
        fmt::format("Real x(start={},fixed=true), y(start=1,fixed=true), s; equation der(x) = x*(1 - y); "
                    "der(y) = y*(x - 1) + time; s = x + y;",
                    x));
    std::vector<double> rates(static_cast<std::size_t>(m.model->level_count()));
    ASSERT_TRUE(m.solver.rates(m.environment, rates));
    EXPECT_NEAR(rates[static_cast<std::size_t>(m.level_of("x"))], 0, 1e-14);
    EXPECT_NEAR(rates[static_cast<std::size_t>(m.level_of("y"))], x - 1, 1e-14);
    EXPECT_NEAR(rates[static_cast<std::size_t>(m.level_of("s"))], x - 1, 1e-6);  // ∂/∂t by a difference
  }
}

// Saved and read, a solver goes on with the same bits: its pivots are part of it.
TEST(AlgebraicFamilies, ASavedOneGoesOnWithTheSameBits) {
  Solved m(body_of(testing::chain_text(3)));
  Solved other(body_of(testing::chain_text(3)));
  const auto move_highest = [](Solved& one) {
    const LevelSystem& levels = one.model->levels();
    for (std::size_t k = 0; k < levels.levels.size(); ++k) {
      const int j = levels.incidence.column[levels.levels[k].variable.at()];
      if (levels.levels[k].order == levels.plan.d[static_cast<std::size_t>(j)])
        one.level(static_cast<int>(k)) += 1;
    }
  };
  m.solver.select_highest();
  move_highest(m);
  ASSERT_EQ(m.solver.solve(m.environment, true), AlgebraicStatus::Ok);
  Archive out;
  m.solver.state(out);
  const std::vector<std::byte> bytes = out.finish();
  Archive in(bytes);
  other.solver.select_highest();
  other.solver.state(in);
  ASSERT_TRUE(in.ok()) << in.error();
  other.environment = m.environment;
  for (Solved* one : {&m, &other}) {
    move_highest(*one);
    ASSERT_EQ(one->solver.solve(one->environment, true), AlgebraicStatus::Ok);
  }
  EXPECT_EQ(m.environment, other.environment);
}

}  // namespace
}  // namespace daedalus
