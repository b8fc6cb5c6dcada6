#include "consistent/events.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "consistent/support.hpp"

namespace daedalus {
namespace {

using testing::Started;

// Everything but states by the algebraic solver, as a run does.
EventHandler::MakeConsistent solver_of(Started& m, AlgebraicSolver& solver) {
  solver.select({});
  return [&m, &solver](const std::vector<Reinit>&) {
    return solver.solve(m.environment, true) == AlgebraicStatus::Ok ? std::string()
                                                                    : std::string("not solved");
  };
}

TEST(Events, TheNextInstantOfTimeIsKnown) {
  Started m("Real x(start=0,fixed=true); Boolean b; equation der(x)=1; b = time > 0.75;");
  ASSERT_TRUE(m.ok());
  m.events->begin(0);
  EXPECT_NEAR(m.events->next_time_event(0, 10), 0.75, 1e-15);
  EXPECT_TRUE(m.events->is_time_relation(0));
}

TEST(Events, WithoutEventsThereIsNoNext) {
  Started m("Real x(start=0,fixed=true); equation der(x)=1;");
  m.events->begin(0);
  EXPECT_EQ(m.events->next_time_event(0, 10), std::numeric_limits<double>::infinity());
}

TEST(Events, SamplesFireAtTheirTimes) {
  Started m(
      "discrete Integer n(start=0,fixed=true); equation when sample(0.5, 0.25) then n = pre(n) + 1; end "
      "when;");
  ASSERT_TRUE(m.ok());
  AlgebraicSolver solver(*m.model, {.relative = 1e-9, .absolute = 1e-9});
  const auto make_consistent = solver_of(m, solver);
  m.events->begin(0);
  for (int k = 1; k <= 3; ++k) {
    const double t = m.events->next_time_event(0, 10);
    EXPECT_DOUBLE_EQ(t, 0.25 + (0.25 * k));
    EXPECT_TRUE(m.events->handle(t, {}, make_consistent).ok);
    EXPECT_EQ(m.value("n"), k);
  }
}

// x jumps from 0 to exactly 1: x >= 1 is true from then on, whatever the hysteresis.
TEST(Events, AJumpOntoTheThresholdSwitches) {
  Started m("Real x; Boolean b; equation x = if time < 0.5 then 0 else 1; b = x >= 1;", 1e-6);
  ASSERT_TRUE(m.ok());
  EXPECT_EQ(m.value("b"), 0);
  AlgebraicSolver solver(*m.model, {.relative = 1e-9, .absolute = 1e-9});
  const auto make_consistent = solver_of(m, solver);
  m.events->begin(0);
  ASSERT_DOUBLE_EQ(m.events->next_time_event(0, 10), 0.5);
  EXPECT_TRUE(m.events->handle(0.5, {}, make_consistent).ok);
  EXPECT_EQ(m.value("x"), 1);
  EXPECT_EQ(m.value("b"), 1);
}

// What rests within the hysteresis contradicts nothing; beyond it, it does.
TEST(Events, ContradictionsPassTheHysteresis) {
  Started m("Real x(start=0.5,fixed=true); Boolean b; equation der(x) = -1; b = x > 0;", 1e-3);
  ASSERT_TRUE(m.ok());
  m.events->begin(0);
  double& x = m.environment[static_cast<std::size_t>(m.model->layout().levels)];
  x = -1e-4;
  EXPECT_FALSE(m.events->contradicted());
  x = -0.25;
  EXPECT_TRUE(m.events->contradicted());
  EXPECT_NE(relation_text(m.model->dae(), 0).find("x > 0"), std::string::npos);
}

}  // namespace
}  // namespace daedalus
