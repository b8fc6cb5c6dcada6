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

// Andrews' squeezer (problems/andrews.mo has the source) as seven bodies. Each body's frame is where the text
// measures its angle; only the distance of a centre of mass from a fixed pivot matters.
inline Mechanism andrews() {
  MechanismBuilder m("Andrews", Dimension::Planar);
  m.gravity({});
  const double d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092, ss = 0.035,
               sa = 0.01874, sb = 0.01043, sc = 0.018, sd = 0.02, ta = 0.02308, tb = 0.00916, u = 0.04,
               ua = 0.01228, ub = 0.00449, zf = 0.02, zt = 0.04, fa = 0.01421;
  const Vec3 a{-0.06934, -0.00227, 0}, b{-0.03635, 0.03273, 0}, c{0.014, 0.072, 0};
  const double beta = -0.0617138900142764496, theta = 0, gamma = 0.455279819163070380,
               phi = 0.222668390165885885, delta = 0.487364979543842550, omega = -0.222668390165885885,
               epsilon = 1.23054744454982119;
  const auto add = [&](const char* name, double mass, double inertia, const Vec3& origin, double angle,
                       const Vec3& centre) {
    return m.body({.name = name,
                   .mass = mass,
                   .centre = centre,
                   .inertia = about_z(inertia),
                   .pose = at(origin, rotation({0, 0, 1}, angle))});
  };
  const auto turned = [](double angle, const Vec3& v) { return rotation({0, 0, 1}, angle) * v; };
  const Vec3 f = turned(beta, {rr, 0, 0});
  const Vec3 h = a + turned(delta, {zt, 0, 0});
  const Vec3 g = a + turned(epsilon, {0, -u, 0});
  const BodyId k1 = add("K1", 0.04325, 2.194e-6, {}, beta, {ra, 0, 0});
  const BodyId k2 = add("K2", 0.00365, 4.410e-7, f, beta + theta, {-da, 0, 0});
  const BodyId k3 = add("spring arm", 0.02373, 5.255e-6, b, gamma, {sa, sb, 0});
  const BodyId k4 = add("K4", 0.00706, 5.667e-7, h, phi + delta, {0, ea - e, 0});
  const BodyId k5 = add("K5", 0.07050, 1.169e-5, a, delta, {ta, tb, 0});
  const BodyId k6 = add("K6", 0.00706, 5.667e-7, g, omega + epsilon, {zf - fa, 0, 0});
  const BodyId k7 = add("K7", 0.05498, 1.912e-5, a, epsilon, {ua, ub, 0});
  const JointId drive = m.revolute("O", ground, k1, {});
  m.revolute("F", k1, k2, f);
  m.revolute("B", ground, k3, b);
  m.revolute("A5", ground, k5, a);
  m.revolute("A7", ground, k7, a);
  m.revolute("H", k5, k4, h);
  m.revolute("G", k7, k6, g);
  // Three bodies meet the end of K2.
  const auto meet = [&](const char* name, BodyId body, const Vec3& point) {
    m.joint({.name = name,
             .kind = JointKind::Revolute,
             .first = k2,
             .second = body,
             .on_first = at({-d, 0, 0}),
             .on_second = at(point)});
  };
  meet("E3", k3, {0, -ss, 0});
  meet("E4", k4, {0, -e, 0});
  meet("E6", k6, {zf, 0, 0});
  m.force(Spring{.name = "CD",
                 .first = ground,
                 .second = k3,
                 .on_first = c,
                 .on_second = {sd, -sc, 0},
                 .stiffness = 4530,
                 .natural_length = 0.07785});
  m.force(JointForce{
      .name = "motor", .coordinate = {.joint = drive}, .law = [](Quantities&) { return Expr(0.033); }});
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
