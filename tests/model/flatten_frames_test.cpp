// Frames, complex numbers, matrices, 2-D tables, junctions and functions as arguments: library functions of
// ours against identities, the C library and closed forms.
#include <fmt/format.h>

#include <cmath>
#include <complex>

#include "model/flatten_support.hpp"

namespace daedalus::test {
namespace {

const std::string frames = "'Modelica.Mechanics.MultiBody.Frames.";
const std::string matrices = frames + "TransformationMatrices.";
const std::string quaternions = frames + "Quaternions.";
const std::string T =
    "parameter Real T[3, 3] = " + matrices + "axesRotations'({1, 2, 3}, {0.3, -0.4, 1.1}); ";

void expect_all(const std::vector<double>& values, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], tolerance) << i;
}

// A few operations on numbers of order one.
constexpr double rounding = 1e-14;

TEST(LibraryFrames, RotationsAreOrthogonalAndTurnWhatTheyShould) {
  expect_all(numbers("T*transpose(T)", "3, 3", T), {1, 0, 0, 0, 1, 0, 0, 0, 1}, rounding);
  expect_all(numbers(matrices + "orientationConstraint'(T)", "6", T), {0, 0, 0, 0, 0, 0}, rounding);
  // Frame 2 turned by 90 degrees around z: the x-axis of frame 1 is minus its y-axis.
  expect_all(
      numbers(matrices + "resolve2'(" + matrices + "axisRotation'(3, 3.141592653589793/2), {1, 0, 0})", "3"),
      {0, -1, 0}, rounding);
  expect_all(
      numbers(matrices + "planarRotation'({0, 1, 0}, 0.7) - " + matrices + "axisRotation'(2, 0.7)", "3, 3"),
      std::vector<double>(9, 0.0), rounding);
  expect_all(numbers(matrices + "resolve1'(T, " + matrices + "resolve2'(T, {1, 2, 3}))", "3", T), {1, 2, 3},
             1e-13);
  EXPECT_NEAR(number(frames + "planarRotationAngle'({0, 0, 1}, {1, 0, 0}, " + matrices + "resolve2'(" +
                     matrices + "axisRotation'(3, 0.6), {1, 0, 0}))"),
              0.6, rounding);
}

TEST(LibraryFrames, AnglesOfARotationGiveItBack) {
  expect_all(numbers(matrices + "axesRotationsAngles'(T, {1, 2, 3}, 0)", "3", T), {0.3, -0.4, 1.1}, rounding);
  for (const char* sequence : {"{3, 1, 3}", "{2, 1, 3}"}) {
    const std::string angles = matrices + "axesRotationsAngles'(T, " + std::string(sequence) + ", 0)";
    expect_all(
        numbers(matrices + "axesRotations'(" + std::string(sequence) + ", " + angles + ") - T", "3, 3", T),
        std::vector<double>(9, 0.0), rounding);
  }
}

TEST(LibraryFrames, QuaternionsAreTheSameRotations) {
  const std::string q = "parameter Real Q[4] = " + quaternions + "from_T'(T, {0, 0, 0, 1}); ";
  EXPECT_NEAR(number("Q*Q", T + q), 1, rounding);
  expect_all(numbers(quaternions + "to_T'(Q) - T", "3, 3", T + q), std::vector<double>(9, 0.0), rounding);
  expect_all(numbers(quaternions + "resolve2'(Q, {1, 2, 3}) - T*{1, 2, 3}", "3", T + q), {0, 0, 0}, rounding);
  expect_all(numbers(quaternions + "resolve1'(Q, {1, 2, 3}) - transpose(T)*{1, 2, 3}", "3", T + q), {0, 0, 0},
             rounding);
  const std::string turned = quaternions + "planarRotation'({0, 0, 1}, 0.5)";
  expect_all(numbers(quaternions + "to_T'(" + quaternions + "absoluteRotation'(Q, " + turned + ")) - " +
                         matrices + "axisRotation'(3, 0.5)*T",
                     "3, 3", T + q),
             std::vector<double>(9, 0.0), rounding);
  expect_all(numbers(quaternions + "relativeRotation'(Q, " + quaternions + "absoluteRotation'(Q, " + turned +
                         ")) - " + turned,
                     "4", T + q),
             {0, 0, 0, 0}, rounding);
  // Half turns, where the scalar part vanishes.
  for (const char* axis : {"1", "2", "3"}) {
    const std::string half = matrices + "axisRotation'(" + std::string(axis) + ", 3.141592653589793)";
    expect_all(numbers(quaternions + "to_T'(" + quaternions + "from_T'(" + half + ")) - " + half, "3, 3"),
               std::vector<double>(9, 0.0), rounding);
  }
  // Turning at 2 rad/s around z: dQ/dt = {0, 0, cos(phi/2), -sin(phi/2)}.
  expect_all(
      numbers(quaternions + "angularVelocity2'({0, 0, sin(0.3), cos(0.3)}, {0, 0, cos(0.3), -sin(0.3)})",
              "3"),
      {0, 0, 2}, rounding);
}

