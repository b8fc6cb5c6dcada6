// Functions of Modelica.Electrical.Spice3 that exports call: junctions, their charges, and the channel of a
// MOSFET, as SPICE 3 documents them.
#include "model/flatten/library.hpp"

namespace daedalus::flatten {
namespace {

constexpr LibraryFunction rows[] = {
    // SPICE: current and conductance of a bulk junction of a MOSFET, linear for reverse voltages and beyond
    // the largest current.
    {"Modelica.Electrical.Spice3.Internal.Functions.junction2SPICE3MOSFETRevised", R"(
  input Real voltage; input Real temp; input Real ncoeff; input Real satcur;
  output Real current; output Real cond;
protected
  constant Real gmin = 1e-12;
  Real vt = 1.380649e-23/1.6021918e-19*temp*ncoeff "thermal voltage";
  Real top = if satcur > 1e-101 then min(50.0, log(1e4/satcur)) else 0 "largest exponent";
  Real e = exp(min(voltage/vt, top));
algorithm
  if satcur <= 1e-101 then
    current := 0;
    cond := 0;
  elseif voltage <= 0 then
    current := satcur/vt*voltage;
    cond := satcur/vt + gmin;
  elseif voltage >= top*vt then
    current := satcur*(e - 1) + satcur*e/vt*(voltage - top*vt);
    cond := satcur*e/vt;
  else
    current := satcur*(e - 1);
    cond := satcur*e/vt + gmin;
  end if;
)"},
    // SPICE: depletion capacitance C0/(1 - v/phi)^m below the depletion voltage, continued by its tangent. A
    // capacitance that is not there must be exactly zero, not zero times something: it decides what is a
    // state.
    {"Modelica.Electrical.Spice3.Internal.Functions.junctionCapRevised", R"(
  input Real capin; input Real voltage; input Real depcap; input Real mj; input Real phij;
  input Real f1; input Real f2; input Real f3;
  output Real capout; output Real charge;
protected
  Real gap = max(1 - voltage/phij, 1e-100);
  Real falloff = if mj == 0.5 then 1/sqrt(gap) else exp(-mj*log(gap));
algorithm
  if capin == 0 then
    capout := 0;
    charge := 0;
  elseif voltage < depcap then
    capout := capin*falloff;
    charge := phij*capin*(1 - gap*falloff)/(1 - mj);
  else
    capout := capin/f2*(f3 + mj*voltage/phij);
    charge := capin*f1 + capin/f2*(f3*(voltage - depcap) + mj/(2*phij)*(voltage^2 - depcap^2));
  end if;
)"},
    // Shichman and Hodges' square law (SPICE level 1): cut-off, linear and saturated channel.
    {"Modelica.Electrical.Spice3.Internal.Mos1.drainCur", R"(
  input Real vb; input Real vg; input Real vds;
  input 'Modelica.Electrical.Spice3.Internal.Mos1.Mos1Calc' c;
  input 'Modelica.Electrical.Spice3.Internal.Mos1.Mos1ModelLineParams' p;
  input 'Modelica.Electrical.Spice3.Internal.SpiceConstants' k;
  input 'Modelica.Electrical.Spice3.Internal.Mos.MosModelLineVariables' v;
  input Integer polarity;
  output 'Modelica.Electrical.Spice3.Internal.Mos1.Mos1Calc' y;
protected
  Real root = if vb <= 0 then sqrt(c.m_tPhi - min(vb, 0)) else max(0, sqrt(c.m_tPhi) - vb/(2*sqrt(c.m_tPhi)));
  Real von = c.m_tVbi*polarity + (if v.m_gamma == 0 then 0 else v.m_gamma*root) "turn-on voltage";
  Real over = vg - von "overdrive";
  Real body = if v.m_gamma == 0 or root <= 0 then 0 else v.m_gamma/(2*root);
  Real beta = c.m_Beta*(1 + p.m_lambda*vds);
  Real channel = min(over, vds) "the voltage along the open channel";
algorithm
  y := c;
  y.m_von := von;
  y.m_vdsat := max(over, 0);
  y.m_cdrain := if over <= 0 then 0 else beta*channel*(over - 0.5*channel);
  y.m_gm := if over <= 0 then 0 else beta*channel;
  y.m_gds := if over <= 0 then 0 else
    beta*max(over - vds, 0) + p.m_lambda*c.m_Beta*channel*(over - 0.5*channel);
  y.m_gmbs := y.m_gm*body;
)"},
    // Meyer's gate capacitances, piecewise in the gate voltage above turn-on.
    {"Modelica.Electrical.Spice3.Internal.Mos.mosCalcDEVqmeyer", R"(
  input Real vgs; input Real vgd; input Real vgb;
  input 'Modelica.Electrical.Spice3.Internal.Mos1.Mos1Calc' c;
  output 'Modelica.Electrical.Spice3.Internal.Mos.DEVqmeyer' q;
protected
  Real over = vgs - c.m_von;
  Real phi = c.m_tPhi;
  Real third = c.m_capOx/3;
  Real vds = vgs - vgd;
  Real reach = 2*c.m_vdsat - vds;
  Boolean open = over > 0;
  Boolean saturated = c.m_vdsat <= vds;
algorithm
  q.qm_capgb := if c.m_capOx == 0 then 0 elseif over <= -phi then c.m_capOx/2 elseif open then 0 else -over*c.m_capOx/(2*phi);
  q.qm_capgs := if c.m_capOx == 0 or over <= -phi/2 then 0
                elseif not open then over*c.m_capOx/(1.5*phi) + third
                elseif saturated then third
                else third*(1 - ((c.m_vdsat - vds)/reach)^2);
  q.qm_capgd := if c.m_capOx == 0 or not open or saturated then 0 else third*(1 - (c.m_vdsat/reach)^2);
  q.qm_qgs := 0;
  q.qm_qgb := 0;
  q.qm_qgd := 0;
  q.qm_vgs := 0;
  q.qm_vgb := 0;
  q.qm_vgd := 0;
)"},
    // The two diodes of a junction of a bipolar transistor, ideal and leaking; backwards beyond five thermal
    // voltages the
    // current is the saturation current. Linear beyond the largest exponent.
    {"Modelica.Electrical.Spice3.Internal.Functions.junction2SPICE3BJT", R"(
  input Real voltage; input Real temp; input Real ncoeff; input Real ncoeff2; input Real satcur; input Real satcur2;
  output Real current; output Real cond; output Real current2; output Real cond2;
protected
  constant Real gmin = 1e-12;
  Real vt = 1.380649e-23/1.6021918e-19*temp "thermal voltage";
  Real v1 = vt*ncoeff;
  Real v2 = vt*ncoeff2;
  Real top1 = if satcur > 1e-101 then log(1e4/satcur) else 0 "largest exponents";
  Real top2 = if satcur2 > 1e-101 then log(1e4/satcur2) else 0;
  Real e1 = exp(min(voltage/v1, top1));
  Real e2 = exp(min(voltage/v2, top2));
algorithm
  if satcur <= 1e-101 then
    current := 0;
    cond := 0;
  elseif voltage <= -5*v1 then
    current := -satcur + gmin*voltage;
    cond := gmin;
  elseif voltage >= top1*v1 then
    current := satcur*(e1 - 1) + satcur*e1/v1*(voltage - top1*v1) + gmin*voltage;
    cond := satcur*e1/v1 + gmin;
  else
    current := satcur*(e1 - 1) + gmin*voltage;
    cond := satcur*e1/v1 + gmin;
  end if;
  if satcur2 <= 1e-101 then
    current2 := 0;
    cond2 := 0;
  elseif voltage <= -5*v1 then
    current2 := -satcur2;
    cond2 := 0;
  elseif voltage >= top2*v2 then
    current2 := satcur2*(e2 - 1) + satcur2*e2/v2*(voltage - top2*v2);
    cond2 := satcur2*e2/v2;
  else
    current2 := satcur2*(e2 - 1);
    cond2 := satcur2*e2/v2;
  end if;
)"},
    // The same depletion capacitance under the name of older versions.
    {"Modelica.Electrical.Spice3.Internal.Functions.junctionCap", R"(
  input Real capin; input Real voltage; input Real depcap; input Real mj; input Real phij;
  input Real f1; input Real f2; input Real f3;
  output Real capout; output Real charge;
algorithm
  (capout, charge) := 'Modelica.Electrical.Spice3.Internal.Functions.junctionCapRevised'(capin, voltage, depcap, mj,
    phij, f1, f2, f3);
)"},
    // Depletion and diffusion charge: transit time times conductance and current.
    {"Modelica.Electrical.Spice3.Internal.Functions.junctionCapTransTime", R"(
  input Real capin; input Real voltage; input Real depcap; input Real mj; input Real phij;
  input Real f1; input Real f2; input Real f3; input Real transittime; input Real conduct; input Real current;
  output Real capout; output Real charge;
protected
  Real c;
  Real q;
algorithm
  (c, q) := 'Modelica.Electrical.Spice3.Internal.Functions.junctionCapRevised'(capin, voltage, depcap, mj, phij, f1,
    f2, f3);
  capout := if transittime == 0 then c else c + transittime*conduct;
  charge := if transittime == 0 then q else q + transittime*current;
)"},
};

}  // namespace

std::span<const LibraryFunction> spice_functions() {
  return rows;
}

}  // namespace daedalus::flatten
