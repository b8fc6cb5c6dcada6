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

// x > 0 becomes true by initialisation; what counts its changes does so in the iteration that follows.
TEST(Initialise, WhenClausesActInTheIterationThatFollows) {
  const Started m(
      "Integer n(start=0,fixed=true), k(start=0,fixed=true); Boolean b(start=false,fixed=true), c; Real "
      "t(start=-1,fixed=true); equation c = pre(b); b = time >= 0; when change(c) and not initial() then n = "
      "pre(n) + 1; "
      "t = time + 0.3; elsewhen initial() then n = 0; t = -1; end when; when b then k = pre(k) + 1; end "
      "when;");
  ASSERT_TRUE(m.ok()) << m.outcome.reason;
  // pre(b) is false at initialisation, and true afterwards: c changes then.
  EXPECT_EQ(m.value("n"), 1);
  EXPECT_DOUBLE_EQ(m.value("t"), 0.3);
  // b was true at initialisation already.
  EXPECT_EQ(m.value("k"), 0);
}

// m = 1000, T = 300, c = 4200: the energy is 1.26e9, and nobody has told of such a size.
TEST(Initialise, WhatFollowsMayBeAsLargeAsItIs) {
  const Started m("Real T(start=300,fixed=true), U; equation U = 4200*1000*T; der(U) = -T;");
  ASSERT_TRUE(m.ok()) << m.outcome.reason;
  EXPECT_DOUBLE_EQ(m.value("U"), 1.26e9);
  const Started scaled(
      "Real T(start=300,fixed=true,nominal=300), u(nominal=1e6), U, m; equation m = 1000; u = 4200*(T - "
      "273.15); "
      "U = m*u; der(U) = 1e6;");
  ASSERT_TRUE(scaled.ok()) << scaled.outcome.reason;
  EXPECT_NEAR(scaled.value("U"), 4.2e6 * 26.85, 1e-6);
}

// A point without mass between two springs of stiffness 1 at (-1, 0) and (1, 0) of length 0, one of which
// pulls with 3 more: only the guess of r says where it begins; lengths and directions are to follow from it.
TEST(Initialise, GuessesAreCarriedOnAlongEquations) {
  const Started m(
      "Real p[2], q[2](start={0.5,0.1}), s, l, e[2], d[2]; equation q = {1,0} - p; s = sqrt(q[1]^2 + "
      "q[2]^2); "
      "e = q/s; l = sqrt((p[1]+1)^2 + p[2]^2); d = {p[1]+1, p[2]}/l; 2*s*e[1] = l*d[1]; (s + 1)*e[2] = (l + "
      "1)*d[2];");
  ASSERT_TRUE(m.ok()) << m.outcome.reason;
  // 2 (1 - p) = p + 1
  EXPECT_NEAR(m.value("p[1]"), 1.0 / 3, 1e-9);
  EXPECT_NEAR(m.value("p[2]"), 0, 1e-9);
  EXPECT_NEAR(m.value("s"), 2.0 / 3, 1e-9);
}

// At rest the temperature of a mass whose energy is what the equations differentiate: c T' = 2 (10 - T) = 0.
TEST(Initialise, ConditionsMaySpeakOfDerivativesThatNoEquationHolds) {
  const Started m(
      "Real T(start=5), U; equation U = 3*T + T^2; der(U) = 2*(10 - T); initial equation der(T) = 0;");
  ASSERT_TRUE(m.ok()) << m.outcome.reason;
  EXPECT_NEAR(m.value("T"), 10, 1e-9);
  EXPECT_NEAR(m.value("U"), 130, 1e-8);
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
