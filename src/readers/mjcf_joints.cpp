#include "readers/mjcf_joints.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/options.hpp"
#include "mechanics/quantities.hpp"
#include "readers/mjcf_softness.hpp"

namespace daedalus::mjcf {
namespace {

class JointAdder {
 public:
  JointAdder(const MjcfFile& file, BodyTree& tree, Mechanism& mechanism)
      : reader_(file.reader()), tree_(tree), mechanism_(mechanism) {}

  void run() {
    for (std::size_t k = 0; k < tree_.rigid.size(); ++k) add(static_cast<int>(k));
  }

 private:
  // Several joints of a body are a chain, with links without mass between them.
  void add(int number) {
    RigidBody& body = tree_.rigid[static_cast<std::size_t>(number)];
    BodyId first = body.parent < 0 ? ground : BodyId(body.parent);
    for (std::size_t k = 0; k < body.joints.size(); ++k) {
      FileJoint& joint = body.joints[k];
      if (joint.type == "free") {
        check_free(body, number);
        return;
      }
      BodyId second(number);
      if (k + 1 < body.joints.size()) {
        second = BodyId(mechanism_.bodies.size());
        mechanism_.bodies.push_back(
            {.name = reader_.unique(fmt::format("{} after {}", body.name, joint.name)),
             .kind = BodyKind::Massless,
             .mass = 0,
             .pose = body.pose,
             .span = joint.span});
      }
      add_joint(joint, first, second, body.pose);
      joint.inertia = inertia_about(joint, number);
      use_spring_damper(joint);
      add_forces(joint);
      first = second;
    }
  }

  void add_joint(FileJoint& joint, BodyId first, BodyId second, const Frame& pose) {
    const Frame parent = first.valid() ? mechanism_.bodies[first.at()].pose : Frame{};
    Joint made{.name = reader_.unique(joint.name), .first = first, .second = second, .span = joint.span};
    Frame place{.origin = joint.point, .axes = pose.axes};
    Frame before;  // of the first frame, where the coordinate does not begin at 0
    if (joint.type == "hinge") {
      made.kind = JointKind::Revolute;
      place.axes = axes_with_z(joint.axis);
      before.axes = rotation(Vec3{0, 0, 1}, -joint.reference);
      made.start = {joint.reference};
    } else if (joint.type == "slide") {
      made.kind = JointKind::Prismatic;
      place = {.origin = pose.origin, .axes = axes_with_x(joint.axis)};
      before.origin = {-joint.reference, 0, 0};
      made.start = {joint.reference};
      joint.motion = JointMotion::Displacement;
    } else {
      made.kind = JointKind::Spherical;
    }
    made.on_first = relative_to(parent, place) * before;
    made.on_second = relative_to(pose, place);
    joint.made = JointId(mechanism_.joints.size());
    if (made.kind != JointKind::Spherical) joint.joint = joint.made;
    mechanism_.joints.push_back(std::move(made));
  }

  void check_free(const RigidBody& body, int number) {
    const FileJoint& joint = body.joints.front();
    if (body.joints.size() > 1)
      reader_.complain(fmt::format("body {} has a free joint, which must be its only one", body.name),
                       body.span);
    if (joint.stiffness != 0 || joint.armature != 0 || joint.friction != 0)
      reader_.complain(
          fmt::format("stiffness, armature and frictionloss of the free joint {} are not supported",
                      joint.name),
          joint.span);
    if (joint.damping == 0) return;
    // MuJoCo damps the velocity of the body's origin along the world's axes, and the spin.
    const double d = joint.damping;
    const BodyId id(number);
    mechanism_.forces.emplace_back(
        Load{.name = reader_.unique(joint.name + " damper"),
             .body = id,
             .force = [=](Quantities& q) { return Expr(-d) * q.velocity(id); },
             .torque = [=](Quantities& q) { return Expr(-d) * q.angular_velocity(id); },
             .span = joint.span});
  }

  // Of the body and all that it carries, about the axis or along it, at the start.
  [[nodiscard]] double inertia_about(const FileJoint& joint, int number) const {
    double sum = joint.armature;
    std::vector<bool> moved(tree_.rigid.size(), false);
    for (auto k = static_cast<std::size_t>(number); k < tree_.rigid.size(); ++k) {
      const int parent = tree_.rigid[k].parent;
      moved[k] = static_cast<int>(k) == number || (parent >= 0 && moved[static_cast<std::size_t>(parent)]);
      if (!moved[k] || k >= mechanism_.bodies.size()) continue;
      const Body& body = mechanism_.bodies[k];
      if (joint.type == "slide") {
        sum += body.mass;
        continue;
      }
      const Vec3 axis = along(body.pose.axes, joint.axis);
      const Vec3 arm = cross(joint.axis, body.pose.origin + body.pose.axes * body.centre - joint.point);
      sum += dot(axis, body.inertia * axis) + body.mass * dot(arm, arm);
    }
    return sum;
  }

