// The joints as a table: what each kind keeps, row by row. A row is an expression g that is zero, written so
// that its multiplier λ is the reaction on the second body itself: force or torque is -∂g λ
// (docs/mechanics.md).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mechanics/body_motion.hpp"

namespace daedalus {

// With P the origins and x, y, z the axes of the two frames. In a planar mechanism Turn is φ₁ - φ₂.
enum class RowKind {
  PointX,  // x₁·(P₁ - P₂): a force along x
  PointY,
  PointZ,
  TiltX,  // y₁·z₂, and TiltY: -x₁·z₂: the z axes are parallel
  TiltY,
  LockX,  // y₁·z₂, LockY: z₁·x₂, LockZ: x₁·y₂: no turning at all
  LockY,
  LockZ,  // alone: the x axis of the first stays orthogonal to the y axis of the second
  Turn,   // planar
  Length,
  RollNormal,
  RollX,  // of velocity
  RollY,
  RollLine,  // planar: rolling is a matter of position
};

struct JointRow {
  JointKind kind;
  std::string_view name;
  std::vector<RowKind> spatial;  // empty: there is none in space
  std::vector<RowKind> planar;   // empty: there is none in the plane
  bool has_angle = false;        // about z
  char slides_along = 0;         // 'x', 'z', or 0
  bool needs_first_axes = true;  // false: the first body may be a point mass
  bool needs_second_axes = true;
};

[[nodiscard]] std::span<const JointRow> joint_table();
[[nodiscard]] const JointRow& joint_row(JointKind kind);
// The rows of a joint in a mechanism of that dimension.
[[nodiscard]] const std::vector<RowKind>& rows_of(JointKind kind, Dimension dimension);

// g = 0 with its names: "joint B: y", and the multiplier's "joint B: force y".
struct ConstraintEquation {
  Expr residual = 0;
  int level = 0;  // 1: of velocity
  std::string name;
  std::string reaction;
  std::string unit;
  SourceSpan span;
};

// The two ends of a joint.
struct JointEnds {
  const BodyMotion& first;
  const BodyMotion& second;
  ExprVec3 point1, point2;
  ExprMat3 axes1, axes2;
  Frame start1, start2;      // where they are at the start
  double turn_constant = 0;  // planar: angle of the joint = φ₂ - φ₁ + this, between -π and π at the start
};
[[nodiscard]] JointEnds ends_of(const Joint& joint, const BodyMotion& first, const BodyMotion& second);

// Whether the force rows are along the world's axes and not the joint's: where a point is held in all
// directions and the first body moves, that makes expressions of lower degree.
[[nodiscard]] bool along_world(const Joint& joint, Dimension dimension);

[[nodiscard]] std::vector<ConstraintEquation> constraints_of(const Joint& joint, const JointEnds& ends,
                                                             Dimension dimension);

// What a joint that carries a body transmits, by the names of the multipliers: along or about an axis of its
// first frame.
struct ReactionRow {
  std::string_view name;  // "force x"
  bool torque = false;
  int axis = 0;
};
[[nodiscard]] std::vector<ReactionRow> reaction_rows(JointKind kind, Dimension dimension);

// Force and torque on the second body, at its point of the joint, for a multiplier of 1.
struct ReactionOfRow {
  ExprVec3 force;
  ExprVec3 torque;
  bool known = true;  // false: of what rolls it is not written out
};
[[nodiscard]] ReactionOfRow reaction_of(RowKind kind, const Joint& joint, const JointEnds& ends,
                                        const ExprMat3& force_axes);

// The angle of a joint of a planar mechanism; sine and cosine of one about z in space.
[[nodiscard]] Expr planar_angle(const JointEnds& ends);
[[nodiscard]] Expr sine_of_angle(const JointEnds& ends);
[[nodiscard]] Expr cosine_of_angle(const JointEnds& ends);
[[nodiscard]] Expr displacement_of(const Joint& joint, const JointEnds& ends);
// At the start.
[[nodiscard]] double start_angle(const Frame& first, const Frame& second);
[[nodiscard]] double start_displacement(const Joint& joint, const Frame& first, const Frame& second);

}  // namespace daedalus
