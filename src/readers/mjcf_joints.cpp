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
        add_free(body, number);
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
      add_spring(joint);
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

  // What does not depend on the inertia that the joint moves: that one comes with the springs.
  void add_spring(FileJoint& joint) {
    const bool springy =
        joint.stiffness != Polynomial{} || joint.damping != Polynomial{} || !joint.spring_damper.empty();
    if (!springy && joint.armature == 0) return;
    joint.spring = mechanism_.forces.size();
    const std::string name = reader_.unique(joint.name + " spring");
    if (joint.joint.valid())
      mechanism_.forces.emplace_back(JointForce{.name = name,
                                                .coordinate = {.joint = joint.joint, .motion = joint.motion},
                                                .armature = joint.armature,
                                                .law = {},
                                                .span = joint.span});
    else
      mechanism_.forces.emplace_back(
          BallForce{.name = name, .joint = joint.made, .armature = joint.armature, .span = joint.span});
  }

  void add_free(const RigidBody& body, int number) {
    const FileJoint& joint = body.joints.front();
    if (body.joints.size() > 1)
      reader_.complain(fmt::format("body {} has a free joint, which must be its only one", body.name),
                       body.span);
    if (joint.stiffness != Polynomial{})
      reader_.complain(fmt::format("stiffness of the free joint {} is not supported", joint.name),
                       joint.span);
    if (joint.damping[1] != 0 || joint.damping[2] != 0)
      reader_.complain(
          fmt::format("damping of the free joint {} that is not linear is not supported", joint.name),
          joint.span);
    if (joint.damping[0] == 0 && joint.armature == 0) return;
    // MuJoCo damps the velocity of the body's origin along the world's axes, and the spin along the body's.
    const double d = joint.damping[0];
    const double a = joint.armature;
    const BodyId id(number);
    mechanism_.forces.emplace_back(
        Load{.name = reader_.unique(joint.name + " damper"),
             .body = id,
             .force =
                 [=](Quantities& q) {
                   const ExprVec3 velocity = q.velocity(id);
                   return a == 0 ? Expr(-d) * velocity : Expr(-d) * velocity - Expr(a) * der(velocity);
                 },
             .torque =
                 [=](Quantities& q) {
                   const ExprVec3 spin = q.angular_velocity(id);
                   if (a == 0) return Expr(-d) * spin;
                   const ExprMat3 axes = q.axes(id);
                   return Expr(-d) * spin - axes * (Expr(a) * der(along(axes, spin)));
                 },
             .span = joint.span});
  }

  FileReader& reader_;
  BodyTree& tree_;
  Mechanism& mechanism_;
};

// Forces of joints, of which some depend on the inertia that the joint moves at the start.
class JointForces {
 public:
  JointForces(const MjcfFile& file, BodyTree& tree, StartInertia& inertia, Mechanism& mechanism)
      : reader_(file.reader()), tree_(tree), inertia_(inertia), mechanism_(mechanism) {}

  void run() {
    for (std::size_t k = 0; k < tree_.rigid.size(); ++k) {
      for (FileJoint& joint : tree_.rigid[k].joints) {
        if (joint.made.valid()) add(joint);
        if (joint.type == "free" && joint.friction > 0) add_free_friction(joint, BodyId(k));
      }
    }
  }

 private:
  void add(FileJoint& joint) {
    use_spring_damper(joint);
    if (!joint.joint.valid()) return add_ball_forces(joint);
    const JointCoordinate coordinate{.joint = joint.joint, .motion = joint.motion};
    if (joint.spring) set_spring(joint, std::get<JointForce>(mechanism_.forces[*joint.spring]));
    if (joint.limited) add_limit(joint, coordinate);
    if (joint.friction > 0) add_friction(joint, coordinate);
  }

  // springdamper: the oscillator of that time constant and damping ratio.
  void use_spring_damper(FileJoint& joint) {
    if (joint.spring_damper.empty()) return;
    const double time = joint.spring_damper[0];
    const double ratio = joint.spring_damper[1];
    const double moved = inertia_.moved_by(joint.made);
    if (tree_.flags.springs) joint.stiffness = {moved / (time * time * ratio * ratio), 0, 0};
    if (tree_.flags.dampers) joint.damping = {2 * moved / time, 0, 0};
  }

