#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/options.hpp"
#include "readers/mjcf_joints.hpp"
#include "readers/mjcf_names.hpp"

namespace daedalus::mjcf {
namespace {

// The polynomial p(x - by) as one in x.
std::vector<double> shifted(const std::vector<double>& p, double by) {
  std::vector<double> out(p.size(), 0.0);
  for (std::size_t k = p.size(); k-- > 0;) {
    for (std::size_t j = out.size() - 1; j > 0; --j) out[j] = out[j - 1] - by * out[j];
    out[0] = p[k] - by * out[0];
  }
  return out;
}

class EqualityAdder {
 public:
  EqualityAdder(const MjcfFile& file, const BodyTree& tree, Mechanism& mechanism)
      : file_(file), reader_(file.reader()), tree_(tree), mechanism_(mechanism) {}

  void run() {
    for (const int section : file_.sections("equality")) {
      for (const int node : file_[section].children) add(node);
    }
  }

 private:
  void add(int node) {
    const std::string& tag = file_.tag(node);
    const xml::Element& element = file_.element(node);
    static constexpr std::array<std::string_view, 5> known{"connect", "weld", "joint", "distance", "tendon"};
    if (tag == "flex" || tag == "flexvert" || tag == "flexstrain") {
      reader_.refuse("flex", fmt::format("the equality <{}> is", tag), element.span);
      return;
    }
    if (std::ranges::find(known, std::string_view(tag)) == known.end())
      return reader_.unknown_element(element, known);
    reader_.check_attributes(element,
                             tag == "joint"    ? "name class active solref solimp joint1 joint2 polycoef"
                             : tag == "tendon" ? "name class active solref solimp tendon1 tendon2 polycoef"
                                               : attributes_of(tag));
    if (!file_.flag(node, "active", true)) return;
    name_ = reader_.unique(file_.text(node, "name", fmt::format("{}{}", tag, ++count_)));
    if (tag == "connect") return connect(node);
    if (tag == "weld") return weld(node);
    if (tag == "distance") return distance(node);
    if (tag == "tendon") return couple_tendons(node);
    couple(node);
  }

  const TendonPath* tendon(int node, const char* attribute) {
    const xml::Attribute* name = xml::find(file_.element(node), attribute);
    if (name == nullptr) return nullptr;
    const auto found = tree_.tendons.find(name->value);
    if (found != tree_.tendons.end()) return &found->second;
    reader_.complain(fmt::format("there is no tendon '{}'", name->value), name->span);
    return nullptr;
  }

  // As of joints, from the lengths at the start.
  void couple_tendons(int node) {
    if (!needs(node, "tendon1")) return;
    const TendonPath* y = tendon(node, "tendon1");
    const bool two = xml::find(file_.element(node), "tendon2") != nullptr;
    const TendonPath* x = two ? tendon(node, "tendon2") : nullptr;
    if (y == nullptr || (two && x == nullptr)) return;
    std::vector<double> polynomial{0, 1};
    if (const xml::Attribute* c = xml::find(file_.element(node), "polycoef")) {
      auto values = reader_.numbers(*c, 1, 5);
      if (!values.empty()) polynomial = std::move(values);
    }
    if (!two) polynomial.resize(1);
    polynomial = shifted(polynomial, two ? x->at_start : 0);
    polynomial[0] += y->at_start;
    mechanism_.path_couplings.push_back({.name = name_,
                                         .y = y->length,
                                         .x = two ? x->length : Law{},
                                         .polynomial = polynomial,
                                         .span = file_.element(node).span});
  }

  // The body that an attribute names; the world where it is missing.
  std::optional<int> body(int node, const char* attribute) {
    const xml::Attribute* name = xml::find(file_.element(node), attribute);
    if (name == nullptr) return 0;
    const auto found = tree_.body_numbers.find(name->value);
    if (found != tree_.body_numbers.end()) return found->second;
    std::vector<std::string_view> known;
    for (const FileBody& one : tree_.bodies) known.push_back(one.name);
    reader_.complain(unknown_name_message("body", name->value, known), name->span);
    return std::nullopt;
  }

