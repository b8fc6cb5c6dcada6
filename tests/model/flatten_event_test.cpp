// Relations, when clauses, discrete variables and their order.
#include "model/flatten_support.hpp"

namespace daedalus::test {
namespace {

std::string name(const DaeSystem& system, VariableId id) {
  return system.variables[id.at()].name;
}

TEST(FlattenEvent, RelationsAreOrientedSoThatTrueIsPositive) {
  const DaeSystem system = load(
      "model M Real x; Boolean a, b, c, d; equation x = time; a = x < 2; b = x <= 3; c = x > 4; d = x >= 5; "
      "end M;");
  ASSERT_EQ(system.relations.size(), 4U);
  EXPECT_EQ(value(system, system.relations[0].difference, {{"x", 0}}), 2);
  EXPECT_TRUE(system.relations[0].strict);
  EXPECT_EQ(value(system, system.relations[1].difference, {{"x", 0}}), 3);
  EXPECT_FALSE(system.relations[1].strict);
  EXPECT_EQ(value(system, system.relations[2].difference, {{"x", 0}}), -4);
  EXPECT_EQ(value(system, system.relations[3].difference, {{"x", 0}}), -5);
  EXPECT_FALSE(system.relations[3].strict);
}

TEST(FlattenEvent, EqualAndOppositeRelationsShareOne) {
  const DaeSystem system =
      load("model M Real x; Boolean a, b, c; equation x = time; a = x < 2; b = 2 > x; c = x >= 2; end M;");
  EXPECT_EQ(system.relations.size(), 1U);
  EXPECT_EQ(value(system, assigned(system, "c"), {{"x", 2}}), 1);
  EXPECT_EQ(value(system, assigned(system, "c"), {{"x", 1}}), 0);
}

TEST(FlattenEvent, WhereRelationsMakeNoEvents) {
  const DaeSystem system = load(
      "package P function f input Real u; output Real y; algorithm y := if u > 1 then 1 else 0; end f; "
      "model P Real x, a, b, c; Integer n; Boolean d; equation x = time; a = noEvent(if x > 1 then 1 else "
      "0); b = f(x); c = smooth(1, if x > 1 then x else 1); "
      "when x > 9 then n = pre(n) + 1; end when; d = n > 3; end P; end P;");
  ASSERT_EQ(system.relations.size(), 1U);
  EXPECT_EQ(value(system, system.relations[0].difference, {{"x", 0}}), -9);
}

TEST(FlattenEvent, SmoothZeroKeepsEvents) {
  EXPECT_EQ(load("model M Real x = smooth(0, if time > 1 then 1 else 0); end M;").relations.size(), 1U);
}

TEST(FlattenEvent, ARealAssignedInAWhenIsDiscrete) {
  const DaeSystem system =
      load("model M Real x, y; equation y = 2*x; when time >= 0.5 then x = time; end when; end M;");
  EXPECT_EQ(variable(system, "x").kind, VariableKind::DiscreteReal);
  EXPECT_EQ(variable(system, "y").kind, VariableKind::Continuous);
  EXPECT_EQ(system.equations.size(), 1U);
  const auto clauses = when_clauses(system);
  ASSERT_EQ(clauses.size(), 1U);
  EXPECT_EQ(name(system, clauses[0]->branches[0].assignments[0].target), "x");
}

TEST(FlattenEvent, OneElementOfAnArrayMayBeDiscrete) {
  const DaeSystem system = load(
      "model M Real x[3]; equation for i in 1:2 loop when time > i then x[i] = i; end when; end for; x[3] = "
      "time; end M;");
  EXPECT_EQ(variable(system, "x[2]").kind, VariableKind::DiscreteReal);
  EXPECT_EQ(variable(system, "x[3]").kind, VariableKind::Continuous);
  EXPECT_EQ(when_clauses(system).size(), 2U);
}

TEST(FlattenEvent, WhenWithVectorOfConditionsElsewhenAndReinit) {
  const DaeSystem system = load(
      "model M Real x(start = 1); discrete Real n; equation der(x) = -1; when {x < 0, initial()} then n = "
      "pre(n) + 1; reinit(x, 1 + pre(n)); elsewhen time > 3 then n = 0; terminate(\"done\"); end when; end "
      "M;");
  const auto clauses = when_clauses(system);
  ASSERT_EQ(clauses.size(), 1U);
  ASSERT_EQ(clauses[0]->branches.size(), 2U);
  const WhenBranch& first = clauses[0]->branches[0];
  EXPECT_EQ(first.conditions.size(), 2U);
  EXPECT_EQ(system.graph->node(first.conditions[1]).op, Op::Initial);
  ASSERT_EQ(first.reinits.size(), 1U);
  EXPECT_EQ(name(system, first.reinits[0].target), "x");
  EXPECT_EQ(value(system, first.reinits[0].value, {{"pre(n)", 4}}), 5);
  EXPECT_EQ(clauses[0]->branches[1].terminations[0].message, "done");
}

TEST(FlattenEvent, AssignmentsInAWhenAreSorted) {
  const DaeSystem system =
      load("model M Real a, b; equation when time > 1 then a = 2*b; b = time; end when; end M;");
  const auto& assignments = when_clauses(system).at(0)->branches[0].assignments;
  EXPECT_EQ(name(system, assignments[0].target), "b");
  EXPECT_EQ(name(system, assignments[1].target), "a");
}

TEST(FlattenEvent, IfAndForInsideAWhen) {
  const DaeSystem system = load(
      "model M Real a, b[2]; equation when time > 1 then if pre(a) > 0 then a = 5; for i in 1:2 loop b[i] = "
      "i; end for; else a = 6; end if; end when; end M;");
  const WhenBranch& branch = when_clauses(system).at(0)->branches[0];
  ASSERT_EQ(branch.assignments.size(), 3U);
  EXPECT_EQ(value(system, branch.assignments[0].value, {{"pre(a)", 1}}), 5);
  EXPECT_EQ(value(system, branch.assignments[0].value, {{"pre(a)", -1}}), 6);
  EXPECT_EQ(value(system, branch.assignments[2].value, {{"pre(a)", -1}, {"pre(b[2])", 8}}),
            8);  // keeps its value
}

TEST(FlattenEvent, AssertInsideAWhenStopsUnlessItHolds) {
  const DaeSystem system =
      load("model M Real x; equation x = time; when x > 1 then assert(x < 2, \"late\"); end when; end M;");
  const Termination& t = when_clauses(system).at(0)->branches[0].terminations.at(0);
  EXPECT_EQ(t.message, "late");
  EXPECT_EQ(value(system, t.unless, {{"x", 1.5}}), 1);
}

TEST(FlattenEvent, SamplesAreClocks) {
  const DaeSystem system = load(
      "model M discrete Real n; parameter Real T = 0.1; equation when sample(1, 2*T) then n = pre(n) + 1; "
      "end when; end M;");
  ASSERT_EQ(system.samples.size(), 1U);
  EXPECT_EQ(system.samples[0].start, 1);
  EXPECT_EQ(system.samples[0].interval, 0.2);
}

TEST(FlattenEvent, PreEdgeChange) {
  const DaeSystem system = load(
      "model M Boolean b, e; Integer n; Boolean c; equation b = time > 1; e = edge(b); n = if b then 2 else "
      "1; c = change(n); end M;");
  EXPECT_EQ(value(system, assigned(system, "e"), {{"b", 1}, {"pre(b)", 0}}), 1);
  EXPECT_EQ(value(system, assigned(system, "e"), {{"b", 1}, {"pre(b)", 1}}), 0);
  EXPECT_EQ(value(system, assigned(system, "c"), {{"n", 2}, {"pre(n)", 1}}), 1);
  EXPECT_EQ(value(system, assigned(system, "c"), {{"n", 2}, {"pre(n)", 2}}), 0);
}

TEST(FlattenEvent, DiscreteEquationsAreSolvedForTheRightVariable) {
  // c = true leaves b for the second equation, and then a for the first: each is turned around.
  const DaeSystem system = load("model M Boolean a, b, c; equation a = not b; b = c; true = c; end M;");
  EXPECT_EQ(system.discrete_steps.size(), 3U);
  EXPECT_EQ(value(system, assigned(system, "c"), {}), 1);
  EXPECT_EQ(value(system, assigned(system, "b"), {{"c", 1}}), 1);
  EXPECT_EQ(value(system, assigned(system, "a"), {{"b", 1}}), 0);
  const DaeSystem turned = load("model M Boolean a, b; equation a = not b; a = time > 1; end M;");
  EXPECT_EQ(value(turned, assigned(turned, "b"), {{"a", 1}}), 0);
}

TEST(FlattenEvent, StepsComeAfterWhatTheyUse) {
  const DaeSystem system = load(
      "model M Boolean a, b; Integer n; Real x; equation x = time; a = b and n > 1; b = x > n; when x > 5 "
      "then n = pre(n) + 1; end when; end M;");
  ASSERT_EQ(system.discrete_steps.size(), 3U);
  EXPECT_TRUE(
      std::holds_alternative<WhenClause>(system.discrete_steps[0]));  // n, which the relation of b uses
  EXPECT_EQ(name(system, std::get<Assignment>(system.discrete_steps[1]).target), "b");
  EXPECT_EQ(name(system, std::get<Assignment>(system.discrete_steps[2]).target), "a");
}

TEST(FlattenEvent, LoopsThroughDiscreteVariablesAreAllowed) {
  const DaeSystem system =
      load("model M Boolean a, b, c; equation a = b or time > 1; b = a and time < 2; c = a; end M;");
  ASSERT_EQ(system.discrete_steps.size(), 3U);
  EXPECT_EQ(name(system, std::get<Assignment>(system.discrete_steps[2]).target), "c");
}

TEST(FlattenEvent, DiscreteVariablesNeedExactlyOneEquation) {
  EXPECT_MENTIONS(refusal("model M Boolean a, b; equation a = time > 1; end M;"),
                  "no equation gives the discrete variable 'b' a value");
  EXPECT_MENTIONS(refusal("model M Boolean a; equation a = time > 1; a = time > 2; end M;"),
                  "the variable 'a' has its value from another equation already");
  EXPECT_MENTIONS(refusal("model M Real a; equation when time > 1 then a = 1; end when; when time > 2 then a "
                          "= 2; end when; end M;"),
                  "'a' gets its value from two when clauses; use elsewhen");
  EXPECT_MENTIONS(refusal("model M Real a; equation when time > 1 then a = 1; a = 2; end when; end M;"),
                  "'a' is assigned twice in one when");
}

// The floor of a continuous value is held between events. Its value is checked through a whole up-and-down.
TEST(FlattenEvent, FloorIsHeld) {
  const DaeSystem system = load("model M Real x, y; equation x = time; y = floor(x); end M;");
  ASSERT_EQ(system.discrete_steps.size(), 1U);
  const auto& step = std::get<Assignment>(system.discrete_steps[0]);
  const std::string n = name(system, step.target);
  const auto next = [&](double x, double pre, double initial) {
    return value(system, step.value, {{"x", x}, {"pre(" + n + ")", pre}, {"initial()", initial}});
  };
  EXPECT_EQ(next(2.5, 0, 1), 2);        // at the start, the floor itself
  EXPECT_EQ(next(2.5, 2, 0), 2);        // inside: held
  EXPECT_EQ(next(3.0, 2, 0), 3);        // arrived above
  EXPECT_EQ(next(7.2, 2, 0), 7);        // jumped
  EXPECT_EQ(next(1.9999999, 2, 0), 1);  // left below
  EXPECT_EQ(next(-0.5, 2, 0), -1);
  EXPECT_EQ(residual(system, 1, {{"y", 2}, {n, 2}}), 0);
  EXPECT_EQ(system.report_order, (std::vector<std::string>{"x", "y"}));
}

TEST(FlattenEvent, ModOfTimeIsASawtooth) {
  const DaeSystem system = load("model M Real y; equation y = mod(time, 2); end M;");
  const auto& step = std::get<Assignment>(system.discrete_steps.at(0));
  const std::string n = name(system, step.target);
  EXPECT_EQ(-residual(system, 0, {{"y", 0}, {"time", 7}, {n, 3}}), 1);
}

TEST(FlattenEvent, RoundingInAWhenIsPlain) {
  const DaeSystem system =
      load("model M Real y; equation when time > 1 then y = floor(time) + mod(time, 2); end when; end M;");
  EXPECT_EQ(system.variables.size(), 1U);
  EXPECT_EQ(value(system, when_clauses(system).at(0)->branches[0].assignments[0].value, {{"time", 3.5}}),
            3 + 1.5);
}

TEST(FlattenEvent, TerminalIsFalseWithAWarning) {
  const DaeSystem system = load("model M Real x; equation x = if terminal() then 1 else 2; end M;");
  EXPECT_EQ(system.warnings.size(), 1U);
  EXPECT_EQ(-residual(system, 0, {{"x", 0}}), 2);
}

}  // namespace
}  // namespace daedalus::test
