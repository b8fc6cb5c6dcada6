#include "mechanics/outputs.hpp"

#include <fmt/format.h>

#include "mechanics/sensors.hpp"

namespace daedalus {
namespace {

class Outputs {
 public:
  Outputs(const Mechanism& mechanism, Assembly& assembly)
      : mechanism_(mechanism), assembly_(assembly), planar_(mechanism.dimension == Dimension::Planar) {}

  void run() {
    for (std::size_t k = 0; k < mechanism_.bodies.size(); ++k)
      add_body(mechanism_.bodies[k], assembly_.motion(BodyId(k)));
    for (std::size_t k = 0; k < mechanism_.joints.size(); ++k) add_joint(JointId(k));
    for (const Marker& marker : mechanism_.markers) {
      const ExprVec3 at = assembly_.position(marker.body, marker.point);
      add_vector(marker.name + ".{}", "m", at);
    }
    collect_sensors(mechanism_, assembly_);
    add_reactions();
    add_totals();
  }

 private:
  void add(std::string name, std::string unit, const Expr& value) {
    assembly_.outputs.push_back({.name = std::move(name), .unit = std::move(unit), .value = value});
  }

  // `name` has {} where the axis goes.
  void add_vector(const std::string& name, const std::string& unit, const ExprVec3& v) {
    const auto at = name.find("{}");
    const auto with = [&](char axis) { return name.substr(0, at) + axis + name.substr(at + 2); };
    add(with('x'), unit, v.x);
    add(with('y'), unit, v.y);
    if (!planar_) add(with('z'), unit, v.z);
  }

  void add_body(const Body& body, const BodyMotion& motion) {
    if (body.kind == BodyKind::Massless) return;
    if (assembly_.joint_space() != nullptr) return add_carried(body, motion);
    if (!body.velocity) add_vector(body.name + ".v{}", "m/s", motion.velocity);
    if (!motion.turns) return;
    if (!planar_)
      add_vector(body.name + ".w{}", "rad/s", motion.spin);
    else if (!body.angular_velocity)
      add(body.name + ".w", "rad/s", motion.spin.z);
  }

  // In joint coordinates: what is no coordinate of a body that moves freely.
  void add_carried(const Body& body, const BodyMotion& motion) {
    const bool free = assembly_.joint_space()->is_free(motion);
    if (!free) {
      add_vector(body.name + ".{}", "m", motion.position);
      if (motion.turns && planar_) add(body.name + ".phi", "rad", motion.angle);
      if (motion.turns && !planar_) {
        for (std::size_t k = 0; k < 4; ++k)
          add(fmt::format("{}.q{}", body.name, k), "", motion.orientation[k]);
      }
      add_vector(body.name + ".v{}", "m/s", motion.velocity);
    }
    if (!motion.turns) return;
    if (!planar_)
      add_vector(body.name + ".w{}", "rad/s", motion.spin);
    else if (!free)
      add(body.name + ".w", "rad/s", motion.spin.z);
  }

  // Of a joint that carries a body, by the names that they have in body coordinates.
  void add_coordinates(JointId id) {
    const Joint& joint = mechanism_.joints[id.at()];
    const JointRow& row = joint_row(joint.kind);
    if (row.has_angle)
      add(fmt::format("joint {}: angle", joint.name), "rad",
          assembly_.coordinate({.joint = id, .motion = JointMotion::Angle}));
    if (row.slides_along != 0)
      add(fmt::format("joint {}: displacement", joint.name), "m",
          assembly_.coordinate({.joint = id, .motion = JointMotion::Displacement}));
  }

  void add_joint(JointId id) {
    if (mechanism_.joints[id.at()].merged.valid()) return;
    if (assembly_.carries(id)) return add_coordinates(id);
    const Joint& joint = mechanism_.joints[id.at()];
    const JointEnds& at = assembly_.ends(id);
    const JointRow& row = joint_row(joint.kind);
    if (row.has_angle && at.first.turns && at.second.turns && !assembly_.tracked(id)) {
      add(fmt::format("joint {}: angle", joint.name), "rad",
          planar_ ? planar_angle(at) : atan2(sine_of_angle(at), cosine_of_angle(at)));
    }
    if (row.slides_along != 0)
      add(fmt::format("joint {}: displacement", joint.name), "m", displacement_of(joint, at));
  }

  // In joint coordinates the reactions of the joints that carry bodies follow from the motion.
  void add_reactions() {
    if (assembly_.joint_space() == nullptr || !assembly_.reactions_known) return;
    for (const JointReaction& reaction : assembly_.joint_space()->reactions()) {
      const Joint& joint = mechanism_.joints[reaction.joint.at()];
      const ExprMat3& axes = assembly_.ends(reaction.joint).axes1;
      for (const ReactionRow& row : reaction_rows(joint.kind, mechanism_.dimension)) {
        const ExprVec3& along = row.axis == 0 ? axes.x : row.axis == 1 ? axes.y : axes.z;
        add(fmt::format("joint {}: {}", joint.name, row.name), row.torque ? "N.m" : "N",
            dot(along, row.torque ? reaction.torque : reaction.force));
      }
    }
  }

  void add_totals() {
    Expr kinetic = assembly_.armature_energy;
    ExprVec3 momentum;
    ExprVec3 turning;
    for (std::size_t k = 0; k < mechanism_.bodies.size(); ++k) {
      const Body& body = mechanism_.bodies[k];
      const BodyMotion& motion = assembly_.motion(BodyId(k));
      if (body.kind == BodyKind::Massless) continue;
      kinetic = kinetic + kinetic_energy(body, motion);
      momentum = momentum + Expr(body.mass) * motion.velocity;
      turning = turning + angular_momentum(body, motion);
    }
    add("energy", "J", kinetic + assembly_.potential_energy);
    add("potential energy", "J", assembly_.potential_energy);
    add("kinetic energy", "J", kinetic);
    add_vector("momentum {}", "kg.m/s", momentum);
    if (planar_)
      add("angular momentum", "kg.m2/s", turning.z);
    else
      add_vector("angular momentum {}", "kg.m2/s", turning);
  }

  const Mechanism& mechanism_;
  Assembly& assembly_;
  bool planar_;
};

}  // namespace

void collect_outputs(const Mechanism& mechanism, Assembly& assembly) {
  Outputs(mechanism, assembly).run();
}

}  // namespace daedalus
