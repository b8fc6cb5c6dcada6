#include "mechanics/body_motion.hpp"

#include <algorithm>
#include <cmath>

namespace daedalus {
namespace {

struct Start {
  double value = 0;
  std::optional<double> rate = {};
};

// Declares a coordinate, and its rate where a start value of the rate was given; otherwise the rate is free
// to follow from the others.
class Declarer {
 public:
  Declarer(const Body& body, const Unknowns& unknowns) : body_(body), unknowns_(unknowns) {}

  // x, and x'' as the equation of motion is to say it: der of the rate's variable if there is one, so that it
  // is known as a name of x' (reform/raise_order.hpp).
  struct Declared {
    Expr value = 0;
    Expr acceleration = 0;
  };
  Declared coordinate(const std::string& name, const std::string& rate_name, const Start& start,
                      const std::string& unit) {
    const Expr x =
        unknowns_.model.variable(full(name), {.start = start.value, .fixed = body_.held, .unit = unit});
    Expr acceleration = der(der(x));
    if (start.rate) {
      const Expr v = unknowns_.model.variable(
          full(rate_name), {.start = start.rate, .fixed = body_.held, .unit = rate_unit(unit)});
      unknowns_.model.equation(der(x), v, full(rate_name));
      acceleration = der(v);
    }
    unknowns_.equations.push_back(
        {.coordinate = x, .residual = 0, .label = full("motion of " + name), .span = body_.span});
    return {.value = x, .acceleration = acceleration};
  }

 private:
  [[nodiscard]] std::string full(const std::string& name) const { return body_.name + "." + name; }
  static std::string rate_unit(const std::string& unit) { return unit.empty() ? "1/s" : unit + "/s"; }

