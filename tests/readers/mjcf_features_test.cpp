// Features of MJCF whose effect can be computed by hand, or in two ways. All features, one by one, against
// MuJoCo itself: mjcf_features_test.py.
#include <cmath>
#include <map>
#include <numbers>
#include <random>
#include <set>

#include "mechanics/joint_inertia.hpp"
#include "mechanics/support.hpp"
#include "readers/convex_hull.hpp"
#include "readers/read_mechanism.hpp"

namespace daedalus {
namespace {

using testing::run;
using testing::signal;

Mechanism read(const std::string& text, const ReadOptions& options = {}) {
  auto sources = std::make_shared<SourceMap>();
  const std::int32_t file = sources->add("m.xml", text);
  auto mechanism = read_mechanism(sources, file, options);
  EXPECT_TRUE(mechanism.has_value()) << (mechanism ? "" : mechanism.error().front().message);
  return mechanism ? *mechanism : Mechanism{};
}

RunResult run_mjcf(const std::string& text, double until, const ReadOptions& options = {}) {
  auto system = equations_of(read(text, options), {.coordinates = Coordinates::Auto});
  EXPECT_TRUE(system.has_value());
  return run(*system, "auto", {.integrator = "auto", .until = until, .tolerance = 1e-9, .points = 11});
}

// A mass of 2 kg on a slide along x, without gravity unless it is asked for.
std::string block(const std::string& joint, const std::string& rest = "",
                  const std::string& gravity = "0 0 0") {
  return "<mujoco><option gravity='" + gravity +
         "'/><worldbody><body name='b'><joint name='s' type='slide' axis='1 0 0' " + joint +
         "/><geom size='0.1' mass='2' contype='0' conaffinity='0'/></body></worldbody>" + rest + "</mujoco>";
}

ReadOptions set(const std::string& name, const std::string& value) {
  ReadOptions options;
  options.settings = {{.name = name, .value = value}};
  return options;
}

Body only_body(const std::string& geom, const std::string& compiler = "") {
  return read("<mujoco>" + compiler + "<worldbody><body name='b'><freejoint/><geom " + geom +
              " contype='0'/></body></worldbody></mujoco>")
      .bodies.at(0);
}

// m1 carries m2, both on slides along x. M = [m1+m2, m2; m2, m2], M⁻¹ = [1/m1, -1/m1; -1/m1, 1/m1 + 1/m2].
// An armature a of a path adds a to what a force along it moves (Sherman and Morrison).
TEST(MjcfFeatures, InertiasThatForcesMoveAreThoseOfTheInverse) {
  const double m1 = 3, m2 = 5;
  const Mechanism m = read(
      "<mujoco><worldbody><body name='a'><joint name='s' type='slide' axis='1 0 0'/><geom size='0.1' "
      "mass='3' "
      "contype='0'/><body name='b'><joint name='t' type='slide' axis='1 0 0'/><geom size='0.1' mass='5' "
      "contype='0'/></body></body></worldbody></mujoco>");
  StartInertia inertia(m);
  EXPECT_NEAR(inertia.moved_by(JointId(0)), m1, 1e-14);
  EXPECT_NEAR(inertia.moved_by(JointId(1)), m1 * m2 / (m1 + m2), 1e-14);
  StartInertia::Row both = inertia.no_force();
  inertia.add_effort(both, {.joint = JointId(0), .motion = JointMotion::Displacement}, 1);
  inertia.add_effort(both, {.joint = JointId(1), .motion = JointMotion::Displacement}, 1);
  // The sum of both is where m2 is: a force on it moves it alone.
  EXPECT_NEAR(inertia.moved_by(both), m2, 1e-14);
  inertia.add_armature(both, 0.7);
  EXPECT_NEAR(inertia.moved_by(both), m2 + 0.7, 1e-13);
}

// m v²/2 + a x²/2 + b x³/3 + c x⁴/4 stays what it was.
TEST(MjcfFeatures, SpringsMayBePolynomials) {
  const RunResult result = run_mjcf(block("stiffness='30 20 500'"), 1.3, set("s.displacement", "0.4"));
  const auto& x = signal(result, "s.displacement");
  const auto& v = signal(result, "s.velocity");
  const auto energy = [&](std::size_t k) {
    return v[k] * v[k] + 15 * x[k] * x[k] + 20.0 / 3 * std::pow(x[k], 3) + 125 * std::pow(x[k], 4);
  };
  for (std::size_t k = 1; k < x.size(); ++k) EXPECT_NEAR(energy(k), energy(0), 1e-6);
  EXPECT_LT(*std::ranges::min_element(x), -0.1);
}

// m v' = -c v |v|: v = v0 / (1 + c v0 t / m).
TEST(MjcfFeatures, DampersMayBeQuadratic) {
  const RunResult result = run_mjcf(block("damping='0 3 0'"), 2, set("s.velocity", "1.5"));
  EXPECT_NEAR(signal(result, "s.velocity").back(), 1.5 / (1 + 3 * 1.5 * 2 / 2), 1e-7);
}

// With the coefficient 2 the armature counts four times: x = g t² m / (2 (m + 4 a)).
TEST(MjcfFeatures, TendonsHaveArmatures) {
  const std::string tendon = "<tendon><fixed armature='0.5'><joint joint='s' coef='2'/></fixed></tendon>";
  const RunResult result = run_mjcf(block("", tendon, "9 0 0"), 1);
  EXPECT_NEAR(signal(result, "s.displacement").back(), 9 * 0.5 * 2 / (2 + 4 * 0.5), 1e-7);
}

// Damper and armature of an actuator act by the square of its gear, and where actuation is off, too:
// (m + 9 a) v' = -9 c v.
TEST(MjcfFeatures, RotorsActWithoutActuation) {
  const std::string motor =
      "<actuator><motor name='m' joint='s' gear='3' damping='0.2' armature='0.1'/></actuator>";
  const std::string off = "<option><flag actuation='disable'/></option>";
  ReadOptions options = set("s.velocity", "1");
  options.settings.push_back({.name = "m", .value = "100"});
  const RunResult result = run_mjcf(block("", motor + off), 1, options);
  EXPECT_NEAR(signal(result, "s.velocity").back(), std::exp(-1.8 / 2.9), 1e-7);
}

// actuatorfrcrange bounds what actuators of the joint and of its tendons do together: 5 + 2·5 N are 6 N.
TEST(MjcfFeatures, JointsBoundTheForcesOfAllActuators) {
  const std::string rest =
      "<tendon><fixed name='t'><joint joint='s' coef='2'/></fixed></tendon>"
      "<actuator><motor name='m' joint='s'/><motor name='n' tendon='t'/></actuator>"
      "<keyframe><key name='k' ctrl='5 5'/></keyframe>";
  ReadOptions options;
  options.keyframe = "k";
  const RunResult result = run_mjcf(block("actuatorfrcrange='-6 6'", rest), 1, options);
  EXPECT_NEAR(signal(result, "s.velocity").back(), 6.0 / 2, 1e-8);
}

// A shell's moments by formulas against those of the same surface made of triangles.
TEST(MjcfFeatures, ShellsWeighTheirSurface) {
  const Body box = only_body("type='box' size='1 2 3' shellinertia='true' density='2'");
  EXPECT_NEAR(box.mass, 2 * 8 * (2 + 6 + 3), 1e-12);
  Mesh faces;
  for (int k = 0; k < 8; ++k)
    faces.vertices.push_back(
        {(k & 1) != 0 ? 1.0 : -1.0, (k & 2) != 0 ? 2.0 : -2.0, (k & 4) != 0 ? 3.0 : -3.0});
  faces.faces = convex_hull(faces.vertices).faces;
  const MassPart part = mass_of(faces, MeshInertia::Shell);
  EXPECT_NEAR(part.mass, box.mass / 2, 1e-12);
  EXPECT_NEAR(part.inertia.x.x, box.inertia.x.x / 2, 1e-10);
  EXPECT_NEAR(part.inertia.y.y, box.inertia.y.y / 2, 1e-10);
  EXPECT_NEAR(part.inertia.z.z, box.inertia.z.z / 2, 1e-10);
}

// Rings of a round surface: the area of a ring of radius r is 2 π r ds.
TEST(MjcfFeatures, RoundShellsAreTheSumOfTheirRings) {
  const double radius = 0.3, half = 0.7;
  double capsule_area = 0, capsule_axial = 0, capsule_across = 0;
  constexpr int rings = 100000;
  const auto add = [&](double r, double z, double width) {
    const double area = 2 * std::numbers::pi * r * width;
    capsule_area += area;
    capsule_axial += area * r * r;
    capsule_across += area * (r * r / 2 + z * z);
  };
  for (int k = 0; k < rings; ++k) {
    const double angle = std::numbers::pi / 2 * (k + 0.5) / rings;
    const double arc = radius * std::numbers::pi / 2 / rings;
    for (const double sign : {-1.0, 1.0})
      add(radius * std::cos(angle), sign * (half + radius * std::sin(angle)), arc);
    add(radius, half * (2 * (k + 0.5) / rings - 1), 2 * half / rings);
  }
  const Body capsule = only_body("type='capsule' size='0.3 0.7' shellinertia='true' density='1'");
  // The midpoint rule: 1e-10 of the sum.
  EXPECT_NEAR(capsule.mass, capsule_area, 1e-8);
  EXPECT_NEAR(capsule.inertia.z.z, capsule_axial, 1e-8);
  EXPECT_NEAR(capsule.inertia.x.x, capsule_across, 1e-8);
  // A long cylinder less its lids is a tube; with them, each is a disc at its end.
  const Body cylinder = only_body("type='cylinder' size='0.3 0.7' shellinertia='true' density='1'");
  const double tube = 2 * std::numbers::pi * radius * 2 * half, disc = std::numbers::pi * radius * radius;
  EXPECT_NEAR(cylinder.mass, tube + 2 * disc, 1e-14);
  EXPECT_NEAR(cylinder.inertia.z.z, tube * radius * radius + disc * radius * radius, 1e-14);
}

// Of random points: every edge has two faces, V - E + F = 2, no point is outside, and the volume is the same
// for the corners alone.
TEST(MjcfFeatures, ConvexHullsAreClosedAndHoldAllPoints) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  std::vector<Vec3> points(500);
  for (Vec3& p : points) p = {normal(random), 2 * normal(random), 0.5 * normal(random)};
  const Mesh hull = convex_hull(points);
  std::set<int> corners;
  std::map<std::pair<int, int>, int> edges;
  for (const auto& face : hull.faces) {
    for (std::size_t k = 0; k < 3; ++k) {
      corners.insert(face[k]);
      ++edges[std::minmax(face[k], face[(k + 1) % 3])];
    }
    const Vec3 a = points[static_cast<std::size_t>(face[0])];
    const Vec3 out =
        cross(points[static_cast<std::size_t>(face[1])] - a, points[static_cast<std::size_t>(face[2])] - a);
    for (const Vec3& p : points) EXPECT_LE(dot(out, p - a), 1e-7 * norm(out));
  }
  for (const auto& [edge, count] : edges) EXPECT_EQ(count, 2);
  EXPECT_EQ(corners.size() + hull.faces.size(), edges.size() + 2);
  EXPECT_TRUE(convex_hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}).faces.empty());
}

