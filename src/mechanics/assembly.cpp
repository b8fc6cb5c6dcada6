#include "mechanics/assembly.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "expr/derivative.hpp"
#include "expr/rounding.hpp"
#include "model/builder_state.hpp"

namespace daedalus {
namespace {

// A typical inertia of a body about any axis.
double mean_inertia(const Body& body) {
  return (body.inertia.x.x + body.inertia.y.y + body.inertia.z.z) / 3;
}

}  // namespace

Assembly::Assembly(const Mechanism& mechanism, ModelBuilder& model, bool joint_coordinates)
    : mechanism_(mechanism), model_(model), ground_(ground_motion()) {
  if (!joint_coordinates) return;
  joint_space_.emplace(mechanism, Unknowns{.model = model_, .equations = equations});
  double reach = 1;  // axes are unit vectors
  for (const Joint& joint : mechanism.joints)
    reach = std::max({reach, norm(joint.on_first.origin), norm(joint.on_second.origin)});
  for (const Body& body : mechanism.bodies) reach = std::max(reach, norm(body.pose.origin));
  place_rounding_ = reach * std::numeric_limits<double>::epsilon();
}

void Assembly::declare_bodies() {
  if (joint_space_) {
    bodies_ = joint_space_->declare();
    rates_ = joint_space_->rates();
    for (ConstraintEquation& row : joint_space_->lengths()) add_row(std::move(row));
    return;
  }
  const Unknowns unknowns{.model = model_, .equations = equations};
  bodies_.reserve(mechanism_.bodies.size());
  for (const Body& body : mechanism_.bodies) {
    if (body.kind == BodyKind::Massless) {
      bodies_.push_back(ground_motion());
      continue;
    }
    const std::size_t before = equations.size();
    bodies_.push_back(declare_body(body, mechanism_.dimension, unknowns));
    bodies_.back().number = static_cast<int>(bodies_.size()) - 1;
    const std::size_t translations = mechanism_.dimension == Dimension::Planar ? 2 : 3;
    if (body.velocity) rates_ += translations;
    if (body.angular_velocity) rates_ += equations.size() - before - translations;
  }
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const std::vector<Expr>& q = bodies_[k].quaternion;
    if (q.empty()) continue;
    const std::string& name = mechanism_.bodies[k].name;
    add_row({.residual = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1,
             .level = 0,
             .name = fmt::format("body {}: length of the quaternion", name),
             .reaction = fmt::format("{}.norm multiplier", name),
             .unit = "",
             .span = mechanism_.bodies[k].span});
  }
}

const BodyMotion& Assembly::motion(BodyId body) const {
  return body.valid() ? bodies_[body.at()] : ground_;
}

void Assembly::add_row(ConstraintEquation equation, double augmentation) {
  const Expr multiplier = model_.variable(equation.reaction, {.unit = equation.unit});
  rows.push_back({.equation = std::move(equation), .multiplier = multiplier, .augmentation = augmentation});
}

// In joint coordinates a loop in a plane is closed across it whatever its angles are: such a row says
// nothing, unless it is open. Where the plane is tilted, sines and cosines of its axes leave rounding of
// derivatives that ought to be zero.
bool Assembly::says_something(const Expr& residual) const {
  constexpr double closed = 1e-9;         // m or rad: no gap that anybody has meant
  constexpr double within_rounding = 10;  // units of roundoff of the terms, a few for each operation
  if (residual.is_number()) return std::abs(residual.number()) > closed;
  BuilderState& state = *model_.time().state();
  const ExprGraph& graph = *state.system.graph;
  std::vector<NodeId> values{residual.node(state)};
  for (const Partial& partial : gradient(*state.system.graph, values.front()))
    values.push_back(partial.value);
  for (const double seed : {1.0, 2.0, 3.0}) {
    // Coordinates in no simple ratio to each other.
    const auto leaf = [&](NodeId id) {
      return graph.node(id).op == Op::Variable ? 2 * std::sin(seed + 2.399963229728653 * id.value) : 0.0;
    };
    const std::vector<Rounded> rounded = evaluate_rounded(graph, values, leaf);
    if (std::abs(rounded.front().value) > closed) return true;
    for (const Rounded& derivative : std::span(rounded).subspan(1)) {
      if (!(std::abs(derivative.value) <= within_rounding * (derivative.error + place_rounding_)))
        return true;
    }
  }
  return false;
}

// What closes a loop acts on its bodies, which the reactions of the joints that carry them are to know.
void Assembly::add_closing_force(const Joint& joint, const JointEnds& at, RowKind kind,
                                 const Expr& multiplier) {
  const ReactionOfRow reaction =
      reaction_of(kind, joint, at, along_world(joint, mechanism_.dimension) ? ExprMat3{} : at.axes1);
  if (!reaction.known) {
    reactions_known = false;
    return;
  }
  const ExprVec3 force = multiplier * reaction.force;
  const ExprVec3 torque = multiplier * reaction.torque;
  joint_space_->add_closing(at.second, force, joint.on_second.origin, torque);
  joint_space_->add_closing(at.first, -force, joint.on_first.origin,
                            -torque - cross(at.point2 - at.point1, force));
}

