// Motions, forces and inertias of rigid bodies as six components about one point, along the world's axes
// (Featherstone: Rigid Body Dynamics Algorithms, ch. 2). Along the world's axes nothing is to be turned on
// the way from a body to the next: composite inertias and forces are added.
#pragma once

#include "mechanics/vector.hpp"

namespace daedalus {

// Angular velocity, and the velocity of what is at the point of reference; or their rates.
struct SpatialMotion {
  ExprVec3 turn;
  ExprVec3 move;
};
// Moment about the point of reference, and force.
struct SpatialForce {
  ExprVec3 moment;
  ExprVec3 force;
};

[[nodiscard]] inline SpatialMotion operator+(const SpatialMotion& a, const SpatialMotion& b) {
  return {a.turn + b.turn, a.move + b.move};
}
[[nodiscard]] inline SpatialMotion operator*(const Expr& s, const SpatialMotion& a) {
  return {s * a.turn, s * a.move};
}
[[nodiscard]] inline SpatialForce operator+(const SpatialForce& a, const SpatialForce& b) {
  return {a.moment + b.moment, a.force + b.force};
}
[[nodiscard]] inline SpatialForce operator-(const SpatialForce& a, const SpatialForce& b) {
  return {a.moment - b.moment, a.force - b.force};
}
// Power.
[[nodiscard]] inline Expr dot(const SpatialMotion& a, const SpatialForce& f) {
  return dot(a.turn, f.moment) + dot(a.move, f.force);
}
// The rate of a motion b that is carried along by a; likewise of a force.
[[nodiscard]] inline SpatialMotion cross(const SpatialMotion& a, const SpatialMotion& b) {
  return {cross(a.turn, b.turn), cross(a.turn, b.move) + cross(a.move, b.turn)};
}
[[nodiscard]] inline SpatialForce cross(const SpatialMotion& a, const SpatialForce& f) {
  return {cross(a.turn, f.moment) + cross(a.move, f.force), cross(a.turn, f.force)};
}

// A symmetric matrix by its six entries.
struct ExprSymmetric {
  Expr xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
};
[[nodiscard]] inline ExprVec3 operator*(const ExprSymmetric& a, const ExprVec3& v) {
  return {a.xx * v.x + a.xy * v.y + a.xz * v.z, a.xy * v.x + a.yy * v.y + a.yz * v.z,
          a.xz * v.x + a.yz * v.y + a.zz * v.z};
}
[[nodiscard]] inline ExprSymmetric operator+(const ExprSymmetric& a, const ExprSymmetric& b) {
  return {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}
// R J Rᵀ
[[nodiscard]] inline ExprSymmetric turned(const ExprMat3& r, const Mat3& inertia) {
  const ExprMat3 t = r * symbolic(inertia);  // columns; (R J Rᵀ)_ab = Σ_k t_k[a] r_k[b]
  const auto entry = [&](Expr ExprVec3::*a, Expr ExprVec3::*b) {
    return t.x.*a * (r.x.*b) + t.y.*a * (r.y.*b) + t.z.*a * (r.z.*b);
  };
  constexpr auto x = &ExprVec3::x;
  constexpr auto y = &ExprVec3::y;
  constexpr auto z = &ExprVec3::z;
  return {entry(x, x), entry(y, y), entry(z, z), entry(x, y), entry(x, z), entry(y, z)};
}

// Of a body or of several put together, about the point of reference.
struct SpatialInertia {
  double mass = 0;
  ExprVec3 first;        // mass times the place of the centre of mass
  ExprSymmetric second;  // moments of inertia

  [[nodiscard]] SpatialForce operator*(const SpatialMotion& a) const {
    return {second * a.turn + cross(first, a.move), Expr(mass) * a.move + cross(a.turn, first)};
  }
};
[[nodiscard]] inline SpatialInertia operator+(const SpatialInertia& a, const SpatialInertia& b) {
  return {a.mass + b.mass, a.first + b.first, a.second + b.second};
}

}  // namespace daedalus
