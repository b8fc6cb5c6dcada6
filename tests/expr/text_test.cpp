#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "expr/graph.hpp"
#include "expr/random_graph.hpp"
#include "expr/text_reader.hpp"

namespace daedalus {
namespace {

class Text : public testing::Test {
 protected:
  ExprGraph g;
  NodeId x = g.variable(VariableId(0));
  NodeId y = g.variable(VariableId(1));
  NodeId z = g.variable(VariableId(2));

  [[nodiscard]] std::string text(NodeId node, std::size_t limit = 100'000) const {
    return to_text(
        g, node, [&](NodeId leaf) { return std::string(1, "xyz"[g.variable_of(leaf).at()]); }, limit);
  }
};

TEST_F(Text, HasParenthesesWhereModelicaNeedsThem) {
  EXPECT_EQ(text(g.add(x, g.mul(y, z))), "x + y * z");
  EXPECT_EQ(text(g.mul(g.add(x, y), z)), "z * (x + y)");  // arguments of * stand in the order of making
  EXPECT_EQ(text(g.sub(x, g.sub(y, z))), "x - (y - z)");
  EXPECT_EQ(text(g.sub(g.sub(x, y), z)), "x - y - z");
  EXPECT_EQ(text(g.div(x, g.mul(y, z))), "x / (y * z)");
  EXPECT_EQ(text(g.div(g.div(x, y), z)), "x / y / z");
  EXPECT_EQ(text(g.neg(g.add(x, y))), "-(x + y)");
  EXPECT_EQ(text(g.neg(g.mul(x, y))), "-x * y");
  EXPECT_EQ(text(g.pow(g.pow(x, y), z)), "(x^y)^z");
  EXPECT_EQ(text(g.pow(x, g.pow(y, z))), "x^(y^z)");
  EXPECT_EQ(text(g.pow(x, g.constant(-3))), "x^(-3)");
  EXPECT_EQ(text(g.pow(g.neg(x), g.constant(3))), "(-x)^3");
  EXPECT_EQ(text(g.mul(g.constant(-2), x)), "x * (-2)");
  EXPECT_EQ(text(g.apply(Op::Atan2, g.add(x, y), z)), "atan2(x + y, z)");
}

TEST_F(Text, WritesLogicAndChoice) {
  const NodeId less = g.apply(Op::Less, x, y);
  const NodeId equal = g.apply(Op::Equal, y, z);
  EXPECT_EQ(text(g.apply(Op::And, less, g.apply(Op::Or, equal, less))), "x < y and (x < y or y == z)");
  EXPECT_EQ(text(g.apply(Op::Not, less)), "not x < y");
  EXPECT_EQ(text(g.apply(Op::Not, g.apply(Op::And, less, equal))), "not (x < y and y == z)");
  EXPECT_EQ(text(g.if_else(less, x, y)), "if x < y then x else y");
  EXPECT_EQ(text(g.add(x, g.if_else(less, x, y))), "x + (if x < y then x else y)");
  EXPECT_EQ(text(g.if_else(less, g.if_else(equal, x, y), z)),
            "if x < y then (if y == z then x else y) else z");
  EXPECT_EQ(text(g.if_else(less, x, g.if_else(equal, y, z))), "if x < y then x else if y == z then y else z");
}

// Reading the text back gives the value to the last bit, for every operation of the table.
TEST_F(Text, IsReadBackToTheSameValue) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    test::Random random(seed);
    ExprGraph graph;
    const auto list = test::draw(random, {.variables = 3,
                                          .operations = 1 + static_cast<int>(random.below(10)),
                                          .reach = 5,
                                          .constants = test::odd_constants()});
    const NodeId root = test::build(graph, list).back();
    const std::array<double, 3> at{random.between(-2, 2), random.between(-2, 2), 0};
    const auto name = [&](NodeId leaf) { return std::string(1, "xyz"[graph.variable_of(leaf).at()]); };
    const std::string written = to_text(graph, root, name);
    if (written.ends_with("…")) continue;
    const double expected =
        evaluate(graph, root, [&](NodeId leaf) { return at[graph.variable_of(leaf).at()]; });
    const double got = test::TextReader(written, [&](std::string_view n) { return at[n[0] - 'x']; }).read();
    ASSERT_TRUE(std::bit_cast<std::uint64_t>(expected) == std::bit_cast<std::uint64_t>(got) ||
                (std::isnan(expected) && std::isnan(got)))
        << written << " is " << expected << ", read " << got;
    ++compared;
  }
  EXPECT_GT(compared, 4900);
}

TEST_F(Text, WritesNumbersThatReadBackExactly) {
  for (const double value : {0.1, 1.0 / 3, 1e300, 5e-324, 123456789.0, 2e20}) {
    const std::string written = text(g.constant(value));
    EXPECT_EQ(test::TextReader(written, [](std::string_view) { return 0.0; }).read(), value) << written;
  }
}

// x_{k+1} = x_k * x_k: fifty nodes whose text would have 2^50 names.
TEST_F(Text, OfSharedExpressionsIsCutOff) {
  NodeId node = g.add(x, y);
  for (int k = 0; k < 50; ++k) node = g.mul(node, node);
  const std::string cut = text(node, 200);
  EXPECT_LT(cut.size(), 300U);
  EXPECT_TRUE(cut.ends_with("…"));
  EXPECT_EQ(text(g.add(x, y), 200), "x + y");
}

}  // namespace
}  // namespace daedalus
