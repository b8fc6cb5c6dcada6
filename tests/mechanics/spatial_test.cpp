// Spatial mechanisms against closed forms and invariants.
#include <array>
#include <numbers>

#include "mechanics/support.hpp"
#include "reform/constrained_form.hpp"

namespace daedalus {
namespace {

using testing::bricard;
using testing::dzhanibekov;
using testing::final_value;
using testing::largest;
using testing::n_four_bar;
using testing::run_auto;
using testing::signal;
using testing::spread;
using testing::system_of;

// Errors of energy and momentum grow with the length of the run; here it is one turning over.
// No torque: angular momentum and energy stay, and the quaternion keeps its length, while the body turns
// over.
TEST(SpatialMechanism, FreeBodyTurnsOverAndKeepsItsMomentum) {
  constexpr double rtol = 1e-9;
  const RunResult result = run_auto(dzhanibekov(), 6, rtol, 201);
  for (const char* axis : {"x", "y", "z"})
    EXPECT_LE(spread(result, std::string("angular momentum ") + axis), 10 * rtol * 6) << axis;
  EXPECT_LE(spread(result, "energy"), 10 * rtol * 9);
  ASSERT_FALSE(result.summary.drift.levels.empty());
  EXPECT_LE(result.summary.drift.levels[0], 1e-12);
  // It does turn over: what was along y points the other way at some time.
  double least = 1;
  const auto q0 = signal(result, "body.q0"), q1 = signal(result, "body.q1"), q2 = signal(result, "body.q2"),
             q3 = signal(result, "body.q3");
  for (std::size_t k = 0; k < q0.size(); ++k) {
    least = std::min(least, 1 - 2 * (q1[k] * q1[k] + q3[k] * q3[k]));
    (void)q2;
  }
  EXPECT_LE(least, -0.9);
}

// The mass matrix of the quaternion has the eigenvalues 4 J and c, so that it is regular everywhere, and the
// term that makes it so changes no motion: with the constraint, q·q'' + q'·q' = 0.
TEST(SpatialMechanism, FormHasARegularSymmetricMass) {
  const auto form = recognise_constrained_form(system_of(bricard()));
  ASSERT_TRUE(form.has_value());
  EXPECT_EQ(form->order, 2);
  EXPECT_TRUE(form->symmetric);
  EXPECT_EQ(form->n(), 35);
  EXPECT_EQ(form->ny(), 35);
}

// A symmetric top in steady precession: spin n and precession W about the vertical keep the angle a if
// m g l = J₃ n W - (J₁' - J₃) ... with ω₃ = n + W cos a: m g l = W (J₃ ω₃ - J₁' W cos a), J₁' about the
// point.
TEST(SpatialMechanism, HeavyTopPrecessesSteadily) {
  const double mass = 2, length = 0.5, j1 = 0.3, j3 = 0.2, a = 0.6, precession = 1.5;
  const double about_point = j1 + mass * length * length;
  const double spin = mass * 9.81 * length / (precession * j3) + about_point * precession * std::cos(a) / j3;
  MechanismBuilder m("Top", Dimension::Spatial);
  const Mat3 axes = rotation({0, 1, 0}, a);
  Body top{.name = "top", .mass = mass, .inertia = diagonal(j1, j1, j3), .pose = at(length * axes.z, axes)};
  // ω along the axis is `spin` in all; the rest is the precession's part across the axis.
  const Vec3 vertical{0, 0, precession};
  const Vec3 omega = vertical + (spin - precession * std::cos(a)) * axes.z;
  top.velocity = cross(omega, length * axes.z);
  top.angular_velocity = omega;
  const BodyId body = m.body(top);
  m.spherical("O", ground, body, {});
  constexpr double rtol = 1e-10;
  const RunResult result = run_auto(m.finish(), 4, rtol, 101);
  const auto x = signal(result, "top.x"), y = signal(result, "top.y"), z = signal(result, "top.z");
  const double radius = length * std::sin(a);
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double angle = precession * result.trajectory.times[k];
    // Thirty turns of spin: 1e4 tolerances.
    EXPECT_NEAR(x[k], radius * std::cos(angle), 1e-6);
    EXPECT_NEAR(y[k], radius * std::sin(angle), 1e-6);
    EXPECT_NEAR(z[k], length * std::cos(a), 1e-6);
  }
  const double energy = std::abs(final_value(result, "energy"));
  EXPECT_LE(spread(result, "energy"), 10 * rtol * energy);
  EXPECT_LE(spread(result, "angular momentum z"),
            10 * rtol * std::abs(final_value(result, "angular momentum z")));
  EXPECT_LE(result.summary.drift.levels[0], 1e-12);
}

// A04: six hinges on a ring of which one equation is redundant. P3 by an independent computation
// (least-squares multipliers, DOP853 at 1e-12); rods without inertia about their own axes, here 1e-8.
TEST(SpatialMechanism, BricardMovesAlthoughItsJointsAreRedundant) {
  const RunResult result = run_auto(bricard(), 2, 1e-8, 5);
  EXPECT_NEAR(signal(result, "P3.x")[1], 0.774302631223, 1e-6);
  EXPECT_NEAR(signal(result, "P3.y")[2], -0.886544000792, 1e-6);
  EXPECT_NEAR(final_value(result, "P3.x"), -0.779947227788, 1e-6);
  EXPECT_NEAR(final_value(result, "P3.z"), -0.195841160933, 1e-6);
  EXPECT_LE(spread(result, "energy"), 1e-6);
}

// Hinges that are parallel leave nothing but the plane: the spatial four-bar moves as the planar one, though
// three of its equations are redundant.
TEST(SpatialMechanism, ParallelHingesMoveAsInThePlane) {
  const RunResult planar = run_auto(n_four_bar(1, Dimension::Planar), 0.6, 1e-11, 13);
  const RunResult spatial = run_auto(n_four_bar(1, Dimension::Spatial), 0.6, 1e-11, 13);
  EXPECT_LE(testing::difference(planar, spatial, {"B0.x", "B0.y", "coupler1.x", "coupler1.y"}), 1e-8);
}

// A rolling disc: one constraint of position and two of velocity.
TEST(SpatialMechanism, DiscRollsWithoutSlip) {
  const double r = 0.5;
  MechanismBuilder m("Disc", Dimension::Spatial);
  const Mat3 axes = rotation({1, 0, 0}, std::numbers::pi / 2 + 0.2);  // the axis nearly level, along -y
  const Vec3 up{0, 0, 1};
  const double c = dot(up, axes.z);
  const Vec3 lever = (-r / std::sqrt(1 - c * c)) * (up - c * axes.z);
  Body disc{.name = "disc", .mass = 1, .inertia = diagonal(0.0625, 0.0625, 0.125), .pose = at(-lever, axes)};
  disc.angular_velocity = 8.0 * axes.z + 0.5 * up;
  disc.velocity = -cross(*disc.angular_velocity, lever);
  const BodyId body = m.body(disc);
  m.joint({.name = "contact", .kind = JointKind::RollingDisc, .second = body, .size = r});
  constexpr double rtol = 1e-9;
  const RunResult result = run_auto(m.finish(), 5, rtol, 201);
  // Position and velocity constraints to round-off; velocities are up to 10.
  ASSERT_GE(result.summary.drift.levels.size(), 2U);
  EXPECT_LE(result.summary.drift.levels[0], 1e-13);
  EXPECT_LE(result.summary.drift.levels[1], 1e-13);
  EXPECT_LE(spread(result, "energy"), 100 * rtol * std::abs(final_value(result, "energy")));
  EXPECT_GE(spread(result, "disc.x"), 1);
}

// A universal joint between shafts at an angle b: tan(out) = tan(in) / cos(b).
TEST(SpatialMechanism, UniversalJointTurnsUnevenly) {
  const double b = 0.5;
  MechanismBuilder m("Cardan", Dimension::Spatial);
  m.gravity({});
  const Vec3 in{1, 0, 0};
  const Vec3 out{std::cos(b), std::sin(b), 0};
  const BodyId first =
      m.body({.name = "first", .mass = 1, .inertia = diagonal(1, 1, 1), .pose = at({-1, 0, 0})});
  const BodyId second =
      m.body({.name = "second", .mass = 1, .inertia = diagonal(0.1, 0.1, 0.1), .pose = at(out)});
  const JointId a = m.joint("A", JointKind::Revolute, ground, first, at({-1, 0, 0}, axes_with_z(in)));
  // The second bearing is a cylindrical joint, so that nothing is redundant along the shaft.
  m.joint("B", JointKind::Cylindrical, ground, second, at(out, axes_with_z(out)));
  // The cross: its pin in the first shaft along z at the start, the other in the second shaft.
  m.joint({.name = "cross",
           .kind = JointKind::Universal,
           .first = first,
           .second = second,
           .on_first = at({1, 0, 0}, Mat3{{0, 0, 1}, {-1, 0, 0}, {0, -1, 0}}),
           .on_second =
               at(-out, Mat3{cross(Vec3{-out.y, out.x, 0}, Vec3{0, 0, 1}), {-out.y, out.x, 0}, {0, 0, 1}})});
  m.motion("drive", {.joint = a}, [](Quantities& q) { return 1.5 * q.time(); });
  const RunResult result = run_auto(m.finish(), 3, 1e-9, 31);
  const auto q = [&](const char* k) { return signal(result, std::string("second.q") + k); };
  const auto q0 = q("0"), q1 = q("1"), q2 = q("2");
  for (std::size_t k = 0; k < q0.size(); ++k) {
    const double turned = 1.5 * result.trajectory.times[k];
    // The quaternion of a turn about `out`.
    const double half = std::atan2(q1[k] * out.x + q2[k] * out.y, q0[k]);
    const double expected = std::atan2(std::sin(turned) * (1 / std::cos(b)), std::cos(turned));
    const double alternative = std::atan2(std::sin(turned) * std::cos(b), std::cos(turned));
    const double off =
        std::min(std::abs(std::sin(half * 2 - expected)), std::abs(std::sin(half * 2 - alternative)));
    EXPECT_LE(off, 1e-9) << turned;
  }
}

// A nut on a vertical screw falls turning: (m + J (2π/p)²) z'' = -m g, and turns are counted.
TEST(SpatialMechanism, NutTurnsDownItsScrew) {
  MechanismBuilder m("Screw", Dimension::Spatial);
  const BodyId nut = m.body({.name = "nut", .mass = 1, .inertia = diagonal(0.01, 0.01, 0.02)});
  const double lead = 0.5;
  m.screw("S", ground, nut, {}, lead);
  const RunResult result = run_auto(m.finish(), 2, 1e-9, 21);
  const double ratio = 2 * std::numbers::pi / lead;
  const double fall = 0.5 * 9.81 / (1 + 0.02 * ratio * ratio) * 4;
  EXPECT_NEAR(final_value(result, "nut.z"), -fall, 1e-8);
  EXPECT_NEAR(final_value(result, "joint S: angle"), -fall * ratio, 1e-7);
  EXPECT_GE(fall * ratio, 2 * std::numbers::pi);  // more than one turn
}

// Two bodies fixed to each other move as one of their common inertia.
TEST(SpatialMechanism, FixedBodiesAreOne) {
  const Vec3 omega{1, -2, 0.5};
  const auto with = [&](bool split) {
    MechanismBuilder m("Fixed", Dimension::Spatial);
    m.gravity({});
    // A dumbbell of two bodies at x = ±0.5, or one body.
    Body one{.name = "one", .mass = split ? 1.0 : 2.0};
    one.inertia = split ? diagonal(0.1, 0.2, 0.25) : diagonal(0.2, 0.4 + 0.5, 0.5 + 0.5);
    one.pose = split ? at({0.5, 0, 0}) : at({});
    one.angular_velocity = omega;
    one.velocity = split ? cross(omega, Vec3{0.5, 0, 0}) : Vec3{};
    const BodyId a = m.body(one);
    if (split) {
      Body two = one;
      two.name = "two";
      two.pose = at({-0.5, 0, 0});
      two.velocity = cross(omega, Vec3{-0.5, 0, 0});
      const BodyId b = m.body(two);
      m.joint("weld", JointKind::Fixed, a, b, at({}));
    }
    return run_auto(m.finish(), 5, 1e-10, 21);
  };
  const RunResult one = with(false);
  const RunResult two = with(true);
  EXPECT_LE(testing::difference(one, two, {"one.q0", "one.q1", "one.q2", "one.q3"}), 1e-7);
}

// Bennett's linkage: four hinges, moving by its measures alone (lengths as the sines of the twists), with
// three redundant equations. It turns round and round without a change point; which equations are independent
// changes on the way.
TEST(SpatialMechanism, BennettsLinkageHasNoChangePoints) {
  constexpr double twist_a = 40 * std::numbers::pi / 180, twist_b = 75 * std::numbers::pi / 180;
  const double a = 1, b = std::sin(twist_b) / std::sin(twist_a);
  const double first = 50 * std::numbers::pi / 180;
  const double second = 2 * std::atan(std::sin((twist_b + twist_a) / 2) / std::sin((twist_b - twist_a) / 2) /
                                      std::tan(first / 2));
  const auto link = [](double angle, double length, double twist) {
    return Frame{.origin = rotation({0, 0, 1}, angle) * Vec3{length, 0, 0},
                 .axes = rotation({0, 0, 1}, angle) * rotation({1, 0, 0}, twist)};
  };
  std::array<Frame, 5> hinge;
  const auto chain = [&](double sign2, double sign3, double sign4) {
    hinge[1] = link(first, a, twist_a);
    hinge[2] = hinge[1] * link(sign2 * second, b, twist_b);
    hinge[3] = hinge[2] * link(sign3 * first, a, twist_a);
    hinge[4] = hinge[3] * link(sign4 * second, b, twist_b);
    return norm(hinge[4].origin) + norm(hinge[4].axes.x - Vec3{1, 0, 0});
  };
  double gap = 1;
  for (int k = 0; k < 8 && gap > 1e-12; ++k) gap = chain(k & 1 ? -1 : 1, k & 2 ? -1 : 1, k & 4 ? -1 : 1);
  ASSERT_LE(gap, 1e-12);
  MechanismBuilder m("Bennett", Dimension::Spatial);
  BodyId before = ground;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::string number = std::to_string(k + 1);
    const BodyId rod = m.rod("l" + number, hinge[k].origin, hinge[k + 1].origin, 1, 0.01);
    m.revolute("J" + number, before, rod, hinge[k].origin, hinge[k].axes.z);
    before = rod;
  }
  m.revolute("J4", before, ground, hinge[3].origin, hinge[3].axes.z);
  const Mechanism mechanism = m.finish();
  constexpr double rtol = 1e-7;
  const RunResult result = run_auto(mechanism, 4, rtol, 41, Coordinates::Joint);
  ASSERT_TRUE(result.ok()) << result.summary.reason;
  EXPECT_TRUE(result.summary.rank_changes.empty());
  EXPECT_LE(spread(result, "energy"), 100 * rtol * largest(result, "kinetic energy"));
  EXPECT_LE(result.summary.drift.levels[0], 1e-9);
}

}  // namespace
}  // namespace daedalus
