#include "mechanics/joint_space.hpp"

#include <fmt/format.h>

#include <array>
#include <cassert>
#include <cmath>

namespace daedalus {
namespace {

Frame inverse(const Frame& frame) {
  return {.origin = -along(frame.axes, frame.origin), .axes = transposed(frame.axes)};
}

std::vector<Expr> symbolic(const Quaternion& q) {
  return {q.w, q.x, q.y, q.z};
}

std::vector<Expr> product(const std::vector<Expr>& a, const std::vector<Expr>& b) {
  return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
          a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
          a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
          a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
}

bool turns(StepKind kind) {
  return kind == StepKind::TurnX || kind == StepKind::TurnY || kind == StepKind::TurnZ;
}

const ExprVec3& axis_of(const ExprMat3& axes, StepKind kind) {
  if (kind == StepKind::TurnX || kind == StepKind::SlideX) return axes.x;
  if (kind == StepKind::TurnY || kind == StepKind::SlideY) return axes.y;
  return axes.z;
}

// The axes turned about one of their own.
ExprMat3 turned_axes(const ExprMat3& a, StepKind kind, const Expr& angle) {
  const Expr c = cos(angle);
  const Expr s = sin(angle);
  switch (kind) {
    case StepKind::TurnX:
      return {a.x, c * a.y + s * a.z, c * a.z - s * a.y};
    case StepKind::TurnY:
      return {c * a.x - s * a.z, a.y, s * a.x + c * a.z};
    default:
      return {c * a.x + s * a.y, c * a.y - s * a.x, a.z};
  }
}

std::vector<Expr> turn_quaternion(StepKind kind, const Expr& angle) {
  const Expr half = 0.5 * angle;
  std::vector<Expr> q{cos(half), 0.0, 0.0, 0.0};
  q[kind == StepKind::TurnX ? 1 : kind == StepKind::TurnY ? 2 : 3] = sin(half);
  return q;
}

}  // namespace

JointSpace::JointSpace(const Mechanism& mechanism, const Unknowns& unknowns)
    : mechanism_(mechanism), unknowns_(unknowns), tree_(tree_of(mechanism)) {
  first_freedom_.assign(mechanism.joints.size(), -1);
  links_.reserve(tree_.order.size());
}

std::vector<BodyMotion> JointSpace::declare() {
  for (const TreeBody& body : tree_.order) declare_link(body);
  std::vector<BodyMotion> motions(mechanism_.bodies.size());
  for (std::size_t k = 0; k < tree_.order.size(); ++k)
    motions[tree_.order[k].body.at()] = motion_of(tree_.order[k], links_[k]);
  return motions;
}

// The frames of a joint in those of the links; the steps between them make the link's own frame.
void JointSpace::declare_link(const TreeBody& at) {
  const int number = static_cast<int>(links_.size());
  const Body& body = mechanism_.bodies[at.body.at()];
  Link& link = links_.emplace_back();
  link.parent = at.parent.valid() ? tree_.place[at.parent.at()] : -1;
  if (!at.joint.valid()) {
    declare_free(at, link);
    return;
  }
  const Joint& joint = mechanism_.joints[at.joint.at()];
  const Frame& on_parent = at.reversed ? joint.on_second : joint.on_first;
  const Frame& on_child = at.reversed ? joint.on_first : joint.on_second;
  Moving moving;
  moving.body = number;
  if (link.parent < 0) {
    // The point of reference is where the tree is fixed.
    link.root = number;
    link.reference = daedalus::symbolic(on_parent.origin);
    moving.axes = daedalus::symbolic(on_parent.axes);
    moving.bias.move = daedalus::symbolic(-mechanism_.gravity);
    moving.orientation = symbolic(quaternion(on_parent.axes));
  } else {
    const Link& parent = links_[static_cast<std::size_t>(link.parent)];
    const Frame place = parent.from_joint * on_parent;
    link.root = parent.root;
    moving.axes = parent.axes * daedalus::symbolic(place.axes);
    moving.origin = parent.origin + parent.axes * daedalus::symbolic(place.origin);
    moving.velocity = parent.velocity;
    moving.bias = parent.bias;
    moving.last = parent.last;
    moving.angle = parent.angle;
    moving.orientation = product(parent.orientation, symbolic(quaternion(place.axes)));
  }
  const JointStart start = start_of(mechanism_, joint);
  const std::vector<JointStep> steps = steps_of(joint.kind, mechanism_.dimension);
  first_freedom_[at.joint.at()] = static_cast<int>(freedoms_.size());
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const std::size_t step = at.reversed ? steps.size() - 1 - k : k;
    if (steps[step].kind == StepKind::Ball)
      take_ball(joint, start, at.reversed, moving);
    else
      take_step(steps[step], joint, start.steps[step], at.reversed, moving);
  }
  link.axes = moving.axes;
  link.origin = moving.origin;
  link.velocity = moving.velocity;
  link.bias = moving.bias;
  link.last = moving.last;
  link.orientation = moving.orientation;
  link.angle = moving.angle;
  link.from_joint = inverse(on_child);
  link.inertia = inertia_of(body, link);
}

