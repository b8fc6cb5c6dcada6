#include "consistent/algebraic_solver.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "consistent/support.hpp"

namespace daedalus {
namespace {

using testing::Started;

std::vector<int> states_of(const CompiledModel& model) {
  std::vector<int> states;
  const LevelSystem& system = model.levels();
  for (std::size_t k = 0; k < system.levels.size(); ++k) {
    const int j = system.incidence.column[system.levels[k].variable.at()];
    if (system.levels[k].order < system.plan.d[static_cast<std::size_t>(j)])
      states.push_back(static_cast<int>(k));
  }
  return states;
}

// y + y³ = 10 x with x = 1: y = 2 exactly.
TEST(AlgebraicSolver, SolvesForEverythingButTheStates) {
  Started m("Real x(start=1,fixed=true), y; equation der(x) = -y; y + y^3 = 10*x;");
  ASSERT_TRUE(m.ok());
  AlgebraicSolver solver(*m.model, {.relative = 1e-9, .absolute = 1e-9});
  solver.select(states_of(*m.model));
  for (const double start : {1.0, 50.0}) {
    for (int k = 0; k < m.model->level_count(); ++k) {
      double& level = m.environment[static_cast<std::size_t>(m.model->layout().levels + k)];
      level = k == states_of(*m.model)[0] ? 1 : start;
    }
    EXPECT_EQ(solver.solve(m.environment, true), AlgebraicStatus::Ok);
    EXPECT_NEAR(m.value("y"), 2, 1e-12);
    EXPECT_EQ(m.value("x"), 1);
  }
}

// Points along y + y³ = 10 x, one after the other, the way output points come: with a factorisation that is
// kept as long as it serves, they are as exact as with one of their own.
TEST(AlgebraicSolver, KeptFactorisationsLoseNoAccuracy) {
  Started m("Real x(start=1,fixed=true), y; equation der(x) = -y; y + y^3 = 10*x;");
  ASSERT_TRUE(m.ok());
  AlgebraicSolver solver(*m.model, {.relative = 1e-6, .absolute = 1e-9});
  const std::vector<int> states = states_of(*m.model);
  solver.select(states);
  for (int k = 0; k < m.model->level_count(); ++k) {
    if (k != states[0]) m.environment[static_cast<std::size_t>(m.model->layout().levels + k)] = 1;
  }
  // Small moves, for which one matrix serves, and jumps, for which it does not.
  for (const double y : {2.0, 2.001, 2.002, 2.1, 1.0, 1.0005, -3.0, -3.0001, -1.0}) {
    m.environment[static_cast<std::size_t>(m.model->layout().levels + states[0])] = (y + y * y * y) / 10;
    ASSERT_EQ(solver.solve(m.environment, false), AlgebraicStatus::Ok) << y;
    EXPECT_NEAR(m.value("y"), y, 1e-11 * std::abs(y));
  }
}

// However far a jump is: what is called a solution is one, also where iterations just did not suffice.
TEST(AlgebraicSolver, WhatIsCalledASolutionIsOne) {
  Started m("Real x(start=1,fixed=true), y; equation der(x) = -y; y + y^3 = 10*x;");
  ASSERT_TRUE(m.ok());
  AlgebraicSolver solver(*m.model, {.relative = 1e-6, .absolute = 1e-9});
  const std::vector<int> states = states_of(*m.model);
  solver.select(states);
  int solved = 0;
  for (double y = 1.1; y < 1e4; y *= 1.02) {
    for (int k = 0; k < m.model->level_count(); ++k)
      m.environment[static_cast<std::size_t>(m.model->layout().levels + k)] =
          k == states[0] ? (y + y * y * y) / 10 : -3;
    if (solver.solve(m.environment, false) != AlgebraicStatus::Ok) continue;
    ++solved;
    EXPECT_NEAR(m.value("y"), y, 1e-11 * y);
  }
  EXPECT_GE(solved, 10);
}

// y = 2x and x' = -y: y' = 2x' = -4 at x = 1.
TEST(AlgebraicSolver, RatesOfAllLevels) {
  Started m("Real x(start=1,fixed=true), y; equation der(x) + sin(der(x))*0 = -y; y = 2*x + time*3;");
  ASSERT_TRUE(m.ok());
  AlgebraicSolver solver(*m.model, {.relative = 1e-9, .absolute = 1e-9});
  solver.select(states_of(*m.model));
  std::vector<double> rates(static_cast<std::size_t>(m.model->level_count()));
  ASSERT_TRUE(solver.rates(m.environment, rates));
  for (std::size_t k = 0; k < rates.size(); ++k) {
    const std::string name = m.model->levels().level_name(static_cast<int>(k));
    if (name == "x") {
      EXPECT_NEAR(rates[k], -2, 1e-12);
    }
    if (name == "y") {
      EXPECT_NEAR(rates[k], -1, 1e-6);  // 2 (-2) + 3, ∂/∂t by a difference
    }
  }
}

// Currents of 1e17 round by more than any tolerance, and are solved all the same.
TEST(AlgebraicSolver, EndsAtTheRoundingOfItsTerms) {
  Started m(
      "Real x(start=1,fixed=true), i, j(start=5e16); equation der(x) = i - j - x; i = 3e16*x + j; j^3 = "
      "1e51*x/7;");
  ASSERT_TRUE(m.ok());
  AlgebraicSolver solver(*m.model, {.relative = 1e-16, .absolute = 1e-16});
  solver.select(states_of(*m.model));
  EXPECT_EQ(solver.solve(m.environment, true), AlgebraicStatus::Ok);
  EXPECT_NEAR(m.value("j") / (1e17 * std::cbrt(1.0 / 7)), 1, 1e-14);
}

TEST(AlgebraicSolver, NamesWhatFailed) {
  Started m("Real x(start=1,fixed=true), y(start=1); equation der(x) = -1; y^2 = x;");
  ASSERT_TRUE(m.ok());
  AlgebraicSolver solver(*m.model, {.relative = 1e-9, .absolute = 1e-9});
  solver.select(states_of(*m.model));
  const int x = m.model->layout().levels + states_of(*m.model)[0];
  m.environment[static_cast<std::size_t>(x)] = -1;  // y² = -1
  EXPECT_NE(solver.solve(m.environment, true), AlgebraicStatus::Ok);
  EXPECT_GE(solver.worst_equation(), 0);
}

}  // namespace
}  // namespace daedalus
