#include "consistent/initialise.hpp"

#include <gtest/gtest.h>

#include "consistent/support.hpp"

namespace daedalus {
namespace {

using testing::Started;

TEST(Initialise, GivenValuesWinOverThoseThatNobodyGave) {
  const Started m("Real x(start=1), v(start=100), a, j; equation der(x)=v; der(v)=-x; a=v^2/x; j=der(a);");
  ASSERT_TRUE(m.ok());
  EXPECT_EQ(m.value("x"), 1);
  EXPECT_EQ(m.value("v"), 100);
  EXPECT_DOUBLE_EQ(m.value("a"), 1e4);
  // d/dt v²/x = 2 v v'/x - v³/x² = -200 - 10⁶
  EXPECT_DOUBLE_EQ(m.value("j"), -1000200);
  EXPECT_TRUE(m.outcome.warnings.empty());
}

TEST(Initialise, AGivenAlgebraicValueWinsOverAStateThatNobodyGave) {
  const Started m("parameter Real C=2, R=1; Real V(start=5), Q; equation Q=C*V; der(Q)=-V/R;");
  ASSERT_TRUE(m.ok());
  EXPECT_EQ(m.value("V"), 5);
  EXPECT_EQ(m.value("Q"), 10);
}

// An output changes nothing: the levels of the model without it are the same to the bit.
TEST(Initialise, AnOutputChangesNothing) {
  const std::string model =
      "Real x(start=0.9), y(start=0.3), u(start=1), w, l; %s equation der(x)=u; der(y)=w; der(u)=-l*x; "
      "der(w)=-l*y-9.81; x^2+y^2=1; %t";
  const auto with = [&](const std::string& declaration, const std::string& equation) {
    std::string text = model;
    text.replace(text.find("%s"), 2, declaration);
    text.replace(text.find("%t"), 2, equation);
    return Started(text);
  };
  const Started plain = with("", "");
  const Started output = with("Real e, p, r;", "e = (u^2+w^2)/2*1e3; p = der(e); r = sqrt(x - x);");
  ASSERT_TRUE(plain.ok());
  ASSERT_TRUE(output.ok());
  for (const char* name : {"x", "y", "u", "w", "l"}) {
    EXPECT_NEAR(plain.value(name), output.value(name), 1e-14 * (1 + std::abs(plain.value(name)))) << name;
  }
}

TEST(Initialise, ExplicitEquationsAreAssigned) {
  const Started m(
      "Real x(start=0,fixed=true), y(start=0,fixed=true), len, a; equation der(x)=1; der(y)=1; "
      "len=sqrt(x^2+y^2); a=atan2(y,x);");
  ASSERT_TRUE(m.ok()) << m.outcome.reason;
  EXPECT_EQ(m.value("len"), 0);
  EXPECT_EQ(m.value("a"), 0);
}

TEST(Initialise, WhatMustMoveIsAWarningWithBothValues) {
  const Started m(
      "Real x(start=2), y(start=2), u, w, l; equation der(x)=u; der(y)=w; der(u)=-l*x; der(w)=-l*y-9.81; "
      "x^2+y^2=1;");
  ASSERT_TRUE(m.ok());
  EXPECT_NEAR(m.value("x"), std::sqrt(0.5), 1e-6);  // as near to both
  EXPECT_NEAR(m.value("y"), std::sqrt(0.5), 1e-6);
  ASSERT_EQ(m.outcome.warnings.size(), 1U);
  EXPECT_NE(m.outcome.warnings[0].find("instead of 2"), std::string::npos) << m.outcome.warnings[0];
}

TEST(Initialise, AConsistentStartStays) {
  const Started m(
      "Real x(start=0.6), y(start=-0.8), u(start=0.8), w(start=0.6), l; equation der(x)=u; der(y)=w; "
      "der(u)=-l*x; der(w)=-l*y-9.81; x^2+y^2=1;");
  ASSERT_TRUE(m.ok());
  EXPECT_EQ(m.value("x"), 0.6);
  EXPECT_EQ(m.value("y"), -0.8);
  EXPECT_EQ(m.value("u"), 0.8);
  EXPECT_EQ(m.value("w"), 0.6);
  EXPECT_NEAR(m.value("l"), 1 + (9.81 * 0.8), 1e-13);  // λ = v² - g y on the unit circle
  EXPECT_LT(m.largest_residual(), 1e-13);
}

TEST(Initialise, InitialEquationsDetermineDerivativesAndParameters) {
  const Started m(
      "Real x, y; parameter Real p(fixed=false); initial equation x = 2; der(x) = -6; equation der(x) = "
      "-p*x; "
      "y = p;");
  ASSERT_TRUE(m.ok());
  EXPECT_NEAR(m.value("x"), 2, 1e-14);
  EXPECT_NEAR(m.value("y"), 3, 1e-14);
}

TEST(Initialise, PreValuesOfInitialEquations) {
  const Started m(
      "discrete Real y; parameter Real v=3; Real x(start=0,fixed=true); initial equation pre(y)=v; equation "
      "when time>0.5 then y = pre(y)+1; end when; der(x)=y;");
  ASSERT_TRUE(m.ok());
  EXPECT_EQ(m.value("y"), 3);
}

TEST(Initialise, EventIterationRunsAfterwards) {
  const Started m(
      "Integer a(start=0, fixed=true), b; equation a = if time >= 0.5 then 2 else 1; b = pre(a);");
  ASSERT_TRUE(m.ok());
  EXPECT_EQ(m.value("a"), 1);
  EXPECT_EQ(m.value("b"), 1);
}

TEST(Initialise, ContradictionsAreNamed) {
  const Started m("Real x(start=1,fixed=true), y(start=0.5,fixed=true); equation der(x)=-y; x^2+y^2=1;");
  ASSERT_EQ(m.outcome.status, Initialisation::Status::WrongInput);
  ASSERT_FALSE(m.outcome.diagnostics.empty());
}

TEST(Initialise, AnEquationWithoutAValueIsNamed) {
  const Started m("Real x(start=-1,fixed=true), y; equation der(x)=1; y = log(x);");
  ASSERT_EQ(m.outcome.status, Initialisation::Status::WrongInput);
  ASSERT_FALSE(m.outcome.diagnostics.empty());
  EXPECT_NE(m.outcome.diagnostics[0].message.find("log"), std::string::npos);
}

TEST(Initialise, StartsOfLevelsComeFromTheirVariables) {
  const Started m("Real x(start=2), v(start=7,fixed=true); equation der(x)=v; der(v)=-x;");
  Diagnostics contradictions;
  const auto starts = level_starts(m.model->levels(), contradictions);
  EXPECT_TRUE(contradictions.empty());
  ASSERT_GE(starts.size(), 2U);
  EXPECT_EQ(starts[0].value, 2);
  EXPECT_FALSE(starts[0].fixed);
  EXPECT_EQ(starts[1].value, 7);
  EXPECT_TRUE(starts[1].fixed);
}

}  // namespace
}  // namespace daedalus