// Of a body, about the point of reference.
SpatialInertia JointSpace::inertia_of(const Body& body, const Link& link) {
  if (body.kind == BodyKind::Massless) return {};
  const Vec3 centre = link.from_joint.origin + link.from_joint.axes * body.centre;
  const ExprVec3 c = link.origin + link.axes * daedalus::symbolic(centre);
  const Expr m = body.mass;
  SpatialInertia inertia{.mass = body.mass, .first = m * c, .second = {}};
  if (body.kind == BodyKind::Rigid)
    inertia.second =
        turned(link.axes, link.from_joint.axes * body.inertia * transposed(link.from_joint.axes));
  const ExprVec3& h = inertia.first;
  const Expr xx = h.x * c.x, yy = h.y * c.y, zz = h.z * c.z;
  inertia.second = inertia.second + ExprSymmetric{.xx = yy + zz,
                                                  .yy = xx + zz,
                                                  .zz = xx + yy,
                                                  .xy = -(h.x * c.y),
                                                  .xz = -(h.x * c.z),
                                                  .yz = -(h.y * c.z)};
  return inertia;
}

int JointSpace::add_freedom(const SpatialMotion& axis, Moving& moving) {
  Freedom freedom;
  freedom.axis = axis;
  freedom.before = moving.last;
  freedom.body = moving.body;
  moving.last = static_cast<int>(freedoms_.size());
  freedoms_.push_back(std::move(freedom));
  return moving.last;
}

void JointSpace::declare_scalar(const ScalarCoordinate& coordinate, Freedom& freedom) {
  const Expr x = unknowns_.model.variable(
      coordinate.name, {.start = coordinate.start, .fixed = coordinate.held, .unit = coordinate.unit});
  const Expr v = unknowns_.model.variable(
      coordinate.rate,
      {.start = coordinate.start_rate, .fixed = coordinate.held, .unit = coordinate.unit + "/s"});
  unknowns_.model.equation(der(x), v, coordinate.rate);
  ++rates_;
  freedom.value = x;
  freedom.rate = der(x);
  freedom.acceleration = der(v);
  freedom.equation = static_cast<int>(unknowns_.equations.size());
  unknowns_.equations.push_back(
      {.coordinate = x, .residual = 0, .label = coordinate.label, .span = coordinate.span});
}

void JointSpace::take_step(const JointStep& step, const Joint& joint, const StepStart& start, bool reversed,
                           Moving& moving) {
  const double sense = reversed ? -1 : 1;
  const ExprVec3 direction = Expr(sense) * axis_of(moving.axes, step.kind);
  const bool turning = turns(step.kind);
  const SpatialMotion axis = turning
                                 ? SpatialMotion{.turn = direction, .move = cross(moving.origin, direction)}
                                 : SpatialMotion{.turn = {}, .move = direction};
  Freedom& freedom = freedoms_[static_cast<std::size_t>(add_freedom(axis, moving))];
  declare_scalar({.name = fmt::format("{}.{}", joint.name, step.coordinate),
                  .rate = fmt::format("{}.{}", joint.name, step.rate),
                  .unit = turning ? "rad" : "m",
                  .label = fmt::format("joint {}: motion of its {}", joint.name, step.coordinate),
                  .start = start.value,
                  .start_rate = start.rate,
                  .held = start.held,
                  .span = joint.span},
                 freedom);
  const SpatialMotion moved = freedom.rate * axis;
  moving.bias = moving.bias + cross(moving.velocity, moved);
  moving.velocity = moving.velocity + moved;
  if (turning) {
    const Expr angle = sense * freedom.value;
    moving.axes = turned_axes(moving.axes, step.kind, angle);
    moving.orientation = product(moving.orientation, turn_quaternion(step.kind, angle));
    moving.angle = moving.angle + angle;
  } else {
    moving.origin = moving.origin + freedom.value * direction;
  }
}

