// MuJoCo's MJCF: what is read means what it means there, and what is not simulated is refused by name.
#include <gtest/gtest.h>

#include <map>

#include "mechanics/support.hpp"
#include "readers/read_mechanism.hpp"

namespace daedalus {
namespace {

using testing::final_value;
using testing::run_auto;
using testing::signal;
using testing::spread;

struct Reading {
  std::shared_ptr<SourceMap> sources = std::make_shared<SourceMap>();
  Result<Mechanism> mechanism;
  [[nodiscard]] std::string error() const { return mechanism ? "" : render(mechanism.error(), *sources); }
  [[nodiscard]] std::string warnings() const {
    return mechanism ? render(mechanism->warnings, *sources) : "";
  }
};

Reading read(const std::string& text, ReadOptions options = {}) {
  Reading reading;
  const std::int32_t file = reading.sources->add("m.xml", text);
  reading.mechanism = read_mechanism(reading.sources, file, options);
  return reading;
}

Mechanism accepted(const std::string& text, const ReadOptions& options = {}) {
  const Reading reading = read(text, options);
  EXPECT_TRUE(reading.mechanism.has_value()) << reading.error();
  return reading.mechanism ? *reading.mechanism : Mechanism{};
}

std::string world(const std::string& bodies, const std::string& rest = {}) {
  return "<mujoco>\n<worldbody>\n" + bodies + "\n</worldbody>\n" + rest + "\n</mujoco>";
}

std::string one_geom(const std::string& geom) {
  return world("<body name='b'><freejoint/><geom " + geom + " contype='0'/></body>");
}

// Volumes and moments by the formulas of solids.
TEST(Mjcf, InertiasComeFromGeoms) {
  const double pi = std::numbers::pi;
  const Body sphere = accepted(one_geom("size='0.5' density='3'")).bodies[0];
  const double mass = 3 * 4.0 / 3 * pi * 0.125;
  EXPECT_NEAR(sphere.mass, mass, 1e-14);
  EXPECT_NEAR(sphere.inertia.x.x, 0.4 * mass * 0.25, 1e-14);
  const Body box = accepted(one_geom("type='box' size='1 2 3' mass='12' pos='1 0 0'")).bodies[0];
  EXPECT_NEAR(box.inertia.x.x, 4.0 * (4 + 9), 1e-12);
  EXPECT_NEAR(box.inertia.z.z, 4.0 * (1 + 4), 1e-12);
  EXPECT_EQ(box.centre.x, 1);
  const Body cylinder =
      accepted(one_geom("type='cylinder' fromto='0 0 0 2 0 0' size='0.1' mass='6'")).bodies[0];
  EXPECT_NEAR(cylinder.inertia.x.x, 6 * 0.01 / 2, 1e-14);  // about its own axis, which lies along x
  EXPECT_NEAR(cylinder.inertia.y.y, 6 * (0.03 + 4) / 12, 1e-14);
  EXPECT_NEAR(cylinder.centre.x, 1, 1e-15);
}

// A capsule against numerical integration over slices.
TEST(Mjcf, CapsuleIsACylinderAndTwoHalfSpheres) {
  const double r = 0.3, half = 0.7;
  const Body capsule = accepted(one_geom("type='capsule' size='0.3 0.7' density='1'")).bodies[0];
  double volume = 0, axial = 0, across = 0;
  constexpr int slices = 200000;
  for (int k = 0; k < slices; ++k) {
    const double z = (half + r) * (2 * (k + 0.5) / slices - 1);
    const double beyond = std::max(0.0, std::abs(z) - half);
    const double area = std::numbers::pi * (r * r - beyond * beyond);
    const double slice = area * 2 * (half + r) / slices;
    const double square = area / std::numbers::pi;
    volume += slice;
    axial += slice * square / 2;
    across += slice * (square / 4 + z * z);
  }
  // The midpoint rule with a kink: 1e-9 of the sum.
  EXPECT_NEAR(capsule.mass, volume, 1e-8);
  EXPECT_NEAR(capsule.inertia.z.z, axial, 1e-8);
  EXPECT_NEAR(capsule.inertia.x.x, across, 1e-8);
}

// A body without a joint is one with its parent: Steiner's theorem.
TEST(Mjcf, BodiesWithoutJointsAreWelded) {
  const Mechanism m =
      accepted(world("<body name='a'><joint/><geom size='0.1' mass='1' contype='0'/>"
                     "<body name='b' pos='2 0 0'><geom size='0.1' mass='3' contype='0'/><site name='tip' "
                     "pos='0 0 1'/></body></body>"));
  ASSERT_EQ(m.bodies.size(), 1U);
  EXPECT_NEAR(m.bodies[0].mass, 4, 1e-15);
  EXPECT_NEAR(m.bodies[0].centre.x, 1.5, 1e-15);
  EXPECT_NEAR(m.bodies[0].inertia.z.z, 2 * 0.0 + 4 * 0.4 * 0.01 + 1 * 2.25 + 3 * 0.25, 1e-14);
  ASSERT_EQ(m.markers.size(), 1U);
  EXPECT_NEAR(m.markers[0].point.x, 2, 1e-15);
}

TEST(Mjcf, OrientationsInEveryNotation) {
  const auto axes = [](const std::string& how, const std::string& compiler = "") {
    return accepted("<mujoco>" + compiler + "<worldbody><body name='b' " + how +
                    "><freejoint/><geom size='1' contype='0'/></body></worldbody></mujoco>")
        .bodies[0]
        .pose.axes;
  };
  const auto near = [](const Mat3& a, const Mat3& b) {
    return norm(a.x - b.x) + norm(a.y - b.y) + norm(a.z - b.z) < 1e-12;
  };
  const Mat3 quarter = rotation({0, 0, 1}, std::numbers::pi / 2);
  EXPECT_TRUE(near(axes("quat='1 0 0 1'"), quarter));
  EXPECT_TRUE(near(axes("axisangle='0 0 2 90'"), quarter));
  EXPECT_TRUE(near(axes("euler='0 0 90'"), quarter));
  EXPECT_TRUE(near(axes("euler='0 0 1.5707963267948966'", "<compiler angle='radian'/>"), quarter));
  EXPECT_TRUE(near(axes("xyaxes='0 2 0 -1 1 0'"), quarter));
  EXPECT_TRUE(near(axes("zaxis='1 0 0'"), rotation({0, 1, 0}, std::numbers::pi / 2)));
  // Intrinsic x then y is extrinsic Y then X.
  EXPECT_TRUE(near(axes("euler='30 40 50'"), axes("euler='50 40 30'", "<compiler eulerseq='ZYX'/>")));
}

TEST(Mjcf, DefaultsAreInherited) {
  const Mechanism m = accepted(R"(<mujoco><default><geom density="2" contype="0"/>
    <default class="light"><geom density="1"/></default></default><worldbody>
    <body name="a"><freejoint/><geom type="box" size="0.5 0.5 0.5"/></body>
    <body name="b" childclass="light"><freejoint/><geom type="box" size="0.5 0.5 0.5"/></body>
    <body name="c" childclass="light"><freejoint/><geom class="main" type="box" size="0.5 0.5 0.5"/></body>
    </worldbody></mujoco>)");
  ASSERT_EQ(m.bodies.size(), 3U);
  EXPECT_EQ(m.bodies[0].mass, 2);
  EXPECT_EQ(m.bodies[1].mass, 1);
  EXPECT_EQ(m.bodies[2].mass, 2);
}

// A hinge with a spring, a damper and an armature: (J + a) θ'' = -k (θ - θ₀) - d θ'.
TEST(Mjcf, HingeSwingsOnItsSpring) {
  const Mechanism m = accepted(
      "<mujoco><compiler angle='radian'/><option gravity='0 0 0'/><worldbody><body name='b'>"
      "<joint name='h' axis='0 0 1' stiffness='8' springref='0.5' armature='1'/>"
      "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></body></worldbody></mujoco>");
  const RunResult result = run_auto(m, 7, 1e-9, 71);
  const auto angle = signal(result, "joint h: angle");
  for (std::size_t k = 0; k < angle.size(); ++k)
    EXPECT_NEAR(angle[k], 0.5 * (1 - std::cos(2 * result.trajectory.times[k])), 1e-7);
  EXPECT_LE(spread(result, "energy"), 1e-8);
}

TEST(Mjcf, ActuatorsHaveConstantControls) {
  const std::string text = world(
      "<body name='b'><joint name='h' axis='0 0 1'/><inertial pos='0 0 0' mass='1' diaginertia='2 2 "
      "2'/></body>",
      "<actuator><motor name='m' joint='h' gear='3'/></actuator>");
  ReadOptions options;
  options.settings = {{.name = "m", .value = "4"}};
  const RunResult result = run_auto(accepted(text, options), 0.5, 1e-9, 3);
  EXPECT_NEAR(final_value(result, "b.wz"), 3 * 4 / 2.0 * 0.5, 1e-9);
  options.settings = {{.name = "motor", .value = "4"}};
  EXPECT_NE(read(text, options).error().find("unknown name to set 'motor'"), std::string::npos);
}

// The loop of a four-bar stays closed, though the connect holds it across the plane as well.
TEST(Mjcf, FourBarKeepsItsLoopClosed) {
  const auto sources = std::make_shared<SourceMap>();
  const std::string path = std::string(DAEDALUS_SOURCE_DIR) + "/problems/mechanisms/fourbar.xml";
  const auto file = sources->add("fourbar.xml", testing::read_text(path));
  const auto mechanism = read_mechanism(sources, file, {});
  ASSERT_TRUE(mechanism.has_value()) << render(mechanism.error(), *sources);
  const RunResult result = run_auto(*mechanism, 3, 1e-8, 31, Coordinates::Body);
  EXPECT_LE(result.summary.drift.levels[0], 1e-12);
  EXPECT_LE(spread(result, "energy"), 1e-5);
  ASSERT_FALSE(result.summary.warnings.empty());
  EXPECT_NE(result.summary.warnings[0].find("redundant: joint D: y"), std::string::npos);
  EXPECT_NE(result.summary.warnings[0].find("least norm"), std::string::npos);
  // In joint coordinates the plane is kept by the joints, and nothing is redundant.
  const RunResult joint = run_auto(*mechanism, 3, 1e-8, 31, Coordinates::Joint);
  EXPECT_TRUE(joint.summary.warnings.empty());
  EXPECT_LE(joint.summary.drift.levels[0], 1e-12);
}

// A mechanism's matrix [M Gᵀ; G 0] is symmetric by its origin, and must be found so whatever rounding leaves
// of entries that are zero: of two that mirror each other it may leave zero of one and 1e-19 of the other.
TEST(Mjcf, MatricesOfMechanismsAreFoundSymmetric) {
  for (const char* name : {"andrews", "bricard", "gyroscope", "jansen", "pendulum", "robot", "stewart"}) {
    const std::string path = std::string(DAEDALUS_SOURCE_DIR) + "/problems/mechanisms/" + name + ".xml";
    const RunResult result = run_auto(accepted(testing::read_text(path)), 0.01, 1e-6, 2);
    const std::string_view solver = result.summary.linear_solver;
    EXPECT_TRUE(solver == "ldl" || solver == "condensed" || solver == "straight-line")
        << name << ": " << solver;
  }
}

// Angles of two hinges that a polynomial couples.
TEST(Mjcf, EqualityOfJointsIsAGear) {
  const Mechanism m =
      accepted(world("<body name='a'><joint name='x' axis='0 0 1' ref='10'/><inertial pos='0 0 0' mass='1' "
                     "diaginertia='1 1 1'/></body>"
                     "<body name='b' pos='1 0 0'><joint name='y' axis='0 0 1'/><inertial pos='0 0 0' "
                     "mass='1' diaginertia='1 1 1'/></body>",
                     "<equality><joint joint1='y' joint2='x' polycoef='0 -2 0 0 0'/></equality>"
                     "<actuator><motor name='m' joint='x'/></actuator>"));
  ASSERT_EQ(m.couplings.size(), 1U);
  EXPECT_EQ(m.couplings[0].polynomial[1], -2);
}

TEST(Mjcf, IncludesArePutInAndCirclesAreNamed) {
  std::map<std::string, std::string> files{
      {"b.xml",
       "<mujocoinclude><body name='b'><freejoint/><geom size='1' contype='0'/></body></mujocoinclude>"},
      {"c.xml", "<mujocoinclude><include file='m.xml'/></mujocoinclude>"}};
  ReadOptions options;
  options.read_file = [&](const std::string& path) -> Result<std::string> {
    if (!files.contains(path)) return fail("cannot read '" + path + "'");
    return files[path];
  };
  EXPECT_EQ(accepted(world("<include file='b.xml'/>"), options).bodies.size(), 1U);
  const std::string circle = read(world("<include file='c.xml'/>"), options).error();
  EXPECT_NE(circle.find("c.xml:1:"), std::string::npos) << circle;
  EXPECT_NE(circle.find("included in a circle"), std::string::npos) << circle;
  EXPECT_NE(
      read(world("<include file='d.xml'/>"), options).error().find("m.xml:3:16: error: cannot read 'd.xml'"),
      std::string::npos);
}

TEST(Mjcf, WhatIsNotSimulatedIsRefusedByName) {
  const std::string hinge = "<body name='a'><joint name='h'/><geom size='1' contype='0'/></body>";
  const std::vector<std::tuple<std::string, std::string, std::string>> cases{
      {world("<body name='a'><joint name='h'/><geom name='b' size='1' contype='0'/><site name='s'/></body>",
             "<tendon><spatial><site site='s'/><geom geom='b'/></spatial></tendon>"),
       "tendon", "tendons around geoms are not simulated; --ignore tendon"},
      {world(hinge, "<actuator><muscle joint='h'/></actuator>"), "muscle", "muscles are not simulated"},
      {world(hinge, "<deformable><flex name='f'/></deformable>"), "flex",
       "deformable bodies are not simulated"},
  };
  for (const auto& [text, feature, message] : cases) {
    const std::string error = read(text).error();
    EXPECT_NE(error.find(message), std::string::npos) << error;
    EXPECT_NE(error.find("m.xml:"), std::string::npos) << error;
    ReadOptions options;
    options.ignore = {feature};
    const Reading ignored = read(text, options);
    EXPECT_TRUE(ignored.mechanism.has_value()) << ignored.error();
    EXPECT_NE(ignored.warnings().find("left out, as --ignore " + feature), std::string::npos)
        << ignored.warnings();
  }
}

// Links that are alike have equal constants wherever they are and however they are turned, so that their
// equations are alike, too.
TEST(Mjcf, LinksThatAreAlikeStayAlike) {
  std::string chain;
  for (int k = 0; k < 300; ++k)
    chain +=
        "<body pos='0.1 0 0' euler='" + std::to_string(17 * k % 40) +
        " 7 -12'><joint type='ball' pos='-0.02 0 0'/><geom type='capsule' contype='0' fromto='0 0 0 0.1 0 "
        "0' size='0.01' mass='0.3'/><geom size='0.02' pos='0.05 0.01 0' mass='0.1' contype='0'/>";
  for (int k = 0; k < 300; ++k) chain += "</body>";
  const Mechanism m = accepted(world(chain));
  ASSERT_EQ(m.bodies.size(), 300U);
  const auto expect_equal = [](const Vec3& a, const Vec3& b) {
    EXPECT_EQ(a.x, b.x);
    EXPECT_EQ(a.y, b.y);
    EXPECT_EQ(a.z, b.z);
  };
  for (std::size_t k = 1; k < 300; ++k) {
    expect_equal(m.bodies[k].centre, m.bodies[0].centre);
    expect_equal(m.bodies[k].inertia.x, m.bodies[0].inertia.x);
    expect_equal(m.bodies[k].inertia.y, m.bodies[0].inertia.y);
    expect_equal(m.bodies[k].inertia.z, m.bodies[0].inertia.z);
    expect_equal(m.joints[k].on_second.origin, {-0.02, 0, 0});
  }
  EXPECT_EQ(m.bodies[0].inertia.x.z, 0);
  EXPECT_DOUBLE_EQ(m.bodies[0].centre.x, 0.05);
}

TEST(Mjcf, MistakesHaveAPlace) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {world("<bdoy/>"), "m.xml:3:1: error: unknown element 'bdoy'; did you mean 'body'?"},
      {world("<body name='a'><joint axs='0 0 1'/><geom size='1'/></body>"), "unknown attribute 'axs'"},
      {world("<body name='a'><joint/></body>"), "body a moves but has no mass"},
      {world("<body name='a'><joint/><inertial mass='0' pos='0 0 0' diaginertia='1 1 1'/></body>"),
       "body a moves but has no mass"},
      {world("<body name='a'><joint/><geom size='1 x'/></body>"),
       "'x' in the attribute 'size' is not a number"},
      {world("<body name='a'><joint/><geom size='1'/></body><body name='a'><joint/><geom size='1'/></body>"),
       "the name 'a' of a body is used twice"},
      {world("<body name='a'><joint/><geom size='1' class='none'/></body>"),
       "there is no default class 'none'"},
      {world("<body name='a'><joint name='h'/><geom size='1'/></body>",
             "<equality><connect body1='b' anchor='0 0 0'/></equality>"),
       "unknown body 'b'"},
      {"<mujoco><worldbody>", "the element <worldbody> is not closed"},
      {"<html/>", "the root element is <html>"},
  };
  for (const auto& [text, message] : cases) {
    const std::string error = read(text).error();
    EXPECT_NE(error.find(message), std::string::npos) << error;
  }
}

}  // namespace
}  // namespace daedalus
