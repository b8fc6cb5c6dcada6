#include "expr/graph.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <set>

#include "expr/random_graph.hpp"

namespace daedalus {
namespace {

class Graph : public testing::Test {
 protected:
  ExprGraph g;
  NodeId x = g.variable(VariableId(0));
  NodeId y = g.variable(VariableId(1));
};

TEST_F(Graph, EqualExpressionsAreOneNode) {
  const NodeId first = g.apply(Op::Sin, g.add(x, g.mul(y, g.constant(2))));
  const std::size_t size = g.size();
  EXPECT_EQ(g.apply(Op::Sin, g.add(g.mul(g.constant(2), y), x)), first);
  EXPECT_EQ(g.size(), size);
}

TEST_F(Graph, LeavesThatDifferAreDifferentNodes) {
  const VariableId v(0);
  const std::set<NodeId> leaves{
      g.time(), g.variable(v, 0),          g.variable(v, 1),      g.variable(v, 2), g.discrete(v),
      g.pre(v), g.relation(RelationId(0)), g.sample(SampleId(0)), g.initial(),      g.constant(0)};
  EXPECT_EQ(leaves.size(), 10U);
  EXPECT_EQ(g.variable_of(g.variable(v, 2)), v);
  EXPECT_EQ(g.order_of(g.variable(v, 2)), 2);
}

TEST_F(Graph, ConstantsAreKeptApartByTheirBits) {
  EXPECT_EQ(g.constant(NAN), g.constant(NAN));
  EXPECT_NE(g.constant(INFINITY), g.constant(-INFINITY));
  EXPECT_NE(g.constant(1), g.constant(std::nextafter(1.0, 2.0)));
}

TEST_F(Graph, ThereIsOneZero) {
  EXPECT_EQ(g.constant(-0.0), g.constant(0.0));
  EXPECT_FALSE(std::signbit(g.node(g.constant(-0.0)).value));
  EXPECT_EQ(g.neg(g.constant(0)), g.constant(0));
}

TEST_F(Graph, NodesKeepTheirMeaningWhileTheGraphGrows) {
  const NodeId product = g.mul(x, y);
  for (int k = 0; k < 100'000; ++k) (void)g.add(product, g.constant(k));
  EXPECT_EQ(g.mul(x, y), product);
  EXPECT_EQ(g.node(product).op, Op::Mul);
}

// Round numbers differ only in the high bits of their representation. With a hash that leaves those bits
// out of the low ones, all of them share a few slots and the cost is quadratic: minutes for this many.
TEST_F(Graph, RoundConstantsDoNotCollide) {
  const auto begin = std::chrono::steady_clock::now();
  for (int k = 0; k < 1'000'000; ++k) (void)g.constant(k * 0.5);
  for (int k = -1000; k < 1000; ++k) (void)g.constant(std::ldexp(1.0, k));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

// All with one newest argument, on which the place in the table depends first: linear all the same.
TEST_F(Graph, ManyUsesOfOneNodeDoNotPileUp) {
  std::vector<NodeId> earlier;
  for (int k = 0; k < 300'000; ++k) earlier.push_back(g.variable(VariableId(2 + k)));
  const NodeId newest = g.apply(Op::Sin, x);
  const auto begin = std::chrono::steady_clock::now();
  const std::size_t size = g.size();
  for (int repeat = 0; repeat < 2; ++repeat) {
    for (const NodeId id : earlier) (void)g.mul(id, newest);
  }
  EXPECT_EQ(g.size(), size + earlier.size());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST_F(Graph, TopologicalOrderHasChildrenFirstAndEachNodeOnce) {
  test::Random random(3);
  const std::vector<NodeId> nodes = test::build(g, test::draw(random, {.variables = 5, .operations = 400}));
  const std::vector<NodeId> roots{nodes.back(), nodes[nodes.size() / 2], nodes.back()};
  std::set<NodeId> seen;
  for (const NodeId id : topological_order(g, roots)) {
    const Node& node = g.node(id);
    for (std::size_t i = 0; i < node.arity; ++i) EXPECT_TRUE(seen.contains(NodeId(node.args[i])));
    EXPECT_TRUE(seen.insert(id).second);
  }
  for (const NodeId root : roots) EXPECT_TRUE(seen.contains(root));
}

TEST_F(Graph, LeavesAreSortedAndWithoutConstants) {
  const NodeId root = g.add(g.mul(y, g.constant(3)), g.apply(Op::Atan2, g.time(), g.mul(x, y)));
  EXPECT_EQ(leaves_of(g, root), (std::vector<NodeId>{x, y, g.time()}));
  EXPECT_EQ(leaves_of(g, x), std::vector<NodeId>{x});
  EXPECT_TRUE(leaves_of(g, g.constant(1)).empty());
}

TEST_F(Graph, SubstituteReplacesLeavesAndInnerNodesAtOnce) {
  const NodeId sum = g.add(x, y);
  const NodeId root = g.mul(sum, g.apply(Op::Sin, x));
  // At once: the y that x becomes is not replaced in turn.
  EXPECT_EQ(substitute(g, std::array{root}, {{x, y}, {y, x}})[0], g.mul(g.add(x, y), g.apply(Op::Sin, y)));
  // An inner node goes first; what is below it does not count.
  EXPECT_EQ(substitute(g, std::array{root}, {{sum, g.time()}, {y, g.constant(7)}})[0],
            g.mul(g.time(), g.apply(Op::Sin, x)));
  // Roots themselves, several of them, and the result is simplified.
  const auto results = substitute(g, std::array{root, x, y}, {{x, g.constant(0)}});
  EXPECT_EQ(results[0], g.constant(0));
  EXPECT_EQ(results[1], g.constant(0));
  EXPECT_EQ(results[2], y);
}

TEST_F(Graph, SubstitutionCommutesWithEvaluation) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    test::Random random(seed);
    ExprGraph graph;
    const std::vector<NodeId> nodes = test::build(
        graph, test::draw(random,
                          {.variables = 3,
                           .operations = 25,
                           .ops = {Op::Add, Op::Sub, Op::Mul, Op::Neg, Op::Sin, Op::Max, Op::Less, Op::If}}));
    const NodeId leaf = graph.variable(VariableId(0));
    const NodeId replacement = graph.add(graph.time(), graph.constant(0.25));
    const NodeId changed = substitute(graph, std::array{nodes.back()}, {{leaf, replacement}})[0];
    const auto value = [&](NodeId id) { return id == leaf || id == graph.time() ? 0.5 : 0.1 * id.value; };
    const auto replaced = [&](NodeId id) { return id == leaf ? 0.75 : value(id); };
    const double expected = evaluate(graph, nodes.back(), replaced);
    const double got = evaluate(graph, changed, value);
    ASSERT_TRUE(expected == got || (std::isnan(expected) && std::isnan(got))) << "seed " << seed;
  }
}

}  // namespace
}  // namespace daedalus
