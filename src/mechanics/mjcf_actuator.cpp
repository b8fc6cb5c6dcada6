#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "mechanics/mjcf_joints.hpp"
#include "mechanics/mjcf_names.hpp"
#include "mechanics/quantities.hpp"

namespace daedalus::mjcf {
namespace {

// force = gain · control + bias0 + bias1 · length + bias2 · velocity, both times the gear.
struct Drive {
  double gain = 1;
  std::array<double, 3> bias{};
};

struct Limits {
  bool given = false;
  double low = 0;
  double high = 0;
};

class ActuatorAdder {
 public:
  ActuatorAdder(const MjcfFile& file, const BodyTree& tree, Mechanism& mechanism)
      : file_(file), reader_(file.reader()), tree_(tree), mechanism_(mechanism) {}

  void run() {
    for (const int section : file_.sections("actuator")) {
      for (const int node : file_[section].children) add(node);
    }
  }

 private:
  void add(int node) {
    const std::string& tag = file_.tag(node);
    const xml::Element& element = file_.element(node);
    if (tag == "muscle") {
      reader_.refuse("muscle", "muscles are", element.span);
      return;
    }
    if (tag == "plugin") {
      reader_.refuse("plugin", "plugins are", element.span);
      return;
    }
    if (tag == "intvelocity" || tag == "cylinder" || tag == "adhesion" || tag == "dcmotor") {
      reader_.refuse("actuator", fmt::format("the actuator <{}> is", tag), element.span);
      return;
    }
    static constexpr std::array<std::string_view, 5> known{"motor", "position", "velocity", "damper",
                                                           "general"};
    if (std::ranges::find(known, std::string_view(tag)) == known.end())
      return reader_.unknown_element(element, known);
    reader_.check_attributes(element, attributes_of(tag));
    const xml::Attribute* on = xml::find(element, "joint");
    if (on == nullptr) on = xml::find(element, "jointinparent");
    if (on == nullptr) {
      reader_.refuse("actuator", fmt::format("an actuator <{}> that acts on no joint is", tag), element.span);
      return;
    }
    const auto drive = drive_of(node);
    const FileJoint* joint = named_joint(file_, tree_, *on);
    if (drive && joint != nullptr) add_force(node, *joint, *drive);
  }

  std::optional<Drive> drive_of(int node) {
    const std::string& tag = file_.tag(node);
    if (tag == "motor") return Drive{};
    if (tag == "position") {
      const double kp = file_.number(node, "kp", 1);
      const double kv = file_.number(node, "kv", 0);
      if (file_.number(node, "dampratio", 0) != 0 || file_.number(node, "timeconst", 0) != 0) {
        reader_.refuse("actuator", "dampratio and timeconst of a position actuator are",
                       file_.element(node).span);
        if (reader_.failed()) return std::nullopt;
      }
      return Drive{.gain = kp, .bias = {0, -kp, -kv}};
    }
    if (tag == "velocity" || tag == "damper") {
      const double kv = file_.number(node, "kv", 1);
      // A damper's control is its coefficient, which is constant here.
      if (tag == "velocity") return Drive{.gain = kv, .bias = {0, 0, -kv}};
      const double control = reader_.setting(file_.text(node, "name", "damper")).value_or(0);
      return Drive{.gain = 0, .bias = {0, 0, -kv * control}};
    }
    return general_drive(node);
  }

  std::optional<Drive> general_drive(int node) {
    const SourceSpan span = file_.element(node).span;
    const std::string dynamics = file_.text(node, "dyntype", "none");
    const std::string gain = file_.text(node, "gaintype", "fixed");
    const std::string bias = file_.text(node, "biastype", "none");
    if (dynamics != "none" || gain != "fixed" || (bias != "none" && bias != "affine")) {
      const bool muscle = dynamics == "muscle" || gain == "muscle" || bias == "muscle";
      reader_.refuse(
          muscle ? "muscle" : "actuator",
          fmt::format("an actuator with dyntype {}, gaintype {}, biastype {} is", dynamics, gain, bias),
          span);
      return std::nullopt;
    }
    Drive drive;
    if (const xml::Attribute* p = file_.find(node, "gainprm")) {
      const auto values = reader_.numbers(*p, 1, 20);
      if (!values.empty()) drive.gain = values[0];
    }
    if (const xml::Attribute* p = file_.find(node, "biasprm"); p != nullptr && bias == "affine") {
      const auto values = reader_.numbers(*p, 1, 20);
      for (std::size_t k = 0; k < std::min<std::size_t>(3, values.size()); ++k) drive.bias[k] = values[k];
    }
    return drive;
  }

  Limits limits_of(int node, const char* range, const char* limited) {
    const xml::Attribute* given = file_.find(node, range);
    if (!file_.flag(node, limited, given != nullptr && file_.compiler().automatic_limits) || given == nullptr)
      return {};
    const auto values = reader_.numbers(*given, 2, 2);
    if (values.empty()) return {};
    return {.given = true, .low = values[0], .high = values[1]};
  }

  void add_force(int node, const FileJoint& joint, const Drive& drive) {
    const std::string name = file_.text(node, "name", fmt::format("{} actuator", joint.name));
    double control = reader_.setting(name).value_or(0);
    const Limits controls = limits_of(node, "ctrlrange", "ctrllimited");
    if (controls.given) control = std::clamp(control, controls.low, std::max(controls.low, controls.high));
    double gear = 1;
    if (const xml::Attribute* g = file_.find(node, "gear")) {
      const auto values = reader_.numbers(*g, 1, 6);
      if (!values.empty()) gear = values[0];
    }
    const JointCoordinate coordinate{.joint = joint.joint, .motion = joint.motion};
    const Limits forces = limits_of(node, "forcerange", "forcelimited");
    const double start = joint.reference;
    Law law = [=](Quantities& q) {
      Expr force = drive.gain * control + drive.bias[0];
      if (drive.bias[1] != 0) force = force + drive.bias[1] * gear * (q.coordinate(coordinate) + start);
      if (drive.bias[2] != 0) force = force + drive.bias[2] * gear * q.rate(coordinate);
      if (forces.given) force = max(Expr(forces.low), min(Expr(forces.high), force));
      return gear * force;
    };
    mechanism_.forces.emplace_back(JointForce{.name = reader_.unique(name),
                                              .coordinate = coordinate,
                                              .law = std::move(law),
                                              .span = file_.element(node).span});
  }

  const MjcfFile& file_;
  FileReader& reader_;
  const BodyTree& tree_;
  Mechanism& mechanism_;
};

}  // namespace

void add_actuators(const MjcfFile& file, const BodyTree& tree, Mechanism& mechanism) {
  ActuatorAdder(file, tree, mechanism).run();
}

}  // namespace daedalus::mjcf
