#include "mechanics/joint_inertia.hpp"

#include <algorithm>
#include <cmath>

#include "mechanics/joint_tree.hpp"

namespace daedalus {
namespace {

// A pivot of the mass matrix against its diagonal entry: below, it is rounding of six-digit numbers squared.
constexpr double least_pivot = 1e-12;

// About the world's origin, along the world's axes.
struct Freedom {
  JointId joint;
  int link = 0;  // in the order of the tree
  Vec3 turn;
  Vec3 move;
  double armature = 0;
};
struct Composite {
  double mass = 0;
  Vec3 first;
  Mat3 second = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
};

Mat3 sum(const Mat3& a, const Mat3& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}

Composite of_body(const Body& body) {
  if (body.kind == BodyKind::Massless) return {};
  const Vec3 c = body.pose.origin + body.pose.axes * body.centre;
  const double m = body.mass;
  Mat3 second = {{m * (c.y * c.y + c.z * c.z), -m * c.x * c.y, -m * c.x * c.z},
                 {-m * c.x * c.y, m * (c.x * c.x + c.z * c.z), -m * c.y * c.z},
                 {-m * c.x * c.z, -m * c.y * c.z, m * (c.x * c.x + c.y * c.y)}};
  if (body.kind == BodyKind::Rigid)
    second = sum(second, body.pose.axes * body.inertia * transposed(body.pose.axes));
  return {.mass = m, .first = m * c, .second = second};
}

double entry(const Composite& inertia, const Freedom& a, const Freedom& b) {
  const Vec3 moment = inertia.second * b.turn + cross(inertia.first, b.move);
  const Vec3 force = inertia.mass * b.move + cross(b.turn, inertia.first);
  return dot(a.turn, moment) + dot(a.move, force);
}

class StartMassMatrix {
 public:
  explicit StartMassMatrix(const Mechanism& mechanism) : mechanism_(mechanism), tree_(tree_of(mechanism)) {
    for (std::size_t k = 0; k < tree_.order.size(); ++k) add_freedoms(static_cast<int>(k));
    for (const Force& force : mechanism.forces) {
      const auto* joint_force = std::get_if<JointForce>(&force);
      if (joint_force == nullptr) continue;
      for (Freedom& freedom : freedoms_)
        if (freedom.joint == joint_force->coordinate.joint) freedom.armature += joint_force->armature;
    }
    fill();
  }

  // By elimination, which meets a joint before those that carry it.
  std::optional<JointId> singular() {
    const std::size_t n = freedoms_.size();
    for (std::size_t k = n; k-- > 0;) {
      const double pivot = at(k, k);
      if (!(pivot > least_pivot * diagonal_[k])) return freedoms_[k].joint;
      for (std::size_t i = 0; i < k; ++i) {
        const double factor = at(k, i) / pivot;
        if (factor == 0) continue;
        for (std::size_t j = 0; j <= i; ++j) at(i, j) -= factor * at(k, j);
      }
    }
    return std::nullopt;
  }

 private:
  double& at(std::size_t i, std::size_t j) { return values_[i * freedoms_.size() + j]; }

  void add(JointId joint, int link, bool turns, const Vec3& axis, const Vec3& point) {
    freedoms_.push_back({.joint = joint,
                         .link = link,
                         .turn = turns ? axis : Vec3{},
                         .move = turns ? cross(point, axis) : axis});
  }

  void add_freedoms(int link) {
    const TreeBody& body = tree_.order[static_cast<std::size_t>(link)];
    if (!body.joint.valid()) return;  // what moves freely has its own mass, and is not looked at
    const Joint& joint = mechanism_.joints[body.joint.at()];
    const auto pose = [&](BodyId id) { return id.valid() ? mechanism_.bodies[id.at()].pose : Frame{}; };
    const Frame first = pose(joint.first) * joint.on_first;
    const Frame second = pose(joint.second) * joint.on_second;
    for (const JointStep& step : steps_of(joint.kind, mechanism_.dimension)) {
      const auto turn = [&](const Vec3& axis) { add(body.joint, link, true, axis, second.origin); };
      const auto slide = [&](const Vec3& axis) { add(body.joint, link, false, axis, {}); };
      if (step.kind == StepKind::TurnX || step.kind == StepKind::Ball) turn(first.axes.x);
      if (step.kind == StepKind::TurnY || step.kind == StepKind::Ball) turn(second.axes.y);
      if (step.kind == StepKind::TurnZ || step.kind == StepKind::Ball) turn(first.axes.z);
      if (step.kind == StepKind::SlideX) slide(first.axes.x);
      if (step.kind == StepKind::SlideY) slide(first.axes.y);
      if (step.kind == StepKind::SlideZ) slide(first.axes.z);
    }
  }

  void fill() {
    const std::size_t links = tree_.order.size();
    std::vector<Composite> composite(links);
    std::vector<int> parent(links, -1);
    for (std::size_t k = links; k-- > 0;) {
      const TreeBody& body = tree_.order[k];
      const Composite own = of_body(mechanism_.bodies[body.body.at()]);
      const auto gather = [](Composite& to, const Composite& from) {
        to.mass += from.mass;
        to.first = to.first + from.first;
        to.second = sum(to.second, from.second);
      };
      gather(composite[k], own);
      if (!body.parent.valid()) continue;
      parent[k] = tree_.place[body.parent.at()];
      gather(composite[static_cast<std::size_t>(parent[k])], composite[k]);
    }
    const std::size_t n = freedoms_.size();
    values_.assign(n * n, 0);
    diagonal_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      const Composite& below = composite[static_cast<std::size_t>(freedoms_[i].link)];
      std::vector<bool> carries(links, false);
      for (int k = freedoms_[i].link; k >= 0; k = parent[static_cast<std::size_t>(k)])
        carries[static_cast<std::size_t>(k)] = true;
      for (std::size_t j = 0; j <= i; ++j)
        if (carries[static_cast<std::size_t>(freedoms_[j].link)])
          at(i, j) = entry(below, freedoms_[i], freedoms_[j]);
      // What cancels within an entry is rounding of the inertia about the world's origin.
      const Vec3& t = freedoms_[i].turn;
      diagonal_[i] = std::abs(dot(t, below.second * t)) +
                     norm(t) * norm(below.first) * norm(freedoms_[i].move) +
                     below.mass * dot(freedoms_[i].move, freedoms_[i].move);
      at(i, i) += freedoms_[i].armature;
    }
  }

  const Mechanism& mechanism_;
  JointTree tree_;
  std::vector<Freedom> freedoms_;
  std::vector<double> values_;  // by rows; the lower triangle counts
  std::vector<double> diagonal_;
};

}  // namespace

std::optional<JointId> joint_without_inertia(const Mechanism& mechanism) {
  if (std::ranges::none_of(mechanism.bodies, &Body::inertia_as_given)) return std::nullopt;
  return StartMassMatrix(mechanism).singular();
}

}  // namespace daedalus
