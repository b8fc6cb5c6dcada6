// Free parameters and inputs: what stays a leaf, what depends on it, what cannot.
#include <cmath>

#include "model/builder.hpp"
#include "model/flatten_support.hpp"

namespace daedalus::test {
namespace {

Result<DaeSystem> load_given(const std::shared_ptr<SourceMap>& sources, std::string text,
                             const LoadOptions& options) {
  return load_model(sources, sources->add("m.mo", std::move(text)), options);
}

DaeSystem given(std::string text, LoadOptions options, bool remove_aliases = false) {
  const auto sources = std::make_shared<SourceMap>();
  options.remove_aliases = remove_aliases;
  Result<DaeSystem> result = load_given(sources, std::move(text), options);
  EXPECT_TRUE(result.has_value()) << messages(result, *sources);
  if (result) return std::move(*result);
  DaeSystem empty;
  empty.graph = std::make_shared<ExprGraph>();
  return empty;
}

DaeSystem with_free(std::string text, std::vector<std::string> names, bool remove_aliases = false) {
  LoadOptions options;
  options.free = std::move(names);
  return given(std::move(text), options, remove_aliases);
}

std::string refused(std::string text, const LoadOptions& options) {
  const auto sources = std::make_shared<SourceMap>();
  const Result<DaeSystem> result = load_given(sources, std::move(text), options);
  EXPECT_FALSE(result.has_value()) << "the model was accepted";
  return messages(result, *sources);
}

std::string refused_free(std::string text, const std::string& name) {
  LoadOptions options;
  options.free = {name};
  return refused(std::move(text), options);
}

TEST(FreeParameter, StaysALeafAndSoDoesWhatDependsOnIt) {
  const DaeSystem system = with_free(
      "model M parameter Real k = 2 \"stiffness\"; parameter Real d = 3*k; Real x; equation x = d + k; "
      "end M;",
      {"k"});
  const Variable& k = variable(system, "k");
  EXPECT_EQ(k.kind, VariableKind::FreeParameter);
  EXPECT_EQ(k.start, 2);
  EXPECT_EQ(k.description, "stiffness");
  EXPECT_EQ(residual(system, 0, {{"x", 8}, {"k", 2}}), 0);
  EXPECT_EQ(residual(system, 0, {{"x", 20}, {"k", 5}}), 0);
  // Among the parameters of the results, with the value at the default and the expression beside it.
  const ReportedValue& d = reported(system, "d");
  EXPECT_TRUE(d.parameter);
  EXPECT_EQ(d.attributes.start, 6);
  EXPECT_EQ(value(system, d.value, {{"k", 5}}), 15);
  EXPECT_TRUE(reported(system, "k").parameter);
}

TEST(FreeParameter, ASettingIsItsDefault) {
  LoadOptions options;
  options.free = {"k"};
  options.settings = {{"k", "7"}};
  const DaeSystem system = given("model M parameter Real k = 2; Real x = k; end M;", options);
  EXPECT_EQ(variable(system, "k").start, 7);
}

TEST(FreeParameter, ElementsAndFieldsAndQuotedNames) {
  const DaeSystem system = with_free(
      "package P record R Real a; Real b; end R; model M parameter Real k[2] = {3, 4}; parameter R r = R(1, "
      "2); "
      "parameter Real 'a.b[1]' = 5; Real x = k[1]*k[2] + r.b + 'a.b[1]'; end M; end P;",
      {"k[2]", "r.b", "a.b[1]"});
  EXPECT_EQ(variable(system, "k[2]").start, 4);
  EXPECT_FALSE(has_variable(system, "k[1]"));
  EXPECT_EQ(variable(system, "r.b").start, 2);
  EXPECT_EQ(residual(system, 0, {{"x", 3 * 10 + 20 + 30}, {"k[2]", 10}, {"r.b", 20}, {"a.b[1]", 30}}), 0);
}

TEST(FreeParameter, AFreeParameterComputedFromAnotherIsIndependentOfIt) {
  const DaeSystem system =
      with_free("model M parameter Real a = 2; parameter Real b = 3*a; Real x = b; end M;", {"a", "b"});
  EXPECT_EQ(variable(system, "b").start, 6);
  EXPECT_EQ(residual(system, 0, {{"x", 1}, {"b", 1}}), 0);
}

TEST(FreeParameter, StartValuesKeepTheirExpression) {
  const std::string text =
      "model M parameter Real p = 2; Real x(start = 3*p, fixed = true, nominal = p, max = 10*p), y(start = "
      "1); "
      "equation der(x) = -x; der(y) = -y; annotation(experiment(StopTime = 4*p)); end M;";
  const DaeSystem system = with_free(text, {"p"});
  const Variable& x = variable(system, "x");
  EXPECT_TRUE(x.fixed);
  EXPECT_EQ(x.start, 6);
  EXPECT_EQ(value(system, x.start_value, {{"p", 5}}), 15);
  EXPECT_EQ(x.nominal, 2);
  EXPECT_EQ(x.max, 20);
  EXPECT_EQ(system.experiment.stop_time, 8.0);
  EXPECT_FALSE(variable(system, "y").start_value.valid());
  EXPECT_TRUE(system.initial_equations.empty());
}

TEST(FreeParameter, AliasRemovalCarriesStartExpressions) {
  const DaeSystem system = with_free(
      "model M parameter Real p = 2; Real x, y(start = p, fixed = true), z; equation x = -y; der(x) = -x + "
      "z; z = p; "
      "end M;",
      {"p"}, true);
  ASSERT_EQ(system.equations.size(), 1U);  // z follows p, x and y are one
  const auto ids = variables_of_kind(system, VariableKind::Continuous);
  ASSERT_EQ(ids.size(), 1U);
  const Variable& kept = system.variables[ids[0].at()];
  EXPECT_TRUE(kept.fixed);
  const double sign = kept.name == "x" ? -1 : 1;
  EXPECT_EQ(kept.start, sign * 2);
  EXPECT_EQ(value(system, kept.start_value, {{"p", 7}}), sign * 7);
  EXPECT_EQ(value(system, reported(system, "z").value, {{"p", 7}}), 7);
}

TEST(FreeParameter, FixedStartsThatAgreeOnlyAtTheDefaultAreRefused) {
  EXPECT_MENTIONS(
      refused_free("model M parameter Real p = 2; Real x(start = p, fixed = true), y(start = 2, fixed = "
                   "true); equation x = y; der(x) = -x; end M;",
                   "p"),
      "their start values are fixed at p and 2");
}

TEST(FreeParameter, DerivativeAndPreOfWhatFollowsIt) {
  const DaeSystem system =
      with_free("model M parameter Real p = 2; Real x, y, v; equation x = p; y = der(x) + 1; v = x^2; end M;",
                {"p"}, true);
  EXPECT_EQ(value(system, reported(system, "y").value, {}), 1);
  EXPECT_EQ(value(system, reported(system, "x").value, {{"p", 3}}), 3);
}

TEST(FreeParameter, WhatCannotBeFree) {
  EXPECT_MENTIONS(
      refused_free("model M parameter Real kk = 1; Real x = kk; end M;", "k"),
      "the free parameter k: the model has no parameter or variable of that name; did you mean 'kk'");
  EXPECT_MENTIONS(refused_free("model M parameter Integer n = 1; Real x = n; end M;", "n"),
                  "only Real parameters can be free, but this is Integer");
  EXPECT_MENTIONS(refused_free("model M constant Real c = 1; Real x = c; end M;", "c"), "'c' is a constant");
  EXPECT_MENTIONS(refused_free("model M final parameter Real c = 1; Real x = c; end M;", "c"),
                  "declared final");
  EXPECT_MENTIONS(refused_free("model M Real x = 1; end M;", "x"), "'x' is no parameter");
  EXPECT_MENTIONS(refused_free("model M parameter Real k[2] = {1, 2}; Real x = k[1]; end M;", "k"),
                  "name its elements one by one: k[1]");
  EXPECT_MENTIONS(
      refused_free("model M parameter Real p(fixed = false); Real x = p; initial equation x = 1; end M;",
                   "p"),
      "determined by the initialisation");
}

TEST(FreeParameter, WhereANumberIsNeeded) {
  const auto depends = [](const std::string& text, const std::string& what) {
    const std::string said = refused_free("model M parameter Real p = 2; " + text + " end M;", "p");
    EXPECT_MENTIONS(
        said, what + " must be a number when the model is read, but it depends on the free parameter 'p'");
  };
  depends("Real x[integer(p)]; equation for i in 1:2 loop x[i] = i; end for;", "the size of 'x'");
  depends("Real x; equation if p > 1 then x = 1; else x = 2; end if;", "the condition of an if-equation");
  depends(
      "discrete Real x(start = 0, fixed = true); equation when sample(0, p) then x = pre(x) + 1; end when;",
      "the interval of sample");
  depends("parameter Real q = 2*p; Real x if q > 1; equation x = 1;", "the condition of 'x'");
  depends("Real x; equation x = sum(i for i in 1:integer(p));", "the end of a range");
}

TEST(Input, IsALeafHeldAtItsStart) {
  const DaeSystem system = load(
      "model M input Real u(start = 3); input Boolean b(start = true); input Integer n; Real "
      "x = if b then u else n; end M;");
  ASSERT_EQ(system.equations.size(), 1U);
  EXPECT_EQ(variable(system, "u").kind, VariableKind::Input);
  EXPECT_EQ(variable(system, "u").start, 3);
  EXPECT_EQ(variable(system, "u").type, ValueType::Real);
  EXPECT_EQ(variable(system, "b").type, ValueType::Boolean);
  EXPECT_EQ(variable(system, "n").type, ValueType::Integer);
  EXPECT_EQ(residual(system, 0, {{"x", 3}, {"u", 3}, {"b", 1}, {"n", 7}}), 0);
  EXPECT_EQ(residual(system, 0, {{"x", 7}, {"u", 3}, {"b", 0}, {"n", 7}}), 0);
  EXPECT_TRUE(system.warnings.empty());
  ASSERT_EQ(input_warnings(system).size(), 3U);
  EXPECT_MENTIONS(input_warnings(system)[0].message, "the input 'u' has no value");
}

TEST(Input, WithABindingIsAnOrdinaryVariable) {
  const DaeSystem system = load("model M input Real u = time; Real x = u; end M;");
  EXPECT_EQ(variable(system, "u").kind, VariableKind::Continuous);
  EXPECT_TRUE(input_warnings(system).empty());
}

TEST(Input, AliasesOfItAreRemovedAndItStays) {
  const DaeSystem system =
      load_reduced("model M input Real u; Real x, y; equation x = u; der(y) = x; end M;");
  EXPECT_EQ(system.equations.size(), 1U);
  EXPECT_EQ(variables_of_kind(system, VariableKind::Input).size(), 1U);
}

LoadOptions table(std::vector<double> times, std::vector<double> values, bool held) {
  LoadOptions options;
  options.input_tables = {
      {.name = "u", .times = std::move(times), .values = std::move(values), .held = held}};
  return options;
}

// What the when clause sets at a time, then the input's value there.
double table_value_at(const DaeSystem& system, double t) {
  Point point{{"time", t}};
  const auto clauses = when_clauses(system);
  EXPECT_EQ(clauses.size(), 1U);
  for (const Assignment& a : clauses[0]->branches[0].assignments) {
    point[system.variables[a.target.at()].name] = value(system, a.value, point);
  }
  point["u"] = 0;
  return -residual(system, 0, point);
}

TEST(InputTable, LinearAndHeldAndOutside) {
  const std::string text = "model M input Real u; Real x; equation der(x) = u; end M;";
  const DaeSystem linear = given(text, table({1, 2, 2, 4}, {10, 20, 0, 6}, false));
  EXPECT_EQ(variable(linear, "u").kind, VariableKind::Continuous);
  EXPECT_DOUBLE_EQ(table_value_at(linear, 0), 10);
  EXPECT_DOUBLE_EQ(table_value_at(linear, 1), 10);
  EXPECT_DOUBLE_EQ(table_value_at(linear, 1.5), 15);
  EXPECT_DOUBLE_EQ(table_value_at(linear, 2), 0);
  EXPECT_DOUBLE_EQ(table_value_at(linear, 3), 3);
  EXPECT_DOUBLE_EQ(table_value_at(linear, 4), 6);
  EXPECT_DOUBLE_EQ(table_value_at(linear, 9), 6);
  const DaeSystem held = given(text, table({1, 2, 4}, {10, 20, 6}, true));
  EXPECT_DOUBLE_EQ(table_value_at(held, 0), 10);
  EXPECT_DOUBLE_EQ(table_value_at(held, 1.5), 10);
  EXPECT_DOUBLE_EQ(table_value_at(held, 2), 20);
  EXPECT_DOUBLE_EQ(table_value_at(held, 3.9), 20);
  EXPECT_DOUBLE_EQ(table_value_at(held, 5), 6);
}

TEST(InputTable, Mistakes) {
  const std::string text = "model M input Real u; input Real w; Real x = u + w; end M;";
  LoadOptions options = table({0, 1}, {0, 1}, false);
  options.input_tables[0].name = "v";
  EXPECT_MENTIONS(refused(text, options), "the model has no input 'v'; its inputs are u, w");
  EXPECT_MENTIONS(refused(text, table({0, 1}, {0}, false)), "2 times and 1 values");
  EXPECT_MENTIONS(refused(text, table({1, 0}, {0, 1}, false)), "row 2 has 0 after 1");
  EXPECT_MENTIONS(
      refused("model M input Boolean u; Real x = if u then 1 else 0; end M;", table({0, 1}, {0, 2}, true)),
      "row 2 of the table of the input 'u' has 2");
  EXPECT_MENTIONS(refused("model M input Integer u; Real x = u; end M;", table({0, 1}, {0, 2}, false)),
                  "must be held, not linear");
}

LoadOptions setting(std::string name, std::string value) {
  LoadOptions options;
  options.settings = {{std::move(name), std::move(value)}};
  return options;
}

TEST(InputExpression, IsAnEquationInTime) {
  const DaeSystem system =
      given("model M parameter Real k = 3; input Real u; Real x; equation der(x) = u; end M;",
            setting("u", "k*sin(2*time)"));
  EXPECT_EQ(variable(system, "u").kind, VariableKind::Continuous);
  ASSERT_EQ(system.equations.size(), 2U);
  const double u = 3 * std::sin(1.4);
  EXPECT_DOUBLE_EQ(residual(system, 0, {{"u", u + 2}, {"time", 0.7}}), 2);
  EXPECT_EQ(residual(system, 1, {{"der(x)", u}, {"u", u}}), 0);
  // Of what has not to do with time the value is still the start value.
  const DaeSystem held = given("model M input Real u; Real x = u; end M;", setting("u", "2 + 3"));
  EXPECT_EQ(variable(held, "u").kind, VariableKind::Input);
  EXPECT_EQ(variable(held, "u").start, 5);
}

TEST(InputExpression, OfElementsArraysAndOtherTypes) {
  const std::string text = "model M input Real u[2]; Real x = u[1] + u[2]; end M;";
  const DaeSystem one = given(text, setting("u[2]", "time^2"));
  EXPECT_EQ(variable(one, "u[1]").kind, VariableKind::Input);
  EXPECT_EQ(variable(one, "u[2]").kind, VariableKind::Continuous);
  const DaeSystem both = given(text, setting("u", "{time, 2*time}"));
  EXPECT_EQ(variable(both, "u[1]").kind, VariableKind::Continuous);
  EXPECT_EQ(residual(both, 1, {{"u[1]", 4}, {"time", 4}}), 0);
  EXPECT_EQ(residual(both, 2, {{"u[2]", 8}, {"time", 4}}), 0);
  const DaeSystem truth =
      given("model M input Boolean b; Real x = if b then 1 else 2; end M;", setting("b", "time > 1"));
  EXPECT_EQ(variable(truth, "b").kind, VariableKind::Boolean);
  EXPECT_EQ(truth.relations.size(), 1U);
}

TEST(InputExpression, Mistakes) {
  const std::string text =
      "model M parameter Real k = 1; input Real u; input Real w; Real x = k*u + w; end M;";
  EXPECT_MENTIONS(refused(text, setting("k", "time")),
                  "--set k: only a top-level input can depend on time; the model's inputs are u, w");
  EXPECT_MENTIONS(refused("model M Real x = 1; end M;", setting("x", "time")), "the model has none");
  EXPECT_MENTIONS(refused(text, setting("u", "time*x")), "--set u: the value of an input may depend on time");
  EXPECT_MENTIONS(refused(text, setting("u", "time*q")), "'q'");
  EXPECT_MENTIONS(refused(text, setting("u", "sin(time")), "--set u");
  EXPECT_MENTIONS(refused(text, setting("u", "{time, 1}")), "'u'");
  EXPECT_MENTIONS(refused(text, setting("u", "time > 1")), "'u'");
  LoadOptions twice = table({0, 1}, {0, 1}, false);
  twice.settings = {{"u", "time"}};
  EXPECT_MENTIONS(refused(text, twice), "the input 'u' is given twice");
}

TEST(DeepCopy, GrowsOnItsOwn) {
  const DaeSystem system = load("model M Real x; equation der(x) = -x; end M;");
  const DaeSystem copy = deep_copy(system);
  const std::size_t size = system.graph->size();
  const NodeId made = copy.graph->apply(Op::Sin, copy.graph->time());
  EXPECT_EQ(system.graph->size(), size);
  EXPECT_EQ(made.at(), copy.graph->size() - 1);
  EXPECT_EQ(residual(copy, 0, {{"x", 2}, {"der(x)", -2}}), 0);
  EXPECT_EQ(copy.equations[0].residual, system.equations[0].residual);
}

TEST(BuilderGiven, FreeParameterInputAndStart) {
  ModelBuilder model("M");
  const Expr k = model.free_parameter("k", 2);
  const Expr u = model.input("u", {.start = 1});
  const Expr x = model.variable("x", {.fixed = true});
  model.start(x, 3 * k);
  model.equation(der(x), -k * x + u);
  const Result<DaeSystem> system = model.build();
  ASSERT_TRUE(system.has_value());
  EXPECT_EQ(variable(*system, "k").kind, VariableKind::FreeParameter);
  EXPECT_EQ(variable(*system, "u").kind, VariableKind::Input);
  EXPECT_EQ(variable(*system, "x").start, 6);
  EXPECT_EQ(value(*system, variable(*system, "x").start_value, {{"k", 4}}), 12);
  EXPECT_EQ(residual(*system, 0, {{"x", 1}, {"der(x)", -3}, {"k", 4}, {"u", 1}}), 0);
  ModelBuilder wrong("M");
  const Expr a = wrong.variable("a");
  const Expr b = wrong.variable("b");
  wrong.start(a, b);
  EXPECT_FALSE(wrong.build().has_value());
}

}  // namespace
}  // namespace daedalus::test