TEST(LibraryFrames, OrientationsCarryTheAngularVelocity) {
  const std::string record =
      "record 'Modelica.Mechanics.MultiBody.Frames.Orientation' Real T[3, 3]; Real w[3]; end "
      "'Modelica.Mechanics.MultiBody.Frames.Orientation'; function w input Real a; output Real y[3]; "
      "protected "
      "'Modelica.Mechanics.MultiBody.Frames.Orientation' R; algorithm R := " +
      frames + "absoluteRotation'(" + frames + "axisRotation'(1, 0.2, 3), " + frames +
      "planarRotation'({0, 1, 0}, a, 5)); y := " + frames + "angularVelocity2'(R); end w;";
  // The first joint's velocity seen from the second frame, and the second joint's own.
  expect_all(numbers("w(0.4)", "3", record), {3 * std::cos(0.4), 5, 3 * std::sin(0.4)}, rounding);
  // w from the derivative of T of a turn around z at 2 rad/s.
  const std::string c = "cos(0.6)";
  const std::string s = "sin(0.6)";
  expect_all(numbers(matrices + "angularVelocity2'(" + matrices + "axisRotation'(3, 0.6), 2*{{-" + s + ", " +
                         c + ", 0}, {-" + c + ", -" + s + ", 0}, {0, 0, 0}})",
                     "3"),
             {0, 0, 2}, rounding);
}

TEST(LibraryComplex, FunctionsAreThoseOfTheStandardLibrary) {
  using C = std::complex<double>;
  const C a(1.5, -0.7);
  const C b(0.3, 2.1);
  const std::string record =
      "record Complex Real re; Real im; end Complex; function parts input Complex c; output Real y[2]; "
      "algorithm y := "
      "{c.re, c.im}; end parts;";
  const auto check = [&](const std::string& call, C expected) {
    expect_all(numbers("parts(" + call + ")", "2", record), {expected.real(), expected.imag()}, 1e-13);
  };
  const std::string arguments = "(Complex(1.5, -0.7), Complex(0.3, 2.1))";
  check("'Complex.\\'+\\''" + arguments, a + b);
  check("'Complex.\\'-\\'.subtract'" + arguments, a - b);
  check("'Complex.\\'*\\'.multiply'" + arguments, a * b);
  check("'Complex.\\'/\\''" + arguments, a / b);
  check("'Complex.\\'^\\''" + arguments, std::pow(a, b));
  const std::string one = "'(Complex(1.5, -0.7))";
  check("'Modelica.ComplexMath.sqrt" + one, std::sqrt(a));
  check("'Modelica.ComplexMath.exp" + one, std::exp(a));
  check("'Modelica.ComplexMath.log" + one, std::log(a));
  check("'Modelica.ComplexMath.sin" + one, std::sin(a));
  check("'Modelica.ComplexMath.cos" + one, std::cos(a));
  check("'Modelica.ComplexMath.tan" + one, std::tan(a));
  check("'Modelica.ComplexMath.sinh" + one, std::sinh(a));
  check("'Modelica.ComplexMath.cosh" + one, std::cosh(a));
  check("'Modelica.ComplexMath.tanh" + one, std::tanh(a));
  check("'Modelica.ComplexMath.conj" + one, std::conj(a));
  check("'Modelica.ComplexMath.fromPolar'(2, 0.5)", std::polar(2.0, 0.5));
  EXPECT_NEAR(number("'Modelica.ComplexMath.abs" + one, record), std::abs(a), rounding);
  EXPECT_NEAR(number("'Modelica.ComplexMath.arg" + one, record), std::arg(a), rounding);
  check("'Modelica.ComplexMath.product'({Complex(1.5, -0.7), Complex(0.3, 2.1)})", a * b);
}

