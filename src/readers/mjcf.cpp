#include "readers/mjcf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "mechanics/quantities.hpp"
#include "readers/mjcf_actuator.hpp"
#include "readers/mjcf_fluid.hpp"
#include "readers/mjcf_names.hpp"

namespace daedalus::mjcf {
namespace {

class MjcfReader {
 public:
  MjcfReader(FileReader& reader, Mechanism& mechanism)
      : reader_(reader), file_(reader), mechanism_(mechanism) {}

  void run(std::int32_t file) {
    if (!file_.load(file)) return;
    mechanism_.name = file_.text(0, "model", "MuJoCo");
    mechanism_.dimension = Dimension::Spatial;
    check_sections();
    read_options();
    tree_ = read_bodies(file_, chosen_keyframe(file_));
    tree_.flags = flags_;
    settle_masses(file_.compiler(), tree_);
    if (reader_.failed()) return;
    drop_passive_forces();
    add_bodies();
    read_controls(file_, tree_);
    add_joints(file_, tree_, mechanism_);
    Actuators actuators(file_, tree_, mechanism_);
    const auto& rotors = actuators.add_rotors();
    if (reader_.failed()) return;
    StartInertia inertia(mechanism_);
    add_joint_forces(file_, tree_, inertia, mechanism_);
    if (tree_.flags.springs || tree_.flags.dampers) {
      add_gravity_compensation();
      check_gravity_compensation();
      add_fluid(file_, tree_, medium_, mechanism_);
    }
    add_tendons(file_, tree_, inertia, rotors, mechanism_);
    actuators.add_forces(inertia);
    if (tree_.flags.equalities) add_equalities(file_, tree_, mechanism_);
    add_markers();
    add_sensors(file_, tree_, mechanism_);
    if (tree_.flags.contacts) check_contacts();
    set_start(file_, tree_, mechanism_);
    reader_.tell_omitted();
    reader_.check_settings();
  }

 private:
  void check_sections() {
    std::vector<std::string_view> known;
    for (const Section& section : sections()) known.push_back(section.name);
    for (const int node : file_[0].children) {
      const auto all = sections();
      const auto row = std::ranges::find(all, std::string_view(file_.tag(node)), &Section::name);
      if (row == all.end())
        reader_.unknown_element(file_.element(node), known);
      else if (!row->feature.empty() && !file_[node].children.empty())
        reader_.refuse(row->feature, std::string(row->what), file_.element(node).span);
    }
  }

  void read_options() {
    for (const int node : file_.sections("option")) {
      const xml::Element& element = file_.element(node);
      reader_.check_attributes(element, attributes_of("option"));
      mechanism_.gravity = file_.vector(node, "gravity", mechanism_.gravity);
      medium_.wind = file_.vector(node, "wind", medium_.wind);
      medium_.density = file_.number(node, "density", medium_.density);
      medium_.viscosity = file_.number(node, "viscosity", medium_.viscosity);
      if (const xml::Attribute* groups = xml::find(element, "actuatorgroupdisable")) {
        flags_.disabled_groups.clear();
        for (const double group : reader_.numbers(*groups, 0, 31))
          flags_.disabled_groups.push_back(static_cast<int>(group));
      }
      for (const int child : file_[node].children) read_flags(child);
    }
  }

  void read_flags(int node) {
    if (file_.tag(node) != "flag") {
      static constexpr std::array<std::string_view, 1> known{"flag"};
      return reader_.unknown_element(file_.element(node), known);
    }
    reader_.check_attributes(file_.element(node), attributes_of("flag"));
    const auto read = [&](const char* name, bool& flag) { flag = file_.flag(node, name, flag); };
    read("constraint", flags_.constraints);
    read("equality", flags_.equalities);
    read("contact", flags_.contacts);
    read("actuation", flags_.actuation);
    read("clampctrl", flags_.clamped_controls);
    read("limit", flags_.limits);
    read("frictionloss", flags_.friction);
    read("spring", flags_.springs);
    read("damper", flags_.dampers);
    read("gravity", flags_.gravity);
    // Springs and dampers of older versions.
    if (!file_.flag(node, "passive", true)) flags_.springs = flags_.dampers = false;
  }

  // What <flag> or --ignore turns off.
  void drop_passive_forces() {
    const auto ignored = [this](const char* feature) {
      const auto& ignore = reader_.options().ignore;
      return std::ranges::find(ignore, feature) != ignore.end();
    };
    Flags& flags = tree_.flags;
    flags.equalities = flags.equalities && flags.constraints;
    flags.contacts = flags.contacts && flags.constraints;
    flags.limits = flags.limits && flags.constraints && !ignored("limit");
    flags.friction = flags.friction && flags.constraints && !ignored("friction");
    if (!flags.gravity) mechanism_.gravity = {};
    for (RigidBody& body : tree_.rigid) {
      for (FileJoint& joint : body.joints) {
        joint.limited = joint.limited && flags.limits;
        if (!flags.friction) joint.friction = 0;
        if (!flags.springs) joint.stiffness = {};
        if (!flags.dampers) joint.damping = {};
      }
    }
  }