  const Body& body_;
  const Unknowns& unknowns_;
};

std::optional<double> component(const std::optional<Vec3>& v, double Vec3::*member) {
  return v ? std::optional<double>((*v).*member) : std::nullopt;
}

void declare_position(const Body& body, bool planar, const Unknowns& unknowns, BodyMotion& motion) {
  Declarer declare(body, unknowns);
  const Vec3 at = body.pose.origin + body.pose.axes * body.centre;
  const auto add = [&](const std::string& axis, double Vec3::*member, Expr ExprVec3::*to) {
    const auto declared = declare.coordinate(
        axis, "v" + axis, {.value = at.*member, .rate = component(body.velocity, member)}, "m");
    motion.position.*to = declared.value;
    unknowns.equations.back().residual = body.mass * declared.acceleration;
  };
  add("x", &Vec3::x, &ExprVec3::x);
  add("y", &Vec3::y, &ExprVec3::y);
  if (!planar) add("z", &Vec3::z, &ExprVec3::z);
  motion.velocity = der(motion.position);
}

void declare_angle(const Body& body, const Unknowns& unknowns, BodyMotion& motion) {
  Declarer declare(body, unknowns);
  const double start = std::atan2(body.pose.axes.x.y, body.pose.axes.x.x);
  const auto declared = declare.coordinate(
      "phi", "w", {.value = start, .rate = component(body.angular_velocity, &Vec3::z)}, "rad");
  motion.angle = declared.value;
  const Expr c = cos(motion.angle);
  const Expr s = sin(motion.angle);
  motion.axes = {{c, s, 0}, {-s, c, 0}, {0, 0, 1}};
  motion.spin = {0, 0, der(motion.angle)};
  motion.body_spin = motion.spin;
  unknowns.equations.back().residual = body.inertia.z.z * declared.acceleration;
}

void declare_quaternion(const Body& body, const Unknowns& unknowns, BodyMotion& motion) {
  Declarer declare(body, unknowns);
  const Quaternion start = quaternion(body.pose.axes);
  const std::array<double, 4> value{start.w, start.x, start.y, start.z};
  std::vector<std::optional<double>> rate(4);
  if (body.angular_velocity) {
    const auto known = quaternion_rate(start, along(body.pose.axes, *body.angular_velocity));
    std::ranges::copy(known, rate.begin());
  }
  std::vector<Expr> a(4, 0.0);
  for (std::size_t k = 0; k < 4; ++k) {
    const auto declared = declare.coordinate("q" + std::to_string(k), "dq" + std::to_string(k),
                                             {.value = value[k], .rate = rate[k]}, "");
    motion.quaternion.push_back(declared.value);
    a[k] = declared.acceleration;
  }
  const std::vector<Expr>& q = motion.quaternion;
  motion.axes = axes_of_quaternion(q);
  const std::vector<Expr> v{der(q[0]), der(q[1]), der(q[2]), der(q[3])};
  const ExprMat3 inertia = symbolic(body.inertia);
  const ExprVec3 spin = Expr(2) * times_g(q, v);  // ω along the body's axes
  const ExprVec3 torque = inertia * (Expr(2) * times_g(q, a)) + cross(spin, inertia * spin);
  motion.body_spin = spin;
  motion.spin = motion.axes * spin;
  const std::vector<Expr> on_q = times_g_transposed(q, Expr(2) * torque);
  const double c = 4.0 / 3 * (body.inertia.x.x + body.inertia.y.y + body.inertia.z.z);
  const Expr norm_acceleration = q[0] * a[0] + q[1] * a[1] + q[2] * a[2] + q[3] * a[3] + v[0] * v[0] +
                                 v[1] * v[1] + v[2] * v[2] + v[3] * v[3];
  auto* equation = &unknowns.equations[static_cast<std::size_t>(motion.first_coordinate) + 3];
  for (std::size_t k = 0; k < 4; ++k) equation[k].residual = on_q[k] + c * q[k] * norm_acceleration;
}

}  // namespace

ExprVec3 times_g(const std::vector<Expr>& q, const std::vector<Expr>& v) {
  return {q[0] * v[1] - q[1] * v[0] + q[3] * v[2] - q[2] * v[3],
          q[0] * v[2] - q[2] * v[0] + q[1] * v[3] - q[3] * v[1],
          q[0] * v[3] - q[3] * v[0] + q[2] * v[1] - q[1] * v[2]};
}

ExprVec3 times_e(const std::vector<Expr>& q, const std::vector<Expr>& v) {
  return {q[0] * v[1] - q[1] * v[0] + q[2] * v[3] - q[3] * v[2],
          q[0] * v[2] - q[2] * v[0] + q[3] * v[1] - q[1] * v[3],
          q[0] * v[3] - q[3] * v[0] + q[1] * v[2] - q[2] * v[1]};
}

std::vector<Expr> times_g_transposed(const std::vector<Expr>& q, const ExprVec3& a) {
  return {-q[1] * a.x - q[2] * a.y - q[3] * a.z, q[0] * a.x - q[3] * a.y + q[2] * a.z,
          q[3] * a.x + q[0] * a.y - q[1] * a.z, q[1] * a.y - q[2] * a.x + q[0] * a.z};
}

std::vector<Expr> times_e_transposed(const std::vector<Expr>& q, const ExprVec3& a) {
  return {-q[1] * a.x - q[2] * a.y - q[3] * a.z, q[0] * a.x + q[3] * a.y - q[2] * a.z,
          q[0] * a.y - q[3] * a.x + q[1] * a.z, q[2] * a.x - q[1] * a.y + q[0] * a.z};
}

ExprMat3 axes_of_quaternion(const std::vector<Expr>& q) {
  const Expr xx = q[1] * q[1], yy = q[2] * q[2], zz = q[3] * q[3];
  const Expr xy = q[1] * q[2], xz = q[1] * q[3], yz = q[2] * q[3];
  const Expr wx = q[0] * q[1], wy = q[0] * q[2], wz = q[0] * q[3];
  return {{1 - 2 * (yy + zz), 2 * (xy + wz), 2 * (xz - wy)},
          {2 * (xy - wz), 1 - 2 * (xx + zz), 2 * (yz + wx)},
          {2 * (xz + wy), 2 * (yz - wx), 1 - 2 * (xx + yy)}};
}

std::vector<double> quaternion_rate(const Quaternion& q, const Vec3& w) {
  return {0.5 * (-q.x * w.x - q.y * w.y - q.z * w.z), 0.5 * (q.w * w.x - q.z * w.y + q.y * w.z),
          0.5 * (q.z * w.x + q.w * w.y - q.x * w.z), 0.5 * (-q.y * w.x + q.x * w.y + q.w * w.z)};
}

ExprVec3 BodyMotion::point(const Vec3& in_body) const {
  if (!moves) return symbolic(in_body);
  return position + axes * symbolic(in_body - centre);
}

BodyMotion ground_motion() {
  BodyMotion motion;
  motion.turns = true;
  return motion;
}

BodyMotion declare_body(const Body& body, Dimension dimension, const Unknowns& unknowns) {
  BodyMotion motion;
  motion.moves = true;
  motion.planar = dimension == Dimension::Planar;
  motion.turns = body.kind == BodyKind::Rigid;
  motion.first_coordinate = static_cast<int>(unknowns.equations.size());
  motion.centre = body.centre;
  motion.start = body.pose;
  declare_position(body, motion.planar, unknowns, motion);
  if (!motion.turns) return motion;
  if (motion.planar)
    declare_angle(body, unknowns, motion);
  else
    declare_quaternion(body, unknowns, motion);
  return motion;
}

void apply_torque(const BodyMotion& body, const ExprVec3& torque,
                  std::vector<CoordinateEquation>& equations) {
  if (!body.moves || !body.turns) return;
  const auto first = static_cast<std::size_t>(body.first_coordinate);
  if (body.planar) {
    equations[first + 2].residual = equations[first + 2].residual - torque.z;
    return;
  }
  const std::vector<Expr> on_q = times_g_transposed(body.quaternion, Expr(2) * along(body.axes, torque));
  for (std::size_t k = 0; k < 4; ++k)
    equations[first + 3 + k].residual = equations[first + 3 + k].residual - on_q[k];
}

void apply_force(const BodyMotion& body, const ExprVec3& force, const Vec3& point,
                 std::vector<CoordinateEquation>& equations) {
  if (!body.moves) return;
  const auto first = static_cast<std::size_t>(body.first_coordinate);
  equations[first].residual = equations[first].residual - force.x;
  equations[first + 1].residual = equations[first + 1].residual - force.y;
  if (!body.planar) equations[first + 2].residual = equations[first + 2].residual - force.z;
  apply_torque(body, cross(body.axes * symbolic(point - body.centre), force), equations);
}

Expr kinetic_energy(const Body& body, const BodyMotion& motion) {
  const Expr moving = 0.5 * body.mass * dot(motion.velocity, motion.velocity);
  if (!motion.turns) return moving;
  if (motion.planar) return moving + 0.5 * body.inertia.z.z * motion.spin.z * motion.spin.z;
  return moving + 0.5 * dot(motion.body_spin, symbolic(body.inertia) * motion.body_spin);
}

ExprVec3 angular_momentum(const Body& body, const BodyMotion& motion) {
  const ExprVec3 orbital = Expr(body.mass) * cross(motion.position, motion.velocity);
  if (!motion.turns) return orbital;
  if (motion.planar) return orbital + ExprVec3{0, 0, body.inertia.z.z * motion.spin.z};
  return orbital + motion.axes * (symbolic(body.inertia) * motion.body_spin);
}

}  // namespace daedalus
