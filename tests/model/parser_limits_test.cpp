// Hostile sizes and bytes: a tree or a message, in linear time, never a crash.
#include <algorithm>
#include <ctime>
#include <limits>
#include <random>
#include <string>

#include "model/parser_same_tree.hpp"
#include "model/parser_support.hpp"

namespace daedalus::testing {
namespace {

constexpr std::size_t megabyte = 1U << 20U;

std::string repeated(std::string_view text, std::size_t count) {
  std::string out;
  out.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

std::string equation(const std::string& right) {
  return "model M equation x = " + right + "; end M;";
}

const std::string too_deep = "nested too deeply: the limit is 500 levels of parentheses and blocks";

void expect_too_deep(const std::string& text) {
  const std::vector<std::string> errors = errors_of(text);
  ASSERT_EQ(errors.size(), 1U);  // and nothing of what follows from it
  EXPECT_NE(errors[0].find(too_deep), std::string::npos) << errors[0];
}

TEST(Nesting, OfEveryKindEndsAtTheLimit) {
  const std::size_t many = 100'000;
  for (const std::string_view open :
       {"(", "{", "[", "f(", "f(n = ", "a[", "-(", "1 + -(", "if (", "if a then (", "1 + (", "1 * -(",
        "not (", "{a for i in {", "(f)[", "g(function f(a = ", "if a then b else (", "x[f(1)[1, "}) {
    SCOPED_TRACE(open);
    expect_too_deep(equation(repeated(open, many)));
  }
  expect_too_deep(equation(repeated("(", many) + "1" + repeated(")", many)));
  expect_too_deep("model M equation " + repeated("if a then ", many));
  expect_too_deep("model M equation " + repeated("for i in 1:2 loop ", many));
  expect_too_deep("model M algorithm " + repeated("while a loop ", many));
  expect_too_deep(repeated("model M ", many));
  expect_too_deep("model M Real x" + repeated("(a", many));
  expect_too_deep("model M annotation(a" + repeated("(a", many));
  expect_too_deep("model M equation x = " + repeated("if a then if b then ", many));
}

TEST(Nesting, JustBelowTheLimitIsATree) {
  // The class, the body of its section and the parentheses count.
  const ast::Ast tree = tree_of(equation(repeated("(", 490) + "y" + repeated(")", 490)));
  EXPECT_EQ(shape(tree, statement(tree, 0).right), "y");
  // Every level of precedence on every level of parentheses: the deepest recursion that a text can cause.
  const std::string worst = "a or b and not c < d + e * f ^ (";
  const std::string text = equation(repeated(worst, 490) + "z" + repeated(")", 490));
  const ast::Ast deep = tree_of(text);
  const ast::Ast again = tree_of(print(deep));
  EXPECT_EQ(difference(deep, again), "");
}

TEST(Nesting, LimitCanBeSet) {
  const std::vector<std::string> errors = errors_of(equation("(((((1)))))"), {.nesting = 5});
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_NE(errors[0].find("the limit is 5 levels"), std::string::npos);
  EXPECT_TRUE(errors_of(equation("(((((1)))))"), {.nesting = 7}).empty());
}

TEST(Length, OfChainsIsNoDepth) {
  for (const std::string_view link : {" + a", " * b", " or c", " and d", " - 1.5"}) {
    const ast::Ast tree = tree_of(equation("z" + repeated(link, 1'000'000)));
    const ast::Expr& chain = at(tree, statement(tree, 0).right);
    EXPECT_EQ(chain.kind, ast::ExprKind::Chain);
    EXPECT_EQ(chain.children.size(), 1'000'001U);
  }
}

TEST(Length, OfLaddersAndListsIsNoDepth) {
  const std::size_t many = 100'000;
  tree_of(equation("if a then b " + repeated("elseif c then d ", many) + "else e"));
  tree_of(equation("if a then b " + repeated("else if c then d ", many) + "else e"));
  tree_of(equation("{1" + repeated(", 2", many) + "}"));
  tree_of(equation("[1" + repeated("; 2", many) + "]"));
  tree_of(equation("f(1" + repeated(", n = 2", many) + ")"));
  tree_of(equation("a" + repeated(".b[1]", many)));
  tree_of("model M Real x(a = 1" + repeated(", b = 2", many) + "); end M;");
  tree_of("model M equation if a then x = 1; " + repeated("elseif b then x = 2; ", many) + "end if; end M;");
  tree_of("model M " + repeated("Real x; ", many) + "equation " + repeated("x = 1; ", many) + "end M;");
  tree_of("model M " + repeated("equation ", many) + repeated("algorithm ", many) + "end M;");
  tree_of(repeated("model M end M; ", many));
  tree_of("model M Real x \"a\"" + repeated(" + \"b\"", many) + "; end M;");
  tree_of("model M equation x = 1" + repeated(" @1", many) + "; end M;");
}

TEST(Length, TenMegabytesOnOneLine) {
  const std::size_t size = 10 * megabyte;
  const std::string name(size, 'n');
  const ast::Ast tree = tree_of("model M Real " + name + "; end M;");
  EXPECT_EQ(tree.classes.at(0).components.at(0).name.size(), size);
  tree_of("model M Real '" + name + "' \"" + name + "\"; end M;");
  tree_of("model M /*" + name + "*/ end M; // " + name);
  tree_of("model M " + repeated("Real x = 1; ", size / 12) + " end M;");
  const std::string number(size, '7');
  EXPECT_EQ(errors_of(equation(number)).size(), 1U);  // too large for a Real
  EXPECT_DOUBLE_EQ(at(tree_of(equation("0." + number)), 1).number, 7.0 / 9.0);
  const std::vector<std::string> errors = errors_of("model M Real x = " + name + " " + name + "; end M;");
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_LT(errors[0].size(), 500U);  // the message does not repeat the text
}

// What nests the tree without a bracket is limited by itself, so that its depth is a small multiple of the
// limit.
TEST(Nesting, WithoutBracketsIsRefused) {
  EXPECT_EQ(errors_of(equation("- -y")), std::vector<std::string>{"1:24: two signs in a row: write -(-x)"});
  EXPECT_EQ(errors_of(equation(repeated("-", 100'000) + "y")).size(), 1U);
  EXPECT_EQ(errors_of(equation("not not y")).size(), 1U);
  tree_of(equation("(f(y))[1][2].a[3].b"));
  const std::vector<std::string> errors = errors_of(equation("(f(y))" + repeated("[1]", 100'000)));
  EXPECT_EQ(errors, std::vector<std::string>{
                        "1:40: more than 4 subscripts in a row after an expression: name a part of it"});
}

TEST(Limits, OfFileAndExpressionsAreNamed) {
  const std::string text = equation("1 + 2 + 3");
  EXPECT_EQ(errors_of(text, {.file_bytes = 10}),
            std::vector<std::string>{"1:1: the file is " + std::to_string(text.size()) +
                                     " bytes long, more than the limit of 10 bytes"});
  const std::vector<std::string> errors = errors_of(text, {.nodes = 3});
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_NE(errors[0].find("the text holds more than 3 expressions, declarations and the like"),
            std::string::npos);
}

TEST(Limits, OfNodesCountsEverythingThatTakesMemory) {
  const std::size_t many = 1000;
  for (const std::string& text :
       {"model M Real x" + repeated(", x", many) + "; end M;",
        "model M Real x(a" + repeated(", a", many) + "); end M;",
        "model M equation x = a" + repeated(".a", many) + "; end M;", repeated("model M end M; ", many),
        "type E = enumeration(a" + repeated(", a", many) + ");",
        "model M equation for i" + repeated(", i", many) + " loop end for; end M;",
        "model M algorithm " + repeated("return; ", many) + "end M;",
        "model M equation x = f(a = 1" + repeated(", a = 1", many) + "); end M;"}) {
    EXPECT_EQ(errors_of(text, {.nodes = 500}).size(), 1U) << text.substr(0, 40);
    EXPECT_TRUE(errors_of(text).empty()) << text.substr(0, 40);
  }
}

TEST(Numbers, AtTheEdgesOfTheReals) {
  const auto value = [](const std::string& text) { return at(expression_tree(text), 0).number; };
  EXPECT_EQ(value("1.7976931348623157e308"), 1.7976931348623157e308);
  EXPECT_EQ(value("4.9406564584124654e-324"), 4.9406564584124654e-324);
  EXPECT_EQ(value("1e-400"), 0.0);
  EXPECT_EQ(value("0." + std::string(400, '0') + "1"), 0.0);
  EXPECT_EQ(value("0.0e999999999999999999999"), 0.0);
  EXPECT_EQ(value("1" + std::string(400, '0') + "e-400"), 1.0);
  EXPECT_EQ(value("0.1"), 0.1);
  EXPECT_EQ(value("9007199254740993"), 9007199254740992.0);  // 2^53 + 1 rounds to even
  EXPECT_EQ(errors_of(equation("1e309")).size(), 1U);
  EXPECT_EQ(errors_of(equation("1" + std::string(400, '0') + "e-5")).size(), 1U);
  EXPECT_EQ(errors_of(equation("1e99999999999999999999")).size(), 1U);
}

TEST(Garbage, OfRandomBytesIsRefused) {
  std::mt19937 random(12345);
  for (int round = 0; round < 200; ++round) {
    std::string text(1000, '\0');
    for (char& ch : text) ch = static_cast<char>(random() & 0xFFU);
    const std::vector<std::string> errors = errors_of(text);
    EXPECT_FALSE(errors.empty());
    EXPECT_LE(errors.size(), 40U);  // at most 20, each with at most one note
  }
}

TEST(Garbage, NulBytesAreNamed) {
  const std::string text = std::string("model M\n  Real x") + '\0' + ";\nend M;";
  EXPECT_EQ(errors_of(text),
            std::vector<std::string>{"2:9: the file holds a NUL byte (0x00): it is not text, or not UTF-8"});
  EXPECT_FALSE(errors_of(std::string(megabyte, '\0')).empty());
}

TEST(Garbage, EveryPrefixOfAModelIsHandled) {
  const std::string text =
      "//! base 0.1.0\npackage 'P' type 'E' = enumeration('a', 'b'); function f input Real x[:]; output Real "
      "y; "
      "algorithm y := if x[end] > 1e-3 then (-x[1])^2 else sum(x[i] for i in 1:size(x, 1)); "
      "annotation(Inline = "
      "true); end f; model 'P' \"a\\\"b\" parameter Real p(each start = {1, 2}, final fixed = true) = 1 "
      "\"c\"; "
      "equation for i in 1:3 loop x[i] = f({i, 2}); end for; when {a, b} then reinit(x, 1); elsewhen c then "
      "(u, , "
      "v) = g(n = [1, 2; 3, 4]); end when; /* c */ end 'P'; end 'P'; // end";
  tree_of(text);
  const std::size_t complete = text.find("; // end");
  for (std::size_t size = 0; size < complete; ++size) {
    EXPECT_FALSE(errors_of(text.substr(0, size)).empty()) << text.substr(0, size);
  }
}

// Every token after every other: nothing may hang or crash. The text is short, so the parser must be fast.
TEST(Garbage, EveryPairOfTokensIsHandled) {
  const std::vector<std::string> tokens = {"model",       "end",       "M",        "equation",
                                           "algorithm",   "initial",   "if",       "then",
                                           "else",        "elseif",    "when",     "elsewhen",
                                           "for",         "in",        "loop",     "while",
                                           "=",           ":=",        "==",       "(",
                                           ")",           "[",         "]",        "{",
                                           "}",           ",",         ";",        ":",
                                           ".",           "@",         "1",        "\"s\"",
                                           "'q'",         "+",         "-",        "^",
                                           "not",         "and",       "<",        "der",
                                           "annotation",  "external",  "extends",  "ExternalObject",
                                           "parameter",   "guess",     "function", "type",
                                           "enumeration", "each",      "final",    "connect",
                                           "import",      "protected", "within",   "operator",
                                           "pure",        "partition", "true",     "Real"};
  for (const std::string& first : tokens) {
    for (const std::string& second : tokens) {
      for (const std::string& third : {std::string(";"), std::string("x"), first}) {
        const std::string middle = first + " " + second + " " + third;
        errors_of(middle);
        errors_of("model M " + middle + " end M;");
        errors_of("model M equation x = 1; " + middle + " ; end M;");
        errors_of("model M algorithm x := " + middle + " ; end M;");
      }
    }
  }
}

// Ten times the text must not cost much more than ten times the processor's time. The bound is generous,
// since caches and page faults count too; a quadratic parser would need a hundred times as long.
TEST(Time, IsLinear) {
  const auto seconds = [](const std::string& text) {
    std::clock_t best = std::numeric_limits<std::clock_t>::max();
    for (int i = 0; i < 3; ++i) {
      const std::clock_t begin = std::clock();
      errors_of(text);
      best = std::min(best, std::clock() - begin);
    }
    return static_cast<double>(best) / CLOCKS_PER_SEC;
  };
  const auto model = [](std::size_t n) {
    return "model M " + repeated("parameter Real 'abc.def'[3](start = {1, 2, 3}) \"text\"; ", n) +
           "equation " + repeated("'a.b' + 2 * c[1] = -f(x, y) / (1 + z ^ 2); ", n) + "end M;";
  };
  EXPECT_LT(seconds(model(20'000)), 40 * seconds(model(2'000)));
  const auto broken = [](std::size_t n) { return "model M equation x = " + repeated("(", 10 * n); };
  EXPECT_LT(seconds(broken(100'000)), 60 * seconds(broken(10'000)));
}

}  // namespace
}  // namespace daedalus::testing
