#include "mechanics/joint_inertia.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace daedalus {
namespace {

// A pivot of the mass matrix against its diagonal entry: below, it is rounding of six-digit numbers squared.
constexpr double least_pivot = 1e-12;

// About the world's origin, along the world's axes.
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

double entry(const Composite& inertia, const Vec3& turn, const Vec3& move, const Vec3& other_turn,
             const Vec3& other_move) {
  const Vec3 moment = inertia.second * other_turn + cross(inertia.first, other_move);
  const Vec3 force = inertia.mass * other_move + cross(other_turn, inertia.first);
  return dot(turn, moment) + dot(move, force);
}

}  // namespace

StartInertia::StartInertia(const Mechanism& mechanism) : mechanism_(mechanism), tree_(tree_of(mechanism)) {
  for (std::size_t k = 0; k < tree_.order.size(); ++k) add_freedoms(static_cast<int>(k));
  std::vector<double> armature(mechanism.joints.size(), 0.0);
  for (const Force& force : mechanism.forces)
    if (const auto* one = std::get_if<JointForce>(&force))
      armature[one->coordinate.joint.at()] += one->armature;
  for (Freedom& freedom : freedoms_)
    if (freedom.joint.valid()) freedom.armature = armature[freedom.joint.at()];
  fill();
}

int StartInertia::add_freedom(JointId joint, int link, bool turns, const Vec3& axis, const Vec3& point) {
  int& last = last_[static_cast<std::size_t>(link)];
  freedoms_.push_back({.joint = joint,
                       .link = link,
                       .before = last,
                       .turn = turns ? axis : Vec3{},
                       .move = turns ? cross(point, axis) : axis,
                       .turns = turns});
  return last = static_cast<int>(freedoms_.size()) - 1;
}

void StartInertia::add_freedoms(int link) {
  const TreeBody& body = tree_.order[static_cast<std::size_t>(link)];
  last_.push_back(body.parent.valid() ? last_[static_cast<std::size_t>(tree_.place[body.parent.at()])] : -1);
  const auto pose = [&](BodyId id) { return id.valid() ? mechanism_.bodies[id.at()].pose : Frame{}; };
  const auto turn = [&](const Vec3& axis, const Vec3& point) {
    add_freedom(body.joint, link, true, axis, point);
  };
  const auto slide = [&](const Vec3& axis) { add_freedom(body.joint, link, false, axis, {}); };
  if (!body.joint.valid()) {
    const Body& free = mechanism_.bodies[body.body.at()];
    const Vec3 centre = free.pose.origin + free.pose.axes * free.centre;
    for (const Vec3& axis : {Mat3{}.x, Mat3{}.y, Mat3{}.z}) slide(axis);
    if (free.kind == BodyKind::Point) return;
    for (const Vec3& axis : {Mat3{}.x, Mat3{}.y, Mat3{}.z}) turn(axis, centre);
    return;
  }
  const Joint& joint = mechanism_.joints[body.joint.at()];
  const Frame first = pose(joint.first) * joint.on_first;
  const Frame second = pose(joint.second) * joint.on_second;
  for (const JointStep& step : steps_of(joint.kind, mechanism_.dimension)) {
    if (step.kind == StepKind::Ball)
      for (const Vec3& axis : {second.axes.x, second.axes.y, second.axes.z}) turn(axis, second.origin);
    if (step.kind == StepKind::TurnX) turn(first.axes.x, second.origin);
    if (step.kind == StepKind::TurnY) turn(second.axes.y, second.origin);
    if (step.kind == StepKind::TurnZ) turn(first.axes.z, second.origin);
    if (step.kind == StepKind::SlideX) slide(first.axes.x);
    if (step.kind == StepKind::SlideY) slide(first.axes.y);
    if (step.kind == StepKind::SlideZ) slide(first.axes.z);
  }
}

void StartInertia::fill() {
  const std::size_t links = tree_.order.size();
  std::vector<Composite> composite(links);
  for (std::size_t k = links; k-- > 0;) {
    const TreeBody& body = tree_.order[k];
    const auto gather = [](Composite& to, const Composite& from) {
      to.mass += from.mass;
      to.first = to.first + from.first;
      to.second = sum(to.second, from.second);
    };
    gather(composite[k], of_body(mechanism_.bodies[body.body.at()]));
    if (body.parent.valid())
      gather(composite[static_cast<std::size_t>(tree_.place[body.parent.at()])], composite[k]);
  }
  for (Freedom& own : freedoms_) {
    const Composite& below = composite[static_cast<std::size_t>(own.link)];
    std::vector<double>& row = entries_.emplace_back();
    row.push_back(entry(below, own.turn, own.move, own.turn, own.move) + own.armature);
    for (int j = own.before; j >= 0; j = freedoms_[static_cast<std::size_t>(j)].before) {
      const Freedom& other = freedoms_[static_cast<std::size_t>(j)];
      row.push_back(entry(below, own.turn, own.move, other.turn, other.move));
    }
    // What cancels within an entry is rounding of the inertia about the world's origin.
    own.size = std::abs(dot(own.turn, below.second * own.turn)) +
               norm(own.turn) * norm(below.first) * norm(own.move) + below.mass * dot(own.move, own.move);
  }
}

