// Limits, friction, actuators, tendons and start values of MJCF against what can be computed by hand.
#include <fmt/format.h>

#include <numbers>

#include "mechanics/support.hpp"
#include "readers/mesh_mass.hpp"
#include "readers/read_mechanism.hpp"

namespace daedalus {
namespace {

using testing::run;
using testing::signal;

Result<Mechanism> read(const std::string& text, const ReadOptions& options = {}) {
  auto sources = std::make_shared<SourceMap>();
  const std::int32_t file = sources->add("m.xml", text);
  return read_mechanism(sources, file, options);
}

RunResult run_mjcf(const std::string& text, double until, const ReadOptions& options = {}) {
  const auto mechanism = read(text, options);
  EXPECT_TRUE(mechanism.has_value()) << (mechanism ? "" : mechanism.error().front().message);
  if (!mechanism) return {};
  auto system = equations_of(*mechanism, {.coordinates = Coordinates::Auto});
  EXPECT_TRUE(system.has_value());
  return run(*system, "auto", {.integrator = "auto", .until = until, .tolerance = 1e-8, .points = 11});
}

// A mass of 2 kg on a slide.
std::string block(const std::string& joint, const std::string& rest = "", const std::string& axis = "0 0 1") {
  return "<mujoco><worldbody><body name='b'><joint name='s' type='slide' axis='" + axis + "' " + joint +
         "/><geom size='0.1' mass='2' contype='0' conaffinity='0'/></body></worldbody>" + rest + "</mujoco>";
}

// At rest the spring of the limit carries the weight: k/m = 1/(d T²), so that the depth is g d T².
TEST(MjcfForces, ALimitCarriesTheWeight) {
  const RunResult result = run_mjcf(block("range='-0.1 1'"), 2);
  EXPECT_NEAR(signal(result, "s.displacement").back(), -0.1 - 9.81 * 0.95 * 0.02 * 0.02, 1e-6);
}

// Sliding, friction is the loss: v = 1 - 0.25 t until it stops.
TEST(MjcfForces, DryFrictionSlowsDown) {
  ReadOptions options;
  options.settings = {{.name = "s.velocity", .value = "1"}};
  const RunResult result = run_mjcf(block("frictionloss='0.5'", "", "1 0 0"), 2, options);
  EXPECT_NEAR(signal(result, "s.velocity").back(), 0.5, 1e-6);
}

// Each freedom of a free body loses F/m, and F/J, a second: a ball of 2 kg and 0.1 m has J = 0.008 kg m².
TEST(MjcfForces, DryFrictionSlowsAFreeBodyDown) {
  ReadOptions options;
  options.settings = {{.name = "b.vx", .value = "1"}, {.name = "b.wz", .value = "30"}};
  const RunResult result = run_mjcf(
      "<mujoco><option gravity='0 0 0'/><worldbody><body name='b'><joint type='free' "
      "frictionloss='0.5'/><geom size='0.1' mass='2' contype='0' conaffinity='0'/></body></worldbody>"
      "</mujoco>",
      0.4, options);
  EXPECT_NEAR(signal(result, "b.vx").back(), 0.9, 1e-6);
  EXPECT_NEAR(signal(result, "b.wz").back(), 30 - 0.4 * 0.5 / 0.008, 1e-4);
}

// dampratio 1 is the aperiodic limit: x = 1 - (1 + ωt) exp(-ωt) with ω² = kp/m.
TEST(MjcfForces, APositionActuatorWithADampingRatio) {
  const std::string actuator = "<actuator><position name='p' joint='s' kp='50' dampratio='1'/></actuator>";
  ReadOptions options;
  options.settings = {{.name = "p", .value = "1"}};
  const RunResult result = run_mjcf(block("", actuator, "1 0 0"), 1, options);
  EXPECT_NEAR(signal(result, "s.displacement").back(), 1 - 6 * std::exp(-5.0), 1e-6);
}

// The default of a class is one actuator, whatever element wrote it.
TEST(MjcfForces, DefaultsCrossKinds) {
  const std::string text =
      "<mujoco><default><general gainprm='50' ctrlrange='-1 1'/></default><worldbody><body name='b'><joint "
      "name='s' "
      "type='slide' axis='1 0 0' damping='20'/><geom size='0.1' mass='2' contype='0' conaffinity='0'/></body>"
      "</worldbody><actuator><position name='p' joint='s'/></actuator></mujoco>";
  ReadOptions options;
  options.settings = {{.name = "p", .value = "7"}};  // beyond the range
  const RunResult result = run_mjcf(text, 1, options);
  EXPECT_NEAR(signal(result, "s.displacement").back(), 1 - 6 * std::exp(-5.0), 1e-6);
}

// a' = (u - a)/T: a force F (1 - exp(-t/T)).
TEST(MjcfForces, AnActivationFollowsItsControl) {
  const std::string actuator =
      "<actuator><general name='g' joint='s' dyntype='filter' dynprm='0.5' gainprm='3' forcerange='-100 "
      "100'/></actuator>";
  ReadOptions options;
  options.settings = {{.name = "g", .value = "2"}};
  const RunResult result = run_mjcf(block("", actuator, "1 0 0"), 1, options);
  const double e = std::exp(-2.0);
  EXPECT_NEAR(signal(result, "g.activation").back(), 2 * (1 - e), 1e-6);
  EXPECT_NEAR(signal(result, "s.velocity").back(), 3 * (1 - 0.5 * (1 - e)), 1e-6);
}

// The sum of the actuators of a joint is kept within its range: 2 kg under 4 N.
TEST(MjcfForces, TheRangeOfAJointsActuators) {
  const std::string actuators = "<actuator><motor name='a' joint='s'/><motor name='b' joint='s'/></actuator>";
  ReadOptions options;
  options.settings = {{.name = "a", .value = "3"}, {.name = "b", .value = "5"}};
  const RunResult result = run_mjcf(block("actuatorfrcrange='-4 4'", actuators, "1 0 0"), 1, options);
  EXPECT_NEAR(signal(result, "s.displacement").back(), 1, 1e-6);
}

TEST(MjcfForces, GravityCompensationHoldsABody) {
  const std::string text =
      "<mujoco><worldbody><body name='b' gravcomp='1'><joint name='h' axis='0 1 0'/><geom type='capsule' "
      "size='0.1' "
      "fromto='0 0 0 1 0 0' contype='0' conaffinity='0'/></body></worldbody></mujoco>";
  EXPECT_NEAR(signal(run_mjcf(text, 1), "h.angle").back(), 0, 1e-9);
}

// Two masses of 2 kg with a tendon x - y of stiffness 4: x - y oscillates with ω² = 4 (1/2 + 1/2).
TEST(MjcfForces, ATendonOverJoints) {
  const std::string slide =
      "type='slide' axis='1 0 0'/><geom size='0.1' mass='2' contype='0' conaffinity='0'/></body>";
  const std::string text =
      "<mujoco><option gravity='0 0 0'/><worldbody><body name='a'><joint name='x' " + slide +
      "<body name='b'><joint name='y' " + slide +
      "</worldbody><tendon><fixed name='t' stiffness='4' springlength='0'><joint joint='x' "
      "coef='1'/><joint joint='y' coef='-1'/></fixed></tendon></mujoco>";
  ReadOptions options;
  options.settings = {{.name = "x.displacement", .value = "1"}};
  const RunResult result = run_mjcf(text, 1, options);
  EXPECT_NEAR(signal(result, "x.displacement").back(), 0.5 + 0.5 * std::cos(2.0), 1e-6);
  EXPECT_NEAR(signal(result, "t.length").back(), std::cos(2.0), 1e-6);
}

TEST(MjcfForces, AKeyframeIsTheStart) {
  const std::string text =
      "<mujoco><worldbody><body name='f'><freejoint/><geom size='0.1' contype='0' "
      "conaffinity='0'/></body><body "
      "name='b'><joint name='h' axis='0 1 0' ref='30'/><geom size='0.1' pos='1 0 0' contype='0' "
      "conaffinity='0'/></body>"
      "</worldbody><keyframe><key name='home' qpos='1 2 3 1 0 0 0 0.5' qvel='0 0 4 0 0 0 "
      "-1'/></keyframe></mujoco>";
  ReadOptions options;
  options.keyframe = "home";
  const RunResult result = run_mjcf(text, 0.5, options);
  EXPECT_NEAR(signal(result, "h.angle").front(), 0.5, 1e-12);
  EXPECT_NEAR(signal(result, "h.velocity").front(), -1, 1e-12);
  // ref is the angle of the pose that is written, so that the arm is turned by 0.5 - 30° about y.
  EXPECT_NEAR(signal(result, "b.z").front(), -std::sin(0.5 - M_PI / 6), 1e-12);
  EXPECT_NEAR(signal(result, "f.z").back(), 3 + 4 * 0.5 - 9.81 / 8, 1e-8);
  const auto mentioned = read(text);
  ASSERT_TRUE(mentioned.has_value());
  EXPECT_NE(mentioned->warnings.front().message.find("--keyframe home"), std::string::npos);
  options.keyframe = "hom";
  const auto unknown = read(text, options);
  ASSERT_FALSE(unknown.has_value());
  EXPECT_NE(unknown.error().front().message.find("home"), std::string::npos);
}

TEST(MjcfForces, ContactsAreToldOnceAndStrictRefusesThem) {
  const std::string text =
      "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body><freejoint/><geom "
      "size='1'/></body></worldbody></mujoco>";
  const auto told = read(text);
  ASSERT_TRUE(told.has_value());
  ASSERT_EQ(told->warnings.size(), 1U);
  EXPECT_NE(told->warnings[0].message.find("contacts are not simulated (2 geoms"), std::string::npos);
  ReadOptions options;
  options.strict = true;
  EXPECT_FALSE(read(text, options).has_value());
  options.ignore = {"contact"};
  const auto silent = read(text, options);
  ASSERT_TRUE(silent.has_value());
  EXPECT_TRUE(silent->warnings.empty());
}

TEST(MjcfForces, CopiesAreMovedAndNumbered) {
  const auto m = read(
      "<mujoco><worldbody><replicate count='3' offset='0 2 0' euler='0 0 90' sep='-'><body name='b' pos='1 0 "
      "0'><joint "
      "name='h'/><geom size='0.1' contype='0' conaffinity='0'/></body></replicate></worldbody></mujoco>");
  ASSERT_TRUE(m.has_value());
  ASSERT_EQ(m->bodies.size(), 3U);
  EXPECT_EQ(m->bodies[2].name, "b-2");
  EXPECT_EQ(m->joints[1].name, "h-1");
  // The second: (0, 2), turned by a right angle: (0, 3). The third a further (-2, 0), turned by two.
  EXPECT_NEAR(m->bodies[1].pose.origin.y, 3, 1e-12);
  EXPECT_NEAR(m->bodies[2].pose.origin.x, -3, 1e-12);
  EXPECT_NEAR(m->bodies[2].pose.origin.y, 2, 1e-12);
}

// A prism over an L of three unit squares: volume 3, centre (5/6, 5/6, 1/2).
TEST(MeshMass, APrismOverAnL) {
  const std::string text =
      "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nv 0 0 1\nv 2 0 1\nv 2 1 1\nv 1 1 1\nv 1 2 1\nv "
      "0 2 1\n"
      "f 1 6 5 4 3 2\nf 7 8 9 10 11 12\nf 1 2 8 7\nf 2 3 9 8\nf 3/1 4/1 10/2 9/2\nf 4 5 11 10\nf 5 6 12 "
      "11\nf 6 1 7 12\n";
  const auto mesh = parse_mesh("L.OBJ", text);
  ASSERT_TRUE(mesh.has_value());
  const MassPart exact = mass_of(*mesh, MeshInertia::Exact);
  EXPECT_NEAR(exact.mass, 3, 1e-12);
  EXPECT_NEAR(exact.centre.x, 5.0 / 6, 1e-12);
  EXPECT_NEAR(exact.centre.z, 0.5, 1e-12);
  // Three unit cubes, each 1/6 about its own axis; their centres are (-1/3, -1/3), (2/3, -1/3), (-1/3, 2/3)
  // away.
  const double steiner = (1.0 / 9 + 1.0 / 9) + 2 * (4.0 / 9 + 1.0 / 9);
  EXPECT_NEAR(exact.inertia.z.z, 3.0 / 6 + steiner, 1e-12);
  // The skin: 6 of the two L and 8 of the sides.
  const MassPart shell = mass_of(*mesh, MeshInertia::Shell);
  EXPECT_NEAR(shell.mass, 14, 1e-12);
  EXPECT_NEAR(shell.centre.z, 0.5, 1e-12);
  EXPECT_NEAR(shell.centre.x, 6.0 / 7, 1e-12);
  EXPECT_FALSE(parse_mesh("L.obj", "v 1 2\n").has_value());
  EXPECT_FALSE(parse_mesh("L.stl", "solid\n").has_value());
  EXPECT_FALSE(parse_mesh("L.msh", std::string(16, '\xFF')).has_value());
  EXPECT_FALSE(parse_mesh("L.obj", "v 0 0 0\nf 1 2 3\n").has_value());
}

// A sphere drags like a cube of the side r √2.4, which has its moments of inertia.
constexpr double cube_of_sphere = 0.1549193338482967;

std::string in_medium(const std::string& option) {
  std::string text = block("", "", "1 0 0");
  return text.insert(text.find("<worldbody>"), "<option " + option + "/>");
}

// v' = -3π s μ/m v
TEST(MjcfForces, AViscousMediumSlowsDown) {
  ReadOptions options;
  options.settings = {{.name = "s.velocity", .value = "1"}};
  const RunResult result = run_mjcf(in_medium("viscosity='2'"), 1, options);
  const double rate = 3 * std::numbers::pi * cube_of_sphere * 2 / 2;
  EXPECT_NEAR(signal(result, "s.velocity").back(), std::exp(-rate), 1e-7);
}

// u' = -ρ s²/2m |u| u of the velocity u against the wind: u = u₀/(1 + c |u₀| t), on both sides.
TEST(MjcfForces, ADenseMediumDragsWithItsWind) {
  for (const double wind : {2.0, -2.0}) {
    const RunResult result = run_mjcf(in_medium(fmt::format("density='100' wind='{} 0 0'", wind)), 1);
    const double c = 0.5 * 100 * cube_of_sphere * cube_of_sphere / 2;
    EXPECT_NEAR(signal(result, "s.velocity").back(), wind - wind / (1 + c * 2), 1e-7);
  }
}

// J ω' = -π s³ μ ω, J = 2/5 m r².
TEST(MjcfForces, AViscousMediumStopsTurning) {
  std::string text = in_medium("viscosity='0.5'");
  text.replace(text.find("type='slide'"), 12, "type='hinge'");
  ReadOptions options;
  options.settings = {{.name = "s.velocity", .value = "1"}};
  const RunResult result = run_mjcf(text, 1, options);
  const double rate = std::numbers::pi * std::pow(cube_of_sphere, 3) * 0.5 / (0.4 * 2 * 0.01);
  EXPECT_NEAR(signal(result, "s.velocity").back(), std::exp(-rate), 1e-7);
  const auto refused = read(text.replace(text.find("<geom"), 5, "<geom fluidshape='ellipsoid'"));
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().front().message.find("fluidshape"), std::string::npos);
}

// In the file kinds have names of their own.
TEST(MjcfForces, ATendonMayBeNamedLikeAJoint) {
  const RunResult result =
      run_mjcf(block("",
                     "<tendon><fixed name='s'><joint joint='s' coef='1'/></fixed></tendon>"
                     "<actuator><motor name='m' tendon='s' gear='3'/></actuator>",
                     "1 0 0"),
               1, [] {
                 ReadOptions options;
                 options.settings = {{.name = "m", .value = "1"}};
                 return options;
               }());
  EXPECT_NEAR(signal(result, "s.displacement").back(), 0.5 * 3 / 2, 1e-7);
}

// What a free body carries goes with it, in both coordinates.
TEST(MjcfForces, AFreeBodyIsMovedWithWhatItCarries) {
  ReadOptions options;
  options.settings = {{.name = "base.z", .value = "2"}, {.name = "base.x", .value = "-1"}};
  const auto mechanism = read(
      "<mujoco><worldbody><body name='base'><freejoint/><geom size='0.1' contype='0' conaffinity='0'/>"
      "<body name='arm' pos='0.5 0 0.25'><joint name='J'/><geom size='0.1' contype='0' conaffinity='0'/>"
      "</body></body></worldbody></mujoco>",
      options);
  ASSERT_TRUE(mechanism.has_value());
  for (const Coordinates coordinates : {Coordinates::Joint, Coordinates::Body}) {
    const RunResult result = testing::run_auto(*mechanism, 0.1, 1e-8, 2, coordinates);
    EXPECT_NEAR(signal(result, "base.z").front(), 2, 1e-12);
    EXPECT_NEAR(signal(result, "arm.x").front(), -0.5, 1e-12);
    EXPECT_NEAR(signal(result, "arm.z").front(), 2.25, 1e-12);
  }
}

// Where tetrahedra all count as positive, the volume is that of those which meet in the centre of mass: here
// of a tetrahedron with a dent, whose centre is not that of its faces.
TEST(MjcfForces, LegacyVolumesMeetInTheCentre) {
  const Mesh mesh{.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.05, 0.05, 0.05}},
                  .faces = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 4}, {2, 3, 4}, {3, 1, 4}}};
  const MassPart part = mass_of(mesh, MeshInertia::Legacy);
  double volume = 0;
  for (const auto& face : mesh.faces) {
    const auto corner = [&](std::size_t k) {
      return mesh.vertices[static_cast<std::size_t>(face[k])] - part.centre;
    };
    volume += std::abs(dot(corner(0), cross(corner(1), corner(2)))) / 6;
  }
  EXPECT_NEAR(part.mass, volume, 1e-15);
  EXPECT_GT(part.mass, mass_of(mesh, MeshInertia::Exact).mass + 1e-3);
}

}  // namespace
}  // namespace daedalus
