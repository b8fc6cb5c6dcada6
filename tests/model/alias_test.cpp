// Alias removal. Each system is small enough to see what must remain.
#include "model/flatten_support.hpp"

namespace daedalus::test {
namespace {

TEST(Alias, FormsOfAnAlias) {
  for (const char* form : {"a = b", "a = -b", "a + b = 0", "0 = a - b", "-a = b", "2*a = 2*b",
                           "a/3 - b/3 = 0", "0 = -(a + b)"}) {
    const DaeSystem system =
        load_reduced(std::string("model M Real a, b; equation ") + form + "; der(a) = 1; end M;");
    EXPECT_EQ(system.variables.size(), 1U) << form;
    EXPECT_EQ(system.equations.size(), 1U) << form;
    EXPECT_EQ(system.variables[0].name, "a") << form;
    EXPECT_FALSE(reported(system, "b").parameter);
  }
}

TEST(Alias, WhatIsNoAlias) {
  for (const char* form : {"a = 2*b", "a = b + 1", "a = b + c", "a = b*c", "a = der(b)"}) {
    const DaeSystem system = load_reduced(std::string("model M Real a, b, c; equation ") + form +
                                          "; der(b) = time; der(c) = a; end M;");
    EXPECT_EQ(system.equations.size(), 3U) << form;
  }
}

TEST(Alias, SignsAreKeptAlongTheChain) {
  const DaeSystem system = load_reduced(
      "model M Real a(start = 2), b, c, d; equation der(a) = 1; b = -a; c + b = 0; d = -c; end M;");
  ASSERT_EQ(system.variables.size(), 1U);
  const Point at{{"a", 5}};
  EXPECT_EQ(value(system, reported(system, "b").value, at), -5);
  EXPECT_EQ(value(system, reported(system, "c").value, at), 5);
  EXPECT_EQ(value(system, reported(system, "d").value, at), -5);
  EXPECT_EQ(system.report_order, (std::vector<std::string>{"a", "b", "c", "d"}));
}

TEST(Alias, DerivativesChangeSignToo) {
  const DaeSystem system =
      load_reduced("model M Real a, b, c; equation a = -b; der(a) = c; c = der(b) + 1; end M;");
  // With b = -a: der(b) = -der(a); c - (1 - der(a)) and der(a) - c remain.
  ASSERT_EQ(system.equations.size(), 2U);
  const std::string kept = has_variable(system, "a") ? "a" : "b";
  const double sign = kept == "a" ? 1 : -1;
  EXPECT_EQ(residual(system, 0, {{"der(" + kept + ")", 3}, {"c", 1}}), (sign * 3) - 1);
  EXPECT_EQ(residual(system, 1, {{"der(" + kept + ")", 3}, {"c", 1}}), 1 - ((sign * -3) + 1));
}

TEST(Alias, ConstantsAreFoundToAFixedPoint) {
  const DaeSystem system = load_reduced(
      "model M Real T[2,2], v[2], w[2], x, y; equation T = [1, 0; 0, 1]; w = T*v; v[1] = 2*x; v[2] = time; x "
      "= y*T[2,1] + 3; der(y) = w[1] + w[2]; end M;");
  // T is the identity, so w = v; x = 3, v[1] = 6; only y is left, with der(y) = 6 + time.
  EXPECT_EQ(system.variables.size(), 1U);
  EXPECT_EQ(residual(system, 0, {{"der(y)", 0}, {"time", 10}}), -16);
  EXPECT_EQ(reported_number(system, "v[1]"), 6);
  EXPECT_EQ(system.graph->node(reported(system, "w[2]").value).op, Op::Time);
}

TEST(Alias, AConstantHasNoDerivative) {
  const DaeSystem system =
      load_reduced("model M Real s, v, x; equation s = 4; v = der(s); der(x) = v + 1; end M;");
  EXPECT_EQ(reported_number(system, "v"), 0);
  EXPECT_EQ(system.variables.size(), 1U);
}

TEST(Alias, VariablesSetToTheSameDerivativeAreAliases) {
  const DaeSystem system = load_reduced(
      "model M Real phi, w, w_rel, a, b, f; equation w = der(phi); w_rel = -der(phi); a = der(w); b = "
      "der(w_rel); f = a - b; f = -3*phi; end M;");
  // w_rel = -w, then b = -a: phi, w, a and f remain.
  EXPECT_EQ(system.variables.size(), 4U);
  EXPECT_EQ(system.equations.size(), 4U);
}

TEST(Alias, RelationsThatAreKnownDisappear) {
  const DaeSystem system = load_reduced(
      "model M Real p, x; Boolean b; equation p = 2; b = p > 1; x = if b then time else -time; end M;");
  EXPECT_TRUE(system.relations.empty());
  EXPECT_TRUE(system.discrete_steps.empty());
  EXPECT_EQ(reported_number(system, "b"), 1);
  EXPECT_EQ(system.graph->node(reported(system, "x").value).op, Op::Time);
}

TEST(Alias, DiscreteAliases) {
  const DaeSystem system = load_reduced(
      "model M Boolean a, b, c; Real x; equation b = not a; c = b; a = time > 1; x = if c then 1 else 2; end "
      "M;");
  EXPECT_EQ(system.discrete_steps.size(), 1U);
  EXPECT_EQ(value(system, reported(system, "c").value, {{"a", 1}}), 0);
  EXPECT_EQ(residual(system, 0, {{"x", 0}, {"a", 1}}), -2);
}

TEST(Alias, ContinuousVariablesMayFollowDiscreteOnes) {
  const DaeSystem system = load_reduced(
      "model M Real y, z; discrete Real d; equation y = d; z = -y; when time > 1 then d = time; end when; "
      "end M;");
  EXPECT_TRUE(system.equations.empty());
  EXPECT_EQ(value(system, reported(system, "z").value, {{"d", 3}}), -3);
}

TEST(Alias, PreIsCarriedOver) {
  const DaeSystem system = load_reduced(
      "model M Real x, y; discrete Real d; equation der(x) = 1; y = -x; when time > 1 then d = pre(y); end "
      "when; end M;");
  ASSERT_EQ(system.variables.size(), 2U);
  const auto clauses = when_clauses(system);
  const std::string kept = has_variable(system, "y") ? "y" : "x";
  const double sign = kept == "y" ? 1 : -1;
  EXPECT_EQ(value(system, clauses.at(0)->branches[0].assignments[0].value, {{"pre(" + kept + ")", 2}}),
            sign * 2);
}

TEST(Alias, ReinitGoesToTheVariableThatStays) {
  const DaeSystem system = load_reduced(
      "model M Real x, y; equation der(x) = 1; y = -x; when time > 1 then reinit(y, 3); end when; end M;");
  ASSERT_EQ(system.equations.size(), 1U);
  const Assignment& reinit = when_clauses(system).at(0)->branches[0].reinits.at(0);
  const std::string kept = system.variables[reinit.target.at()].name;
  EXPECT_EQ(value(system, reinit.value, {}), kept == "y" ? 3 : -3);
}

TEST(Alias, AttributesAreMerged) {
  const DaeSystem system = load_reduced(
      "model M Real a(min = 0, max = 10, nominal = 5), b(start = -3, fixed = true, min = -8, unit = \"m\", "
      "stateSelect = StateSelect.prefer); equation a = -b; der(a) = 1; end M;");
  ASSERT_EQ(system.variables.size(), 1U);
  const Variable& v = system.variables[0];
  EXPECT_EQ(v.name, "a");  // its derivative is in the model
  EXPECT_EQ(v.start, 3);
  EXPECT_TRUE(v.fixed);
  EXPECT_EQ(v.min, 0);
  EXPECT_EQ(v.max, 8);
  EXPECT_EQ(v.nominal, 5);
  EXPECT_EQ(v.unit, "m");
  EXPECT_EQ(v.state_select, StateSelect::Prefer);
}

TEST(Alias, AFixedStartWinsOverAGuess) {
  const DaeSystem system = load_reduced(
      "model M Real a(start = 1), b(start = 2, fixed = true); equation a = b; der(a) = 1; end M;");
  EXPECT_EQ(system.variables[0].start, 2);
  EXPECT_TRUE(system.variables[0].fixed);
}

TEST(Alias, TwoFixedStartsThatAgree) {
  const DaeSystem system = load_reduced(
      "model M Real a(start = 1, fixed = true), b(start = -1, fixed = true); equation a = -b; der(a) = 1; "
      "end M;");
  EXPECT_EQ(system.variables[0].start, system.variables[0].name == "a" ? 1 : -1);
}

TEST(Alias, TwoFixedStartsThatContradict) {
  const std::string text = refusal(
      "model M Real a(start = 1, fixed = true);\nReal b(start = 2, fixed = true);\nequation a = b; der(a) = "
      "1; end M;");
  EXPECT_MENTIONS(text, "'a' and 'b' are the same variable, but their start values are fixed at 1 and 2");
  EXPECT_MENTIONS(text, "m.mo:2:6: note: 'b' is declared here");
}

TEST(Alias, AFixedStartAgainstAConstant) {
  EXPECT_MENTIONS(refusal("model M Real a(start = 1, fixed = true); equation a = 2; end M;"),
                  "the start value of 'a' is fixed at 1, but the equations make it 2 at all times");
}

TEST(Alias, ContradictionNamesTheEquations) {
  const std::string text = refusal("model M Real a, b;\nequation\n  a = 1;\n  b = a;\n  b = 3;\nend M;");
  EXPECT_MENTIONS(text, "contradicts others");
  EXPECT_MENTIONS(text, "is determined by:");
}

TEST(Alias, ARedundantEquationStays) {
  // b = a says nothing new; structure will name it, since the model has an equation too many.
  const DaeSystem system =
      load_reduced("model M Real a, b, c; equation a = time; b = a; a = b; der(c) = b; end M;");
  EXPECT_EQ(system.equations.size(), 2U);
  EXPECT_EQ(system.variables.size(), 1U);
}

TEST(Alias, ParametersOfTheInitialisationThatAreKnown) {
  const DaeSystem system = load_reduced(
      "model M parameter Real p(fixed = false); Real x, y; initial equation p = 2*y; equation y = 3; der(x) "
      "= p; end M;");
  EXPECT_EQ(reported_number(system, "p"), 6);
  EXPECT_TRUE(reported(system, "p").parameter);
  EXPECT_TRUE(system.initial_equations.empty());
  EXPECT_EQ(system.report_order, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(residual(system, 0, {{"der(x)", 0}}), -6);
}

TEST(Alias, OptionKeepsTheModelAsWritten) {
  const DaeSystem system = load("model M Real a, b; equation a = b; der(a) = 1; end M;");
  EXPECT_EQ(system.variables.size(), 2U);
  const Result<DaeSystem> reduced = remove_aliases(system);
  ASSERT_TRUE(reduced.has_value());
  EXPECT_EQ(reduced->variables.size(), 1U);
  EXPECT_EQ(system.variables.size(), 2U);
}

}  // namespace
}  // namespace daedalus::test
