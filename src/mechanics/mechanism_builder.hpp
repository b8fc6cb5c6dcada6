// The C++ way in. Places and directions are those of the world at the start; the builder turns them into the
// frames of the bodies.
//
//   MechanismBuilder m("Pendulum", Dimension::Planar);
//   const BodyId rod = m.body({.name = "rod", .mass = 1, .inertia = about_z(1.0 / 12), .pose = at({0.5, 0,
//   0})}); m.revolute("A", ground, rod, {0, 0, 0}); Result<DaeSystem> system = equations_of(m.finish());
#pragma once

#include "mechanics/mechanism.hpp"

namespace daedalus {

// Shorthands.
[[nodiscard]] Frame at(const Vec3& origin);
[[nodiscard]] Frame at(const Vec3& origin, const Mat3& axes);
[[nodiscard]] Mat3 about_z(double moment);  // a planar body's inertia
[[nodiscard]] Mat3 diagonal(double x, double y, double z);
[[nodiscard]] Mat3 rod_inertia(double mass, const Vec3& along);  // slender, of the length of `along`

class MechanismBuilder {
 public:
  MechanismBuilder(std::string name, Dimension dimension);

  void gravity(const Vec3& g) { mechanism_.gravity = g; }
  void experiment(const Experiment& experiment) { mechanism_.experiment = experiment; }
  BodyId body(Body body);
  // A uniform slender rod between two points, whose frame is at its middle with x along it. In space it needs
  // some inertia about its own axis: `axial`, by default a thousandth of the other.
  BodyId rod(const std::string& name, const Vec3& from, const Vec3& to, double mass,
             std::optional<double> axial = {});

  // A joint at a place of the world: its frames are where both bodies are at the start.
  JointId joint(const std::string& name, JointKind kind, BodyId first, BodyId second, const Frame& place);
  JointId revolute(const std::string& name, BodyId first, BodyId second, const Vec3& point,
                   const Vec3& axis = {0, 0, 1});
  JointId spherical(const std::string& name, BodyId first, BodyId second, const Vec3& point);
  JointId prismatic(const std::string& name, BodyId first, BodyId second, const Vec3& point,
                    const Vec3& direction);
  JointId distance(const std::string& name, BodyId first, BodyId second, const Vec3& from, const Vec3& to);
  // With frames given on the bodies, which need not fit at the start.
  JointId joint(Joint joint);

  // Angles that turn in a fixed ratio from where they are: Δθ₂ = ratio Δθ₁ (negative for outer gears).
  void gear(const std::string& name, JointId first, JointId second, double ratio);
  // Δs = radius Δθ.
  void rack(const std::string& name, JointId pinion, JointId rack, double radius);
  // A screw is a cylindrical joint with Δs = lead Δθ / 2π.
  JointId screw(const std::string& name, BodyId first, BodyId second, const Frame& place, double lead);
  void motion(const std::string& name, JointCoordinate coordinate, Law law);
  void force(Force force) { mechanism_.forces.push_back(std::move(force)); }
  void marker(const std::string& name, BodyId body, const Vec3& place);

  [[nodiscard]] Frame pose(BodyId body) const;  // at the start; of the ground: the world's
  [[nodiscard]] Mechanism finish() { return std::move(mechanism_); }

 private:
  [[nodiscard]] double start_of(const JointCoordinate& coordinate) const;

  Mechanism mechanism_;
};

}  // namespace daedalus
