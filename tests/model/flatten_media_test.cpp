// Media of the Modelica library: water against the values that IAPWS publishes for checking programs, gases
// against thermodynamic identities and data.
#include <fmt/format.h>

#include <cmath>

#include "model/flatten_support.hpp"

namespace daedalus::test {
namespace {

const std::string basic = "'Modelica.Media.Water.IF97_Utilities.BaseIF97.Basic.";

// A property computed from the Gibbs function of a region.
double property(const std::string& region, double p, double T, const std::string& formula) {
  const std::string functions =
      "function f input Real p; input Real T; output Real y; protected 'Modelica.Media.Common.GibbsDerivs' "
      "g; algorithm "
      "g := " +
      basic + region + "'(p, T); y := " + formula +
      "; end f; record 'Modelica.Media.Common.GibbsDerivs' Real p; Real T; Real R_s; Real pi; Real tau; Real "
      "g; Real "
      "gpi; Real gpipi; Real gtau; Real gtautau; Real gtaupi; end 'Modelica.Media.Common.GibbsDerivs';";
  return number(fmt::format("f({:.17g}, {:.17g})", p, T), functions);
}
const std::string volume = "g.R_s*g.T/g.p*g.pi*g.gpi";
const std::string enthalpy = "g.R_s*g.T*g.tau*g.gtau";
const std::string entropy = "g.R_s*(g.tau*g.gtau - g.g)";
const std::string heat_capacity = "-g.R_s*g.tau^2*g.gtautau";
const std::string sound =
    "sqrt(g.R_s*g.T*g.gpi^2/((g.gpi - g.tau*g.gtaupi)^2/(g.tau^2*g.gtautau) - g.gpipi))";

// Tables 5 and 15 of the release of 2007 have nine digits.
constexpr double digits = 1e-8;

TEST(LibraryWater, LiquidIsAsInTable5) {
  const auto check = [](double p, double T, const std::string& formula, double expected) {
    EXPECT_NEAR(property("g1", p, T, formula) / expected, 1, digits) << p << ' ' << T << ' ' << formula;
  };
  check(3e6, 300, volume, 0.100215168e-2);
  check(3e6, 300, enthalpy, 0.115331273e6);
  check(3e6, 300, entropy, 0.392294792e3);
  check(3e6, 300, heat_capacity, 0.417301218e4);
  check(3e6, 300, sound, 0.150773921e4);
  check(80e6, 300, volume, 0.971180894e-3);
  check(80e6, 300, enthalpy, 0.184142828e6);
  check(3e6, 500, volume, 0.120241800e-2);
  check(3e6, 500, enthalpy, 0.975542239e6);
}

TEST(LibraryWater, SteamIsAsInTable15) {
  const auto check = [](double p, double T, const std::string& formula, double expected) {
    EXPECT_NEAR(property("g2", p, T, formula) / expected, 1, digits) << p << ' ' << T << ' ' << formula;
  };
  check(0.0035e6, 300, volume, 0.394913866e2);
  check(0.0035e6, 300, enthalpy, 0.254991145e7);
  check(0.0035e6, 700, volume, 0.923015898e2);
  check(0.0035e6, 700, enthalpy, 0.333568375e7);
  check(0.0035e6, 700, entropy, 0.101749996e5);
  check(0.0035e6, 700, heat_capacity, 0.208141274e4);
  check(30e6, 700, volume, 0.542946619e-2);
  check(30e6, 700, enthalpy, 0.263149474e7);
}

TEST(LibraryWater, TemperaturesOfPressureAndEnthalpy) {
  const auto T = [](const std::string& function, double p, double h) {
    return number(fmt::format("{}{}'({:.17g}, {:.17g})", basic, function, p * 1e6, h * 1e3));
  };
  EXPECT_NEAR(T("tph1", 3, 500), 391.798509, 5e-7);
  EXPECT_NEAR(T("tph1", 80, 1500), 611.041229, 5e-7);
  EXPECT_NEAR(T("tph2", 0.001, 3000), 534.433241, 5e-7);
  EXPECT_NEAR(T("tph2", 3, 4000), 1010.77577, 5e-6);
  EXPECT_NEAR(T("tph2", 5, 4000), 1015.31583, 5e-6);
  EXPECT_NEAR(T("tph2", 25, 3500), 875.279054, 5e-7);
  EXPECT_NEAR(T("tph2", 40, 2700), 743.056411, 5e-7);
  EXPECT_NEAR(T("tph2", 60, 3200), 882.756860, 5e-7);
}

TEST(LibraryWater, TheSaturationLineAndItsSlope) {
  const auto at = [](const std::string& function, double x) {
    return number(fmt::format("{}{}'({:.17g})", basic, function, x));
  };
  EXPECT_NEAR(at("psat", 300), 0.353658941e4, 5e-6);
  EXPECT_NEAR(at("psat", 600), 0.123443146e8, 5e-2);
  EXPECT_NEAR(at("tsat", 1e5), 372.755919, 5e-7);
  EXPECT_NEAR(at("tsat", 1e7), 584.149488, 5e-7);
  // Central differences err by h^2 times a third derivative: below 1e-7 of the slope.
  EXPECT_NEAR((at("psat", 400.01) - at("psat", 399.99)) / 0.02 / at("dptofT", 400), 1, 1e-6);
  EXPECT_NEAR(at("dtsatofp", 1e6) * at("dptofT", at("tsat", 1e6)), 1, 1e-9);
  // Clapeyron: dp/dT = (hv - hl)/(T (vv - vl)), which IF97 fulfils to its own consistency of 1e-4.
  const std::string utilities = "'Modelica.Media.Water.IF97_Utilities.";
  const double T = at("tsat", 1e6);
  const double gap = number(utilities + "hv_p'(1e6)") - number(utilities + "hl_p'(1e6)");
  const double volumes = 1 / number(fmt::format("{}rhov_T'({:.17g})", utilities, T)) -
                         1 / number(fmt::format("{}rhol_T'({:.17g})", utilities, T));
  EXPECT_NEAR(gap / (T * volumes) / at("dptofT", T), 1, 1e-4);
}

TEST(LibraryWater, RegionsAndWhatIsRefused) {
  const std::string regions = "'Modelica.Media.Water.IF97_Utilities.BaseIF97.Regions.";
  EXPECT_EQ(number(regions + "region_ph'(1e5, 1e5, 0, 0)"), 1);
  EXPECT_EQ(number(regions + "region_ph'(1e5, 1e6, 0, 0)"), 4);
  EXPECT_EQ(number(regions + "region_ph'(1e5, 2.8e6, 0, 0)"), 2);
  EXPECT_EQ(number(regions + "region_pT'(1e5, 300, 0)"), 1);
  EXPECT_EQ(number(regions + "region_pT'(1e5, 400, 0)"), 2);
  EXPECT_EQ(number(regions + "region_pT'(25e6, 650, 0)"), 3);
  EXPECT_MENTIONS(refusal("model M Real x = 'Modelica.Media.Water.IF97_Utilities.hl_p'(2e7); end M;"),
                  "region 3 of IF97");
}

// Nitrogen, from McBride, Zehe and Gordon (2002).
const std::string nitrogen =
    "parameter 'Modelica.Media.IdealGases.Common.DataRecord' d = "
    "'Modelica.Media.IdealGases.Common.DataRecord'(\"N2\", "
    "0.0280134, 0, 309498.4543111511, 1000, {22103.71497, -381.846182, 6.08273836, -0.00853091441, "
    "1.384646189e-5, "
    "-9.62579362e-9, 2.519705809e-12}, {710.846086, -10.76003744}, {587712.406, -2239.249073, 6.06694922, "
    "-0.00061396855, 1.491806679e-7, -1.923105485e-11, 1.061954386e-15}, {12832.10415, -15.86640027}, "
    "296.8033869505308); record 'Modelica.Media.IdealGases.Common.DataRecord' String name; Real MM; Real Hf; "
    "Real H0; "
    "Real Tlimit; Real alow[7]; Real blow[2]; Real ahigh[7]; Real bhigh[2]; Real R_s; end "
    "'Modelica.Media.IdealGases.Common.DataRecord';";
double gas(const std::string& function, double T, const std::string& more = "") {
  return number(
      fmt::format("'Modelica.Media.IdealGases.Common.Functions.{}'(d, {:.17g}{})", function, T, more),
      nitrogen);
}

TEST(LibraryGases, HeatCapacityIsTheSlopeOfEnthalpyAndEntropy) {
  EXPECT_NEAR(gas("cp_T", 300), 1040, 1);                 // J/(kg K), any table of gases
  EXPECT_NEAR(gas("h_T", 298.15), 309498.4543111511, 1);  // counted from 0 K
  for (const double T : {300.0, 800.0, 1500.0}) {
    constexpr double h = 0.01;
    EXPECT_NEAR((gas("h_T", T + h) - gas("h_T", T - h)) / (2 * h), gas("cp_T", T), 1e-4) << T;
    EXPECT_NEAR((gas("s0_T", T + h) - gas("s0_T", T - h)) / (2 * h) * T, gas("cp_T", T), 1e-4) << T;
  }
  EXPECT_EQ(gas("h_Tlow", 400), gas("h_T", 400));
  EXPECT_EQ(gas("s0_Tlow", 400), gas("s0_T", 400));
  EXPECT_EQ(gas("cp_Tlow", 400), gas("cp_T", 400));
  // The two polynomials meet at 1000 K.
  EXPECT_NEAR(gas("cp_T", 999.999), gas("cp_T", 1000.001), 0.05);
}

TEST(LibraryGases, TransportProperties) {
  const std::string functions = "'Modelica.Media.IdealGases.Common.Functions.";
  // Nitrogen at 300 K: 17.9e-6 Pa s; Chung's method errs by about 2 %.
  EXPECT_NEAR(number(functions + "dynamicViscosityLowPressure'(300, 126.2, 0.0280134, 9.01e-5, 0.037, 0, 0)"),
              17.9e-6, 0.4e-6);
  // Eucken: lambda = eta (cp + 5/4 R).
  EXPECT_NEAR(number(functions + "thermalConductivityEstimate'(1040, 2e-5, 1, d)", nitrogen),
              2e-5 * (1040 + 1.25 * 296.8033869505308), 1e-15);
  // A mixture of a gas with itself is that gas.
  EXPECT_NEAR(number("'P.gasMixtureViscosity'({0.3, 0.7}, {0.03, 0.03}, {2e-5, 2e-5})"), 2e-5, 1e-19);
  EXPECT_NEAR(
      number("'P.lowPressureThermalConductivity'({0.3, 0.7}, 300, {126, 126}, {3.4e6, 3.4e6}, {0.03, 0.03}, "
             "{0.02, 0.02})"),
      0.02, 1e-16);
  EXPECT_EQ(numbers("'P.massToMoleFractions'({0.5, 0.5}, {1, 3})", "2"), (std::vector<double>{0.75, 0.25}));
}

TEST(LibraryGases, MoistAirBoilsAndFreezesWhereWaterDoes) {
  const std::string own =
      "function 'P.saturationPressureLiquid' input Real T; output Real p; algorithm p := 1e5*T; end "
      "'P.saturationPressureLiquid';";
  // The function beside it decides that this is the medium moist air; the file's own is used.
  EXPECT_NEAR(number("'P.saturationPressure'(300)", own), 3e7, 1e-3);
  EXPECT_MENTIONS(refusal("model M Real x = 'Q.saturationPressure'(300); end M;"),
                  "neither defined in the file");
  EXPECT_NEAR(number("'P.saturationPressureLiquid'(373.124)"), 101325, 30);  // the normal boiling point
  EXPECT_NEAR(number("'P.sublimationPressureIce'(273.16)"), 611.657, 1e-9);  // the triple point
  EXPECT_NEAR(number("'P.saturationPressureLiquid'(273.16)"), 611.657, 0.01);
  EXPECT_EQ(number("'P.Utilities.spliceFunction'(5, 3, 1)"), 5);
  EXPECT_EQ(number("'P.Utilities.spliceFunction'(5, 3, -1)"), 3);
  EXPECT_NEAR(number("'P.Utilities.spliceFunction'(5, 3, 0)"), 4, 1e-15);
  EXPECT_NEAR(number("'P.Utilities.smoothMax'(1, 1, 0.4)"), 1 + std::log(2) / 10, 1e-15);
}

TEST(LibraryGases, Polynomials) {
  const std::string functions = "'Modelica.Math.Polynomials.";
  // p = 2 u^2 + 3 u + 4.
  EXPECT_EQ(number(functions + "secondDerivativeValue'({2, 3, 4}, 7)"), 4);
  EXPECT_EQ(numbers(functions + "derivative'({2, 3, 4})", "2"), (std::vector<double>{4, 3}));
  EXPECT_EQ(numbers(functions + "integral'({6, 4, 4})", "4"), (std::vector<double>{2, 2, 4, 0}));
  EXPECT_EQ(number(functions + "integralValue'({6, 4, 4}, 2, 1)"), 14 + 6 + 4);
  EXPECT_EQ(number(functions + "evaluateWithRange'({2, 3, 4}, 0, 1, 2)"), 9 + 7);  // the tangent at 1
  EXPECT_EQ(number(functions + "evaluateWithRange'({2, 3, 4}, 0, 1, -1)"), 4 - 3);
}

}  // namespace
}  // namespace daedalus::test
