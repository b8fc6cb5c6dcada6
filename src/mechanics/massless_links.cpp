#include "mechanics/massless_links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace daedalus {
namespace {

constexpr double same = 1e-9;          // of directions and places
constexpr double least_volume = 1e-3;  // of three axes that are to span space

bool parallel(const Vec3& a, const Vec3& b) {
  return norm(cross(a, b)) < same;
}

bool orthogonal(const Vec3& a, const Vec3& b) {
  return std::abs(dot(a, b)) < same;
}

// A joint of a chain, where it is at the start.
struct ChainJoint {
  JointId id;
  JointKind kind;
  Frame first;
  Frame second;
  [[nodiscard]] const Vec3& axis() const {
    return kind == JointKind::Prismatic ? first.axes.x : first.axes.z;
  }
};

struct Composite {
  JointKind kind = JointKind::Fixed;
  Frame first;
  Frame second;
  bool free = false;
};

class Chains {
 public:
  explicit Chains(Mechanism mechanism) : mechanism_(std::move(mechanism)) {}

  Result<Mechanism> run() {
    carrier_.assign(mechanism_.bodies.size(), JointId{});
    for (std::size_t k = 0; k < mechanism_.joints.size(); ++k) {
      const BodyId second = mechanism_.joints[k].second;
      if (second.valid() && !carrier_[second.at()].valid()) carrier_[second.at()] = JointId(k);
    }
    for (std::size_t k = 0; k < mechanism_.bodies.size(); ++k) {
      const JointId last = carrier_[k];
      if (mechanism_.bodies[k].kind == BodyKind::Massless || !last.valid()) continue;
      if (is_massless(mechanism_.joints[last.at()].first)) merge(BodyId(k));
    }
    if (!faults_.empty()) return std::unexpected(std::move(faults_));
    return std::move(mechanism_);
  }

 private:
  [[nodiscard]] bool is_massless(BodyId body) const {
    return body.valid() && mechanism_.bodies[body.at()].kind == BodyKind::Massless;
  }
  [[nodiscard]] Frame pose(BodyId body) const {
    return body.valid() ? mechanism_.bodies[body.at()].pose : Frame{};
  }

  void merge(BodyId body) {
    std::vector<ChainJoint> chain;
    BodyId at = body;
    do {
      const JointId id = carrier_[at.at()];
      const Joint& joint = mechanism_.joints[id.at()];
      chain.push_back({.id = id,
                       .kind = joint.kind,
                       .first = pose(joint.first) * joint.on_first,
                       .second = pose(joint.second) * joint.on_second});
      at = joint.first;
    } while (is_massless(at) && carrier_[at.at()].valid());
    std::ranges::reverse(chain);
    const Body& carried = mechanism_.bodies[body.at()];
    const auto composite = compose(chain, carried.pose);
    if (!composite) {
      faults_.push_back(
          {.severity = Severity::Error,
           .message = fmt::format("body {} has {} joints that are no joint of one kind together, which "
                                  "needs joint coordinates (--coordinates joint)",
                                  carried.name, chain.size()),
           .span = carried.span,
           .related = {}});
      return;
    }
    const JointId whole = chain.back().id;
    for (const ChainJoint& part : chain) {
      Joint& joint = mechanism_.joints[part.id.at()];
      if (part.id != whole || composite->free) joint.merged = whole;
    }
    Joint& joint = mechanism_.joints[whole.at()];
    if (composite->free) return;
    joint.name = carried.name;
    joint.kind = composite->kind;
    joint.first = at;
    joint.on_first = relative_to(pose(at), composite->first);
    joint.on_second = relative_to(carried.pose, composite->second);
    joint.start = {};
  }

  static std::optional<Composite> compose(const std::vector<ChainJoint>& chain, const Frame& body) {
    std::vector<const ChainJoint*> hinges, slides, balls;
    for (const ChainJoint& joint : chain) {
      if (joint.kind == JointKind::Revolute) hinges.push_back(&joint);
      if (joint.kind == JointKind::Prismatic) slides.push_back(&joint);
      if (joint.kind == JointKind::Spherical) balls.push_back(&joint);
    }
    const std::size_t all = chain.size();
    if (balls.size() == 1 && slides.size() == 3 && all == 4) return Composite{.free = true};
    if (slides.size() == 3 && hinges.size() == 3 && all == 6) return Composite{.free = true};
    if (slides.size() == 3 && all == 3) return both(JointKind::Translational, body);
    if (hinges.size() == 1 && slides.size() == 1 && all == 2 &&
        dot(hinges[0]->axis(), slides[0]->axis()) > 1 - same)
      return both(JointKind::Cylindrical, {hinges[0]->second.origin, hinges[0]->second.axes});
    if (hinges.size() == 1 && slides.size() == 2 && all == 3 &&
        orthogonal(hinges[0]->axis(), slides[0]->axis()) &&
        orthogonal(hinges[0]->axis(), slides[1]->axis()) && !parallel(slides[0]->axis(), slides[1]->axis()))
      return both(JointKind::Planar, hinges[0]->second);
    return of_hinges(hinges, all);
  }

  static Composite both(JointKind kind, const Frame& frame) {
    return {.kind = kind, .first = frame, .second = frame};
  }

  // Two that cross at a right angle are universal, three in one point are spherical.
  static std::optional<Composite> of_hinges(const std::vector<const ChainJoint*>& hinges, std::size_t all) {
    if (hinges.size() != all || all < 2 || all > 3) return std::nullopt;
    for (const ChainJoint* hinge : hinges) {
      if (norm(hinge->first.origin - hinges[0]->first.origin) > same) return std::nullopt;
    }
    const Vec3& point = hinges[0]->first.origin;
    if (all == 3) {
      const double volume = dot(hinges[0]->axis(), cross(hinges[1]->axis(), hinges[2]->axis()));
      if (std::abs(volume) < least_volume) return std::nullopt;
      return both(JointKind::Spherical, {point, {}});
    }
    const Vec3 x = hinges[0]->axis();  // in the parent
    const Vec3 y = hinges[1]->axis();  // in the body
    if (!orthogonal(x, y)) return std::nullopt;
    return both(JointKind::Universal, {point, Mat3{x, y, cross(x, y)}});
  }

  Mechanism mechanism_;
  std::vector<JointId> carrier_;  // by body
  Diagnostics faults_;
};

}  // namespace

Result<Mechanism> without_massless_links(const Mechanism& mechanism) {
  return Chains(mechanism).run();
}

}  // namespace daedalus
