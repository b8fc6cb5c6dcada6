#include "mechanics/start_state.hpp"

namespace daedalus {
namespace {

Frame inverse(const Frame& frame) {
  return {.origin = -along(frame.axes, frame.origin), .axes = transposed(frame.axes)};
}

// How a point fixed to a body moves, of which the velocity at one point is known.
struct Twist {
  Vec3 spin;
  Vec3 velocity;  // of the body's origin
};

}  // namespace

void move_joints(Mechanism& mechanism, const std::unordered_map<std::int32_t, JointValues>& by_joint) {
  const JointTree tree = tree_of(mechanism);
  std::vector<JointStart> starts;
  for (const Joint& joint : mechanism.joints) starts.push_back(start_of(mechanism, joint));
  std::vector<Twist> twists(mechanism.bodies.size());
  bool moving = false;
  for (const TreeBody& at : tree.order) {
    Body& body = mechanism.bodies[at.body.at()];
    if (!at.joint.valid()) {
      const Vec3 spin = body.angular_velocity.value_or(Vec3{});
      twists[at.body.at()] = {
          .spin = spin,
          .velocity = body.velocity.value_or(Vec3{}) - cross(spin, body.pose.axes * body.centre)};
      moving = moving || body.velocity || body.angular_velocity;
      continue;
    }
    Joint& joint = mechanism.joints[at.joint.at()];
    const JointStart& start = starts[at.joint.at()];
    std::vector<double> values;
    for (const StepStart& step : start.steps) values.push_back(step.value);
    Quaternion ball = start.orientation;
    if (const auto found = by_joint.find(at.joint.value); found != by_joint.end()) {
      if (!found->second.values.empty()) values = found->second.values;
      if (found->second.ball) ball = *found->second.ball;
      if (!found->second.rates.empty()) joint.start_rate = found->second.rates;
    }
    joint.start = values;
    moving = moving || !joint.start_rate.empty();
    const Frame between = frame_at(joint.kind, mechanism.dimension, values, ball);
    const Frame parent = at.parent.valid() ? mechanism.bodies[at.parent.at()].pose : Frame{};
    body.pose = at.reversed ? parent * joint.on_second * inverse(between) * inverse(joint.on_first)
                            : parent * joint.on_first * between * inverse(joint.on_second);
    body.pose.axes = orthonormal(body.pose.axes);
    // Velocities of the bodies, for body coordinates.
    const Twist above = at.parent.valid() ? twists[at.parent.at()] : Twist{};
    Twist own{.spin = above.spin,
              .velocity = above.velocity + cross(above.spin, body.pose.origin - parent.origin)};
    const Frame first = at.reversed ? body.pose * joint.on_first : parent * joint.on_first;
    const Frame second = at.reversed ? parent * joint.on_second : body.pose * joint.on_second;
    const double sense = at.reversed ? -1 : 1;
    const std::vector<JointStep> steps = steps_of(joint.kind, mechanism.dimension);
    const auto turn = [&](const Vec3& spin) {
      own.spin = own.spin + sense * spin;
      own.velocity = own.velocity + sense * cross(spin, body.pose.origin - second.origin);
    };
    for (std::size_t k = 0; k < steps.size() && !joint.start_rate.empty(); ++k) {
      const double rate = k < joint.start_rate.size() ? joint.start_rate[k] : 0;
      switch (steps[k].kind) {
        case StepKind::Ball:
          if (joint.start_rate.size() == 3)
            turn(second.axes * Vec3{joint.start_rate[0], joint.start_rate[1], joint.start_rate[2]});
          break;
        case StepKind::TurnX:
          turn(rate * first.axes.x);
          break;
        case StepKind::TurnY:
          turn(rate * second.axes.y);
          break;
        case StepKind::TurnZ:
          turn(rate * first.axes.z);
          break;
        case StepKind::SlideX:
          own.velocity = own.velocity + (sense * rate) * first.axes.x;
          break;
        case StepKind::SlideY:
          own.velocity = own.velocity + (sense * rate) * first.axes.y;
          break;
        case StepKind::SlideZ:
          own.velocity = own.velocity + (sense * rate) * first.axes.z;
          break;
      }
    }
    twists[at.body.at()] = own;
  }
  if (!moving) return;
  for (std::size_t k = 0; k < mechanism.bodies.size(); ++k) {
    Body& body = mechanism.bodies[k];
    if (body.kind == BodyKind::Massless) continue;
    body.angular_velocity = twists[k].spin;
    body.velocity = twists[k].velocity + cross(twists[k].spin, body.pose.axes * body.centre);
  }
}

}  // namespace daedalus