void JointSpace::declare_quaternion(const std::string& name, const Quaternion& start,
                                    const std::optional<Vec3>& spin, bool held, SourceSpan span,
                                    Turning& turning) {
  const std::array<double, 4> values{start.w, start.x, start.y, start.z};
  const std::vector<double> rates = spin ? quaternion_rate(start, *spin) : std::vector<double>{};
  turning.equation = static_cast<int>(unknowns_.equations.size());
  for (std::size_t k = 0; k < 4; ++k) {
    const Expr q =
        unknowns_.model.variable(fmt::format("{}.q{}", name, k), {.start = values[k], .fixed = held});
    Expr acceleration = der(der(q));
    if (spin) {
      const std::string rate = fmt::format("{}.dq{}", name, k);
      const Expr v = unknowns_.model.variable(rate, {.start = rates[k], .fixed = held, .unit = "1/s"});
      unknowns_.model.equation(der(q), v, rate);
      ++rates_;
      acceleration = der(v);
    }
    turning.q.push_back(q);
    turning.a.push_back(acceleration);
    unknowns_.equations.push_back(
        {.coordinate = q, .residual = 0, .label = fmt::format("{}.motion of q{}", name, k), .span = span});
  }
  turning.name = name;
  turning.span = span;
}

void JointSpace::take_ball(const Joint& joint, const JointStart& start, bool reversed, Moving& moving) {
  Turning turning;
  turning.first = static_cast<int>(freedoms_.size());
  turning.link = moving.body;
  declare_quaternion(joint.name, start.orientation, start.spin, false, joint.span, turning);
  const std::vector<Expr>& q = turning.q;
  const ExprMat3 turn = axes_of_quaternion(q);
  const std::vector<Expr> rates{der(q[0]), der(q[1]), der(q[2]), der(q[3])};
  // Along the axes of the second frame, which turns with the quaternion, or is the parent's where it is
  // reversed.
  const ExprVec3 spin = Expr(2) * times_g(q, rates);
  const ExprVec3 acceleration = Expr(2) * times_g(q, turning.a);
  const ExprMat3 second = reversed ? moving.axes : moving.axes * turn;
  const double sense = reversed ? -1 : 1;
  SpatialMotion moved;
  const auto add = [&](const ExprVec3& column, const Expr& rate, const Expr& accelerated) {
    const ExprVec3 direction = Expr(sense) * column;
    const SpatialMotion axis{.turn = direction, .move = cross(moving.origin, direction)};
    Freedom& freedom = freedoms_[static_cast<std::size_t>(add_freedom(axis, moving))];
    freedom.rate = rate;
    freedom.acceleration = accelerated;
    moved = moved + rate * axis;
  };
  add(second.x, spin.x, acceleration.x);
  add(second.y, spin.y, acceleration.y);
  add(second.z, spin.z, acceleration.z);
  moving.bias = moving.bias + cross(moving.velocity, moved);
  moving.velocity = moving.velocity + moved;
  if (reversed) {
    moving.axes = moving.axes * transposed(turn);
    moving.orientation = product(moving.orientation, {q[0], -q[1], -q[2], -q[3]});
  } else {
    moving.axes = second;
    moving.orientation = product(moving.orientation, q);
  }
  turnings_.push_back(std::move(turning));
}

