// Water and steam: the IAPWS Industrial Formulation 1997 (revised release of 2007) under the names that
// exports of Modelica.Media.Water call it by. Regions 1 (liquid), 2 (steam) and 4 (both); what lies in region
// 3 (around the critical point) or 5 (above 1073.15 K) is refused by an assertion. Coefficients from the
// release, Tables 2, 6, 10, 11, 20 to 22 and 34.
#include "model/flatten/library.hpp"

namespace daedalus::flatten {
namespace {

constexpr LibraryFunction rows[] = {
    // Liquid water, equation 7. Terms whose factor is zero are left out: zero times an expression stays one.
    {"Modelica.Media.Water.IF97_Utilities.BaseIF97.Basic.g1", R"(
  input Real p; input Real T; output 'Modelica.Media.Common.GibbsDerivs' g;
protected
  constant Integer I[34] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 8, 8,
    21, 23, 29, 30, 31, 32};
  constant Integer J[34] = {-2, -1, 0, 1, 2, 3, 4, 5, -9, -7, -1, 0, 1, 3, -3, 0, 1, 3, 17, -4, 0, 6, -5, -2,
    10, -8, -11, -6, -29, -31, -38, -39, -40, -41};
  constant Real n[34] = {0.14632971213167, -0.84548187169114, -0.37563603672040e1, 0.33855169168385e1,
    -0.95791963387872, 0.15772038513228, -0.16616417199501e-1, 0.81214629983568e-3, 0.28319080123804e-3,
    -0.60706301565874e-3, -0.18990068218419e-1, -0.32529748770505e-1, -0.21841717175414e-1,
    -0.52838357969930e-4, -0.47184321073267e-3, -0.30001780793026e-3, 0.47661393906987e-4,
    -0.44141845330846e-5, -0.72694996297594e-15, -0.31679644845054e-4, -0.28270797985312e-5,
    -0.85205128120103e-9, -0.22425281908000e-5, -0.65171222895601e-6, -0.14341729937924e-12,
    -0.40516996860117e-6, -0.12734301741641e-8, -0.17424871230634e-9, -0.68762131295531e-18,
    0.14478307828521e-19, 0.26335781662795e-22, -0.11947622640071e-22, 0.18228094581404e-23,
    -0.93537087292458e-25};
  Real a = 7.1 - p/16.53e6;
  Real b = 1386/T - 1.222;
algorithm
  g.p := p;
  g.T := T;
  g.R_s := 461.526;
  g.pi := p/16.53e6;
  g.tau := 1386/T;
  g.g := sum(n[i]*a^I[i]*b^J[i] for i in 1:34);
  g.gpi := -sum((if I[i] == 0 then 0 else n[i]*I[i]*a^(I[i] - 1)*b^J[i]) for i in 1:34);
  g.gpipi := sum((if I[i] < 2 then 0 else n[i]*I[i]*(I[i] - 1)*a^(I[i] - 2)*b^J[i]) for i in 1:34);
  g.gtau := sum((if J[i] == 0 then 0 else n[i]*J[i]*a^I[i]*b^(J[i] - 1)) for i in 1:34);
  g.gtautau := sum((if J[i]*(J[i] - 1) == 0 then 0 else n[i]*J[i]*(J[i] - 1)*a^I[i]*b^(J[i] - 2)) for i in 1:34);
  g.gtaupi := -sum((if I[i]*J[i] == 0 then 0 else n[i]*I[i]*J[i]*a^(I[i] - 1)*b^(J[i] - 1)) for i in 1:34);
)"},
    // Steam, equations 15 to 17: ideal gas and residual part.
    {"Modelica.Media.Water.IF97_Utilities.BaseIF97.Basic.g2", R"(
  input Real p; input Real T; input Boolean checkLimits = true; output 'Modelica.Media.Common.GibbsDerivs' g;
protected
  constant Integer J0[9] = {0, 1, -5, -4, -3, -2, -1, 2, 3};
  constant Real n0[9] = {-0.96927686500217e1, 0.10086655968018e2, -0.56087911283020e-2, 0.71452738081455e-1,
    -0.40710498223928, 0.14240819171444e1, -0.43839511319450e1, -0.28408632460772, 0.21268463753307e-1};
  constant Integer I[43] = {1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 4, 4, 4, 5, 6, 6, 6, 7, 7, 7, 8, 8, 9,
    10, 10, 10, 16, 16, 18, 20, 20, 20, 21, 22, 23, 24, 24, 24};
  constant Integer J[43] = {0, 1, 2, 3, 6, 1, 2, 4, 7, 36, 0, 1, 3, 6, 35, 1, 2, 3, 7, 3, 16, 35, 0, 11, 25, 8,
    36, 13, 4, 10, 14, 29, 50, 57, 20, 35, 48, 21, 53, 39, 26, 40, 58};
  constant Real n[43] = {-0.17731742473213e-2, -0.17834862292358e-1, -0.45996013696365e-1,
    -0.57581259083432e-1, -0.50325278727930e-1, -0.33032641670203e-4, -0.18948987516315e-3,
    -0.39392777243355e-2, -0.43797295650573e-1, -0.26674547914087e-4, 0.20481737692309e-7, 0.43870667284435e-6,
    -0.32277677238570e-4, -0.15033924542148e-2, -0.40668253562649e-1, -0.78847309559367e-9,
    0.12790717852285e-7, 0.48225372718507e-6, 0.22922076337661e-5, -0.16714766451061e-10, -0.21171472321355e-2,
    -0.23895741934104e2, -0.59059564324270e-17, -0.12621808899101e-5, -0.38946842435739e-1,
    0.11256211360459e-10, -0.82311340897998e1, 0.19809712802088e-7, 0.10406965210174e-18,
    -0.10234747095929e-12, -0.10018179379511e-8, -0.80882908646985e-10, 0.10693031879409, -0.33662250574171,
    0.89185845355421e-24, 0.30629316876232e-12, -0.42002467698208e-5, -0.59056029685639e-25,
    0.37826947613457e-5, -0.12768608934681e-14, 0.73087610595061e-28, 0.55414715350778e-16,
    -0.94369707241210e-6};
  Real pi = p/1e6;
  Real t = 540/T;
  Real b = 540/T - 0.5;
algorithm
  g.p := p;
  g.T := T;
  g.R_s := 461.526;
  g.pi := pi;
  g.tau := t;
  g.g := log(pi) + sum(n0[i]*t^J0[i] for i in 1:9) + sum(n[i]*pi^I[i]*b^J[i] for i in 1:43);
  g.gpi := 1/pi + sum(n[i]*I[i]*pi^(I[i] - 1)*b^J[i] for i in 1:43);
  g.gpipi := -1/pi^2 + sum((if I[i] < 2 then 0 else n[i]*I[i]*(I[i] - 1)*pi^(I[i] - 2)*b^J[i]) for i in 1:43);
  g.gtau := sum((if J0[i] == 0 then 0 else n0[i]*J0[i]*t^(J0[i] - 1)) for i in 1:9)
    + sum((if J[i] == 0 then 0 else n[i]*J[i]*pi^I[i]*b^(J[i] - 1)) for i in 1:43);
  g.gtautau := sum((if J0[i]*(J0[i] - 1) == 0 then 0 else n0[i]*J0[i]*(J0[i] - 1)*t^(J0[i] - 2)) for i in 1:9)
    + sum((if J[i] < 2 then 0 else n[i]*J[i]*(J[i] - 1)*pi^I[i]*b^(J[i] - 2)) for i in 1:43);
  g.gtaupi := sum((if J[i] == 0 then 0 else n[i]*I[i]*J[i]*pi^(I[i] - 1)*b^(J[i] - 1)) for i in 1:43);
)"},
    // T(p, h) of liquid water, equation 11.
    {"Modelica.Media.Water.IF97_Utilities.BaseIF97.Basic.tph1", R"(
  input Real p; input Real h; output Real T;
protected
  constant Integer I[20] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 3, 4, 5, 6};
  constant Integer J[20] = {0, 1, 2, 6, 22, 32, 0, 1, 2, 3, 4, 10, 32, 10, 32, 10, 32, 32, 32, 32};
  constant Real n[20] = {-0.23872489924521e3, 0.40421188637945e3, 0.11349746881718e3, -0.58457616048039e1,
    -0.15285482413140e-3, -0.10866707695377e-5, -0.13391744872602e2, 0.43211039183559e2, -0.54010067170506e2,
    0.30535892203916e2, -0.65964749423638e1, 0.93965400878363e-2, 0.11573647505340e-6, -0.25858641282073e-4,
    -0.40644363084799e-8, 0.66456186191635e-7, 0.80670734103027e-10, -0.93477771213947e-12,
    0.58265442020601e-14, -0.15020185953503e-16};
  Real pi = p/1e6;
  Real b = h/2.5e6 + 1;
algorithm
  T := sum(n[i]*pi^I[i]*b^J[i] for i in 1:20);
)"},
    // T(p, h) of steam, equations 22 to 24, and the line between 2b and 2c, equation 21.
    {"Modelica.Media.Water.IF97_Utilities.BaseIF97.Basic.tph2", R"(
  input Real p; input Real h; output Real T;
protected
  Real pi = p/1e6;
  Real line = 2652.6571908428 + sqrt(max(pi - 4.5257578905948, 0)/1.2809002730136e-4);
algorithm
  if p <= 4e6 then
    T := 'IF97.T_2a'(p, h);
  elseif p < 6.546699678e6 or h/1e3 >= line then
    T := 'IF97.T_2b'(p, h);
  else
    T := 'IF97.T_2c'(p, h);
  end if;
)"},
    {"IF97.T_2a", R"(
  input Real p; input Real h; output Real T;
protected
  constant Integer I[34] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 4, 4, 4,
    5, 5, 5, 6, 6, 7};
  constant Integer J[34] = {0, 1, 2, 3, 7, 20, 0, 1, 2, 3, 7, 9, 11, 18, 44, 0, 2, 7, 36, 38, 40, 42, 44, 24,
    44, 12, 32, 44, 32, 36, 42, 34, 44, 28};
  constant Real n[34] = {0.10898952318288e4, 0.84951654495535e3, -0.10781748091826e3, 0.33153654801263e2,
    -0.74232016790248e1, 0.11765048724356e2, 0.18445749355790e1, -0.41792700549624e1, 0.62478196935812e1,
    -0.17344563108114e2, -0.20058176862096e3, 0.27196065473796e3, -0.45511318285818e3, 0.30919688604755e4,
    0.25226640357872e6, -0.61707422868339e-2, -0.31078046629583, 0.11670873077107e2, 0.12812798404046e9,
    -0.98554909623276e9, 0.28224546973002e10, -0.35948971410703e10, 0.17227349913197e10, -0.13551334240775e5,
    0.12848734664650e8, 0.13865724283226e1, 0.23598832556514e6, -0.13105236545054e8, 0.73999835474766e4,
    -0.55196697030060e6, 0.37154085996233e7, 0.19127729239660e5, -0.41535164835634e6, -0.62459855192507e2};
algorithm
  T := sum(n[i]*(p/1e6)^I[i]*(h/2e6 - 2.1)^J[i] for i in 1:34);
)"},
    {"IF97.T_2b", R"(
  input Real p; input Real h; output Real T;
protected
  constant Integer I[38] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4,
    4, 4, 5, 5, 5, 6, 7, 7, 9, 9};
  constant Integer J[38] = {0, 1, 2, 12, 18, 24, 28, 40, 0, 2, 6, 12, 18, 24, 28, 40, 2, 8, 18, 40, 1, 2, 12,
    24, 2, 12, 18, 24, 28, 40, 18, 24, 40, 28, 2, 28, 1, 40};
  constant Real n[38] = {0.14895041079516e4, 0.74307798314034e3, -0.97708318797837e2, 0.24742464705674e1,
    -0.63281320016026, 0.11385952129658e1, -0.47811863648625, 0.85208123431544e-2, 0.93747147377932,
    0.33593118604916e1, 0.33809355601454e1, 0.16844539671904, 0.73875745236695, -0.47128737436186,
    0.15020273139707, -0.21764114219750e-2, -0.21810755324761e-1, -0.10829784403677, -0.46333324635812e-1,
    0.71280351959551e-4, 0.11032831789999e-3, 0.18955248387902e-3, 0.30891541160537e-2, 0.13555504554949e-2,
    0.28640237477456e-6, -0.10779857357512e-4, -0.76462712454814e-4, 0.14052392818316e-4, -0.31083814331434e-4,
    -0.10302738212103e-5, 0.28217281635040e-6, 0.12704902271945e-5, 0.73803353468292e-7, -0.11030139238909e-7,
    -0.81456365207833e-13, -0.25180545682962e-10, -0.17565233969407e-17, 0.86934156344163e-14};
