// A body's coordinates as variables of a model, and what follows from them.
//
// Planar: x, y of the centre of mass and the angle φ; m x'' = F, J φ'' = τ.
// Spatial: x, y, z of the centre of mass and a unit quaternion q = (q0 … q3) that turns the body's axes into
// the world's. With G(q) of 3 × 4, ω = 2 G q' is the angular velocity along the body's axes, G q = 0,
// G Gᵀ = 1, and a torque τ (along the body's axes) is the generalised force 2 Gᵀτ. Euler's equations
// J ω' + ω × Jω = τ become
//
//   2 Gᵀ (J 2G q'' + ω × Jω - τ) + c q (q·q'' + q'·q') + 2 q λ = 0,     q·q = 1.
//
// Without the second term the mass matrix 4 GᵀJG has the kernel q (the singular mass of Petzold, Potra 1992
// (2.4b) and Petzold, Ren, Maly 1997 §4.3). The term is c/2 q times the second derivative of the constraint,
// which is zero, so it changes no solution, and neither the multiplier; but it makes the mass matrix 4 GᵀJG +
// c q qᵀ positive definite with the eigenvalues 4 J₁, 4 J₂, 4 J₃, c, everywhere. So every formulation applies
// without the singular-mass wrapper. c is 4/3 trace J, the mean of the others.
#pragma once

#include <string>
#include <vector>

#include "mechanics/mechanism.hpp"

namespace daedalus {

// One generalised coordinate and its equation of motion: inertia - forces + Gᵀλ = 0.
struct CoordinateEquation {
  Expr coordinate;
  Expr residual;  // what is known of it so far
  std::string label;
  SourceSpan span;
};

struct BodyMotion {
  bool moves = false;  // false: the ground
  bool turns = false;  // has an orientation
  bool planar = false;
  int number = -1;            // of the body; -1: the ground
  int first_coordinate = -1;  // in body coordinates
  ExprVec3 position;          // of the centre of mass
  ExprVec3 velocity;
  ExprMat3 axes;
  ExprVec3 spin;                  // angular velocity along the world's axes
  ExprVec3 body_spin;             // along the body's
  Expr angle = 0;                 // planar
  Vec3 centre;                    // of mass, in the body's frame
  Frame start;                    // where the body's frame is at the start
  std::vector<Expr> quaternion;   // the body's own, a coordinate
  std::vector<Expr> orientation;  // in joint coordinates: a quaternion as a result

  // The place of a point given in the body's frame.
  [[nodiscard]] ExprVec3 point(const Vec3& in_body) const;
  [[nodiscard]] ExprMat3 axes_of(const Mat3& in_body) const { return axes * symbolic(in_body); }
};

// Where variables and equations of motion go.
struct Unknowns {
  ModelBuilder& model;
  std::vector<CoordinateEquation>& equations;
};

[[nodiscard]] BodyMotion ground_motion();
// Declares the variables and begins the equations of motion with the inertia terms.
[[nodiscard]] BodyMotion declare_body(const Body& body, Dimension dimension, const Unknowns& unknowns);

// Adds a force (world's axes) at a point of the body's frame, or a torque, to the equations of motion.
void apply_force(const BodyMotion& body, const ExprVec3& force, const Vec3& point,
                 std::vector<CoordinateEquation>& equations);
void apply_torque(const BodyMotion& body, const ExprVec3& torque, std::vector<CoordinateEquation>& equations);

// ω along the body's axes is 2 G(q) q', along the world's 2 E(q) q'; and their transposed.
[[nodiscard]] ExprVec3 times_g(const std::vector<Expr>& q, const std::vector<Expr>& v);
[[nodiscard]] ExprVec3 times_e(const std::vector<Expr>& q, const std::vector<Expr>& v);
[[nodiscard]] std::vector<Expr> times_g_transposed(const std::vector<Expr>& q, const ExprVec3& a);
[[nodiscard]] std::vector<Expr> times_e_transposed(const std::vector<Expr>& q, const ExprVec3& a);
[[nodiscard]] ExprMat3 axes_of_quaternion(const std::vector<Expr>& q);
// The rate of a quaternion that turns with ω along the body's axes.
[[nodiscard]] std::vector<double> quaternion_rate(const Quaternion& q, const Vec3& spin);

// Kinetic energy; angular momentum about the world's origin.
[[nodiscard]] Expr kinetic_energy(const Body& body, const BodyMotion& motion);
[[nodiscard]] ExprVec3 angular_momentum(const Body& body, const BodyMotion& motion);

}  // namespace daedalus
