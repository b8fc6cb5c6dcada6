#include "mechanics/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "mechanics/joint_rows.hpp"

namespace daedalus {
namespace {

// Of unit vectors and right angles, and of the triangle inequality of inertias: numbers in files have six
// digits at times.
constexpr double slack = 1e-5;

bool finite(const Vec3& v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

bool is_rotation(const Mat3& a) {
  const auto near = [](double value, double to) { return std::abs(value - to) <= slack; };
  return near(norm(a.x), 1) && near(norm(a.y), 1) && near(dot(a.x, a.y), 0) &&
         norm(cross(a.x, a.y) - a.z) <= slack;
}

bool turns_about_z_only(const Mat3& a) {
  return std::abs(a.z.z - 1) <= slack;
}

double trace_of(const Mat3& j) {
  return j.x.x + j.y.y + j.z.z;
}

bool is_symmetric(const Mat3& j) {
  const double asymmetry = std::abs(j.x.y - j.y.x) + std::abs(j.x.z - j.z.x) + std::abs(j.y.z - j.z.y);
  return asymmetry <= slack * trace_of(j);
}

bool is_positive(const Mat3& j) {
  const double minor = (j.x.x * j.y.y) - (j.x.y * j.y.x);
  return j.x.x > 0 && minor > 0 && dot(j.x, cross(j.y, j.z)) > 0 && std::isfinite(trace_of(j)) &&
         is_symmetric(j);
}

// Moments of inertia are sums of squares, so that none is larger than the other two together.
bool keeps_triangle(const Mat3& j) {
  const double largest = std::max({j.x.x, j.y.y, j.z.z});
  return largest <= (trace_of(j) - largest) * (1 + slack);
}

class Validator {
 public:
  explicit Validator(const Mechanism& mechanism)
      : mechanism_(mechanism), planar_(mechanism.dimension == Dimension::Planar) {}

  Diagnostics run() {
    if (!finite(mechanism_.gravity)) complain("gravity is not finite", {});
    if (mechanism_.bodies.empty()) complain("the mechanism has no bodies that can move", {});
    for (const Body& body : mechanism_.bodies) check(body);
    for (const Joint& joint : mechanism_.joints) check(joint);
    for (const Coupling& coupling : mechanism_.couplings) check(coupling);
    for (const Motion& motion : mechanism_.motions) {
      take(names_, "motion", motion.name, motion.span);
      check(motion.coordinate, "motion " + motion.name, motion.span);
      if (!motion.law) complain(fmt::format("motion {} has no law", motion.name), motion.span);
    }
    for (const Force& force : mechanism_.forces) std::visit([this](const auto& f) { check_force(f); }, force);
    for (const Marker& marker : mechanism_.markers) check_body(marker.body, "marker " + marker.name, {});
    return std::move(faults_);
  }

 private:
  using Names = std::unordered_map<std::string, SourceSpan>;

  void complain(std::string message, SourceSpan span) {
    faults_.push_back(
        {.severity = Severity::Error, .message = std::move(message), .span = span, .related = {}});
  }

  void take(Names& names, const char* what, const std::string& name, SourceSpan span) {
    if (name.empty()) complain(fmt::format("a {} has no name", what), span);
    const auto [place, fresh] = names.emplace(name, span);
    if (fresh) return;
    complain(fmt::format("the name '{}' of a {} is used twice", name, what), span);
    faults_.back().related.push_back(
        {.severity = Severity::Note, .message = "used first here", .span = place->second, .related = {}});
  }

  void check(const Body& body) {
    take(body_names_, "body", body.name, body.span);
    if (body.kind == BodyKind::Massless) return;
    if (!(body.mass > 0) || !std::isfinite(body.mass)) {
      complain(fmt::format("body {} has the mass {:g}; a body that moves needs a positive mass", body.name,
                           body.mass),
               body.span);
    }
    if (!finite(body.pose.origin) || !finite(body.centre) || !is_rotation(body.pose.axes))
      complain(fmt::format("the pose of body {} is not one: its axes are not orthogonal unit vectors, or a "
                           "number is not finite",
                           body.name),
               body.span);
    if (planar_ && !turns_about_z_only(body.pose.axes))
      complain(fmt::format("body {} lies across the plane of the mechanism", body.name), body.span);
    if (body.kind == BodyKind::Rigid) check_inertia(body);
  }

  void check_inertia(const Body& body) {
    const Mat3& j = body.inertia;
    if (planar_) {
      if (!(j.z.z > 0) || !std::isfinite(j.z.z))
        complain(
            fmt::format("body {} has the moment of inertia {:g}; it must be positive, or the body a point "
                        "mass",
                        body.name, j.z.z),
            body.span);
      return;
    }
    if (body.inertia_as_given && is_not_negative(j)) return;
    if (!is_positive(j)) {
      complain(
          fmt::format("the inertia of body {} (diagonal {:g}, {:g}, {:g}) is not positive definite; give "
                      "it an inertia about every axis, or make it a point mass",
                      body.name, j.x.x, j.y.y, j.z.z),
          body.span);
      return;
    }
    if (!keeps_triangle(j))
      complain(
          fmt::format("the inertia of body {} (diagonal {:g}, {:g}, {:g}) is that of no body: one moment is "
                      "larger than the other two together",
                      body.name, j.x.x, j.y.y, j.z.z),
          body.span);
  }

  bool check_body(BodyId body, const std::string& what, SourceSpan span) {
    if (!body.valid() || body.at() < mechanism_.bodies.size()) return true;
    complain(fmt::format("{} is attached to body number {}, but there are {} bodies", what, body.value,
                         mechanism_.bodies.size()),
             span);
    return false;
  }

  void check_axes(BodyId body, bool needed, const std::string& what, SourceSpan span) {
    if (!needed || !body.valid() || mechanism_.bodies[body.at()].kind != BodyKind::Point) return;
    complain(fmt::format("{} needs the orientation of {}, which is a point mass", what,
                         mechanism_.bodies[body.at()].name),
             span);
  }

  void check(const Joint& joint) {
    take(names_, "joint", joint.name, joint.span);
    const std::string what = "joint " + joint.name;
    if (!check_body(joint.first, what, joint.span) || !check_body(joint.second, what, joint.span)) return;
    if (joint.first == joint.second)
      complain(fmt::format("{} joins {} to itself", what,
                           joint.first.valid() ? mechanism_.bodies[joint.first.at()].name : "the ground"),
               joint.span);
    const JointRow& row = joint_row(joint.kind);
    if (rows_of(joint.kind, mechanism_.dimension).empty())
      complain(fmt::format("{} is {}, which a {} mechanism does not have", what, row.name,
                           planar_ ? "planar" : "spatial"),
               joint.span);
    check_axes(joint.first, row.needs_first_axes, what, joint.span);
    check_axes(joint.second, row.needs_second_axes, what, joint.span);
    if (!is_rotation(joint.on_first.axes) || !is_rotation(joint.on_second.axes) ||
        !finite(joint.on_first.origin) || !finite(joint.on_second.origin))
      complain(
          fmt::format("a frame of {} is none: its axes are not orthogonal unit vectors, or a number is not "
                      "finite",
                      what),
          joint.span);
    const bool sized = joint.kind == JointKind::Distance || joint.kind == JointKind::RollingDisc ||
                       joint.kind == JointKind::RollingSphere;
    if (sized && (!(joint.size > 0) || !std::isfinite(joint.size)))
      complain(
          fmt::format("the length or radius of {} is {:g}, but it must be positive (a distance of 0 is a "
                      "spherical joint)",
                      what, joint.size),
          joint.span);
  }

  bool check(const JointCoordinate& c, const std::string& what, SourceSpan span) {
    if (!c.joint.valid() || c.joint.at() >= mechanism_.joints.size()) {
      complain(fmt::format("{} names a joint that is not there", what), span);
      return false;
    }
    const Joint& joint = mechanism_.joints[c.joint.at()];
    const JointRow& row = joint_row(joint.kind);
    const bool angle = c.motion == JointMotion::Angle;
    if (angle ? row.has_angle : row.slides_along != 0) return true;
    complain(fmt::format("{} needs the {} of joint {}, which is {} and has none", what,
                         angle ? "angle" : "displacement", joint.name, row.name),
             span);
    return false;
  }

  void check(const Coupling& coupling) {
    take(names_, "coupling", coupling.name, coupling.span);
    check(coupling.y, "coupling " + coupling.name, coupling.span);
    if (coupling.x) check(*coupling.x, "coupling " + coupling.name, coupling.span);
    if (coupling.polynomial.empty())
      complain(fmt::format("coupling {} has no coefficients", coupling.name), coupling.span);
  }

  template <class T>
  void check_force(const T& force) {
    take(names_, "force", force.name, force.span);
    const std::string what = "force " + force.name;
    if constexpr (std::is_same_v<T, JointForce>) {
      check(force.coordinate, what, force.span);
    } else if constexpr (std::is_same_v<T, BallForce>) {
      if (!force.joint.valid() || force.joint.at() >= mechanism_.joints.size())
        complain(fmt::format("{} names a joint that is not there", what), force.span);
    } else if constexpr (std::is_same_v<T, PathForce>) {
      if (!force.length || !force.tension) complain(fmt::format("{} has no law", what), force.span);
    } else if constexpr (std::is_same_v<T, Load>) {
      check_body(force.body, what, force.span);
    } else {
      check_body(force.first, what, force.span);
      check_body(force.second, what, force.span);
    }
  }

  const Mechanism& mechanism_;
  bool planar_;
  Names body_names_;
  Names names_;
  Diagnostics faults_;
};

}  // namespace

Diagnostics faults_of(const Mechanism& mechanism) {
  return Validator(mechanism).run();
}

bool is_of_a_body(const Mat3& inertia) {
  return is_positive(inertia) && keeps_triangle(inertia);
}

bool is_not_negative(const Mat3& j) {
  const double size = slack * trace_of(j);
  const auto minor = [](double a, double b, double c) { return a * b - c * c; };
  const double least = -size * trace_of(j);
  return std::isfinite(size) && size >= 0 && is_symmetric(j) && std::min({j.x.x, j.y.y, j.z.z}) >= -size &&
         std::min({minor(j.x.x, j.y.y, j.x.y), minor(j.x.x, j.z.z, j.x.z), minor(j.y.y, j.z.z, j.y.z)}) >=
             least &&
         dot(j.x, cross(j.y, j.z)) >= least * trace_of(j);
}

}  // namespace daedalus