  // Forces against the weight, at the centre of the masses that they lift.
  void add_gravity_compensation() {
    for (std::size_t k = 0; k < tree_.rigid.size() && k < mechanism_.bodies.size(); ++k) {
      const RigidBody& body = tree_.rigid[k];
      if (body.lifted_mass == 0) continue;
      const Vec3 force = -body.lifted_mass * mechanism_.gravity;
      mechanism_.forces.emplace_back(Load{.name = reader_.unique(body.name + " gravity compensation"),
                                          .body = BodyId(k),
                                          .point = (1 / body.lifted_mass) * body.lifted_moment,
                                          .force = [force](Quantities&) { return symbolic(force); },
                                          .span = body.span});
    }
  }

  // actuatorgravcomp: as a part of what the actuators do.
  void check_gravity_compensation() {
    std::vector<bool> lifted(tree_.rigid.size(), false);
    for (std::size_t k = tree_.rigid.size(); k-- > 0;) {
      const RigidBody& body = tree_.rigid[k];
      lifted[k] = lifted[k] || body.lifted_mass != 0;
      if (lifted[k] && body.parent >= 0) lifted[static_cast<std::size_t>(body.parent)] = true;
      for (const FileJoint& joint : body.joints) {
        if (!lifted[k] || !joint.force_has_gravity_compensation) continue;
        if (joint.force_limited)
          reader_.refuse("actuator", "gravity compensation that is bounded by actuatorfrcrange is",
                         joint.span);
        else if (!tree_.flags.actuation || file_.sections("actuator").empty())
          reader_.warn(
              fmt::format("the gravity compensation of joint {} acts; MuJoCo counts it to the actuators "
                          "and leaves it out where there are none",
                          joint.name),
              joint.span);
      }
    }
  }

  [[nodiscard]] bool carries_something(int number) const {
    return std::ranges::any_of(tree_.rigid,
                               [number](const RigidBody& body) { return body.parent == number; });
  }

  void add_bodies() {
    std::vector<std::vector<Solid>> solids_of = solids();
    for (std::size_t k = 0; k < tree_.rigid.size(); ++k) {
      const RigidBody& body = tree_.rigid[k];
      const MassPart all = combined(body.parts);
      if (all.mass <= 0) {
        if (!carries_something(static_cast<int>(k)))
          reader_.complain(
              fmt::format("body {} moves but has no mass: give it a geom with a volume, or an <inertial>",
                          body.name),
              body.span);
        mechanism_.bodies.push_back(
            {.name = body.name, .kind = BodyKind::Massless, .mass = 0, .pose = body.pose, .span = body.span});
        continue;
      }
      mechanism_.bodies.push_back({.name = body.name,
                                   .mass = all.mass,
                                   .centre = all.centre,
                                   .inertia = all.inertia,
                                   .pose = body.pose,
                                   .solids = std::move(solids_of[k]),
                                   .span = body.span});
    }
  }

  // What the rigid bodies look like.
  [[nodiscard]] std::vector<std::vector<Solid>> solids() const {
    std::vector<std::vector<Solid>> all(tree_.rigid.size());
    for (const PlacedGeom& placed : tree_.geoms) {
      auto solid = placed.rigid >= 0 ? solid_of(placed.geom) : std::nullopt;
      if (!solid) continue;
      const auto rigid = static_cast<std::size_t>(placed.rigid);
      solid->frame = relative_to(tree_.rigid[rigid].pose, placed.frame);
      all[rigid].push_back(*solid);
    }
    return all;
  }

  // A site may have the name of a body, whose place is not to be hidden.
  [[nodiscard]] std::string marker_name(const std::string& site) const {
    return tree_.body_numbers.contains(site) ? "site " + site : site;
  }

  void add_markers() {
    for (const std::string& name : tree_.site_order) {
      const Place& place = tree_.sites.at(name);
      const int rigid = tree_.bodies[static_cast<std::size_t>(place.body)].rigid;
      if (rigid < 0) continue;
      const Frame& pose = tree_.rigid[static_cast<std::size_t>(rigid)].pose;
      mechanism_.markers.push_back(
          {.name = marker_name(name), .body = BodyId(rigid), .point = relative_to(pose, place.frame).origin});
    }
  }

  // Geoms may touch by default. Contacts are left out, which is told once.
  void check_contacts() {
    int count = 0;
    SourceSpan first;
    bool moves = false;
    for (const PlacedGeom& placed : tree_.geoms) {
      if (placed.geom.contact_type == 0 && placed.geom.contact_affinity == 0) continue;
      if (count++ == 0 || (!moves && placed.rigid >= 0)) first = placed.geom.span;
      moves = moves || placed.rigid >= 0;
    }
    for (const int section : file_.sections("contact")) {
      for (const int node : file_[section].children) {
        if (file_.tag(node) != "pair") continue;
        if (count == 0) first = file_.element(node).span;
        count += 2;
        moves = true;
      }
    }
    const auto& ignore = reader_.options().ignore;
    if (count < 2 || !moves || std::ranges::find(ignore, "contact") != ignore.end()) return;
    const std::string message =
        fmt::format("contacts are not simulated ({} geoms could touch others)", count);
    if (reader_.options().strict)
      reader_.complain(message + "; --strict makes this an error", first);
    else
      reader_.warn(message, first);
  }

  FileReader& reader_;
  MjcfFile file_;
  Mechanism& mechanism_;
  BodyTree tree_;
  Medium medium_;
  Flags flags_;
};

}  // namespace

void read(FileReader& reader, std::int32_t file, Mechanism& mechanism) {
  MjcfReader(reader, mechanism).run(file);
}

}  // namespace daedalus::mjcf