void Assembly::add_joints() {
  ends_.reserve(mechanism_.joints.size());
  for (const Joint& joint : mechanism_.joints) {
    ends_.push_back(ends_of(joint, motion(joint.first), motion(joint.second)));
    if (carries(JointId(ends_.size() - 1)) || joint.merged.valid()) continue;
    const std::size_t begin = rows.size();
    const std::vector<RowKind>& kinds = rows_of(joint.kind, mechanism_.dimension);
    const std::size_t whole = kinds.size();
    std::size_t number = 0;
    for (ConstraintEquation& row : constraints_of(joint, ends_.back(), mechanism_.dimension)) {
      const RowKind kind = kinds[number++];
      if (joint_space_ && !says_something(row.residual)) continue;
      add_row(std::move(row));
      if (joint_space_) add_closing_force(joint, ends_.back(), kind, rows.back().multiplier);
    }
    if (!along_world(joint, mechanism_.dimension) || rows.size() - begin != whole) continue;
    // The same force along the joint's axes.
    const bool planar = mechanism_.dimension == Dimension::Planar;
    const ExprVec3 force{rows[begin].multiplier, rows[begin + 1].multiplier,
                         planar ? Expr(0) : rows[begin + 2].multiplier};
    const ExprMat3& axes = ends_.back().axes1;
    const auto report = [&](char axis, const ExprVec3& direction) {
      outputs.push_back({.name = fmt::format("joint {}: force {}", joint.name, axis),
                         .unit = "N",
                         .value = dot(direction, force)});
    };
    if (!motion(joint.first).turns) continue;
    report('x', axes.x);
    report('y', axes.y);
    if (!planar) report('z', axes.z);
  }
}

Expr Assembly::tracked_angle(JointId id) {
  if (const auto found = tracked_.find(id.value); found != tracked_.end())
    return equations[found->second].coordinate;
  const Joint& joint = mechanism_.joints[id.at()];
  const JointEnds& at = ends_[id.at()];
  const double start = fits_tree(joint.kind, mechanism_.dimension)
                           ? start_of(mechanism_, joint).steps.back().value
                           : start_angle(at.start1, at.start2);
  const Expr angle =
      model_.variable(fmt::format("joint {}: angle", joint.name), {.start = start, .unit = "rad"});
  tracked_[id.value] = equations.size();
  equations.push_back({.coordinate = angle,
                       .residual = 0,
                       .label = fmt::format("joint {}: motion of its angle", joint.name),
                       .span = joint.span});
  double inertia = 0;
  for (const BodyId body : {joint.first, joint.second}) {
    if (!body.valid()) continue;
    const double one = mean_inertia(mechanism_.bodies[body.at()]);
    inertia = inertia == 0 ? one : std::min(inertia, one);
  }
  add_row({.residual = cos(angle) * sine_of_angle(at) - sin(angle) * cosine_of_angle(at),
           .level = 0,
           .name = fmt::format("joint {}: what its angle is", joint.name),
           .reaction = fmt::format("joint {}: torque through its angle", joint.name),
           .unit = "N.m",
           .span = joint.span},
          inertia);
  return angle;
}

CoordinateEquation& Assembly::tracked_equation(JointId joint) {
  (void)tracked_angle(joint);
  return equations[tracked_.at(joint.value)];
}

void Assembly::add_couplings() {
  for (const Coupling& coupling : mechanism_.couplings) {
    const Expr y = coordinate(coupling.y);
    Expr value = 0;
    const Expr x = coupling.x ? coordinate(*coupling.x) : Expr(0);
    for (std::size_t k = coupling.polynomial.size(); k-- > 0;) value = value * x + coupling.polynomial[k];
    add_row({.residual = value - y,
             .level = 0,
             .name = fmt::format("coupling {}", coupling.name),
             .reaction = fmt::format("coupling {}: {}", coupling.name,
                                     coupling.y.motion == JointMotion::Angle ? "torque" : "force"),
             .unit = coupling.y.motion == JointMotion::Angle ? "N.m" : "N",
             .span = coupling.span});
  }
}

void Assembly::add_path_couplings() {
  for (const PathCoupling& coupling : mechanism_.path_couplings) {
    Expr value = 0;
    const Expr x = coupling.x ? coupling.x(*this) : Expr(0);
    for (std::size_t k = coupling.polynomial.size(); k-- > 0;) value = value * x + coupling.polynomial[k];
    add_row({.residual = value - coupling.y(*this),
             .level = 0,
             .name = fmt::format("coupling {}", coupling.name),
             .reaction = fmt::format("coupling {}: tension", coupling.name),
             .unit = "N",
             .span = coupling.span});
    reactions_known = false;
  }
}

