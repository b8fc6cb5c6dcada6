// Functions of Modelica.Math.Special, Modelica.Math.Distributions and Modelica.Math.Random: the error
// function and its relatives, distributions, and how the library makes the first state of a generator from
// two seeds.
#include "model/flatten/library.hpp"

namespace daedalus::flatten {
namespace {

constexpr LibraryFunction rows[] = {
    // W. J. Cody, Rational Chebyshev approximation for the error function, Math. Comp. 23 (1969): near zero,
    // and erfc in the middle and far out.
    {"Modelica.Math.Special.erf.near", R"(
  input Real u; output Real y;
protected
  Real s = min(abs(u), 0.5)^2;
algorithm
  y := u*((((1.85777706184603153e-1*s + 3.16112374387056560)*s + 1.13864154151050156e2)*s + 3.77485237685302021e2)*s
    + 3.20937758913846947e3)/((((s + 2.36012909523441209e1)*s + 2.44024637934444173e2)*s
    + 1.28261652607737228e3)*s + 2.84423683343917062e3);
)"},
    {"Modelica.Math.Special.erfc.tail", R"(
  input Real a; output Real y;
protected
  Real m = min(a, 4.0);
  Real r = 1/max(a, 4.0)^2;
algorithm
  y := if a <= 4 then
      exp(-a*a)*((((((((2.15311535474403846e-8*m + 5.64188496988670089e-1)*m + 8.88314979438837594)*m
        + 6.61191906371416295e1)*m + 2.98635138197400131e2)*m + 8.81952221241769090e2)*m
        + 1.71204761263407058e3)*m + 2.05107837782607147e3)*m + 1.23033935479799725e3)
        /((((((((m + 1.57449261107098347e1)*m + 1.17693950891312499e2)*m + 5.37181101862009858e2)*m
        + 1.62138957456669019e3)*m + 3.29079923573345963e3)*m + 4.36261909014324716e3)*m
        + 3.43936767414372164e3)*m + 1.23033935480374942e3)
    else
      exp(-a*a)/max(a, 4.0)*(0.5641895835477563 - r*(((((1.63153871373020978e-2*r + 3.05326634961232344e-1)*r
        + 3.60344899949804439e-1)*r + 1.25781726111229246e-1)*r + 1.60837851487422766e-2)*r
        + 6.58749161529837803e-4)/(((((r + 2.56852019228982242)*r + 1.87295284992346725)*r
        + 5.27905102951428412e-1)*r + 6.05183413124413191e-2)*r + 2.33520497626869185e-3));
)"},
    {"Modelica.Math.Special.erf", R"(
  input Real u; output Real y;
algorithm
  y := if abs(u) <= 0.46875 then 'Modelica.Math.Special.erf.near'(u)
    else sign(u)*(1 - 'Modelica.Math.Special.erfc.tail'(abs(u)));
)"},
    {"Modelica.Math.Special.erfc", R"(
  input Real u; output Real y;
algorithm
  y := if abs(u) <= 0.46875 then 1 - 'Modelica.Math.Special.erf.near'(u)
    elseif u > 0 then 'Modelica.Math.Special.erfc.tail'(abs(u))
    else 2 - 'Modelica.Math.Special.erfc.tail'(abs(u));
)"},
    // A first value that is right to two digits (Winitzki), then Halley's iteration on erf or erfc.
    {"Modelica.Math.Special.erfInv", R"(
  input Real u; output Real y;
protected
  Real a = abs(u);
  Real x;
  Real d;
algorithm
  if a > 0.5 then
    x := 'Modelica.Math.Special.erfcInv'(1 - a);
  else
    x := min(a, 0.5)*sqrt(3.141592653589793)/2*(1 + 3.141592653589793/12*min(a, 0.5)^2);
    for i in 1:4 loop
      d := ('Modelica.Math.Special.erf'(x) - a)*sqrt(3.141592653589793)/2*exp(x*x);
      x := x - d/(1 + x*d);
    end for;
  end if;
  y := if u < 0 then -x else x;
)"},
    {"Modelica.Math.Special.erfcInv", R"(
  input Real u; output Real y;
protected
  Real p = min(u, 2 - u) "the tail, at most 1";
  Real l = log(max(p*(2 - p), 1e-300));
  Real b = 2/(3.141592653589793*0.147) + l/2;
  Real x = sqrt(max(sqrt(max(b*b - l/0.147, 0)) - b, 0));
  Real d;
algorithm
  for i in 1:4 loop
    d := (p - 'Modelica.Math.Special.erfc'(x))*sqrt(3.141592653589793)/2*exp(min(x*x, 700));
    x := x - d/(1 + x*d);
  end for;
  y := if u > 1 then -x else x;
)"},
    {"Modelica.Math.Special.sinc", R"(
  input Real u; output Real y;
algorithm
  y := if abs(u) > 0.5e-4 then sin(u)/u else 1 - u^2/6 + u^4/120;
)"},
    {"Modelica.Math.Distributions.Uniform.density", R"(
  input Real u; input Real u_min = 0; input Real u_max = 1; output Real y;
algorithm
  y := if u < u_min or u > u_max then 0 else 1/(u_max - u_min);
)"},
    {"Modelica.Math.Distributions.Uniform.cumulative", R"(
  input Real u; input Real u_min = 0; input Real u_max = 1; output Real y;
algorithm
  y := if u < u_min then 0 elseif u > u_max then 1 else (u - u_min)/(u_max - u_min);
)"},
    {"Modelica.Math.Distributions.Uniform.quantile", R"(
  input Real u; input Real y_min = 0; input Real y_max = 1; output Real y;
algorithm
  y := u*(y_max - y_min) + y_min;
)"},
    {"Modelica.Math.Distributions.Normal.density", R"(
  input Real u; input Real mu = 0; input Real sigma = 1; output Real y;
algorithm
  y := exp(-((u - mu)/sigma)^2/2)/(sigma*sqrt(2*3.141592653589793));
)"},
    {"Modelica.Math.Distributions.Normal.cumulative", R"(
  input Real u; input Real mu = 0; input Real sigma = 1; output Real y;
algorithm
  y := 'Modelica.Math.Special.erfc'(-(u - mu)/(sigma*sqrt(2)))/2;
)"},
    {"Modelica.Math.Distributions.Normal.quantile", R"(
  input Real u; input Real mu = 0; input Real sigma = 1; output Real y;
algorithm
  y := mu - sigma*sqrt(2)*'Modelica.Math.Special.erfcInv'(2*u);
)"},
    {"Modelica.Math.Distributions.Weibull.density", R"(
  input Real u; input Real lambda; input Real k; output Real y;
algorithm
  y := if u >= 0 then k/lambda*(max(u, 0)/lambda)^(k - 1)*exp(-(max(u, 0)/lambda)^k) else 0;
)"},
    {"Modelica.Math.Distributions.Weibull.cumulative", R"(
  input Real u; input Real lambda; input Real k; output Real y;
algorithm
  y := if u >= 0 then 1 - exp(-(max(u, 0)/lambda)^k) else 0;
)"},
    {"Modelica.Math.Distributions.Weibull.quantile", R"(
  input Real u; input Real lambda = 1; input Real k; output Real y;
algorithm
  y := lambda*(-log(1 - u))^(1/k);
)"},
    {"Modelica.Math.Distributions.TruncatedNormal.density", R"(
  input Real u; input Real u_min = 0; input Real u_max = 1; input Real mu = (u_max + u_min)/2;
  input Real sigma = (u_max - u_min)/6; output Real y;
algorithm
  y := if u < u_min or u > u_max then 0 else 'Modelica.Math.Distributions.Normal.density'(u, mu, sigma)
    /('Modelica.Math.Distributions.Normal.cumulative'(u_max, mu, sigma)
    - 'Modelica.Math.Distributions.Normal.cumulative'(u_min, mu, sigma));
)"},
    {"Modelica.Math.Distributions.TruncatedNormal.cumulative", R"(
  input Real u; input Real u_min = 0; input Real u_max = 1; input Real mu = (u_max + u_min)/2;
  input Real sigma = (u_max - u_min)/6; output Real y;
protected
  Real low = 'Modelica.Math.Distributions.Normal.cumulative'(u_min, mu, sigma);
  Real high = 'Modelica.Math.Distributions.Normal.cumulative'(u_max, mu, sigma);
algorithm
  y := if u < u_min then 0 elseif u > u_max then 1
    else ('Modelica.Math.Distributions.Normal.cumulative'(u, mu, sigma) - low)/(high - low);
)"},
    {"Modelica.Math.Distributions.TruncatedNormal.quantile", R"(
  input Real u; input Real y_min = 0; input Real y_max = 1; input Real mu = (y_max + y_min)/2;
  input Real sigma = (y_max - y_min)/6; output Real y;
protected
  Real low = 'Modelica.Math.Distributions.Normal.cumulative'(y_min, mu, sigma);
  Real high = 'Modelica.Math.Distributions.Normal.cumulative'(y_max, mu, sigma);
algorithm
  y := min(y_max, max(y_min, 'Modelica.Math.Distributions.Normal.quantile'(low + u*(high - low), mu, sigma)));
)"},
    {"Modelica.Math.Distributions.TruncatedWeibull.density", R"(
  input Real u; input Real u_min = 0; input Real u_max = 1; input Real lambda = 1; input Real k = 1;
  output Real y;
algorithm
  y := if u < u_min or u > u_max then 0 else 'Modelica.Math.Distributions.Weibull.density'(u, lambda, k)
    /('Modelica.Math.Distributions.Weibull.cumulative'(u_max, lambda, k)
    - 'Modelica.Math.Distributions.Weibull.cumulative'(u_min, lambda, k));
)"},
    {"Modelica.Math.Distributions.TruncatedWeibull.cumulative", R"(
  input Real u; input Real u_min = 0; input Real u_max = 1; input Real lambda = 1; input Real k = 1;
  output Real y;
protected
  Real low = 'Modelica.Math.Distributions.Weibull.cumulative'(u_min, lambda, k);
  Real high = 'Modelica.Math.Distributions.Weibull.cumulative'(u_max, lambda, k);
algorithm
  y := if u < u_min then 0 elseif u > u_max then 1
    else ('Modelica.Math.Distributions.Weibull.cumulative'(u, lambda, k) - low)/(high - low);
)"},
    {"Modelica.Math.Distributions.TruncatedWeibull.quantile", R"(
  input Real u; input Real y_min = 0; input Real y_max = 1; input Real lambda = 1; input Real k = 1;
  output Real y;
protected
  Real low = 'Modelica.Math.Distributions.Weibull.cumulative'(y_min, lambda, k);
  Real high = 'Modelica.Math.Distributions.Weibull.cumulative'(y_max, lambda, k);
algorithm
  y := min(y_max, max(y_min, 'Modelica.Math.Distributions.Weibull.quantile'(low + u*(high - low), lambda, k)));
)"},
    {"Modelica.Math.Random.Generators.Xorshift64star.random", R"(
  input Integer stateIn[2]; output Real result; output Integer stateOut[2];
external "C" ModelicaRandom_xorshift64star(stateIn, stateOut, result);
)"},
    {"Modelica.Math.Random.Generators.Xorshift128plus.random", R"(
  input Integer stateIn[4]; output Real result; output Integer stateOut[4];
external "C" ModelicaRandom_xorshift128plus(stateIn, stateOut, result);
)"},
    {"Modelica.Math.Random.Generators.Xorshift1024star.random", R"(
  input Integer stateIn[33]; output Real result; output Integer stateOut[33];
external "C" ModelicaRandom_xorshift1024star(stateIn, stateOut, result);
)"},
    // The state after ten numbers; two seeds of zero would stay zero for ever.
    {"Modelica.Math.Random.Generators.Xorshift64star.initialState", R"(
  input Integer localSeed; input Integer globalSeed; output Integer state[2];
protected
  Real r;
algorithm
  state := if localSeed == 0 and globalSeed == 0 then {126247697, globalSeed} else {localSeed, globalSeed};
  for i in 1:10 loop
    (r, state) := 'Modelica.Math.Random.Generators.Xorshift64star.random'(state);
  end for;
)"},
    {"Modelica.Math.Random.Generators.Xorshift128plus.initialState", R"(
  input Integer localSeed; input Integer globalSeed; output Integer state[4];
algorithm
  state := 'Modelica.Math.Random.Utilities.initialStateWithXorshift64star'(localSeed, globalSeed, 4);
)"},
    {"Modelica.Math.Random.Generators.Xorshift1024star.initialState", R"(
  input Integer localSeed; input Integer globalSeed; output Integer state[33];
algorithm
  state := 'Modelica.Math.Random.Utilities.initialStateWithXorshift64star'(localSeed, globalSeed, 33);
)"},
    // The states of one xorshift64* after another, two Integers each.
    {"Modelica.Math.Random.Utilities.initialStateWithXorshift64star", R"(
  input Integer localSeed; input Integer globalSeed; input Integer nState; output Integer state[nState];
protected
  Real r;
  Integer two[2];
algorithm
  two := 'Modelica.Math.Random.Generators.Xorshift64star.initialState'(localSeed, globalSeed);
  for i in 1:nState loop
    if i > 2 and mod(i, 2) == 1 then
      (r, two) := 'Modelica.Math.Random.Generators.Xorshift64star.random'(two);
    end if;
    state[i] := two[2 - mod(i, 2)];
  end for;
)"},
};

}  // namespace

std::span<const LibraryFunction> random_functions() {
  return rows;
}

}  // namespace daedalus::flatten
