#include "readers/mjcf.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "mechanics/quantities.hpp"
#include "readers/mjcf_fluid.hpp"
#include "readers/mjcf_joints.hpp"
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
    tree_ = read_bodies(file_);
    if (reader_.failed()) return;
    drop_passive_forces();
    add_bodies();
    read_controls(file_, tree_);
    add_joints(file_, tree_, mechanism_);
    add_gravity_compensation();
    if (springs_ || dampers_) add_fluid(file_, tree_, medium_, mechanism_);
    add_tendons(file_, tree_, mechanism_);
    if (equalities_) add_equalities(file_, tree_, mechanism_);
    if (actuators_) add_actuators(file_, tree_, mechanism_);
    add_markers();
    if (contacts_) check_contacts();
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
      for (const int child : file_[node].children) read_flags(child);
    }
  }

  void read_flags(int node) {
    if (file_.tag(node) != "flag") {
      static constexpr std::array<std::string_view, 1> known{"flag"};
      return reader_.unknown_element(file_.element(node), known);
    }
    const auto enabled = [&](const char* name) { return file_.flag(node, name, true); };
    if (!enabled("gravity")) mechanism_.gravity = {};
    const bool constraints = enabled("constraint");
    equalities_ = equalities_ && enabled("equality") && constraints;
    contacts_ = contacts_ && enabled("contact") && constraints;
    actuators_ = actuators_ && enabled("actuation");
    limits_ = limits_ && enabled("limit") && constraints;
    friction_ = friction_ && enabled("frictionloss") && constraints;
    springs_ = springs_ && enabled("spring") && enabled("passive");
    dampers_ = dampers_ && enabled("damper") && enabled("passive");
  }

  // What <flag> or --ignore turns off.
  void drop_passive_forces() {
    const auto ignored = [this](const char* feature) {
      const auto& ignore = reader_.options().ignore;
      return std::ranges::find(ignore, feature) != ignore.end();
    };
    limits_ = limits_ && !ignored("limit");
    friction_ = friction_ && !ignored("friction");
    tree_.limits = limits_;
    tree_.friction = friction_;
    tree_.springs = springs_;
    tree_.dampers = dampers_;
    for (RigidBody& body : tree_.rigid) {
      for (FileJoint& joint : body.joints) {
        joint.limited = joint.limited && limits_;
        if (!friction_) joint.friction = 0;
        if (!springs_) joint.stiffness = 0;
        if (!dampers_) joint.damping = 0;
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

  // boundmass, boundinertia and balanceinertia; moments of inertia are bounded along the principal axes
  // nearly.
  void bound(MassPart& part) const {
    const Compiler& compiler = file_.compiler();
    part.mass = std::max(part.mass, compiler.least_mass);
    Mat3& j = part.inertia;
    j.x.x = std::max(j.x.x, compiler.least_inertia);
    j.y.y = std::max(j.y.y, compiler.least_inertia);
    j.z.z = std::max(j.z.z, compiler.least_inertia);
    const double trace = j.x.x + j.y.y + j.z.z;
    if (compiler.balance_inertia && 2 * std::max({j.x.x, j.y.y, j.z.z}) > trace)
      j = {{trace / 3, 0, 0}, {0, trace / 3, 0}, {0, 0, trace / 3}};
  }

  [[nodiscard]] bool carries_something(int number) const {
    return std::ranges::any_of(tree_.rigid,
                               [number](const RigidBody& body) { return body.parent == number; });
  }

  void add_bodies() {
    double total = 0;
    for (const RigidBody& body : tree_.rigid) total += combined(body.parts).mass;
    const double wanted = file_.compiler().total_mass;
    const double factor = wanted > 0 && total > 0 ? wanted / total : 1;
    std::vector<std::vector<Solid>> solids_of = solids();
    for (std::size_t k = 0; k < tree_.rigid.size(); ++k) {
      const RigidBody& body = tree_.rigid[k];
      MassPart all = combined(body.parts);
      bound(all);
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
      mechanism_.bodies.push_back(
          {.name = body.name,
           .mass = factor * all.mass,
           .centre = all.centre,
           .inertia = {factor * all.inertia.x, factor * all.inertia.y, factor * all.inertia.z},
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
  bool equalities_ = true;
  bool contacts_ = true;
  bool actuators_ = true;
  bool limits_ = true;
  bool friction_ = true;
  bool springs_ = true;
  bool dampers_ = true;
};

}  // namespace

void read(FileReader& reader, std::int32_t file, Mechanism& mechanism) {
  MjcfReader(reader, mechanism).run(file);
}

}  // namespace daedalus::mjcf
