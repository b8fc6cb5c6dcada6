// One table: the name and a definition of our own, in Modelica, after the library's documentation. They go
// the same way as functions of the model file.
#include "model/flatten/library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "model/flatten/classes.hpp"

namespace daedalus::flatten {
namespace {

// Functions of scalars that are one formula: y = f(u).
struct Formula {
  std::string_view name;
  std::string_view formula;
};

constexpr Formula formulas[] = {
    {"Modelica.Math.asinh", "log(u + sqrt(u*u + 1))"},
    {"Modelica.Math.acosh", "log(u + sqrt(u*u - 1))"},
    {"Modelica.Units.Conversions.to_degC", "u - 273.15"},
    {"Modelica.Units.Conversions.from_degC", "u + 273.15"},
    {"Modelica.Units.Conversions.to_degF", "(u - 273.15)*1.8 + 32"},
    {"Modelica.Units.Conversions.from_degF", "(u - 32)/1.8 + 273.15"},
    {"Modelica.Units.Conversions.to_deg", "u*180/3.141592653589793"},
    {"Modelica.Units.Conversions.from_deg", "u*3.141592653589793/180"},
    {"Modelica.Units.Conversions.to_rpm", "u*30/3.141592653589793"},
    {"Modelica.Units.Conversions.from_rpm", "u*3.141592653589793/30"},
    {"Modelica.Units.Conversions.to_kmh", "u*3.6"},
    {"Modelica.Units.Conversions.from_kmh", "u/3.6"},
    {"Modelica.Units.Conversions.to_day", "u/86400"},
    {"Modelica.Units.Conversions.from_day", "u*86400"},
    {"Modelica.Units.Conversions.to_hour", "u/3600"},
    {"Modelica.Units.Conversions.from_hour", "u*3600"},
    {"Modelica.Units.Conversions.to_minute", "u/60"},
    {"Modelica.Units.Conversions.from_minute", "u*60"},
    {"Modelica.Units.Conversions.to_litre", "u*1000"},
    {"Modelica.Units.Conversions.from_litre", "u/1000"},
    {"Modelica.Units.Conversions.to_kWh", "u/3.6e6"},
    {"Modelica.Units.Conversions.from_kWh", "u*3.6e6"},
    {"Modelica.Units.Conversions.to_bar", "u/1e5"},
    {"Modelica.Units.Conversions.from_bar", "u*1e5"},
    {"Modelica.Units.Conversions.to_gps", "u*1000"},
    {"Modelica.Units.Conversions.from_gps", "u/1000"},
    {"Modelica.Units.Conversions.from_Hz", "u*2*3.141592653589793"},
    {"Modelica.Units.Conversions.to_Hz", "u/(2*3.141592653589793)"},
};

constexpr LibraryFunction rows[] = {
    // The angle of (u2, u1) nearest to the given one (Modelica.Math.atan3).
    {"Modelica.Math.atan3", R"(
  input Real u1; input Real u2; input Real y0 = 0; output Real y;
protected
  Real w = atan2(u1, u2);
algorithm
  y := if y0 == 0 then w else w + 2*3.141592653589793*integer((y0 - w + 3.141592653589793)/(2*3.141592653589793));
)"},
    {"Modelica.Math.Vectors.length", R"(
  input Real v[:]; output Real y;
algorithm
  y := sqrt(sum(v[i]*v[i] for i in 1:size(v, 1)));
)"},
    // The p-norm; p given as a number above 1e60 stands for the largest absolute value.
    {"Modelica.Math.Vectors.norm", R"(
  input Real v[:]; input Real p = 2; output Real y;
algorithm
  if p == 2 then
    y := sqrt(sum(v[i]*v[i] for i in 1:size(v, 1)));
  elseif p >= 1e60 then
    y := max(abs(v[i]) for i in 1:size(v, 1));
  elseif p == 1 then
    y := sum(abs(v[i]) for i in 1:size(v, 1));
  else
    y := (sum(abs(v[i])^p for i in 1:size(v, 1)))^(1/p);
  end if;
)"},
    {"Modelica.Math.Vectors.normalize", R"(
  input Real v[:]; input Real eps = 2.220446049250313e-14; output Real y[size(v, 1)];
protected
  Real l = sqrt(sum(v[i]*v[i] for i in 1:size(v, 1)));
algorithm
  y := if l >= eps then v/l else v/eps;
)"},
    {"Modelica.Math.Vectors.normalizeWithAssert", R"(
  input Real v[:]; output Real y[size(v, 1)];
protected
  Real l = sqrt(sum(v[i]*v[i] for i in 1:size(v, 1)));
algorithm
  assert(l > 0, "the vector to be normalised has length zero");
  y := v/l;
)"},
    {"Modelica.Math.Vectors.reverse", R"(
  input Real v[:]; output Real y[size(v, 1)];
algorithm
  y := {v[size(v, 1) + 1 - i] for i in 1:size(v, 1)};
)"},
    {"Modelica.Math.BooleanVectors.allTrue", R"(
  input Boolean b[:]; output Boolean y;
algorithm
  y := size(b, 1) > 0;
  for i in 1:size(b, 1) loop y := y and b[i]; end for;
)"},
    {"Modelica.Math.BooleanVectors.andTrue", R"(
  input Boolean b[:]; output Boolean y;
algorithm
  y := true;
  for i in 1:size(b, 1) loop y := y and b[i]; end for;
)"},
    {"Modelica.Math.BooleanVectors.anyTrue", R"(
  input Boolean b[:]; output Boolean y;
algorithm
  y := false;
  for i in 1:size(b, 1) loop y := y or b[i]; end for;
)"},
    {"Modelica.Math.BooleanVectors.countTrue", R"(
  input Boolean b[:]; output Integer y;
algorithm
  y := 0;
  for i in 1:size(b, 1) loop y := y + (if b[i] then 1 else 0); end for;
)"},
    {"Modelica.Math.BooleanVectors.oneTrue", R"(
  input Boolean b[:]; output Boolean y;
protected
  Integer n;
algorithm
  n := 0;
  for i in 1:size(b, 1) loop n := n + (if b[i] then 1 else 0); end for;
  y := n == 1;
)"},
    {"Modelica.Math.BooleanVectors.firstTrueIndex", R"(
  input Boolean b[:]; output Integer y;
algorithm
  y := 0;
  for i in 1:size(b, 1) loop y := if y == 0 and b[i] then i else y; end for;
)"},
    {"Modelica.Math.BooleanVectors.enumerate", R"(
  input Boolean b[:]; output Integer y[size(b, 1)];
algorithm
  y := {(if b[i] then i else 0) for i in 1:size(b, 1)};
)"},
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
};

StringMap<std::string> build_table() {
  StringMap<std::string> table;
  const auto add = [&](std::string_view name, std::string_view body) { table.emplace(name, body); };
  for (const auto family : {std::span<const LibraryFunction>(rows), blocks_functions(), fluid_functions()}) {
    for (const LibraryFunction& row : family) add(row.name, row.body);
  }
  constexpr std::string_view units = "Modelica.Units.";
  for (const Formula& row : formulas) {
    std::string body = "\n  input Real u; output Real y;\nalgorithm\n  y := ";
    body.append(row.formula).append(";\n");
    add(row.name, body);
    // The library called the package SIunits before version 4.
    if (row.name.starts_with(units))
      add("Modelica.SIunits." + std::string(row.name.substr(units.size())), body);
  }
  return table;
}

}  // namespace

namespace {

const StringMap<std::string>& table() {
  static const StringMap<std::string> all = build_table();
  return all;
}

// "*.a.b" is known by its end: the name of a replaceable package stands before it.
const std::string* find_body(std::string_view name) {
  if (const auto found = table().find(name); found != table().end()) return &found->second;
  for (std::size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.', dot + 1)) {
    const auto found = table().find("*" + std::string(name.substr(dot)));
    if (found != table().end()) return &found->second;
  }
  return nullptr;
}

}  // namespace

std::string library_text(std::string_view name) {
  const std::string* body = find_body(name);
  if (body == nullptr) return {};
  return fmt::format("function '{}'{}end '{}';\n", name, *body, name);
}

std::vector<std::string_view> library_names() {
  std::vector<std::string_view> names;
  for (const auto& [name, body] : table()) names.emplace_back(name);
  std::ranges::sort(names);
  return names;
}

}  // namespace daedalus::flatten