  std::optional<End> site(int node, const char* attribute) {
    return named_site(file_, tree_, node, attribute);
  }

  [[nodiscard]] bool by_sites(int node) const {
    return xml::find(file_.element(node), "site1") != nullptr ||
           xml::find(file_.element(node), "site2") != nullptr;
  }

  void close(int node, JointKind kind, const End& first, const End& second, double size = 0) {
    if (first.body == second.body) {
      reader_.complain(fmt::format("the equality {} joins a body to itself", name_),
                       file_.element(node).span);
      return;
    }
    mechanism_.joints.push_back({.name = name_,
                                 .kind = kind,
                                 .first = first.body,
                                 .second = second.body,
                                 .on_first = relative_to(first.pose, first.place),
                                 .on_second = relative_to(second.pose, second.place),
                                 .size = size,
                                 .span = file_.element(node).span});
  }

  void close_sites(int node, JointKind kind) {
    const auto first = site(node, "site1");
    const auto second = site(node, "site2");
    if (first && second) close(node, kind, *first, *second);
  }

  // The anchor is a point of body1; where it is on body2 the start says.
  void connect(int node) {
    if (by_sites(node)) return close_sites(node, JointKind::Spherical);
    if (!needs(node, "body1") || !needs(node, "anchor")) return;
    const auto first = body(node, "body1");
    const auto second = body(node, "body2");
    if (!first || !second) return;
    const Frame& pose = tree_.bodies[static_cast<std::size_t>(*first)].pose;
    const Frame place = pose * Frame{.origin = file_.vector(node, "anchor", {}), .axes = {}};
    close(node, JointKind::Spherical, end_of(tree_, *first, place), end_of(tree_, *second, place));
  }

  bool needs(int node, const char* attribute) {
    if (xml::find(file_.element(node), attribute) != nullptr) return true;
    reader_.complain(fmt::format("<{}> needs the attribute '{}'", file_.tag(node), attribute),
                     file_.element(node).span);
    return false;
  }

  // relpose: the pose of body2 in body1; by default that of the start. The anchor is on body2.
  void weld(int node) {
    // torquescale 0 leaves only the point.
    const JointKind kind = file_.number(node, "torquescale", 1) > 0 ? JointKind::Fixed : JointKind::Spherical;
    if (by_sites(node)) return close_sites(node, kind);
    if (!needs(node, "body1")) return;
    const auto first = body(node, "body1");
    const auto second = body(node, "body2");
    if (!first || !second) return;
    const Frame& pose1 = tree_.bodies[static_cast<std::size_t>(*first)].pose;
    const Frame& pose2 = tree_.bodies[static_cast<std::size_t>(*second)].pose;
    const Frame anchor{.origin = file_.vector(node, "anchor", {}), .axes = {}};
    Frame there = pose2;
    if (const xml::Attribute* relative = xml::find(file_.element(node), "relpose")) {
      const auto p = reader_.numbers(*relative, 7, 7);
      if (!p.empty() && (p[3] != 0 || p[4] != 0 || p[5] != 0 || p[6] != 0))
        there = pose1 * Frame{.origin = {p[0], p[1], p[2]},
                              .axes = rotation(Quaternion{.w = p[3], .x = p[4], .y = p[5], .z = p[6]})};
    }
    close(node, kind, end_of(tree_, *first, there * anchor), end_of(tree_, *second, pose2 * anchor));
  }

  std::optional<End> geom(int node, const char* attribute) {
    const xml::Attribute* name = xml::find(file_.element(node), attribute);
    const auto found = tree_.named_geoms.find(name->value);
    if (found != tree_.named_geoms.end()) return end_of(tree_, found->second.body, found->second.frame);
    reader_.complain(fmt::format("there is no geom '{}'", name->value), name->span);
    return std::nullopt;
  }

