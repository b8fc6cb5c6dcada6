#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "mechanics/quantities.hpp"
#include "readers/mjcf_joints.hpp"
#include "readers/mjcf_names.hpp"
#include "readers/mjcf_softness.hpp"

namespace daedalus::mjcf {
namespace {

// Tendons: a sum of joint coordinates (<fixed>), or the way from site to site (<spatial>), with pulleys.
// Their springs, dampers, limits and friction pull along the path. Paths around geoms are not simulated.
class TendonAdder {
 public:
  TendonAdder(const MjcfFile& file, BodyTree& tree, Mechanism& mechanism)
      : file_(file), reader_(file.reader()), tree_(tree), mechanism_(mechanism) {}

  void run() {
    for (const int section : file_.sections("tendon")) {
      for (const int node : file_[section].children) add(node);
    }
  }

 private:
  void add(int node) {
    const xml::Element& element = file_.element(node);
    static constexpr std::array<std::string_view, 2> known{"spatial", "fixed"};
    const std::string& tag = file_.tag(node);
    if (std::ranges::find(known, std::string_view(tag)) == known.end())
      return reader_.unknown_element(element, known);
    reader_.check_attributes(element, attributes_of("spatial"));
    const auto path = tag == "fixed" ? of_joints(node) : of_sites(node);
    if (!path) return;
    // A joint may have the same name in the file, where kinds have names of their own.
    const std::string own = file_.text(node, "name", fmt::format("tendon{}", ++count_));
    tree_.tendons[own] = *path;
    const std::string name = reader_.unique(own);
    if (file_.number(node, "armature", 0) != 0) return refuse(node, "the armature of tendons is");
    add_force(node, name, *path);
  }

  void refuse(int node, const std::string& what) {
    (void)reader_.refuse("tendon", what, file_.element(node).span);
  }

  std::optional<TendonPath> of_joints(int node) {
    std::vector<std::pair<JointCoordinate, double>> terms;
    TendonPath path;
    double mobility = 0;
    for (const int child : file_[node].children) {
      reader_.check_attributes(file_.element(child), "joint coef");
      const xml::Attribute* name = xml::find(file_.element(child), "joint");
      if (name == nullptr) continue;
      const FileJoint* joint = named_joint(file_, tree_, *name);
      if (joint == nullptr) return std::nullopt;
      const double coefficient = file_.number(child, "coef", 1);
      terms.emplace_back(JointCoordinate{.joint = joint->joint, .motion = joint->motion}, coefficient);
      path.at_start += coefficient * joint->reference;
      if (joint->inertia > 0) mobility += coefficient * coefficient / joint->inertia;
    }
    path.inertia = mobility > 0 ? 1 / mobility : 0;
    path.length = [terms](Quantities& q) {
      Expr sum = 0;
      for (const auto& [coordinate, coefficient] : terms) sum = sum + coefficient * q.coordinate(coordinate);
      return sum;
    };
    return path;
  }

  std::optional<TendonPath> of_sites(int node) {
    struct Piece {
      End first;
      End second;
      double divisor;
    };
    std::vector<Piece> pieces;
    std::optional<End> before;
    double divisor = 1;
    for (const int child : file_[node].children) {
      const std::string& tag = file_.tag(child);
      if (tag == "pulley") {
        divisor = file_.number(child, "divisor", 1);
        before.reset();
        continue;
      }
      if (tag != "site") {
        refuse(node, "tendons around geoms are");
        return std::nullopt;
      }
      const auto site = named_site(file_, tree_, child, "site");
      if (!site) return std::nullopt;
      if (before && before->body != site->body) pieces.push_back({*before, *site, divisor});
      before = site;
    }
    TendonPath path;
    double mobility = 0;
    for (const Piece& piece : pieces) {
      path.at_start += norm(piece.second.place.origin - piece.first.place.origin) / piece.divisor;
      for (const BodyId body : {piece.first.body, piece.second.body})
        if (body.valid()) mobility += 1 / mechanism_.bodies[body.at()].mass;
    }
    path.inertia = mobility > 0 ? 1 / mobility : 0;
    path.length = [pieces](Quantities& q) {
      Expr sum = 0;
      for (const Piece& piece : pieces) {
        const auto at = [&](const End& end) {
          return q.position(end.body, relative_to(end.pose, end.place).origin);
        };
        const ExprVec3 d = at(piece.second) - at(piece.first);
        sum = sum + sqrt(dot(d, d)) / piece.divisor;
      }
      return sum;
    };
    return path;
  }

  // springlength: one number, a range without force, or -1 for the length at the start.
  std::pair<double, double> rest(int node, double at_start) {
    const xml::Attribute* given = file_.find(node, "springlength");
    if (given == nullptr) return {at_start, at_start};
    const auto values = reader_.numbers(*given, 1, 2);
    if (values.empty() || values[0] < 0) return {at_start, at_start};
    return {values[0], values.size() > 1 ? values[1] : values[0]};
  }

  std::vector<double> list(int node, const char* name, std::vector<double> otherwise) {
    if (const xml::Attribute* given = file_.find(node, name)) {
      const auto values = reader_.numbers(*given, 1, otherwise.size());
      std::ranges::copy(values, otherwise.begin());
    }
    return otherwise;
  }

  void add_force(int node, const std::string& name, const TendonPath& path) {
    const double stiffness = tree_.springs ? file_.number(node, "stiffness", 0) : 0;
    const double damping = tree_.dampers ? file_.number(node, "damping", 0) : 0;
    const double friction = tree_.friction ? file_.number(node, "frictionloss", 0) : 0;
    const xml::Attribute* range = file_.find(node, "range");
    const bool limited = tree_.limits &&
                         file_.flag(node, "limited", range != nullptr && file_.compiler().automatic_limits) &&
                         range != nullptr;
    if (stiffness == 0 && damping == 0 && friction == 0 && !limited) return;
    const auto [low, high] = rest(node, path.at_start);
    SoftLimit limit;
    if (limited) {
      const auto values = reader_.numbers(*range, 2, 2);
      if (values.empty()) return;
      limit = soft_limit(values[0], values[1], path.inertia, list(node, "solreflimit", {0.02, 1}),
                         list(node, "solimplimit", {0.9, 0.95, 0.001, 0.5, 2}));
    }
    const double width = friction_width(friction, path.inertia, list(node, "solreffriction", {0.02, 1}),
                                        list(node, "solimpfriction", {0.9, 0.95, 0.001, 0.5, 2}));
    const double rest_low = low;
    const double rest_high = high;
    mechanism_.forces.emplace_back(
        PathForce{.name = name,
                  .length = path.length,
                  .tension =
                      [=](Quantities&, const Expr& length, const Expr& rate) {
                        Expr tension = damping * rate;
                        if (stiffness != 0 && rest_low == rest_high)
                          tension = tension + stiffness * (length - rest_low);
                        if (stiffness != 0 && rest_low != rest_high)
                          tension = tension + stiffness * no_event(max(Expr(0), length - rest_high) +
                                                                   min(Expr(0), length - rest_low));
                        if (friction > 0) tension = tension + friction * tanh(rate / width);
                        if (limited) tension = tension - limit.force(length, rate);
                        return tension;
                      },
                  .span = file_.element(node).span});
  }

  const MjcfFile& file_;
  FileReader& reader_;
  BodyTree& tree_;
  Mechanism& mechanism_;
  int count_ = 0;
};

}  // namespace

void add_tendons(const MjcfFile& file, BodyTree& tree, Mechanism& mechanism) {
  TendonAdder(file, tree, mechanism).run();
}

}  // namespace daedalus::mjcf
