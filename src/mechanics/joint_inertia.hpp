// The mass matrix of a tree of joints at the start, in numbers: whether joints move something, and how much.
#pragma once

#include <optional>

#include "mechanics/joint_tree.hpp"
#include "mechanics/mechanism.hpp"

namespace daedalus {

// A joint whose motion meets no inertia at the start that those before it do not meet as well, or a body that
// moves freely so (its joint is then invalid); nothing where the mass matrix is regular. Only mechanisms with
// inertias as given (Body::inertia_as_given) can have one.
struct WithoutInertia {
  JointId joint;
  BodyId body;
};
[[nodiscard]] std::optional<WithoutInertia> motion_without_inertia(const Mechanism& mechanism);

// What forces of joints and along paths move at the start, all else being free: 1/(r M⁻¹ rᵀ), where r says
// how much of the force acts on each freedom. Everything is about the world's origin.
class StartInertia {
 public:
  using Row = std::vector<double>;  // by freedom

  // Of the joints and the armatures of joint forces that the mechanism has now.
  explicit StartInertia(const Mechanism& mechanism);

  [[nodiscard]] Row no_force() const { return Row(freedoms_.size(), 0.0); }
  void add_effort(Row& row, const JointCoordinate& coordinate, double factor) const;
  // A force at a point and a torque, in the world.
  void add_force(Row& row, BodyId body, const Vec3& point, const Vec3& force, const Vec3& torque = {}) const;
  // An inertia that moves with a path.
  void add_armature(const Row& path, double armature);

  // 0: the force moves nothing.
  [[nodiscard]] double moved_by(const Row& row);
  // By a force of the joint: the harmonic mean of its freedoms.
  [[nodiscard]] double moved_by(JointId joint);
  [[nodiscard]] std::optional<WithoutInertia> singular();

 private:
  struct Freedom {
    JointId joint;
    int link = 0;     // in the order of the tree
    int before = -1;  // freedom before it on the way to the ground
    Vec3 turn;
    Vec3 move;
    bool turns = false;
    double armature = 0;
    double size = 0;  // of the terms of its diagonal entry, which may cancel
  };
  // A path that has an armature, with M⁻¹ of the force along it without its own armature.
  struct HeavyPath {
    Row row;
    Row response;
    double scale = 0;
  };

  void add_freedoms(int link);
  int add_freedom(JointId joint, int link, bool turns, const Vec3& axis, const Vec3& point);
  void fill();
  void factorise();
  [[nodiscard]] Row respond(const Row& row);

  const Mechanism& mechanism_;
  JointTree tree_;
  std::vector<Freedom> freedoms_;
  std::vector<int> last_;                     // by link: its last freedom, or that of what carries it
  std::vector<std::vector<double>> entries_;  // of M, from each freedom to the ground; later those of L and D
  bool factorised_ = false;
  std::optional<WithoutInertia> singular_;
  std::vector<HeavyPath> heavy_;
};

}  // namespace daedalus