// A quaternion, or in the plane an angle.
void JointSpace::turn_freely(const Body& body, Link& link, Moving& moving) {
  if (mechanism_.dimension == Dimension::Planar) {
    Freedom& freedom =
        freedoms_[static_cast<std::size_t>(add_freedom({.turn = {0, 0, 1}, .move = {}}, moving))];
    declare_scalar(
        {.name = body.name + ".phi",
         .rate = body.name + ".w",
         .unit = "rad",
         .label = body.name + ".motion of phi",
         .start = std::atan2(body.pose.axes.x.y, body.pose.axes.x.x),
         .start_rate = body.angular_velocity ? std::optional(body.angular_velocity->z) : std::nullopt,
         .held = body.held,
         .span = body.span},
        freedom);
    link.axes = turned_axes({}, StepKind::TurnZ, freedom.value);
    link.velocity.turn.z = freedom.rate;
    link.angle = freedom.value;
    return;
  }
  Turning turning;
  turning.first = static_cast<int>(freedoms_.size());
  turning.along_world = true;
  turning.link = moving.body;
  const std::optional<Vec3> spin =
      body.angular_velocity ? std::optional(along(body.pose.axes, *body.angular_velocity)) : std::nullopt;
  declare_quaternion(body.name, quaternion(body.pose.axes), spin, body.held, body.span, turning);
  const std::vector<Expr>& q = turning.q;
  link.axes = axes_of_quaternion(q);
  link.orientation = q;
  const std::vector<Expr> rates{der(q[0]), der(q[1]), der(q[2]), der(q[3])};
  link.velocity.turn = Expr(2) * times_e(q, rates);
  const ExprVec3 acceleration = Expr(2) * times_e(q, turning.a);
  constexpr std::array<Expr ExprVec3::*, 3> to{&ExprVec3::x, &ExprVec3::y, &ExprVec3::z};
  for (std::size_t k = 0; k < 3; ++k) {
    SpatialMotion axis;
    axis.turn.*to[k] = 1;
    Freedom& freedom = freedoms_[static_cast<std::size_t>(add_freedom(axis, moving))];
    freedom.rate = link.velocity.turn.*to[k];
    freedom.acceleration = acceleration.*to[k];
  }
  turnings_.push_back(std::move(turning));
}

// A body that moves freely: place and velocity of its centre of mass, which is the point of reference.
void JointSpace::declare_free(const TreeBody& at, Link& link) {
  const Body& body = mechanism_.bodies[at.body.at()];
  const bool planar = mechanism_.dimension == Dimension::Planar;
  const int number = static_cast<int>(links_.size()) - 1;
  link.root = number;
  Moving moving;
  moving.body = number;
  const Vec3 start = body.pose.origin + body.pose.axes * body.centre;
  const std::array<std::string, 3> names{"x", "y", "z"};
  const std::array<double Vec3::*, 3> members{&Vec3::x, &Vec3::y, &Vec3::z};
  const std::array<Expr ExprVec3::*, 3> to{&ExprVec3::x, &ExprVec3::y, &ExprVec3::z};
  for (std::size_t k = 0; k < (planar ? 2U : 3U); ++k) {
    SpatialMotion axis;
    axis.move.*to[k] = 1;
    Freedom& freedom = freedoms_[static_cast<std::size_t>(add_freedom(axis, moving))];
    declare_scalar({.name = fmt::format("{}.{}", body.name, names[k]),
                    .rate = fmt::format("{}.v{}", body.name, names[k]),
                    .unit = "m",
                    .label = fmt::format("{}.motion of {}", body.name, names[k]),
                    .start = start.*members[k],
                    .start_rate = body.velocity ? std::optional((*body.velocity).*members[k]) : std::nullopt,
                    .held = body.held,
                    .span = body.span},
                   freedom);
    link.reference.*to[k] = freedom.value;
    link.velocity.move.*to[k] = freedom.rate;
  }
  link.bias.move = daedalus::symbolic(-mechanism_.gravity);
  link.from_joint = {.origin = -body.centre, .axes = {}};
  if (body.kind == BodyKind::Rigid) turn_freely(body, link, moving);
  // What is fixed in space at the point of reference does not move with it.
  link.bias.move = link.bias.move - cross(link.velocity.turn, link.velocity.move);
  if (link.orientation.empty()) link.orientation = {1.0, 0.0, 0.0, 0.0};
  link.last = moving.last;
  link.inertia = inertia_of(body, link);
}

