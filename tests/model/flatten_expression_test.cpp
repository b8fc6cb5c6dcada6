// Expressions: each expected number is worked out by hand in the comment or obvious.
#include <cmath>
#include <numbers>

#include "model/flatten_support.hpp"

namespace daedalus::test {
namespace {

TEST(FlattenExpression, ArithmeticFollowsPrecedence) {
  EXPECT_EQ(number("1 + 2*3 - 4/2"), 5);
  EXPECT_EQ(number("-2^2"), -4);
  EXPECT_EQ(number("2*x - y", "Real x, y;", {{"x", 5}, {"y", 3}}), 7);
  EXPECT_EQ(number("x - y - 1", "Real x, y;", {{"x", 5}, {"y", 3}}), 1);
  EXPECT_EQ(number("x / y / 2", "Real x, y;", {{"x", 12}, {"y", 3}}), 2);
}

TEST(FlattenExpression, IfExpressionTakesTheRightBranch) {
  const std::string text = "if x > 1 then 10 elseif x > 0 then 20 else 30";
  EXPECT_EQ(number(text, "Real x;", {{"x", 2}}), 10);
  EXPECT_EQ(number(text, "Real x;", {{"x", 0.5}}), 20);
  EXPECT_EQ(number(text, "Real x;", {{"x", -1}}), 30);
}

TEST(FlattenExpression, KnownConditionHidesTheOtherBranch) {
  // The other branch is not even looked at: it divides by zero and has a subscript out of range.
  EXPECT_EQ(number("if p then 1 else v[5]/0", "parameter Boolean p = true; Real v[2];"), 1);
}

TEST(FlattenExpression, StandardFunctions) {
  EXPECT_DOUBLE_EQ(number("sin(x)", "Real x;", {{"x", 1}}), std::sin(1));
  EXPECT_DOUBLE_EQ(number("Modelica.Math.cos(x)", "Real x;", {{"x", 1}}), std::cos(1));
  EXPECT_DOUBLE_EQ(number("atan2(1, -1)"), 3 * std::numbers::pi / 4);
  EXPECT_EQ(number("max(2, 3) + min(2, 3)"), 5);
  EXPECT_EQ(number("abs(-3) + sign(-2)"), 2);
  EXPECT_EQ(number("div(7, 2)"), 3);
  EXPECT_EQ(number("div(-7, 2)"), -3);
  EXPECT_EQ(number("mod(-7, 3)"), 2);
  EXPECT_EQ(number("rem(-7, 3)"), -1);
  EXPECT_EQ(number("integer(2.9) + floor(-0.5) + ceil(0.5)"), 2);
}

TEST(FlattenExpression, HomotopyIsItsActualArgument) {
  EXPECT_EQ(number("homotopy(2*x, 5)", "Real x;", {{"x", 3}}), 6);
  EXPECT_EQ(number("homotopy(simplified = 5, actual = 2*x)", "Real x;", {{"x", 3}}), 6);
}

TEST(FlattenExpression, SemiLinearHasTwoSlopes) {
  EXPECT_EQ(number("semiLinear(x, 2, 3)", "Real x;", {{"x", 4}}), 8);
  EXPECT_EQ(number("semiLinear(x, 2, 3)", "Real x;", {{"x", -4}}), -12);
}

TEST(FlattenExpression, BooleansAndEnumerations) {
  const std::string type = "type E = enumeration(a, b, c); parameter E e = E.b;";
  EXPECT_EQ(number("if e == E.b and not e == E.a then 1 else 0", type), 1);
  EXPECT_EQ(number("if e > E.a then 1 else 0", type), 1);
  EXPECT_EQ(number("Integer(e)", type), 2);
  EXPECT_EQ(number("if E(3) == E.c then 1 else 0", type), 1);
}

TEST(FlattenExpression, DivisionByZeroStaysVisible) {
  const DaeSystem system = load("model M Real x; equation x = 1/0; end M;");
  EXPECT_FALSE(system.graph->is_constant(system.equations[0].residual));
  EXPECT_TRUE(std::isinf(residual(system, 0, {{"x", 0}})));
}

TEST(FlattenExpression, DerivativeOfAnExpressionIsItsTotalDerivative) {
  // d/dt (x*sin(y) + t^2) = der(x) sin y + x cos y der(y) + 2 t at x = 2, y = 0.5, t = 3.
  const double expected = 7 * std::sin(0.5) + 2 * std::cos(0.5) * 11 + 6;
  EXPECT_DOUBLE_EQ(number("der(x*sin(y) + time^2)", "Real x, y;",
                          {{"x", 2}, {"y", 0.5}, {"time", 3}, {"der(x)", 7}, {"der(y)", 11}}),
                   expected);
}

TEST(FlattenExpression, SecondDerivative) {
  EXPECT_EQ(number("der(der(x))", "Real x;", {{"der(x, 2)", 4}}), 4);
}

TEST(FlattenExpression, DerivativeOfAParameterIsZero) {
  EXPECT_EQ(number("der(p) + der(u)", "parameter Real p = 3; parameter Real u(fixed = false);"), 0);
}

TEST(FlattenExpression, NamesAreQuotedOrNot) {
  EXPECT_EQ(number("'a.b[1]' + c", "Real 'a.b[1]', c;", {{"a.b[1]", 2}, {"c", 3}}), 5);
}

TEST(FlattenExpression, UnknownSubscriptBecomesAChoice) {
  for (int i = 1; i <= 3; ++i) {
    const DaeSystem system = load(
        "model M parameter Real t[3] = {5, 7, 9}; Integer n; Real y; equation y = t[n]; when time > 1 then n "
        "= pre(n) + 1; "
        "end when; end M;");
    EXPECT_EQ(-residual(system, 0, {{"y", 0}, {"n", static_cast<double>(i)}}), 3 + 2 * i);
  }
}

}  // namespace
}  // namespace daedalus::test
