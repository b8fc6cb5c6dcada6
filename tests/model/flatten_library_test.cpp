// Functions of the Modelica library that are ours, against values that are known otherwise; and names of
// parts.
#include <cmath>
#include <numbers>

#include "model/flatten/library.hpp"
#include "model/flatten_support.hpp"

namespace daedalus::test {
namespace {

constexpr double pi = std::numbers::pi;
const std::string friction = "'p.flowModel.WallFriction.Internal.m_flow_of_dp_fric'";
const std::string loss = "'p.flowModel.WallFriction.Internal.dp_fric_of_m_flow'";
const std::string pipe =
    ", 998, 998, 1e-3, 1e-3, 10, 0.1, " + std::string("3.141592653589793/400") + ", 2000, 4000, 2.5e-4)";

TEST(Library, EveryFunctionIsReadAndHasATest) {
  for (const std::string_view name : flatten::library_names()) {
    EXPECT_FALSE(flatten::library_text(name, [](std::string_view) { return true; }).empty()) << name;
  }
}

TEST(Library, LaminarFlowIsHagenPoiseuille) {
  // dp = 128 mu L Q / (pi d^4), slowly enough for Re < 2000.
  const double m = 0.05;
  const double dp = 128 * 1e-3 * 10 * (m / 998) / (pi * std::pow(0.1, 4));
  EXPECT_NEAR(number(friction + "(" + std::to_string(dp * 1e3) + "*1e-3" + pipe), m, 1e-6);
  EXPECT_NEAR(number(loss + "(0.05" + pipe), dp, 1e-6 * dp);
}

TEST(Library, TurbulentFlowIsSwameeJainAndColebrook) {
  // lambda = 0.25/log10(Delta/3.7 + 5.74/Re^0.9)^2, dp = lambda L/d rho v^2/2, at Re = 1e5.
  const double m = 1e5 * 1e-3 * pi / 400 / 0.1;
  const double lambda = 0.25 / std::pow(std::log10(2.5e-4 / 3.7 + 5.74 / std::pow(1e5, 0.9)), 2);
  const double v = m / 998 / (pi / 400);
  const double dp = lambda * 10 / 0.1 * 998 * v * v / 2;
  const std::string flow = std::to_string(m);
  EXPECT_NEAR(number(loss + "(" + flow + pipe), dp, 1e-4 * dp);
  // The inverse by Colebrook and White differs from it by less than 3 %, as Swamee and Jain claim.
  EXPECT_NEAR(number(friction + "(" + std::to_string(dp) + pipe), m, 0.03 * m);
}

TEST(Library, FrictionIsContinuousWhereTheRegionsMeet) {
  const double per_reynolds = 1e-3 * pi / 400 / 0.1;
  for (const double reynolds : {2000.0, 4000.0}) {
    const auto at = [&](double re) {
      return number(loss + "(" + std::to_string(re * per_reynolds * 1e6) + "*1e-6" + pipe);
    };
    EXPECT_NEAR(at(reynolds - 1e-3), at(reynolds + 1e-3), 1e-5 * at(reynolds));
    // And so is its slope.
    const double h = 1;
    const double below = at(reynolds - 0.01) - at(reynolds - 0.01 - h);
    const double above = at(reynolds + 0.01 + h) - at(reynolds + 0.01);
    EXPECT_NEAR(below, above, 0.01 * std::abs(above));
  }
}

TEST(Library, RegularisingPolynomials) {
  const auto poly = [](const std::string& x) {
    return number("'Modelica.Fluid.Utilities.evaluatePoly3_derivativeAtZero'(" + x + ", 2, 3, 0.5, 4)");
  };
  EXPECT_EQ(poly("0"), 0);
  EXPECT_DOUBLE_EQ(poly("2"), 3);
  EXPECT_NEAR((poly("1e-6") - poly("0")) / 1e-6, 4, 1e-5);
  EXPECT_NEAR((poly("2.000001") - poly("1.999999")) / 2e-6, 0.5, 1e-5);
  // regFun3 hits both ends with both slopes and rises all the way where the plain cubic would not.
  const auto reg = [](double x) {
    return number("'Modelica.Fluid.Utilities.regFun3'(" + std::to_string(x) + ", 0, 1, 0, 1, 8, 8)");
  };
  EXPECT_NEAR(reg(0), 0, 1e-12);
  EXPECT_NEAR(reg(1), 1, 1e-12);
  EXPECT_NEAR(reg(1e-5) / 1e-5, 8, 1e-2);
  EXPECT_NEAR((1 - reg(1 - 1e-5)) / 1e-5, 8, 1e-2);
  double last = reg(0);
  for (int i = 1; i <= 50; ++i) {
    const double now = reg(i / 50.0);
    EXPECT_GE(now, last) << i;
    last = now;
  }
}

TEST(Library, FiltersAndPhases) {
  const std::string coefficients = "'Modelica.Blocks.Continuous.Internal.Filter.coefficients.";
  // A pole at 1 rad/s moves to 2*pi*f; s -> 1/s inverts it first.
  EXPECT_DOUBLE_EQ(numbers(coefficients + "lowPass'({2.0}, {3.0}, {5.0}, 10)", "1").at(0), 2 * 2 * pi * 10);
  EXPECT_DOUBLE_EQ(numbers(coefficients + "highPass'({2.0}, {3.0}, {5.0}, 10)", "1").at(0), 2 * pi * 10 / 2);
  const std::string orientation = "'Modelica.Electrical.Polyphase.Functions.symmetricOrientation'";
  EXPECT_EQ(numbers(orientation + "(3)", "3"), (std::vector<double>{0, 2 * pi / 3, 4 * pi / 3}));
  EXPECT_EQ(numbers(orientation + "(2)", "2"), (std::vector<double>{0, pi / 2}));
  const std::vector<double> six = numbers(orientation + "(6)", "6");
  EXPECT_DOUBLE_EQ(six.at(4), 2 * pi / 3 - pi / 6);
  EXPECT_DOUBLE_EQ(number("'Modelica.Electrical.Polyphase.Functions.factorY2D'(3)"), std::sqrt(3.0));
}

TEST(Library, SpacePhasorsThereAndBack) {
  const std::string functions = "'Modelica.Electrical.Machines.SpacePhasors.Functions.";
  const std::string phases =
      "{3*cos(0.4), 3*cos(0.4 - 2*3.141592653589793/3), 3*cos(0.4 + 2*3.141592653589793/3)}";
  const std::vector<double> phasor = numbers(functions + "ToSpacePhasor'(" + phases + ")", "2");
  EXPECT_NEAR(phasor.at(0), 3 * std::cos(0.4), 1e-14);
  EXPECT_NEAR(phasor.at(1), 3 * std::sin(0.4), 1e-14);
  EXPECT_NEAR(number(functions + "quasiRMS'(" + phases + ")"), 3 / std::sqrt(2.0), 1e-14);
  const std::vector<double> back =
      numbers(functions + "FromSpacePhasor'({3*cos(0.4), 3*sin(0.4)}, 0, 3)", "3");
  EXPECT_NEAR(back.at(1), 3 * std::cos(0.4 - 2 * pi / 3), 1e-14);
  const std::vector<double> turned = numbers(functions + "Rotator'({1, 0}, 0.3)", "2");
  EXPECT_NEAR(turned.at(1), -std::sin(0.3), 1e-15);
}

TEST(Library, MatricesAndPolynomials) {
  // The first pivot is zero, so rows must change places.
  const std::vector<double> x =
      numbers("'Modelica.Math.Matrices.solve'({{0, 2, 1}, {1, 1, 1}, {2, 0, -1}}, {7, 6, -1})", "3");
  EXPECT_NEAR(x.at(0), 1, 1e-14);
  EXPECT_NEAR(x.at(1), 2, 1e-14);
  EXPECT_NEAR(x.at(2), 3, 1e-14);
  EXPECT_EQ(number("'Modelica.Math.Matrices.trace'({{1, 2}, {3, 4}})"), 5);
  EXPECT_EQ(number("'Modelica.Math.Polynomials.evaluate'({1, 2, 3}, 2)"), 11);
  EXPECT_EQ(number("'Modelica.Math.Polynomials.derivativeValue'({1, 2, 3}, 2)"), 6);
  EXPECT_EQ(numbers("'Modelica.Math.Vectors.sort'({3, 1, 2})", "3"), (std::vector<double>{1, 2, 3}));
}

TEST(Library, PromoteAndBooleanExtrema) {
  EXPECT_EQ(numbers("promote({1, 2}, 2)*transpose(promote({3, 4}, 2))", "2, 2"),
            (std::vector<double>{3, 4, 6, 8}));
  EXPECT_EQ(number("if max({false, true}) then 1 else 0"), 1);
  EXPECT_EQ(number("if min({false, true}) then 1 else 0"), 0);
}

TEST(ComponentNames, ArraysAndRecordsByTheNamesOfTheirParts) {
  const DaeSystem system = load(
      "package P record C Real re; Real im; end C; function f input C c[2]; output Real y; algorithm y := "
      "c[1].re + "
      "10*c[2].im; end f; model M Real 'a.v[1].re' = 1, 'a.v[1].im' = 2, 'a.v[2].re' = 3, 'a.v[2].im' = 4; "
      "Real y = "
      "f('a.v'); end M; end P;");
  Point at{{"a.v[1].re", 1}, {"a.v[1].im", 2}, {"a.v[2].re", 3}, {"a.v[2].im", 4}, {"y", 41}};
  EXPECT_EQ(residual(system, 4, at), 0);
}

TEST(ComponentNames, SubscriptsInsideQuotes) {
  const DaeSystem system = load(
      "model M Real 'x[1]', 'x[2]', 'r[1].k' = 5, 'r[2].k' = 7; Integer n(start = 1) = if time > 1 then 2 "
      "else 1; Real y; "
      "equation for i in 1:2 loop 'x[\\'i\\']' = 'r[\\'i\\'].k'; end for; y = 'x[\\'n\\']'; end M;");
  const Point at{{"x[1]", 5}, {"x[2]", 7}, {"r[1].k", 5}, {"r[2].k", 7}, {"n", 2}, {"y", 7}, {"time", 2}};
  for (std::size_t i = 0; i < system.equations.size(); ++i) EXPECT_EQ(residual(system, i, at), 0) << i;
}

TEST(DottedNames, WithoutQuotes) {
  const DaeSystem system = load(
      "class RC Real R1.v, R1.i; parameter Real R1.R = 2; Real a[2].b; equation R1.v = R1.R*R1.i; R1.v = 6; "
      "a[2].b = "
      "R1.i; end RC;");
  const Point at{{"R1.v", 6}, {"R1.i", 3}, {"a[2].b", 3}};
  for (std::size_t i = 0; i < system.equations.size(); ++i) EXPECT_EQ(residual(system, i, at), 0) << i;
}

TEST(SeveralModels, OneIsTakenWithAWarningOrByName) {
  const std::string text = "model A Real x = 1; end A; model B Real y = 2; end B;";
  const DaeSystem last = load(text);
  EXPECT_EQ(last.name, "B");
  ASSERT_EQ(last.warnings.size(), 1U);
  EXPECT_MENTIONS(last.warnings[0].message, "several models (A, B); 'B' is taken, --model NAME");
  const auto sources = std::make_shared<SourceMap>();
  LoadOptions options;
  options.model = "A";
  const auto named = load_model(sources, sources->add("m.mo", text), options);
  ASSERT_TRUE(named.has_value());
  EXPECT_EQ(named->name, "A");
  options.model = "C";
  const auto missing = load_model(sources, sources->add("m.mo", text), options);
  ASSERT_FALSE(missing.has_value());
  EXPECT_MENTIONS(missing.error()[0].message, "no model 'C'; its models are A, B");
}

TEST(AttributeMistakes, BoundsNominalAndInterval) {
  EXPECT_MENTIONS(refusal("model M Real x(min = 2, max = 1) = 1; end M;"),
                  "'x' has min = 2, which is above its max = 1");
  EXPECT_MENTIONS(refusal("model M Real x(nominal = -1) = 1; end M;"), "must be positive, but it is -1");
  EXPECT_MENTIONS(refusal("model M Real x = 1; annotation(experiment(Interval = 0)); end M;"),
                  "Interval must be positive");
}

}  // namespace
}  // namespace daedalus::test