TEST(LibraryMatrices, InversesAndInterpolation) {
  const std::string A = "{{0, 2, 1}, {1, 1, 1}, {2, 0, -1}}";
  expect_all(numbers("'Modelica.Math.Matrices.inv'(" + A + ")*" + A, "3, 3"), {1, 0, 0, 0, 1, 0, 0, 0, 1},
             rounding);
  expect_all(numbers(A + "*'Modelica.Math.Matrices.solve2'(" + A + ", {{1, 2}, {3, 4}, {5, 6}})", "3, 2"),
             {1, 2, 3, 4, 5, 6}, 1e-13);
  EXPECT_NEAR(number("'Modelica.Math.Matrices.frobeniusNorm'({{3, 0}, {0, 4}})"), 5, rounding);
  const auto at = [](const char* u) {
    return number("'Modelica.Math.Vectors.interpolate'({0, 1, 3}, {5, 7, 3}, " + std::string(u) + ")");
  };
  EXPECT_EQ(at("0.5"), 6);
  EXPECT_EQ(at("2"), 5);
  EXPECT_EQ(at("4"), 1);
  EXPECT_EQ(at("-1"), 3);
}

TEST(LibraryFluid, RegularisedFunctionsMeetTheirLimits) {
  const std::string u = "'Modelica.Fluid.Utilities.";
  EXPECT_NEAR(number(u + "regRoot'(4, 1e-6)"), 2, 1e-10);
  EXPECT_NEAR(number(u + "regRoot'(-4, 1e-6)"), -2, 1e-10);
  EXPECT_NEAR(number(u + "regSquare'(-3, 1e-6)"), -9, 1e-10);
  EXPECT_NEAR(number(u + "regPow'(2, 3, 1e-6)"), 8, 1e-10);
  EXPECT_EQ(number(u + "regStep'(1, 7, 3, 0.1)"), 7);
  EXPECT_EQ(number(u + "regStep'(-1, 7, 3, 0.1)"), 3);
  EXPECT_EQ(number(u + "regStep'(0, 7, 3, 0.1)"), 5);
  EXPECT_NEAR(number(u + "regStep'(0.0999999, 7, 3, 0.1)"), 7, 1e-9);
  // Roots and squares of two directions: exact outside, continuous with their slopes at the borders and at
  // zero.
  for (const std::string& f : {u + "regRoot2'", u + "regSquare2'"}) {
    const auto y = [&](double x) { return number(fmt::format("{}({:.17g}, 0.1, 2, 3)", f, x)); };
    const bool root = f.find("Root") != std::string::npos;
    EXPECT_NEAR(y(0.5), root ? std::sqrt(1.0) : 0.5, rounding);
    EXPECT_NEAR(y(-0.5), root ? -std::sqrt(1.5) : -0.75, rounding);
    for (const double border : {-0.1, -0.1 * 2 / 3, -0.1 * 4 / 9, 0.0, 0.1, 0.1 * 2 / 3, 0.1 * 4 / 9}) {
      constexpr double h = 1e-7;
      EXPECT_NEAR(y(border + h), y(border - h), 1e-5) << f << border;
      EXPECT_NEAR((y(border + h) - y(border)) / h, (y(border) - y(border - h)) / h, 2e-3) << f << border;
    }
  }
}

TEST(LibrarySpice, JunctionsOfBipolarTransistors) {
  const std::string f =
      "function j input Real v; output Real y[4]; algorithm (y[1], y[2], y[3], y[4]) := "
      "'Modelica.Electrical.Spice3.Internal.Functions.junction2SPICE3BJT'(v, 300.15, 1, 1.5, 1e-16, 1e-14); "
      "end j;";
  const auto at = [&](double v) { return numbers(fmt::format("j({:.17g})", v), "4", f); };
  const double vt = 1.380649e-23 / 1.6021918e-19 * 300.15;
  EXPECT_NEAR(at(0.6)[0] / (1e-16 * (std::exp(0.6 / vt) - 1) + 0.6e-12), 1, 1e-12);
  EXPECT_NEAR(at(0.6)[2] / (1e-14 * (std::exp(0.6 / vt / 1.5) - 1)), 1, 1e-12);
  EXPECT_NEAR(at(-1)[0], -1e-16 - 1e-12, 1e-24);
  EXPECT_NEAR(at(-1)[2], -1e-14, 1e-26);
  for (const double v : {0.3, 0.6, 0.7}) {
    constexpr double h = 1e-7;
    EXPECT_NEAR((at(v + h)[0] - at(v - h)[0]) / (2 * h) / at(v)[1], 1, 1e-6) << v;
    EXPECT_NEAR((at(v + h)[2] - at(v - h)[2]) / (2 * h) / at(v)[3], 1, 1e-6) << v;
  }
  // Charge and capacitance: depletion and transit time.
  const std::string c =
      "function q input Real v; output Real y[2]; algorithm (y[1], y[2]) := "
      "'Modelica.Electrical.Spice3.Internal.Functions.junctionCapTransTime'(1e-12, v, 0.4, 0.5, 0.8, 0, 1, "
      "1, 1e-9, "
      "0.02, 0.03); end q;";
  const std::vector<double> q = numbers("q(0)", "2", c);
  EXPECT_NEAR(q[0], 1e-12 + 1e-9 * 0.02, 1e-24);
  EXPECT_NEAR(q[1], 1e-9 * 0.03, 1e-24);
}

