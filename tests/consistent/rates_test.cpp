// Rates of all levels by differences along the solution, and relations in terms of what is known against the
// compiled ones.
#include <gtest/gtest.h>

#include "consistent/algebraic_solver.hpp"
#include "consistent/relation_courses.hpp"
#include "consistent/support.hpp"
#include "support/formed.hpp"
#include "support/model_families.hpp"

namespace daedalus {
namespace {

using testing::body_of;
using testing::Started;

// The states of dummy derivatives at the point.
std::vector<int> chosen_states(const Started& m) {
  std::vector<double> values(m.model->selection_values.results());
  std::vector<double> workspace;
  m.model->selection_values.evaluate(m.environment, values, workspace);
  const SelectionOutcome outcome = select_dummies(m.model->levels(), m.model->selection, values, {}, 1.05);
  EXPECT_FALSE(outcome.singular);
  return state_levels(m.model->levels(), outcome.taken);
}

// States go on with their rates, everything else is solved for: by how much it moves is what rates() says.
TEST(AlgebraicSolver, RatesAreThoseAlongTheSolution) {
  for (const std::string& text :
       {std::string(
            "Real x(start=1,fixed=true), y, z; equation der(x) = -y; y + y^3 = 10*x; z = y*x + sin(time);"),
        body_of(testing::moving_pivot), body_of(testing::bead_text()),
        std::string(
            "Real x(start=0.3,fixed=true), v(start=1,fixed=true), f; equation der(x) = v; der(v) = f; "
            "f + f^3 = -x - v*time;")}) {
    Started m(text);
    ASSERT_TRUE(m.ok()) << m.outcome.reason;
    const std::vector<int> states = chosen_states(m);
    AlgebraicSolver solver(*m.model, {.relative = 1e-12, .absolute = 1e-12});
    solver.select(states);
    std::vector<double> rates(static_cast<std::size_t>(m.model->level_count()));
    ASSERT_TRUE(solver.rates(m.environment, rates));
    constexpr double h = 1e-4;
    const auto moved = [&](double step) {
      std::vector<double> there = m.environment;
      there[static_cast<std::size_t>(m.model->layout().time)] += step;
      for (const int s : states)
        there[static_cast<std::size_t>(m.model->layout().levels + s)] +=
            step * rates[static_cast<std::size_t>(s)];
      EXPECT_EQ(solver.solve(there, true), AlgebraicStatus::Ok);
      return there;
    };
    const std::vector<double> before = moved(-h);
    const std::vector<double> after = moved(h);
    for (std::size_t k = 0; k < rates.size(); ++k) {
      const auto slot = static_cast<std::size_t>(m.model->layout().levels) + k;
      // h² of the difference; ∂A/∂t by one of 1e-7.
      EXPECT_NEAR(rates[k], (after[slot] - before[slot]) / (2 * h), 1e-5 * (1 + std::abs(rates[k])))
          << m.model->levels().level_name(static_cast<int>(k));
    }
  }
}

// What solve() leaves is a solution: again it moves nothing.
TEST(AlgebraicSolver, OnceMoreMovesNothing) {
  Started m(body_of(testing::chain_text(4)));
  ASSERT_TRUE(m.ok());
  AlgebraicSolver solver(*m.model, {.relative = 1e-9, .absolute = 1e-9});
  solver.select(chosen_states(m));
  for (double& level : std::span(m.environment).subspan(2, static_cast<std::size_t>(m.model->level_count())))
    level += 1e-3;
  ASSERT_EQ(solver.solve(m.environment, true), AlgebraicStatus::Ok);
  EXPECT_LT(m.largest_residual(), 1e-9);
  const std::vector<double> before = m.environment;
  ASSERT_EQ(solver.solve(m.environment, false), AlgebraicStatus::Ok);
  for (std::size_t k = 0; k < before.size(); ++k) EXPECT_NEAR(m.environment[k], before[k], 1e-9);
}

// Rewritten in what is known without solving anything, relations have the values of the compiled ones, and
// bounds over spans of no length are these values.
TEST(RelationCourses, HaveTheValuesOfTheRelations) {
  Started m(
      "Real x(start=0.3,fixed=true), v(start=1,fixed=true), d, e, z; discrete Real n(start=2,fixed=true); "
      "Boolean a, b, c, f; equation der(x) = v - z; der(v) = -x + n; d = 3*x - v; e = d*d + time; z^3 + z = "
      "x; "
      "a = e > 0.5; b = max(d, x) >= v; c = z*n > 0.1; f = time*n < 7; when a then n = pre(n) + 1; end "
      "when;");
  ASSERT_TRUE(m.ok()) << m.outcome.reason;
  m.environment[static_cast<std::size_t>(m.model->layout().time)] = 0.7;
  AlgebraicSolver solver(*m.model, {.relative = 1e-12, .absolute = 1e-12});
  solver.select(chosen_states(m));
  ASSERT_EQ(solver.solve(m.environment, true), AlgebraicStatus::Ok);
  const RelationCourses courses(*m.model);
  ASSERT_GE(courses.count(), 4);
  std::vector<double> expected(static_cast<std::size_t>(courses.count()));
  std::vector<double> workspace;
  m.model->relations.evaluate(m.environment, expected, workspace);
  std::vector<double> values;
  std::vector<Course> resting_leaves;
  for (const int slot : courses.slots()) {
    values.push_back(m.environment[static_cast<std::size_t>(slot)]);
    resting_leaves.push_back(resting(values.back()));
  }
  CourseProgram::Scratch scratch;
  for (int k = 0; k < courses.count(); ++k) {
    const double value = courses.program(k).value(values, scratch);
    EXPECT_NEAR(value, expected[static_cast<std::size_t>(k)], 1e-12) << k;
    const Course bounds = courses.program(k).bounds(resting_leaves, scratch);
    EXPECT_LE(bounds.value.low, value) << k;
    EXPECT_GE(bounds.value.high, value) << k;
    EXPECT_LT(bounds.value.high - bounds.value.low, 1e-12) << k;
    // Time is the first place; discrete values do not move between events.
    for (const int place : courses.places(k)) EXPECT_LT(place, static_cast<int>(courses.slots().size()));
  }
  EXPECT_EQ(courses.slots()[0], m.model->layout().time);
  EXPECT_TRUE(courses.moves(0));
}

}  // namespace
}  // namespace daedalus