// M = Lᵀ D L along the branches of the tree, which leaves no entries that were not there. It meets a joint
// before those that carry it.
void StartInertia::factorise() {
  if (factorised_) return;
  factorised_ = true;
  for (std::size_t k = freedoms_.size(); k-- > 0;) {
    std::vector<double>& row = entries_[k];
    const Freedom& own = freedoms_[k];
    if (!(row[0] > least_pivot * own.size) && !singular_)
      singular_ = {.joint = own.joint, .body = tree_.order[static_cast<std::size_t>(own.link)].body};
    int i = freedoms_[k].before;
    for (std::size_t p = 1; p < row.size(); ++p) {
      std::vector<double>& above = entries_[static_cast<std::size_t>(i)];
      const double factor = row[0] > 0 ? row[p] / row[0] : 0;
      for (std::size_t q = p; q < row.size() && factor != 0; ++q) above[q - p] -= factor * row[q];
      i = freedoms_[static_cast<std::size_t>(i)].before;
    }
    for (std::size_t p = 1; p < row.size(); ++p) row[p] = row[0] > 0 ? row[p] / row[0] : 0;
  }
}

StartInertia::Row StartInertia::respond(const Row& row) {
  factorise();
  Row x = row;
  const auto each_above = [&](std::size_t k, const auto& act) {
    int i = freedoms_[k].before;
    for (std::size_t p = 1; p < entries_[k].size(); ++p) {
      act(x[static_cast<std::size_t>(i)], entries_[k][p]);
      i = freedoms_[static_cast<std::size_t>(i)].before;
    }
  };
  for (std::size_t k = x.size(); k-- > 0;)
    if (x[k] != 0) each_above(k, [&](double& above, double factor) { above -= factor * x[k]; });
  for (std::size_t k = 0; k < x.size(); ++k) {
    x[k] = entries_[k][0] > 0 ? x[k] / entries_[k][0] : 0;
    each_above(k, [&](const double& above, double factor) { x[k] -= factor * above; });
  }
  // M + Σ a rᵀr, one path after the other (Sherman and Morrison).
  for (const HeavyPath& path : heavy_) {
    const double share = std::inner_product(path.response.begin(), path.response.end(), row.begin(), 0.0);
    for (std::size_t k = 0; k < x.size(); ++k) x[k] -= share / path.scale * path.response[k];
  }
  return x;
}

void StartInertia::add_effort(Row& row, const JointCoordinate& coordinate, double factor) const {
  for (std::size_t k = 0; k < freedoms_.size(); ++k)
    if (freedoms_[k].joint == coordinate.joint &&
        freedoms_[k].turns == (coordinate.motion == JointMotion::Angle))
      row[k] += factor;
}

void StartInertia::add_force(Row& row, BodyId body, const Vec3& point, const Vec3& force,
                             const Vec3& torque) const {
  if (!body.valid()) return;
  int k = last_[static_cast<std::size_t>(tree_.place[body.at()])];
  for (; k >= 0; k = freedoms_[static_cast<std::size_t>(k)].before) {
    const Freedom& freedom = freedoms_[static_cast<std::size_t>(k)];
    row[static_cast<std::size_t>(k)] +=
        dot(freedom.turn, cross(point, force) + torque) + dot(freedom.move, force);
  }
}

void StartInertia::add_armature(const Row& path, double armature) {
  if (armature <= 0) return;
  HeavyPath heavy{.row = path, .response = respond(path)};
  heavy.scale = 1 / armature + std::inner_product(path.begin(), path.end(), heavy.response.begin(), 0.0);
  heavy_.push_back(std::move(heavy));
}

double StartInertia::moved_by(const Row& row) {
  const Row response = respond(row);
  const double mobility = std::inner_product(row.begin(), row.end(), response.begin(), 0.0);
  return mobility > 0 ? 1 / mobility : 0;
}

double StartInertia::moved_by(JointId joint) {
  double mobility = 0;
  int count = 0;
  for (std::size_t k = 0; k < freedoms_.size(); ++k) {
    if (freedoms_[k].joint != joint) continue;
    Row row = no_force();
    row[k] = 1;
    mobility += respond(row)[k];
    ++count;
  }
  return mobility > 0 ? count / mobility : 0;
}

std::optional<WithoutInertia> StartInertia::singular() {
  factorise();
  return singular_;
}

std::optional<WithoutInertia> motion_without_inertia(const Mechanism& mechanism) {
  if (std::ranges::none_of(mechanism.bodies, &Body::inertia_as_given)) return std::nullopt;
  return StartInertia(mechanism).singular();
}

}  // namespace daedalus
