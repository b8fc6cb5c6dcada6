#include "mechanics/force_terms.hpp"

#include <fmt/format.h>

namespace daedalus {
namespace {

// Keeps the direction of a turn defined where there is none, in rad.
constexpr double smallest_turn = 1e-9;

class ForceTerms {
 public:
  ForceTerms(const Mechanism& mechanism, Assembly& assembly) : mechanism_(mechanism), assembly_(assembly) {}

  // Adds the force; gives its potential energy.
  Expr operator()(const Spring& spring) {
    const BodyMotion& first = assembly_.motion(spring.first);
    const BodyMotion& second = assembly_.motion(spring.second);
    const ExprVec3 d = second.point(spring.on_second) - first.point(spring.on_first);
    const Expr length = sqrt(dot(d, d));
    Expr tension = spring.stiffness * (length - spring.natural_length);
    if (spring.damping != 0) {
      const ExprVec3 apart =
          assembly_.velocity_of(second, spring.on_second) - assembly_.velocity_of(first, spring.on_first);
      const bool joints = assembly_.joint_space() != nullptr;
      tension = tension + spring.damping * (joints ? dot(d, apart) / length : der(length));
    }
    if (spring.law) tension = tension + spring.law(assembly_);
    const ExprVec3 pull = (tension / length) * d;  // on the first body
    assembly_.apply_force(first, pull, spring.on_first);
    assembly_.apply_force(second, -pull, spring.on_second);
    report("force " + spring.name + ": tension", "N", tension);
    const Expr stretch = length - spring.natural_length;
    return 0.5 * spring.stiffness * stretch * stretch;
  }

  Expr operator()(const JointForce& force) {
    const JointCoordinate c = assembly_.resolved(force.coordinate);
    Expr effort = 0;
    Expr energy = 0;
    if (force.stiffness != 0) {
      const Expr off = assembly_.coordinate(c) - force.reference;
      effort = effort - force.stiffness * off;
      energy = 0.5 * force.stiffness * off * off;
    }
    if (force.damping != 0) effort = effort - force.damping * assembly_.rate(c);
    if (force.law) effort = effort + force.law(assembly_);
    apply_effort(c, effort);
    if (force.armature != 0) add_armature(c, force.armature);
    report("force " + force.name, c.motion == JointMotion::Angle ? "N.m" : "N", effort);
    return energy;
  }

  Expr operator()(const Bushing& bushing) {
    const BodyMotion& first = assembly_.motion(bushing.first);
    const BodyMotion& second = assembly_.motion(bushing.second);
    const ExprMat3 axes1 = first.axes_of(bushing.on_first.axes);
    const ExprMat3 axes2 = second.axes_of(bushing.on_second.axes);
    const ExprVec3 off =
        along(axes1, second.point(bushing.on_second.origin) - first.point(bushing.on_first.origin));
    const ExprVec3 force = axes1 * spring_of(bushing.stiffness, bushing.damping, off, der(off));
    assembly_.apply_force(second, force, bushing.on_second.origin);
    // On the first body it acts at the same point of space.
    assembly_.apply_force(first, -force, bushing.on_first.origin);
    assembly_.apply_torque(first, -cross(axes1 * off, force));
    const ExprVec3 spin = along(axes1, second.spin - first.spin);
    const Turning turning = turning_of(bushing.torsional_stiffness, axes1, axes2);
    const ExprVec3 torque = turning.torque + axes1 * spring_of({}, bushing.torsional_damping, {}, spin);
    assembly_.apply_torque(second, torque);
    assembly_.apply_torque(first, -torque);
    return energy_of(bushing.stiffness, off) + turning.energy;
  }

  Expr operator()(const Load& load) {
    const BodyMotion& body = assembly_.motion(load.body);
    if (load.force) {
      const ExprVec3 force = load.force(assembly_);
      assembly_.apply_force(body, load.along_body ? body.axes * force : force, load.point);
    }
    if (load.torque) {
      const ExprVec3 torque = load.torque(assembly_);
      assembly_.apply_torque(body, load.along_body ? body.axes * torque : torque);
    }
    return 0;
  }

  // V = k θ²/2 of the angle θ between the frames, whose torque is k θ about the axis of the turn.
  Expr operator()(const BallForce& ball) {
    const JointEnds& at = assembly_.ends(ball.joint);
    ExprVec3 torque = Expr(-ball.damping) * (at.second.spin - at.first.spin);
    Expr energy = 0;
    if (ball.stiffness != 0) {
      // sin θ times the axis, and cos θ.
      const ExprVec3 sine = Expr(0.5) * (cross(at.axes1.x, at.axes2.x) + cross(at.axes1.y, at.axes2.y) +
                                         cross(at.axes1.z, at.axes2.z));
      const Expr cosine =
          0.5 * (dot(at.axes1.x, at.axes2.x) + dot(at.axes1.y, at.axes2.y) + dot(at.axes1.z, at.axes2.z) - 1);
      const Expr length = sqrt(dot(sine, sine) + smallest_turn * smallest_turn);
      const Expr angle = atan2(length, cosine);
      torque = torque - (ball.stiffness * angle / length) * sine;
      energy = 0.5 * ball.stiffness * angle * angle;
    }
    if (ball.armature != 0) {
      const ExprVec3 spin = along(at.axes2, at.second.spin - at.first.spin);
      torque = torque - at.axes2 * (Expr(ball.armature) * der(spin));
      assembly_.armature_energy = assembly_.armature_energy + 0.5 * ball.armature * dot(spin, spin);
    }
    assembly_.apply_torque(at.second, torque);
    assembly_.apply_torque(at.first, -torque);
    return energy;
  }

