#include "mechanics/mechanism_builder.hpp"

#include <numbers>

#include "mechanics/joint_rows.hpp"

namespace daedalus {

Frame at(const Vec3& origin) {
  return {.origin = origin, .axes = {}};
}

Frame at(const Vec3& origin, const Mat3& axes) {
  return {.origin = origin, .axes = axes};
}

Mat3 about_z(double moment) {
  return diagonal(moment, moment, moment);
}

Mat3 diagonal(double x, double y, double z) {
  return {{x, 0, 0}, {0, y, 0}, {0, 0, z}};
}

// m/12 (|a|² 1 - a aᵀ)
Mat3 rod_inertia(double mass, const Vec3& a) {
  const double square = dot(a, a);
  const double c = mass / 12;
  return {{c * (square - a.x * a.x), -c * a.x * a.y, -c * a.x * a.z},
          {-c * a.x * a.y, c * (square - a.y * a.y), -c * a.y * a.z},
          {-c * a.x * a.z, -c * a.y * a.z, c * (square - a.z * a.z)}};
}

MechanismBuilder::MechanismBuilder(std::string name, Dimension dimension) {
  mechanism_.name = std::move(name);
  mechanism_.dimension = dimension;
  mechanism_.gravity = dimension == Dimension::Planar ? Vec3{0, -9.81, 0} : Vec3{0, 0, -9.81};
}

BodyId MechanismBuilder::body(Body body) {
  mechanism_.bodies.push_back(std::move(body));
  return BodyId(mechanism_.bodies.size() - 1);
}

BodyId MechanismBuilder::rod(const std::string& name, const Vec3& from, const Vec3& to, double mass,
                             std::optional<double> axial) {
  const Vec3 along = to - from;
  const double transverse = mass * dot(along, along) / 12;
  const Mat3 axes = mechanism_.dimension == Dimension::Planar
                        ? rotation({0, 0, 1}, std::atan2(along.y, along.x))
                        : axes_with_x(along);
  return body({.name = name,
               .mass = mass,
               .inertia = diagonal(axial.value_or(transverse / 1000), transverse, transverse),
               .pose = at(0.5 * (from + to), axes)});
}

Frame MechanismBuilder::pose(BodyId body) const {
  return body.valid() ? mechanism_.bodies[body.at()].pose : Frame{};
}

JointId MechanismBuilder::joint(Joint joint) {
  mechanism_.joints.push_back(std::move(joint));
  return JointId(mechanism_.joints.size() - 1);
}

JointId MechanismBuilder::joint(const std::string& name, JointKind kind, BodyId first, BodyId second,
                                const Frame& place) {
  return joint({.name = name,
                .kind = kind,
                .first = first,
                .second = second,
                .on_first = relative_to(pose(first), place),
                .on_second = relative_to(pose(second), place)});
}

JointId MechanismBuilder::revolute(const std::string& name, BodyId first, BodyId second, const Vec3& point,
                                   const Vec3& axis) {
  return joint(name, JointKind::Revolute, first, second, at(point, axes_with_z(axis)));
}

JointId MechanismBuilder::spherical(const std::string& name, BodyId first, BodyId second, const Vec3& point) {
  return joint(name, JointKind::Spherical, first, second, at(point));
}

JointId MechanismBuilder::prismatic(const std::string& name, BodyId first, BodyId second, const Vec3& point,
                                    const Vec3& direction) {
  return joint(name, JointKind::Prismatic, first, second, at(point, axes_with_x(direction)));
}

JointId MechanismBuilder::distance(const std::string& name, BodyId first, BodyId second, const Vec3& from,
                                   const Vec3& to) {
  return joint({.name = name,
                .kind = JointKind::Distance,
                .first = first,
                .second = second,
                .on_first = relative_to(pose(first), at(from)),
                .on_second = relative_to(pose(second), at(to)),
                .size = norm(to - from)});
}

double MechanismBuilder::start_of(const JointCoordinate& coordinate) const {
  const Joint& joint = mechanism_.joints[coordinate.joint.at()];
  const Frame first = pose(joint.first) * joint.on_first;
  const Frame second = pose(joint.second) * joint.on_second;
  return coordinate.motion == JointMotion::Angle ? start_angle(first, second)
                                                 : start_displacement(joint, first, second);
}

void MechanismBuilder::gear(const std::string& name, JointId first, JointId second, double ratio) {
  const JointCoordinate x{.joint = first, .motion = JointMotion::Angle};
  const JointCoordinate y{.joint = second, .motion = JointMotion::Angle};
  mechanism_.couplings.push_back(
      {.name = name, .y = y, .x = x, .polynomial = {start_of(y) - ratio * start_of(x), ratio}});
}

void MechanismBuilder::rack(const std::string& name, JointId pinion, JointId rack, double radius) {
  const JointCoordinate x{.joint = pinion, .motion = JointMotion::Angle};
  const JointCoordinate y{.joint = rack, .motion = JointMotion::Displacement};
  mechanism_.couplings.push_back(
      {.name = name, .y = y, .x = x, .polynomial = {start_of(y) - radius * start_of(x), radius}});
}

JointId MechanismBuilder::screw(const std::string& name, BodyId first, BodyId second, const Frame& place,
                                double lead) {
  const JointId id = joint(name, JointKind::Cylindrical, first, second, place);
  const JointCoordinate angle{.joint = id, .motion = JointMotion::Angle};
  const JointCoordinate along{.joint = id, .motion = JointMotion::Displacement};
  mechanism_.couplings.push_back(
      {.name = name + " thread", .y = along, .x = angle, .polynomial = {0, lead / (2 * std::numbers::pi)}});
  return id;
}

void MechanismBuilder::motion(const std::string& name, JointCoordinate coordinate, Law law) {
  mechanism_.motions.push_back({.name = name, .coordinate = coordinate, .law = std::move(law)});
}

void MechanismBuilder::marker(const std::string& name, BodyId body, const Vec3& place) {
  mechanism_.markers.push_back(
      {.name = name, .body = body, .point = relative_to(pose(body), at(place)).origin});
}

}  // namespace daedalus
