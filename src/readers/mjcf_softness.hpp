// Limits and dry friction of MuJoCo as forces of the state. MuJoCo finds them as constraints that give way,
// from the acceleration without them; its parameters say how an oscillator of the joint's own inertia would
// behave, and that oscillator's spring and damper are what acts here.
#pragma once

#include <array>
#include <vector>

#include "model/builder.hpp"

namespace daedalus::mjcf {

// One-sided springs and dampers below `low` and above `high`. Over `width` of depth the damper sets in, so
// that the force has no jump.
struct SoftLimit {
  double low = 0;
  double high = 0;
  double stiffness = 0;
  double damping = 0;
  double width = 0;

  [[nodiscard]] Expr force(const Expr& value, const Expr& rate) const;
};
// By solref (time constant and damping ratio, or negative stiffness and damping) and solimp.
[[nodiscard]] SoftLimit soft_limit(double low, double high, double inertia, const std::vector<double>& solref,
                                   const std::vector<double>& solimp);

// Friction is -loss tanh(v / width): the width at which MuJoCo's friction reaches its bound.
[[nodiscard]] double friction_width(double loss, double inertia, const std::vector<double>& solref,
                                    const std::vector<double>& solimp);

// What springs and dampers do beyond their linear terms: c1 x² + c2 x³, and c1 v |v| + c2 v³.
[[nodiscard]] Expr higher_spring(const std::array<double, 3>& c, const Expr& x);
[[nodiscard]] Expr higher_damper(const std::array<double, 3>& c, const Expr& v);

}  // namespace daedalus::mjcf
