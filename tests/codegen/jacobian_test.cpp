#include "codegen/jacobian.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>

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

// Values of all parts on the pattern, each in its own vector.
struct Values {
  std::vector<std::vector<double>> parts;
  explicit Values(const SparseJacobianProgram& jacobian)
      : parts(jacobian.parts(), std::vector<double>(jacobian.nonzeros(), NAN)) {}
  std::vector<std::span<double>> spans() {
    std::vector<std::span<double>> all;
    for (std::vector<double>& part : parts) all.emplace_back(part);
    return all;
  }
};

void check_pattern(const SparseJacobianProgram& jacobian) {
  ASSERT_EQ(jacobian.column_start.size(), static_cast<std::size_t>(jacobian.columns) + 1);
  EXPECT_EQ(jacobian.column_start.front(), 0);
  EXPECT_EQ(static_cast<std::size_t>(jacobian.column_start.back()), jacobian.nonzeros());
  for (std::size_t c = 0; c < static_cast<std::size_t>(jacobian.columns); ++c) {
    for (int k = jacobian.column_start[c]; k < jacobian.column_start[c + 1]; ++k) {
      const int row = jacobian.row[static_cast<std::size_t>(k)];
      EXPECT_TRUE(row >= 0 && row < jacobian.rows);
      if (k > jacobian.column_start[c]) {
        EXPECT_LT(jacobian.row[static_cast<std::size_t>(k) - 1], row);
      }
    }
  }
}

// Random systems in x and x', both of which have the column of their variable, in parts 0 and 1.
class RandomSystem {
 public:
  static constexpr int variables = 5;

  explicit RandomSystem(std::uint64_t seed, const std::vector<Op>& ops = {}) : random_(seed) {
    const auto list = test::draw(
        random_,
        {.variables = variables, .operations = 40, .reach = 12, .constants = {0, 1, 2, -1}, .ops = ops});
    std::vector<NodeId> nodes = test::build(graph, list);
    std::unordered_map<NodeId, NodeId> rates;  // half of the leaves become derivatives
    for (int v = 0; v < variables; ++v) {
      for (int order = 0; order < 2; ++order) {
        independents.push_back({graph.variable(VariableId(v), order), v, order});
      }
      rates[graph.variable(VariableId(v), v % 3)] = graph.variable(VariableId(v), v % 2);
    }
    for (int r = 0; r < 6; ++r) {
      const NodeId node =
          substitute(graph, std::array{nodes[nodes.size() - 1 - random_.below(20)]}, rates)[0];
      const NodeId other =
          graph.variable(VariableId(random_.below(variables)), static_cast<int>(random_.below(2)));
      roots.push_back(random_.below(2) == 0 ? graph.add(node, other) : node);
    }
    for (double& value : environment) value = random_.between(-2, 2);
  }

  static int slot(const ExprGraph& graph, NodeId leaf) {
    return graph.variable_of(leaf).value + graph.order_of(leaf) * variables;
  }
  [[nodiscard]] SparseJacobianProgram build() {
    return SparseJacobianProgram::build(graph, {.roots = roots,
                                                .independents = independents,
                                                .columns = variables,
                                                .parts = 2,
                                                .slots = 2 * variables,
                                                .slot_of = [&](NodeId leaf) { return slot(graph, leaf); }});
  }

  ExprGraph graph;
  std::vector<NodeId> roots;
  std::vector<Independent> independents;
  std::array<double, 2 * variables> environment{};

 private:
  Random random_;
};

// part, row, column → value, by way of gradient and evaluate.
std::map<std::array<int, 3>, double> by_gradient(RandomSystem& system) {
  std::map<std::array<int, 3>, double> entries;
  for (std::size_t r = 0; r < system.roots.size(); ++r) {
    for (const Partial& p : gradient(system.graph, system.roots[r])) {
      const double value = evaluate(system.graph, p.value, [&](NodeId leaf) {
        return system.environment[static_cast<std::size_t>(RandomSystem::slot(system.graph, leaf))];
      });
      entries[{system.graph.order_of(p.leaf), static_cast<int>(r), system.graph.variable_of(p.leaf).value}] =
          value;
    }
  }
  return entries;
}

TEST(Jacobian, AgreesWithGradientAndOracle) {
  std::vector<double> workspace;
  std::size_t constants = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    RandomSystem system(seed);
    const SparseJacobianProgram jacobian = system.build();
    check_pattern(jacobian);
    Values values(jacobian);
    jacobian.evaluate(system.environment, values.spans(), workspace);
    const auto expected = by_gradient(system);
    std::size_t found = 0;
    for (int c = 0; c < jacobian.columns; ++c) {
      for (int k = jacobian.column_start[c]; k < jacobian.column_start[c + 1]; ++k) {
        for (int part = 0; part < 2; ++part) {
          const auto entry = expected.find({part, jacobian.row[k], c});
          if (entry != expected.end()) ++found;
          const double value = entry == expected.end() ? 0.0 : entry->second;
          ASSERT_TRUE(same(values.parts[part][k], value))
              << "seed " << seed << " at " << jacobian.row[k] << ", " << c;
        }
      }
    }
    ASSERT_EQ(found, expected.size());
    constants += expected.size() - jacobian.varying();
  }
  EXPECT_GT(constants, 1000U);
}

