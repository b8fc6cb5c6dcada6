#include "readers/mjcf_fluid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "mechanics/quantities.hpp"

namespace daedalus::mjcf {
namespace {

// Against the largest moment: off the diagonal this is rounding.
constexpr double rounding = 1e-12;
constexpr int most_sweeps = 50;  // of Jacobi's method, which needs five or six

using Matrix = std::array<std::array<double, 3>, 3>;  // by rows

Matrix rows_of(const Mat3& a) {
  return {{{a.x.x, a.y.x, a.z.x}, {a.x.y, a.y.y, a.z.y}, {a.x.z, a.y.z, a.z.z}}};
}

double off_diagonal(const Matrix& a) {
  return std::max({std::abs(a[0][1]), std::abs(a[0][2]), std::abs(a[1][2])});
}

// The axes along which a symmetric matrix is diagonal, and the diagonal: Jacobi's method.
struct Principal {
  Mat3 axes;
  Vec3 moments;
};
Principal principal_axes(const Mat3& inertia) {
  Matrix a = rows_of(inertia);
  Matrix v{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  const double size = std::max({a[0][0], a[1][1], a[2][2]});
  for (int sweep = 0; sweep < most_sweeps && off_diagonal(a) > rounding * size; ++sweep) {
    for (std::size_t p = 0; p < 2; ++p) {
      for (std::size_t q = p + 1; q < 3; ++q) {
        if (a[p][q] == 0) continue;
        const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        const double t = (theta < 0 ? -1 : 1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
        const double c = 1 / std::sqrt(t * t + 1), s = t * c;
        for (std::size_t k = 0; k < 3; ++k) {
          const double x = a[k][p], y = a[k][q];
          a[k][p] = c * x - s * y;
          a[k][q] = s * x + c * y;
        }
        for (std::size_t k = 0; k < 3; ++k) {
          const double x = a[p][k], y = a[q][k];
          a[p][k] = c * x - s * y;
          a[q][k] = s * x + c * y;
        }
        for (auto& row : v) {
          const double x = row[p], y = row[q];
          row[p] = c * x - s * y;
          row[q] = s * x + c * y;
        }
      }
    }
  }
  return {.axes = orthonormal(
              {{v[0][0], v[1][0], v[2][0]}, {v[0][1], v[1][1], v[2][1]}, {v[0][2], v[1][2], v[2][2]}}),
          .moments = {a[0][0], a[1][1], a[2][2]}};
}

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