BodyMotion JointSpace::motion_of(const TreeBody& at, const Link& link) const {
  const Body& body = mechanism_.bodies[at.body.at()];
  BodyMotion motion;
  motion.moves = true;
  motion.planar = mechanism_.dimension == Dimension::Planar;
  motion.turns = body.kind != BodyKind::Point;
  motion.number = at.body.value;
  motion.centre = body.centre;
  motion.start = body.pose;
  const Vec3 centre = link.from_joint.origin + link.from_joint.axes * body.centre;
  const ExprVec3 from_reference = link.origin + link.axes * daedalus::symbolic(centre);
  motion.position = links_[static_cast<std::size_t>(link.root)].reference + from_reference;
  motion.velocity = link.velocity.move + cross(link.velocity.turn, from_reference);
  if (!motion.turns) return motion;
  motion.axes = link.axes * daedalus::symbolic(link.from_joint.axes);
  motion.spin = link.velocity.turn;
  motion.body_spin = along(motion.axes, motion.spin);
  motion.orientation = product(link.orientation, symbolic(quaternion(link.from_joint.axes)));
  // In the plane the angle of the body is that of its joints, and what its frames are turned by.
  if (motion.planar) motion.angle = link.angle + planar_offset(at);
  return motion;
}

double JointSpace::planar_offset(const TreeBody& at) const {
  const auto angle = [](const Mat3& axes) { return std::atan2(axes.x.y, axes.x.x); };
  if (!at.joint.valid()) return 0;
  double offset = 0;
  const TreeBody* body = &at;
  while (body->joint.valid()) {
    const Joint& joint = mechanism_.joints[body->joint.at()];
    const double between = angle(joint.on_first.axes) - angle(joint.on_second.axes);
    offset += body->reversed ? -between : between;
    if (!body->parent.valid()) break;
    body = &tree_.order[static_cast<std::size_t>(tree_.place[body->parent.at()])];
  }
  return offset;
}

std::size_t JointSpace::freedom_of(const JointCoordinate& c) const {
  const Joint& joint = mechanism_.joints[c.joint.at()];
  const std::vector<JointStep> steps = steps_of(joint.kind, mechanism_.dimension);
  const bool reversed = is_reversed(c.joint);
  for (std::size_t k = 0; k < steps.size(); ++k) {
    if (turns(steps[k].kind) != (c.motion == JointMotion::Angle)) continue;
    const std::size_t place = reversed ? steps.size() - 1 - k : k;
    return static_cast<std::size_t>(first_freedom_[c.joint.at()]) + place;
  }
  assert(false);
  return 0;
}

bool JointSpace::is_reversed(JointId joint) const {
  const Joint& one = mechanism_.joints[joint.at()];
  if (!one.second.valid()) return true;
  const TreeBody& second = tree_.order[static_cast<std::size_t>(tree_.place[one.second.at()])];
  return second.joint != joint;
}

Expr JointSpace::coordinate(const JointCoordinate& c) const {
  return freedoms_[freedom_of(c)].value;
}

Expr JointSpace::rate(const JointCoordinate& c) const {
  return freedoms_[freedom_of(c)].rate;
}

void JointSpace::apply_torque(const BodyMotion& body, const ExprVec3& torque) {
  if (!body.moves || !body.turns) return;
  SpatialForce& applied = link_of(body).applied;
  applied.moment = applied.moment + torque;
}

void JointSpace::apply_force(const BodyMotion& body, const ExprVec3& force, const Vec3& point) {
  if (!body.moves) return;
  Link& link = link_of(body);
  const Vec3 place = link.from_joint.origin + link.from_joint.axes * point;
  const ExprVec3 arm = link.origin + link.axes * daedalus::symbolic(place);
  link.applied = link.applied + SpatialForce{.moment = cross(arm, force), .force = force};
}

void JointSpace::add_closing(const BodyMotion& body, const ExprVec3& force, const Vec3& point,
                             const ExprVec3& torque) {
  if (!body.moves) return;
  Link& link = link_of(body);
  const Vec3 place = link.from_joint.origin + link.from_joint.axes * point;
  const ExprVec3 arm = link.origin + link.axes * daedalus::symbolic(place);
  link.closing = link.closing + SpatialForce{.moment = cross(arm, force) + torque, .force = force};
}

void JointSpace::apply_effort(const JointCoordinate& c, const Expr& effort) {
  Freedom& freedom = freedoms_[freedom_of(c)];
  freedom.effort = freedom.effort + effort;
}

