// Functions of Modelica.Media that exports call: ideal gases after NASA's polynomials (McBride, Zehe, Gordon
// 2002), their transport properties (Poling, Prausnitz, O'Connell 2001), moist air, and polynomials of
// incompressible liquids.
#include "model/flatten/library.hpp"

namespace daedalus::flatten {
namespace {

constexpr LibraryFunction rows[] = {
    {"Modelica.Media.IdealGases.Common.Functions.cp_T", R"(
  input 'Modelica.Media.IdealGases.Common.DataRecord' data; input Real T; output Real cp;
protected
  Real a[7] = if T < data.Tlimit then data.alow else data.ahigh;
algorithm
  cp := data.R_s*(a[1]/T^2 + a[2]/T + a[3] + T*(a[4] + T*(a[5] + T*(a[6] + T*a[7]))));
)"},
    {"Modelica.Media.IdealGases.Common.Functions.cp_Tlow", R"(
  input 'Modelica.Media.IdealGases.Common.DataRecord' data; input Real T; output Real cp;
algorithm
  cp := data.R_s*(data.alow[1]/T^2 + data.alow[2]/T + data.alow[3] + T*(data.alow[4] + T*(data.alow[5]
    + T*(data.alow[6] + T*data.alow[7]))));
)"},
    // The polynomials' enthalpy counts from 25 degC with the enthalpy of formation Hf in it; H0 = h(25 degC)
    // - h(0 K).
    {"Modelica.Media.IdealGases.Common.Functions.h_T", R"(
  input 'Modelica.Media.IdealGases.Common.DataRecord' data; input Real T; input Boolean exclEnthForm = true;
  input 'Modelica.Media.Interfaces.Choices.ReferenceEnthalpy' refChoice =
    'Modelica.Media.Interfaces.Choices.ReferenceEnthalpy'.ZeroAt0K;
  input Real h_off = 0; output Real h;
protected
  Real a[7] = if T < data.Tlimit then data.alow else data.ahigh;
  Real b = if T < data.Tlimit then data.blow[1] else data.bhigh[1];
algorithm
  h := data.R_s*(-a[1]/T + a[2]*log(T) + b + T*(a[3] + T*(a[4]/2 + T*(a[5]/3 + T*(a[6]/4 + T*a[7]/5)))))
    + (if exclEnthForm then -data.Hf else 0)
    + (if refChoice == 'Modelica.Media.Interfaces.Choices.ReferenceEnthalpy'.ZeroAt0K then data.H0 else 0)
    + (if refChoice == 'Modelica.Media.Interfaces.Choices.ReferenceEnthalpy'.UserDefined then h_off else 0);
)"},
    {"Modelica.Media.IdealGases.Common.Functions.h_Tlow", R"(
  input 'Modelica.Media.IdealGases.Common.DataRecord' data; input Real T; input Boolean exclEnthForm = true;
  input 'Modelica.Media.Interfaces.Choices.ReferenceEnthalpy' refChoice =
    'Modelica.Media.Interfaces.Choices.ReferenceEnthalpy'.ZeroAt0K;
  input Real h_off = 0; output Real h;
algorithm
  h := data.R_s*(-data.alow[1]/T + data.alow[2]*log(T) + data.blow[1] + T*(data.alow[3] + T*(data.alow[4]/2
    + T*(data.alow[5]/3 + T*(data.alow[6]/4 + T*data.alow[7]/5)))))
    + (if exclEnthForm then -data.Hf else 0)
    + (if refChoice == 'Modelica.Media.Interfaces.Choices.ReferenceEnthalpy'.ZeroAt0K then data.H0 else 0)
    + (if refChoice == 'Modelica.Media.Interfaces.Choices.ReferenceEnthalpy'.UserDefined then h_off else 0);
)"},
    {"Modelica.Media.IdealGases.Common.Functions.s0_T", R"(
  input 'Modelica.Media.IdealGases.Common.DataRecord' data; input Real T; output Real s;
protected
  Real a[7] = if T < data.Tlimit then data.alow else data.ahigh;
  Real b = if T < data.Tlimit then data.blow[2] else data.bhigh[2];
algorithm
  s := data.R_s*(-a[1]/(2*T^2) - a[2]/T + a[3]*log(T) + b + T*(a[4] + T*(a[5]/2 + T*(a[6]/3 + T*a[7]/4))));
)"},
    {"Modelica.Media.IdealGases.Common.Functions.s0_Tlow", R"(
  input 'Modelica.Media.IdealGases.Common.DataRecord' data; input Real T; output Real s;
algorithm
  s := data.R_s*(-data.alow[1]/(2*T^2) - data.alow[2]/T + data.alow[3]*log(T) + data.blow[2] + T*(data.alow[4]
    + T*(data.alow[5]/2 + T*(data.alow[6]/3 + T*data.alow[7]/4))));
)"},
    // Chung, Lee and Starling (1984, 1988): collision integral of Neufeld, correction for polar molecules.
    {"Modelica.Media.IdealGases.Common.Functions.dynamicViscosityLowPressure", R"(
  input Real T; input Real Tc; input Real M; input Real Vc; input Real w; input Real mu; input Real k = 0;
  output Real eta;
protected
  Real mur = 131.3/1000*mu/sqrt(Vc*Tc);
  Real Fc = 1 - 0.2756*w + 0.059035*mur^4 + k;
  Real t = 1.2593*T/Tc;
  Real omega = 1.16145*t^(-0.14874) + 0.52487*exp(-0.7732*t) + 2.16178*exp(-2.43787*t);
algorithm
  eta := 40.785*10^(-9.5)*Fc*sqrt(M*T)/(Vc^(2/3)*omega);
)"},
    // 1: Eucken's correlation; 2: the modified one.
    {"Modelica.Media.IdealGases.Common.Functions.thermalConductivityEstimate", R"(
  input Real Cp; input Real eta; input Integer method = 1;
  input 'Modelica.Media.IdealGases.Common.DataRecord' data; output Real lambda;
algorithm
  lambda := if method == 1 then eta*(Cp - data.R_s + 9/4*data.R_s)
    else eta*(Cp - data.R_s)*(1.32 + 1.77/(Cp/data.R_s - 1));
)"},
    {"*.massToMoleFractions", R"(
  input Real X[:]; input Real MMX[:]; output Real moleFractions[size(X, 1)];
protected
  Real M = 1/sum(X[i]/MMX[i] for i in 1:size(X, 1));
algorithm
  moleFractions := {M*X[i]/MMX[i] for i in 1:size(X, 1)};
)"},
    // Wilke (1950).
    {"*.gasMixtureViscosity", R"(
  input Real yi[:]; input Real M[size(yi, 1)]; input Real eta[size(yi, 1)]; output Real etam;
protected
  Integer n = size(yi, 1);
algorithm
  etam := sum(yi[i]*eta[i]/sum(yi[j]*(1 + sqrt(eta[i]/eta[j])*(M[j]/M[i])^(1/4))^2/sqrt(8*(1 + M[i]/M[j]))
    for j in 1:n) for i in 1:n);
)"},
    // Mason and Saxena (1958), with the monatomic parts after Roy and Thodos (1968).
    {"*.lowPressureThermalConductivity", R"(
  input Real y[:]; input Real T; input Real Tc[size(y, 1)]; input Real Pc[size(y, 1)]; input Real M[size(y, 1)];
  input Real lambda[size(y, 1)]; output Real lambdam;
protected
  Integer n = size(y, 1);
  Real tr[size(y, 1)] = {(exp(0.0464*T/Tc[i]) - exp(-0.2412*T/Tc[i]))/(Tc[i]*M[i]^3/Pc[i]^4)^(1/6) for i in 1:n};
algorithm
  lambdam := sum(y[i]*lambda[i]/sum(y[j]*(1 + sqrt(tr[i]/tr[j])*(M[i]/M[j])^(1/4))^2/sqrt(8*(1 + M[i]/M[j]))
    for j in 1:n) for i in 1:n);
)"},
    // Moist air: over water and over ice, with a smooth change around the triple point.
    {"*.saturationPressure", R"(
  input Real Tsat; output Real psat;
algorithm
  psat := '@.Utilities.spliceFunction'('@.saturationPressureLiquid'(Tsat), '@.sublimationPressureIce'(Tsat),
    Tsat - 273.16, 1);
)",
     "saturationPressureLiquid"},
    {"*.saturationTemperature.f_nonlinear", R"(
  input Real u; input Real p; output Real y;
algorithm
  y := '@.saturationPressure'(u) - p;
)"},
    {"*.enthalpyOfWater", R"(
  input Real T; output Real h;
algorithm
  h := '@.Utilities.spliceFunction'(4200*(T - 273.15), 2050*(T - 273.15) - 333000, T - 273.16, 0.1);
)",
     "saturationPressureLiquid"},
    {"*.Utilities.smoothMax", R"(
  input Real x1; input Real x2; input Real dx; output Real y;
protected
  Real m = max(x1, x2);
algorithm
  y := m + log(exp(4/dx*(x1 - m)) + exp(4/dx*(x2 - m)))/(4/dx);
)"},
    // From one value to another by tanh(tan(x)), all derivatives continuous.
    {"*.Utilities.spliceFunction", R"(
  input Real pos; input Real neg; input Real x; input Real deltax = 1; output Real out;
protected
  Real s = x/deltax;
  Real y;
algorithm
  y := if s <= -0.9999999999 then 0 elseif s >= 0.9999999999 then 1
    else 0.5*tanh(tan(s*0.5*3.141592653589793)) + 0.5;
  out := pos*y + (1 - y)*neg;
)"},
    {"*.saturationPressureLiquid", R"(
  input Real Tsat; output Real psat;
protected
  Real r = max(1 - Tsat/647.096, 0);
algorithm
  psat := exp((-7.85951783*r + 1.84408259*r^1.5 - 11.7866497*r^3 + 22.6807411*r^3.5 - 15.9618719*r^4
    + 1.80122502*r^7.5)*647.096/Tsat)*2.2064e7;
)"},
    {"*.sublimationPressureIce", R"(
  input Real Tsat; output Real psat;
protected
  Real r = Tsat/273.16;
algorithm
  psat := exp(-13.928169*(1 - r^(-1.5)) + 34.7078238*(1 - r^(-1.25)))*611.657;
)"},
    {"Modelica.Math.Polynomials.evaluateWithRange", R"(
  input Real p[:]; input Real uMin; input Real uMax; input Real u; output Real y;
algorithm
  if u < uMin then
    y := 'Modelica.Math.Polynomials.evaluate'(p, uMin) - 'Modelica.Math.Polynomials.derivativeValue'(p, uMin)*(uMin - u);
  elseif u > uMax then
    y := 'Modelica.Math.Polynomials.evaluate'(p, uMax) + 'Modelica.Math.Polynomials.derivativeValue'(p, uMax)*(u - uMax);
  else
    y := 'Modelica.Math.Polynomials.evaluate'(p, u);
  end if;
)"},
    {"Modelica.Math.Polynomials.secondDerivativeValue", R"(
  input Real p[:]; input Real u; output Real y;
protected
  Integer n = size(p, 1);
algorithm
  y := sum(p[i]*(n - i)*(n - i - 1)*u^max(n - i - 2, 0) for i in 1:n);
)"},
    {"Modelica.Math.Polynomials.derivative", R"(
  input Real p1[:]; output Real p2[size(p1, 1) - 1];
algorithm
  p2 := {p1[i]*(size(p1, 1) - i) for i in 1:size(p1, 1) - 1};
)"},
    {"Modelica.Math.Polynomials.integral", R"(
  input Real p1[:]; output Real p2[size(p1, 1) + 1];
protected
  Integer n = size(p1, 1);
algorithm
  p2 := {(if i <= n then p1[min(i, n)]/(n - i + 1) else 0) for i in 1:n + 1};
)"},
    {"Modelica.Math.Polynomials.integralValue", R"(
  input Real p[:]; input Real u_high; input Real u_low = 0; output Real integral;
protected
  Integer n = size(p, 1);
algorithm
  integral := sum(p[i]/(n - i + 1)*(u_high^(n - i + 1) - u_low^(n - i + 1)) for i in 1:n);
)"},
};

}  // namespace

std::span<const LibraryFunction> media_functions() {
  return rows;
}

}  // namespace daedalus::flatten
