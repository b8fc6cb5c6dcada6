#include "readers/mjcf_fluid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mechanics/quantities.hpp"
#include "readers/principal_axes.hpp"

namespace daedalus::mjcf {
namespace {

// The box of a body, in the frame of the rigid body that it belongs to.
struct Box {
  Vec3 centre;
  Mat3 axes;
  Vec3 size;
};

Box box_of(const FileBody& body, const Frame& rigid) {
  // Where one geom or <inertial> alone is the body's mass, its own axes are the box's: they are not told by
  // the moments where two of these are equal.
  std::vector<MassPart> parts;
  for (const PlacedMass& placed_mass : body.masses)
    parts.push_back(placed(relative_to(body.masses.front().frame, placed_mass.frame), placed_mass.part));
  const MassPart all = combined(parts);
  const Principal principal = principal_axes(all.inertia);
  const auto side = [&](double one, double other, double own) {
    return std::sqrt(std::max(1e-15, one + other - own) / all.mass * 6);
  };
  const Vec3& j = principal.moments;
  const Frame at = relative_to(rigid, body.masses.front().frame);
  return {.centre = at.origin + at.axes * all.centre,
          .axes = at.axes * principal.axes,
          .size = {side(j.y, j.z, j.x), side(j.x, j.z, j.y), side(j.x, j.y, j.z)}};
}

ExprVec3 times_size(const Vec3& factor, const ExprVec3& v) {
  return {-factor.x * abs(v.x) * v.x, -factor.y * abs(v.y) * v.y, -factor.z * abs(v.z) * v.z};
}

VectorLaw drag_force(const Medium& medium, BodyId body, const Box& box) {
  return [=](Quantities& q) {
    const ExprMat3 axes = q.axes(body) * symbolic(box.axes);
    const ExprVec3 v = along(axes, q.velocity(body, box.centre) - symbolic(medium.wind));
    const Vec3& s = box.size;
    const double slow = 3 * std::numbers::pi * medium.viscosity * (s.x + s.y + s.z) / 3;
    const double fast = 0.5 * medium.density;
    return axes * (times_size({fast * s.y * s.z, fast * s.x * s.z, fast * s.x * s.y}, v) + Expr(-slow) * v);
  };
}

VectorLaw drag_torque(const Medium& medium, BodyId body, const Box& box) {
  return [=](Quantities& q) {
    const ExprMat3 axes = q.axes(body) * symbolic(box.axes);
    const ExprVec3 w = along(axes, q.angular_velocity(body));
    const Vec3& s = box.size;
    const double mean = (s.x + s.y + s.z) / 3;
    const double slow = std::numbers::pi * medium.viscosity * mean * mean * mean;
    const double fast = medium.density / 64;
    const auto fourth = [](double a) { return a * a * a * a; };
    return axes *
           (times_size({fast * s.x * (fourth(s.y) + fourth(s.z)), fast * s.y * (fourth(s.x) + fourth(s.z)),
                        fast * s.z * (fourth(s.x) + fourth(s.y))},
                       w) +
            Expr(-slow) * w);
  };
}

}  // namespace

void add_fluid(const MjcfFile& file, const BodyTree& tree, const Medium& medium, Mechanism& mechanism) {
  if (!medium.drags()) return;
  for (const PlacedGeom& placed : tree.geoms) {
    if (!placed.geom.own_fluid || placed.rigid < 0) continue;
    file.reader().refuse("fluid", "forces of the medium on ellipsoids (fluidshape) are", placed.geom.span);
    return;
  }
  const auto& ignore = file.reader().options().ignore;
  if (std::ranges::find(ignore, "fluid") != ignore.end()) return;
  for (const FileBody& body : tree.bodies) {
    if (body.rigid < 0 || body.masses.empty()) continue;
    const auto rigid = static_cast<std::size_t>(body.rigid);
    double mass = 0;
    for (const PlacedMass& placed : body.masses) mass += placed.part.mass;
    if (mass <= 0) continue;
    // settotalmass makes mass and moments grow alike, and the box stays as it is.
    const Box box = box_of(body, tree.rigid[rigid].pose);
    mechanism.forces.emplace_back(Load{.name = file.reader().unique(body.name + " drag"),
                                       .body = BodyId(rigid),
                                       .point = box.centre,
                                       .force = drag_force(medium, BodyId(rigid), box),
                                       .torque = drag_torque(medium, BodyId(rigid), box),
                                       .span = body.span});
  }
}

}  // namespace daedalus::mjcf
