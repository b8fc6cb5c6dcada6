// What a law (a force, torque or motion as an expression) may depend on: time, and where bodies and joints
// are.
#pragma once

#include "mechanics/mechanism.hpp"

namespace daedalus {

class Quantities {
 public:
  virtual ~Quantities() = default;

  [[nodiscard]] virtual Expr time() const = 0;
  // Of a point given in the body's frame, along the world's axes. The frame's origin by default.
  [[nodiscard]] virtual ExprVec3 position(BodyId body, const Vec3& point = {}) const = 0;
  [[nodiscard]] virtual ExprVec3 velocity(BodyId body, const Vec3& point = {}) const = 0;
  [[nodiscard]] virtual ExprMat3 axes(BodyId body) const = 0;
  [[nodiscard]] virtual ExprVec3 angular_velocity(BodyId body) const = 0;
  // The angle (turns counted) or displacement of a joint, and its rate.
  [[nodiscard]] virtual Expr coordinate(JointCoordinate coordinate) = 0;
  [[nodiscard]] virtual Expr rate(JointCoordinate coordinate) = 0;
  // A state of the law's own (an activation): x' = rate(x). The same name gives the same state.
  [[nodiscard]] virtual Expr state(const std::string& name, double start,
                                   const std::function<Expr(const Expr&)>& rate) = 0;
};

}  // namespace daedalus