// The second route: differences of the residual itself. Bounded functions, sums and one product a level keep
// the condition moderate; 1e-9 is generous for double precision, and tells a wrong entry all the same.
TEST(Jacobian, AgreesWithDifferences) {
  std::vector<double> workspace;
  int compared = 0;
  const std::vector<Op> bounded{Op::Add,  Op::Sub,  Op::Mul,  Op::Sin, Op::Cos,
                                Op::Atan, Op::Tanh, Op::Less, Op::If};
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    RandomSystem system(seed, bounded);
    const SparseJacobianProgram jacobian = system.build();
    Values values(jacobian);
    jacobian.evaluate(system.environment, values.spans(), workspace);
    for (int c = 0; c < jacobian.columns; ++c) {
      for (int k = jacobian.column_start[c]; k < jacobian.column_start[c + 1]; ++k) {
        for (int part = 0; part < 2; ++part) {
          const NodeId x = system.graph.variable(VariableId(c), part);
          const test::Difference numeric = test::difference([&](Real step) {
            return test::precise_value(system.graph, system.roots[jacobian.row[k]], [&](NodeId leaf) -> Real {
              return system.environment[RandomSystem::slot(system.graph, leaf)] + (leaf == x ? step : 0.0L);
            });
          });
          const double value = values.parts[part][k];
          const Real scale = 1 + std::abs(numeric.value);
          if (!std::isfinite(value) || !(numeric.error < 1e-9L * scale)) continue;  // a jump within reach
          EXPECT_LE(std::abs(value - numeric.value), numeric.error + 1e-9L * scale) << "seed " << seed;
          ++compared;
        }
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

  SparseJacobianProgram build(std::span<const NodeId> roots, std::span<const Independent> independents,
                              int columns) {
    return SparseJacobianProgram::build(g,
                                        {.roots = roots,
                                         .independents = independents,
                                         .columns = columns,
                                         .parts = 1,
                                         .slots = 3,
                                         .slot_of = [&](NodeId leaf) { return g.variable_of(leaf).value; }});
  }
};

TEST_F(SmallJacobian, ConstantEntriesAreFilledOnceAndNotComputed) {
  const std::array roots{g.add(g.mul(g.constant(3), x), g.mul(y, y)), g.sub(x, y)};
  const std::array independents{Independent{x, 0, 0}, Independent{y, 1, 0}};
  const SparseJacobianProgram jacobian = build(roots, independents, 2);
  EXPECT_EQ(jacobian.nonzeros(), 4U);
  EXPECT_EQ(jacobian.varying(), 1U);
  EXPECT_EQ(jacobian.program().operations(), 1U);  // y + y
  std::array<double, 4> values{};
  const std::array spans{std::span<double>(values)};
  jacobian.fill_constants(spans);
  EXPECT_EQ(values, (std::array<double, 4>{3, 1, 0, -1}));
  jacobian.evaluate_varying(std::array{0.0, 5.0, 0.0}, spans, workspace);
  EXPECT_EQ(values, (std::array<double, 4>{3, 1, 10, -1}));
  values.fill(NAN);
  jacobian.evaluate(std::array{0.0, 6.0, 0.0}, spans, workspace);
  EXPECT_EQ(values, (std::array<double, 4>{3, 1, 12, -1}));
}

TEST_F(SmallJacobian, LeavesOfOneColumnAddUp) {
  const std::array roots{g.add(g.mul(g.constant(3), x), g.mul(g.constant(4), y))};
  const std::array independents{Independent{x, 0, 0}, Independent{y, 0, 0}};
  const SparseJacobianProgram jacobian = build(roots, independents, 1);
  ASSERT_EQ(jacobian.nonzeros(), 1U);
  double value = 0;
  jacobian.fill_constants(std::array{std::span<double>(&value, 1)});
  EXPECT_EQ(value, 7);
}

TEST_F(SmallJacobian, MayBeRectangularAndHaveEmptyRowsAndColumns) {
  const std::array roots{g.constant(1), g.mul(y, y), g.apply(Op::Floor, x)};
  const std::array independents{Independent{x, 0, 0}, Independent{y, 4, 0}};
  const SparseJacobianProgram jacobian = build(roots, independents, 5);
  check_pattern(jacobian);
  EXPECT_EQ(jacobian.rows, 3);
  EXPECT_EQ(jacobian.row, std::vector<int>{1});
  EXPECT_EQ(jacobian.column_start, (std::vector<int>{0, 0, 0, 0, 0, 1}));
}

}  // namespace
}  // namespace daedalus
