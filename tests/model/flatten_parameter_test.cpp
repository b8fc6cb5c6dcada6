// Constants, parameters, records, enumerations, --set.
#include "model/flatten_support.hpp"

namespace daedalus::test {
namespace {

TEST(FlattenParameter, EvaluatedInTheOrderOfDependence) {
  const DaeSystem system = load(
      "model M parameter Real c = a + b; parameter Real b = 2*a; parameter Real a = 3; Real x = c; end M;");
  EXPECT_EQ(reported_number(system, "c"), 9);
  EXPECT_TRUE(reported(system, "c").parameter);
  EXPECT_EQ(-residual(system, 0, {{"x", 0}}), 9);
}

TEST(FlattenParameter, ParametersAreNotInTheReportOrder) {
  const DaeSystem system =
      load("model M parameter Real p = 1; Real x = p; constant Real k = 2; Real y = k; end M;");
  EXPECT_EQ(system.report_order, (std::vector<std::string>{"x", "y"}));
}

TEST(FlattenParameter, SettingReachesWhatDependsOnIt) {
  const std::string text =
      "model M parameter Real a = 3; parameter Real b = 2*a; parameter Integer n = 2; Real x[n] = fill(b, "
      "n); end M;";
  const DaeSystem system = load(text, {{"a", "5"}, {"n", "4"}});
  EXPECT_EQ(reported_number(system, "b"), 10);
  EXPECT_EQ(system.equations.size(), 4U);
}

TEST(FlattenParameter, SettingsAreExpressions) {
  const std::string text =
      "model M type E = enumeration(u, v); parameter Real a = 3; parameter E e = E.u; parameter Boolean b = "
      "false; Real x = a; end M;";
  const DaeSystem system = load(text, {{"a", "2*3 + sqrt(4)"}, {"e", "E.v"}, {"b", "true"}});
  EXPECT_EQ(reported_number(system, "a"), 8);
  EXPECT_EQ(reported_number(system, "e"), 2);
  EXPECT_EQ(reported_number(system, "b"), 1);
}

TEST(FlattenParameter, SettingElementsAndWholeArrays) {
  const std::string text =
      "model M parameter Real a[3] = {1, 2, 3}; parameter Real 'q[1]' = 1, 'q[2]' = 2; Real x = a*a + "
      "'q'*'q'; end M;";
  EXPECT_EQ(reported_number(load(text, {{"a[2]", "20"}}), "a[2]"), 20);
  EXPECT_EQ(reported_number(load(text, {{"a", "{7,8,9}"}}), "a[3]"), 9);
  EXPECT_EQ(reported_number(load(text, {{"q[2]", "5"}}), "q[2]"), 5);
  EXPECT_EQ(reported_number(load(text, {{"q", "{5,6}"}}), "q[2]"), 6);
}

TEST(FlattenParameter, SettingAVariableSetsItsStart) {
  const DaeSystem system =
      load("model M Real x(start = 1, fixed = true), y[2]; equation der(x) = x; y = {x, x}; end M;",
           {{"x", "4"}, {"y[2]", "3"}});
  EXPECT_EQ(variable(system, "x").start, 4);
  EXPECT_TRUE(variable(system, "x").fixed);
  EXPECT_EQ(variable(system, "y[2]").start, 3);
  EXPECT_TRUE(variable(system, "y[2]").has_start);
}

TEST(FlattenParameter, SettingThatChangesNothingIsReported) {
  const std::string text =
      "model M parameter Real J = 2; parameter Real k = 1; Real x; equation 2*der(x) = k; end M;";
  const DaeSystem idle = load(text, {{"J", "3"}});
  ASSERT_EQ(idle.warnings.size(), 1U);
  EXPECT_MENTIONS(idle.warnings[0].message, "--set J: no equation of the model uses this parameter");
  EXPECT_TRUE(load(text, {{"k", "3"}}).warnings.empty());
}

TEST(FlattenParameter, UnknownSettingNamesTheNearest) {
  const std::string text = "model M parameter Real mass = 3; parameter Real k = 1; Real x = mass + k; end M;";
  EXPECT_MENTIONS(refusal(text, {{"mas", "5"}}),
                  "--set mas: the model has no parameter or variable of that name; did you mean 'mass'?");
}

TEST(FlattenParameter, WrongSettings) {
  const std::string text =
      "model M parameter Real a[2] = {1, 2}; constant Real c = 1; parameter Integer n = 2; Real x = a[1] + c "
      "+ n; end M;";
  EXPECT_MENTIONS(refusal(text, {{"a", "{1,2,3}"}}), "'a' has size [2], but this has size [3]");
  EXPECT_MENTIONS(refusal(text, {{"c", "2"}}), "'c' is a constant and cannot be set");
  EXPECT_MENTIONS(refusal(text, {{"n", "2.5"}}), "'n' is Integer, but this is Real");
  EXPECT_MENTIONS(refusal(text, {{"a[3]", "1"}}), "subscript 1 is 3, but the size there is 2");
  EXPECT_MENTIONS(refusal(text, {{"n", "2 +"}}), "--set n");
}

TEST(FlattenParameter, CycleNamesItsMembers) {
  EXPECT_MENTIONS(
      refusal("model M parameter Real a = b; parameter Real b = c + 1; parameter Real c = a; end M;"),
      "these declarations depend on each other in a circle: a -> b -> c -> a");
}

TEST(FlattenParameter, LongChainsNeedNoStack) {
  std::string text = "model M\n";
  constexpr int length = 20000;
  for (int i = 0; i < length; ++i)
    text += "parameter Real p" + std::to_string(i) + " = p" + std::to_string(i + 1) + " + 1;\n";
  text += "parameter Real p" + std::to_string(length) + " = 0; Real x = p0; end M;";
  EXPECT_EQ(reported_number(load(text), "p0"), length);
}

TEST(FlattenParameter, WithoutAValue) {
  EXPECT_MENTIONS(refusal("model M parameter Real p; Real x = p; end M;"),
                  "the parameter 'p' has no value; give one in its declaration or with --set p=");
  // Nobody asks for q, so nothing is missing.
  EXPECT_EQ(load("model M parameter Real q; Real x = 1; end M;").equations.size(), 1U);
  EXPECT_EQ(reported_number(load("model M parameter Real p; Real x = p; end M;", {{"p", "4"}}), "p"), 4);
  const DaeSystem started = load("model M parameter Real p(start = 6); Real x = p; end M;");
  EXPECT_EQ(reported_number(started, "p"), 6);
  EXPECT_EQ(started.warnings.size(), 1U);
}

TEST(FlattenParameter, DependingOnAVariableIsRefused) {
  EXPECT_MENTIONS(refusal("model M Real x; parameter Real p = 2*x; equation x = p; end M;"),
                  "'x' varies in time");
  EXPECT_MENTIONS(refusal("model M parameter Real p = 2*time; Real x = p; end M;"), "'time' varies");
}

TEST(FlattenParameter, FixedFalseIsAnUnknownOfTheInitialisation) {
  const DaeSystem system = load(
      "model M parameter Real p(fixed = false, start = 2); parameter Real q = 2*p; Real x; initial equation "
      "der(x) = 0; x = 5; "
      "equation der(x) = q - x; end M;");
  EXPECT_EQ(variable(system, "p").kind, VariableKind::Parameter);
  EXPECT_EQ(variable(system, "p").start, 2);
  EXPECT_EQ(system.initial_equations.size(), 2U);
  EXPECT_EQ(residual(system, 0, {{"p", 3}, {"x", 1}, {"der(x)", 0}}), -5);
  EXPECT_FALSE(reported(system, "q").parameter);
}

// sample() must know its start, so p = time is solved while loading: at the start time of the experiment.
TEST(FlattenParameter, SolvedAtTheStartTime) {
  const DaeSystem system = load(
      "model M parameter Real t0(fixed = false); parameter Real t1(fixed = false); discrete Real n; initial "
      "equation t1 = 2*t0; t0 = time; n = 0; "
      "equation when sample(t1 + 1, 0.5) then n = pre(n) + 1; end when; annotation(experiment(StartTime = "
      "3)); end M;");
  ASSERT_EQ(system.samples.size(), 1U);
  EXPECT_EQ(system.samples[0].start, 7);
  EXPECT_EQ(reported_number(system, "t0"), 3);
  EXPECT_FALSE(has_variable(system, "t0"));
  EXPECT_TRUE(system.initial_equations.empty());
}

TEST(FlattenParameter, PackageConstantsAreSeenInFunctions) {
  const DaeSystem system = load(
      "package P constant Real g = 2*h; constant Real h = 4; function f input Real u; output Real y; "
      "algorithm y := g*u; end f; "
      "model P parameter Real p = f(3); Real x = p; end P; end P;");
  EXPECT_EQ(reported_number(system, "p"), 24);
}

TEST(FlattenParameter, TheModelOfThePackageIsTaken) {
  EXPECT_EQ(
      load("package A model B Real x = 1; end B; model A Real y = 2; end A; model C end C; end A;").name,
      "A");
  EXPECT_EQ(load("model First end First; model Last end Last;").name, "Last");
  EXPECT_MENTIONS(refusal("package A constant Real x = 1; end A;"), "the file has no model");
}

TEST(FlattenParameter, Strings) {
  const DaeSystem system =
      load("model M parameter String s = \"a\" + \"b\"; Real x = if s == \"ab\" then 1 else 2; end M;");
  EXPECT_EQ(-residual(system, 0, {{"x", 0}}), 1);
}

TEST(FlattenParameter, ConditionalDeclarations) {
  const std::string text =
      "model M parameter Boolean b = true; Real x if b; Real y; equation y = 1; if b then x = 2; end if; end "
      "M;";
  EXPECT_EQ(load(text).variables.size(), 2U);
  EXPECT_EQ(load(text, {{"b", "false"}}).variables.size(), 1U);
  EXPECT_MENTIONS(refusal("model M Real x if false; Real y = x; end M;"),
                  "'x' is not there: it is declared under a condition that is false");
}

TEST(FlattenParameter, TypesCarryAttributes) {
  const DaeSystem system = load(
      "package P type Length = Real(unit = \"m\", min = 0, nominal = 10); type Long = Length(nominal = 100); "
      "model P Long x(start = 3); Length v[2]; "
      "equation der(x) = 1; v = {x, x}; end P; end P;");
  EXPECT_EQ(variable(system, "x").unit, "m");
  EXPECT_EQ(variable(system, "x").nominal, 100);
  EXPECT_EQ(variable(system, "x").min, 0);
  EXPECT_EQ(variable(system, "v[2]").nominal, 10);
}

TEST(FlattenParameter, Records) {
  const std::string r = "package P record R Real a; parameter Integer k = 2; Real b[2]; end R; model P ";
  const DaeSystem system = load(r +
                                "parameter R p = R(1, 3, {4, 5}); R v; equation v.a = p.a + p.b[2]; v.b = "
                                "p.k*p.b; end P; end P;");
  EXPECT_EQ(reported_number(system, "p.k"), 3);
  EXPECT_EQ(system.report_order, (std::vector<std::string>{"v.a", "v.k", "v.b[1]", "v.b[2]"}));
  EXPECT_EQ(-residual(system, 0, {{"v.a", 0}}), 6);
  EXPECT_EQ(-residual(system, 2, {{"v.b[2]", 0}}), 15);
}

TEST(FlattenParameter, RecordEquationsAndArraysOfRecords) {
  const std::string r = "package P record R Real a; Real b; end R; model P ";
  const DaeSystem system =
      load(r + "R x[2], y; equation y = R(1, 2); x = {y, R(b = 4, a = 3)}; end P; end P;");
  EXPECT_EQ(system.report_order,
            (std::vector<std::string>{"x[1].a", "x[1].b", "x[2].a", "x[2].b", "y.a", "y.b"}));
  ASSERT_EQ(system.equations.size(), 6U);
  EXPECT_EQ(-residual(system, 1, {{"y.b", 0}}), 2);
  EXPECT_EQ(residual(system, 5, {{"x[2].b", 0}}), -4);
}

TEST(FlattenParameter, FieldsOfArraysOfRecordsFormArrays) {
  const std::string r = "package P record R Real a; Real b; end R; model P ";
  const DaeSystem system = load(
      r + "R x[2]; Real s; equation x.a = {1, 2}; x[:].b = {3, 4}; s = sum(x.a) + x[2].b; end P; end P;");
  ASSERT_EQ(system.equations.size(), 5U);
  EXPECT_EQ(-residual(system, 4, {{"s", 0}, {"x[1].a", 1}, {"x[2].a", 2}, {"x[2].b", 4}}), 7);
}

TEST(FlattenParameter, RecordModifications) {
  const std::string r = "package P record R Real a(start = 1); Real b = 5; end R; model P ";
  const DaeSystem system =
      load(r + "R x(a(start = 9, fixed = true)); R y(b = 6); equation der(x.a) = 1; y.a = 2; end P; end P;");
  EXPECT_EQ(variable(system, "x.a").start, 9);
  EXPECT_TRUE(variable(system, "x.a").fixed);
  EXPECT_EQ(variable(system, "y.a").start, 1);
  EXPECT_EQ(system.equations.size(), 4U);  // two bindings of b, two equations
  EXPECT_EQ(-residual(system, 0, {{"x.b", 0}}), 5);
  EXPECT_EQ(-residual(system, 1, {{"y.b", 0}}), 6);
}

}  // namespace
}  // namespace daedalus::test
