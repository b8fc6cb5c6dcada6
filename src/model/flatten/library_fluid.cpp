// Functions of Modelica.Fluid that exports call: wall friction in pipes (laminar, turbulent by Swamee–Jain
// and Colebrook–White, and a cubic in log-log coordinates between), and polynomials that regularise.
#include "model/flatten/library.hpp"

namespace daedalus::flatten {
namespace {

constexpr LibraryFunction rows[] = {
    // Roots, squares and powers with a finite slope at zero, odd in x.
    {"Modelica.Fluid.Utilities.regRoot", R"(
  input Real x; input Real delta = 0.01; output Real y;
algorithm
  y := x/(x*x + delta*delta)^0.25;
)"},
    {"Modelica.Fluid.Utilities.regSquare", R"(
  input Real x; input Real delta = 0.01; output Real y;
algorithm
  y := x*sqrt(x*x + delta*delta);
)"},
    {"Modelica.Fluid.Utilities.regPow", R"(
  input Real x; input Real a; input Real delta = 0.01; output Real y;
algorithm
  y := x*(x*x + delta*delta)^((a - 1)/2);
)"},
    // From y2 to y1 by a cubic that is flat at both ends.
    {"Modelica.Fluid.Utilities.regStep", R"(
  input Real x; input Real y1; input Real y2; input Real x_small = 1e-5; output Real y;
protected
  Real s = if x_small > 0 then x/x_small else 0;
algorithm
  y := if x > x_small then y1 elseif x < -x_small then y2 else (y1 + y2)/2 + (y2 - y1)/4*s*(s*s - 3);
)"},
    // Roots and squares with one factor for each direction: two cubics meet at zero with the slope y0d, which
    // is the one
    // that makes the second derivative continuous, as far as both stay monotone.
    {"Modelica.Fluid.Utilities.regRoot2", R"(
  input Real x; input Real x_small = 0.01; input Real k1 = 1; input Real k2 = 1; input Boolean use_yd0 = false;
  input Real yd0 = 1; output Real y;
algorithm
  y := if x >= x_small then sqrt(k1*max(x, x_small)) elseif x <= -x_small then -sqrt(k2*max(-x, x_small))
    elseif k1 >= k2 then 'Modelica.Fluid.Utilities.regRoot2.regRoot2_utility'(x, x_small, k1, k2, use_yd0, yd0)
    else -'Modelica.Fluid.Utilities.regRoot2.regRoot2_utility'(-x, x_small, k2, k1, use_yd0, yd0);
)"},
    {"Modelica.Fluid.Utilities.regRoot2.regRoot2_utility", R"(
  input Real x; input Real x1; input Real k1; input Real k2; input Boolean use_yd0; input Real yd0; output Real y;
protected
  Real x2 = -x1*(k2/k1);
  Real y1 = sqrt(k1*x1);
  Real y2 = -sqrt(-k2*x2);
  Real y1d = sqrt(k1/x1)/2;
  Real y2d = sqrt(-k2/x2)/2;
  Real w = x2/x1;
  Real free = ((3*y2 - x2*y2d)/w - (3*y1 - x1*y1d)*w)/(2*x1*(1 - w));
  Real most = 0.9*min(sqrt(8.75*k1/x1), sqrt(-8.75*k2/x2));
  Real y0d = if use_yd0 then yd0 else min(free, most);
algorithm
  y := if x <= x2 then -sqrt(k2*max(-x, -x2))
    elseif x >= 0 then 'Modelica.Fluid.Utilities.evaluatePoly3_derivativeAtZero'(x, x1, y1, y1d, y0d)
    else 'Modelica.Fluid.Utilities.evaluatePoly3_derivativeAtZero'(x, x2, y2, y2d, y0d);
)"},
    {"Modelica.Fluid.Utilities.regSquare2", R"(
  input Real x; input Real x_small = 0.01; input Real k1 = 1; input Real k2 = 1; input Boolean use_yd0 = false;
  input Real yd0 = 1; output Real y;
algorithm
  y := if x >= x_small then k1*x^2 elseif x <= -x_small then -k2*x^2
    elseif k1 >= k2 then 'Modelica.Fluid.Utilities.regSquare2.regSquare2_utility'(x, x_small, k1, k2, use_yd0, yd0)
    else -'Modelica.Fluid.Utilities.regSquare2.regSquare2_utility'(-x, x_small, k2, k1, use_yd0, yd0);
)"},
    {"Modelica.Fluid.Utilities.regSquare2.regSquare2_utility", R"(
  input Real x; input Real x1; input Real k1; input Real k2; input Boolean use_yd0 = false; input Real yd0 = 1;
  output Real y;
protected
  Real x2 = -x1*(k2/k1)^2;
  Real w = x2/x1;
  Real free = ((-3*k2*x2^2 + 2*k2*x2^2)/w - (3*k1*x1^2 - 2*k1*x1^2)*w)/(2*x1*(1 - w));
  Real most = 0.9*min(sqrt(5)*k1*x1, -sqrt(5)*k2*x2);
  Real y0d = if use_yd0 then yd0 else min(free, most);
algorithm
  y := if x <= x2 then -k2*x^2
    elseif x >= 0 then 'Modelica.Fluid.Utilities.evaluatePoly3_derivativeAtZero'(x, x1, k1*x1^2, 2*k1*x1, y0d)
    else 'Modelica.Fluid.Utilities.evaluatePoly3_derivativeAtZero'(x, x2, -k2*x2^2, -2*k2*x2, y0d);
)"},
    // The cubic through the origin with slope y0d there, and through (x1, y1) with slope y1d.
    {"Modelica.Fluid.Utilities.evaluatePoly3_derivativeAtZero", R"(
  input Real x; input Real x1; input Real y1; input Real y1d; input Real y0d; output Real y;
protected
  Real s = x/x1;
  Real a1 = x1*y0d;
  Real a2 = 3*y1 - x1*y1d - 2*a1;
algorithm
  y := s*(a1 + s*(a2 + s*(y1 - a2 - a1)));
)"},
    {"Modelica.Fluid.Utilities.cubicHermite", R"(
  input Real x; input Real x1; input Real x2; input Real y1; input Real y2; input Real y1d; input Real y2d;
  output Real y;
protected
  Real h = x2 - x1;
  Real s = (x - x1)/h;
algorithm
  y := y1*(1 + 2*s)*(1 - s)^2 + h*y1d*s*(1 - s)^2 + y2*s^2*(3 - 2*s) + h*y2d*s^2*(s - 1);
)"},
    {"Modelica.Fluid.Utilities.cubicHermite_withDerivative", R"(
  input Real x; input Real x1; input Real x2; input Real y1; input Real y2; input Real y1d; input Real y2d;
  output Real y; output Real dy_dx;
protected
  Real h = x2 - x1;
  Real s = (x - x1)/h;
algorithm
  y := y1*(1 + 2*s)*(1 - s)^2 + h*y1d*s*(1 - s)^2 + y2*s^2*(3 - 2*s) + h*y2d*s^2*(s - 1);
  dy_dx := 6*s*(1 - s)*(y2 - y1)/h + y1d*(1 - s)*(1 - 3*s) + y2d*s*(3*s - 2);
)"},
    // Between (x0, y0) and (x1, y1) with slopes y0d and y1d: the cubic where it is monotone, else two cubic
    // ends
    // with a line of slope c between them (co-monotone C1 interpolation by Gasparo and Morandi, 1991).
    {"Modelica.Fluid.Utilities.regFun3", R"(
  input Real x; input Real x0; input Real x1; input Real y0; input Real y1; input Real y0d; input Real y1d;
  output Real y; output Real c;
protected
  constant Real eps = 2.220446049250313e-14;
  Real h0 = x1 - x0;
  Real Delta0 = (y1 - y0)/h0;
  Real bend = y0d + y1d - 2*Delta0;
  Real rise = 3*Delta0 - 2*y0d - y1d;
  Real cubic = y0 + (x - x0)*(y0d + (x - x0)/h0*(rise + (x - x0)/h0*bend));
  Real middle = 0.75*bend + rise + y0d;
  Real safe_bend = if abs(bend) < eps then 1 else bend;
  // The point where the cubic bends the other way, its slope there, and how far it is from both ends.
  Real mu = -h0*rise/(3*safe_bend);
  Real eta = h0 - mu;
  Real omega = 3*bend*(mu/h0)^2 + 2*rise*mu/h0 + y0d;
  Real flat = 0.25*sign(Delta0)*min(abs(omega), abs(Delta0));
  Real limit = (6*Delta0*(y1d + y0d - 1.5*Delta0) - y1d*y0d - y1d^2 - y0d^2)/(3*safe_bend);
  Boolean single = abs(y0d - y1d) <= eps and y1 > y0 + y0d*h0;
  Boolean linear = not single and ((mu > 0 and eta < h0 and Delta0*omega <= 0)
    or (abs(flat) < abs(limit) and limit*Delta0 >= 0) or abs(flat) < abs(0.1*Delta0));
  Real theta0 = (y0d*mu + y1d*eta)/h0;
  Real rho;
  Real mu_t;
  Real eta_t;
  Real a1;
  Real a2;
  Real slope;
algorithm
  slope := if abs(flat) < abs(limit) and limit*Delta0 >= 0 then limit else flat;
  slope := if abs(slope) < abs(0.1*Delta0) then 0.1*Delta0 else slope;
  slope := if abs(theta0 - slope) < 1e-6 then (1 - 1e-6)*theta0 else slope;
  rho := 3*(Delta0 - slope)/(theta0 - slope);
  mu_t := rho*mu;
  eta_t := rho*eta;
  a1 := (y0d - slope)/max(mu_t^2, eps);
  a2 := (y1d - slope)/max(eta_t^2, eps);
  if Delta0 == 0 then
    y := y0 + Delta0*(x - x0);
    c := 0;
  elseif abs(bend) < eps or not linear then
    y := cubic;
    c := middle;
  else
    y := if x < x0 + mu_t then a1/3*(x - x0 - mu_t)^3 + slope*x + y0 + a1/3*mu_t^3 - slope*x0
      elseif x < x1 - eta_t then slope*x + y0 + a1/3*mu_t^3 - slope*x0
      else a2/3*(x - x1 + eta_t)^3 + slope*x + y1 - a2/3*eta_t^3 - slope*x1;
    c := slope;
  end if;
)"},
    {"*.WallFriction.pressureLoss_m_flow.interpolateInRegion2", R"(
  input Real Re; input Real Re1; input Real Re2; input Real Delta; output Real lambda2;
protected
  Real aux2 = Delta/3.7 + 5.74/Re2^0.9;
  Real aux3 = log10(aux2);
  Real yd2 = 2 + 2*0.9*5.74/(log(10)*aux2*aux3*Re2^0.9);
algorithm
  lambda2 := 10^'Modelica.Fluid.Utilities.cubicHermite'(log10(Re), log10(Re1), log10(Re2), log10(64*Re1),
    log10(0.25*(Re2/aux3)^2), 1, yd2);
)"},
    {"*.WallFriction.massFlowRate_dp.interpolateInRegion2", R"(
  input Real lambda2; input Real Re1; input Real Re2; input Real Delta; input Real dp = 0; output Real Re;
protected
  Real L2 = 0.25*(Re2/log10(Delta/3.7 + 5.74/Re2^0.9))^2;
  Real aux4 = 2.51/sqrt(L2) + 0.27*Delta;
  Real aux5 = -2*sqrt(L2)*log10(aux4);
algorithm
  Re := 10^'Modelica.Fluid.Utilities.cubicHermite'(log10(lambda2), log10(64*Re1), log10(L2), log10(Re1),
    log10(aux5), 1, 0.5 + 2.51/log(10)/(aux5*aux4));
)"},
    {"*.WallFriction.Internal.m_flow_of_dp_fric", R"(
  input Real dp_fric; input Real rho_a; input Real rho_b; input Real mu_a; input Real mu_b; input Real length;
  input Real diameter; input Real crossArea; input Real Re1; input Real Re2; input Real Delta;
  output Real m_flow; output Real dm_flow_ddp_fric;
protected
  Real rho = if dp_fric >= 0 then rho_a else rho_b;
  Real mu = if dp_fric >= 0 then mu_a else mu_b;
  Real k = 2*diameter^3*rho/(length*mu*mu);
  Real lambda2 = k*abs(dp_fric);
  Real s = sqrt(lambda2);
  Real inside = 2.51/s + 0.27*Delta;
  Real turbulent = -2*s*log10(inside);
  Real L2 = 0.25*(Re2/log10(Delta/3.7 + 5.74/Re2^0.9))^2;
  Real aux4 = 2.51/sqrt(L2) + 0.27*Delta;
  Real aux5 = -2*sqrt(L2)*log10(aux4);
  Real y;
  Real dy;
  Real Re;
  Real dRe;
algorithm
  (y, dy) := 'Modelica.Fluid.Utilities.cubicHermite_withDerivative'(log10(lambda2), log10(64*Re1), log10(L2),
    log10(Re1), log10(aux5), 1, 0.5 + 2.51/log(10)/(aux5*aux4));
  if lambda2/64 <= Re1 then
    Re := lambda2/64;
    dRe := k/64;
  elseif turbulent >= Re2 then
    Re := turbulent;
    dRe := k*(-log10(inside)/s + 2.51/(log(10)*lambda2*inside));
  else
    Re := 10^y;
    dRe := Re/abs(dp_fric)*dy;
  end if;
  m_flow := crossArea/diameter*mu*(if dp_fric >= 0 then Re else -Re);
  dm_flow_ddp_fric := crossArea/diameter*mu*dRe;
)"},
    {"*.WallFriction.Internal.dp_fric_of_m_flow", R"(
  input Real m_flow; input Real rho_a; input Real rho_b; input Real mu_a; input Real mu_b; input Real length;
  input Real diameter; input Real crossArea; input Real Re1; input Real Re2; input Real Delta;
  output Real dp_fric; output Real ddp_fric_dm_flow;
protected
  Real rho = if m_flow >= 0 then rho_a else rho_b;
  Real mu = if m_flow >= 0 then mu_a else mu_b;
  Real k = diameter/(crossArea*mu);
  Real Re = k*abs(m_flow);
  Real a = Delta/3.7 + 5.74/Re^0.9;
  Real b = Delta/3.7 + 5.74/Re2^0.9;
  Real y;
  Real dy;
  Real lambda2;
  Real dlambda2;
algorithm
  (y, dy) := 'Modelica.Fluid.Utilities.cubicHermite_withDerivative'(log10(Re), log10(Re1), log10(Re2),
    log10(64*Re1), log10(0.25*(Re2/log10(b))^2), 1, 2 + 2*0.9*5.74/(log(10)*b*log10(b)*Re2^0.9));
  if Re <= Re1 then
    lambda2 := 64*Re;
    dlambda2 := 64*k;
  elseif Re >= Re2 then
    lambda2 := 0.25*(Re/log10(a))^2;
    dlambda2 := lambda2/abs(m_flow)*(2 + 2*0.9*5.74/(log(10)*a*log10(a)*Re^0.9));
  else
    lambda2 := 10^y;
    dlambda2 := lambda2/abs(m_flow)*dy;
  end if;
  dp_fric := length*mu*mu/(2*rho*diameter^3)*(if m_flow >= 0 then lambda2 else -lambda2);
  ddp_fric_dm_flow := length*mu*mu/(2*rho*diameter^3)*dlambda2;
)"},
};

}  // namespace

std::span<const LibraryFunction> fluid_functions() {
  return rows;
}

}  // namespace daedalus::flatten
