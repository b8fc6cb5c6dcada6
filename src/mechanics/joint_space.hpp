// The equations of motion in joint coordinates: M(q) q'' + h(q, q') = τ - Gᵀλ, by recursion along the tree of
// joints. M is made of composite inertias (Featherstone, ch. 6.2), h by Newton and Euler's recursion;
// everything is about one point of each tree (where it is fixed, or the centre of mass of the body that moves
// freely), along the world's axes. What turns in all directions has a unit quaternion, whose length is a
// constraint and whose mass matrix is made regular as in body_motion.hpp.
#pragma once

#include <vector>

#include "mechanics/body_motion.hpp"
#include "mechanics/joint_rows.hpp"
#include "mechanics/joint_start.hpp"
#include "mechanics/spatial_algebra.hpp"

namespace daedalus {

// The sum of forces that a joint transmits to the body that it carries, along the world's axes.
struct JointReaction {
  JointId joint;
  ExprVec3 force;
  ExprVec3 torque;  // about the origin of the frame on the second body
};

class JointSpace {
 public:
  JointSpace(const Mechanism& mechanism, const Unknowns& unknowns);

  // Declares the coordinates; the motions of all bodies follow from them.
  [[nodiscard]] std::vector<BodyMotion> declare();
  // How many equations x' = v the builder was given.
  [[nodiscard]] std::size_t rates() const { return rates_; }

  [[nodiscard]] bool carries(JointId joint) const { return tree_.carries[joint.at()]; }
  [[nodiscard]] Expr coordinate(const JointCoordinate& coordinate) const;
  [[nodiscard]] Expr rate(const JointCoordinate& coordinate) const;

  void apply_force(const BodyMotion& body, const ExprVec3& force, const Vec3& point);
  void apply_torque(const BodyMotion& body, const ExprVec3& torque);
  // A force and a torque of what closes a loop: in the equations of motion by its gradient, here for the
  // reactions.
  void add_closing(const BodyMotion& body, const ExprVec3& force, const Vec3& point, const ExprVec3& torque);
  void apply_effort(const JointCoordinate& coordinate, const Expr& effort);
  void add_armature(const JointCoordinate& coordinate, double armature);

  // Inertia, gravity and applied forces into the equations of motion.
  void finish();
  // Of quaternions.
  [[nodiscard]] std::vector<ConstraintEquation> lengths() const;
  [[nodiscard]] std::vector<JointReaction> reactions() const;
  [[nodiscard]] const JointTree& tree() const { return tree_; }
  // Whether no joint of the tree carries the body.
  [[nodiscard]] bool is_free(const BodyMotion& body) const {
    return !tree_.order[static_cast<std::size_t>(tree_.place[static_cast<std::size_t>(body.number)])]
                .joint.valid();
  }

 private:
  // A freedom: a direction in the space of motions with its rate and acceleration.
  struct Freedom {
    SpatialMotion axis;
    Expr value = 0;
    Expr rate = 0;
    Expr acceleration = 0;
    Expr effort = 0;
    double armature = 0;
    int before = -1;    // the freedom before it on the way to the ground
    int body = -1;      // number in the tree of the first body that it moves
    int equation = -1;  // its own; -1: it belongs to a quaternion
    Expr residual = 0;
  };
  struct Turning {             // three freedoms by a quaternion
    int first = 0;             // of its freedoms
    int equation = 0;          // of its four equations
    bool along_world = false;  // its freedoms turn about the world's axes, not the body's
    int link = 0;              // the first that turns with it
    std::string name = {};
    SourceSpan span = {};
    std::vector<Expr> q = {};
    std::vector<Expr> a = {};  // q''
  };
  // A body of the tree. Its frame here is that of the joint that carries it.
  struct Link {
    int parent = -1;
    int last = -1;       // freedom; that of the parent where it has none of its own
    int root = -1;       // link whose `reference` its components are about
    ExprVec3 reference;  // in the world; of roots
    ExprMat3 axes;
    ExprVec3 origin;   // from the point of reference
    Frame from_joint;  // the body's frame in that of the joint
    SpatialMotion velocity;
    SpatialMotion bias;  // acceleration without that of the coordinates
    SpatialInertia inertia;
    SpatialForce applied;
    SpatialForce closing;           // by what closes loops
    std::vector<Expr> orientation;  // of the frame, as a quaternion
    Expr angle = 0;                 // in the plane
  };
  // A frame on its way along the steps of a joint.
  struct Moving {
    ExprMat3 axes;
    ExprVec3 origin;
    SpatialMotion velocity;
    SpatialMotion bias;
    int last = -1;
    int body = -1;
    std::vector<Expr> orientation;
    Expr angle = 0;
  };

  struct ScalarCoordinate {
    std::string name;
    std::string rate;
    std::string unit;
    std::string label;
    double start = 0;
    std::optional<double> start_rate = {};
    bool held = false;
    SourceSpan span;
  };

  void declare_link(const TreeBody& at);
  void declare_free(const TreeBody& at, Link& link);
  void turn_freely(const Body& body, Link& link, Moving& moving);
  void take_step(const JointStep& step, const Joint& joint, const StepStart& start, bool reversed,
                 Moving& moving);
  void take_ball(const Joint& joint, const JointStart& start, bool reversed, Moving& moving);
  int add_freedom(const SpatialMotion& axis, Moving& moving);
  void declare_scalar(const ScalarCoordinate& coordinate, Freedom& freedom);
  void declare_quaternion(const std::string& name, const Quaternion& start, const std::optional<Vec3>& spin,
                          bool held, SourceSpan span, Turning& turning);
  [[nodiscard]] static SpatialInertia inertia_of(const Body& body, const Link& link);
  [[nodiscard]] BodyMotion motion_of(const TreeBody& at, const Link& link) const;
  [[nodiscard]] double planar_offset(const TreeBody& at) const;
  [[nodiscard]] std::size_t freedom_of(const JointCoordinate& coordinate) const;
  [[nodiscard]] bool is_reversed(JointId joint) const;
  [[nodiscard]] Link& link_of(const BodyMotion& body);
  [[nodiscard]] double inertia_below(int first) const;
  [[nodiscard]] static SpatialForce inertial_force(const Link& link, const SpatialMotion& acceleration);
  void add_mass_matrix();
  void add_quaternions();

  const Mechanism& mechanism_;
  Unknowns unknowns_;
  JointTree tree_;
  std::vector<Link> links_;  // in the order of the tree
  std::vector<Freedom> freedoms_;
  std::vector<Turning> turnings_;
  std::vector<int> first_freedom_;  // by joint of the tree
  std::size_t rates_ = 0;
};

}  // namespace daedalus
