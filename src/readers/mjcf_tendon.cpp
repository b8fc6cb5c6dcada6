#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "mechanics/quantities.hpp"
#include "mechanics/start_state.hpp"
#include "readers/mjcf_joints.hpp"
#include "readers/mjcf_names.hpp"
#include "readers/mjcf_softness.hpp"

namespace daedalus::mjcf {
namespace {

// Between two sites of a path.
struct Piece {
  End first;
  End second;
  double divisor;
};

// Tendons: a sum of joint coordinates (<fixed>), or the way from site to site (<spatial>), with pulleys.
// Their springs, dampers, limits and friction pull along the path. Paths around geoms are not simulated.
class TendonAdder {
 public:
  TendonAdder(const MjcfFile& file, BodyTree& tree, StartInertia& inertia,
              const std::unordered_map<std::string, Rotor>& driven, Mechanism& mechanism)
      : file_(file),
        reader_(file.reader()),
        tree_(tree),
        inertia_(inertia),
        driven_(driven),
        mechanism_(mechanism) {}

  void run() {
    for (const int section : file_.sections("tendon")) {
      for (const int node : file_[section].children) read(node);
    }
    // The inertia that one moves depends on the armatures of all.
    for (const Found& one : found_) inertia_.add_armature(one.path.row, one.path.armature);
    for (const Found& one : found_) add_force(one);
  }

 private:
  struct Found {
    int node;
    std::string name;
    TendonPath path;
    Polynomial damping;  // by its actuators
  };

  void read(int node) {
    const xml::Element& element = file_.element(node);
    static constexpr std::array<std::string_view, 2> known{"spatial", "fixed"};
    const std::string& tag = file_.tag(node);
    if (std::ranges::find(known, std::string_view(tag)) == known.end())
      return reader_.unknown_element(element, known);
    reader_.check_attributes(element, attributes_of("spatial"));
    refuse_yield(file_, node);
    auto path = tag == "fixed" ? of_joints(node) : of_sites(node);
    if (!path) return;
    path->armature = file_.number(node, "armature", 0);
    path->range = limits(node, "range", "");
    path->actuator_force = limits(node, "actuatorfrcrange", "actuatorfrclimited");
    // A joint may have the same name in the file, where kinds have names of their own.
    const std::string own = file_.text(node, "name", fmt::format("tendon{}", ++count_));
    Polynomial damping{};
    if (const auto rotor = driven_.find(own); rotor != driven_.end()) {
      path->armature += rotor->second.armature;
      damping = rotor->second.damping;
    }
    tree_.tendons[own] = *path;
    found_.push_back(
        {.node = node, .name = reader_.unique(own), .path = *std::move(path), .damping = damping});
  }

  // Of an attribute with two numbers, where `limited` (if it has a name) does not turn it off.
  std::optional<std::pair<double, double>> limits(int node, const char* name, const char* limited) {
    const xml::Attribute* given = file_.find(node, name);
    if (given == nullptr) return std::nullopt;
    if (*limited != 0 && !file_.flag(node, limited, file_.compiler().automatic_limits)) return std::nullopt;
    const auto values = reader_.numbers(*given, 2, 2);
    if (values.empty()) return std::nullopt;
    return std::pair(values[0], values[1]);
  }

  void refuse(int node, const std::string& what) {
    (void)reader_.refuse("tendon", what, file_.element(node).span);
  }

  std::optional<TendonPath> of_joints(int node) {
    std::vector<std::pair<JointCoordinate, double>> terms;
    TendonPath path;
    path.row = inertia_.no_force();
    for (const int child : file_[node].children) {
      reader_.check_attributes(file_.element(child), "joint coef");
      const xml::Attribute* name = xml::find(file_.element(child), "joint");
      if (name == nullptr) continue;
      const FileJoint* joint = named_joint(file_, tree_, *name);
      if (joint == nullptr) return std::nullopt;
      const double coefficient = file_.number(child, "coef", 1);
      const JointCoordinate coordinate{.joint = joint->joint, .motion = joint->motion};
      terms.emplace_back(coordinate, coefficient);
      path.joints.emplace_back(joint->name, coefficient);
      path.at_start += coefficient * joint->reference;
      path.at_spring += coefficient * joint->spring_reference;
      inertia_.add_effort(path.row, coordinate, coefficient);
    }
    path.length = [terms](Quantities& q) {
      Expr sum = 0;
      for (const auto& [coordinate, coefficient] : terms) sum = sum + coefficient * q.coordinate(coordinate);
      return sum;
    };
    return path;
  }

  std::optional<std::vector<Piece>> pieces_of(int node) {
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
      if (before) pieces.push_back({*before, *site, divisor});
      before = site;
    }
    return pieces;
  }

