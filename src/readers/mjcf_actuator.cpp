#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "core/options.hpp"
#include "mechanics/quantities.hpp"
#include "readers/mjcf_drive.hpp"
#include "readers/mjcf_joints.hpp"
#include "readers/mjcf_names.hpp"

namespace daedalus::mjcf {
namespace {

constexpr std::array<std::string_view, 9> known_actuators{
    "motor", "position", "velocity", "damper", "general", "cylinder", "intvelocity", "muscle", "adhesion"};

// Where a drive acts: a length and its rate, both without the gear.
struct Transmission {
  Law length;
  Law rate;
  double inertia = 0;  // that it moves, at the start; 0: not known
};

class ActuatorAdder {
 public:
  ActuatorAdder(const MjcfFile& file, const BodyTree& tree, Mechanism& mechanism)
      : file_(file), reader_(file.reader()), tree_(tree), mechanism_(mechanism) {}

  void run() {
    std::size_t number = 0;
    for (const int section : file_.sections("actuator")) {
      for (const int node : file_[section].children) add(node, number++);
    }
    for (const auto& [joint, laws] : limited_) add_limited(*joint, laws);
  }

 private:
  void add(int node, std::size_t number) {
    const std::string& tag = file_.tag(node);
    const xml::Element& element = file_.element(node);
    if (tag == "plugin" || tag == "dcmotor") {
      reader_.refuse(tag == "plugin" ? "plugin" : "actuator", fmt::format("the actuator <{}> is", tag),
                     element.span);
      return;
    }
    if (std::ranges::find(known_actuators, std::string_view(tag)) == known_actuators.end())
      return reader_.unknown_element(element, known_actuators);
    reader_.check_attributes(element, attributes_of(tag));
    // Adhesion pulls at what touches, and contacts are left out.
    if (tag == "adhesion") return reader_.omit("contacts", element.span, "contact");
    const Drive drive = drive_of(file_, node);
    if (!is_known(drive, element)) return;
    name_ = file_.text(node, "name", "");
    control_ = number < tree_.controls.size() ? tree_.controls[number] : 0;
    if (const xml::Attribute* on = xml::find(element, "joint")) return on_joint(node, drive, *on);
    if (const xml::Attribute* on = xml::find(element, "jointinparent")) return on_joint(node, drive, *on);
    if (const xml::Attribute* on = xml::find(element, "tendon")) return on_tendon(node, drive, *on);
    if (xml::find(element, "site") != nullptr && xml::find(element, "refsite") == nullptr)
      return on_site(node, drive);
    reader_.refuse("actuator", fmt::format("an actuator <{}> of this transmission is", tag), element.span);
  }

  bool is_known(const Drive& drive, const xml::Element& element) {
    const bool muscle = drive.dynamics == "muscle" || drive.gain_type == "muscle";
    const auto one_of = [](const std::string& text, std::initializer_list<std::string_view> known) {
      return std::ranges::find(known, std::string_view(text)) != known.end();
    };
    if (!muscle && one_of(drive.dynamics, {"none", "integrator", "filter", "filterexact"}) &&
        one_of(drive.gain_type, {"fixed", "affine"}) && one_of(drive.bias_type, {"none", "affine"}))
      return true;
    reader_.refuse(muscle ? "muscle" : "actuator",
                   muscle ? std::string("muscles are")
                          : fmt::format("an actuator with dyntype {}, gaintype {}, biastype {} is",
                                        drive.dynamics, drive.gain_type, drive.bias_type),
                   element.span);
    return false;
  }

