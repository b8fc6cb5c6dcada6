// Functions of Modelica.Blocks, Modelica.Electrical and Modelica.Math that exports call: filters, polyphase
// systems and space phasors, vectors and matrices, polynomials, complex numbers.
#include "model/flatten/library.hpp"

namespace daedalus::flatten {
namespace {

constexpr LibraryFunction rows[] = {
    // A filter with cut-off frequency 1 rad/s, moved to f_cut; poles cr_in, and s^2 + c1_in*s + c0_in.
    {"Modelica.Blocks.Continuous.Internal.Filter.coefficients.lowPass", R"(
  input Real cr_in[:]; input Real c0_in[:]; input Real c1_in[size(c0_in, 1)]; input Real f_cut;
  output Real cr[size(cr_in, 1)]; output Real c0[size(c0_in, 1)]; output Real c1[size(c0_in, 1)];
protected
  Real w = 2*3.141592653589793*f_cut;
algorithm
  cr := w*cr_in;
  c1 := w*c1_in;
  c0 := w^2*c0_in;
)"},
    {"Modelica.Blocks.Continuous.Internal.Filter.coefficients.highPass", R"(
  input Real cr_in[:]; input Real c0_in[:]; input Real c1_in[size(c0_in, 1)]; input Real f_cut;
  output Real cr[size(cr_in, 1)]; output Real c0[size(c0_in, 1)]; output Real c1[size(c0_in, 1)];
protected
  Real w = 2*3.141592653589793*f_cut;
algorithm
  for i in 1:size(cr_in, 1) loop cr[i] := w/cr_in[i]; end for;
  for i in 1:size(c0_in, 1) loop
    c1[i] := w*c1_in[i]/c0_in[i];
    c0[i] := w^2/c0_in[i];
  end for;
)"},
    // The angles of the windings of a symmetric system of m phases: an even number of phases is two systems
    // of half
    // as many, the second behind by pi/m; two phases are at right angles.
    {"Modelica.Electrical.Polyphase.Functions.symmetricOrientation", R"(
  input Integer m; output Real orientation[m];
protected
  Integer k = div(m, 2);
algorithm
  if mod(m, 2) == 0 then
    if m == 2 then
      orientation := {0, 3.141592653589793/2};
    else
      orientation[1:k] := 'Modelica.Electrical.Polyphase.Functions.symmetricOrientation'(k);
      orientation[k + 1:m] := 'Modelica.Electrical.Polyphase.Functions.symmetricOrientation'(k)
        - fill(3.141592653589793/m, k);
    end if;
  else
    orientation := {(i - 1)*2*3.141592653589793/m for i in 1:m};
  end if;
)"},
    {"Modelica.Electrical.Polyphase.Functions.factorY2D", R"(
  input Integer m; output Real y;
algorithm
  y := if m == 2 then sqrt(2) else 2*sin(3.141592653589793/m);
)"},
    {"Modelica.Electrical.Polyphase.Functions.factorY2DC", R"(
  input Integer m; output Real y;
algorithm
  y := if m == 2 then 4/3.141592653589793*sqrt(2) else 2*sin(3.141592653589793/m)*m/3.141592653589793;
)"},
    {"Modelica.Electrical.Polyphase.Functions.numberOfSymmetricBaseSystems", R"(
  input Integer m; output Integer n;
protected
  Integer k = m;
algorithm
  n := 1;
  while mod(k, 2) == 0 and k > 2 loop
    k := div(k, 2);
    n := n*2;
  end while;
)"},
    // Space phasors: amplitude invariant transformation of m instantaneous values, and a turn of the frame.
    {"Modelica.Electrical.Machines.SpacePhasors.Functions.ToSpacePhasor", R"(
  input Real x[:]; output Real y[2]; output Real y0;
protected
  Integer m = size(x, 1);
algorithm
  y := {2/m*sum(cos((k - 1)/m*2*3.141592653589793)*x[k] for k in 1:m),
        2/m*sum(sin((k - 1)/m*2*3.141592653589793)*x[k] for k in 1:m)};
  y0 := sum(x[k] for k in 1:m)/m;
)"},
    {"Modelica.Electrical.Machines.SpacePhasors.Functions.FromSpacePhasor", R"(
  input Real x[2]; input Real x0; input Integer m = 3; output Real y[m];
algorithm
  y := {x0 + cos((k - 1)/m*2*3.141592653589793)*x[1] + sin((k - 1)/m*2*3.141592653589793)*x[2] for k in 1:m};
)"},
    {"Modelica.Electrical.Machines.SpacePhasors.Functions.Rotator", R"(
  input Real x[2]; input Real angle; output Real y[2];
algorithm
  y := {cos(-angle)*x[1] - sin(-angle)*x[2], sin(-angle)*x[1] + cos(-angle)*x[2]};
)"},
    {"Modelica.Electrical.Machines.SpacePhasors.Functions.quasiRMS", R"(
  input Real x[:]; output Real y;
protected
  Integer m = size(x, 1);
algorithm
  y := sqrt(((2/m*sum(cos((k - 1)/m*2*3.141592653589793)*x[k] for k in 1:m))^2
     + (2/m*sum(sin((k - 1)/m*2*3.141592653589793)*x[k] for k in 1:m))^2)/2);
)"},
    {"Modelica.Math.Polynomials.evaluate", R"(
  input Real p[:]; input Real u; output Real y;
algorithm
  y := p[1];
  for j in 2:size(p, 1) loop y := p[j] + u*y; end for;
)"},
    {"Modelica.Math.Polynomials.derivativeValue", R"(
  input Real p[:]; input Real u; output Real y;
protected
  Integer n = size(p, 1);
algorithm
  y := if n > 1 then p[1]*(n - 1) else 0;
  for j in 2:n - 1 loop y := p[j]*(n - j) + u*y; end for;
)"},
    {"Modelica.Math.Vectors.sort", R"(
  input Real v[:]; output Real s[size(v, 1)];
protected
  Real t;
algorithm
  s := v;
  for i in 1:size(v, 1) - 1 loop
    for j in 1:size(v, 1) - i loop
      t := max(s[j], s[j + 1]);
      s[j] := min(s[j], s[j + 1]);
      s[j + 1] := t;
    end for;
  end for;
)"},
    // Gauss with the largest pivot of each column.
    {"Modelica.Math.Matrices.solve", R"(
  input Real A[:, :]; input Real b[:]; output Real x[size(b, 1)];
protected
  Integer n = size(b, 1);
  Real M[size(A, 1), size(A, 1)] = A;
  Real r[size(b, 1)] = b;
  Real row[size(A, 1)];
  Real t;
algorithm
  for k in 1:n loop
    for i in k + 1:n loop
      if abs(M[i, k]) > abs(M[k, k]) then
        row := M[k, :];
        M[k, :] := M[i, :];
        M[i, :] := row;
        t := r[k];
        r[k] := r[i];
        r[i] := t;
      end if;
    end for;
    for i in k + 1:n loop
      t := M[i, k]/M[k, k];
      M[i, :] := M[i, :] - t*M[k, :];
      r[i] := r[i] - t*r[k];
    end for;
  end for;
  for k in 1:n loop
    x[n + 1 - k] := r[n + 1 - k];
    for j in n + 2 - k:n loop x[n + 1 - k] := x[n + 1 - k] - M[n + 1 - k, j]*x[j]; end for;
    x[n + 1 - k] := x[n + 1 - k]/M[n + 1 - k, n + 1 - k];
  end for;
)"},
    {"Modelica.Math.Matrices.inv", R"(
  input Real A[:, :]; output Real invA[size(A, 1), size(A, 1)];
algorithm
  for k in 1:size(A, 1) loop
    invA[:, k] := 'Modelica.Math.Matrices.solve'(A, {if i == k then 1 else 0 for i in 1:size(A, 1)});
  end for;
)"},
    {"Modelica.Math.Matrices.solve2", R"(
  input Real A[:, :]; input Real B[:, :]; output Real X[size(A, 1), size(B, 2)];
algorithm
  for k in 1:size(B, 2) loop
    X[:, k] := 'Modelica.Math.Matrices.solve'(A, B[:, k]);
  end for;
)"},
    {"Modelica.Math.Matrices.frobeniusNorm", R"(
  input Real A[:, :]; output Real result;
algorithm
  result := sqrt(sum(A[i, j]^2 for i in 1:size(A, 1), j in 1:size(A, 2)));
)"},
    {"Modelica.Math.Vectors.isEqual", R"(
  input Real v1[:]; input Real v2[:]; input Real eps = 0; output Boolean result;
algorithm
  result := size(v1, 1) == size(v2, 1);
  for i in 1:min(size(v1, 1), size(v2, 1)) loop
    result := result and abs(v1[i] - v2[i]) <= eps;
  end for;
)"},
    // Straight lines between the points, the first and the last line go on.
    {"Modelica.Math.Vectors.interpolate", R"(
  input Real x[:]; input Real y[size(x, 1)]; input Real xi; input Integer iLast = 1;
  output Real yi; output Integer iNew;
protected
  Integer n = size(x, 1);
algorithm
  yi := y[1];
  iNew := 1;
  for i in 1:n - 1 loop
    if x[i + 1] > x[i] then
      if i == 1 or xi >= x[i] then
        yi := y[i] + (y[i + 1] - y[i])*(xi - x[i])/(x[i + 1] - x[i]);
        iNew := i;
      end if;
    end if;
  end for;
)"},
    {"Modelica.Electrical.Polyphase.Functions.quasiRMS", R"(
  input Real x[:]; output Real y;
algorithm
  y := sqrt(sum(x[k]^2 for k in 1:size(x, 1))/size(x, 1));
)"},
    {"Modelica.Electrical.Polyphase.Functions.activePower", R"(
  input Real v[:]; input Real i[size(v, 1)]; output Real p;
algorithm
  p := sum(v[k]*i[k] for k in 1:size(v, 1));
)"},
    // m/2 times the scalar product of the space phasors.
    {"Modelica.Electrical.Machines.SpacePhasors.Functions.activePower", R"(
  input Real v[:]; input Real i[size(v, 1)]; output Real p;
protected
  Integer m = size(v, 1);
  Real a[2];
  Real b[2];
  Real zero;
algorithm
  (a, zero) := 'Modelica.Electrical.Machines.SpacePhasors.Functions.ToSpacePhasor'(v);
  (b, zero) := 'Modelica.Electrical.Machines.SpacePhasors.Functions.ToSpacePhasor'(i);
  p := m/2*(a[1]*b[1] + a[2]*b[2]);
)"},
    {"Modelica.Electrical.Machines.SpacePhasors.Functions.ToPolar", R"(
  input Real x[2]; output Real absolute; output Real angle;
algorithm
  absolute := sqrt(x[1]^2 + x[2]^2);
  angle := if absolute <= 1e-60 then 0 else atan2(x[2], x[1]);
)"},
    {"Modelica.Electrical.Machines.SpacePhasors.Functions.FromPolar", R"(
  input Real absolute; input Real angle; output Real x[2];
algorithm
  x := {absolute*cos(angle), absolute*sin(angle)};
)"},
    // Temperature coefficients count from 20 degC; those of another temperature are smaller.
    {"Modelica.Electrical.Machines.Thermal.convertAlpha", R"(
  input Real alpha1; input Real T2; input Real T1 = 293.15; output Real alpha2;
algorithm
  alpha2 := alpha1/(1 + alpha1*(T2 - T1));
)"},
    {"Modelica.Electrical.Machines.Thermal.convertResistance", R"(
  input Real RRef; input Real TRef; input Real alpha20; input Real T; output Real R;
algorithm
  R := RRef*(1 + alpha20/(1 + alpha20*(TRef - 293.15))*(T - TRef));
)"},
    // Amplitudes and phases of cosines. The library divides by the number of frequencies, n/2 + 1, where n/2
    // would give
    // the amplitudes themselves; results are to be the library's.
    {"Modelica.Math.FastFourierTransform.Internal.rawRealFFT", R"(
  input Real u[:]; output Integer info; output Real amplitudes[div(size(u, 1), 2) + 1];
  output Real phases[div(size(u, 1), 2) + 1];
protected
  Integer n = size(u, 1);
  Real re;
  Real im;
algorithm
  info := 0;
  for i in 0:div(n, 2) loop
    re := sum(u[k]*cos(2*3.141592653589793*mod(i*(k - 1), n)/n) for k in 1:n);
    im := -sum(u[k]*sin(2*3.141592653589793*mod(i*(k - 1), n)/n) for k in 1:n);
    amplitudes[i + 1] := sqrt(re^2 + im^2)/(div(n, 2) + 1);
    phases[i + 1] := atan2(im, re);
  end for;
)"},
    {"Modelica.Math.Matrices.trace", R"(
  input Real A[:, :]; output Real y;
algorithm
  y := sum(A[i, i] for i in 1:size(A, 1));
)"},
};

}  // namespace

std::span<const LibraryFunction> blocks_functions() {
  return rows;
}

}  // namespace daedalus::flatten
