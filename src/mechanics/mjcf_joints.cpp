#include "mechanics/mjcf_joints.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/options.hpp"

namespace daedalus::mjcf {
namespace {

constexpr double same = 1e-9;  // of directions and places

bool parallel(const Vec3& a, const Vec3& b) {
  return norm(cross(a, b)) < same;
}

bool orthogonal(const Vec3& a, const Vec3& b) {
  return std::abs(dot(a, b)) < same;
}

// What several joints of one body come to.
struct Composite {
  JointKind kind = JointKind::Fixed;
  Frame first;  // in the world, at the start
  Frame second;
  bool free = false;
};

class JointAdder {
 public:
  JointAdder(const MjcfFile& file, BodyTree& tree, Mechanism& mechanism)
      : reader_(file.reader()), tree_(tree), mechanism_(mechanism) {}

  void run() {
    for (std::size_t k = 0; k < tree_.rigid.size(); ++k) add(static_cast<int>(k));
  }

 private:
  void add(int number) {
    RigidBody& body = tree_.rigid[static_cast<std::size_t>(number)];
    const auto composite = compose(body);
    if (!composite) {
      std::vector<std::string> types;
      for (const FileJoint& joint : body.joints) types.push_back(joint.type);
      reader_.complain(
          fmt::format(
              "body {} has the joints {}, a combination that is not supported: put a body between them",
              body.name, fmt::join(types, ", ")),
          body.span);
      return;
    }
    if (composite->free) {
      name_free(body);
      return;
    }
    const Frame parent = body.parent < 0 ? Frame{} : tree_.rigid[static_cast<std::size_t>(body.parent)].pose;
    const std::string name = body.joints.size() == 1 ? body.joints[0].name : body.name;
    const JointId id(mechanism_.joints.size());
    mechanism_.joints.push_back({.name = reader_.unique(name),
                                 .kind = composite->kind,
                                 .first = body.parent < 0 ? ground : BodyId(body.parent),
                                 .second = BodyId(number),
                                 .on_first = relative_to(parent, composite->first),
                                 .on_second = relative_to(body.pose, composite->second),
                                 .span = body.joints[0].span});
    give_coordinates(body, id, composite->kind);
    for (const FileJoint& joint : body.joints) add_forces(joint, id);
  }

  void name_free(RigidBody& body) {
    for (const FileJoint& joint : body.joints) {
      if (joint.stiffness != 0 || joint.damping != 0 || joint.armature != 0)
        reader_.complain(
            fmt::format("joint {} is part of a free motion; stiffness, damping and armature are not "
                        "supported there",
                        joint.name),
            joint.span);
    }
  }

  static std::optional<Composite> compose(const RigidBody& body) {
    std::vector<const FileJoint*> hinges, slides, balls, frees;
    for (const FileJoint& joint : body.joints) {
      (joint.type == "hinge"   ? hinges
       : joint.type == "slide" ? slides
       : joint.type == "ball"  ? balls
                               : frees)
          .push_back(&joint);
    }
    const std::size_t all = body.joints.size();
    if (frees.size() == 1 && all == 1) return Composite{.free = true};
    if (balls.size() == 1 && slides.size() == 3 && all == 4) return Composite{.free = true};
    if (slides.size() == 3 && hinges.size() == 3 && all == 6) return Composite{.free = true};
    if (balls.size() == 1 && all == 1) return both(JointKind::Spherical, {balls[0]->point, body.pose.axes});
    if (slides.size() == 3 && all == 3) return both(JointKind::Translational, body.pose);
    if (slides.size() == 1 && all == 1)
      return both(JointKind::Prismatic, {body.pose.origin, axes_with_x(slides[0]->axis)});
    if (hinges.size() == 1 && all == 1)
      return both(JointKind::Revolute, {hinges[0]->point, axes_with_z(hinges[0]->axis)});
    if (hinges.size() == 1 && slides.size() == 1 && parallel(hinges[0]->axis, slides[0]->axis))
      return both(JointKind::Cylindrical, {hinges[0]->point, axes_with_z(slides[0]->axis)});
    if (hinges.size() == 1 && slides.size() == 2 && orthogonal(hinges[0]->axis, slides[0]->axis) &&
        orthogonal(hinges[0]->axis, slides[1]->axis))
      return both(JointKind::Planar, {hinges[0]->point, axes_with_z(hinges[0]->axis)});
    return of_hinges(hinges, all);
  }

  static Composite both(JointKind kind, const Frame& frame) {
    return {.kind = kind, .first = frame, .second = frame};
  }

  // Two that cross at a right angle are universal, three in one point are spherical.
  static std::optional<Composite> of_hinges(const std::vector<const FileJoint*>& hinges, std::size_t all) {
    if (hinges.size() != all || all < 2 || all > 3) return std::nullopt;
    for (const FileJoint* hinge : hinges) {
      if (norm(hinge->point - hinges[0]->point) > same) return std::nullopt;
    }
    const Vec3& point = hinges[0]->point;
    if (all == 3) {
      if (std::abs(dot(hinges[0]->axis, cross(hinges[1]->axis, hinges[2]->axis))) < 1e-3) return std::nullopt;
      return both(JointKind::Spherical, {point, {}});
    }
    const Vec3& x = hinges[0]->axis;  // in the parent
    const Vec3& y = hinges[1]->axis;  // in the body
    if (!orthogonal(x, y)) return std::nullopt;
    const Mat3 axes{x, y, cross(x, y)};
    return both(JointKind::Universal, {point, axes});
  }

  // Which coordinate of the mechanism's joint a joint of the file is.
  static void give_coordinates(RigidBody& body, JointId id, JointKind kind) {
    for (FileJoint& joint : body.joints) {
      joint.motion = joint.type == "slide" ? JointMotion::Displacement : JointMotion::Angle;
      const bool has =
          kind == JointKind::Revolute || kind == JointKind::Prismatic || kind == JointKind::Cylindrical;
      if (has) joint.joint = id;
    }
    // One axis may point against the other.
    if (kind == JointKind::Cylindrical && dot(body.joints[0].axis, body.joints[1].axis) < 0) {
      for (FileJoint& joint : body.joints) {
        if (joint.type == "hinge") joint.joint = {};
      }
    }
  }

  void add_forces(const FileJoint& joint, JointId id) {
    if (joint.stiffness == 0 && joint.damping == 0 && joint.armature == 0) return;
    if (!joint.joint.valid()) {
      add_ball_damping(joint, id);
      return;
    }
    mechanism_.forces.emplace_back(JointForce{.name = reader_.unique(joint.name + " spring"),
                                              .coordinate = {.joint = joint.joint, .motion = joint.motion},
                                              .stiffness = joint.stiffness,
                                              .damping = joint.damping,
                                              .reference = joint.spring_reference - joint.reference,
                                              .armature = joint.armature,
                                              .law = {},
                                              .span = joint.span});
  }

  void add_ball_damping(const FileJoint& joint, JointId id) {
    if (joint.type != "ball" || joint.stiffness != 0 || joint.armature != 0) {
      reader_.complain(
          fmt::format("stiffness, damping or armature of joint {}, which shares its body with other "
                      "joints or is a ball, is not supported",
                      joint.name),
          joint.span);
      return;
    }
    const Joint& made = mechanism_.joints[id.at()];
    Bushing bushing{.name = reader_.unique(joint.name + " damper"),
                    .first = made.first,
                    .second = made.second,
                    .on_first = made.on_first,
                    .on_second = made.on_second,
                    .span = joint.span};
    bushing.torsional_damping = {joint.damping, joint.damping, joint.damping};
    mechanism_.forces.emplace_back(std::move(bushing));
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
