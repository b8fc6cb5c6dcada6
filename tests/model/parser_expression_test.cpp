// Expressions: precedence and structure, checked against what the grammar of Modelica 3.6 (appendix A.2.7)
// and the grammar of MCP-0031 prescribe.
#include "model/parser_support.hpp"

namespace daedalus::testing {
namespace {

struct Case {
  const char* text;
  const char* shape;
};

class Expressions : public ::testing::TestWithParam<Case> {};

TEST_P(Expressions, HaveTheStructureOfTheGrammar) {
  EXPECT_EQ(shape_of(GetParam().text), GetParam().shape);
}

INSTANTIATE_TEST_SUITE_P(Literals, Expressions,
                         ::testing::Values(Case{"1", "1"}, Case{"1.0", "1r"}, Case{"1.", "1r"},
                                           Case{"1.5e2", "150r"}, Case{"15E-1", "1.5r"}, Case{"2e+1", "20r"},
                                           Case{"007", "7"}, Case{"true", "true"}, Case{"false", "false"},
                                           Case{"\"a\\tb\"", "\"a\tb\""}, Case{"\"\"", "\"\""},
                                           Case{"\"a\nb\"", "\"a\nb\""}));

INSTANTIATE_TEST_SUITE_P(
    Precedence, Expressions,
    ::testing::Values(Case{"a + b * c", "<a + <b * c>>"}, Case{"a * b + c", "<<a * b> + c>"},
                      Case{"a + b - c + d", "<a + b - c + d>"}, Case{"a * b / c", "<a * b / c>"},
                      Case{"a - (b - c)", "<a - <b - c>>"}, Case{"(a - b) - c", "<<a - b> - c>"},
                      Case{"a ^ b * c", "<<a ^ b> * c>"}, Case{"-a ^ 2", "<- <a ^ 2>>"},
                      Case{"-a * b", "<- <a * b>>"}, Case{"-a + b", "<<- a> + b>"},
                      Case{"(-a) * b", "<<- a> * b>"}, Case{"+a", "<+ a>"},
                      Case{"a .+ b .- c", "<a .+ b .- c>"}, Case{"a .* b ./ c .^ d", "<a .* b ./ <c .^ d>>"},
                      Case{".-a", "<.- a>"}, Case{".+a", "<.+ a>"}, Case{"a < b + c", "<a < <b + c>>"},
                      Case{"not a < b", "<not <a < b>>"}, Case{"not a and b", "<<not a> and b>"},
                      Case{"a or b and not c == d or e", "<a or <b and <not <c == d>>> or e>"},
                      Case{"a and b and c", "<a and b and c>"}, Case{"a <= b", "<a <= b>"},
                      Case{"a >= b", "<a >= b>"}, Case{"a > b", "<a > b>"}, Case{"a <> b", "<a <> b>"},
                      Case{"a + b < c - d", "<<a + b> < <c - d>>"}, Case{"1:n", "range(1,n)"},
                      Case{"1:2:n + 1", "range(1,2,<n + 1>)"}, Case{"(1:3) + a", "<range(1,3) + a>"},
                      Case{"a or b : c", "range(<a or b>,c)"}));

// 2 * -x is not in the grammar, but everybody's parser takes it; with the tightest binding.
INSTANTIATE_TEST_SUITE_P(
    LenientSigns, Expressions,
    ::testing::Values(Case{"2 * -x", "<2 * <- x>>"}, Case{"2 * -x ^ 2", "<2 * <- <x ^ 2>>>"},
                      Case{"2 * -x * y", "<2 * <- x> * y>"}, Case{"10 ^ -3", "<10 ^ <- 3>>"},
                      Case{"a + -b", "<a + <- b>>"}, Case{"a - -b * c", "<a - <<- b> * c>>"},
                      Case{"a < -b + c", "<a < <<- b> + c>>"}, Case{"not -a < b", "<not <<- a> < b>>"},
                      Case{"a ^ -b * c", "<<a ^ <- b>> * c>"}, Case{"a * -b + c", "<<a * <- b>> + c>"}));

INSTANTIATE_TEST_SUITE_P(If, Expressions,
                         ::testing::Values(Case{"if a then b else c", "if(a,b,c)"},
                                           Case{"if a then b elseif c then d else e", "if(a,b,c,d,e)"},
                                           Case{"if a then b else if c then d else e", "if(a,b,c,d,e)"},
                                           Case{"if a then b else (if c then d else e)", "if(a,b,if(c,d,e))"},
                                           Case{"if a then if b then c else d else e", "if(a,if(b,c,d),e)"},
                                           Case{"if a < b then 1 + 2 else -c", "if(<a < b>,<1 + 2>,<- c>)"}));

INSTANTIATE_TEST_SUITE_P(
    Names, Expressions,
    ::testing::Values(Case{"a.b.c", "a.b.c"}, Case{"a.b[1].c[2, i]", "a.b[1].c[2,i]"}, Case{".a.b", "a.b"},
                      Case{"x[:]", "x[:]"}, Case{"x[:, 2]", "x[:,2]"}, Case{"x[i + 1, :]", "x[<i + 1>,:]"},
                      Case{"x[end]", "x[end]"}, Case{"x[end - 1]", "x[<end - 1>]"},
                      Case{"x[1:end]", "x[range(1,end)]"}, Case{"x[y[end]]", "x[y[end]]"},
                      Case{"x[{1, 3}]", "x[{1,3}]"}, Case{"'a.b[1]'", "a.b[1]"}, Case{"'a b'.'c'", "a b.c"},
                      Case{"'it\\'s'", "it's"}, Case{"'T'.'L'", "T.L"}, Case{"_x1", "_x1"}));

INSTANTIATE_TEST_SUITE_P(
    Calls, Expressions,
    ::testing::Values(Case{"f()", "f()"}, Case{"f(a, b)", "f(a,b)"}, Case{"f(a, n = b)", "f(a,n=b)"},
                      Case{"f(n = a, m = b + 1)", "f(n=a,m=<b + 1>)"}, Case{"der(x)", "der(x)"},
                      Case{"der(der(x))", "der(der(x))"}, Case{"initial()", "initial()"},
                      Case{"pure(f(x))", "pure(f(x))"}, Case{"A.B.f(x)", "A.B.f(x)"},
                      Case{"'A.f'(1)", "A.f(1)"},
                      Case{"sum(x[i] for i in 1:n)", "sum(x[i] for i in range(1,n))"},
                      Case{"max(a[i, j] for i in 1:2, j in r)", "max(a[i,j] for i in range(1,2) for j in r)"},
                      Case{"g(function f(a = 1), 2)", "g(function f(a=1),2)"},
                      Case{"g(h = function A.f())", "g(h=function A.f())"}, Case{"f(a == b)", "f(<a == b>)"},
                      Case{"(f(x))[1, end]", "(f(x))[1,end]"}, Case{"f(x)[2]", "(f(x))[2]"},
                      Case{"(f(x)).a.b[1]", "(f(x)).a.b[1]"}, Case{"(a)[1].b", "((a)[1]).b"}));

INSTANTIATE_TEST_SUITE_P(Brackets, Expressions,
                         ::testing::Values(Case{"{1, 2, 3}", "{1,2,3}"}, Case{"{}", "{}"},
                                           Case{"{{1, 2}, {3, 4}}", "{{1,2},{3,4}}"},
                                           Case{"{i ^ 2 for i in 1:3}", "(<i ^ 2> for i in range(1,3))"},
                                           Case{"{i for i}", "(i for i)"}, Case{"[1, 2; 3, 4]", "[1,2;3,4]"},
                                           Case{"[a]", "[a]"}, Case{"[a; b]", "[a;b]"}, Case{"(a)", "a"},
                                           Case{"((a + b))", "<a + b>"}, Case{"(a, b)", "tuple(a,b)"},
                                           Case{"(a, , c)", "tuple(a,_,c)"}, Case{"(, b)", "tuple(_,b)"},
                                           Case{"(a, )", "tuple(a,_)"}, Case{"()", "tuple()"}));

// Decorations say where the text came from (MCP-0031); nothing is kept of them.
INSTANTIATE_TEST_SUITE_P(Decorations, Expressions,
                         ::testing::Values(Case{"a + b @12", "<a + b>"}, Case{"f(a @1, b @2) @3", "f(a,b)"},
                                           Case{"{a @1, b}", "{a,b}"}));

TEST(ExpressionSpans, CoverTheTextWithItsParentheses) {
  const std::string text = "a * (b + c) ^ 2 - f(x)";
  const ast::Ast tree = expression_tree(text);
  std::vector<std::string> texts;
  for (const ast::Expr& node : tree.expressions) texts.push_back(excerpt(text, node.span));
  const std::vector<std::string> expected = {
      "a", "b", "c", "(b + c)", "2", "(b + c) ^ 2", "a * (b + c) ^ 2", "x", "f(x)", text};
  ASSERT_EQ(texts.size(), 10U);
  EXPECT_EQ(texts[0], "a");
  EXPECT_EQ(texts[3], "(b + c)");
  EXPECT_EQ(texts[5], "(b + c) ^ 2");
  EXPECT_EQ(texts, expected);
}

TEST(ParseExpression, LeavesTheRootLast) {
  const ast::Ast tree = expression_tree("f(a, n = 2) + {1, 2}");
  EXPECT_EQ(tree.expressions.back().kind, ast::ExprKind::Chain);
}

TEST(ParseExpression, RefusesWhatFollows) {
  SourceMap sources;
  const auto result = parse_expression(sources, sources.add("--set", "1 + 2; 3"));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error()[0].message, "expected the end of the expression, found ';'");
  EXPECT_EQ(sources.locate(result.error()[0].span).column, 6);
}

TEST(ParseExpression, RefusesNothingAtAll) {
  SourceMap sources;
  const auto result = parse_expression(sources, sources.add("--set", ""));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error()[0].message, "expected an expression, found the end of the file");
}

}  // namespace
}  // namespace daedalus::testing