void Assembly::add_motions() {
  for (const Motion& motion : mechanism_.motions) {
    const Expr law = motion.law(*this);
    const JointCoordinate& c = motion.coordinate;
    const bool angle = c.motion == JointMotion::Angle;
    const bool spatial = mechanism_.dimension == Dimension::Spatial;
    // sin(law - angle) is law - angle where it counts, and needs no variable for the angle.
    const bool known = !angle || !spatial || tracked(c.joint) || carries(c.joint);
    const Expr residual =
        !known ? sin(law) * cosine_of_angle(ends(c.joint)) - cos(law) * sine_of_angle(ends(c.joint))
               : law - coordinate(c);
    add_row({.residual = residual,
             .level = 0,
             .name = fmt::format("motion {}", motion.name),
             .reaction = fmt::format("motion {}: {}", motion.name, angle ? "torque" : "force"),
             .unit = angle ? "N.m" : "N",
             .span = motion.span});
  }
}

Expr Assembly::state(const std::string& name, double start, const std::function<Expr(const Expr&)>& rate) {
  if (const auto found = states_.find(name); found != states_.end()) return found->second;
  const Expr x = model_.variable(name, {.start = start});
  states_.emplace(name, x);
  model_.equation(der(x), rate(x), name);
  ++rates_;
  return x;
}

void Assembly::apply_path_forces() {
  if (path_forces_.empty()) return;
  BuilderState& state = *model_.time().state();
  ExprGraph& graph = *state.system.graph;
  std::unordered_map<std::int32_t, std::size_t> owner;
  for (std::size_t i = 0; i < equations.size(); ++i)
    owner[graph.variable_of(equations[i].coordinate.node(state)).value] = i;
  for (const auto& [length, tension] : path_forces_) {
    if (length.is_number()) continue;
    for (const Partial& partial : gradient(graph, length.node(state))) {
      const auto found = owner.find(graph.variable_of(partial.leaf).value);
      if (found == owner.end() || graph.order_of(partial.leaf) != 0) continue;
      Expr& residual = equations[found->second].residual;
      residual = residual + tension * Expr(&state, partial.value);
    }
  }
}

Expr Assembly::time() const {
  return model_.time();
}

ExprVec3 Assembly::position(BodyId body, const Vec3& point) const {
  return motion(body).point(point);
}

ExprVec3 Assembly::velocity(BodyId body, const Vec3& point) const {
  return velocity_of(motion(body), point);
}

ExprVec3 Assembly::velocity_of(const BodyMotion& body, const Vec3& point) const {
  if (!joint_space_ || !body.moves) return der(body.point(point));
  return body.velocity + cross(body.spin, body.axes * symbolic(point - body.centre));
}

void Assembly::apply_force(const BodyMotion& body, const ExprVec3& force, const Vec3& point) {
  if (joint_space_) return joint_space_->apply_force(body, force, point);
  daedalus::apply_force(body, force, point, equations);
}

void Assembly::apply_torque(const BodyMotion& body, const ExprVec3& torque) {
  if (joint_space_) return joint_space_->apply_torque(body, torque);
  daedalus::apply_torque(body, torque, equations);
}

ExprMat3 Assembly::axes(BodyId body) const {
  return motion(body).axes;
}

ExprVec3 Assembly::angular_velocity(BodyId body) const {
  return motion(body).spin;
}

JointCoordinate Assembly::resolved(JointCoordinate coordinate) const {
  const JointId merged = mechanism_.joints[coordinate.joint.at()].merged;
  if (merged.valid()) coordinate.joint = merged;
  return coordinate;
}

Expr Assembly::coordinate(JointCoordinate given) {
  const JointCoordinate coordinate = resolved(given);
  if (carries(coordinate.joint)) return joint_space_->coordinate(coordinate);
  const JointEnds& at = ends(coordinate.joint);
  if (coordinate.motion == JointMotion::Displacement)
    return displacement_of(mechanism_.joints[coordinate.joint.at()], at);
  if (mechanism_.dimension == Dimension::Planar) return planar_angle(at);
  // A law that asks for the angle of a joint makes a variable of it.
  return tracked_angle(coordinate.joint);
}

Expr Assembly::rate(JointCoordinate given) {
  const JointCoordinate coordinate = resolved(given);
  if (carries(coordinate.joint)) return joint_space_->rate(coordinate);
  const JointEnds& at = ends(coordinate.joint);
  if (coordinate.motion == JointMotion::Displacement || mechanism_.dimension == Dimension::Planar)
    return der(this->coordinate(given));
  return dot(at.axes1.z, at.second.spin - at.first.spin);
}

}  // namespace daedalus