  static void set_spring(const FileJoint& joint, JointForce& force) {
    force.stiffness = joint.stiffness[0];
    force.damping = joint.damping[0];
    force.reference = joint.spring_reference;
    const Polynomial k = joint.stiffness, d = joint.damping;
    if (k[1] == 0 && k[2] == 0 && d[1] == 0 && d[2] == 0) return;
    const JointCoordinate coordinate = force.coordinate;
    const double reference = joint.spring_reference;
    force.law = [=](Quantities& q) {
      return -higher_spring(k, q.coordinate(coordinate) - reference) - higher_damper(d, q.rate(coordinate));
    };
  }

  void add_limit(const FileJoint& joint, const JointCoordinate& coordinate) {
    const SoftLimit limit = soft_limit(joint.low, joint.high, inertia_.moved_by(joint.made),
                                       joint.solref_limit, joint.solimp_limit);
    mechanism_.forces.emplace_back(JointForce{
        .name = reader_.unique(joint.name + " limit"),
        .coordinate = coordinate,
        .law = [=](Quantities& q) { return limit.force(q.coordinate(coordinate), q.rate(coordinate)); },
        .span = joint.span});
  }

  void add_friction(const FileJoint& joint, const JointCoordinate& coordinate) {
    const double width = friction_width(joint.friction, inertia_.moved_by(joint.made), joint.solref_friction,
                                        joint.solimp_friction);
    const double most = joint.friction;
    mechanism_.forces.emplace_back(
        JointForce{.name = reader_.unique(joint.name + " friction"),
                   .coordinate = coordinate,
                   .law = [=](Quantities& q) { return -most * tanh(q.rate(coordinate) / width); },
                   .span = joint.span});
  }

  // Of each of the six freedoms: the velocity along the world's axes, the spin along the body's.
  void add_free_friction(const FileJoint& joint, BodyId id) {
    const Frame& pose = mechanism_.bodies[id.at()].pose;
    const auto moved = [&](bool turns) {
      double mobility = 0;
      for (const Vec3& axis : {pose.axes.x, pose.axes.y, pose.axes.z}) {
        StartInertia::Row row = inertia_.no_force();
        inertia_.add_force(row, id, pose.origin, turns ? Vec3{} : axis, turns ? axis : Vec3{});
        mobility += 1 / inertia_.moved_by(row) / 3;
      }
      return 1 / mobility;
    };
    const auto law = [&](double inertia) {
      const double width =
          friction_width(joint.friction, inertia, joint.solref_friction, joint.solimp_friction);
      return [width, most = joint.friction](const ExprVec3& rate) -> ExprVec3 {
        return {-most * tanh(rate.x / width), -most * tanh(rate.y / width), -most * tanh(rate.z / width)};
      };
    };
    mechanism_.forces.emplace_back(
        Load{.name = reader_.unique(joint.name + " friction"),
             .body = id,
             .force = [id, slide = law(moved(false))](Quantities& q) { return slide(q.velocity(id)); },
             .torque =
                 [id, turn = law(moved(true))](Quantities& q) {
                   const ExprMat3 axes = q.axes(id);
                   return axes * turn(along(axes, q.angular_velocity(id)));
                 },
             .span = joint.span});
  }

  void add_ball_forces(const FileJoint& joint) {
    if (joint.limited) reader_.omit("limits of ball joints", joint.span, "limit");
    if (joint.friction > 0) reader_.omit("dry friction of ball joints", joint.span, "friction");
    if (!joint.spring) return;
    auto& force = std::get<BallForce>(mechanism_.forces[*joint.spring]);
    force.stiffness = joint.stiffness[0];
    force.damping = joint.damping[0];
    for (const Polynomial& p : {joint.stiffness, joint.damping})
      if (p[1] != 0 || p[2] != 0)
        reader_.complain(
            fmt::format("the ball joint {} has a spring or damper that is not linear, which is not supported",
                        joint.name),
            joint.span);
  }

  FileReader& reader_;
  BodyTree& tree_;
  StartInertia& inertia_;
  Mechanism& mechanism_;
};

}  // namespace

void add_joints(const MjcfFile& file, BodyTree& tree, Mechanism& mechanism) {
  JointAdder(file, tree, mechanism).run();
}

void add_joint_forces(const MjcfFile& file, BodyTree& tree, StartInertia& inertia, Mechanism& mechanism) {
  JointForces(file, tree, inertia, mechanism).run();
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