  // springdamper: the oscillator of that time constant and damping ratio.
  static void use_spring_damper(FileJoint& joint) {
    if (joint.spring_damper.empty()) return;
    const double time = joint.spring_damper[0];
    const double ratio = joint.spring_damper[1];
    joint.stiffness = joint.inertia / (time * time * ratio * ratio);
    joint.damping = 2 * joint.inertia / time;
  }

  void add_forces(const FileJoint& joint) {
    if (!joint.joint.valid()) return add_ball_forces(joint);
    const JointCoordinate coordinate{.joint = joint.joint, .motion = joint.motion};
    if (joint.stiffness != 0 || joint.damping != 0 || joint.armature != 0)
      mechanism_.forces.emplace_back(JointForce{.name = reader_.unique(joint.name + " spring"),
                                                .coordinate = coordinate,
                                                .stiffness = joint.stiffness,
                                                .damping = joint.damping,
                                                .reference = joint.spring_reference,
                                                .armature = joint.armature,
                                                .law = {},
                                                .span = joint.span});
    if (joint.limited) add_limit(joint, coordinate);
    if (joint.friction > 0) add_friction(joint, coordinate);
  }

  void add_limit(const FileJoint& joint, const JointCoordinate& coordinate) {
    const SoftLimit limit =
        soft_limit(joint.low, joint.high, joint.inertia, joint.solref_limit, joint.solimp_limit);
    mechanism_.forces.emplace_back(JointForce{
        .name = reader_.unique(joint.name + " limit"),
        .coordinate = coordinate,
        .law = [=](Quantities& q) { return limit.force(q.coordinate(coordinate), q.rate(coordinate)); },
        .span = joint.span});
  }

  void add_friction(const FileJoint& joint, const JointCoordinate& coordinate) {
    const double width =
        friction_width(joint.friction, joint.inertia, joint.solref_friction, joint.solimp_friction);
    const double most = joint.friction;
    mechanism_.forces.emplace_back(
        JointForce{.name = reader_.unique(joint.name + " friction"),
                   .coordinate = coordinate,
                   .law = [=](Quantities& q) { return -most * tanh(q.rate(coordinate) / width); },
                   .span = joint.span});
  }

  void add_ball_forces(const FileJoint& joint) {
    if (joint.limited) reader_.omit("limits of ball joints", joint.span);
    if (joint.armature != 0)
      reader_.complain(fmt::format("the armature of the ball joint {} is not supported", joint.name),
                       joint.span);
    if (joint.friction > 0)
      reader_.complain(fmt::format("the frictionloss of the ball joint {} is not supported", joint.name),
                       joint.span);
    if (joint.stiffness == 0 && joint.damping == 0) return;
    mechanism_.forces.emplace_back(BallForce{.name = reader_.unique(joint.name + " spring"),
                                             .joint = joint.made,
                                             .stiffness = joint.stiffness,
                                             .damping = joint.damping,
                                             .span = joint.span});
  }

  FileReader& reader_;
  BodyTree& tree_;
  Mechanism& mechanism_;
};

}  // namespace

void add_joints(const MjcfFile& file, BodyTree& tree, Mechanism& mechanism) {
  JointAdder(file, tree, mechanism).run();
}

const FileJoint* find_joint(const BodyTree& tree, const std::string& name) {
  for (const RigidBody& body : tree.rigid) {
    for (const FileJoint& joint : body.joints) {
      if (joint.name == name) return &joint;
    }
  }
  return nullptr;
}

const FileJoint* named_joint(const MjcfFile& file, const BodyTree& tree, const xml::Attribute& name) {
  const FileJoint* joint = find_joint(tree, name.value);
  if (joint == nullptr) {
    std::vector<std::string_view> known;
    for (const RigidBody& body : tree.rigid) {
      for (const FileJoint& one : body.joints) known.push_back(one.name);
    }
    file.reader().complain(unknown_name_message("joint", name.value, known), name.span);
    return nullptr;
  }
  if (joint->joint.valid()) return joint;
  file.reader().complain(
      fmt::format("joint {} has no angle or displacement of its own that could be used here", name.value),
      name.span);
  return nullptr;
}

}  // namespace daedalus::mjcf