  // Its generalised forces are those of the gradient of its length.
  Expr operator()(const PathForce& path) {
    const Expr length = path.length(assembly_);
    const Expr rate = der(length);
    Expr tension = path.tension(assembly_, length, rate);
    if (path.armature != 0) {
      tension = tension + path.armature * der(rate);
      assembly_.armature_energy = assembly_.armature_energy + 0.5 * path.armature * rate * rate;
    }
    assembly_.add_path_force(length, tension);
    assembly_.reactions_known = false;  // what it does to each body it passes is not written out
    report(path.name + ".length", "m", length);
    report("force " + path.name, "N", tension);
    return 0;
  }

  // m g on every centre of mass.
  Expr gravity() {
    Expr energy = 0;
    for (std::size_t k = 0; k < mechanism_.bodies.size(); ++k) {
      const Body& body = mechanism_.bodies[k];
      const BodyMotion& motion = assembly_.motion(BodyId(k));
      const ExprVec3 weight = symbolic(body.mass * mechanism_.gravity);
      // In joint coordinates the ground is accelerated against it instead.
      if (assembly_.joint_space() == nullptr) assembly_.apply_force(motion, weight, body.centre);
      energy = energy - dot(weight, motion.position);
    }
    return energy;
  }

 private:
  static ExprVec3 spring_of(const Vec3& stiffness, const Vec3& damping, const ExprVec3& off,
                            const ExprVec3& rate) {
    return {-stiffness.x * off.x - damping.x * rate.x, -stiffness.y * off.y - damping.y * rate.y,
            -stiffness.z * off.z - damping.z * rate.z};
  }

  struct Turning {
    ExprVec3 torque;
    Expr energy = 0;
  };
  // V = Σ c_k (1 - e_k·e'_k) has the torque Σ c_k e'_k × e_k, which for small rotations is stiffness times
  // rotation if c_x = (k_y + k_z - k_x)/2 and so on. About one axis it is -k sin(angle).
  static Turning turning_of(const Vec3& k, const ExprMat3& first, const ExprMat3& second) {
    const double sum = (k.x + k.y + k.z) / 2;
    const double cx = sum - k.x, cy = sum - k.y, cz = sum - k.z;
    return {.torque = Expr(cx) * cross(second.x, first.x) + Expr(cy) * cross(second.y, first.y) +
                      Expr(cz) * cross(second.z, first.z),
            .energy = cx * (1 - dot(first.x, second.x)) + cy * (1 - dot(first.y, second.y)) +
                      cz * (1 - dot(first.z, second.z))};
  }

  static Expr energy_of(const Vec3& stiffness, const ExprVec3& off) {
    return 0.5 * (stiffness.x * off.x * off.x + stiffness.y * off.y * off.y + stiffness.z * off.z * off.z);
  }

  // A generalised force at a joint's coordinate, on the second body, and against it on the first.
  void apply_effort(const JointCoordinate& c, const Expr& effort) {
    if (assembly_.carries(c.joint)) return assembly_.joint_space()->apply_effort(c, effort);
    const Joint& joint = mechanism_.joints[c.joint.at()];
    const JointEnds& at = assembly_.ends(c.joint);
    if (c.motion == JointMotion::Angle) {
      const ExprVec3 torque = effort * at.axes1.z;
      assembly_.apply_torque(at.second, torque);
      assembly_.apply_torque(at.first, -torque);
      return;
    }
    const ExprVec3 force = effort * (joint_row(joint.kind).slides_along == 'z' ? at.axes1.z : at.axes1.x);
    assembly_.apply_force(at.second, force, joint.on_second.origin);
    assembly_.apply_force(at.first, -force, joint.on_first.origin);
    // Both act along the line through the two points, so that there is no moment between them.
  }

  // In space the armature turns with a variable of its own; in the plane, and where something slides, its
  // inertia acts on both bodies.
  void add_armature(const JointCoordinate& c, double armature) {
    if (assembly_.carries(c.joint)) {
      assembly_.joint_space()->add_armature(c, armature);
    } else if (c.motion == JointMotion::Angle && mechanism_.dimension == Dimension::Spatial) {
      CoordinateEquation& equation = assembly_.tracked_equation(c.joint);
      equation.residual = equation.residual + armature * der(der(equation.coordinate));
    } else {
      apply_effort(c, -armature * der(der(assembly_.coordinate(c))));
    }
    const Expr rate = assembly_.rate(c);
    assembly_.armature_energy = assembly_.armature_energy + 0.5 * armature * rate * rate;
  }

  void report(std::string name, std::string unit, const Expr& value) {
    assembly_.outputs.push_back({.name = std::move(name), .unit = std::move(unit), .value = value});
  }

  const Mechanism& mechanism_;
  Assembly& assembly_;
};

}  // namespace

void add_forces(const Mechanism& mechanism, Assembly& assembly) {
  ForceTerms terms(mechanism, assembly);
  assembly.potential_energy = terms.gravity();
  for (const Force& force : mechanism.forces)
    assembly.potential_energy = assembly.potential_energy + std::visit(terms, force);
}

}  // namespace daedalus