algorithm
  T := sum(n[i]*(p/1e6 - 2)^I[i]*(h/2e6 - 2.6)^J[i] for i in 1:38);
)"},
    {"IF97.T_2c", R"(
  input Real p; input Real h; output Real T;
protected
  constant Integer I[23] = {-7, -7, -6, -6, -5, -5, -2, -2, -1, -1, 0, 0, 1, 1, 2, 6, 6, 6, 6, 6, 6, 6, 6};
  constant Integer J[23] = {0, 4, 0, 2, 0, 2, 0, 1, 0, 2, 0, 1, 4, 8, 4, 0, 1, 4, 10, 12, 16, 20, 22};
  constant Real n[23] = {-0.32368398555242e13, 0.73263350902181e13, 0.35825089945447e12, -0.58340131851590e12,
    -0.10783068217470e11, 0.20825544563171e11, 0.61074783564516e6, 0.85977722535580e6, -0.25745723604170e5,
    0.31081088422714e5, 0.12082315865936e4, 0.48219755109255e3, 0.37966001272486e1, -0.10842984880077e2,
    -0.45364172676660e-1, 0.14559115658698e-12, 0.11261597407230e-11, -0.17804982240686e-10,
    0.12324579690832e-6, -0.11606921130984e-5, 0.27846367088554e-4, -0.59270038474176e-3, 0.12918582991878e-2};
algorithm
  T := sum(n[i]*(p/1e6 + 25)^I[i]*(h/2e6 - 1.8)^J[i] for i in 1:23);
)"},
    // The saturation line, equations 29 to 31.
    {"Modelica.Media.Water.IF97_Utilities.BaseIF97.Basic.psat", R"(
  input Real T; output Real p;
protected
  Real s = T - 0.23855557567849/(T - 0.65017534844798e3);
  Real A = s^2 + 0.11670521452767e4*s - 0.72421316703206e6;
  Real B = -0.17073846940092e2*s^2 + 0.12020824702470e5*s - 0.32325550322333e7;
  Real C = 0.14915108613530e2*s^2 - 0.48232657361591e4*s + 0.40511340542057e6;
algorithm
  p := 1e6*(2*C/(-B + sqrt(B^2 - 4*A*C)))^4;
)"},
    {"Modelica.Media.Water.IF97_Utilities.BaseIF97.Basic.tsat", R"(
  input Real p; output Real t_sat;
protected
  Real b = (max(min(p, 2.2064e7), 611.657)/1e6)^0.25;
  Real E = b^2 - 0.17073846940092e2*b + 0.14915108613530e2;
  Real F = 0.11670521452767e4*b^2 + 0.12020824702470e5*b - 0.48232657361591e4;
  Real G = -0.72421316703206e6*b^2 - 0.32325550322333e7*b + 0.40511340542057e6;
  Real D = 2*G/(-F - sqrt(F^2 - 4*E*G));
algorithm
  t_sat := (0.65017534844798e3 + D - sqrt((0.65017534844798e3 + D)^2
    - 4*(-0.23855557567849 + 0.65017534844798e3*D)))/2;
)"},
    {"Modelica.Media.Water.IF97_Utilities.BaseIF97.Basic.dptofT", R"(
  input Real T; output Real dpdT;
protected
  Real s = T - 0.23855557567849/(T - 0.65017534844798e3);
  Real ds = 1 + 0.23855557567849/(T - 0.65017534844798e3)^2;
  Real A = s^2 + 0.11670521452767e4*s - 0.72421316703206e6;
  Real B = -0.17073846940092e2*s^2 + 0.12020824702470e5*s - 0.32325550322333e7;
  Real C = 0.14915108613530e2*s^2 - 0.48232657361591e4*s + 0.40511340542057e6;
  Real dA = 2*s + 0.11670521452767e4;
  Real dB = -2*0.17073846940092e2*s + 0.12020824702470e5;
  Real dC = 2*0.14915108613530e2*s - 0.48232657361591e4;
  Real r = sqrt(B^2 - 4*A*C);
  Real D = -B + r;
  Real dD = -dB + (B*dB - 2*(dA*C + A*dC))/r;
algorithm
  dpdT := 4e6*(2*C/D)^3*2*(dC*D - C*dD)/D^2*ds;
)"},
    {"Modelica.Media.Water.IF97_Utilities.BaseIF97.Basic.dtsatofp", R"(
  input Real p; output Real dtsat;
algorithm
  dtsat := 1/'Modelica.Media.Water.IF97_Utilities.BaseIF97.Basic.dptofT'(
    'Modelica.Media.Water.IF97_Utilities.BaseIF97.Basic.tsat'(p));
)"},
    // Enthalpy and density on the boiling and the dew curve.
    {"Modelica.Media.Water.IF97_Utilities.hl_p", R"(
  input Real p; output Real h;
protected
  Real T = 'Modelica.Media.Water.IF97_Utilities.BaseIF97.Basic.tsat'(p);
  'Modelica.Media.Common.GibbsDerivs' g = 'Modelica.Media.Water.IF97_Utilities.BaseIF97.Basic.g1'(p, T);
algorithm
  assert(p <= 1.65291642526e7, "the boiling curve of water above 165.29 bar (region 3 of IF97) is not supported");
  h := g.R_s*T*g.tau*g.gtau;
)"},
    {"Modelica.Media.Water.IF97_Utilities.hv_p", R"(
  input Real p; output Real h;
protected
  Real T = 'Modelica.Media.Water.IF97_Utilities.BaseIF97.Basic.tsat'(p);
  'Modelica.Media.Common.GibbsDerivs' g = 'Modelica.Media.Water.IF97_Utilities.BaseIF97.Basic.g2'(p, T);
algorithm
  assert(p <= 1.65291642526e7, "the dew curve of water above 165.29 bar (region 3 of IF97) is not supported");
  h := g.R_s*T*g.tau*g.gtau;
)"},
    {"Modelica.Media.Water.IF97_Utilities.rhol_T", R"(
  input Real T; output Real d;
protected
  Real p = 'Modelica.Media.Water.IF97_Utilities.BaseIF97.Basic.psat'(T);
  'Modelica.Media.Common.GibbsDerivs' g = 'Modelica.Media.Water.IF97_Utilities.BaseIF97.Basic.g1'(p, T);
algorithm
  assert(T <= 623.15, "boiling water above 623.15 K (region 3 of IF97) is not supported");
  d := p/(g.R_s*T*g.pi*g.gpi);
)"},
    {"Modelica.Media.Water.IF97_Utilities.rhov_T", R"(
  input Real T; output Real d;
protected
  Real p = 'Modelica.Media.Water.IF97_Utilities.BaseIF97.Basic.psat'(T);
  'Modelica.Media.Common.GibbsDerivs' g = 'Modelica.Media.Water.IF97_Utilities.BaseIF97.Basic.g2'(p, T);
algorithm
  assert(T <= 623.15, "saturated steam above 623.15 K (region 3 of IF97) is not supported");
  d := p/(g.R_s*T*g.pi*g.gpi);
)"},
    {"Modelica.Media.Water.IF97_Utilities.BaseIF97.Regions.hl_p_R4b", R"(
  input Real p; output Real h;
algorithm
  h := 'Modelica.Media.Water.IF97_Utilities.hl_p'(p);
)"},
    {"Modelica.Media.Water.IF97_Utilities.BaseIF97.Regions.hv_p_R4b", R"(
  input Real p; output Real h;
algorithm
  h := 'Modelica.Media.Water.IF97_Utilities.hv_p'(p);
)"},
    {"Modelica.Media.Water.IF97_Utilities.BaseIF97.Regions.rhol_p_R4b", R"(
  input Real p; output Real dl;
algorithm
  dl := 'Modelica.Media.Water.IF97_Utilities.rhol_T'('Modelica.Media.Water.IF97_Utilities.BaseIF97.Basic.tsat'(p));
)"},
    {"Modelica.Media.Water.IF97_Utilities.BaseIF97.Regions.rhov_p_R4b", R"(
  input Real p; output Real dv;
algorithm
  dv := 'Modelica.Media.Water.IF97_Utilities.rhov_T'('Modelica.Media.Water.IF97_Utilities.BaseIF97.Basic.tsat'(p));
)"},
    // Which region. A phase that is given is kept beyond its boundary, so that an event finds the crossing.
    {"Modelica.Media.Water.IF97_Utilities.BaseIF97.Regions.region_ph", R"(
  input Real p; input Real h; input Integer phase = 0; input Integer mode = 0; output Integer region;
protected
  Real q = min(p, 1.65291642526e7);
  Real hl = 'Modelica.Media.Water.IF97_Utilities.hl_p'(q);
  Real hv = 'Modelica.Media.Water.IF97_Utilities.hv_p'(q);
algorithm
  region := if mode <> 0 then mode
    elseif p > 1.65291642526e7 then (if h < 1.67e6 then 1 elseif h > 2.57e6 then 2 else 3)
    elseif phase == 2 then 4
    elseif h < hl or phase == 1 and h < (hl + hv)/2 then 1
    elseif h > hv or phase == 1 then 2
    else 4;
)"},
    {"Modelica.Media.Water.IF97_Utilities.BaseIF97.Regions.region_pT", R"(
  input Real p; input Real T; input Integer mode = 0; output Integer region;
protected
  Real b23 = 1e6*(0.34805185628969e3 - 0.11671859879975e1*T + 0.10192970039326e-2*T^2);
  Real ps = 'Modelica.Media.Water.IF97_Utilities.BaseIF97.Basic.psat'(min(T, 623.15));
algorithm
  region := if mode <> 0 then mode elseif T > 1073.15 then 5
    elseif T <= 623.15 then (if p >= ps then 1 else 2)
    elseif T < 863.15 and p > b23 then 3 else 2;
)"},
    {"Modelica.Media.Water.IF97_Utilities.BaseIF97.Basic.f3", R"(
  input Real d; input Real T; output 'Modelica.Media.Common.HelmholtzDerivs' f;
algorithm
  assert(false, "water around its critical point (region 3 of IF97) is not supported");
  f := 'Modelica.Media.Common.HelmholtzDerivs'(d, T, 461.526, d/322, 647.096/T, 0, 1, 1, 1, -1, 1);
)"},
    {"Modelica.Media.Water.IF97_Utilities.BaseIF97.Inverses.dtofph3", R"(
  input Real p; input Real h; input Real delp; input Real delh; output Real d; output Real T; output Integer error;
algorithm
  d := 322;
  T := 647.096;
  error := 0;
)"},
    {"Modelica.Media.Water.IF97_Utilities.BaseIF97.Inverses.dofpt3", R"(
  input Real p; input Real T; input Real delp; output Real d; output Integer error;
algorithm
  d := 322;
  error := 0;
)"},
    {"Modelica.Media.Water.IF97_Utilities.BaseIF97.Inverses.tofph5", R"(
  input Real p; input Real h; input Real reldh; output Real T; output Integer error;
algorithm
  T := 1500;
  error := 0;
)"},
    {"Modelica.Media.Water.IF97_Utilities.BaseIF97.Basic.g5", R"(
  input Real p; input Real T; output 'Modelica.Media.Common.GibbsDerivs' g;
algorithm
  assert(false, "steam above 1073.15 K (region 5 of IF97) is not supported");
  g := 'Modelica.Media.Water.IF97_Utilities.BaseIF97.Basic.g2'(p, T);
)"},
    // All that the Gibbs function says of one phase.
    {"Modelica.Media.Common.gibbsToBoundaryProps", R"(
  input 'Modelica.Media.Common.GibbsDerivs' g; output 'Modelica.Media.Common.PhaseBoundaryProperties' sat;
protected
  Real v = g.R_s*g.T/g.p*g.pi*g.gpi;
  Real a = g.gpi - g.tau*g.gtaupi;
algorithm
  sat.d := 1/v;
  sat.h := g.R_s*g.T*g.tau*g.gtau;
  sat.u := g.R_s*g.T*(g.tau*g.gtau - g.pi*g.gpi);
  sat.s := g.R_s*(g.tau*g.gtau - g.g);
  sat.cp := -g.R_s*g.tau^2*g.gtautau;
  sat.cv := g.R_s*(-g.tau^2*g.gtautau + a^2/g.gpipi);
  sat.pt := -g.p/g.T*a/(g.gpipi*g.pi);
  sat.pd := -g.R_s*g.T*g.gpi^2/g.gpipi;
)"},
    {"Modelica.Media.Common.helmholtzToBoundaryProps", R"(
  input 'Modelica.Media.Common.HelmholtzDerivs' f; output 'Modelica.Media.Common.PhaseBoundaryProperties' sat;
protected
  Real p = f.R_s*f.d*f.T*f.delta*f.fdelta;
  Real a = f.delta*(f.fdelta - f.tau*f.fdeltatau);
algorithm
  sat.d := f.d;
  sat.h := f.R_s*f.T*(f.tau*f.ftau + f.delta*f.fdelta);
  sat.s := f.R_s*(f.tau*f.ftau - f.f);
  sat.u := f.R_s*f.T*f.tau*f.ftau;
  sat.cv := -f.R_s*f.tau^2*f.ftautau;
  sat.pt := f.R_s*f.d*a;
  sat.pd := f.R_s*f.T*f.delta*(2*f.fdelta + f.delta*f.fdeltadelta);
  sat.cp := sat.cv + f.T*sat.pt^2/(f.d^2*sat.pd);
)"},
    // (du/dT) at constant volume of a mixture of liquid and steam: the phases change along their boundaries.
    {"Modelica.Media.Common.cv2Phase", R"(
  input 'Modelica.Media.Common.PhaseBoundaryProperties' liq; input 'Modelica.Media.Common.PhaseBoundaryProperties' vap;
  input Real x; input Real T; input Real p; output Real cv;
protected
  Real dpT = (vap.s - liq.s)*liq.d*vap.d/(liq.d - vap.d);
  Real dvl = (liq.pt - dpT)/(liq.pd*liq.d^2);
  Real dvv = (vap.pt - dpT)/(vap.pd*vap.d^2);
  Real dx = -(dvl + x*(dvv - dvl))*liq.d*vap.d/(liq.d - vap.d);
  Real dul = liq.cv + (T*liq.pt - p)*dvl;
  Real duv = vap.cv + (T*vap.pt - p)*dvv;
algorithm
  cv := dul + x*(duv - dul) + dx*(vap.u - liq.u);
)"},
};

}  // namespace

std::span<const LibraryFunction> water_functions() {
  return rows;
}

}  // namespace daedalus::flatten
