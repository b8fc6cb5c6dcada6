// Algorithm sections of models.
#include "model/flatten_support.hpp"

namespace daedalus::test {
namespace {

TEST(FlattenAlgorithm, BecomesOneEquationForEachVariable) {
  const DaeSystem system =
      load("model M Real x, y, z; equation z = time; algorithm x := z; y := x + 1; x := 2*y; end M;");
  ASSERT_EQ(system.equations.size(), 3U);
  EXPECT_EQ(residual(system, 1, {{"x", 0}, {"z", 3}}), -8);
  EXPECT_EQ(residual(system, 2, {{"y", 0}, {"z", 3}}), -4);
}

TEST(FlattenAlgorithm, IfMakesEventsAndKeepsTheStartValue) {
  const DaeSystem system =
      load("model M Real x(start = 7), z; equation z = time; algorithm if z > 1 then x := 2; end if; end M;");
  EXPECT_EQ(system.relations.size(), 1U);
  EXPECT_EQ(-residual(system, 1, {{"x", 0}, {"z", 2}}), 2);
  EXPECT_EQ(-residual(system, 1, {{"x", 0}, {"z", 0}}), 7);  // Modelica 11.1.2
}

TEST(FlattenAlgorithm, LoopsAndArrays) {
  const DaeSystem system = load(
      "model M Real s, v[3]; algorithm s := 0; for i in 1:3 loop v[i] := i*time; s := s + v[i]; end for; end "
      "M;");
  ASSERT_EQ(system.equations.size(), 4U);
  EXPECT_EQ(-residual(system, 0, {{"s", 0}, {"time", 2}}), 12);
}

TEST(FlattenAlgorithm, DiscreteVariablesStartFromTheirOldValue) {
  const DaeSystem system = load(
      "model M Integer n; Boolean b; algorithm b := time > 1; if b and not pre(b) then n := n + 1; end if; "
      "end M;");
  EXPECT_EQ(value(system, assigned(system, "n"), {{"time", 2}, {"pre(b)", 0}, {"pre(n)", 4}}), 5);
  EXPECT_EQ(value(system, assigned(system, "n"), {{"time", 2}, {"pre(b)", 1}, {"pre(n)", 4}}), 4);
}

TEST(FlattenAlgorithm, WhenBecomesAWhenClause) {
  const DaeSystem system = load(
      "model M Real x(start = 1), k; equation der(x) = -1; algorithm when x < 0 then k := pre(k) + 1; k := "
      "2*k; reinit(x, k); elsewhen time > 9 then k := 0; end when; end M;");
  const auto clauses = when_clauses(system);
  ASSERT_EQ(clauses.size(), 1U);
  ASSERT_EQ(clauses[0]->branches.size(), 2U);
  ASSERT_EQ(clauses[0]->branches[0].assignments.size(), 1U);
  EXPECT_EQ(value(system, clauses[0]->branches[0].assignments[0].value, {{"pre(k)", 3}}), 8);
  EXPECT_EQ(value(system, clauses[0]->branches[0].reinits[0].value, {{"pre(k)", 3}}), 8);
  EXPECT_EQ(variable(system, "k").kind, VariableKind::DiscreteReal);
}

// Two when statements assign n; the later one counts where both act.
TEST(FlattenAlgorithm, TwoWhensOfOneVariable) {
  const DaeSystem system = load(
      "model M Integer n; algorithm when time > 1 then n := 1; end when; when time > 2 then n := n + 10; end "
      "when; end M;");
  const NodeId next = assigned(system, "n");
  ASSERT_TRUE(next.valid());
  std::vector<std::string> memory;
  for (const Variable& v : system.variables) {
    if (v.kind == VariableKind::Boolean) memory.push_back(v.name);
  }
  ASSERT_EQ(memory.size(), 2U);
  const auto n = [&](double a, double pre_a, double b, double pre_b, double initial) {
    return value(system, next,
                 {{memory[0], a},
                  {"pre(" + memory[0] + ")", pre_a},
                  {memory[1], b},
                  {"pre(" + memory[1] + ")", pre_b},
                  {"pre(n)", 5},
                  {"initial()", initial}});
  };
  EXPECT_EQ(n(1, 0, 0, 0, 0), 1);   // the first acts
  EXPECT_EQ(n(1, 1, 1, 0, 0), 15);  // the second acts
  EXPECT_EQ(n(1, 0, 1, 0, 0), 11);  // both
  EXPECT_EQ(n(1, 1, 1, 1, 0), 5);   // none
  EXPECT_EQ(n(1, 0, 1, 0, 1), 5);   // a condition that is true initially is no event
}

TEST(FlattenAlgorithm, InitialAlgorithm) {
  const DaeSystem system = load(
      "model M Integer n; Real t, x; parameter Real p(fixed = false); equation when time > 1 then n = pre(n) "
      "+ 1; t = time; end when; der(x) = p; "
      "initial algorithm n := integer(2.5); t := n*0.5; x := t + 1; p := 2*x; end M;");
  ASSERT_EQ(system.initial_assignments.size(), 2U);
  EXPECT_EQ(value(system, system.initial_assignments[1].value, {}), 1);
  ASSERT_EQ(system.initial_equations.size(), 2U);
  EXPECT_EQ(value(system, system.initial_equations[0].residual, {{"x", 0}}), -2);
  EXPECT_EQ(value(system, system.initial_equations[1].residual, {{"p", 0}}), -4);
}

TEST(FlattenAlgorithm, RoundingInsideMakesItsVariableOnce) {
  const DaeSystem system = load("model M Real y; algorithm y := floor(2*time); end M;");
  EXPECT_EQ(system.variables.size(), 2U);
  EXPECT_EQ(system.relations.size(), 2U);
}

TEST(FlattenAlgorithm, Mistakes) {
  EXPECT_MENTIONS(refusal("model M parameter Real p = 1; algorithm p := 2; end M;"),
                  "only variables can be assigned to, not parameters");
  EXPECT_MENTIONS(refusal("model M Real x; algorithm x := true; end M;"), "'x' is Real, but this is Boolean");
  EXPECT_MENTIONS(refusal("model M Real x; algorithm z := 1; end M;"), "unknown name 'z'");
  EXPECT_MENTIONS(refusal("model M Real x[2]; algorithm x := {1, 2, 3}; end M;"),
                  "'x' has size [2], but this has size [3]");
}

}  // namespace
}  // namespace daedalus::test
