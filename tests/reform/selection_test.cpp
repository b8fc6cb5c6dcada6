#include "reform/selection.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

#include "reform/column_choice.hpp"
#include "support/equations.hpp"

namespace daedalus {
namespace {

using testing::der;
using testing::Equations;
using testing::Term;

double determinant(const Eigen::MatrixXd& h, const std::vector<int>& columns) {
  Eigen::MatrixXd m(h.rows(), h.rows());
  for (std::size_t k = 0; k < columns.size(); ++k) m.col(static_cast<long>(k)) = h.col(columns[k]);
  return std::abs(m.determinant());
}

std::vector<MatrixEntry> entries_of(const Eigen::MatrixXd& h) {
  std::vector<MatrixEntry> entries;
  for (int i = 0; i < h.rows(); ++i) {
    for (int j = 0; j < h.cols(); ++j) {
      if (h(i, j) != 0) entries.push_back({.row = i, .column = j, .value = h(i, j)});
    }
  }
  return entries;
}

TEST(ColumnChoice, NoExchangeRaisesTheVolumeByMoreThanTheThreshold) {
  std::mt19937 engine(7);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 200; ++trial) {
    const int m = 1 + trial % 5;
    const int n = m + trial % 7;
    Eigen::MatrixXd h(m, n);
    for (auto& value : h.reshaped()) value = normal(engine);
    for (int i = 0; i < m; ++i) h.row(i) /= h.row(i).cwiseAbs().maxCoeff();
    const ColumnChoice choice = choose_columns(m, n, entries_of(h), {}, 1.05);
    ASSERT_EQ(choice.columns.size(), static_cast<std::size_t>(m));
    const double volume = determinant(h, choice.columns);
    ASSERT_GT(volume, 0);
    for (std::size_t k = 0; k < choice.columns.size(); ++k) {
      for (int other = 0; other < n; ++other) {
        std::vector<int> exchanged = choice.columns;
        exchanged[k] = other;
        // 1e-9: rounding of two determinants of order one.
        EXPECT_LE(determinant(h, exchanged), volume * 1.05 + 1e-9);
      }
    }
  }
}

TEST(ColumnChoice, KeepsThePreferredColumnsUntilTheThreshold) {
  Eigen::MatrixXd h(1, 2);
  h << 1.0, 1.9;
  EXPECT_EQ(choose_columns(1, 2, entries_of(h), {0}, 2).columns, std::vector<int>{0});
  h << 1.0, 2.1;
  EXPECT_EQ(choose_columns(1, 2, entries_of(h), {0}, 2).columns, std::vector<int>{1});
}

TEST(ColumnChoice, SaysWhenTheRankIsTooSmall) {
  Eigen::MatrixXd h(2, 3);
  h << 1, 2, 3, 2, 4, 6;
  EXPECT_TRUE(choose_columns(2, 3, entries_of(h), {}, 2).columns.empty());
}

TEST(ColumnChoice, SparseAndDenseAgreeThatTheChoiceIsRegular) {
  // 300 rows of a chain: constraint i couples columns 2i … 2i+3. Too many for the dense route.
  const int m = 300;
  std::mt19937 engine(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Eigen::MatrixXd h = Eigen::MatrixXd::Zero(m, 2 * m + 2);
  for (int i = 0; i < m; ++i) {
    for (int k = 0; k < 4; ++k) h(i, 2 * i + k) = uniform(engine);
  }
  const ColumnChoice choice = choose_columns(m, 2 * m + 2, entries_of(h), {}, 2);
  ASSERT_EQ(choice.columns.size(), static_cast<std::size_t>(m));
  Eigen::MatrixXd chosen(m, m);
  for (int k = 0; k < m; ++k) chosen.col(k) = h.col(choice.columns[static_cast<std::size_t>(k)]);
  const double smallest = chosen.jacobiSvd().singularValues().minCoeff();
  EXPECT_GT(smallest, 1e-6);  // a random choice of columns is singular by structure
  // What was chosen is kept when nothing changed.
  EXPECT_EQ(choose_columns(m, 2 * m + 2, entries_of(h), choice.columns, 2).columns, choice.columns);
}

std::vector<std::string> states_of(const Equations& e, const std::vector<double>& levels_by_name) {
  const auto system = make_level_system(e.system).value();
  const SelectionProblem problem = make_selection_problem(system);
  std::vector<double> values;
  for (const NodeId id : problem.expressions) {
    values.push_back(evaluate(*system.system().graph, id, [&](NodeId leaf) {
      return levels_by_name[system.system().graph->variable_of(leaf).at()];
    }));
  }
  const SelectionOutcome outcome = select_dummies(system, problem, values, {}, 1.05);
  EXPECT_FALSE(outcome.singular);
  std::vector<std::string> names;
  for (const int s : state_levels(system, outcome.taken)) names.push_back(system.level_name(s));
  return names;
}

TEST(Selection, PendulumTakesTheCoordinateThatTheConstraintDoesNotDetermine) {
  const testing::Pendulum e(0.6, -0.8, 0, 0);
  // |x| > |y|: x is determined by the constraint, y and its velocity are states; and the other way round.
  EXPECT_EQ(states_of(e, {0.9, -0.4, 0, 0, 0}), (std::vector<std::string>{"y", "v"}));
  EXPECT_EQ(states_of(e, {0.4, -0.9, 0, 0, 0}), (std::vector<std::string>{"x", "u"}));
}

TEST(Selection, StateSelectIsHonoured) {
  testing::Pendulum e(0.6, -0.8, 0, 0);
  e.system.variables[e.id(e.x).at()].state_select = StateSelect::Prefer;
  EXPECT_EQ(states_of(e, {0.9, -0.4, 0, 0, 0})[0], "x");
  testing::Pendulum avoided(0.6, -0.8, 0, 0);
  avoided.system.variables[avoided.id(avoided.y).at()].state_select = StateSelect::Avoid;
  EXPECT_EQ(states_of(avoided, {0.9, -0.4, 0, 0, 0})[0], "x");
}

// The quick look and the search say the same of any choice, good or bad, at two levels.
TEST(Selection, TheCheckAgreesWithTheSearch) {
  Equations e;
  std::vector<Term> x;
  for (int k = 0; k < 6; ++k) x.push_back(e.variable("x" + std::to_string(k)));
  // The first two equations are differentiated twice, the next once; all x highest in the last three.
  const auto sum = [&](int seed, int order) {
    Term all = (0.5 + seed) * (order == 0 ? x[0] : der(x[0], order));
    for (int k = 1; k < 6; ++k) {
      const Term& term = x[static_cast<std::size_t>(k)];
      all = all + std::cos((1.7 * seed * k) + (0.3 * k * k)) * (order == 0 ? term : der(term, order));
    }
    return all;
  };
  e.equation(sum(1, 0), "a");
  e.equation(sum(2, 0), "b");
  e.equation(sum(3, 1), "c");
  for (int k = 4; k < 7; ++k) e.equation(sum(k, 2) + x[0], "d");
  const auto made = make_level_system(e.system, false);
  ASSERT_TRUE(made.has_value()) << made.error().front().message;
  const auto& system = *made;
  const SelectionProblem problem = make_selection_problem(system);
  ASSERT_FALSE(problem.blocks.empty());
  ASSERT_GT(problem.blocks.front().stage_rows.size(), 1U);
  std::mt19937 engine(5);
  std::normal_distribution<double> normal;
  SelectionCheck check;
  int kept = 0;
  int left = 0;
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<double> values(problem.expressions.size());
    for (double& value : values) value = normal(engine);
    const SelectionOutcome first = select_dummies(system, problem, values, {}, 1.05);
    ASSERT_FALSE(first.singular);
    EXPECT_TRUE(check.keeps(problem, values, first.taken, 2.0)) << trial;
    for (double& value : values) value += 0.5 * normal(engine);
    const SelectionOutcome next = select_dummies(system, problem, values, first.taken, 2.0);
    EXPECT_EQ(check.keeps(problem, values, first.taken, 2.0), !next.changed) << trial;
    ++(next.changed ? left : kept);
  }
  EXPECT_GT(kept, 50);
  EXPECT_GT(left, 50);
}

TEST(Selection, Example1OfMattssonAndSoderlind) {
  // (3.1): columns {1,3,4} or {2,3,4} of H make M regular, {1,2,4} and {1,2,3} do not: x3 and x4 are always
  // dummies, and x1 or x2 (with its derivative) is the state.
  Equations e;
  const Term x1 = e.variable("x1");
  const Term x2 = e.variable("x2");
  const Term x3 = e.variable("x3");
  const Term x4 = e.variable("x4");
  const Term t = e.time();
  e.equation(x1 + x2 + sin(t), "(3.1a)");
  e.equation(x1 + x2 + x3 + cos(t), "(3.1b)");
  e.equation(x1 + x4 + sin(2.0 * t), "(3.1c)");
  e.equation(2.0 * der(x1, 2) + der(x2, 2) + der(x3, 2) + der(x4) + cos(t), "(3.1d)");
  const auto system = make_level_system(e.system, false).value();
  EXPECT_EQ(system.plan.c, (std::vector<int>{2, 2, 1, 0}));
  EXPECT_EQ(system.plan.d, (std::vector<int>{2, 2, 2, 1}));
  EXPECT_EQ(system.plan.degrees_of_freedom, 2);
  const SelectionProblem problem = make_selection_problem(system);
  std::vector<double> values;
  for (const NodeId id : problem.expressions) values.push_back(system.system().graph->node(id).value);
  const auto outcome = select_dummies(system, problem, values, {}, 1.05);
  EXPECT_EQ(outcome.taken[2], 2);
  EXPECT_EQ(outcome.taken[3], 1);
  EXPECT_EQ(outcome.taken[0] + outcome.taken[1], 2);
  EXPECT_TRUE(outcome.taken[0] == 0 || outcome.taken[1] == 0);
}

}  // namespace
}  // namespace daedalus
