#include <fmt/format.h>

#include "mechanics/joint_space.hpp"

namespace daedalus {

std::vector<ConstraintEquation> JointSpace::lengths() const {
  std::vector<ConstraintEquation> rows;
  for (const Turning& turning : turnings_) {
    const std::vector<Expr>& q = turning.q;
    rows.push_back({.residual = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1,
                    .level = 0,
                    .name = fmt::format("{} {}: length of the quaternion",
                                        turning.along_world ? "body" : "joint", turning.name),
                    .reaction = fmt::format("{}.norm multiplier", turning.name),
                    .unit = "",
                    .span = turning.span});
  }
  return rows;
}

// By Newton and Euler's recursion with the accelerations as they are.
std::vector<JointReaction> JointSpace::reactions() const {
  std::vector<SpatialMotion> moved(links_.size());
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const Link& link = links_[k];
    SpatialMotion& own = moved[k];
    const int above = link.parent < 0 ? -1 : links_[static_cast<std::size_t>(link.parent)].last;
    if (link.parent >= 0) own = moved[static_cast<std::size_t>(link.parent)];
    for (int j = link.last; j != above; j = freedoms_[static_cast<std::size_t>(j)].before) {
      const Freedom& freedom = freedoms_[static_cast<std::size_t>(j)];
      own = own + freedom.acceleration * freedom.axis;
    }
  }
  std::vector<SpatialForce> through(links_.size());
  for (std::size_t k = links_.size(); k-- > 0;) {
    const Link& link = links_[k];
    through[k] = through[k] + (inertial_force(link, link.bias + moved[k]) - link.applied - link.closing);
    if (link.parent >= 0)
      through[static_cast<std::size_t>(link.parent)] =
          through[static_cast<std::size_t>(link.parent)] + through[k];
  }
  std::vector<JointReaction> found;
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const TreeBody& at = tree_.order[k];
    if (!at.joint.valid()) continue;
    const Joint& joint = mechanism_.joints[at.joint.at()];
    // At the origin of the second frame.
    const Link* carrier = &links_[k];
    ExprVec3 place = carrier->origin;
    if (at.reversed) {
      if (carrier->parent < 0) {
        place = {};
      } else {
        carrier = &links_[static_cast<std::size_t>(carrier->parent)];
        place = carrier->origin +
                carrier->axes * daedalus::symbolic((carrier->from_joint * joint.on_second).origin);
      }
    }
    const Expr sense = at.reversed ? -1 : 1;
    found.push_back({.joint = at.joint,
                     .force = sense * through[k].force,
                     .torque = sense * (through[k].moment - cross(place, through[k].force))});
  }
  return found;
}

}  // namespace daedalus
