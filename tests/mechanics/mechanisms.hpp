// Mechanisms that several tests use.
#pragma once

#include <cmath>
#include <numbers>
#include <string>

#include "mechanics/equations.hpp"
#include "mechanics/mechanism_builder.hpp"
#include "mechanics/quantities.hpp"

namespace daedalus::testing {

// A02 of the IFToMM library: 2N + 1 uniform rods of length 1 and mass 1, cranks upright, turning at -1 rad/s.
// In space the hinges are along z, and the rods stand in the plane of x and y.
inline Mechanism n_four_bar(int n, Dimension dimension) {
  MechanismBuilder m("NFourBar", dimension);
  m.gravity({0, -9.81, 0});
  const auto velocity = [](Body& body, const Vec3& v, double w) {
    body.velocity = v;
    body.angular_velocity = Vec3{0, 0, w};
  };
  Mechanism made;
  std::vector<BodyId> cranks;
  std::vector<BodyId> couplers;
  for (int i = 0; i <= n; ++i) {
    const double x = i;
    cranks.push_back(m.rod("crank" + std::to_string(i), {x, 0, 0}, {x, 1, 0}, 1));
  }
  for (int i = 1; i <= n; ++i) {
    const double x = i;
    couplers.push_back(m.rod("coupler" + std::to_string(i), {x - 1, 1, 0}, {x, 1, 0}, 1));
  }
  for (int i = 0; i <= n; ++i) {
    const double x = i;
    const auto k = static_cast<std::size_t>(i);
    m.revolute("A" + std::to_string(i), ground, cranks[k], {x, 0, 0});
    if (i > 0) m.revolute("R" + std::to_string(i), cranks[k], couplers[k - 1], {x, 1, 0});
    if (i < n) m.revolute("L" + std::to_string(i + 1), cranks[k], couplers[k], {x, 1, 0});
  }
  m.marker("B0", cranks[0], {0, 1, 0});
  made = m.finish();
  for (Body& body : made.bodies) {
    const bool crank = body.name.starts_with("crank");
    velocity(body, {crank ? 0.5 : 1.0, 0, 0}, crank ? -1.0 : 0.0);
  }
  return made;
}

// A04: five slender rods of 1 m and 1 kg and six hinges on a ring P1 … P6.
inline Mechanism bricard(double axial = 1e-8) {
  MechanismBuilder m("Bricard", Dimension::Spatial);
  m.gravity({0, -9.81, 0});
  const Vec3 p[6] = {{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
  const Vec3 axis[6] = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
  BodyId last = ground;
  for (int k = 0; k < 5; ++k) {
    const BodyId rod = m.rod("rod" + std::to_string(k + 1), p[k], p[k + 1], 1, axial);
    m.revolute("P" + std::to_string(k + 1), last, rod, p[k], axis[k]);
    if (k == 1) m.marker("P3", rod, p[2]);
    last = rod;
  }
  m.revolute("P6", last, ground, p[5], axis[5]);
  return m.finish();
}

// A free body with three different moments of inertia, turning about the middle one with a small disturbance.
inline Mechanism dzhanibekov() {
  MechanismBuilder m("Dzhanibekov", Dimension::Spatial);
  m.gravity({});
  Body body{.name = "body", .mass = 1, .inertia = diagonal(1, 2, 2.5)};
  body.velocity = Vec3{};
  body.angular_velocity = Vec3{0.1, 3, 0};
  body.held = true;
  m.body(body);
  return m.finish();
}

}  // namespace daedalus::testing
