// Functions of Modelica.Mechanics.MultiBody.Frames: transformation matrices, orientations (a matrix and the
// angular velocity resolved in frame 2) and quaternions {e*sin(phi/2), cos(phi/2)}. T resolves in frame 2
// what is given in frame 1: v2 = T*v1.
#include "model/flatten/library.hpp"

namespace daedalus::flatten {
namespace {

constexpr LibraryFunction rows[] = {
    {"Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.nullRotation", R"(
  output Real T[3, 3];
algorithm
  T := identity(3);
)"},
    {"Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.inverseRotation", R"(
  input Real T[3, 3]; output Real T_inv[3, 3];
algorithm
  T_inv := transpose(T);
)"},
    {"Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.relativeRotation", R"(
  input Real T1[3, 3]; input Real T2[3, 3]; output Real T_rel[3, 3];
algorithm
  T_rel := T2*transpose(T1);
)"},
    {"Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.absoluteRotation", R"(
  input Real T1[3, 3]; input Real T_rel[3, 3]; output Real T2[3, 3];
algorithm
  T2 := T_rel*T1;
)"},
    {"Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.resolve1", R"(
  input Real T[3, 3]; input Real v2[3]; output Real v1[3];
algorithm
  v1 := transpose(T)*v2;
)"},
    {"Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.resolve2", R"(
  input Real T[3, 3]; input Real v1[3]; output Real v2[3];
algorithm
  v2 := T*v1;
)"},
    {"Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.multipleResolve1", R"(
  input Real T[3, 3]; input Real v2[3, :]; output Real v1[3, size(v2, 2)];
algorithm
  v1 := transpose(T)*v2;
)"},
    {"Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.multipleResolve2", R"(
  input Real T[3, 3]; input Real v1[3, :]; output Real v2[3, size(v1, 2)];
algorithm
  v2 := T*v1;
)"},
    {"Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.resolveDyade1", R"(
  input Real T[3, 3]; input Real D2[3, 3]; output Real D1[3, 3];
algorithm
  D1 := transpose(T)*D2*T;
)"},
    {"Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.resolveDyade2", R"(
  input Real T[3, 3]; input Real D1[3, 3]; output Real D2[3, 3];
algorithm
  D2 := T*D1*transpose(T);
)"},
    {"Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.orientationConstraint", R"(
  input Real T[3, 3]; output Real residue[6];
algorithm
  residue := {T[:, 1]*T[:, 1] - 1, T[:, 2]*T[:, 2] - 1, T[:, 3]*T[:, 3] - 1, T[:, 1]*T[:, 2], T[:, 1]*T[:, 3],
    T[:, 2]*T[:, 3]};
)"},
    {"Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.angularVelocity1", R"(
  input Real T[3, 3]; input Real der_T[3, 3]; output Real w[3];
algorithm
  w := transpose(T)*{T[3, :]*der_T[2, :], -T[3, :]*der_T[1, :], T[2, :]*der_T[1, :]};
)"},
    {"Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.angularVelocity2", R"(
  input Real T[3, 3]; input Real der_T[3, 3]; output Real w[3];
algorithm
  w := {T[3, :]*der_T[2, :], -T[3, :]*der_T[1, :], T[2, :]*der_T[1, :]};
)"},
    // A vector of frame 1 resolved in frame 2, which is turned by the angle around the axis.
    {"Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.axisRotation", R"(
  input Integer axis; input Real angle; output Real T[3, 3];
protected
  Real e[3] = {if axis == i then 1 else 0 for i in 1:3};
algorithm
  T := outerProduct(e, e) + (identity(3) - outerProduct(e, e))*cos(angle) - skew(e)*sin(angle);
)"},
    {"Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.planarRotation", R"(
  input Real e[3]; input Real angle; output Real T[3, 3];
algorithm
  T := outerProduct(e, e) + (identity(3) - outerProduct(e, e))*cos(angle) - skew(e)*sin(angle);
)"},
    {"Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.planarRotationAngle", R"(
  input Real e[3]; input Real v1[3]; input Real v2[3]; output Real angle;
algorithm
  angle := atan2(-cross(e, v1)*v2, v1*v2 - (e*v1)*(e*v2));
)"},
    {"Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.axesRotations", R"(
  input Integer sequence[3] = {1, 2, 3}; input Real angles[3]; output Real T[3, 3];
algorithm
  T := 'Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.axisRotation'(sequence[3], angles[3])*'Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.axisRotation'(sequence[2], angles[2])
    *'Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.axisRotation'(sequence[1], angles[1]);
)"},
    // The second axis stays across the last one while the first angle turns: tan(angle) = a/b, of two
    // solutions the one nearer to the guess.
    {"Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.axesRotationsAngles", R"(
  input Real T[3, 3]; input Integer sequence[3] = {1, 2, 3}; input Real guessAngle1 = 0; output Real angles[3];
protected
  Real e1[3] = {if sequence[1] == i then 1 else 0 for i in 1:3};
  Real e2[3] = {if sequence[2] == i then 1 else 0 for i in 1:3};
  Real e3[3] = {if sequence[3] == i then 1 else 0 for i in 1:3};
  Real v[3] = e3*T "the last axis, resolved in frame 1";
  Real a = e2*v;
  Real b = e2*cross(e1, v);
  Real first;
  Real second;
  Real A1[3, 3];
algorithm
  if a*a + b*b < 1e-24 then
    angles[1] := guessAngle1;
  else
    first := atan2(a, b);
    second := if first > 0 then first - 3.141592653589793 else first + 3.141592653589793;
    angles[1] := if abs(first - guessAngle1) <= abs(second - guessAngle1) then first else second;
  end if;
  A1 := 'Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.planarRotation'(e1, angles[1]);
  angles[2] := 'Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.planarRotationAngle'(e2, A1*v, e3);
  angles[3] := 'Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.planarRotationAngle'(e3, e2, T*(transpose(A1)*e2));
)"},
    // The x-axis along n_x, the y-axis as near to n_y as it can be.
    {"Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.from_nxy", R"(
  input Real n_x[3]; input Real n_y[3]; output Real T[3, 3];
protected
  Real l = sqrt(n_x*n_x);
  Real e_x[3] = if l < 1e-10 then {1, 0, 0} else n_x/max(l, 1e-10);
  Real c[3] = cross(e_x, n_y);
  Real second[3] = if c*c > 1e-6 then n_y elseif abs(e_x[1]) > 1e-6 then {0, 1, 0} else {1, 0, 0};
  Real d[3] = cross(e_x, second);
  Real e_z[3] = d/sqrt(d*d);
algorithm
  T := {e_x, cross(e_z, e_x), e_z};
)"},
    {"Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.from_nxz", R"(
  input Real n_x[3]; input Real n_z[3]; output Real T[3, 3];
protected
  Real l = sqrt(n_x*n_x);
  Real e_x[3] = if l < 1e-10 then {1, 0, 0} else n_x/max(l, 1e-10);
  Real c[3] = cross(n_z, e_x);
  Real third[3] = if c*c > 1e-6 then n_z elseif abs(e_x[1]) > 1e-6 then {0, 0, 1} else {1, 0, 0};
  Real d[3] = cross(third, e_x);
  Real e_y[3] = d/sqrt(d*d);
algorithm
  T := {e_x, e_y, cross(e_x, e_y)};
)"},
    {"Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.from_Q", R"(
  input Real Q[4]; output Real T[3, 3];
algorithm
  T := 'Modelica.Mechanics.MultiBody.Frames.Quaternions.to_T'(Q);
)"},
    {"Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.to_Q", R"(
  input Real T[3, 3]; input Real Q_guess[4] = {0, 0, 0, 1}; output Real Q[4];
algorithm
  Q := 'Modelica.Mechanics.MultiBody.Frames.Quaternions.from_T'(T, Q_guess);
)"},
    {"Modelica.Mechanics.MultiBody.Frames.nullRotation", R"(
  output 'Modelica.Mechanics.MultiBody.Frames.Orientation' R;
algorithm
  R := 'Modelica.Mechanics.MultiBody.Frames.Orientation'(identity(3), zeros(3));
)"},
    {"Modelica.Mechanics.MultiBody.Frames.inverseRotation", R"(
  input 'Modelica.Mechanics.MultiBody.Frames.Orientation' R; output 'Modelica.Mechanics.MultiBody.Frames.Orientation' R_inv;
algorithm
  R_inv := 'Modelica.Mechanics.MultiBody.Frames.Orientation'(transpose(R.T), -transpose(R.T)*R.w);
)"},
    {"Modelica.Mechanics.MultiBody.Frames.relativeRotation", R"(
  input 'Modelica.Mechanics.MultiBody.Frames.Orientation' R1; input 'Modelica.Mechanics.MultiBody.Frames.Orientation' R2; output 'Modelica.Mechanics.MultiBody.Frames.Orientation' R_rel;
algorithm
  R_rel := 'Modelica.Mechanics.MultiBody.Frames.Orientation'(R2.T*transpose(R1.T), R2.w - R2.T*(transpose(R1.T)*R1.w));
)"},
    {"Modelica.Mechanics.MultiBody.Frames.absoluteRotation", R"(
  input 'Modelica.Mechanics.MultiBody.Frames.Orientation' R1; input 'Modelica.Mechanics.MultiBody.Frames.Orientation' R_rel; output 'Modelica.Mechanics.MultiBody.Frames.Orientation' R2;
algorithm
  R2 := 'Modelica.Mechanics.MultiBody.Frames.Orientation'(R_rel.T*R1.T, R_rel.T*R1.w + R_rel.w);
)"},
    {"Modelica.Mechanics.MultiBody.Frames.angularVelocity1", R"(
  input 'Modelica.Mechanics.MultiBody.Frames.Orientation' R; output Real w[3];
algorithm
  w := transpose(R.T)*R.w;
)"},
    {"Modelica.Mechanics.MultiBody.Frames.angularVelocity2", R"(
  input 'Modelica.Mechanics.MultiBody.Frames.Orientation' R; output Real w[3];
algorithm
  w := R.w;
)"},
    {"Modelica.Mechanics.MultiBody.Frames.resolve1", R"(
  input 'Modelica.Mechanics.MultiBody.Frames.Orientation' R; input Real v2[3]; output Real v1[3];
algorithm
  v1 := transpose(R.T)*v2;
)"},
    {"Modelica.Mechanics.MultiBody.Frames.resolve2", R"(
  input 'Modelica.Mechanics.MultiBody.Frames.Orientation' R; input Real v1[3]; output Real v2[3];
algorithm
  v2 := R.T*v1;
)"},
    {"Modelica.Mechanics.MultiBody.Frames.resolveRelative", R"(
  input Real v1[3]; input 'Modelica.Mechanics.MultiBody.Frames.Orientation' R1; input 'Modelica.Mechanics.MultiBody.Frames.Orientation' R2; output Real v2[3];
algorithm
  v2 := R2.T*(transpose(R1.T)*v1);
)"},
    {"Modelica.Mechanics.MultiBody.Frames.resolveDyade1", R"(
  input 'Modelica.Mechanics.MultiBody.Frames.Orientation' R; input Real D2[3, 3]; output Real D1[3, 3];
algorithm
  D1 := transpose(R.T)*D2*R.T;
)"},
    {"Modelica.Mechanics.MultiBody.Frames.resolveDyade2", R"(
  input 'Modelica.Mechanics.MultiBody.Frames.Orientation' R; input Real D1[3, 3]; output Real D2[3, 3];
algorithm
  D2 := R.T*D1*transpose(R.T);
)"},
    {"Modelica.Mechanics.MultiBody.Frames.orientationConstraint", R"(
  input 'Modelica.Mechanics.MultiBody.Frames.Orientation' R; output Real residue[6];
algorithm
  residue := 'Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.orientationConstraint'(R.T);
)"},
    {"Modelica.Mechanics.MultiBody.Frames.axis", R"(
  input Integer axis; output Real e[3];
algorithm
  e := {if axis == i then 1 else 0 for i in 1:3};
)"},
    {"Modelica.Mechanics.MultiBody.Frames.axisRotation", R"(
  input Integer axis; input Real angle; input Real der_angle; output 'Modelica.Mechanics.MultiBody.Frames.Orientation' R;
algorithm
  R := 'Modelica.Mechanics.MultiBody.Frames.Orientation'('Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.axisRotation'(axis, angle), {if axis == i then der_angle else 0 for i in 1:3});
)"},
    {"Modelica.Mechanics.MultiBody.Frames.planarRotation", R"(
  input Real e[3]; input Real angle; input Real der_angle; output 'Modelica.Mechanics.MultiBody.Frames.Orientation' R;
algorithm
  R := 'Modelica.Mechanics.MultiBody.Frames.Orientation'('Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.planarRotation'(e, angle), e*der_angle);
)"},
    {"Modelica.Mechanics.MultiBody.Frames.planarRotationAngle", R"(
  input Real e[3]; input Real v1[3]; input Real v2[3]; output Real angle;
algorithm
  angle := 'Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.planarRotationAngle'(e, v1, v2);
)"},
    {"Modelica.Mechanics.MultiBody.Frames.axesRotations", R"(
  input Integer sequence[3] = {1, 2, 3}; input Real angles[3]; input Real der_angles[3]; output 'Modelica.Mechanics.MultiBody.Frames.Orientation' R;
protected
  Real T3[3, 3] = 'Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.axisRotation'(sequence[3], angles[3]);
  Real T2[3, 3] = 'Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.axisRotation'(sequence[2], angles[2]);
  Real T1[3, 3] = 'Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.axisRotation'(sequence[1], angles[1]);
algorithm
  R := 'Modelica.Mechanics.MultiBody.Frames.Orientation'(T3*T2*T1, 'Modelica.Mechanics.MultiBody.Frames.axis'(sequence[3])*der_angles[3] + T3*('Modelica.Mechanics.MultiBody.Frames.axis'(sequence[2])*der_angles[2]
    + T2*('Modelica.Mechanics.MultiBody.Frames.axis'(sequence[1])*der_angles[1])));
)"},
    {"Modelica.Mechanics.MultiBody.Frames.axesRotationsAngles", R"(
  input 'Modelica.Mechanics.MultiBody.Frames.Orientation' R; input Integer sequence[3] = {1, 2, 3}; input Real guessAngle1 = 0; output Real angles[3];
algorithm
  angles := 'Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.axesRotationsAngles'(R.T, sequence, guessAngle1);
)"},
    {"Modelica.Mechanics.MultiBody.Frames.from_nxy", R"(
  input Real n_x[3]; input Real n_y[3]; output 'Modelica.Mechanics.MultiBody.Frames.Orientation' R;
algorithm
  R := 'Modelica.Mechanics.MultiBody.Frames.Orientation'('Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.from_nxy'(n_x, n_y), zeros(3));
)"},
    {"Modelica.Mechanics.MultiBody.Frames.from_nxz", R"(
  input Real n_x[3]; input Real n_z[3]; output 'Modelica.Mechanics.MultiBody.Frames.Orientation' R;
algorithm
  R := 'Modelica.Mechanics.MultiBody.Frames.Orientation'('Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.from_nxz'(n_x, n_z), zeros(3));
)"},
    {"Modelica.Mechanics.MultiBody.Frames.from_T", R"(
  input Real T[3, 3]; input Real w[3]; output 'Modelica.Mechanics.MultiBody.Frames.Orientation' R;
algorithm
  R := 'Modelica.Mechanics.MultiBody.Frames.Orientation'(T, w);
)"},
    {"Modelica.Mechanics.MultiBody.Frames.from_T2", R"(
  input Real T[3, 3]; input Real der_T[3, 3]; output 'Modelica.Mechanics.MultiBody.Frames.Orientation' R;
algorithm
  R := 'Modelica.Mechanics.MultiBody.Frames.Orientation'(T, 'Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.angularVelocity2'(T, der_T));
)"},
    {"Modelica.Mechanics.MultiBody.Frames.from_T_inv", R"(
  input Real T_inv[3, 3]; input Real w[3]; output 'Modelica.Mechanics.MultiBody.Frames.Orientation' R;
algorithm
  R := 'Modelica.Mechanics.MultiBody.Frames.Orientation'(transpose(T_inv), -w);
)"},
    {"Modelica.Mechanics.MultiBody.Frames.from_Q", R"(
  input Real Q[4]; input Real w[3]; output 'Modelica.Mechanics.MultiBody.Frames.Orientation' R;
algorithm
  R := 'Modelica.Mechanics.MultiBody.Frames.Orientation'('Modelica.Mechanics.MultiBody.Frames.Quaternions.to_T'(Q), w);
)"},
    {"Modelica.Mechanics.MultiBody.Frames.to_T", R"(
  input 'Modelica.Mechanics.MultiBody.Frames.Orientation' R; output Real T[3, 3];
algorithm
  T := R.T;
)"},
    {"Modelica.Mechanics.MultiBody.Frames.to_T_inv", R"(
  input 'Modelica.Mechanics.MultiBody.Frames.Orientation' R; output Real T_inv[3, 3];
algorithm
  T_inv := transpose(R.T);
)"},
    {"Modelica.Mechanics.MultiBody.Frames.to_Q", R"(
  input 'Modelica.Mechanics.MultiBody.Frames.Orientation' R; input Real Q_guess[4] = {0, 0, 0, 1}; output Real Q[4];
algorithm
  Q := 'Modelica.Mechanics.MultiBody.Frames.Quaternions.from_T'(R.T, Q_guess);
)"},
    {"Modelica.Mechanics.MultiBody.Frames.to_vector", R"(
  input 'Modelica.Mechanics.MultiBody.Frames.Orientation' R; output Real vec[9];
algorithm
  vec := vector(R.T);
)"},
    {"Modelica.Mechanics.MultiBody.Frames.to_exy", R"(
  input 'Modelica.Mechanics.MultiBody.Frames.Orientation' R; output Real exy[3, 2];
algorithm
  exy := {{R.T[1, i], R.T[2, i]} for i in 1:3};
)"},
    {"Modelica.Mechanics.MultiBody.Frames.Quaternions.nullRotation", R"(
  output Real Q[4];
algorithm
  Q := {0, 0, 0, 1};
)"},
    {"Modelica.Mechanics.MultiBody.Frames.Quaternions.inverseRotation", R"(
  input Real Q[4]; output Real Q_inv[4];
algorithm
  Q_inv := {-Q[1], -Q[2], -Q[3], Q[4]};
)"},
    {"Modelica.Mechanics.MultiBody.Frames.Quaternions.orientationConstraint", R"(
  input Real Q[4]; output Real residue[1];
algorithm
  residue := {Q*Q - 1};
)"},
    // The product of quaternions: vector parts cross, scalar parts multiply.
    {"Modelica.Mechanics.MultiBody.Frames.Quaternions.absoluteRotation", R"(
  input Real Q1[4]; input Real Q_rel[4]; output Real Q2[4];
algorithm
  Q2[1:3] := Q_rel[4]*Q1[1:3] + Q1[4]*Q_rel[1:3] - cross(Q_rel[1:3], Q1[1:3]);
  Q2[4] := Q_rel[4]*Q1[4] - Q_rel[1:3]*Q1[1:3];
)"},
    {"Modelica.Mechanics.MultiBody.Frames.Quaternions.relativeRotation", R"(
  input Real Q1[4]; input Real Q2[4]; output Real Q_rel[4];
algorithm
  Q_rel := 'Modelica.Mechanics.MultiBody.Frames.Quaternions.absoluteRotation'({-Q1[1], -Q1[2], -Q1[3], Q1[4]}, Q2);
)"},
    {"Modelica.Mechanics.MultiBody.Frames.Quaternions.angularVelocity1", R"(
  input Real Q[4]; input Real der_Q[4]; output Real w[3];
algorithm
  w := 2*(Q[4]*der_Q[1:3] - der_Q[4]*Q[1:3] + cross(Q[1:3], der_Q[1:3]));
)"},
    {"Modelica.Mechanics.MultiBody.Frames.Quaternions.angularVelocity2", R"(
  input Real Q[4]; input Real der_Q[4]; output Real w[3];
algorithm
  w := 2*(Q[4]*der_Q[1:3] - der_Q[4]*Q[1:3] - cross(Q[1:3], der_Q[1:3]));
)"},
    {"Modelica.Mechanics.MultiBody.Frames.Quaternions.resolve1", R"(
  input Real Q[4]; input Real v2[3]; output Real v1[3];
algorithm
  v1 := 2*((Q[4]*Q[4] - 0.5)*v2 + (Q[1:3]*v2)*Q[1:3] + Q[4]*cross(Q[1:3], v2));
)"},
    {"Modelica.Mechanics.MultiBody.Frames.Quaternions.resolve2", R"(
  input Real Q[4]; input Real v1[3]; output Real v2[3];
algorithm
  v2 := 2*((Q[4]*Q[4] - 0.5)*v1 + (Q[1:3]*v1)*Q[1:3] - Q[4]*cross(Q[1:3], v1));
)"},
    {"Modelica.Mechanics.MultiBody.Frames.Quaternions.planarRotation", R"(
  input Real e[3]; input Real angle; output Real Q[4];
algorithm
  Q := {e[1]*sin(angle/2), e[2]*sin(angle/2), e[3]*sin(angle/2), cos(angle/2)};
)"},
    {"Modelica.Mechanics.MultiBody.Frames.Quaternions.to_T", R"(
  input Real Q[4]; output Real T[3, 3];
algorithm
  T := (2*Q[4]*Q[4] - 1)*identity(3) + 2*outerProduct(Q[1:3], Q[1:3]) - 2*Q[4]*skew(Q[1:3]);
)"},
    {"Modelica.Mechanics.MultiBody.Frames.Quaternions.to_T_inv", R"(
  input Real Q[4]; output Real T_inv[3, 3];
algorithm
  T_inv := transpose('Modelica.Mechanics.MultiBody.Frames.Quaternions.to_T'(Q));
)"},
    // By the component that is far enough from zero; of the two signs the one nearer to the guess.
    {"Modelica.Mechanics.MultiBody.Frames.Quaternions.from_T", R"(
  input Real T[3, 3]; input Real Q_guess[4] = {0, 0, 0, 1}; output Real Q[4];
protected
  Real c4 = 1 + T[1, 1] + T[2, 2] + T[3, 3] "four times the square of each component";
  Real c1 = 1 + T[1, 1] - T[2, 2] - T[3, 3];
  Real c2 = 1 + T[2, 2] - T[1, 1] - T[3, 3];
  Real c3 = 1 + T[3, 3] - T[1, 1] - T[2, 2];
  Real r;
algorithm
  if c4 >= 0.01 then
    r := sqrt(c4);
    Q := {(T[2, 3] - T[3, 2])/(2*r), (T[3, 1] - T[1, 3])/(2*r), (T[1, 2] - T[2, 1])/(2*r), r/2};
  elseif c1 >= 0.01 then
    r := sqrt(c1);
    Q := {r/2, (T[1, 2] + T[2, 1])/(2*r), (T[1, 3] + T[3, 1])/(2*r), (T[2, 3] - T[3, 2])/(2*r)};
  elseif c2 >= 0.01 then
    r := sqrt(c2);
    Q := {(T[1, 2] + T[2, 1])/(2*r), r/2, (T[2, 3] + T[3, 2])/(2*r), (T[3, 1] - T[1, 3])/(2*r)};
  else
    r := sqrt(c3);
    Q := {(T[1, 3] + T[3, 1])/(2*r), (T[2, 3] + T[3, 2])/(2*r), r/2, (T[1, 2] - T[2, 1])/(2*r)};
  end if;
  Q := if Q*Q_guess >= 0 then Q else -Q;
)"},
};

}  // namespace

std::span<const LibraryFunction> frame_functions() {
  return rows;
}

}  // namespace daedalus::flatten
