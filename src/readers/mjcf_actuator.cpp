#include "readers/mjcf_actuator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/options.hpp"
#include "mechanics/quantities.hpp"
#include "readers/mjcf_names.hpp"
#include "readers/mjcf_softness.hpp"

namespace daedalus::mjcf {
namespace {

constexpr std::array<std::string_view, 13> known_actuators{
    "motor",  "position", "velocity", "damper",  "general", "cylinder",   "intvelocity",
    "muscle", "adhesion", "plugin",   "dcmotor", "pid",     "orientation"};
constexpr std::array<std::string_view, 4> refused{"plugin", "dcmotor", "pid", "orientation"};

template <class List, class Value>
bool is_one_of(const Value& value, const List& list) {
  return std::ranges::find(list, value) != std::ranges::end(list);
}

Law zero_law() {
  return [](Quantities&) { return Expr(0); };
}

Law clamped_sum(const std::vector<Law>& laws, const std::optional<std::pair<double, double>>& range) {
  return [=](Quantities& q) {
    Expr sum = 0;
    for (const Law& law : laws) sum = sum + law(q);
    return range ? no_event(max(Expr(range->first), min(Expr(range->second), sum))) : sum;
  };
}

Vec3 first_three(const std::vector<double>& gear) {
  return {gear[0], gear[1], gear[2]};
}
Vec3 last_three(const std::vector<double>& gear) {
  return {gear[3], gear[4], gear[5]};
}

}  // namespace

Actuators::Actuators(const MjcfFile& file, const BodyTree& tree, Mechanism& mechanism)
    : file_(file), reader_(file.reader()), tree_(tree), mechanism_(mechanism) {
  std::size_t number = 0;
  for (const int section : file_.sections("actuator")) {
    for (const int node : file_[section].children) read(node, number++);
  }
}

void Actuators::refuse(int node, const std::string& what) const {
  reader_.refuse("actuator", what, file_.element(node).span);
}

void Actuators::read(int node, std::size_t number) {
  const std::string& tag = file_.tag(node);
  const xml::Element& element = file_.element(node);
  if (is_one_of(std::string_view(tag), refused)) {
    reader_.refuse(tag == "plugin" ? "plugin" : "actuator", fmt::format("the actuator <{}> is", tag),
                   element.span);
    return;
  }
  if (!is_one_of(std::string_view(tag), known_actuators))
    return reader_.unknown_element(element, known_actuators);
  reader_.check_attributes(element, attributes_of(tag));
  // Adhesion pulls at what touches, and contacts are left out.
  if (tag == "adhesion") return reader_.omit("contacts", element.span, "contact");
  Actuator one{.node = node, .name = file_.text(node, "name", ""), .drive = drive_of(file_, node)};
  const bool has_state = one.drive.dynamics != "none";
  if (has_state && states_ < tree_.activations.size()) one.activation = tree_.activations[states_];
  if (has_state) ++states_;
  if (!is_known(one)) return;
  if (file_.number(node, "delay", 0) > 0) return refuse(node, "the delay of a control is");
  if (!find_target(one)) return;
  one.active = tree_.flags.actuation &&
               !is_one_of(static_cast<int>(file_.number(node, "group", 0)), tree_.flags.disabled_groups);
  one.control = number < tree_.controls.size() ? tree_.controls[number] : 0;
  one.control = reader_.setting(one.name).value_or(one.control);
  actuators_.push_back(std::move(one));
}

bool Actuators::is_known(const Actuator& one) {
  const Drive& drive = one.drive;
  static constexpr std::array<std::string_view, 4> dynamics{"none", "integrator", "filter", "filterexact"};
  static constexpr std::array<std::string_view, 2> gains{"fixed", "affine"};
  static constexpr std::array<std::string_view, 2> biases{"none", "affine"};
  const bool muscle = drive.dynamics == "muscle" || drive.gain_type == "muscle";
  if (!muscle && is_one_of(drive.dynamics, dynamics) && is_one_of(drive.gain_type, gains) &&
      is_one_of(drive.bias_type, biases))
    return true;
  reader_.refuse(muscle ? "muscle" : "actuator",
                 muscle ? std::string("muscles are")
                        : fmt::format("an actuator with dyntype {}, gaintype {}, biastype {} is",
                                      drive.dynamics, drive.gain_type, drive.bias_type),
                 span_of(one));
  return false;
}

bool Actuators::find_target(Actuator& one) {
  const xml::Element& element = file_.element(one.node);
  if (const xml::Attribute* on = xml::find(element, "joint")) return find_joint_target(one, *on);
  if (const xml::Attribute* on = xml::find(element, "jointinparent")) {
    one.in_parent = true;
    return find_joint_target(one, *on);
  }
  if (const xml::Attribute* on = xml::find(element, "tendon")) return find_tendon_target(one, *on);
  if (xml::find(element, "site") != nullptr && xml::find(element, "refsite") == nullptr) {
    one.target = Target::Site;
    if (one.name.empty()) one.name = fmt::format("{} actuator", file_.text(one.node, "site", ""));
    return true;
  }
  refuse(one.node, fmt::format("an actuator <{}> of this transmission is", element.name));
  return false;
}

bool Actuators::find_joint_target(Actuator& one, const xml::Attribute& on) {
  if (one.name.empty()) one.name = fmt::format("{} actuator", on.value);
  one.joint = find_joint(tree_, on.value);
  for (std::size_t k = 0; k < tree_.rigid.size(); ++k)
    for (const FileJoint& joint : tree_.rigid[k].joints)
      if (&joint == one.joint) one.rigid = static_cast<int>(k);
  if (one.joint == nullptr) return named_joint(file_, tree_, on) != nullptr;  // after a complaint
  one.target = one.joint->type == "free"   ? Target::Free
               : one.joint->type == "ball" ? Target::Ball
                                           : Target::Coordinate;
  return true;
}

bool Actuators::find_tendon_target(Actuator& one, const xml::Attribute& on) {
  if (one.name.empty()) one.name = fmt::format("{} actuator", on.value);
  one.target = Target::Tendon;
  one.tendon = on.value;
  return true;
}

const std::unordered_map<std::string, Rotor>& Actuators::add_rotors() {
  for (const Actuator& one : actuators_) {
    const Drive& drive = one.drive;
    Polynomial damping = drive.damping;
    if (drive.armature == 0 && damping == Polynomial{}) continue;
    const double square = drive.gear[0] * drive.gear[0];
    for (double& c : damping) c *= square;
    if (one.target == Target::Tendon) {
      Rotor& rotor = rotors_[one.tendon];
      rotor.armature += drive.armature * square;
      for (std::size_t k = 0; k < damping.size(); ++k) rotor.damping[k] += damping[k];
      continue;
    }
    if (one.target != Target::Coordinate) {
      refuse(one.node, "the damping or armature of an actuator that acts on no hinge, slide or tendon is");
      continue;
    }
    if (!tree_.flags.dampers) damping = {};
    const JointCoordinate coordinate{.joint = one.joint->joint, .motion = one.joint->motion};
    JointForce made{.name = reader_.unique(one.name + " rotor"),
                    .coordinate = coordinate,
                    .damping = damping[0],
                    .armature = drive.armature * square,
                    .span = span_of(one)};
    if (damping[1] != 0 || damping[2] != 0)
      made.law = [=](Quantities& q) { return -higher_damper(damping, q.rate(coordinate)); };
    mechanism_.forces.emplace_back(std::move(made));
  }
  return rotors_;
}

// The drive as it acts: with its damping by the inertia that it moves, and the range that it inherits.
Drive Actuators::settled(const Actuator& one, const Transmission& on, double gear) {
  Drive drive = one.drive;
  if (drive.bias_type == "none") drive.bias = {0, 0, 0};
  if (drive.gain_type == "fixed") drive.gain[1] = drive.gain[2] = 0;
  const bool servo =
      drive.bias_type == "affine" && drive.gain_type == "fixed" && drive.gain[0] == -drive.bias[1];
  if (drive.bias[2] > 0 && servo)
    drive.bias[2] *= -2 * std::sqrt(drive.gain[0] * inertia_->moved_by(on.row) / (gear * gear));
  if (drive.inherit_range <= 0 || !servo) return drive;
  if (!on.range) {
    reader_.complain(
        fmt::format("the actuator {} inherits the range of what it acts on, which has none", one.name),
        span_of(one));
    return drive;
  }
  if (one.target == Target::Coordinate && one.joint->motion == JointMotion::Angle && !one.joint->limited &&
      tree_.flags.limits && file_.compiler().angle_unit != 1)
    reader_.warn(fmt::format("the actuator {} inherits the range of a joint that has no limits; MuJoCo takes "
                             "its degrees for radians",
                             one.name),
                 span_of(one));
  const double middle = (on.range->first + on.range->second) / 2;
  const double half = (on.range->second - on.range->first) / 2 * drive.inherit_range;
  Range& range = drive.dynamics == "integrator" ? drive.activation : drive.control;
  range = {.low = middle - half, .high = middle + half, .limited = true, .given = true};
  return drive;
}

// The force of a drive, before the gear.
Law Actuators::law_of(const Actuator& one, const Transmission& on, double gear) {
  const Drive drive = settled(one, on, gear);
  const bool automatic = file_.compiler().automatic_limits;
  double control = one.control;
  if (is_limited(drive.control, automatic) && tree_.flags.clamped_controls)
    control = std::clamp(control, drive.control.low, std::max(drive.control.low, drive.control.high));
  const bool force_limited = is_limited(drive.force, automatic);
  const bool activation_limited = is_limited(drive.activation, automatic);
  const std::string state = one.name + ".activation";
  const double start = one.activation;
  return [=](Quantities& q) {
    Expr input = control;
    if (drive.dynamics != "none") {
      input = q.state(state, start, [&](const Expr& a) {
        return drive.dynamics == "integrator" ? Expr(control) : (control - a) / drive.time_constant;
      });
      if (activation_limited)
        input = no_event(max(Expr(drive.activation.low), min(Expr(drive.activation.high), input)));
    }
    const auto affine = [&](const std::array<double, 3>& c) {
      Expr sum = c[0];
      if (c[1] != 0) sum = sum + c[1] * gear * on.length(q);
      if (c[2] != 0) sum = sum + c[2] * gear * on.rate(q);
      return sum;
    };
    Expr force = affine(drive.gain) * input + affine(drive.bias);
    if (force_limited) force = no_event(max(Expr(drive.force.low), min(Expr(drive.force.high), force)));
    return force;
  };
}

void Actuators::add_forces(StartInertia& inertia) {
  inertia_ = &inertia;
  for (const Actuator& one : actuators_) {
    if (!one.active) continue;
    if (one.target == Target::Coordinate) on_coordinate(one);
    if (one.target == Target::Tendon) on_tendon(one);
    if (one.target == Target::Site) on_site(one);
    if (one.target == Target::Ball) on_ball(one);
    if (one.target == Target::Free) on_free(one);
  }
  apply_to_tendons();
  apply_to_limited_joints();
}

void Actuators::on_coordinate(const Actuator& one) {
  const FileJoint& joint = *one.joint;
  const JointCoordinate coordinate{.joint = joint.joint, .motion = joint.motion};
  const double gear = one.drive.gear[0];
  Transmission on{.length = [=](Quantities& q) { return q.coordinate(coordinate); },
                  .rate = [=](Quantities& q) { return q.rate(coordinate); },
                  .row = inertia_->no_force()};
  inertia_->add_effort(on.row, coordinate, 1);
  if (joint.has_range) on.range = {joint.low, joint.high};
  const Law force = law_of(one, on, gear);
  const Law law = [=](Quantities& q) { return gear * force(q); };
  if (!joint.force_limited) {
    mechanism_.forces.emplace_back(JointForce{
        .name = reader_.unique(one.name), .coordinate = coordinate, .law = law, .span = span_of(one)});
    return;
  }
  auto found = std::ranges::find(limited_, &joint, &std::pair<const FileJoint*, std::vector<Law>>::first);
  if (found == limited_.end()) found = limited_.insert(limited_.end(), {&joint, {}});
  found->second.push_back(law);
}

// The sum of the actuators of a joint, within its range.
void Actuators::apply_to_limited_joints() {
  for (const auto& [joint, laws] : limited_)
    mechanism_.forces.emplace_back(
        JointForce{.name = reader_.unique(joint->name + " actuators"),
                   .coordinate = {.joint = joint->joint, .motion = joint->motion},
                   .law = clamped_sum(laws, std::pair(joint->force_low, joint->force_high)),
                   .span = joint->span});
}

bool Actuators::reaches_limited(const StartInertia::Row& row) const {
  for (const RigidBody& body : tree_.rigid)
    for (const FileJoint& joint : body.joints) {
      if (!joint.force_limited || !joint.joint.valid()) continue;
      StartInertia::Row own = inertia_->no_force();
      inertia_->add_effort(own, {.joint = joint.joint, .motion = joint.motion}, 1);
      for (std::size_t k = 0; k < row.size(); ++k)
        if (own[k] * row[k] != 0) return true;
    }
  return false;
}

bool Actuators::is_above_limited(int rigid) const {
  for (; rigid >= 0; rigid = tree_.rigid[static_cast<std::size_t>(rigid)].parent)
    if (std::ranges::any_of(tree_.rigid[static_cast<std::size_t>(rigid)].joints, &FileJoint::force_limited))
      return true;
  return false;
}

void Actuators::on_tendon(const Actuator& one) {
  const auto found = tree_.tendons.find(one.tendon);
  if (found == tree_.tendons.end()) {
    std::vector<std::string_view> known;
    for (const auto& [name, path] : tree_.tendons) known.push_back(name);
    reader_.complain(unknown_name_message("tendon", one.tendon, known), span_of(one));
    return;
  }
  const TendonPath& path = found->second;
  const double gear = one.drive.gear[0];
  const Law length = path.length;
  const Law force = law_of(one,
                           {.length = length,
                            .rate = [length](Quantities& q) { return der(length(q)); },
                            .row = path.row,
                            .range = path.range},
                           gear);
  const bool limited = reaches_limited(path.row);
  if (limited && path.joints.empty())
    return refuse(one.node, "an actuator of a spatial tendon over joints with actuatorfrcrange is");
  if (limited || path.actuator_force) {
    const auto [forces, fresh] = on_tendons_.try_emplace(one.tendon, TendonForces{.gear = gear});
    if (forces->second.gear != gear)
      return refuse(one.node, "actuators with different gears on a tendon with actuatorfrcrange are");
    forces->second.laws.push_back(force);
    return;
  }
  mechanism_.forces.emplace_back(
      PathForce{.name = reader_.unique(one.name),
                .length = length,
                .tension = [=](Quantities& q, const Expr&, const Expr&) { return -gear * force(q); },
                .span = span_of(one)});
}

// Forces that the tendon's range bounds together, or of which the joints' ranges bound the parts.
void Actuators::apply_to_tendons() {
  for (const auto& [name, forces] : on_tendons_) {
    const TendonPath& path = tree_.tendons.at(name);
    const Law sum = clamped_sum(forces.laws, path.actuator_force);
    const double gear = forces.gear;
    const Law total = [=](Quantities& q) { return gear * sum(q); };
    if (!reaches_limited(path.row)) {
      mechanism_.forces.emplace_back(
          PathForce{.name = reader_.unique(name + " actuators"),
                    .length = path.length,
                    .tension = [total](Quantities& q, const Expr&, const Expr&) { return -total(q); }});
      continue;
    }
    for (const auto& [joint_name, coefficient] : path.joints) {
      const FileJoint* joint = find_joint(tree_, joint_name);
      const double factor = coefficient;
      const Law part = [=](Quantities& q) { return factor * total(q); };
      if (joint->force_limited) {
        auto found =
            std::ranges::find(limited_, joint, &std::pair<const FileJoint*, std::vector<Law>>::first);
        if (found == limited_.end()) found = limited_.insert(limited_.end(), {joint, {}});
        found->second.push_back(part);
        continue;
      }
      mechanism_.forces.emplace_back(
          JointForce{.name = reader_.unique(name + " actuators"),
                     .coordinate = {.joint = joint->joint, .motion = joint->motion},
                     .law = part});
    }
  }
}

// A force and a torque along the axes of a site.
void Actuators::on_site(const Actuator& one) {
  const auto site = named_site(file_, tree_, one.node, "site");
  if (!site || !site->body.valid()) return;
  if (is_above_limited(site->body.value))
    return refuse(one.node, "an actuator of a site that joints with actuatorfrcrange carry is");
  const BodyId body = site->body;
  const Frame place = relative_to(site->pose, site->place);
  const Vec3 push = place.axes * first_three(one.drive.gear);
  const Vec3 turn = place.axes * last_three(one.drive.gear);
  StartInertia::Row row = inertia_->no_force();
  inertia_->add_force(row, body, site->place.origin, site->pose.axes * push, site->pose.axes * turn);
  apply(one,
        {.body = body,
         .point = place.origin,
         .force = [=](Quantities& q) { return q.axes(body) * symbolic(push); },
         .torque = [=](Quantities& q) { return q.axes(body) * symbolic(turn); }},
        row);
}

// A torque along the axes of the child, or of the parent, and against it on the parent.
void Actuators::on_ball(const Actuator& one) {
  const Drive& drive = one.drive;
  if (drive.bias[1] != 0 || drive.gain[1] != 0)
    return refuse(one.node, "an actuator of a ball joint that depends on its angles is");
  const Joint& made = mechanism_.joints[one.joint->made.at()];
  if (is_above_limited(one.rigid))
    return refuse(one.node, "an actuator of a ball joint that joints with actuatorfrcrange carry is");
  const BodyId child = made.second;
  const BodyId parent = made.first;
  const bool in_parent = one.in_parent;
  const Vec3 gear = first_three(drive.gear);
  const Vec3 on_parent = made.on_first.axes * gear;
  const Frame pose = tree_.rigid[static_cast<std::size_t>(one.rigid)].pose;
  StartInertia::Row row = inertia_->no_force();
  inertia_->add_force(row, child, one.joint->point, {}, pose.axes * gear);
  inertia_->add_force(row, parent, one.joint->point, {}, -(pose.axes * gear));
  apply(one,
        {.body = child,
         .point = {},
         .force = {},
         .torque =
             [=](Quantities& q) {
               if (!in_parent) return q.axes(child) * symbolic(gear);
               return parent.valid() ? q.axes(parent) * symbolic(on_parent) : symbolic(on_parent);
             },
         .against = parent},
        row);
}

// A force along the world's axes at the body's origin, and a torque along the body's, or the world's.
void Actuators::on_free(const Actuator& one) {
  const BodyId body(one.rigid);
  const Frame pose = tree_.rigid[static_cast<std::size_t>(one.rigid)].pose;
  const Vec3 push = first_three(one.drive.gear);
  const Vec3 turn = last_three(one.drive.gear);
  const bool in_world = one.in_parent;
  StartInertia::Row row = inertia_->no_force();
  inertia_->add_force(row, body, pose.origin, push, in_world ? turn : pose.axes * turn);
  apply(one,
        {.body = body,
         .point = {},
         .force = [=](Quantities&) { return symbolic(push); },
         .torque = [=](Quantities& q) { return in_world ? symbolic(turn) : q.axes(body) * symbolic(turn); }},
        row);
}

void Actuators::apply(const Actuator& one, const Wrench& wrench, const StartInertia::Row& row) {
  // The transmission has no length; its rate is the power of a force of 1.
  const Law rate = [wrench](Quantities& q) {
    ExprVec3 spin = q.angular_velocity(wrench.body);
    if (wrench.against.valid()) spin = spin - q.angular_velocity(wrench.against);
    const Expr turning = dot(wrench.torque(q), spin);
    return wrench.force ? dot(wrench.force(q), q.velocity(wrench.body, wrench.point)) + turning : turning;
  };
  const Law law = law_of(one, {.length = zero_law(), .rate = rate, .row = row}, 1);
  const auto times = [law](const VectorLaw& direction, double sense) -> VectorLaw {
    if (!direction) return {};
    return [=](Quantities& q) { return (sense * law(q)) * direction(q); };
  };
  mechanism_.forces.emplace_back(Load{.name = reader_.unique(one.name),
                                      .body = wrench.body,
                                      .point = wrench.point,
                                      .force = times(wrench.force, 1),
                                      .torque = times(wrench.torque, 1),
                                      .span = span_of(one)});
  if (wrench.against.valid())
    mechanism_.forces.emplace_back(Load{.name = reader_.unique(one.name + " against"),
                                        .body = wrench.against,
                                        .torque = times(wrench.torque, -1),
                                        .span = span_of(one)});
}

}  // namespace daedalus::mjcf
