#include "mechanics/mjcf.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "mechanics/mjcf_joints.hpp"
#include "mechanics/mjcf_names.hpp"

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
    add_bodies();
    add_joints(file_, tree_, mechanism_);
    if (equalities_) add_equalities(file_, tree_, mechanism_);
    add_tendons(file_, tree_, mechanism_);
    if (actuators_) add_actuators(file_, tree_, mechanism_);
    add_markers();
    if (contacts_) check_contacts();
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
      if (norm(file_.vector(node, "wind", {})) != 0 || file_.number(node, "density", 0) != 0 ||
          file_.number(node, "viscosity", 0) != 0)
        reader_.refuse("fluid", "forces of the medium (wind, density, viscosity) are", element.span);
      std::vector<std::string> unused;
      for (const xml::Attribute& attribute : element.attributes) {
        const bool used = attribute.name == "gravity" || attribute.name == "wind" ||
                          attribute.name == "density" || attribute.name == "viscosity" ||
                          attribute.name == "magnetic";
        if (!used) unused.push_back(attribute.name);
      }
      if (!unused.empty())
        reader_.warn(
            fmt::format("{}: options of MuJoCo's own integration, which are not used here (see --step, "
                        "--rtol, --integrator)",
                        fmt::join(unused, ", ")),
            element.span);
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
  }

  void add_bodies() {
    double total = 0;
    for (const RigidBody& body : tree_.rigid) total += combined(body.parts).mass;
    const double wanted = file_.compiler().total_mass;
    const double factor = wanted > 0 && total > 0 ? wanted / total : 1;
    std::vector<std::vector<Solid>> solids_of = solids();
    for (std::size_t k = 0; k < tree_.rigid.size(); ++k) {
      const RigidBody& body = tree_.rigid[k];
      const MassPart all = combined(body.parts);
      if (all.mass <= 0) {
        reader_.complain(
            fmt::format("body {} moves but has no mass{}: give it a geom with a volume, or an <inertial>",
                        body.name, body.without_volume ? " (the volume of a mesh is not computed)" : ""),
            body.span);
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

  void add_markers() {
    for (const std::string& name : tree_.site_order) {
      const Place& place = tree_.sites.at(name);
      const int rigid = tree_.bodies[static_cast<std::size_t>(place.body)].rigid;
      const bool moves = rigid >= 0;
      if (!moves) continue;
      const Frame& pose = tree_.rigid[static_cast<std::size_t>(rigid)].pose;
      mechanism_.markers.push_back(
          {.name = name, .body = BodyId(rigid), .point = relative_to(pose, place.frame).origin});
    }
  }

  // Linkages: bodies that joints connect. The ground is one with everything joined to it.
  [[nodiscard]] std::vector<int> linkages() const {
    std::vector<int> of(tree_.rigid.size() + 1);
    std::iota(of.begin(), of.end(), 0);
    const auto root = [&](int k) {
      while (of[static_cast<std::size_t>(k)] != k) {
        int& next = of[static_cast<std::size_t>(k)];
        next = of[static_cast<std::size_t>(next)];  // ways become shorter by being gone
        k = next;
      }
      return k;
    };
    for (const Joint& joint : mechanism_.joints)
      of[static_cast<std::size_t>(root(joint.second.value + 1))] = root(joint.first.value + 1);
    std::vector<int> found;
    for (std::size_t k = 0; k < of.size(); ++k) found.push_back(root(static_cast<int>(k)));
    return found;
  }

  // Geoms may touch by default. Where the file means it (a floor, parts that no joint connects, or attributes
  // of contacts), it is refused; between the links of one mechanism it is told.
  void check_contacts() {
    for (const int section : file_.sections("contact")) {
      for (const int node : file_[section].children) {
        if (file_.tag(node) == "pair" && !reader_.refuse("contact", "contacts are", file_.element(node).span))
          return;
      }
    }
    const std::vector<int> linkage = linkages();
    const std::vector<const PlacedGeom*> geoms = touching_geoms();
    const auto is_floor = [](const PlacedGeom& a) {
      return a.geom.type == "plane" || a.geom.type == "hfield";
    };
    const auto meant = [&](const PlacedGeom& a) { return is_floor(a) || a.geom.asks_for_contact; };
    const auto linkage_of = [&](const PlacedGeom& a) {
      return linkage[static_cast<std::size_t>(a.rigid) + 1];
    };
    // Between links of one mechanism one pair is enough to tell.
    const bool plain = std::ranges::none_of(geoms, [&](const PlacedGeom* a) {
      return meant(*a) || linkage_of(*a) != linkage_of(*geoms.front());
    });
    const PlacedGeom* implicit = nullptr;
    for (auto a = geoms.begin(); a != geoms.end() && (!plain || implicit == nullptr); ++a) {
      for (auto b = a + 1; b != geoms.end(); ++b) {
        if (!may_touch(**a, **b)) continue;
        const bool apart = linkage_of(**a) != linkage_of(**b);
        if (apart || meant(**a) || meant(**b)) {
          reader_.refuse("contact",
                         fmt::format("contacts of geoms ({} with {}) are", text_of(**a), text_of(**b)),
                         (*a)->rigid >= 0 ? (*a)->geom.span : (*b)->geom.span);
          return;
        }
        if (implicit == nullptr) implicit = *a;
        if (plain) break;
      }
    }
    if (implicit != nullptr)
      reader_.warn(
          "links of the mechanism may touch by MuJoCo's defaults, which is not simulated; contype=\"0\" "
          "conaffinity=\"0\" on the geoms, or --ignore contact, says that it is not meant",
          implicit->geom.span);
  }

  // Geoms that may touch others. Where contacts are ignored, none of them, unless the ground or a wish for
  // contacts is among them.
  [[nodiscard]] std::vector<const PlacedGeom*> touching_geoms() const {
    std::vector<const PlacedGeom*> found;
    for (const PlacedGeom& placed : tree_.geoms) {
      if (placed.geom.contact_type != 0 || placed.geom.contact_affinity != 0) found.push_back(&placed);
    }
    const bool all_ignored = ignores_contacts() && std::ranges::all_of(found, [](const PlacedGeom* one) {
                               return one->rigid >= 0 && !one->geom.asks_for_contact;
                             });
    if (all_ignored) found.clear();
    return found;
  }

  [[nodiscard]] bool ignores_contacts() const {
    return std::ranges::find(reader_.options().ignore, "contact") != reader_.options().ignore.end();
  }

  [[nodiscard]] bool may_touch(const PlacedGeom& a, const PlacedGeom& b) const {
    if (a.rigid == b.rigid) return false;
    const auto parent = [&](int k) { return k < 0 ? -2 : tree_.rigid[static_cast<std::size_t>(k)].parent; };
    const bool family =
        (a.rigid >= 0 && parent(b.rigid) == a.rigid) || (b.rigid >= 0 && parent(a.rigid) == b.rigid);
    if (family) return false;
    if (((a.geom.contact_type & b.geom.contact_affinity) | (b.geom.contact_type & a.geom.contact_affinity)) ==
        0)
      return false;
    const bool links = a.rigid >= 0 && b.rigid >= 0 && !a.geom.asks_for_contact && !b.geom.asks_for_contact;
    return !(links && ignores_contacts());
  }

  [[nodiscard]] std::string text_of(const PlacedGeom& geom) const {
    if (!geom.geom.name.empty()) return geom.geom.name;
    return fmt::format("{} of {}", geom.geom.type,
                       geom.rigid < 0 ? "the world" : tree_.rigid[static_cast<std::size_t>(geom.rigid)].name);
  }

  FileReader& reader_;
  MjcfFile file_;
  Mechanism& mechanism_;
  BodyTree tree_;
  bool equalities_ = true;
  bool contacts_ = true;
  bool actuators_ = true;
};

}  // namespace

void read(FileReader& reader, std::int32_t file, Mechanism& mechanism) {
  MjcfReader(reader, mechanism).run(file);
}

}  // namespace daedalus::mjcf
