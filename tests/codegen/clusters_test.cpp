#include "codegen/clusters.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "codegen/models.hpp"

namespace daedalus {
namespace {

Tape tape_of(const ExprGraph& g, std::span<const NodeId> roots) {
  return Tape::write(g, roots, 1'000'000, [&](NodeId leaf) { return g.variable_of(leaf).value; });
}

// Every operation is in one cluster, and what a cluster reads was computed by clusters before it.
void check(const Tape& tape, const Clusters& clusters) {
  std::set<std::int32_t> seen, available;
  for (const Cluster& c : clusters.list) {
    for (const std::int32_t value : clusters.inputs_of(c)) {
      if (tape.is_result(value)) {
        EXPECT_TRUE(available.contains(tape.operation_of(value)));
      }
    }
    for (const std::int32_t k : clusters.operations_of(c)) EXPECT_TRUE(seen.insert(k).second);
    for (const std::int32_t k : clusters.results_of(c)) available.insert(k);
  }
  EXPECT_EQ(seen.size(), tape.operations.size());
  for (const std::int32_t root : tape.roots) {
    EXPECT_TRUE(!tape.is_result(root) || available.contains(tape.operation_of(root)));
  }
}

TEST(Clusters, CoverRandomTapes) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    test::Random random(seed);
    ExprGraph g;
    const std::vector<NodeId> nodes = test::build(g, test::draw(random, {.operations = 100}));
    const Tape tape = tape_of(g, std::span(nodes).last(10));
    check(tape, Clusters::find(tape));
  }
}

TEST(Clusters, LinksOfAChainAreOfOneShape) {
  ExprGraph g;
  const Tape tape = tape_of(g, test::chain(g, 100));
  const Clusters clusters = Clusters::find(tape);
  check(tape, clusters);
  std::map<std::uint32_t, int> count;
  for (const Cluster& c : clusters.list) ++count[c.shape];
  // sin and cos | end | the two equations; nothing else, the first link's included: its constant is an input
  // like others.
  EXPECT_EQ(count.size(), 4U);
  for (const auto& [shape, number] : count) EXPECT_EQ(number, 100);
}

TEST(Clusters, ShapesTellWhichInputsAreEqual) {
  ExprGraph g;
  const auto v = [&](int k) { return g.variable(VariableId(k)); };
  const std::array roots{g.sub(g.mul(v(0), v(1)), v(0)), g.sub(g.mul(v(2), v(3)), v(2)),
                         g.sub(g.mul(v(4), v(5)), v(6))};
  const Clusters clusters = Clusters::find(tape_of(g, roots));
  ASSERT_EQ(clusters.list.size(), 3U);
  EXPECT_EQ(clusters.list[0].shape, clusters.list[1].shape);
  EXPECT_NE(clusters.list[0].shape, clusters.list[2].shape);
  EXPECT_EQ(clusters.list[0].inputs, 2U);
}

TEST(Clusters, LongSumsAreCut) {
  ExprGraph g;
  NodeId sum = g.variable(VariableId(0));
  for (int k = 1; k < 100'000; ++k) sum = g.add(sum, g.variable(VariableId(k)));
  const Tape tape = tape_of(g, std::array{sum});
  const Clusters clusters = Clusters::find(tape);
  for (const Cluster& c : clusters.list) EXPECT_LT(c.inputs, 255U);
  EXPECT_GT(clusters.list.size(), 1000U);
  EXPECT_LT(clusters.shapes.size(), 10U);
}

TEST(Clusters, SineAndCosineAreOne) {
  ExprGraph g;
  const NodeId x = g.add(g.variable(VariableId(0)), g.variable(VariableId(1)));
  const std::array roots{g.apply(Op::Cos, x), g.apply(Op::Sin, x),
                         g.apply(Op::Sin, g.variable(VariableId(0)))};
  const Tape tape = tape_of(g, roots);
  const Clusters clusters = Clusters::find(tape);
  check(tape, clusters);
  ASSERT_EQ(clusters.list.size(), 3U);
  int pairs = 0;
  for (const Cluster& c : clusters.list) {
    if (!clusters.shapes[c.shape].is_pair) continue;
    ++pairs;
    ASSERT_EQ(c.operations, 2U);
    EXPECT_EQ(tape.operations[static_cast<std::size_t>(clusters.operations_of(c)[0])].op, Op::Sin);
    EXPECT_EQ(tape.operations[static_cast<std::size_t>(clusters.operations_of(c)[1])].op, Op::Cos);
  }
  EXPECT_EQ(pairs, 1);
}

std::set<std::int32_t> slots_of(const Tape& tape) {
  return {tape.leaf_slots.begin(), tape.leaf_slots.end()};
}

TEST(Tape, PartsHaveWhatTheirRootsNeed) {
  ExprGraph g;
  const auto v = [&](int k) { return g.variable(VariableId(k)); };
  const NodeId shared = g.mul(v(0), v(1));
  const std::array roots{g.add(shared, g.constant(2)), v(2), g.sub(shared, v(3)), g.constant(5)};
  const Tape tape = tape_of(g, roots);
  const Tape first = tape.part(0, 2), second = tape.part(2, 4), none = tape.part(1, 1);
  EXPECT_EQ(first.operations.size(), 2U);
  EXPECT_EQ(slots_of(first), (std::set<std::int32_t>{0, 1, 2}));
  EXPECT_EQ(second.operations.size(), 2U);
  EXPECT_EQ(slots_of(second), (std::set<std::int32_t>{0, 1, 3}));
  EXPECT_EQ(second.constants, tape.constants);
  EXPECT_TRUE(second.is_constant(second.roots[1]));
  EXPECT_EQ(none.operations.size(), 0U);
}

}  // namespace
}  // namespace daedalus
