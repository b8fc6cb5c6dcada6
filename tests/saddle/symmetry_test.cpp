#include "saddle/symmetry.hpp"

#include <gtest/gtest.h>

#include "dense_saddle.hpp"

namespace daedalus::testing {
namespace {

// The equations of a saddle system as a model may have them: row i of the constraints is written as factor[i]
// times that of constraint order[i].
struct Written {
  Written(const DenseSaddle& given, std::vector<int> constraint_order, std::vector<double> row_factors)
      : e(given), order(std::move(constraint_order)), factors(std::move(row_factors)) {
    core.matrix = {.rows = given.size(), .columns = given.size(), .entries = {}};
    const auto row_of = [&](int row) {
      if (row < given.n()) return row;
      const auto at = std::ranges::find(order, row - given.n()) - order.begin();
      return given.n() + static_cast<int>(at);
    };
    for (const SymbolicEntry& entry : e.matrix.entries) {
      const int row = row_of(entry.row);
      core.matrix.entries.push_back(
          {.row = row, .column = entry.column, .value = e.graph.mul(factor(row), entry.value)});
    }
    core.rhs.resize(e.rhs.size());
    core.equations.resize(e.rhs.size());
    for (int i = 0; i < given.size(); ++i) {
      const auto row = static_cast<std::size_t>(row_of(i));
      core.rhs[row] = e.graph.mul(factor(row_of(i)), e.rhs[static_cast<std::size_t>(i)]);
      core.equations[row] = 100 + i;
    }
  }
  [[nodiscard]] NodeId factor(int row) {
    const int constraint = row - e.first;
    return e.graph.constant(constraint < 0 ? 1 : factors[static_cast<std::size_t>(constraint)]);
  }
  [[nodiscard]] Eigen::MatrixXd values() {
    std::vector<NodeId> roots;
    for (const SymbolicEntry& entry : core.matrix.entries) roots.push_back(entry.value);
    const Program program = Program::compile(e.graph, roots, e.setting());
    std::vector<double> values(roots.size());
    std::vector<double> workspace;
    program.evaluate(e.environment, values, workspace);
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(core.matrix.rows, core.matrix.rows);
    for (std::size_t k = 0; k < values.size(); ++k)
      a(core.matrix.entries[k].row, core.matrix.entries[k].column) = values[k];
    return a;
  }

  SaddleExpressions e;
  std::vector<int> order;
  std::vector<double> factors;
  LinearCore core;
};

DenseSaddle some_saddle() {
  return random_saddle(9, 4, Masses::Diagonal, 11);
}

// Each leaf is used twice, so that the matrix is symmetric at every point and not only at the given one.
TEST(MakeSymmetric, ConstraintsComeBesideTheirMultipliersInTheirUnits) {
  Written w(some_saddle(), {2, 0, 3, 1}, {-2, 1e3, 1, -1e-4});
  const auto rows_of_mass = make_symmetric(w.e.graph, w.core, w.e.setting());
  ASSERT_TRUE(rows_of_mass.has_value());
  EXPECT_EQ(*rows_of_mass, 9);
  const Eigen::MatrixXd expected = some_saddle().whole();
  EXPECT_LE((w.values() - expected).cwiseAbs().maxCoeff(), 1e-15 * expected.cwiseAbs().maxCoeff());
  for (int i = 0; i < 13; ++i) EXPECT_EQ(w.core.equations[static_cast<std::size_t>(i)], 100 + i);
}

// x - x + y with a y that comes and goes is something; what is rounding at all points is not, and neither is
// an exact zero beside it.
TEST(MakeSymmetric, EntriesThatAreRoundingAreDropped) {
  Written w(some_saddle(), {0, 1, 2, 3}, {1, 1, 1, 1});
  const std::size_t before = w.core.matrix.entries.size();
  const NodeId x = w.e.graph.variable(VariableId(0));
  const NodeId third = w.e.graph.mul(w.e.graph.constant(1.0 / 3), x);
  const NodeId rounding = w.e.graph.sub(w.e.graph.add(w.e.graph.add(third, w.e.graph.constant(0.7)), third),
                                        w.e.graph.add(w.e.graph.add(third, third), w.e.graph.constant(0.7)));
  int row = 0;
  const Eigen::MatrixXd dense = some_saddle().gradient;
  while (dense(0, row) != 0) ++row;
  w.core.matrix.entries.push_back({.row = 9, .column = row, .value = rounding});
  ASSERT_TRUE(make_symmetric(w.e.graph, w.core, w.e.setting()).has_value());
  EXPECT_LE(w.core.matrix.entries.size(), before);
}

TEST(MakeSymmetric, WhatIsNotSymmetricIsRefused) {
  Written one(some_saddle(), {0, 1, 2, 3}, {1, 1, 1, 1});
  one.core.matrix.entries.front().value = one.e.graph.constant(0.5);  // still symmetric: on the diagonal
  EXPECT_TRUE(make_symmetric(one.e.graph, one.core, one.e.setting()).has_value());
  // A force that does not act along the gradient.
  Written other(some_saddle(), {0, 1, 2, 3}, {1, 1, 1, 1});
  for (SymbolicEntry& entry : other.core.matrix.entries) {
    if (entry.column == 9 && entry.row == 0)
      entry.value = other.e.graph.mul(other.e.graph.constant(1 + 1e-6), entry.value);
  }
  EXPECT_FALSE(make_symmetric(other.e.graph, other.core, other.e.setting()).has_value());
  // A diagonal that begins behind the constraints.
  Written third(some_saddle(), {0, 1, 2, 3}, {1, 1, 1, 1});
  third.core.matrix.entries.push_back({.row = 12, .column = 12, .value = third.e.graph.constant(1)});
  EXPECT_FALSE(make_symmetric(third.e.graph, third.core, third.e.setting()).has_value());
}

}  // namespace
}  // namespace daedalus::testing
