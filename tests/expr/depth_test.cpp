// Depth is no limit: chains of a million operations through every function that walks a graph. A recursive
// walk would need about 100 MB of stack; the usual limit is 8 MB.
#include <gtest/gtest.h>

#include "expr/derivative.hpp"
#include "expr/graph.hpp"

namespace daedalus {
namespace {

constexpr int depth = 1'000'000;

class Chain : public testing::TestWithParam<bool> {
 protected:
  // sin(x + sin(x + ...)), or a sum nested to the left or right as GetParam says.
  NodeId sum() {
    NodeId node = x;
    for (int k = 0; k < depth; ++k) {
      const NodeId term = g.variable(VariableId(1 + k % 7));
      node = GetParam() ? g.sub(node, term) : g.sub(term, node);
    }
    return node;
  }
  ExprGraph g;
  NodeId x = g.variable(VariableId(0));
};

TEST_P(Chain, IsWalkedAndEvaluated) {
  const NodeId node = sum();
  EXPECT_EQ(topological_order(g, std::array{node}).size(), static_cast<std::size_t>(depth) + 8);
  EXPECT_EQ(leaves_of(g, node).size(), 8U);
  // With every leaf 1: x - 1 - 1 ... = 1 - depth; 1 - (1 - (1 - ...)) alternates between 0 and 1.
  EXPECT_EQ(evaluate(g, node, [](NodeId) { return 1.0; }), GetParam() ? 1.0 - depth : 1.0);
}

TEST_P(Chain, IsDifferentiated) {
  const NodeId node = sum();
  TimeDerivative derivative(g);
  const NodeId dot = derivative(node);
  EXPECT_EQ(evaluate(g, dot, [](NodeId) { return 1.0; }), GetParam() ? 1.0 - depth : 1.0);
  const std::vector<Partial> partials = gradient(g, node);
  // To the right the signs alternate; the first of the seven terms comes an even number of times (142858) and
  // cancels, the others an odd number.
  ASSERT_EQ(partials.size(), GetParam() ? 8U : 7U);
  EXPECT_EQ(partials[0].value, g.constant(1));
}

TEST_P(Chain, IsSubstitutedAndWritten) {
  const NodeId node = sum();
  const NodeId changed = substitute(g, std::array{node}, {{x, g.time()}})[0];
  EXPECT_NE(changed, node);
  EXPECT_EQ(substitute(g, std::array{changed}, {{g.time(), x}})[0], node);
  const std::string text = to_text(
      g, node, [](NodeId) { return std::string("v"); }, 10'000'000);
  // A name a leaf and " - " a sign; to the right, a pair of parentheses for all but the innermost.
  const std::size_t names = static_cast<std::size_t>(depth) + 1;
  const std::size_t parentheses = GetParam() ? 0 : 2 * (static_cast<std::size_t>(depth) - 1);
  EXPECT_EQ(text.size(), names + 3 * static_cast<std::size_t>(depth) + parentheses);
}

INSTANTIATE_TEST_SUITE_P(Sides, Chain, testing::Bool(),
                         [](const auto& test) { return test.param ? "Left" : "Right"; });

TEST(Chain, OfNestedFunctionsIsDifferentiated) {
  ExprGraph g;
  const NodeId x = g.variable(VariableId(0));
  NodeId node = x;
  const int levels = 300'000;  // of two operations each
  for (int k = 0; k < levels; ++k) node = g.apply(Op::Sin, g.add(x, node));
  TimeDerivative derivative(g);
  const NodeId dot = derivative(node);
  // At x = 0, x' = 1 each level adds the inner slope plus one: levels + 1 at the outermost.
  const auto leaf = [&](NodeId id) { return g.order_of(id) == 1 ? 1.0 : 0.0; };
  EXPECT_EQ(evaluate(g, dot, leaf), levels + 1.0);
  EXPECT_EQ(evaluate(g, gradient(g, node)[0].value, leaf), levels + 1.0);
}

}  // namespace
}  // namespace daedalus
