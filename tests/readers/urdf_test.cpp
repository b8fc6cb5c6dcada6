#include <gtest/gtest.h>

#include "mechanics/support.hpp"
#include "readers/read_mechanism.hpp"

namespace daedalus {
namespace {

using testing::run_auto;
using testing::spread;

std::string error_of(const std::string& text) {
  const auto sources = std::make_shared<SourceMap>();
  const auto mechanism = read_mechanism(sources, sources->add("r.urdf", text), {});
  return mechanism ? "" : render(mechanism.error(), *sources);
}

Mechanism accepted(const std::string& text) {
  const auto sources = std::make_shared<SourceMap>();
  const auto mechanism = read_mechanism(sources, sources->add("r.urdf", text), {});
  EXPECT_TRUE(mechanism.has_value()) << render(mechanism.error(), *sources);
  return mechanism ? *mechanism : Mechanism{};
}

const std::string inertial =
    "<inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>";

// The same linkage in both formats has the same loop.
TEST(Urdf, FourBarKeepsItsLoopClosed) {
  const Mechanism m =
      accepted(testing::read_text(std::string(DAEDALUS_SOURCE_DIR) + "/problems/mechanisms/fourbar.urdf"));
  EXPECT_EQ(m.bodies.size(), 3U);
  EXPECT_EQ(m.joints.size(), 4U);
  const RunResult result = run_auto(m, 3, 1e-8, 31);
  EXPECT_LE(result.summary.drift.levels[0], 1e-12);
  EXPECT_LE(spread(result, "energy"), 1e-5);
  EXPECT_LE(testing::largest(result, "coupler.y"), 1e-12);
}

// rpy turns about fixed axes: yaw last.
TEST(Urdf, OriginsAreFixedAxisAngles) {
  const Mechanism m = accepted("<robot><link name='a'/><link name='b'>" + inertial +
                               "</link><joint name='j' type='floating'><parent link='a'/><child link='b'/>"
                               "<origin xyz='1 2 3' rpy='0.1 0.2 0.3'/></joint></robot>");
  ASSERT_EQ(m.bodies.size(), 1U);
  const Mat3 expected = rotation({0, 0, 1}, 0.3) * rotation({0, 1, 0}, 0.2) * rotation({1, 0, 0}, 0.1);
  EXPECT_LE(norm(m.bodies[0].pose.axes.x - expected.x), 1e-15);
  EXPECT_EQ(m.bodies[0].pose.origin.z, 3);
}

// Fixed joints make one body; mimic couples two.
TEST(Urdf, FixedJointsAndMimics) {
  const auto joint = [](const char* name, const char* type, const char* parent, const char* child,
                        const char* more) {
    return std::string("<joint name='") + name + "' type='" + type + "'><parent link='" + parent +
           "'/><child link='" + child + "'/><axis xyz='0 0 1'/>" + more + "</joint>";
  };
  const Mechanism m = accepted("<robot><link name='base'/><link name='a'>" + inertial +
                               "</link><link name='b'>" + inertial + "</link><link name='tool'>" + inertial +
                               "</link>" + joint("j1", "continuous", "base", "a", "") +
                               joint("j2", "prismatic", "base", "b", "<mimic joint='j1' multiplier='0.5'/>") +
                               joint("weld", "fixed", "a", "tool", "") + "</robot>");
  ASSERT_EQ(m.bodies.size(), 2U);
  EXPECT_EQ(m.bodies[0].mass, 4);
  ASSERT_EQ(m.couplings.size(), 1U);
  EXPECT_EQ(m.couplings[0].polynomial[1], 0.5);
}

// Elements and attributes of other tools are told, and zero axes of joints that have none are nothing to
// mention.
TEST(Urdf, WhatOtherToolsWriteIsToldAndNotRead) {
  const Mechanism m =
      accepted("<robot><link name='a'/><link name='b' weight='3'>" + inertial +
               "</link><jiont/><joint name='j' type='continuous'><parent link='a'/><child link='b'/>"
               "</joint><link name='c'/><joint name='f' type='fixed'><parent link='b'/><child "
               "link='c'/><axis xyz='0 0 0'/></joint></robot>");
  ASSERT_EQ(m.warnings.size(), 2U);
  EXPECT_EQ(m.warnings[0].message, "the attribute 'weight' of <link> is not known and not read");
  EXPECT_EQ(m.warnings[1].message, "the element <jiont> is not known and not read");
}

TEST(Urdf, ARootThatMovesFreely) {
  const auto sources = std::make_shared<SourceMap>();
  ReadOptions options;
  options.floating = true;
  const auto m = read_mechanism(
      sources, sources->add("r.urdf", "<robot><link name='a'>" + inertial + "</link></robot>"), options);
  ASSERT_TRUE(m.has_value());
  ASSERT_EQ(m->bodies.size(), 1U);
  EXPECT_TRUE(m->joints.empty());
}

TEST(Urdf, MistakesHaveAPlace) {
  const std::string base = "<robot><link name='a'/>";
  EXPECT_NE(
      error_of(
          base +
          "<link name='b'/><joint name='j' type='hinge'><parent link='a'/><child link='b'/></joint></robot>")
          .find("unknown type of joint 'hinge'"),
      std::string::npos);
  EXPECT_NE(error_of(base + "<link name='b'/><joint name='j' type='continuous'><parent link='a'/><child "
                            "link='b'/></joint></robot>")
                .find("link b moves but has no mass"),
            std::string::npos);
  EXPECT_NE(
      error_of(base + "<joint name='j' type='fixed'><parent link='a'/><child link='c'/></joint></robot>")
          .find("unknown link 'c'"),
      std::string::npos);
  EXPECT_NE(error_of("<robot></robot>").find("the robot has no links"), std::string::npos);
}

std::string one_joint(const std::string& type, const std::string& mass, const std::string& more) {
  return "<robot><link name='base'/><link name='a'>" + mass + "</link><joint name='J' type='" + type +
         "'><parent link='base'/><child link='a'/><axis xyz='1 0 0'/>" + more + "</joint></robot>";
}

// While it slides dry friction is what the file says: v = 1 - 0.5/2 t.
TEST(Urdf, DryFrictionSlowsDown) {
  const auto sources = std::make_shared<SourceMap>();
  ReadOptions options;
  options.settings = {{.name = "J.velocity", .value = "1"}};
  const auto mechanism =
      read_mechanism(sources,
                     sources->add("r.urdf", one_joint("prismatic", inertial,
                                                      "<limit effort='9' velocity='9' lower='-9' upper='9'/>"
                                                      "<dynamics friction='0.5'/>")),
                     options);
  ASSERT_TRUE(mechanism.has_value()) << render(mechanism.error(), *sources);
  EXPECT_NEAR(testing::final_value(run_auto(*mechanism, 2, 1e-9, 3), "J.velocity"), 0.5, 1e-6);
}

// A box without joints falls, and says that it does as --float would have it.
TEST(Urdf, WhatHasNoJointsFalls) {
  const Mechanism m = accepted("<robot><link name='a'>" + inertial + "</link></robot>");
  ASSERT_EQ(m.warnings.size(), 1U);
  EXPECT_EQ(m.warnings[0].severity, Severity::Note);
  EXPECT_NE(m.warnings[0].message.find("--float"), std::string::npos);
  EXPECT_NEAR(testing::final_value(run_auto(m, 2, 1e-9, 3), "a.vz"), -9.81 * 2, 1e-9);
  EXPECT_NE(error_of("<robot><link name='a'/></robot>").find("nothing in the file moves"), std::string::npos);
}

// A free body that has no inertia about an axis would spin about it without end.
TEST(Urdf, AFreeBodyNeedsInertiaAboutEveryAxis) {
  const Mechanism m = accepted(
      "<robot><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='0' "
      "ixy='0' ixz='0' iyz='0'/></inertial></link></robot>");
  const auto system = equations_of(m, {.coordinates = Coordinates::Auto});
  ASSERT_FALSE(system.has_value());
  EXPECT_NE(system.error().front().message.find("body a moves freely"), std::string::npos);
}

// Bullet's spherical joint: a ball that swings like a pendulum, the same about both horizontal axes.
TEST(Urdf, SphericalJointsAreBalls) {
  const Mechanism m = accepted(one_joint("spherical", inertial, ""));
  ASSERT_EQ(m.joints.size(), 1U);
  EXPECT_EQ(m.joints[0].kind, JointKind::Spherical);
}

// A mass without extent on a hinge is a pendulum; in body coordinates it could turn about itself, which is
// refused. 1/2 L ω² = g sin θ after a release with the arm level.
TEST(Urdf, InertiasOfNoBodyAreTakenWithAWarning) {
  const std::string mass =
      "<inertial><origin xyz='0 1 0'/><mass value='2'/>"
      "<inertia ixx='0' iyy='0' izz='0' ixy='0' ixz='0' iyz='0'/></inertial>";
  const Mechanism m = accepted(one_joint("continuous", mass, ""));
  ASSERT_EQ(m.warnings.size(), 1U);
  EXPECT_NE(m.warnings[0].message.find("link a"), std::string::npos) << m.warnings[0].message;
  const RunResult result = run_auto(m, 0.5, 1e-9, 3);
  const double w = testing::final_value(result, "J.velocity");
  EXPECT_LT(w, -3);
  EXPECT_NEAR(0.5 * w * w, 9.81 * std::sin(-testing::final_value(result, "J.angle")), 1e-6);
  EXPECT_FALSE(equations_of(m, {.coordinates = Coordinates::Body}).has_value());
  // Less than nothing is still an error.
  Mechanism less = m;
  less.bodies[0].inertia.x.x = -1;
  EXPECT_FALSE(equations_of(less).has_value());
}

// A joint that mimics a fixed one stays at its offset.
TEST(Urdf, AMimicOfAFixedJointStaysWhereItIs) {
  const Mechanism m =
      accepted("<robot><link name='base'/><link name='a'>" + inertial + "</link><link name='b'>" + inertial +
               "</link><joint name='still' type='fixed'><parent link='base'/><child link='a'/></joint>"
               "<joint name='J' type='continuous'><parent link='a'/><child link='b'/><axis xyz='1 0 0'/>"
               "<origin xyz='0 0 1'/><mimic joint='still' multiplier='3'/></joint></robot>");
  ASSERT_EQ(m.couplings.size(), 1U);
  EXPECT_LE(testing::largest(run_auto(m, 1, 1e-8, 11), "J.angle"), 1e-12);
}

// A point on its own axis, and a point that two hinges move in the same way.
TEST(Urdf, AJointThatMovesNoInertiaIsRefused) {
  const auto point = [](const char* place) {
    return std::string("<inertial><origin xyz='") + place +
           "'/><mass value='2'/><inertia ixx='0' iyy='0' izz='0' ixy='0' ixz='0' iyz='0'/></inertial>";
  };
  const auto refusal = [](const Mechanism& m) {
    const auto system = equations_of(m);
    return system ? std::string() : system.error().front().message;
  };
  EXPECT_NE(refusal(accepted(one_joint("continuous", point("0.7 0 0"), ""))).find("joint J"),
            std::string::npos);
  EXPECT_EQ(refusal(accepted(one_joint("prismatic", point("0.7 0 0"),
                                       "<limit effort='9' velocity='9' lower='-9' upper='9'/>"))),
            "");
  const auto twice = [&](const char* axis) {
    return accepted("<robot><link name='base'/><link name='a'>" + point("0 1 0") + "</link><link name='b'>" +
                    point("0 1 0") +
                    "</link><joint name='J' type='continuous'><parent link='base'/><child link='a'/><axis "
                    "xyz='1 0 0'/></joint><joint name='K' type='continuous'><parent link='a'/><child "
                    "link='b'/><origin xyz='0 1 0'/><axis xyz='" +
                    axis + "'/></joint></robot>");
  };
  EXPECT_EQ(refusal(twice("1 0 0")), "");
  EXPECT_NE(refusal(twice("0 1 0")).find("joint K"), std::string::npos);
}

}  // namespace
}  // namespace daedalus
