#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "expr/graph.hpp"
#include "expr/random_graph.hpp"

namespace daedalus {
namespace {

using test::Drawn;
using test::Random;

// The arithmetic in which simplification promises equal values: IEEE 754 with one zero, all NaNs one.
double plain(double value) {
  if (value == 0) return 0;
  return std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
}
bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

double operation(Op op, std::span<const double> x) {
  const auto arg = [&](std::size_t i) { return i < x.size() ? x[i] : 0.0; };
  return plain(info(op).evaluate(arg(0), arg(1), arg(2)));
}

std::vector<double> values_as_drawn(const std::vector<Drawn>& list, std::span<const double> variables) {
  std::vector<double> values;
  for (const Drawn& drawn : list) {
    std::vector<double> x;
    for (const std::size_t arg : drawn.args) x.push_back(values[arg]);
    if (drawn.op == Op::Constant) {
      values.push_back(plain(drawn.value));
    } else {
      values.push_back(drawn.op == Op::Variable ? variables[static_cast<std::size_t>(drawn.leaf)]
                                                : operation(drawn.op, x));
    }
  }
  return values;
}

struct Evaluated {
  double value = 0;
  bool overflow = false;  // some node that is finite by construction is not: the one excuse
};

Evaluated simplified_value(const ExprGraph& graph, NodeId root, std::span<const double> variables) {
  Evaluated result;
  std::unordered_map<NodeId, double> values;
  for (const NodeId id : topological_order(graph, std::array{root})) {
    const Node& node = graph.node(id);
    std::vector<double> x;
    for (std::size_t i = 0; i < node.arity; ++i) x.push_back(values.at(NodeId(node.args[i])));
    double value = 0;
    if (node.op == Op::Constant) {
      value = plain(node.value);
    } else {
      value =
          node.op == Op::Variable ? variables[static_cast<std::size_t>(node.args[0])] : operation(node.op, x);
    }
    values[id] = value;
    if (node.finite && !std::isfinite(value)) result.overflow = true;
  }
  result.value = values.at(root);
  return result;
}

// Whether a drawn list overflows in a product or sum (in the graph that part may be simplified away).
bool overflows(const std::vector<Drawn>& list, const std::vector<double>& values) {
  for (std::size_t k = 0; k < list.size(); ++k) {
    bool finite = !list[k].args.empty();
    for (const std::size_t arg : list[k].args) finite = finite && std::isfinite(values[arg]);
    if (finite && info(list[k].op).finite && !std::isfinite(values[k])) return true;
  }
  return false;
}

TEST(Simplify, NeverChangesAValue) {
  int compared = 0;
  int not_finite = 0;
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    Random random(seed);
    ExprGraph graph;
    const std::vector<Drawn> list = test::draw(random, {.variables = 3,
                                                        .operations = 1 + static_cast<int>(random.below(25)),
                                                        .reach = 8,
                                                        .constants = test::odd_constants()});
    const std::vector<NodeId> nodes = test::build(graph, list);
    std::vector<double> variables;
    for (int v = 0; v < 3; ++v) variables.push_back(random.below(4) == 0 ? 0.0 : random.between(-3, 3));
    const std::vector<double> expected = values_as_drawn(list, variables);
    if (overflows(list, expected)) continue;
    for (std::size_t k = 0; k < list.size(); ++k) {
      const Evaluated got = simplified_value(graph, nodes[k], variables);
      if (got.overflow) continue;
      ASSERT_TRUE(same(got.value, expected[k]))
          << "seed " << seed << " entry " << k << ": " << got.value << " for " << expected[k];
      ++compared;
      if (!std::isfinite(expected[k])) ++not_finite;
    }
  }
  EXPECT_GT(compared, 150'000);   // overflow excuses few
  EXPECT_GT(not_finite, 10'000);  // and the odd values are really met
}

// "finite" is what 0*x relies on: a node so marked has a finite value whenever its leaves have.
TEST(Simplify, FiniteByConstructionMeansFinite) {
  for (const OpInfo& row : all_ops()) {
    if (row.arity == 0 || !row.finite) continue;
    for (const double a : {-1e150, -2.0, -1.0, -0.0, 0.0, 0.5, 1.0, 700.0, 1e150}) {
      for (const double b : {-1e150, -1.0, -0.0, 0.0, 1.0, 3.0, 1e150}) {
        for (const double c : {-1.0, 0.0, 1.0}) {
          EXPECT_TRUE(std::isfinite(row.evaluate(a, b, c))) << row.name << " of " << a << ", " << b;
        }
      }
    }
  }
}

class Rules : public testing::Test {
 protected:
  ExprGraph g;
  NodeId x = g.variable(VariableId(0));
  NodeId y = g.variable(VariableId(1));
  NodeId zero = g.constant(0);
  NodeId one = g.constant(1);
  NodeId relation = g.relation(RelationId(0));
};

TEST_F(Rules, ZeroTimesWhatMayBeInfiniteStays) {
  EXPECT_EQ(g.mul(zero, g.apply(Op::Sin, x)), zero);
  EXPECT_EQ(g.mul(x, zero), zero);
  EXPECT_EQ(g.mul(zero, g.pow(x, g.constant(3))), zero);
  for (const NodeId risky : {g.div(x, y), g.apply(Op::Log, x), g.apply(Op::Sqrt, y), g.pow(x, y),
                             g.pow(x, g.constant(-2)), g.constant(INFINITY), g.constant(NAN)}) {
    EXPECT_EQ(g.node(g.mul(zero, risky)).op, Op::Mul);
    EXPECT_EQ(g.node(g.mul(zero, g.apply(Op::Sin, risky))).op, Op::Mul);
    EXPECT_EQ(g.node(g.sub(risky, risky)).op, Op::Sub);
  }
  EXPECT_EQ(g.sub(g.mul(x, y), g.mul(y, x)), zero);
}

TEST_F(Rules, ConstantsFoldOnlyToFiniteValues) {
  EXPECT_EQ(g.div(one, g.constant(4)), g.constant(0.25));
  EXPECT_EQ(g.node(g.div(one, zero)).op, Op::Div);
  EXPECT_EQ(g.node(g.div(zero, zero)).op, Op::Div);
  EXPECT_EQ(g.node(g.div(zero, g.constant(NAN))).op, Op::Div);
  EXPECT_EQ(g.node(g.apply(Op::Log, zero)).op, Op::Log);
  EXPECT_EQ(g.node(g.apply(Op::Sqrt, g.constant(-1))).op, Op::Sqrt);
  EXPECT_EQ(g.node(g.mul(g.constant(1e200), g.constant(1e200))).op, Op::Mul);
  EXPECT_EQ(g.apply(Op::Less, zero, one), one);
}

TEST_F(Rules, IdentitiesAndSigns) {
  EXPECT_EQ(g.add(x, zero), x);
  EXPECT_EQ(g.sub(zero, x), g.neg(x));
  EXPECT_EQ(g.mul(one, x), x);
  EXPECT_EQ(g.mul(g.constant(-1), x), g.neg(x));
  EXPECT_EQ(g.neg(g.neg(x)), x);
  EXPECT_EQ(g.neg(g.sub(x, y)), g.sub(y, x));
  EXPECT_EQ(g.add(x, g.neg(y)), g.sub(x, y));
  EXPECT_EQ(g.add(g.neg(x), y), g.sub(y, x));
  EXPECT_EQ(g.sub(x, g.neg(y)), g.add(x, y));
  EXPECT_EQ(g.mul(g.neg(x), g.neg(y)), g.mul(x, y));
  EXPECT_EQ(g.mul(g.neg(x), y), g.neg(g.mul(x, y)));
  EXPECT_EQ(g.div(g.neg(x), y), g.neg(g.div(x, y)));
  EXPECT_EQ(g.pow(x, g.constant(2)), g.mul(x, x));
  EXPECT_EQ(g.pow(x, g.constant(0.5)), g.apply(Op::Sqrt, x));
  EXPECT_EQ(g.pow(x, one), x);
  EXPECT_EQ(g.pow(x, zero), one);
}

TEST_F(Rules, LogicIsSimplifiedOnlyWhereItsOperandIsATruthValue) {
  EXPECT_EQ(g.apply(Op::And, one, relation), relation);
  EXPECT_EQ(g.apply(Op::And, zero, relation), zero);
  EXPECT_EQ(g.apply(Op::Or, zero, relation), relation);
  EXPECT_EQ(g.apply(Op::Or, relation, relation), relation);
  EXPECT_EQ(g.apply(Op::Not, g.apply(Op::Not, relation)), relation);
  EXPECT_EQ(g.node(g.apply(Op::And, one, g.add(x, y))).op, Op::And);  // true and 5 is 1, not 5
  EXPECT_EQ(g.node(g.apply(Op::Not, g.apply(Op::Not, x))).op, Op::Not);
}

TEST_F(Rules, IfTakesAConstantBranchAndEqualBranches) {
  const NodeId infinite = g.div(one, zero);
  EXPECT_EQ(g.if_else(one, x, infinite), x);
  EXPECT_EQ(g.if_else(zero, infinite, y), y);
  EXPECT_EQ(g.if_else(relation, x, x), x);
  EXPECT_EQ(g.node(g.if_else(relation, x, y)).op, Op::If);
}

// min(NaN, 1) must not be 1: a NaN on the way has to reach the residual, where it is reported.
TEST_F(Rules, MinAndMaxHandNaNOn) {
  for (const Op op : {Op::Min, Op::Max}) {
    EXPECT_TRUE(std::isnan(info(op).evaluate(NAN, 1, 0)));
    EXPECT_TRUE(std::isnan(info(op).evaluate(1, NAN, 0)));
  }
}

}  // namespace
}  // namespace daedalus
