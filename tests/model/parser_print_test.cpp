// Printing: what is printed reads back as the same tree.
#include <string>

#include "model/parser_random_tree.hpp"
#include "model/parser_same_tree.hpp"
#include "model/parser_support.hpp"

namespace daedalus::testing {
namespace {

// Prints and reads back; gives the printed text.
std::string round_trip(const ast::Ast& tree) {
  const std::string printed = print(tree);
  SourceMap sources;
  const auto again = parse(sources, sources.add("printed.mo", printed));
  if (!again) {
    ADD_FAILURE() << printed << render(again.error(), sources);
    return printed;
  }
  EXPECT_EQ(difference(tree, *again), "") << printed;
  return printed;
}

TEST(Print, WritesModelsAsPeopleDo) {
  const std::string text =
      "model Pendulum \"index 3, position level\"\n"
      "  parameter Real L = 1.0;\n"
      "  Real x(start = 1, fixed = true) \"position\";\n"
      "  Real 'v x'[3, n];\n"
      "initial equation\n"
      "  x = 1;\n"
      "equation\n"
      "  der(x) = -2.5e-07 * (x - L) ^ 2 / 3;\n"
      "  if x > 0 and not y then\n"
      "    x = 1;\n"
      "  else\n"
      "    x = 2 \"two\";\n"
      "  end if;\n"
      "  annotation(experiment(StopTime = 10, Tolerance = 1e-08));\n"
      "end Pendulum;\n";
  EXPECT_EQ(round_trip(tree_of(text)), text);
}

TEST(Print, WritesParenthesesOnlyWhereNeeded) {
  for (const std::string text : {"a + b * c",
                                 "(a + b) * c",
                                 "a - (b - c)",
                                 "a - b - c",
                                 "-a + b",
                                 "-(a + b)",
                                 "-a * b",
                                 "(-a) * b",
                                 "a * (-b)",
                                 "a ^ (-b)",
                                 "(a ^ b) ^ c",
                                 "(-a) ^ 2",
                                 "-a ^ 2",
                                 "not (a and b)",
                                 "not a < b",
                                 "(not a) == b",
                                 "a and (b or c)",
                                 "a or b and c",
                                 "(a < b) == c",
                                 "if a then b else c",
                                 "1 + (if a then b else c)",
                                 "if a then b else (if c then d else e)",
                                 "if a then (1:3) + b else 1:3",
                                 "(1:3) * a",
                                 "1:2:n + 1",
                                 "(a, , b)",
                                 "{i for i in 1:n, j in r}",
                                 "sum(x[i] for i in 1:n)",
                                 "[a, b; c, d]",
                                 "x[:, end - 1].y",
                                 "f(a, n = b)",
                                 "g(function f(a = 1))",
                                 "(f(x))[1]",
                                 "(f(x)).a",
                                 "((a, b)[1]).c",
                                 "a - (+b)",
                                 "+a",
                                 "-(-a)",
                                 "{}",
                                 "()",
                                 "true",
                                 "1e+300",
                                 "1.0",
                                 "'a b'.c[d]",
                                 "der(x)",
                                 "initial()",
                                 "'der'.x"}) {
    const ast::Ast tree = expression_tree(text);
    EXPECT_EQ(print_expression(tree, static_cast<ast::ExprRef>(tree.expressions.size()) - 1), text);
  }
}

TEST(Print, OfNoExpressionIsEmpty) {
  EXPECT_EQ(print_expression({}, -1), "");
}

TEST(Print, RandomTreesReadBackAsTheSame) {
  std::size_t nodes = 0;
  for (std::uint32_t seed = 0; seed < 800 && !::testing::Test::HasFailure(); ++seed) {
    const ast::Ast tree = random_tree(seed);
    nodes += tree.expressions.size();
    SCOPED_TRACE("seed " + std::to_string(seed));
    round_trip(tree);
  }
  EXPECT_GT(nodes, 100'000U);  // the trees are not all trivial
}

// The comparison itself must see differences: one change at a time in a random tree.
TEST(Difference, SeesASingleChange) {
  const ast::Ast tree = random_tree(7);
  EXPECT_EQ(difference(tree, random_tree(7)), "");
  const auto changed = [&](auto change) {
    ast::Ast copy = tree;
    change(copy);
    return difference(tree, copy);
  };
  EXPECT_NE(changed([](ast::Ast& t) { t.base_version += "1"; }), "");
  EXPECT_NE(changed([](ast::Ast& t) { t.classes.back().name += "1"; }), "");
  EXPECT_NE(changed([](ast::Ast& t) { t.classes.back().is_external ^= true; }), "");
  EXPECT_NE(changed([](ast::Ast& t) { t.classes.emplace_back(); }), "");
  const ast::Ast one = tree_of("model M Real x = f(a + b[1], n = \"s\"); end M;");
  for (std::size_t i = 0; i < one.expressions.size(); ++i) {
    ast::Ast copy = one;
    copy.expressions[i].number += 1;
    EXPECT_NE(difference(one, copy), "") << i;
    copy = one;
    copy.expressions[i].kind = ast::ExprKind::End;
    EXPECT_NE(difference(one, copy), "") << i;
  }
}

}  // namespace
}  // namespace daedalus::testing
