// Equation sections: for, if, bindings, initial equations, inputs, experiment, attributes.
#include "model/flatten_support.hpp"

namespace daedalus::test {
namespace {

TEST(FlattenEquation, ThePendulum) {
  const DaeSystem system = load(R"(
model Pendulum "index 3, position level"
  parameter Real m = 1, L = 1, g = 9.81;
  Real x(start = 1), y(start = 0, fixed = true), lambda;
  Real vx, vy(start = 0, fixed = true);
equation
  der(x) = vx;
  der(y) = vy;
  m*der(vx) = -lambda*x;
  m*der(vy) = -lambda*y - m*g;
  x^2 + y^2 = L^2;
  annotation(experiment(StopTime = 10, Tolerance = 1e-8));
end Pendulum;
)");
  EXPECT_EQ(system.name, "Pendulum");
  EXPECT_EQ(system.report_order, (std::vector<std::string>{"x", "y", "lambda", "vx", "vy"}));
  ASSERT_EQ(system.equations.size(), 5U);
  EXPECT_EQ(residual(system, 3, {{"der(vy)", 1}, {"lambda", 2}, {"y", 3}}), 1 + 6 + 9.81);
  EXPECT_EQ(residual(system, 4, {{"x", 2}, {"y", 3}}), 12);
  EXPECT_EQ(equation_text(system, system.equations[4]), "x^2 + y^2 = L^2 (m.mo:11:3)");
  EXPECT_EQ(system.experiment.stop_time, 10);
  EXPECT_EQ(system.experiment.tolerance, 1e-8);
}

TEST(FlattenEquation, ForLoopsAreExpandedAndLabelled) {
  const DaeSystem system =
      load("model M Real x[2, 2]; equation for i in 1:2, j in 1:2 loop x[i, j] = 10*i + j; end for; end M;");
  ASSERT_EQ(system.equations.size(), 4U);
  EXPECT_EQ(system.equations[2].label, "i = 2, j = 1");
  EXPECT_EQ(-residual(system, 2, {{"x[2,1]", 0}}), 21);
  EXPECT_MENTIONS(equation_text(system, system.equations[2]), "with i = 2, j = 1");
}

TEST(FlattenEquation, ForLoopsOverOtherRanges) {
  const DaeSystem system = load(
      "model M Real x[5]; equation for i in 1:2:5 loop x[i] = i; end for; for k in {2, 4} loop x[k] = -k; "
      "end for; end M;");
  ASSERT_EQ(system.equations.size(), 5U);
  EXPECT_EQ(-residual(system, 2, {{"x[5]", 0}}), 5);
  EXPECT_EQ(-residual(system, 4, {{"x[4]", 0}}), -4);
}

TEST(FlattenEquation, IfByAParameterTakesOneBranch) {
  const std::string text =
      "model M parameter Boolean b = true; Real x; equation if b then x = 1; else x = 2; x = 3; end if; end "
      "M;";
  const DaeSystem system = load(text);
  ASSERT_EQ(system.equations.size(), 1U);
  EXPECT_EQ(-residual(system, 0, {{"x", 0}}), 1);
  EXPECT_EQ(load(text, {{"b", "false"}}).equations.size(), 2U);
}

TEST(FlattenEquation, IfByTimeBecomesIfExpressions) {
  const DaeSystem system =
      load("model M Real x, y; equation if time < 1 then x = 1; y = x; else y = 2*x; x = 3; end if; end M;");
  ASSERT_EQ(system.equations.size(), 2U);
  // Paired by the variable on the left, although the branches have another order.
  EXPECT_EQ(-residual(system, 0, {{"x", 0}, {"time", 0}}), 1);
  EXPECT_EQ(-residual(system, 0, {{"x", 0}, {"time", 2}}), 3);
  EXPECT_EQ(residual(system, 1, {{"y", 10}, {"x", 4}, {"time", 2}}), 2);
  EXPECT_EQ(system.relations.size(), 1U);
}

TEST(FlattenEquation, IfBranchesWithOtherLeftSidesArePairedByOrder) {
  const DaeSystem system =
      load("model M Real x, y; equation x + y = 1; if time < 1 then x = 2; else x - y = 5; end if; end M;");
  ASSERT_EQ(system.equations.size(), 2U);
  EXPECT_EQ(residual(system, 1, {{"x", 7}, {"y", 1}, {"time", 0}}), 5);
  EXPECT_EQ(residual(system, 1, {{"x", 7}, {"y", 1}, {"time", 2}}), 1);
}

TEST(FlattenEquation, NestedIfAndFor) {
  const DaeSystem system = load(
      "model M Real x[2]; equation if time < 1 then for i in 1:2 loop x[i] = i; end for; elseif time < 2 "
      "then if x[1] > 0 then x[1] = 5; else x[1] = 6; end if; x[2] = 7; "
      "else x = {8, 9}; end if; end M;");
  ASSERT_EQ(system.equations.size(), 2U);
  EXPECT_EQ(-residual(system, 1, {{"x[2]", 0}, {"time", 0.5}, {"x[1]", 1}}), 2);
  EXPECT_EQ(-residual(system, 1, {{"x[2]", 0}, {"time", 1.5}, {"x[1]", 1}}), 7);
  EXPECT_EQ(-residual(system, 1, {{"x[2]", 0}, {"time", 3}, {"x[1]", 1}}), 9);
  EXPECT_EQ(residual(system, 0, {{"x[1]", 1}, {"time", 1.5}}), 1 - 5);
}

TEST(FlattenEquation, UnbalancedIfIsRefused) {
  EXPECT_MENTIONS(
      refusal("model M Real x, y; equation if time < 1 then x = 1; y = 2; else x = 1; end if; end M;"),
      "the branches of this if-equation give 2 and 1 equations");
  EXPECT_MENTIONS(refusal("model M Real x; equation if time < 1 then x = 1; end if; end M;"),
                  "this if-equation needs an else");
}

TEST(FlattenEquation, ElseifTrueIsElse) {
  const DaeSystem system =
      load("model M Real x; equation if time < 1 then x = 1; elseif true then x = 2; end if; end M;");
  EXPECT_EQ(-residual(system, 0, {{"x", 0}, {"time", 2}}), 2);
}

TEST(FlattenEquation, BindingsAreEquations) {
  const DaeSystem system = load("model M Real x = 2*y, y; equation y = time; end M;");
  ASSERT_EQ(system.equations.size(), 2U);
  EXPECT_EQ(residual(system, 0, {{"x", 1}, {"y", 3}}), -5);
  EXPECT_MENTIONS(equation_text(system, system.equations[0]), "x = 2*y");
}

TEST(FlattenEquation, SeveralOutputsOfAFunction) {
  const DaeSystem system = load(
      "package P function f input Real u; output Real a; output Real b; output Real c; algorithm a := u; b "
      ":= 2*u; c := 3*u; end f; "
      "model P Real x, y; equation (x, , y) = f(time); end P; end P;");
  ASSERT_EQ(system.equations.size(), 2U);
  EXPECT_EQ(-residual(system, 1, {{"y", 0}, {"time", 2}}), 6);
}

TEST(FlattenEquation, InitialEquations) {
  const DaeSystem system = load(
      "model M Real x; discrete Real d; initial equation der(x) = 0; d = 5; equation der(x) = -x + d; when "
      "time > 1 then d = 6; end when; end M;");
  ASSERT_EQ(system.initial_equations.size(), 1U);
  EXPECT_EQ(value(system, system.initial_equations[0].residual, {{"der(x)", 3}}), 3);
  ASSERT_EQ(system.initial_assignments.size(), 1U);
  EXPECT_EQ(system.variables[system.initial_assignments[0].target.at()].name, "d");
}

TEST(FlattenEquation, InitialAssignmentsAreSorted) {
  const DaeSystem system = load(
      "model M discrete Real a, b; initial equation a = 2*b; pre(b) = 3; equation when time > 1 then a = 1; "
      "b = 2; end when; end M;");
  ASSERT_EQ(system.initial_assignments.size(), 2U);
  EXPECT_EQ(system.variables[system.initial_assignments[0].target.at()].name, "b");
}

TEST(FlattenEquation, FixedStartThatDependsOnAnUnknownParameter) {
  const DaeSystem system = load(
      "model M parameter Real p(fixed = false, start = 2); Real x(start = 3*p, fixed = true); initial "
      "equation der(x) = 0; equation der(x) = p - x; end M;");
  EXPECT_FALSE(variable(system, "x").fixed);
  EXPECT_EQ(variable(system, "x").start, 6);
  ASSERT_EQ(system.initial_equations.size(), 2U);
  EXPECT_EQ(value(system, system.initial_equations[0].residual, {{"x", 7}, {"p", 2}}), 1);
}

TEST(FlattenEquation, GuessesAreStartValues) {
  const DaeSystem system = load(
      "//! base 0.1.0\npackage 'M' model 'M' Real 'x'; parameter equation guess('x') = 4.0; equation 'x'^2 = "
      "16.0; end 'M'; end 'M';");
  EXPECT_EQ(variable(system, "x").start, 4);
  EXPECT_FALSE(variable(system, "x").fixed);
}

TEST(FlattenEquation, AttributesOfAVariable) {
  const DaeSystem system = load(
      "model M parameter Real p = 2; Real x(start = p, fixed = true, min = -1, max = 3*p, nominal = 10, unit "
      "= \"m\", stateSelect = StateSelect.prefer) \"position\"; "
      "equation der(x) = 1; end M;");
  const Variable& x = variable(system, "x");
  EXPECT_EQ(x.start, 2);
  EXPECT_TRUE(x.fixed && x.has_start && x.has_nominal);
  EXPECT_EQ(x.min, -1);
  EXPECT_EQ(x.max, 6);
  EXPECT_EQ(x.nominal, 10);
  EXPECT_EQ(x.unit, "m");
  EXPECT_EQ(x.description, "position");
  EXPECT_EQ(x.state_select, StateSelect::Prefer);
}

TEST(FlattenEquation, AssertionsAreKeptWithTheirGuards) {
  const DaeSystem system = load(
      "model M Real x; equation x = time; assert(x < 5, \"x is \" + \"large\"); if x > 1 then assert(x < 2, "
      "\"between\", AssertionLevel.warning); else assert(true, \"fine\"); end if; end M;");
  ASSERT_EQ(system.assertions.size(), 2U);
  EXPECT_EQ(system.assertions[0].message, "x is large");
  EXPECT_TRUE(system.assertions[0].is_error);
  EXPECT_FALSE(system.assertions[1].is_error);
  EXPECT_EQ(value(system, system.assertions[1].condition, {{"x", 0}}), 1);  // not asked for
  EXPECT_EQ(value(system, system.assertions[1].condition, {{"x", 3}}), 0);
}

TEST(FlattenEquation, AssertionThatFailsAtOnce) {
  EXPECT_MENTIONS(refusal("model M parameter Real m = -1; Real x = m; equation assert(m > 0, \"mass must be "
                          "positive\"); end M;"),
                  "assertion failed: mass must be positive");
}

}  // namespace
}  // namespace daedalus::test
