#include "codegen/jacobian.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>

#include "codegen/allocations.hpp"
#include "expr/derivative.hpp"
#include "expr/precise.hpp"
#include "expr/random_graph.hpp"

namespace daedalus {
namespace {

using test::Random;
using test::Real;

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

void check_pattern(const SparseJacobianProgram& jacobian, int rows) {
  EXPECT_EQ(jacobian.column_start.front(), 0);
  EXPECT_EQ(static_cast<std::size_t>(jacobian.column_start.back()), jacobian.row.size());
  for (std::size_t c = 0; c + 1 < jacobian.column_start.size(); ++c) {
    for (int k = jacobian.column_start[c]; k < jacobian.column_start[c + 1]; ++k) {
      EXPECT_TRUE(jacobian.row[k] >= 0 && jacobian.row[k] < rows);
      EXPECT_TRUE(k == jacobian.column_start[c] || jacobian.row[k - 1] < jacobian.row[k]);
    }
  }
}

// A random system of six expressions in five variables, with a column and a slot for each.
class RandomSystem {
 public:
  static constexpr int variables = 5;

  explicit RandomSystem(std::uint64_t seed, const std::vector<Op>& ops = {}) : random_(seed) {
    const auto list = test::draw(
        random_,
        {.variables = variables, .operations = 40, .reach = 12, .constants = {0, 1, 2, -1}, .ops = ops});
    const std::vector<NodeId> nodes = test::build(graph, list);
    for (int r = 0; r < 6; ++r) {
      const NodeId node = nodes[nodes.size() - 1 - random_.below(20)];
      const NodeId other = nodes[random_.below(variables)];
      roots.push_back(random_.below(2) == 0 ? graph.add(node, other) : node);
    }
    for (double& value : environment) value = random_.between(-2, 2);
  }
  [[nodiscard]] SparseJacobianProgram compile(const CodegenOptions& options = {}) {
    const auto variable = [&](NodeId leaf) { return graph.variable_of(leaf).value; };
    return SparseJacobianProgram::compile(graph, roots, variables, variable, variables, variable, options);
  }
  [[nodiscard]] double leaf_value(NodeId leaf) const { return environment[graph.variable_of(leaf).at()]; }

  ExprGraph graph;
  std::vector<NodeId> roots;
  std::array<double, variables> environment{};