void JointSpace::add_armature(const JointCoordinate& c, double armature) {
  Freedom& freedom = freedoms_[freedom_of(c)];
  freedom.armature += armature;
}

JointSpace::Link& JointSpace::link_of(const BodyMotion& body) {
  return links_[static_cast<std::size_t>(tree_.place[static_cast<std::size_t>(body.number)])];
}

SpatialForce JointSpace::inertial_force(const Link& link, const SpatialMotion& acceleration) {
  return link.inertia * acceleration + cross(link.velocity, link.inertia * link.velocity);
}

void JointSpace::finish() {
  add_mass_matrix();
  for (Freedom& freedom : freedoms_) {
    if (freedom.equation >= 0)
      unknowns_.equations[static_cast<std::size_t>(freedom.equation)].residual = freedom.residual;
  }
  add_quaternions();
}

void JointSpace::add_mass_matrix() {
  std::vector<SpatialInertia> composite(links_.size());
  std::vector<SpatialForce> rest(links_.size());
  for (std::size_t k = links_.size(); k-- > 0;) {
    const Link& link = links_[k];
    composite[k] = composite[k] + link.inertia;
    rest[k] = rest[k] + (inertial_force(link, link.bias) - link.applied);
    if (link.parent < 0) continue;
    const auto parent = static_cast<std::size_t>(link.parent);
    composite[parent] = composite[parent] + composite[k];
    rest[parent] = rest[parent] + rest[k];
  }
  for (std::size_t i = 0; i < freedoms_.size(); ++i) {
    Freedom& own = freedoms_[i];
    const auto body = static_cast<std::size_t>(own.body);
    own.residual = own.residual + dot(own.axis, rest[body]) - own.effort;
    const SpatialForce momentum = composite[body] * own.axis;
    own.residual = own.residual + (dot(own.axis, momentum) + own.armature) * own.acceleration;
    for (int j = own.before; j >= 0; j = freedoms_[static_cast<std::size_t>(j)].before) {
      Freedom& other = freedoms_[static_cast<std::size_t>(j)];
      const Expr entry = dot(other.axis, momentum);
      own.residual = own.residual + entry * other.acceleration;
      other.residual = other.residual + entry * own.acceleration;
    }
  }
}

// A typical inertia of what turns with the link at the start.
double JointSpace::inertia_below(int first) const {
  double sum = 0;
  std::vector<bool> below(links_.size(), false);
  const Body& root = mechanism_.bodies[tree_.order[static_cast<std::size_t>(first)].body.at()];
  const Vec3 from = root.pose.origin + root.pose.axes * root.centre;
  for (auto k = static_cast<std::size_t>(first); k < links_.size(); ++k) {
    const int parent = links_[k].parent;
    below[k] =
        k == static_cast<std::size_t>(first) || (parent >= 0 && below[static_cast<std::size_t>(parent)]);
    if (!below[k]) continue;
    const Body& body = mechanism_.bodies[tree_.order[k].body.at()];
    if (body.kind == BodyKind::Massless) continue;
    const Vec3 arm = body.pose.origin + body.pose.axes * body.centre - from;
    sum += body.inertia.x.x + body.inertia.y.y + body.inertia.z.z + 2 * body.mass * dot(arm, arm);
  }
  return sum;
}

void JointSpace::add_quaternions() {
  for (const Turning& turning : turnings_) {
    const auto at = [&](int k) { return freedoms_[static_cast<std::size_t>(turning.first + k)].residual; };
    const ExprVec3 torque{at(0), at(1), at(2)};
    const std::vector<Expr>& q = turning.q;
    const std::vector<Expr> on_q = turning.along_world ? times_e_transposed(q, Expr(2) * torque)
                                                       : times_g_transposed(q, Expr(2) * torque);
    const double c = 4.0 / 3 * inertia_below(turning.link);
    Expr norm_acceleration = 0;
    for (std::size_t k = 0; k < 4; ++k)
      norm_acceleration = norm_acceleration + q[k] * turning.a[k] + der(q[k]) * der(q[k]);
    for (std::size_t k = 0; k < 4; ++k)
      unknowns_.equations[static_cast<std::size_t>(turning.equation) + k].residual =
          on_q[k] + c * q[k] * norm_acceleration;
  }
}

}  // namespace daedalus
