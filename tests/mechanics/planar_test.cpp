// Planar mechanisms against closed forms.
#include "mechanics/support.hpp"
#include "reform/constrained_form.hpp"

namespace daedalus {
namespace {

using testing::final_value;
using testing::largest;
using testing::n_four_bar;
using testing::run_auto;
using testing::signal;
using testing::spread;
using testing::system_of;

// A01: a point mass on a massless rod, released level. sin(θ/2) = k sn(ωt - K, k), k² = 1/2, ω² = g; the
// values at t = 1 and 10 by 40-digit arithmetic.
TEST(PlanarMechanism, PendulumOfAPointMassIsExact) {
  MechanismBuilder m("Pendulum", Dimension::Planar);
  const BodyId mass = m.body({.name = "mass", .kind = BodyKind::Point, .mass = 1, .pose = at({-1, 0, 0})});
  m.distance("rod", ground, mass, {}, {-1, 0, 0});
  const RunResult result = run_auto(m.finish(), 10, 1e-10, 11);
  // 1e3 tolerances over four periods.
  EXPECT_NEAR(signal(result, "mass.x")[1], 0.986291751131875319, 1e-7);
  EXPECT_NEAR(final_value(result, "mass.x"), -0.27508746257611686, 1e-7);
  EXPECT_NEAR(final_value(result, "mass.y"), -0.961419205099125064, 1e-7);
  // The tension is that of the circular motion: v² + g cos, 3 g sin of the depth here.
  EXPECT_NEAR(final_value(result, "joint rod: tension"), 3 * 9.81 * 0.961419205099125064, 1e-5);
}

// A rod that hangs at rest loads its hinge with its weight, upwards on the rod.
TEST(PlanarMechanism, ReactionsAreForcesOnTheSecondBody) {
  MechanismBuilder m("Hanging", Dimension::Planar);
  const BodyId rod = m.rod("rod", {0, 0, 0}, {0, -2, 0}, 3);
  m.revolute("A", ground, rod, {0, 0, 0});
  const RunResult result = run_auto(m.finish(), 1, 1e-9, 3);
  EXPECT_NEAR(final_value(result, "joint A: force y"), 3 * 9.81, 1e-12 * 3 * 9.81);
  EXPECT_NEAR(final_value(result, "joint A: force x"), 0, 1e-12);
  EXPECT_LE(spread(result, "rod.phi"), 1e-15);
}

// The same rod standing on the second body of the joint: the reaction along the axes of the turned first
// body.
TEST(PlanarMechanism, ReactionsAreAlongTheAxesOfTheJoint) {
  MechanismBuilder m("Two", Dimension::Planar);
  const BodyId upper = m.rod("upper", {0, 0, 0}, {0, -1, 0}, 1);
  const BodyId lower = m.rod("lower", {0, -1, 0}, {0, -2, 0}, 1);
  m.revolute("A", ground, upper, {0, 0, 0});
  // The joint's frame: x downwards along the upper rod.
  m.joint("B", JointKind::Revolute, upper, lower, at({0, -1, 0}, rotation({0, 0, 1}, -std::numbers::pi / 2)));
  const RunResult result = run_auto(MechanismBuilder(m).finish(), 1, 1e-9, 3);
  EXPECT_NEAR(final_value(result, "joint B: force x"), -9.81, 1e-11);
  EXPECT_NEAR(final_value(result, "joint B: force y"), 0, 1e-11);
  const RunResult body = run_auto(m.finish(), 1, 1e-9, 3, Coordinates::Body);
  EXPECT_NEAR(final_value(body, "joint B: force x"), -9.81, 1e-11);
  EXPECT_NEAR(final_value(body, "joint B: force y"), 0, 1e-11);
  EXPECT_NEAR(final_value(body, "joint B: world force y"), 9.81, 1e-11);
}

// A02 with N = 2 and 20 passages through the position in which it could fold; exact by quadrature.
TEST(PlanarMechanism, NFourBarPassesItsSingularPositions) {
  const RunResult result = run_auto(n_four_bar(2, Dimension::Planar), 10, 1e-9);
  EXPECT_NEAR(final_value(result, "B0.x"), 0.328458111540815379, 1e-5);
  EXPECT_NEAR(final_value(result, "B0.y"), 0.944518538178600962, 1e-5);
  ASSERT_GE(result.summary.rank_changes.size(), 10U);
  EXPECT_EQ(result.summary.rank_changes.front().from, 14);
  EXPECT_EQ(result.summary.rank_changes.front().to, 12);
}

// A slider crank whose crank is driven: the slider is where geometry says, and the form is of order 2.
TEST(PlanarMechanism, PrescribedMotionDrivesASliderCrank) {
  MechanismBuilder m("SliderCrank", Dimension::Planar);
  const double angle = 0.3;
  const Vec3 tip{std::cos(angle), std::sin(angle), 0};
  const Vec3 pin{tip.x + std::sqrt(9 - tip.y * tip.y), 0, 0};
  const BodyId crank = m.rod("crank", {}, tip, 1);
  const BodyId rod = m.rod("rod", tip, pin, 2);
  const BodyId slider = m.body({.name = "slider", .mass = 0.5, .inertia = about_z(0.1), .pose = at(pin)});
  const JointId a = m.revolute("A", ground, crank, {});
  m.revolute("B", crank, rod, tip);
  m.revolute("C", rod, slider, pin);
  m.prismatic("guide", ground, slider, {}, {1, 0, 0});
  const double start = 0;  // the angle of A is counted from its frame, which starts level with the world's
  m.motion("drive", {.joint = a, .motion = JointMotion::Angle},
           [start](Quantities& q) { return start + 2 * q.time(); });
  const Mechanism mechanism = m.finish();
  const auto form = recognise_constrained_form(system_of(mechanism));
  ASSERT_TRUE(form.has_value());
  EXPECT_EQ(form->order, 2);
  EXPECT_TRUE(form->symmetric);
  const RunResult result = run_auto(mechanism, 5, 1e-8, 51);
  const auto x = signal(result, "slider.x");
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double phi = angle + 2 * result.trajectory.times[k];
    EXPECT_NEAR(x[k], std::cos(phi) + std::sqrt(9 - std::sin(phi) * std::sin(phi)), 1e-12);
  }
}

// Two gears driven by a torque on the first: (J₁ + i² J₂) φ₁'' = τ.
TEST(PlanarMechanism, GearsShareATorqueByTheirRatio) {
  MechanismBuilder m("Gears", Dimension::Planar);
  m.gravity({});
  const BodyId first = m.body({.name = "first", .mass = 1, .inertia = about_z(0.5)});
  const BodyId second = m.body({.name = "second", .mass = 1, .inertia = about_z(2), .pose = at({3, 0, 0})});
  const JointId a = m.revolute("A", ground, first, {});
  const JointId b = m.revolute("B", ground, second, {3, 0, 0});
  m.gear("G", a, b, -0.5);
  m.force(
      JointForce{.name = "motor", .coordinate = {.joint = a}, .law = [](Quantities&) { return Expr(4); }});
  const RunResult result = run_auto(m.finish(), 3, 1e-9, 4);
  const double acceleration = 4 / (0.5 + 0.25 * 2);
  EXPECT_NEAR(final_value(result, "first.phi"), acceleration * 4.5, 1e-8 * 18);
  EXPECT_NEAR(final_value(result, "second.phi"), -acceleration * 2.25, 1e-8 * 9);
  // The torque on the second gear: J₂ φ₂''.
  EXPECT_NEAR(final_value(result, "coupling G: torque"), -2 * 0.5 * acceleration, 1e-8);
}

// A disc that rolls down a slope of angle a: x'' = g sin(a) / (1 + J/mr²) = 2/3 g sin(a).
TEST(PlanarMechanism, DiscRollsDownASlope) {
  const double slope = 0.4;
  const double r = 0.5;
  MechanismBuilder m("Rolling", Dimension::Planar);
  const Mat3 axes = rotation({0, 0, 1}, -slope);
  const BodyId disc =
      m.body({.name = "disc", .mass = 2, .inertia = about_z(0.5 * 2 * r * r), .pose = at(r * axes.y)});
  m.joint({.name = "contact",
           .kind = JointKind::RollingDisc,
           .second = disc,
           .on_first = at({}, axes),
           .size = r});
  const RunResult result = run_auto(m.finish(), 2, 1e-9, 5);
  const double way = 0.5 * (2.0 / 3) * 9.81 * std::sin(slope) * 4;
  EXPECT_NEAR(final_value(result, "disc.x"), r * axes.y.x + way * std::cos(slope), 1e-8);
  EXPECT_NEAR(final_value(result, "disc.phi"), -way / r, 1e-8);
  EXPECT_NEAR(final_value(result, "joint contact: normal force"), 2 * 9.81 * std::cos(slope), 1e-8);
  EXPECT_NEAR(final_value(result, "joint contact: friction x"), -2 * 9.81 * std::sin(slope) / 3, 1e-8);
}

// A rack driven by a pinion, with a spring on the rack: an oscillator of mass m + J/r².
TEST(PlanarMechanism, RackAndPinionOscillate) {
  MechanismBuilder m("Rack", Dimension::Planar);
  m.gravity({});
  const BodyId pinion = m.body({.name = "pinion", .mass = 1, .inertia = about_z(0.08)});
  Body bar{.name = "bar", .mass = 1, .inertia = about_z(1), .pose = at({0.1, -0.2, 0})};
  const BodyId rack = m.body(bar);
  const JointId a = m.revolute("A", ground, pinion, {});
  const JointId guide =
      m.joint({.name = "guide", .kind = JointKind::Prismatic, .second = rack, .on_first = at({0, -0.2, 0})});
  m.rack("teeth", a, guide, 0.2);
  m.force(JointForce{.name = "spring",
                     .coordinate = {.joint = guide, .motion = JointMotion::Displacement},
                     .stiffness = 12});
  const RunResult result = run_auto(m.finish(), 4, 1e-9, 41);
  const double omega = std::sqrt(12 / (1 + 0.08 / 0.04));
  const auto x = signal(result, "bar.x");
  for (std::size_t k = 0; k < x.size(); ++k)
    EXPECT_NEAR(x[k], 0.1 * std::cos(omega * result.trajectory.times[k]), 1e-8);
  EXPECT_LE(spread(result, "energy"), 1e-8);
}

// A spring with a damper between two points: the energy goes down, and at rest the spring carries the weight.
TEST(PlanarMechanism, SpringAndDamperComeToRest) {
  MechanismBuilder m("Spring", Dimension::Planar);
  const BodyId mass = m.body({.name = "mass", .kind = BodyKind::Point, .mass = 2, .pose = at({0, -1, 0})});
  m.force(Spring{
      .name = "S", .first = ground, .second = mass, .stiffness = 50, .damping = 20, .natural_length = 1});
  const RunResult result = run_auto(m.finish(), 20, 1e-8, 201);
  EXPECT_NEAR(final_value(result, "force S: tension"), 2 * 9.81, 1e-6);
  EXPECT_NEAR(final_value(result, "mass.y"), -1 - 2 * 9.81 / 50, 1e-7);
}

TEST(PlanarMechanism, WhatIsWrongIsNamed) {
  const auto refused = [](const Mechanism& mechanism) {
    const auto system = equations_of(mechanism);
    EXPECT_FALSE(system.has_value());
    return system ? std::string() : render(system.error(), SourceMap{});
  };
  MechanismBuilder massless("M", Dimension::Planar);
  massless.body({.name = "b", .mass = 0, .inertia = about_z(1)});
  EXPECT_NE(refused(massless.finish()).find("body b has the mass 0"), std::string::npos);
  MechanismBuilder twice("M", Dimension::Planar);
  twice.rod("r", {}, {1, 0, 0}, 1);
  twice.rod("r", {}, {1, 0, 0}, 1);
  EXPECT_NE(refused(twice.finish()).find("the name 'r' of a body is used twice"), std::string::npos);
  MechanismBuilder screw("M", Dimension::Planar);
  const BodyId rod = screw.rod("r", {}, {1, 0, 0}, 1);
  screw.joint("J", JointKind::Cylindrical, ground, rod, at({}));
  EXPECT_NE(refused(screw.finish()).find("joint J is cylindrical, which a planar mechanism does not have"),
            std::string::npos);
  MechanismBuilder point("M", Dimension::Planar);
  const BodyId p = point.body({.name = "p", .kind = BodyKind::Point, .mass = 1});
  point.joint("J", JointKind::Fixed, ground, p, at({}));
  EXPECT_NE(refused(point.finish()).find("needs the orientation of p, which is a point mass"),
            std::string::npos);
}

}  // namespace
}  // namespace daedalus