  // The force of a drive, before the gear.
  Law law_of(const Drive& given, const Transmission& on, double gear, const FileJoint* joint) {
    Drive drive = given;
    const bool automatic = file_.compiler().automatic_limits;
    if (drive.bias_type == "none") drive.bias = {0, 0, 0};
    if (drive.gain_type == "fixed") drive.gain[1] = drive.gain[2] = 0;
    if (drive.bias[2] > 0 && drive.bias_type == "affine" && drive.gain_type == "fixed" &&
        drive.gain[0] == -drive.bias[1])
      drive.bias[2] *= -2 * std::sqrt(drive.gain[0] * on.inertia / (gear * gear));
    if (drive.inherit_range > 0 && joint != nullptr && joint->limited) {
      const double middle = (joint->low + joint->high) / 2;
      const double half = (joint->high - joint->low) / 2 * drive.inherit_range;
      Range& range = drive.dynamics == "integrator" ? drive.activation : drive.control;
      range = {.low = middle - half, .high = middle + half, .limited = true, .given = true};
    }
    double control = reader_.setting(name_).value_or(control_);
    if (is_limited(drive.control, automatic))
      control = std::clamp(control, drive.control.low, std::max(drive.control.low, drive.control.high));
    const bool force_limited = is_limited(drive.force, automatic);
    const bool activation_limited = is_limited(drive.activation, automatic);
    const std::string state = name_ + ".activation";
    return [=](Quantities& q) {
      Expr input = control;
      if (drive.dynamics != "none") {
        input = q.state(state, 0, [&](const Expr& a) {
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

  void on_joint(int node, const Drive& drive, const xml::Attribute& on) {
    if (name_.empty()) name_ = fmt::format("{} actuator", on.value);
    const FileJoint* joint = find_joint(tree_, on.value);
    if (joint != nullptr && joint->type == "ball") return on_ball(node, drive, *joint);
    joint = named_joint(file_, tree_, on);
    if (joint == nullptr) return;
    const JointCoordinate coordinate{.joint = joint->joint, .motion = joint->motion};
    const double gear = drive.gear[0];
    const Law force = law_of(drive,
                             {.length = [=](Quantities& q) { return q.coordinate(coordinate); },
                              .rate = [=](Quantities& q) { return q.rate(coordinate); },
                              .inertia = joint->inertia},
                             gear, joint);
    const Law law = [=](Quantities& q) { return gear * force(q); };
    JointForce made{.name = reader_.unique(name_),
                    .coordinate = coordinate,
                    .damping = drive.damping * gear * gear,
                    .armature = drive.armature * gear * gear,
                    .span = file_.element(node).span};
    if (joint->force_limited) {
      auto found = std::ranges::find(limited_, joint, &std::pair<const FileJoint*, std::vector<Law>>::first);
      if (found == limited_.end()) found = limited_.insert(limited_.end(), {joint, {}});
      found->second.push_back(law);
      if (made.damping == 0 && made.armature == 0) return;
    } else {
      made.law = law;
    }
    mechanism_.forces.emplace_back(std::move(made));
  }

  // The sum of the actuators of a joint, within its range.
  void add_limited(const FileJoint& joint, const std::vector<Law>& laws) {
    const double low = joint.force_low;
    const double high = joint.force_high;
    mechanism_.forces.emplace_back(JointForce{.name = reader_.unique(joint.name + " actuators"),
                                              .coordinate = {.joint = joint.joint, .motion = joint.motion},
                                              .law =
                                                  [=](Quantities& q) {
                                                    Expr sum = 0;
                                                    for (const Law& law : laws) sum = sum + law(q);
                                                    return no_event(max(Expr(low), min(Expr(high), sum)));
                                                  },
                                              .span = joint.span});
  }

  // A torque along the axes of the child, and against it on the parent.
  void on_ball(int node, const Drive& drive, const FileJoint& joint) {
    if (drive.bias[1] != 0 || drive.gain[1] != 0 || drive.bias[2] != 0 || drive.gain[2] != 0) {
      reader_.refuse("actuator", "an actuator of a ball joint that depends on its angles is",
                     file_.element(node).span);
      return;
    }
    const Law force = law_of(drive, {}, 1, nullptr);
    const Joint& made = mechanism_.joints[joint.made.at()];
    const Vec3 gear{drive.gear[0], drive.gear[1], drive.gear[2]};
    const BodyId child = made.second;
    const auto torque = [=](Quantities& q) { return force(q) * (q.axes(child) * symbolic(gear)); };
    mechanism_.forces.emplace_back(Load{
        .name = reader_.unique(name_), .body = child, .torque = torque, .span = file_.element(node).span});
    if (made.first.valid())
      mechanism_.forces.emplace_back(Load{.name = reader_.unique(name_ + " against"),
                                          .body = made.first,
                                          .torque = [=](Quantities& q) { return -torque(q); },
                                          .span = file_.element(node).span});
  }

  void on_tendon(int node, const Drive& drive, const xml::Attribute& on) {
    const auto found = tree_.tendons.find(on.value);
    if (found == tree_.tendons.end()) {
      std::vector<std::string_view> known;
      for (const auto& [name, path] : tree_.tendons) known.push_back(name);
      reader_.complain(unknown_name_message("tendon", on.value, known), on.span);
      return;
    }
    if (name_.empty()) name_ = fmt::format("{} actuator", on.value);
    const TendonPath& path = found->second;
    const double gear = drive.gear[0];
    const Law length = path.length;
    const Law force = law_of(drive,
                             {.length = length,
                              .rate = [length](Quantities& q) { return der(length(q)); },
                              .inertia = path.inertia},
                             gear, nullptr);
    mechanism_.forces.emplace_back(
        PathForce{.name = reader_.unique(name_),
                  .length = length,
                  .tension = [=](Quantities& q, const Expr&, const Expr&) { return -gear * force(q); },
                  .span = file_.element(node).span});
  }

  // A force and a torque along the axes of a site.
  void on_site(int node, const Drive& drive) {
    const auto site = named_site(file_, tree_, node, "site");
    if (!site || !site->body.valid()) return;
    if (name_.empty()) name_ = fmt::format("{} actuator", file_.text(node, "site", ""));
    const Law zero = [](Quantities&) { return Expr(0); };
    const Law force = law_of(drive, {.length = zero, .rate = zero}, 1, nullptr);
    const Frame place = relative_to(site->pose, site->place);
    const Vec3 push = place.axes * Vec3{drive.gear[0], drive.gear[1], drive.gear[2]};
    const Vec3 turn = place.axes * Vec3{drive.gear[3], drive.gear[4], drive.gear[5]};
    mechanism_.forces.emplace_back(Load{.name = reader_.unique(name_),
                                        .body = site->body,
                                        .point = place.origin,
                                        .force = [=](Quantities& q) { return force(q) * symbolic(push); },
                                        .torque = [=](Quantities& q) { return force(q) * symbolic(turn); },
                                        .along_body = true,
                                        .span = file_.element(node).span});
  }

  const MjcfFile& file_;
  FileReader& reader_;
  const BodyTree& tree_;
  Mechanism& mechanism_;
  std::string name_;
  double control_ = 0;
  std::vector<std::pair<const FileJoint*, std::vector<Law>>> limited_;
};

}  // namespace

void add_actuators(const MjcfFile& file, const BodyTree& tree, Mechanism& mechanism) {
  ActuatorAdder(file, tree, mechanism).run();
}

}  // namespace daedalus::mjcf