  std::optional<TendonPath> of_sites(int node) {
    const auto pieces = pieces_of(node);
    if (!pieces) return std::nullopt;
    TendonPath path;
    path.row = inertia_.no_force();
    for (const Piece& piece : *pieces) {
      const Vec3& from = piece.first.place.origin;
      const Vec3& to = piece.second.place.origin;
      const double distance = norm(to - from);
      path.at_start += distance / piece.divisor;
      if (distance == 0) continue;
      const Vec3 pull = (1 / (distance * piece.divisor)) * (to - from);
      inertia_.add_force(path.row, piece.second.body, to, pull);
      inertia_.add_force(path.row, piece.first.body, from, -pull);
    }
    path.at_spring = length_at_spring(*pieces);
    path.length = [pieces = *pieces](Quantities& q) {
      Expr sum = 0;
      for (const Piece& piece : pieces) {
        if (piece.first.body == piece.second.body) {
          sum = sum + norm(piece.second.place.origin - piece.first.place.origin) / piece.divisor;
          continue;
        }
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

  // In the pose in which the springs of all joints are at rest.
  double length_at_spring(const std::vector<Piece>& pieces) {
    if (!at_rest_) {
      at_rest_ = mechanism_;
      std::unordered_map<std::int32_t, JointValues> values;
      for (const RigidBody& body : tree_.rigid)
        for (const FileJoint& joint : body.joints)
          if (joint.joint.valid() && joint.spring_reference != joint.reference)
            values[joint.joint.value] = {.values = {joint.spring_reference}};
      if (!values.empty()) move_joints(*at_rest_, values);
    }
    double length = 0;
    for (const Piece& piece : pieces) {
      const auto at = [&](const End& end) {
        if (!end.body.valid()) return end.place.origin;
        return (at_rest_->bodies[end.body.at()].pose * relative_to(end.pose, end.place)).origin;
      };
      length += norm(at(piece.second) - at(piece.first)) / piece.divisor;
    }
    return length;
  }

  // springlength: one number, a range without force, or -1 for the length where the joints' springs rest.
  std::pair<double, double> rest(int node, double at_spring) {
    const xml::Attribute* given = file_.find(node, "springlength");
    if (given == nullptr) return {at_spring, at_spring};
    const auto values = reader_.numbers(*given, 1, 2);
    if (values.empty()) return {at_spring, at_spring};
    const std::pair<double, double> range{values[0], values.size() > 1 ? values[1] : values[0]};
    return range == std::pair(-1.0, -1.0) ? std::pair(at_spring, at_spring) : range;
  }

  std::vector<double> list(int node, const char* name, std::vector<double> otherwise) {
    if (const xml::Attribute* given = file_.find(node, name)) {
      const auto values = reader_.numbers(*given, 1, otherwise.size());
      std::ranges::copy(values, otherwise.begin());
    }
    return otherwise;
  }

  void add_force(const Found& one) {
    const int node = one.node;
    const Flags& flags = tree_.flags;
    const Polynomial stiffness = flags.springs ? file_.polynomial(node, "stiffness") : Polynomial{};
    Polynomial damping{};
    if (flags.dampers) {
      damping = file_.polynomial(node, "damping");
      for (std::size_t k = 0; k < 3; ++k) damping[k] += one.damping[k];
    }
    const double friction = flags.friction ? file_.number(node, "frictionloss", 0) : 0;
    const bool limited =
        flags.limits && one.path.range && file_.flag(node, "limited", file_.compiler().automatic_limits);
    if (stiffness == Polynomial{} && damping == Polynomial{} && friction == 0 && !limited &&
        one.path.armature == 0)
      return;
    const auto [low, high] = rest(node, one.path.at_spring);
    const double moved = limited || friction > 0 ? inertia_.moved_by(one.path.row) : 0;
    SoftLimit limit;
    if (limited)
      limit = soft_limit(one.path.range->first, one.path.range->second, moved,
                         list(node, "solreflimit", {0.02, 1}),
                         list(node, "solimplimit", {0.9, 0.95, 0.001, 0.5, 2}));
    const double width = friction_width(friction, moved, list(node, "solreffriction", {0.02, 1}),
                                        list(node, "solimpfriction", {0.9, 0.95, 0.001, 0.5, 2}));
    const double rest_low = low;
    const double rest_high = high;
    mechanism_.forces.emplace_back(PathForce{
        .name = one.name,
        .length = one.path.length,
        .tension =
            [=](Quantities&, const Expr& length, const Expr& rate) {
              Expr tension = damping[0] * rate;
              if (damping[1] != 0 || damping[2] != 0) tension = tension + higher_damper(damping, rate);
              if (stiffness != Polynomial{}) {
                const Expr x =
                    rest_low == rest_high
                        ? length - rest_low
                        : no_event(max(Expr(0), length - rest_high) + min(Expr(0), length - rest_low));
                tension = tension + stiffness[0] * x + higher_spring(stiffness, x);
              }
              if (friction > 0) tension = tension + friction * tanh(rate / width);
              if (limited) tension = tension - limit.force(length, rate);
              return tension;
            },
        .armature = one.path.armature,
        .span = file_.element(node).span});
  }

  const MjcfFile& file_;
  FileReader& reader_;
  BodyTree& tree_;
  StartInertia& inertia_;
  const std::unordered_map<std::string, Rotor>& driven_;
  Mechanism& mechanism_;
  std::vector<Found> found_;
  std::optional<Mechanism> at_rest_;
  int count_ = 0;
};

}  // namespace

void add_tendons(const MjcfFile& file, BodyTree& tree, StartInertia& inertia,
                 const std::unordered_map<std::string, Rotor>& driven, Mechanism& mechanism) {
  TendonAdder(file, tree, inertia, driven, mechanism).run();
}

}  // namespace daedalus::mjcf