// The corners of a box and a point within: the inertia of the box.
TEST(MjcfFeatures, MeshesWithoutFacesAreTheirHull) {
  const Body mesh =
      read(
          "<mujoco><asset><mesh name='m' vertex='0 0 0 2 0 0 0 4 0 2 4 0 0 0 6 2 0 6 0 4 6 2 4 6 1 1 1'/>"
          "</asset><worldbody><body name='b'><freejoint/><geom type='mesh' mesh='m' density='3' "
          "contype='0'/></body></worldbody></mujoco>")
          .bodies.at(0);
  EXPECT_NEAR(mesh.mass, 3 * 48, 1e-11);
  EXPECT_NEAR(mesh.centre.z, 3, 1e-13);
  EXPECT_NEAR(mesh.inertia.x.x, mesh.mass / 12 * (16 + 36), 1e-10);
}

// Moments are bounded along the principal axes, wherever these point.
TEST(MjcfFeatures, InertiasAreBoundedAlongTheirOwnAxes) {
  const Body turned =
      only_body("type='box' size='0.1 0.2 0.5' mass='3' euler='30 40 50'", "<compiler boundinertia='0.2'/>");
  const double least = 0.2, yy = 3.0 / 3 * (0.01 + 0.25), xx = 3.0 / 3 * (0.04 + 0.25);
  EXPECT_NEAR(turned.inertia.x.x + turned.inertia.y.y + turned.inertia.z.z, least + xx + yy, 1e-13);
}

}  // namespace
}  // namespace daedalus