const std::string table =
    "class Table extends ExternalObject; function constructor input Real t[:, :]; input Integer s; input "
    "Integer e; output "
    "Table o; external \"C\" o = ModelicaStandardTables_CombiTable2D_init2(\"\", \"\", t, size(t, 1), "
    "size(t, 2), s, e, "
    "false); end constructor; function destructor input Table o; external \"C\" "
    "ModelicaStandardTables_CombiTable2D_close(o); end destructor; end Table; function at input Table o; "
    "input Real u1; "
    "input Real u2; output Real y; external \"C\" y = ModelicaStandardTables_CombiTable2D_getValue(o, u1, "
    "u2); end at; "
    "function rate input Table o; input Real u1; input Real u2; input Real d1; input Real d2; output Real y; "
    "external "
    "\"C\" y = ModelicaStandardTables_CombiTable2D_getDerValue(o, u1, u2, d1, d2); end rate; ";

double look(int smoothness, int extrapolation, const std::string& call) {
  return number(
      call, table + fmt::format("parameter Table t = Table({{{{0, 1, 2, 4}}, {{1, 10, 20, 40}}, {{3, 30, 60, "
                                "120}}, {{4, 0, 0, 8}}}}, {}, {});",
                                smoothness, extrapolation));
}

TEST(FlattenTable2D, BilinearBetweenAndBeyondThePoints) {
  // The first two rows hold 10*u1*u2.
  EXPECT_NEAR(look(1, 2, "at(t, 1.7, 3.1)"), 10 * 1.7 * 3.1, 1e-13);
  EXPECT_NEAR(look(1, 2, "at(t, 0, -1)"), 10 * 0 * -1, 1e-13);
  EXPECT_EQ(look(1, 1, "at(t, 0, -1)"), 10);                      // the last point is held
  EXPECT_EQ(look(1, 3, "at(t, 2 + 3, 3 - 6)"), 60);               // periods of 3 and 3
  EXPECT_EQ(look(3, 1, "at(t, 3.9, 1.9)"), 30);                   // the lower left corner
  EXPECT_NEAR(look(1, 2, "rate(t, 1.7, 3.1, 1, 0)"), 31, 1e-13);  // d(10 u1 u2)/du1
  EXPECT_NEAR(look(1, 2, "rate(t, 1.7, 3.1, 0, 1)"), 17, 1e-13);
}

TEST(FlattenTable2D, WhatCannotBeIsRefused) {
  EXPECT_MENTIONS(refusal("model M " + table +
                          "parameter Table t = Table({{0, 1, 2}, {1, 1, 1}, {2, 1, 1}}, 2, 1); Real "
                          "x = at(t, 1, 1); end M;"),
                  "only the smoothness LinearSegments and ConstantSegments");
  EXPECT_MENTIONS(refusal("model M " + table +
                          "parameter Table t = Table({{0, 2, 1}, {1, 1, 1}}, 1, 1); Real x = at(t, "
                          "1, 1); end M;"),
                  "must increase");
}

TEST(FunctionalInputs, FunctionsAreGivenToFunctions) {
  const std::string twice =
      "partial function shape input Real u; output Real y; end shape; function twice input shape f; input "
      "Real u; output "
      "Real y; algorithm y := f(f(u)); end twice; function line input Real u; input Real a; input Real b = "
      "1; output Real "
      "y; algorithm y := a*u + b; end line; ";
  EXPECT_EQ(number("twice(function line(a = 3), 2)", twice), 22);
  EXPECT_EQ(number("twice(function line(a = 3, b = 0), 2)", twice), 18);
  EXPECT_EQ(number("twice(f = function line(a = 3), u = 2)", twice), 22);
  EXPECT_NEAR(number("twice(sin, 1)", twice), std::sin(std::sin(1.0)), rounding);
  EXPECT_MENTIONS(refusal("model M " + twice + "Real x = twice(function nothing(a = 1), 2); end M;"),
                  "unknown function 'nothing'");
  EXPECT_MENTIONS(refusal("model M " + twice + "shape s; Real x = 1; end M;"), "'shape' is not a type");
}