 private:
  Random random_;
};

TEST(Jacobian, AgreesWithGradientAndOracle) {
  std::vector<double> workspace;
  std::size_t constants = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    RandomSystem system(seed);
    // By the oracle, whose sines are those of evaluate().
    const SparseJacobianProgram jacobian = system.compile({.choice = CodegenChoice::Interpreter});
    check_pattern(jacobian, 6);
    std::vector<double> values(jacobian.row.size(), NAN);
    jacobian.evaluate(system.environment, values, workspace);
    std::map<std::pair<int, int>, double> expected;  // row and column
    for (std::size_t r = 0; r < system.roots.size(); ++r) {
      for (const Partial& p : gradient(system.graph, system.roots[r])) {
        expected[{static_cast<int>(r), system.graph.variable_of(p.leaf).value}] =
            evaluate(system.graph, p.value, [&](NodeId leaf) { return system.leaf_value(leaf); });
      }
    }
    ASSERT_EQ(jacobian.row.size(), expected.size());
    for (int c = 0; c < RandomSystem::variables; ++c) {
      for (int k = jacobian.column_start[c]; k < jacobian.column_start[c + 1]; ++k) {
        const auto entry = expected.find({jacobian.row[k], c});
        ASSERT_NE(entry, expected.end());
        ASSERT_TRUE(same(values[k], entry->second))
            << "seed " << seed << " at " << jacobian.row[k] << ", " << c;
      }
    }
    constants += expected.size() - jacobian.program().roots();
  }
  EXPECT_GT(constants, 1000U);
}

// The second route: differences of the expressions themselves. Bounded functions, sums and products keep the
// condition moderate; 1e-9 is generous for double precision, and tells a wrong entry all the same.
TEST(Jacobian, AgreesWithDifferences) {
  std::vector<double> workspace;
  int compared = 0;
  const std::vector<Op> bounded{Op::Add,  Op::Sub,  Op::Mul,  Op::Sin, Op::Cos,
                                Op::Atan, Op::Tanh, Op::Less, Op::If};
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    RandomSystem system(seed, bounded);
    const SparseJacobianProgram jacobian = system.compile();
    std::vector<double> values(jacobian.row.size());
    jacobian.evaluate(system.environment, values, workspace);
    for (int c = 0; c < RandomSystem::variables; ++c) {
      for (int k = jacobian.column_start[c]; k < jacobian.column_start[c + 1]; ++k) {
        const test::Difference numeric = test::difference([&](Real step) {
          return test::precise_value(system.graph, system.roots[jacobian.row[k]], [&](NodeId leaf) -> Real {
            return system.leaf_value(leaf) + (system.graph.variable_of(leaf).value == c ? step : 0.0L);
          });
        });
        const Real scale = 1 + std::abs(numeric.value);
        if (!(numeric.error < 1e-9L * scale)) continue;  // a jump within reach
        EXPECT_LE(std::abs(values[k] - numeric.value), numeric.error + 1e-9L * scale) << "seed " << seed;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 1000);
}

class SmallJacobian : public testing::Test {
 protected:
  ExprGraph g;
  NodeId x = g.variable(VariableId(0));
  NodeId y = g.variable(VariableId(1));
  std::vector<double> workspace;

  SparseJacobianProgram compile(std::span<const NodeId> roots, int columns, const LeafColumn& column_of) {
    return SparseJacobianProgram::compile(g, roots, columns, column_of, 2,
                                          [&](NodeId leaf) { return g.variable_of(leaf).value; });
  }
};

TEST_F(SmallJacobian, ConstantEntriesAreFilledOnceAndNotComputed) {
  const std::array roots{g.add(g.mul(g.constant(3), x), g.mul(y, y)), g.sub(x, y)};
  const SparseJacobianProgram jacobian = compile(roots, 2, [&](NodeId leaf) { return leaf == x ? 0 : 1; });
  ASSERT_EQ(jacobian.row.size(), 4U);
  EXPECT_EQ(jacobian.program().roots(), 1U);
  EXPECT_EQ(jacobian.program().operations(), 1U);  // y + y
  std::array<double, 4> values{};
  jacobian.fill_constants(values);
  EXPECT_EQ(values, (std::array<double, 4>{3, 1, 0, -1}));
  jacobian.evaluate_varying(std::array{0.0, 5.0}, values, workspace);
  EXPECT_EQ(values, (std::array<double, 4>{3, 1, 10, -1}));
  values.fill(NAN);
  jacobian.evaluate(std::array{0.0, 6.0}, values, workspace);
  EXPECT_EQ(values, (std::array<double, 4>{3, 1, 12, -1}));
}

TEST_F(SmallJacobian, LeavesOfOneColumnAddUp) {
  const std::array roots{g.add(g.mul(g.constant(3), x), g.mul(g.constant(4), y))};
  const SparseJacobianProgram jacobian = compile(roots, 1, [](NodeId) { return 0; });
  ASSERT_EQ(jacobian.row.size(), 1U);
  double value = 0;
  jacobian.fill_constants(std::span(&value, 1));
  EXPECT_EQ(value, 7);
}

TEST_F(SmallJacobian, MayBeRectangularAndHaveEmptyRowsAndColumns) {
  const std::array roots{g.constant(1), g.mul(y, y), g.apply(Op::Floor, x), x};
  const SparseJacobianProgram jacobian = compile(roots, 5, [&](NodeId leaf) { return leaf == y ? 4 : -1; });
  check_pattern(jacobian, 4);
  EXPECT_EQ(jacobian.row, std::vector<int>{1});
  EXPECT_EQ(jacobian.column_start, (std::vector<int>{0, 0, 0, 0, 0, 1}));
}

TEST_F(SmallJacobian, DoesNotAllocateAfterTheFirstCall) {
  const std::array roots{g.apply(Op::Sin, g.mul(x, y)), g.add(x, y)};
  const SparseJacobianProgram jacobian = compile(roots, 2, [&](NodeId leaf) { return leaf == x ? 0 : 1; });
  std::vector<double> values(jacobian.row.size());
  jacobian.evaluate(std::array{1.0, 2.0}, values, workspace);
  const std::size_t before = test::allocations();
  for (int k = 0; k < 10; ++k) jacobian.evaluate(std::array{1.0, 2.0}, values, workspace);
  EXPECT_EQ(test::allocations(), before);
}

// An entry that divides by zero is not finite and says so in the values; it is no constant to be filled once.
TEST_F(SmallJacobian, InfiniteEntriesAreComputed) {
  const std::array roots{g.mul(x, g.div(g.constant(1), g.constant(0)))};
  const SparseJacobianProgram jacobian = compile(roots, 1, [&](NodeId leaf) { return leaf == x ? 0 : -1; });
  ASSERT_EQ(jacobian.row.size(), 1U);
  double value = 0;
  jacobian.evaluate(std::array{0.0, 0.0}, std::span(&value, 1), workspace);
  EXPECT_EQ(value, INFINITY);
}

}  // namespace
}  // namespace daedalus
