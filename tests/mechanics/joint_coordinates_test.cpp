// Joint coordinates and body coordinates give the same motion and the same reactions.
#include "mechanics/support.hpp"
#include "readers/read_mechanism.hpp"

namespace daedalus {
namespace {

using testing::run;
using testing::signal;

constexpr double rtol = 1e-9;
// Global errors of two runs at that tolerance over a second or two.
constexpr double allowed = 2e-6;

Mechanism from_mjcf(const std::string& text, const ReadOptions& options = {}) {
  auto sources = std::make_shared<SourceMap>();
  const std::int32_t file = sources->add("m.xml", text);
  auto mechanism = read_mechanism(sources, file, options);
  EXPECT_TRUE(mechanism.has_value()) << (mechanism ? "" : render(mechanism.error(), *sources));
  return mechanism ? *std::move(mechanism) : Mechanism{};
}

RunResult run_in(const Mechanism& mechanism, Coordinates coordinates, double until) {
  auto system = equations_of(mechanism, {.coordinates = coordinates});
  EXPECT_TRUE(system.has_value()) << (system ? "" : render(system.error(), SourceMap{}));
  return run(*system, "auto", {.integrator = "auto", .until = until, .tolerance = rtol, .points = 11});
}

void expect_same(const Mechanism& mechanism, double until, const std::vector<std::string>& names) {
  const RunResult joint = run_in(mechanism, Coordinates::Joint, until);
  const RunResult body = run_in(mechanism, Coordinates::Body, until);
  for (const std::string& name : names) {
    const auto a = signal(joint, name);
    const auto b = signal(body, name);
    ASSERT_EQ(a.size(), b.size()) << name;
    for (std::size_t k = 0; k < a.size(); ++k)
      EXPECT_NEAR(a[k], b[k], allowed * (1 + std::abs(b[k])))
          << mechanism.name << ": " << name << " at " << k;
  }
}

std::string world(const std::string& bodies, const std::string& rest = "") {
  return "<mujoco><default><geom contype='0' conaffinity='0'/></default><worldbody>" + bodies +
         "</worldbody>" + rest + "</mujoco>";
}

TEST(JointCoordinates, HingesWithSpringsAndArmature) {
  const Mechanism m = from_mjcf(
      world("<body name='a' euler='10 20 30'><joint name='A' axis='1 2 3' armature='0.2' damping='0.1'/>"
            "<geom type='box' size='0.1 0.2 0.3' pos='0.2 0 0.1'/>"
            "<body name='b' pos='0.3 0.1 0'><joint name='B' axis='0 1 -1' pos='0 0.05 0' stiffness='30' "
            "springref='40'/>"
            "<geom type='capsule' size='0.05' fromto='0 0 0 0.3 0.2 0.1'/>"
            "<body name='c' pos='0.3 0.2 0.1'><joint name='C' type='slide' axis='1 1 0' stiffness='90' "
            "armature='0.5'/>"
            "<geom type='sphere' size='0.1' pos='0.1 0 0'/></body></body></body>"));
  expect_same(m, 1,
              {"a.x", "b.y", "c.z", "c.vx", "b.wz", "energy", "joint A: force x", "joint A: torque y",
               "joint B: force z", "joint C: force y", "joint C: torque x"});
}

TEST(JointCoordinates, AFreeBodyWithABallAndAHinge) {
  const Mechanism m = from_mjcf(
      world("<body name='a'><freejoint/><geom type='capsule' size='0.02' fromto='0 0 0 0.3 0.1 0.2'/>"
            "<body name='b' pos='0.3 0.1 0.2'><joint name='B' type='ball'/>"
            "<geom type='capsule' size='0.02' fromto='0 0 0 0.3 0.2 0.0'/>"
            "<body name='c' pos='0.3 0.2 0'><joint name='C' axis='1 2 3' stiffness='2' springref='50'/>"
            "<geom type='capsule' size='0.02' fromto='0 0 0 0.3 0.2 0.0'/></body></body></body>"));
  expect_same(
      m, 1,
      {"a.x", "a.z", "b.y", "c.x", "c.wy", "energy", "momentum z", "angular momentum x", "joint B: force x"});
}

// Entries of the mass matrix that belong to links far apart are as large as the others.
TEST(JointCoordinates, AChainOfTwentyBalls) {
  MechanismBuilder m("balls", Dimension::Spatial);
  BodyId before = ground;
  Vec3 from;
  for (int k = 0; k < 20; ++k) {
    const Vec3 to = from + Vec3{0.1, k % 3 == 0 ? 0.03 : -0.02, k % 4 == 0 ? 0.05 : -0.01};
    const BodyId rod = m.rod("rod" + std::to_string(k), from, to, 0.1, 1e-5);
    m.joint("J" + std::to_string(k), JointKind::Spherical, before, rod, at(from));
    before = rod;
    from = to;
  }
  expect_same(m.finish(), 0.2, {"rod0.x", "rod9.wz", "rod19.x", "rod19.y", "rod19.z", "energy"});
}

// Closed by a connect; across the plane the loop says nothing.
TEST(JointCoordinates, ALoopInAPlane) {
  const std::string path = std::string(DAEDALUS_SOURCE_DIR) + "/problems/mechanisms/fourbar.xml";
  expect_same(from_mjcf(testing::read_text(path)), 1,
              {"crank.x", "coupler.z", "rocker.x", "energy", "joint A: force x", "joint B: force y",
               "joint C: force x", "joint D: world force x"});
}

TEST(JointCoordinates, LoopsInSpace) {
  for (const char* name : {"stewart.xml", "robot.xml", "gyroscope.xml"}) {
    const std::string path = std::string(DAEDALUS_SOURCE_DIR) + "/problems/mechanisms/" + name;
    expect_same(from_mjcf(testing::read_text(path)), 0.5, {"energy", "potential energy", "momentum z"});
  }
}

TEST(JointCoordinates, KindsOfJoints) {
  for (const JointKind kind : {JointKind::Cylindrical, JointKind::Universal, JointKind::Planar,
                               JointKind::Translational, JointKind::Spherical, JointKind::Fixed}) {
    MechanismBuilder m("kind", Dimension::Spatial);
    m.gravity({1, 2, -9});
    const BodyId a =
        m.body({.name = "a", .mass = 1, .inertia = diagonal(0.1, 0.2, 0.25), .pose = at({0.5, 0, 0})});
    const BodyId b =
        m.body({.name = "b", .mass = 2, .inertia = diagonal(0.3, 0.2, 0.25), .pose = at({1, 0.4, 0.2})});
    m.revolute("A", ground, a, {}, {0, 1, 0.3});
    m.joint("K", kind, a, b, at({0.8, 0.2, 0}, rotation(Vec3{1, 2, 3}, 0.7)));
    expect_same(m.finish(), 1, {"a.x", "b.x", "b.y", "b.z", "b.wx", "energy", "joint A: force x"});
  }
}

// The joint's second body is the one nearer to the ground.
TEST(JointCoordinates, JointsTheOtherWayRound) {
  MechanismBuilder m("reversed", Dimension::Spatial);
  const BodyId a =
      m.body({.name = "a", .mass = 1, .inertia = diagonal(0.1, 0.2, 0.25), .pose = at({0.5, 0, 0})});
  const BodyId b =
      m.body({.name = "b", .mass = 2, .inertia = diagonal(0.3, 0.2, 0.25), .pose = at({1, 0.4, 0.2})});
  const BodyId c =
      m.body({.name = "c", .mass = 1, .inertia = diagonal(0.3, 0.2, 0.25), .pose = at({1.5, 0.4, 0.2})});
  m.revolute("A", a, ground, {}, {0, 1, 0.3});
  m.joint("B", JointKind::Universal, b, a, at({0.8, 0.2, 0}));
  m.joint("C", JointKind::Spherical, c, b, at({1.2, 0.4, 0.2}));
  expect_same(m.finish(), 1,
              {"a.x", "b.x", "b.wz", "c.y", "c.wx", "energy", "joint A: force z", "joint C: force x"});
}

TEST(JointCoordinates, PlanarFourBarWithAStartVelocity) {
  MechanismBuilder m("planar", Dimension::Planar);
  const BodyId crank = m.rod("crank", {0, 0, 0}, {0, 1, 0}, 1);
  const BodyId coupler = m.rod("coupler", {0, 1, 0}, {2, 1.5, 0}, 2);
  const BodyId rocker = m.rod("rocker", {2, 1.5, 0}, {2, 0, 0}, 1);
  m.revolute("A", ground, crank, {0, 0, 0});
  m.revolute("B", crank, coupler, {0, 1, 0});
  m.revolute("C", coupler, rocker, {2, 1.5, 0});
  m.revolute("D", ground, rocker, {2, 0, 0});
  expect_same(m.finish(), 1, {"crank.x", "coupler.y", "rocker.phi", "energy", "joint B: force x"});
}

TEST(JointCoordinates, AutoTakesThemForTreesAndNotForLongChains) {
  MechanismBuilder tree("tree", Dimension::Spatial);
  BodyId before = ground;
  for (int k = 0; k < 200; ++k) {
    const double x = k;
    const BodyId rod = tree.rod("rod" + std::to_string(k), {x, 0, 0}, {x + 1, 0, 0}, 1);
    tree.revolute("J" + std::to_string(k), before, rod, {x, 0, 0}, {0, 1, 0});
    before = rod;
    if (k != 5) continue;
    EXPECT_TRUE(choose_coordinates(MechanismBuilder(tree).finish(), Coordinates::Auto).joint);
  }
  const CoordinateChoice choice = choose_coordinates(tree.finish(), Coordinates::Auto);
  EXPECT_FALSE(choice.joint);
  EXPECT_NE(choice.why.find("200 freedoms"), std::string::npos) << choice.why;
}

// Two hinges that do not cross, on one body: no joint of one kind; energy is kept, and a body of next to no
// mass between them makes no difference.
TEST(JointCoordinates, SeveralJointsOnABody) {
  const std::string one = "<joint name='A' axis='0 1 0'/>";
  const std::string two = "<joint name='B' axis='1 0 0' pos='0 0 0.2'/>";
  const std::string geom = "<geom type='box' size='0.1 0.2 0.3' pos='0.2 0.1 0.1'/>";
  const Mechanism together = from_mjcf(world("<body name='b'>" + one + two + geom + "</body>"));
  const Mechanism apart = from_mjcf(world("<body name='a'>" + one +
                                          "<inertial pos='0 0 0' mass='1e-9' diaginertia='1e-9 1e-9 1e-9'/>"
                                          "<body name='b'>" +
                                          two + geom + "</body></body>"));
  EXPECT_TRUE(choose_coordinates(together, Coordinates::Auto).joint);
  const RunResult a = run_in(together, Coordinates::Auto, 1);
  const RunResult b = run_in(apart, Coordinates::Joint, 1);
  for (const char* name : {"A.angle", "B.angle", "b.x", "b.z"}) {
    const auto x = signal(a, name);
    const auto y = signal(b, name);
    for (std::size_t k = 0; k < x.size(); ++k) EXPECT_NEAR(x[k], y[k], 1e-5) << name;
  }
  EXPECT_LT(testing::spread(a, "energy"), 1e-5);
  const auto refused = equations_of(together, {.coordinates = Coordinates::Body});
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().front().message.find("--coordinates joint"), std::string::npos);
}

}  // namespace
}  // namespace daedalus