TEST(FunctionalInputs, ASolvedEquationIsANumberOrAnUnknown) {
  const std::string f =
      "function f input Real u; input Real a; output Real y; algorithm y := u^3 - a; end f; ";
  const std::string solve = "'Modelica.Math.Nonlinear.solveOneNonlinearEquation'";
  EXPECT_NEAR(number(solve + "(function f(a = 8), 0, 5, 1e-10)", f), 2, 4e-16);
  EXPECT_MENTIONS(refusal("model M " + f + "Real x = " + solve + "(function f(a = -8), 0, 5); end M;"),
                  "the same sign at both ends");
  const DaeSystem system =
      load("model M " + f + "Real x = " + solve + "(function f(a = 1 + time), 0, 5); end M;");
  ASSERT_EQ(system.equations.size(), 2U);
  const std::string unknown = system.variables.back().name;
  const Point solution{{"x", 2}, {unknown, 2}, {"time", 7}};
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(residual(system, i, solution), 0, rounding) << i;
  EXPECT_EQ(system.variables.back().start, 2.5);  // halfway
}

TEST(LibraryFourier, AmplitudesAndPhasesOfCosines) {
  const std::string f =
      "function f input Integer n; output Real y[6]; protected Real u[n]; Integer info; Real A[div(n, 2) + "
      "1]; Real "
      "phi[div(n, 2) + 1]; algorithm u := {2 + 3*cos(2*3.141592653589793*(2*(k - 1)/n) + 0.4) + "
      "0.5*sin(2*3.141592653589793*3*(k - 1)/n) for k in 1:n}; (info, A, phi) := "
      "'Modelica.Math.FastFourierTransform.Internal.rawRealFFT'(u); y := {A[1], A[2], A[3], A[4], phi[3], "
      "phi[4]}; end f; ";
  // Of 12 points the sums of cosines squared are 6, of which the library takes the seventh part.
  expect_all(numbers("f(12)", "6", f), {2.0 * 12 / 7, 0, 3.0 * 6 / 7, 0.5 * 6 / 7, 0.4, -std::acos(0.0)},
             1e-13);
}

TEST(ChosenElements, AreAssignedByNumbersThatChange) {
  const DaeSystem system = load(
      "model M Integer n(start = 0); Real b[3](each start = 0); algorithm when sample(0, 1) then n := pre(n) "
      "+ 1; if n <= 3 "
      "then b[n] := time; end if; end when; end M;");
  const auto clauses = when_clauses(system);
  ASSERT_EQ(clauses.size(), 1U);
  // At the second tick, at time 7, the second element is set and the others keep what they have.
  const Point at{{"pre(n)", 1}, {"n", 2}, {"time", 7}, {"pre(b[1])", 5}, {"pre(b[2])", 0}, {"pre(b[3])", 9}};
  std::map<std::string, double> values;
  for (const Assignment& a : clauses[0]->branches[0].assignments)
    values[system.variables[a.target.at()].name] = value(system, a.value, at);
  EXPECT_EQ(values, (std::map<std::string, double>{{"n", 2}, {"b[1]", 5}, {"b[2]", 7}, {"b[3]", 9}}));
}

TEST(Delays, OnlyOfWhatChangesAtEvents) {
  EXPECT_MENTIONS(refusal("model M Real x = sin(time); Real y = delay(x, 1); end M;"),
                  "changes continuously");
  EXPECT_MENTIONS(refusal("model M Real x = sin(time); Real y = delay(x, -1); end M;"),
                  "must not be negative");
}

TEST(ObjectOriented, OneSentenceForComponents) {
  const std::string own =
      refusal("model R Real v; end R; model C R a; R b; equation a.v = 1; b.v = 2; end C;");
  EXPECT_MENTIONS(own, "'a' is a component of the model 'R', which is not part of flat Modelica");
  EXPECT_MENTIONS(own, "omc --baseModelica");
  EXPECT_MENTIONS(own, "rumoca");
  EXPECT_EQ(own.find("'b'"), std::string::npos) << own;
  const std::string library = refusal("model C Lib.Resistor a; Lib.Ground b; equation a.v = 1; end C;");
  EXPECT_MENTIONS(library, "the type 'Lib.Resistor' of 'a' is not defined in the file");
  EXPECT_EQ(library.find("of 'b'"), std::string::npos) << library;
}

TEST(DottedNames, OfClassesToo) {
  const DaeSystem system = load(
      "function A.B.f input Real[:] v; output Real y; algorithm y := sum(v); end A.B.f; type A.T = "
      "enumeration(one, two); "
      "class M parameter A.T k = A.T.two; Real x = if k == A.T.two then A.B.f({1, 2}) else 0; end M;");
  EXPECT_EQ(residual(system, 0, {{"x", 3}}), 0);
}

}  // namespace
}  // namespace daedalus::test
