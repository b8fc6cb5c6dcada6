// The two engines agree: mechanisms of bodies against the same mechanisms as equations, mostly in other
// coordinates.
#include "mechanics/support.hpp"

namespace daedalus {
namespace {

using testing::from_text;
using testing::problem;
using testing::run;
using testing::run_auto;
using testing::signal;
using testing::system_of;

constexpr double rtol = 1e-7;

struct Same {
  std::string mechanism;
  std::string text;
};

void expect_agreement(const Mechanism& mechanism, const DaeSystem& text, double until,
                      const std::vector<Same>& names) {
  const RunResult bodies = run_auto(mechanism, until, rtol, 51);
  const RunResult equations =
      run(text, "auto", {.integrator = "auto", .until = until, .tolerance = rtol, .points = 51});
  for (const Same& same : names) {
    const auto a = signal(bodies, same.mechanism);
    const auto b = signal(equations, same.text);
    ASSERT_EQ(a.size(), b.size());
    double size = 1;
    for (const double value : b) size = std::max(size, std::abs(value));
    for (std::size_t k = 0; k < a.size(); ++k)
      EXPECT_NEAR(a[k], b[k], 20 * rtol * size)
          << mechanism.name << ": " << same.mechanism << " at point " << k;
  }
}

TEST(Agreement, CompoundPendulumInItsAngle) {
  MechanismBuilder m("Rod", Dimension::Planar);
  const BodyId rod = m.rod("rod", {}, {1, 0, 0}, 2);
  m.revolute("A", ground, rod, {});
  expect_agreement(m.finish(), from_text(R"(model Rod
    Real phi(fixed = true), w(fixed = true);
  equation der(phi) = w; der(w)*2/3 = -9.81*cos(phi); end Rod;)"),
                   2, {{"rod.phi", "phi"}});
}

TEST(Agreement, PointPendulumInCartesianCoordinates) {
  MechanismBuilder m("Point", Dimension::Planar);
  const BodyId mass = m.body({.name = "m", .kind = BodyKind::Point, .mass = 1, .pose = at({1, 0, 0})});
  m.distance("rod", ground, mass, {}, {1, 0, 0});
  expect_agreement(m.finish(), from_text(R"(model Point
    Real x(start = 1), y(start = 0, fixed = true), vx, vy(fixed = true), l;
  equation der(x) = vx; der(y) = vy; der(vx) = -l*x; der(vy) = -l*y - 9.81; x^2 + y^2 = 1; end Point;)"),
                   2, {{"m.x", "x"}, {"m.y", "y"}, {"joint rod: tension", "l"}});
}

TEST(Agreement, DoublePendulumOfPoints) {
  MechanismBuilder m("Double", Dimension::Planar);
  const BodyId a = m.body({.name = "a", .kind = BodyKind::Point, .mass = 1, .pose = at({1, 0, 0})});
  const BodyId b = m.body({.name = "b", .kind = BodyKind::Point, .mass = 1, .pose = at({1, 1, 0})});
  m.distance("first", ground, a, {}, {1, 0, 0});
  m.distance("second", a, b, {1, 0, 0}, {1, 1, 0});
  expect_agreement(m.finish(), from_text(R"(model Double
    Real p(start = 1.5707963267948966, fixed = true), q(start = 3.141592653589793, fixed = true), u(fixed = true), v(fixed = true), x, y;
  equation der(p) = u; der(q) = v;
    2*der(u) + der(v)*cos(p - q) + v^2*sin(p - q) + 2*9.81*sin(p) = 0;
    der(v) + der(u)*cos(p - q) - u^2*sin(p - q) + 9.81*sin(q) = 0;
    x = sin(p) + sin(q); y = -cos(p) - cos(q);
  end Double;)"),
                   0.8, {{"b.x", "x"}, {"b.y", "y"}});
}

TEST(Agreement, CartWithAPendulum) {
  MechanismBuilder m("Cart", Dimension::Planar);
  const BodyId cart = m.body({.name = "cart", .mass = 3, .inertia = about_z(1)});
  const BodyId bob = m.rod("bob", {}, {1, 0, 0}, 1);
  m.prismatic("rail", ground, cart, {}, {1, 0, 0});
  m.revolute("pin", cart, bob, {});
  expect_agreement(m.finish(), from_text(R"(model Cart
    Real x(fixed = true), phi(fixed = true), v(fixed = true), w(fixed = true);
  equation der(x) = v; der(phi) = w;
    4*der(v) - 0.5*sin(phi)*der(w) - 0.5*cos(phi)*w^2 = 0;
    der(w)/3 - 0.5*sin(phi)*der(v) + 0.5*9.81*cos(phi) = 0;
  end Cart;)"),
                   1.5, {{"cart.x", "x"}, {"bob.phi", "phi"}});
}

TEST(Agreement, ElasticPendulum) {
  MechanismBuilder m("Elastic", Dimension::Planar);
  const BodyId mass = m.body({.name = "m", .kind = BodyKind::Point, .mass = 1, .pose = at({1, 0, 0})});
  m.force(Spring{
      .name = "S", .first = ground, .second = mass, .stiffness = 40, .damping = 0.3, .natural_length = 0.8});
  expect_agreement(m.finish(), from_text(R"(model Elastic
    Real r(start = 1, fixed = true), a(fixed = true), u(fixed = true), w(fixed = true), x, y;
  equation der(r) = u; der(a) = w;
    der(u) - r*w^2 = -40*(r - 0.8) - 0.3*u - 9.81*sin(a);
    r*der(w) + 2*u*w = -9.81*cos(a);
    x = r*cos(a); y = r*sin(a);
  end Elastic;)"),
                   2, {{"m.x", "x"}, {"m.y", "y"}});
}

// Body coordinates in both, but one written by hand.
TEST(Agreement, NFourBar) {
  expect_agreement(testing::n_four_bar(2, Dimension::Planar), problem("n_four_bar.mo"), 0.6,
                   {{"B0.x", "B0x"}, {"B0.y", "B0y"}, {"coupler2.x", "X[2]"}, {"energy", "energy"}});
}

// Crank and rocker with point masses at their ends, each kept in its plane, and a rod between them.
TEST(Agreement, SpatialFourBarOfPoints) {
  const double alpha = 0.5235987755982988, beta = 0.3490658503988659, omega = 3;
  MechanismBuilder m("Spatial", Dimension::Spatial);
  // Positions near the text's start; assembly closes the rest.
  Body a{.name = "A", .kind = BodyKind::Point, .mass = 1, .pose = at({-1, 0, 0})};
  a.velocity = Vec3{0, -omega * std::cos(alpha), -omega * std::sin(alpha)};
  const BodyId first = m.body(a);
  const BodyId second =
      m.body({.name = "B", .kind = BodyKind::Point, .mass = 1, .pose = at({1.75, 0.53, -1.47})});
  const Joint distance{.name = "crank", .kind = JointKind::Distance, .second = first, .size = 1};
  m.joint(distance);
  m.joint({.name = "crank plane",
           .kind = JointKind::PointOnPlane,
           .second = first,
           .on_first = at({}, axes_with_z({0, -std::sin(alpha), std::cos(alpha)}))});
  m.joint({.name = "rocker",
           .kind = JointKind::Distance,
           .second = second,
           .on_first = at({3, 0, 0}),
           .size = 2});
  m.joint({.name = "rocker plane",
           .kind = JointKind::PointOnPlane,
           .second = second,
           .on_first = at({3, 0, 0}, axes_with_z({0, std::cos(beta), std::sin(beta)}))});
  m.joint({.name = "rod",
           .kind = JointKind::Distance,
           .first = first,
           .second = second,
           .size = std::sqrt(10.0)});
  Mechanism mechanism = m.finish();
  DaeSystem text = problem("spatial_four_bar.mo");
  const RunResult equations =
      run(text, "auto", {.integrator = "auto", .until = 1, .tolerance = rtol, .points = 51});
  // The same start: the text holds ya and its speed.
  for (Body& body : mechanism.bodies) {
    const std::string which = body.name == "A" ? "a" : "b";
    body.pose = at({signal(equations, "x" + which)[0], signal(equations, "y" + which)[0],
                    signal(equations, "z" + which)[0]});
    body.velocity = Vec3{signal(equations, "u" + which)[0], signal(equations, "v" + which)[0],
                         signal(equations, "w" + which)[0]};
  }
  expect_agreement(mechanism, text, 1, {{"A.x", "xa"}, {"A.y", "ya"}, {"B.z", "zb"}, {"energy", "energy"}});
}

// Euler's equations of a free body.
TEST(Agreement, FreeBodyByEulersEquations) {
  expect_agreement(testing::dzhanibekov(), from_text(R"(model Free
    Real a(start = 0.1, fixed = true), b(start = 3, fixed = true), c(fixed = true), energy;
  equation
    der(a) = (2 - 2.5)*b*c; 2*der(b) = (2.5 - 1)*c*a; 2.5*der(c) = (1 - 2)*a*b;
    energy = (a^2 + 2*b^2 + 2.5*c^2)/2;
  end Free;)"),
                   3, {{"kinetic energy", "energy"}});
}

// A symmetric top in Euler's angles: precession p, nutation n.
TEST(Agreement, HeavyTopInEulersAngles) {
  const double mass = 2, length = 0.5, j1 = 0.3, j3 = 0.2, n = 0.7, spin = 20;
  MechanismBuilder m("Top", Dimension::Spatial);
  const Mat3 axes = rotation({1, 0, 0}, n);
  Body top{.name = "top", .mass = mass, .inertia = diagonal(j1, j1, j3), .pose = at(length * axes.z, axes)};
  top.angular_velocity = spin * axes.z;
  top.velocity = Vec3{};
  const BodyId body = m.body(top);
  m.spherical("O", ground, body, {});
  // H3 = J3 ω3 is constant; pz = J p' sin² n + H3 cos n as well. Released without precession: pz = H3 cos n0.
  expect_agreement(m.finish(), from_text(R"(model Top
    parameter Real J = 0.3 + 2*0.25, H = 0.2*20, pz = H*cos(0.7);
    Real n(start = 0.7, fixed = true), p(fixed = true), u(fixed = true), v, z, x;
  equation der(n) = u; der(p) = v;
    v = (pz - H*cos(n))/(J*sin(n)^2);
    J*der(u) = J*v^2*sin(n)*cos(n) - H*v*sin(n) + 2*9.81*0.5*sin(n);
    z = 0.5*cos(n); x = 0.5*sin(n)*sin(p);
  end Top;)"),
                   1, {{"top.z", "z"}, {"top.x", "x"}});
}

// A slider crank released from rest, in the angle of the crank and the slider's place.
TEST(Agreement, SliderCrankReleased) {
  MechanismBuilder m("SliderCrank", Dimension::Planar);
  const double a = 1.0;
  const Vec3 tip{std::cos(a), std::sin(a), 0};
  const Vec3 pin{tip.x + std::sqrt(4 - tip.y * tip.y), 0, 0};
  const BodyId crank = m.rod("crank", {}, tip, 1);
  const BodyId rod = m.body({.name = "rod", .kind = BodyKind::Point, .mass = 2, .pose = at(pin)});
  m.revolute("A", ground, crank, {});
  m.distance("B", crank, rod, tip, pin);
  m.joint({.name = "guide", .kind = JointKind::PointOnLine, .second = rod});
  expect_agreement(m.finish(), from_text(R"(model SliderCrank
    Real phi(start = 1, fixed = true), w(fixed = true), x(start = 2.3), v, l;
  equation der(phi) = w; der(x) = v;
    der(w)/3 = -0.5*9.81*cos(phi) - l*x*sin(phi);
    2*der(v) = -l*(x - cos(phi));
    (x - cos(phi))^2 + sin(phi)^2 = 4;
  end SliderCrank;)"),
                   0.5, {{"crank.phi", "phi"}, {"rod.x", "x"}});
}

// Andrews' squeezer: seven bodies, three loops to one point, a spring and a torque.
TEST(Agreement, AndrewsSqueezer) {
  expect_agreement(testing::andrews(), problem("andrews.mo"), 0.01,
                   {{"K1.phi", "beta"}, {"spring arm.phi", "gamma"}});
}

}  // namespace
}  // namespace daedalus
