#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "mechanics/quantities.hpp"
#include "readers/mjcf_joints.hpp"

namespace daedalus::mjcf {
namespace {

struct FrameSensor {
  std::string_view element;
  SensorKind kind;
};
constexpr std::array<FrameSensor, 9> of_objects{{
    {"framepos", SensorKind::Place},
    {"framequat", SensorKind::Orientation},
    {"framexaxis", SensorKind::XAxis},
    {"frameyaxis", SensorKind::YAxis},
    {"framezaxis", SensorKind::ZAxis},
    {"framelinvel", SensorKind::Velocity},
    {"frameangvel", SensorKind::AngularVelocity},
    {"framelinacc", SensorKind::Acceleration},
    {"frameangacc", SensorKind::AngularAcceleration},
}};
constexpr std::array<FrameSensor, 3> of_sites{{
    {"velocimeter", SensorKind::Velocimeter},
    {"gyro", SensorKind::Gyroscope},
    {"accelerometer", SensorKind::Accelerometer},
}};

// Sensors of what moves become results; the others (contacts, rays, actuators, frames against other frames)
// change nothing and are passed over. Noise, delays and cutoffs are not simulated.
class SensorAdder {
 public:
  SensorAdder(const MjcfFile& file, const BodyTree& tree, Mechanism& mechanism)
      : file_(file), tree_(tree), mechanism_(mechanism) {}

  void run() {
    for (const int section : file_.sections("sensor"))
      for (const int node : file_[section].children) add(node);
  }

 private:
  void add(int node) {
    const std::string_view tag = file_.tag(node);
    const auto is_tag = [tag](const FrameSensor& row) { return row.element == tag; };
    if (const auto* row = std::ranges::find_if(of_sites, is_tag); row != of_sites.end())
      return add_frame(node, row->kind, place_of_site(text(node, "site")));
    if (const auto* row = std::ranges::find_if(of_objects, is_tag); row != of_objects.end()) {
      if (text(node, "refname").empty()) add_frame(node, row->kind, place_of_object(node));
      return;
    }
    if (tag == "jointpos" || tag == "jointvel") return add_joint(node, tag == "jointvel");
    if (tag == "tendonpos" || tag == "tendonvel") return add_tendon(node, tag == "tendonvel");
    if (tag == "clock")
      add_law(
          node, [](Quantities& q) { return q.time(); }, "s");
  }

  [[nodiscard]] std::string text(int node, const char* attribute) const {
    return file_.text(node, attribute, "");
  }
  // A name that results have already, as that of a body or a site, is told apart by what is measured.
  [[nodiscard]] std::string name_of(int node) const {
    const std::string name = text(node, "name");
    const auto taken = [&](const std::string& one) {
      return tree_.body_numbers.contains(one) || tree_.sites.contains(one) ||
             find_joint(tree_, one) != nullptr ||
             std::ranges::find(mechanism_.sensors, one, &Sensor::name) != mechanism_.sensors.end();
    };
    if (!name.empty()) return taken(name) ? "sensor " + name : name;
    std::string of;
    for (const char* attribute : {"site", "objname", "joint", "tendon"})
      if (of.empty()) of = text(node, attribute);
    return fmt::format("{} {}", file_.tag(node), of);
  }

  [[nodiscard]] std::optional<End> place_of_site(const std::string& name) const {
    const auto found = tree_.sites.find(name);
    if (found == tree_.sites.end()) return std::nullopt;
    return end_of(tree_, found->second.body, found->second.frame);
  }
  [[nodiscard]] std::optional<End> place_of_object(int node) const {
    const std::string type = text(node, "objtype");
    const std::string name = text(node, "objname");
    if (type == "site") return place_of_site(name);
    if (type != "xbody") return std::nullopt;  // inertial frames, geoms and cameras
    const auto found = tree_.body_numbers.find(name);
    if (found == tree_.body_numbers.end()) return std::nullopt;
    return end_of(tree_, found->second, tree_.bodies[static_cast<std::size_t>(found->second)].pose);
  }

  void add_frame(int node, SensorKind kind, const std::optional<End>& end) {
    if (!end) return;
    mechanism_.sensors.push_back({.name = name_of(node),
                                  .kind = kind,
                                  .body = end->body,
                                  .place = relative_to(end->pose, end->place)});
  }
  void add_law(int node, Law law, std::string unit) {
    mechanism_.sensors.push_back(
        {.name = name_of(node), .kind = SensorKind::ByLaw, .law = std::move(law), .unit = std::move(unit)});
  }
  void add_joint(int node, bool rate) {
    const FileJoint* joint = find_joint(tree_, text(node, "joint"));
    if (joint == nullptr || !joint->joint.valid()) return;
    const JointCoordinate coordinate{.joint = joint->joint, .motion = joint->motion};
    const std::string unit = joint->motion == JointMotion::Angle ? "rad" : "m";
    if (rate)
      add_law(
          node, [coordinate](Quantities& q) { return q.rate(coordinate); }, unit + "/s");
    else
      add_law(
          node, [coordinate](Quantities& q) { return q.coordinate(coordinate); }, unit);
  }
  void add_tendon(int node, bool rate) {
    const auto found = tree_.tendons.find(text(node, "tendon"));
    if (found == tree_.tendons.end() || !found->second.length) return;
    const Law length = found->second.length;
    if (rate)
      add_law(
          node, [length](Quantities& q) { return der(length(q)); }, "");
    else
      add_law(node, length, "");
  }

  const MjcfFile& file_;
  const BodyTree& tree_;
  Mechanism& mechanism_;
};

}  // namespace

void add_sensors(const MjcfFile& file, const BodyTree& tree, Mechanism& mechanism) {
  SensorAdder(file, tree, mechanism).run();
}

}  // namespace daedalus::mjcf
