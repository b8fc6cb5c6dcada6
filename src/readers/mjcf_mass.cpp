#include <algorithm>

#include "readers/mjcf_bodies.hpp"
#include "readers/principal_axes.hpp"

namespace daedalus::mjcf {
namespace {

MassPart of_body(const FileBody& body) {
  std::vector<MassPart> parts;
  for (const PlacedMass& one : body.masses)
    parts.push_back(placed(relative_to(body.pose, one.frame), one.part));
  MassPart all = combined(parts);
  // MuJoCo puts the mass that a bound gives to an empty body there.
  if (parts.empty()) all.centre = body.own.origin;
  return all;
}

// boundmass, boundinertia and balanceinertia, as MuJoCo has them: of each body of the file, along its
// principal axes.
MassPart bounded(MassPart part, const Compiler& compiler) {
  if (compiler.least_mass <= 0 && compiler.least_inertia <= 0 && !compiler.balance_inertia) return part;
  part.mass = std::max(part.mass, compiler.least_mass);
  Principal principal = principal_axes(part.inertia);
  Vec3& m = principal.moments;
  for (double* moment : {&m.x, &m.y, &m.z}) *moment = std::max(*moment, compiler.least_inertia);
  const double trace = m.x + m.y + m.z;
  if (compiler.balance_inertia && 2 * std::max({m.x, m.y, m.z}) > trace)
    m = {trace / 3, trace / 3, trace / 3};
  part.inertia = principal.axes * Mat3{{m.x, 0, 0}, {0, m.y, 0}, {0, 0, m.z}} * transposed(principal.axes);
  return part;
}

MassPart scaled(double factor, const MassPart& part) {
  return {.mass = factor * part.mass,
          .centre = part.centre,
          .inertia = {factor * part.inertia.x, factor * part.inertia.y, factor * part.inertia.z}};
}

}  // namespace

void settle_masses(const Compiler& compiler, BodyTree& tree) {
  std::vector<MassPart> masses;
  double total = 0;
  for (std::size_t k = 1; k < tree.bodies.size(); ++k) {
    masses.push_back(bounded(of_body(tree.bodies[k]), compiler));
    total += masses.back().mass;
  }
  const double factor = compiler.total_mass > 0 && total > 0 ? compiler.total_mass / total : 1;
  for (std::size_t k = 1; k < tree.bodies.size(); ++k) {
    const FileBody& body = tree.bodies[k];
    if (body.rigid >= 0)
      tree.rigid[static_cast<std::size_t>(body.rigid)].add(body.pose, scaled(factor, masses[k - 1]),
                                                           body.lift);
  }
}

}  // namespace daedalus::mjcf
