// The equations of a mechanism while they are put together.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "mechanics/body_motion.hpp"
#include "mechanics/joint_rows.hpp"
#include "mechanics/joint_space.hpp"
#include "mechanics/quantities.hpp"

namespace daedalus {

struct AssembledRow {
  ConstraintEquation equation;
  Expr multiplier = 0;
  double augmentation = 0;  // c of c ∇g g'' (equations.cpp)
};

// A value of results that is no unknown.
struct Output {
  std::string name;
  std::string unit;
  Expr value = 0;
};

class Assembly final : public Quantities {
 public:
  Assembly(const Mechanism& mechanism, ModelBuilder& model, bool joint_coordinates);

  void declare_bodies();
  void add_joints();
  void add_couplings();
  void add_path_couplings();
  void add_motions();

  // How many equations x' = v the builder was given.
  [[nodiscard]] std::size_t rates() const { return rates_; }
  [[nodiscard]] const BodyMotion& motion(BodyId body) const;
  [[nodiscard]] const JointEnds& ends(JointId joint) const { return ends_[joint.at()]; }
  // Whether the angle of a joint in space has a variable of its own, which counts turns.
  [[nodiscard]] bool tracked(JointId joint) const { return tracked_.contains(joint.value); }
  // Whether the joint's coordinates are those of the equations.
  [[nodiscard]] bool carries(JointId joint) const { return joint_space_ && joint_space_->carries(joint); }
  // In joint coordinates; otherwise null.
  [[nodiscard]] JointSpace* joint_space() { return joint_space_ ? &*joint_space_ : nullptr; }

  // A force (along the world's axes) at a point of the body's frame, or a torque, into the equations of
  // motion.
  void apply_force(const BodyMotion& body, const ExprVec3& force, const Vec3& point);
  void apply_torque(const BodyMotion& body, const ExprVec3& torque);
  // A force that pulls a length together, which is an expression of the coordinates. `apply_path_forces` adds
  // them to the equations of motion, when these are complete.
  void add_path_force(const Expr& length, const Expr& tension) { path_forces_.emplace_back(length, tension); }
  void apply_path_forces();
  // Of a point given in the body's frame.
  [[nodiscard]] ExprVec3 velocity_of(const BodyMotion& body, const Vec3& point) const;
  // The coordinate of the joint that the given one is a part of (massless_links.hpp).
  [[nodiscard]] JointCoordinate resolved(JointCoordinate coordinate) const;
  // The equation of motion of the angle of a joint in space, for an armature.
  [[nodiscard]] CoordinateEquation& tracked_equation(JointId joint);

  // What laws may ask for.
  [[nodiscard]] Expr time() const override;
  [[nodiscard]] ExprVec3 position(BodyId body, const Vec3& point) const override;
  [[nodiscard]] ExprVec3 velocity(BodyId body, const Vec3& point) const override;
  [[nodiscard]] ExprMat3 axes(BodyId body) const override;
  [[nodiscard]] ExprVec3 angular_velocity(BodyId body) const override;
  [[nodiscard]] Expr coordinate(JointCoordinate coordinate) override;
  [[nodiscard]] Expr rate(JointCoordinate coordinate) override;
  [[nodiscard]] Expr state(const std::string& name, double start,
                           const std::function<Expr(const Expr&)>& rate) override;

  std::vector<CoordinateEquation> equations;
  std::vector<AssembledRow> rows;
  std::vector<Output> outputs;
  bool reactions_known = true;  // of the joints that carry bodies, in joint coordinates
  Expr potential_energy = 0;
  Expr armature_energy = 0;  // kinetic, of armatures

 private:
  void add_closing_force(const Joint& joint, const JointEnds& at, RowKind kind, const Expr& multiplier);
  [[nodiscard]] bool says_something(const Expr& residual) const;
  void add_row(ConstraintEquation equation, double augmentation = 0);
  // Declares the angle of a joint in space on its first use: sin(θ - angle) = 0 keeps it.
  Expr tracked_angle(JointId joint);

  const Mechanism& mechanism_;
  ModelBuilder& model_;
  std::optional<JointSpace> joint_space_;
  double place_rounding_ = 0;  // of places and axes in the frames of bodies
  BodyMotion ground_;
  std::vector<BodyMotion> bodies_;
  std::vector<JointEnds> ends_;
  std::unordered_map<std::int32_t, std::size_t> tracked_;  // by joint: number of the equation of its angle
  std::size_t rates_ = 0;
  std::unordered_map<std::string, Expr> states_;
  std::vector<std::pair<Expr, Expr>> path_forces_;
};

}  // namespace daedalus