  // Between two sites, the origins of two bodies, or the centres of two geoms.
  void distance(int node) {
    std::optional<End> first;
    std::optional<End> second;
    if (by_sites(node)) {
      first = site(node, "site1");
      second = site(node, "site2");
    } else if (xml::find(file_.element(node), "geom1") != nullptr) {
      if (!needs(node, "geom2")) return;
      first = geom(node, "geom1");
      second = geom(node, "geom2");
    } else {
      if (!needs(node, "body1")) return;
      const auto body1 = body(node, "body1");
      const auto body2 = body(node, "body2");
      if (!body1 || !body2) return;
      first = end_of(tree_, *body1, tree_.bodies[static_cast<std::size_t>(*body1)].pose);
      second = end_of(tree_, *body2, tree_.bodies[static_cast<std::size_t>(*body2)].pose);
    }
    if (!first || !second) return;
    const double length = file_.number(node, "distance", norm(second->place.origin - first->place.origin));
    close(node, JointKind::Distance, *first, *second, length);
  }

  // y - y0 = c0 + c1 (x - x0) + …, with the values y0 and x0 of the start.
  void couple(int node) {
    const xml::Attribute* y = xml::find(file_.element(node), "joint1");
    if (y == nullptr) {
      (void)needs(node, "joint1");
      return;
    }
    const FileJoint* first = named_joint(file_, tree_, *y);
    const xml::Attribute* x = xml::find(file_.element(node), "joint2");
    const FileJoint* second = x == nullptr ? nullptr : named_joint(file_, tree_, *x);
    if (first == nullptr || (x != nullptr && second == nullptr)) return;
    Coupling coupling{.name = name_,
                      .y = {.joint = first->joint, .motion = first->motion},
                      .x = {},
                      .polynomial = {0, 1},
                      .span = file_.element(node).span};
    if (second != nullptr) coupling.x = JointCoordinate{.joint = second->joint, .motion = second->motion};
    if (const xml::Attribute* c = xml::find(file_.element(node), "polycoef")) {
      auto values = reader_.numbers(*c, 1, 5);
      if (!values.empty()) coupling.polynomial = std::move(values);
    }
    if (second == nullptr) coupling.polynomial.resize(1);
    coupling.polynomial = shifted(coupling.polynomial, second == nullptr ? 0 : second->reference);
    coupling.polynomial[0] += first->reference;
    mechanism_.couplings.push_back(std::move(coupling));
  }

  const MjcfFile& file_;
  FileReader& reader_;
  const BodyTree& tree_;
  Mechanism& mechanism_;
  std::string name_;
  int count_ = 0;
};

}  // namespace

End end_of(const BodyTree& tree, int body, const Frame& place) {
  const FileBody& own = tree.bodies[static_cast<std::size_t>(body)];
  const int rigid = own.rigid;
  if (rigid < 0) return {.body = ground, .pose = {}, .place = own.moved * place};
  return {.body = BodyId(rigid), .pose = tree.rigid[static_cast<std::size_t>(rigid)].pose, .place = place};
}

std::optional<End> named_site(const MjcfFile& file, const BodyTree& tree, int node, const char* attribute) {
  FileReader& reader = file.reader();
  const xml::Attribute* name = xml::find(file.element(node), attribute);
  if (name == nullptr) {
    reader.complain(fmt::format("<{}> needs the attribute '{}'", file.tag(node), attribute),
                    file.element(node).span);
    return std::nullopt;
  }
  const auto found = tree.sites.find(name->value);
  if (found != tree.sites.end()) return end_of(tree, found->second.body, found->second.frame);
  reader.complain(
      unknown_name_message("site", name->value,
                           std::vector<std::string_view>(tree.site_order.begin(), tree.site_order.end())),
      name->span);
  return std::nullopt;
}

void add_equalities(const MjcfFile& file, const BodyTree& tree, Mechanism& mechanism) {
  EqualityAdder(file, tree, mechanism).run();
}

}  // namespace daedalus::mjcf
