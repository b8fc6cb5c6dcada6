// Functions of Modelica.ComplexMath and the operators of Complex.
#include "model/flatten/library.hpp"

namespace daedalus::flatten {
namespace {

constexpr LibraryFunction rows[] = {
    {"Complex.'+'", R"(
  input 'Complex' c1; input 'Complex' c2; output 'Complex' c3;
algorithm
  c3 := 'Complex'(c1.re + c2.re, c1.im + c2.im);
)"},
    {"Complex.'-'.subtract", R"(
  input 'Complex' c1; input 'Complex' c2; output 'Complex' c3;
algorithm
  c3 := 'Complex'(c1.re - c2.re, c1.im - c2.im);
)"},
    {"Complex.'-'.negate", R"(
  input 'Complex' c1; output 'Complex' c2;
algorithm
  c2 := 'Complex'(-c1.re, -c1.im);
)"},
    {"Complex.'*'.multiply", R"(
  input 'Complex' c1; input 'Complex' c2; output 'Complex' c3;
algorithm
  c3 := 'Complex'(c1.re*c2.re - c1.im*c2.im, c1.re*c2.im + c1.im*c2.re);
)"},
    {"Complex.'*'.scalarProduct", R"(
  input 'Complex' c1[:]; input 'Complex' c2[size(c1, 1)]; output 'Complex' c3;
algorithm
  c3 := 'Complex'(sum(c1[i].re*c2[i].re - c1[i].im*c2[i].im for i in 1:size(c1, 1)),
    sum(c1[i].re*c2[i].im + c1[i].im*c2[i].re for i in 1:size(c1, 1)));
)"},
    {"Complex.'/'", R"(
  input 'Complex' c1; input 'Complex' c2; output 'Complex' c3;
protected
  Real d = c2.re*c2.re + c2.im*c2.im;
algorithm
  c3 := 'Complex'((c1.re*c2.re + c1.im*c2.im)/d, (c1.im*c2.re - c1.re*c2.im)/d);
)"},
    {"Complex.'^'", R"(
  input 'Complex' c1; input 'Complex' c2; output 'Complex' c3;
protected
  Real l = log(sqrt(c1.re^2 + c1.im^2));
  Real a = atan2(c1.im, c1.re);
  Real r = exp(l*c2.re - a*c2.im);
algorithm
  c3 := 'Complex'(r*cos(l*c2.im + a*c2.re), r*sin(l*c2.im + a*c2.re));
)"},
    {"Complex.'=='", R"(
  input 'Complex' c1; input 'Complex' c2; output Boolean result;
algorithm
  result := c1.re == c2.re and c1.im == c2.im;
)"},
    {"Complex.'<>'", R"(
  input 'Complex' c1; input 'Complex' c2; output Boolean result;
algorithm
  result := c1.re <> c2.re or c1.im <> c2.im;
)"},
    {"Complex.'0'", R"(
  output 'Complex' c;
algorithm
  c := 'Complex'(0, 0);
)"},
    {"Modelica.ComplexMath.abs", R"(
  input 'Complex' c; output Real y;
algorithm
  y := sqrt(c.re^2 + c.im^2);
)"},
    {"Modelica.ComplexMath.arg", R"(
  input 'Complex' c; input Real phi0 = 0; output Real phi;
algorithm
  phi := 'Modelica.Math.atan3'(c.im, c.re, phi0);
)"},
    {"Modelica.ComplexMath.conj", R"(
  input 'Complex' c1; output 'Complex' c2;
algorithm
  c2 := 'Complex'(c1.re, -c1.im);
)"},
    {"Modelica.ComplexMath.real", R"(
  input 'Complex' c; output Real r;
algorithm
  r := c.re;
)"},
    {"Modelica.ComplexMath.imag", R"(
  input 'Complex' c; output Real r;
algorithm
  r := c.im;
)"},
    {"Modelica.ComplexMath.fromPolar", R"(
  input Real len; input Real phi; output 'Complex' c;
algorithm
  c := 'Complex'(len*cos(phi), len*sin(phi));
)"},
    {"Modelica.ComplexMath.sqrt", R"(
  input 'Complex' c1; output 'Complex' c2;
protected
  Real r = sqrt(sqrt(c1.re^2 + c1.im^2));
  Real a = atan2(c1.im, c1.re)/2;
algorithm
  c2 := 'Complex'(r*cos(a), r*sin(a));
)"},
    {"Modelica.ComplexMath.exp", R"(
  input 'Complex' c1; output 'Complex' c2;
algorithm
  c2 := 'Complex'(exp(c1.re)*cos(c1.im), exp(c1.re)*sin(c1.im));
)"},
    {"Modelica.ComplexMath.log", R"(
  input 'Complex' c1; output 'Complex' c2;
algorithm
  c2 := 'Complex'(log(sqrt(c1.re^2 + c1.im^2)), atan2(c1.im, c1.re));
)"},
    {"Modelica.ComplexMath.sin", R"(
  input 'Complex' c1; output 'Complex' c2;
algorithm
  c2 := 'Complex'(sin(c1.re)*cosh(c1.im), cos(c1.re)*sinh(c1.im));
)"},
    {"Modelica.ComplexMath.cos", R"(
  input 'Complex' c1; output 'Complex' c2;
algorithm
  c2 := 'Complex'(cos(c1.re)*cosh(c1.im), -sin(c1.re)*sinh(c1.im));
)"},
    {"Modelica.ComplexMath.tan", R"(
  input 'Complex' c1; output 'Complex' c2;
algorithm
  c2 := 'Complex.\'/\''('Modelica.ComplexMath.sin'(c1), 'Modelica.ComplexMath.cos'(c1));
)"},
    {"Modelica.ComplexMath.sinh", R"(
  input 'Complex' c1; output 'Complex' c2;
algorithm
  c2 := 'Complex'(sinh(c1.re)*cos(c1.im), cosh(c1.re)*sin(c1.im));
)"},
    {"Modelica.ComplexMath.cosh", R"(
  input 'Complex' c1; output 'Complex' c2;
algorithm
  c2 := 'Complex'(cosh(c1.re)*cos(c1.im), sinh(c1.re)*sin(c1.im));
)"},
    {"Modelica.ComplexMath.tanh", R"(
  input 'Complex' c1; output 'Complex' c2;
algorithm
  c2 := 'Complex.\'/\''('Modelica.ComplexMath.sinh'(c1), 'Modelica.ComplexMath.cosh'(c1));
)"},
    {"Modelica.ComplexMath.sum", R"(
  input 'Complex' v[:]; output 'Complex' result;
algorithm
  result := 'Complex'(sum(v[i].re for i in 1:size(v, 1)), sum(v[i].im for i in 1:size(v, 1)));
)"},
    {"Modelica.ComplexMath.product", R"(
  input 'Complex' v[:]; output 'Complex' result;
algorithm
  result := 'Complex'(1, 0);
  for i in 1:size(v, 1) loop
    result := 'Complex.\'*\'.multiply'(result, v[i]);
  end for;
)"},
    {"Modelica.ComplexMath.Vectors.norm", R"(
  input 'Complex' v[:]; input Real p = 2; output Real result;
algorithm
  result := 'Modelica.Math.Vectors.norm'({sqrt(v[i].re^2 + v[i].im^2) for i in 1:size(v, 1)}, p);
)"},
    {"Modelica.ComplexMath.Vectors.length", R"(
  input 'Complex' v[:]; output Real result;
algorithm
  result := sqrt(sum(v[i].re^2 + v[i].im^2 for i in 1:size(v, 1)));
)"},
};

}  // namespace

std::span<const LibraryFunction> complex_functions() {
  return rows;
}

}  // namespace daedalus::flatten
