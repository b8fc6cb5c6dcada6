// Models made in C++ are the same as models made from text.
#include "model/builder.hpp"

#include "model/flatten_support.hpp"

namespace daedalus::test {
namespace {

TEST(Builder, ThePendulumIsTheOneOfTheText) {
  ModelBuilder model("Pendulum");
  const Expr L = model.parameter("L", 2);
  const Expr g = model.parameter("g", 9.81);
  const Expr x = model.variable("x", {.start = 1});
  const Expr y = model.variable("y", {.start = 0, .fixed = true});
  const Expr lambda = model.variable("lambda");
  const Expr vx = model.variable("vx");
  const Expr vy = model.variable("vy");
  model.equation(der(x), vx);
  model.equation(der(y), vy);
  model.equation(der(vx), -lambda * x);
  model.equation(der(vy), -lambda * y - g);
  model.equation(pow(x, 2) + pow(y, 2), pow(L, 2), "length");
  const Result<DaeSystem> built = model.build();
  ASSERT_TRUE(built.has_value());
  const DaeSystem text = load(
      "model Pendulum parameter Real L = 2, g = 9.81; Real x(start = 1), y(start = 0, fixed = true), lambda, "
      "vx, vy; equation der(x) = vx; der(y) = vy; "
      "der(vx) = -lambda*x; der(vy) = -lambda*y - g; x^2 + y^2 = L^2; end Pendulum;");
  ASSERT_EQ(built->equations.size(), text.equations.size());
  const Point at{{"x", 0.3},      {"y", 0.7},      {"lambda", 5},  {"vx", 2},      {"vy", 3},
                 {"der(x)", 1.1}, {"der(y)", 1.3}, {"der(vx)", 7}, {"der(vy)", 11}};
  for (std::size_t i = 0; i < text.equations.size(); ++i)
    EXPECT_EQ(residual(*built, i, at), residual(text, i, at));
  EXPECT_EQ(built->report_order, text.report_order);
  EXPECT_EQ(equation_text(*built, built->equations[4]), "length");
  EXPECT_TRUE(variable(*built, "y").fixed);
  EXPECT_EQ(reported_number(*built, "L"), 2);
}

TEST(Builder, NumbersAloneStayNumbers) {
  const Expr two = 2;
  const Expr sum = two * 3 + sin(0.0) - Expr(4) / 2;
  EXPECT_TRUE(sum.is_number());
  EXPECT_EQ(sum.number(), 4);
  EXPECT_EQ((Expr(1) < Expr(2)).number(), 1);
  EXPECT_EQ(if_else(Expr(0), 5, 6).number(), 6);
  EXPECT_EQ(der(Expr(3)).number(), 0);
}

TEST(Builder, EventsAndDiscreteVariables) {
  ModelBuilder model("Ball");
  const Expr h = model.variable("h", {.start = 1, .fixed = true});
  const Expr v = model.variable("v", {.start = 0, .fixed = true});
  const Expr bounces = model.variable("bounces", {.kind = VariableKind::Integer});
  const Expr flying = model.variable("flying", {.kind = VariableKind::Boolean});
  const Expr twice = model.variable("twice", {.kind = VariableKind::Integer});
  model.equation(der(h), v);
  model.equation(der(v), if_else(flying, -9.81, 0));
  model.assign(twice, 2 * bounces);
  model.assign(flying, h > 0 || v > 0);
  model.when(h <= 0)
      .set(bounces, pre(bounces) + 1)
      .reinit(v, -0.7 * pre(v))
      .else_when(model.time() > 9)
      .terminate("over");
  model.assertion(h > -1, "fell through");
  const Result<DaeSystem> built = model.build();
  ASSERT_TRUE(built.has_value());
  EXPECT_EQ(built->relations.size(), 4U);  // the assertion's relation makes no events, but has been asked for
  EXPECT_EQ(built->discrete_steps.size(), 3U);
  EXPECT_TRUE(std::holds_alternative<WhenClause>(built->discrete_steps[0]) ||
              std::holds_alternative<WhenClause>(built->discrete_steps[1]));
  EXPECT_EQ(value(*built, assigned(*built, "twice"), {{"bounces", 4}}), 8);
  EXPECT_EQ(value(*built, built->assertions[0].condition, {{"h", -2}}), 0);
  EXPECT_EQ(leaves_of(*built->graph, built->assertions[0].condition).size(), 1U);
}

TEST(Builder, StepsAreSorted) {
  ModelBuilder model("M");
  const Expr a = model.variable("a", {.kind = VariableKind::Boolean});
  const Expr b = model.variable("b", {.kind = VariableKind::Boolean});
  model.assign(a, !b);
  model.assign(b, model.time() > 1);
  const Result<DaeSystem> built = model.build();
  ASSERT_TRUE(built.has_value());
  EXPECT_EQ(built->variables[std::get<Assignment>(built->discrete_steps[0]).target.at()].name, "b");
}

TEST(Builder, NoEventTakesRelationsLiterally) {
  ModelBuilder model("M");
  const Expr x = model.variable("x");
  model.equation(x, no_event(if_else(model.time() > 1, 1, 0)));
  const Result<DaeSystem> built = model.build();
  ASSERT_TRUE(built.has_value());
  EXPECT_EQ(residual(*built, 0, {{"x", 0}, {"time", 2}}), -1);
  EXPECT_EQ(built->graph->node(built->equations[0].residual).op, Op::Sub);
  for (const NodeId leaf : leaves_of(*built->graph, built->equations[0].residual))
    EXPECT_NE(built->graph->node(leaf).op, Op::Relation);
}

TEST(Builder, MistakesAreReportedByBuild) {
  ModelBuilder model("M");
  const Expr x = model.variable("x");
  const Expr again = model.variable("x");
  (void)model.parameter("time", 1);
  const Expr b = model.variable("b", {.kind = VariableKind::Boolean});
  model.when(x + again > 1).set(x, 1).reinit(b, 0).set(2 * x, 1);
  const Result<DaeSystem> built = model.build();
  ASSERT_FALSE(built.has_value());
  const std::string text = render(built.error(), SourceMap{});
  EXPECT_MENTIONS(text, "the name 'x' is used twice");
  EXPECT_MENTIONS(text, "the name 'time' is that of the time of the simulation");
  EXPECT_MENTIONS(text, "set needs a variable, but it is given");
  EXPECT_MENTIONS(text, "reinit needs a continuous variable, but 'b' is discrete");
  EXPECT_MENTIONS(text, "nothing gives the discrete variable 'b' a value");
  EXPECT_MENTIONS(text, "'x' is continuous; declare it as DiscreteReal");
}

TEST(Builder, AliasesAreRemovedFromBuiltModelsToo) {
  ModelBuilder model("M");
  const Expr a = model.variable("a");
  const Expr b = model.variable("b");
  model.equation(a, -b);
  model.equation(der(a), 1);
  const Result<DaeSystem> built = model.build();
  ASSERT_TRUE(built.has_value());
  const Result<DaeSystem> reduced = remove_aliases(*built);
  ASSERT_TRUE(reduced.has_value());
  EXPECT_EQ(reduced->variables.size(), 1U);
}

TEST(Builder, ContradictionOfAModelWithoutText) {
  ModelBuilder model("M");
  const Expr a = model.variable("a");
  model.equation(a, 1, "first");
  model.equation(a, 2, "second");
  const Result<DaeSystem> reduced = remove_aliases(*model.build());
  ASSERT_FALSE(reduced.has_value());
  EXPECT_MENTIONS(render(reduced.error(), SourceMap{}), "second");
}

}  // namespace
}  // namespace daedalus::test
