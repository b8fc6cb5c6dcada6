// User functions by symbolic execution, and functions of the Modelica library.
#include <cmath>

#include "model/flatten_support.hpp"

namespace daedalus::test {
namespace {

// The value of a call in a package with these functions.
double call(const std::string& functions, const std::string& expression, const Point& point = {}) {
  const DaeSystem system = load("package P " + functions +
                                " model P Real x, y, r; equation r = " + expression + "; end P; end P;");
  Point all = point;
  all["r"] = 0;
  return system.equations.empty() ? 0 : -value(system, system.equations.back().residual, all);
}

std::string refused_call(const std::string& functions, const std::string& expression) {
  return refusal("package P " + functions + " model P Real x, y, r; equation r = " + expression +
                 "; x = time; y = x; end P; end P;");
}

TEST(FlattenFunction, AssignmentsAndLocals) {
  const std::string f =
      "function f input Real u; output Real y; protected Real v = u + 1; algorithm v := 2*v; y := v*v; end "
      "f;";
  EXPECT_EQ(call(f, "f(x)", {{"x", 2}}), 36);
}

TEST(FlattenFunction, DefaultsAndNamedArguments) {
  const std::string f =
      "function f input Real a; input Real b = 10*a; input Real c = 1; output Real y = a + b + c; end f;";
  EXPECT_EQ(call(f, "f(2)"), 23);
  EXPECT_EQ(call(f, "f(2, 3)"), 6);
  EXPECT_EQ(call(f, "f(c = 5, a = 2)"), 27);
}

TEST(FlattenFunction, IfMergesBothBranches) {
  const std::string f =
      "function f input Real u; output Real y; protected Real k; algorithm k := 1; y := u; if u > 2 then k "
      ":= 5; elseif u > 1 then y := 7; k := 6; end if; y := y + k; end f;";
  EXPECT_EQ(call(f, "f(x)", {{"x", 3}}), 8);
  EXPECT_EQ(call(f, "f(x)", {{"x", 1.5}}), 13);
  EXPECT_EQ(call(f, "f(x)", {{"x", 0}}), 1);
}

TEST(FlattenFunction, LoopsOverKnownRanges) {
  const std::string horner =
      "function p input Real c[:]; input Real u; output Real y; algorithm y := 0; for i in size(c, 1):-1:1 "
      "loop y := y*u + c[i]; end for; end p;";
  EXPECT_EQ(call(horner, "p({1, 2, 3}, x)", {{"x", 2}}), 1 + 4 + 12);
}

TEST(FlattenFunction, WhileWithAKnownCondition) {
  const std::string f =
      "function f input Integer n; output Integer k; algorithm k := 0; while 2^k < n loop k := k + 1; end "
      "while; end f;";
  EXPECT_EQ(call(f, "f(100)"), 7);
}

TEST(FlattenFunction, ReturnAndBreakUnderConditions) {
  const std::string f =
      "function f input Real u; output Real y; algorithm y := 1; if u > 0 then y := 2; return; end if; y := "
      "3; end f;";
  EXPECT_EQ(call(f, "f(x)", {{"x", 1}}), 2);
  EXPECT_EQ(call(f, "f(x)", {{"x", -1}}), 3);
  const std::string g =
      "function g input Real u[:]; output Integer n; algorithm n := 0; for i in 1:size(u, 1) loop if u[i] < "
      "0 then break; end if; n := n + 1; end for; end g;";
  EXPECT_EQ(call(g, "g({x, y, 1})", {{"x", 1}, {"y", -1}}), 1);
  EXPECT_EQ(call(g, "g({x, y, 1})", {{"x", 1}, {"y", 1}}), 3);
  EXPECT_EQ(call(g, "g({x, y, 1})", {{"x", -1}, {"y", 1}}), 0);
}

TEST(FlattenFunction, ArraysAreAssignedByElement) {
  const std::string f =
      "function f input Real u; output Real y; protected Real v[3], m[2,2]; algorithm v[1] := u; v[2:3] := "
      "{2*u, 3*u}; m := identity(2); m[1,2] := u; m[2,:] := {5, 6}; y := sum(v) + sum(m); end f;";
  EXPECT_EQ(call(f, "f(x)", {{"x", 2}}), 12 + (1 + 2 + 5 + 6));
}

TEST(FlattenFunction, AssignmentToAnElementOnlyOneBranchReaches) {
  const std::string f =
      "function f input Real u; output Real y; protected Real v[2]; algorithm v := {1, 2}; if u > 0 then "
      "v[1] := 10; else v[2] := 20; end if; y := v[1] + v[2]; end f;";
  EXPECT_EQ(call(f, "f(x)", {{"x", 1}}), 12);
  EXPECT_EQ(call(f, "f(x)", {{"x", -1}}), 21);
}

TEST(FlattenFunction, RecordsInAndOut) {
  const std::string f =
      "record R Real a; Real b; end R; function f input R r; output R s; algorithm s := r; s.b := 10*r.a; "
      "end f; function g input Real u; output Real y; protected R r; algorithm r.a := u; r.b := 1; r := "
      "f(r); y := r.a + r.b; end g;";
  EXPECT_EQ(call(f, "g(x)", {{"x", 3}}), 33);
  EXPECT_EQ(call(f, "(f(R(2, 5))).b"), 20);
}

TEST(FlattenFunction, RecursionWithAKnownEnd) {
  const std::string f =
      "function fact input Integer n; output Integer y; algorithm y := if n <= 1 then 1 else n*fact(n - 1); "
      "end fact;";
  EXPECT_EQ(call(f, "fact(6)"), 720);
}

TEST(FlattenFunction, RecursionWithoutEndIsRefused) {
  const std::string f = "function f input Real u; output Real y; algorithm y := f(u + 1); end f;";
  EXPECT_MENTIONS(refused_call(f, "f(x)"), "does 'f' call itself for ever?");
}

TEST(FlattenFunction, ScalarFunctionsOfArrays) {
  const std::string f = "function f input Real u; input Real k; output Real y; algorithm y := k*u^2; end f;";
  EXPECT_EQ(call(f, "sum(f({1, 2, x}, 2))", {{"x", 3}}), 28);
}

TEST(FlattenFunction, FunctionsUseOnlyTheirOwnNames) {
  const std::string f = "function f input Real u; output Real y; algorithm y := u + x; end f;";
  EXPECT_MENTIONS(refused_call(f, "f(1)"), "a function cannot see the variable 'x' of the model");
}

TEST(FlattenFunction, Mistakes) {
  const std::string f =
      "function f input Real u; input Real v[2]; output Real y; algorithm y := u*v[1]; end f;";
  EXPECT_MENTIONS(refused_call(f, "f(1)"), "the argument 'v' of 'f' is missing");
  EXPECT_MENTIONS(refused_call(f, "f(1, {1,2}, 3)"), "'f' takes 2 arguments, but more are given");
  EXPECT_MENTIONS(refused_call(f, "f(1, {1,2,3})"),
                  "the argument 'v' of 'f' has size [2], but this has size [3]");
  EXPECT_MENTIONS(refused_call(f, "f(true, {1,2})"), "the argument 'u' of 'f' is Real, but this is Boolean");
  EXPECT_MENTIONS(refused_call(f, "f(u = 1, w = 2)"), "'f' has no argument 'w'; did you mean");
  EXPECT_MENTIONS(refused_call(f, "f(1, u = 2, v = {1,2})"), "the argument 'u' is given twice");
  EXPECT_MENTIONS(
      refused_call("function f input Real u; output Real y; algorithm u := 1; y := u; end f;", "f(1)"),
      "'u' is an input");
  EXPECT_MENTIONS(refused_call("function f input Real u; output Real y; end f;", "f(1)"),
                  "the function 'f' gives its output 'y' no value");
  EXPECT_MENTIONS(
      refused_call("function f input Real u; output Real y; protected Real k; algorithm y := k; end f;",
                   "f(1)"),
      "'k' is read before it has a value");
  EXPECT_MENTIONS(refused_call("function f input Real u; output Real y; algorithm y := 0; while u > y loop y "
                               ":= y + 1; end while; end f;",
                               "f(x)"),
                  "a 'while' whose condition changes during the simulation is not supported");
  EXPECT_MENTIONS(
      refused_call("function f input Real u; output Real y; external \"C\" y = mystery(u); end f;", "f(1)"),
      "'f' is the external C function mystery");
}

TEST(FlattenFunction, EndlessLoopIsStopped) {
  EXPECT_MENTIONS(refused_call("function f input Real u; output Real y; algorithm y := 0; while true loop y "
                               ":= 1; end while; end f;",
                               "f(1)"),
                  "this loop runs more than 1000000 times");
}

TEST(FlattenFunction, AssertionsInFunctionsCountWhereTheyAreCalled) {
  const DaeSystem system = load(
      "package P function f input Real u; output Real y; algorithm assert(u > 0, \"u must be positive\"); y "
      ":= sqrt(u); end f; "
      "model P Real x, r; equation x = time; r = if x > 1 then f(x - 2) else 0; end P; end P;");
  ASSERT_EQ(system.assertions.size(), 1U);
  EXPECT_EQ(value(system, system.assertions[0].condition, {{"x", 0}}), 1);    // not called
  EXPECT_EQ(value(system, system.assertions[0].condition, {{"x", 1.5}}), 0);  // called with -0.5
  EXPECT_EQ(value(system, system.assertions[0].condition, {{"x", 3}}), 1);
}

TEST(FlattenFunction, LibraryFunctions) {
  EXPECT_EQ(call("", "Modelica.Math.Vectors.length({3, 4})"), 5);
  EXPECT_DOUBLE_EQ(call("", "sum('Modelica.Math.Vectors.normalize'({3, 4}))"), 1.4);
  EXPECT_EQ(call("", "Modelica.Math.Vectors.norm({3, -4}, 1)"), 7);
  EXPECT_EQ(call("", "Modelica.Math.Vectors.norm({3, -4}, 1e100)"), 4);
  EXPECT_DOUBLE_EQ(call("", "Modelica.Math.asinh(x)", {{"x", 0.7}}), std::asinh(0.7));
  EXPECT_EQ(call("", "Modelica.Units.Conversions.from_degC(27)"), 300.15);
  EXPECT_EQ(call("", "Modelica.SIunits.Conversions.to_degC(300.15)"), 27);
  EXPECT_EQ(call("", "if Modelica.Math.BooleanVectors.anyTrue({false, x > 1}) then 1 else 0", {{"x", 2}}), 1);
  EXPECT_EQ(call("", "Modelica.Math.BooleanVectors.firstTrueIndex({false, x > 1, true})", {{"x", 0}}), 3);
}

TEST(FlattenFunction, BuiltinExternals) {
  EXPECT_DOUBLE_EQ(
      call("function mysin input Real u; output Real y; external \"builtin\" y = sin(u); end mysin;",
           "mysin(x)", {{"x", 1}}),
      std::sin(1));
}

// The gate capacitances, currents and junctions of a SPICE level 1 transistor at hand-computed points.
TEST(FlattenFunction, SpiceJunctionCurrent) {
  const std::string current =
      "Modelica.Electrical.Spice3.Internal.Functions.junction2SPICE3MOSFETRevised(x, 300.15, 1, 1e-14)";
  const double vt = 1.380649e-23 / 1.6021918e-19 * 300.15;
  EXPECT_DOUBLE_EQ(call("", current, {{"x", 0.5}}), 1e-14 * (std::exp(0.5 / vt) - 1));
  EXPECT_DOUBLE_EQ(call("", current, {{"x", -2}}), -2 * (1e-14 / vt));
  // Beyond the largest exponent log(1e4/1e-14) the tangent continues: value and slope at the seam.
  const double top = std::log(1e4 / 1e-14);
  EXPECT_NEAR(call("", current, {{"x", (top + 1) * vt}}), 1e-14 * (std::exp(top) - 1) + 1e-14 * std::exp(top),
              1e-8);
}

// Shichman and Hodges: I = beta (vgst - vds/2) vds below saturation, beta/2 vgst^2 above, both times 1 +
// lambda vds.
TEST(FlattenFunction, SpiceDrainCurrent) {
  const std::string spice = "Modelica.Electrical.Spice3.Internal.";
  const std::string records =
      "record '" + spice +
      "Mos1.Mos1Calc' Real m_tPhi; Real m_tVbi; Real m_Beta; Real m_von; Real m_vdsat; Real m_cdrain; Real "
      "m_gm; Real m_gds; Real m_gmbs; end '" +
      spice + "Mos1.Mos1Calc'; record '" + spice + "Mos1.Mos1ModelLineParams' Real m_lambda; end '" + spice +
      "Mos1.Mos1ModelLineParams'; record '" + spice + "SpiceConstants' Real k; end '" + spice +
      "SpiceConstants'; record '" + spice + "Mos.MosModelLineVariables' Real m_gamma; end '" + spice +
      "Mos.MosModelLineVariables';";
  const auto field = [&](const std::string& name, double vg, double vds) {
    return call(records,
                "('" + spice + "Mos1.drainCur'(0, x, y, '" + spice +
                    "Mos1.Mos1Calc'(0.6, 1, 2e-3, 0, 0, 0, 0, 0, 0), '" + spice +
                    "Mos1.Mos1ModelLineParams'(0.1), '" + spice + "SpiceConstants'(0), '" + spice +
                    "Mos.MosModelLineVariables'(0), 1))." + name,
                {{"x", vg}, {"y", vds}});
  };
  EXPECT_EQ(field("m_cdrain", 0.5, 3), 0);  // the threshold is 1 V
  EXPECT_DOUBLE_EQ(field("m_cdrain", 3, 4), 2e-3 / 2 * 4 * 1.4);
  EXPECT_DOUBLE_EQ(field("m_cdrain", 3, 1), 2e-3 * (2 - 0.5) * 1.1);
  // The conductances are the derivatives of the current; central differences of step h err by h^2.
  constexpr double h = 1e-4;
  for (const double vds : {1.0, 4.0}) {
    EXPECT_NEAR(field("m_gm", 3, vds),
                (field("m_cdrain", 3 + h, vds) - field("m_cdrain", 3 - h, vds)) / (2 * h), h * h);
    EXPECT_NEAR(field("m_gds", 3, vds),
                (field("m_cdrain", 3, vds + h) - field("m_cdrain", 3, vds - h)) / (2 * h), h * h);
  }
}

}  // namespace
}  // namespace daedalus::test
