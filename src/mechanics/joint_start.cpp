#include "mechanics/joint_start.hpp"

#include <cmath>
#include <numbers>

namespace daedalus {
namespace {

// A body's motion at the start; nothing where it is not given.
struct Known {
  std::optional<Vec3> velocity;  // of the centre of mass
  std::optional<Vec3> spin;
  Vec3 centre;  // in the world
  bool held = true;
};

Known known(const Mechanism& mechanism, BodyId id) {
  if (!id.valid()) return {.velocity = Vec3{}, .spin = Vec3{}, .centre = {}, .held = true};
  const Body& body = mechanism.bodies[id.at()];
  return {.velocity = body.velocity,
          .spin = body.angular_velocity,
          .centre = body.pose.origin + body.pose.axes * body.centre,
          .held = body.held};
}

double value_of(StepKind kind, JointKind joint, const Frame& second) {
  const Mat3& a = second.axes;
  switch (kind) {
    case StepKind::SlideX:
      return second.origin.x;
    case StepKind::SlideY:
      return second.origin.y;
    case StepKind::SlideZ:
      return second.origin.z;
    case StepKind::TurnX:  // of Rx Ry
      return std::atan2(a.y.z, a.y.y);
    case StepKind::TurnY:
      return std::atan2(a.z.x, joint == JointKind::Universal ? a.x.x : a.z.z);
    case StepKind::TurnZ:
      return std::atan2(a.x.y, a.x.x);
    case StepKind::Ball:
      return 0;
  }
  return 0;
}

bool is_turn(StepKind kind) {
  return kind == StepKind::TurnX || kind == StepKind::TurnY || kind == StepKind::TurnZ;
}

Vec3 axis_of(const Mat3& axes, StepKind kind) {
  if (kind == StepKind::TurnX || kind == StepKind::SlideX) return axes.x;
  if (kind == StepKind::TurnY || kind == StepKind::SlideY) return axes.y;
  return axes.z;
}

// The rate about an axis of the world, or along it, of two bodies whose motions are known.
std::optional<double> rate_of(bool turn, const Vec3& axis, const Vec3& point, const Known& first,
                              const Known& second) {
  if (turn && first.spin && second.spin) return dot(axis, *second.spin - *first.spin);
  if (!first.spin || !first.velocity || !second.velocity) return std::nullopt;
  const Vec3 carried = *first.velocity + cross(*first.spin, second.centre - first.centre);
  const Vec3 against = *second.velocity - carried;
  if (turn) {
    const Vec3 way = cross(axis, second.centre - point);
    const double square = dot(way, way);
    if (square == 0) return std::nullopt;
    return dot(way, against) / square;
  }
  return dot(axis, against);
}

}  // namespace

JointStart start_of(const Mechanism& mechanism, const Joint& joint) {
  const auto pose = [&](BodyId body) { return body.valid() ? mechanism.bodies[body.at()].pose : Frame{}; };
  const Frame first = pose(joint.first) * joint.on_first;
  const Frame second = pose(joint.second) * joint.on_second;
  const Frame between = relative_to(first, second);
  const Known motion1 = known(mechanism, joint.first);
  const Known motion2 = known(mechanism, joint.second);
  JointStart start;
  start.orientation = quaternion(between.axes);
  if (joint.start_rate.size() == 3)
    start.spin = Vec3{joint.start_rate[0], joint.start_rate[1], joint.start_rate[2]};
  else if (motion1.spin && motion2.spin)
    start.spin = along(second.axes, *motion2.spin - *motion1.spin);
  const std::vector<JointStep> steps = steps_of(joint.kind, mechanism.dimension);
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const bool turn = is_turn(steps[k].kind);
    StepStart one{.value = value_of(steps[k].kind, joint.kind, between)};
    if (turn && k < joint.start.size()) {
      constexpr double circle = 2 * std::numbers::pi;  // whole turns are kept
      one.value += circle * std::round((joint.start[k] - one.value) / circle);
    }
    // The y axis of a universal joint turns with the second body.
    const Mat3& axes = steps[k].kind == StepKind::TurnY ? second.axes : first.axes;
    one.rate = k < joint.start_rate.size()
                   ? std::optional(joint.start_rate[k])
                   : rate_of(turn, axis_of(axes, steps[k].kind), second.origin, motion1, motion2);
    one.held = motion1.held && motion2.held && one.rate.has_value();
    start.steps.push_back(one);
  }
  return start;
}

Frame frame_at(JointKind kind, Dimension dimension, const std::vector<double>& values,
               const Quaternion& ball) {
  Frame frame;
  const std::vector<JointStep> steps = steps_of(kind, dimension);
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const double value = k < values.size() ? values[k] : 0;
    const Vec3 axis = axis_of(Mat3{}, steps[k].kind);
    if (steps[k].kind == StepKind::Ball)
      frame = frame * Frame{.origin = {}, .axes = rotation(ball)};
    else if (is_turn(steps[k].kind))
      frame = frame * Frame{.origin = {}, .axes = rotation(axis, value)};
    else
      frame = frame * Frame{.origin = value * axis, .axes = {}};
  }
  return frame;
}

}  // namespace daedalus
