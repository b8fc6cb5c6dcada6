// Initial values of models whose consistent values are known by geometry or circuit laws: whatever of them is
// given, in whatever units and in whatever order the equations stand, the rest follows.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "consistent/support.hpp"

namespace daedalus {
namespace {

using testing::Started;

// Positions are solved for to rounding, velocities and forces divide by lengths of about 1.
constexpr double rounding = 1e-12;

// A pendulum at an angle from the downward vertical and with an angular velocity, of which some values are
// given.
struct Pendulum {
  double angle, speed, length, gravity;
  [[nodiscard]] double x() const { return length * std::sin(angle); }
  [[nodiscard]] double y() const { return -length * std::cos(angle); }
  [[nodiscard]] double u() const { return length * speed * std::cos(angle); }
  [[nodiscard]] double w() const { return length * speed * std::sin(angle); }
  // λ of u' = -λ x, w' = -λ y - g: λ L² = v² - g y.
  [[nodiscard]] double multiplier() const {
    return (u() * u() + w() * w() - gravity * y()) / (length * length);
  }
};

std::string pendulum_text(const Pendulum& p, const std::string& given) {
  const auto start = [&](const char* name, double value, double guess) {
    const bool is_given = given.find(name) != std::string::npos;
    return fmt::format("{}(start={:.17g}{})", name, is_given ? value : guess, is_given ? ",fixed=true" : "");
  };
  // What is not given gets a rough guess, which decides between the two solutions.
  return fmt::format(
      "Real {}, {}, {}, {}, l; equation der(x)=u; der(y)=w; der(u)=-l*x; der(w)=-l*y-{:.17g}; "
      "x^2+y^2={:.17g};",
      start("x", p.x(), p.x() > 0 ? p.length : -p.length),
      start("y", p.y(), p.y() > 0 ? p.length : -p.length), start("u", p.u(), 0), start("w", p.w(), 0),
      p.gravity, p.length * p.length);
}

TEST(StartFamilies, APendulumFollowsFromOnePositionAndOneVelocity) {
  for (const double angle : {0.3, 1.2, 2.0, -0.7, -2.6}) {
    for (const char* given : {"xu", "xw", "yu", "yw"}) {
      const Pendulum p{.angle = angle, .speed = 1.5, .length = 2, .gravity = 9.81};
      const Started m(pendulum_text(p, given));
      ASSERT_TRUE(m.ok()) << given << " at " << angle << ": " << m.outcome.reason;
      EXPECT_NEAR(m.value("x"), p.x(), rounding) << given;
      EXPECT_NEAR(m.value("y"), p.y(), rounding) << given;
      EXPECT_NEAR(m.value("u"), p.u(), 10 * rounding) << given;
      EXPECT_NEAR(m.value("w"), p.w(), 10 * rounding) << given;
      EXPECT_NEAR(m.value("l"), p.multiplier(), 100 * rounding) << given;
    }
  }
}

// In millimetres, metres and kilometres the same pendulum stands in the same place.
TEST(StartFamilies, UnitsDoNotMatter) {
  const Pendulum metres{.angle = 0.9, .speed = 0.7, .length = 1.5, .gravity = 9.81};
  for (const double unit : {1e-3, 1e3, 1e6}) {
    Pendulum p = metres;
    p.length *= unit;
    p.gravity *= unit;
    const Started m(pendulum_text(p, "xu"));
    ASSERT_TRUE(m.ok()) << unit << ": " << m.outcome.reason;
    EXPECT_NEAR(m.value("y") / unit, metres.y(), rounding) << unit;
    EXPECT_NEAR(m.value("w") / unit, metres.w(), 10 * rounding) << unit;
    EXPECT_NEAR(m.value("l"), metres.multiplier(), 100 * rounding) << unit;
  }
}

// The nearest point of the circle lies on the ray through the guess, and the nearest velocity is the guess
// without its part along the rod.
TEST(StartFamilies, GuessesMoveToTheNearestPoint) {
  std::mt19937 random(6);
  std::uniform_real_distribution<double> number(-2, 2);
  for (int trial = 0; trial < 20; ++trial) {
    const double x = number(random);
    const double y = number(random);
    if (std::hypot(x, y) < 0.2) continue;  // every point of the circle is as near
    const double u = number(random);
    const double w = number(random);
    const Started m(fmt::format(
        "Real x(start={:.17g}), y(start={:.17g}), u(start={:.17g}), w(start={:.17g}), l; equation der(x)=u; "
        "der(y)=w; der(u)=-l*x; der(w)=-l*y; x^2+y^2=1;",
        x, y, u, w));
    ASSERT_TRUE(m.ok()) << m.outcome.reason;
    const double r = std::hypot(x, y);
    const double along = (u * x + w * y) / r;
    // The search ends at steps of 1e-7; velocities pull at positions a little, since both are moved at once.
    EXPECT_NEAR(std::hypot(m.value("x"), m.value("y")), 1, rounding);
    EXPECT_NEAR(m.value("x") * m.value("u") + m.value("y") * m.value("w"), 0, rounding);
    const double moved = std::hypot(m.value("x") - x, m.value("y") - y, 0.0);
    const double turned = std::hypot(m.value("u") - (u - along * x / r), m.value("w") - (w - along * y / r));
    const double straight = std::abs(r - 1);
    // No other choice is nearer by all four values together, each measured by its scale, which is 1 to 2.
    const double found = std::hypot(moved, std::hypot(m.value("u") - u, m.value("w") - w));
    EXPECT_LE(found, 2 * std::hypot(straight, along)) << trial;
    if (along == 0) {
      EXPECT_NEAR(turned, 0, 1e-6);
    }
  }
}

// Capacitors in a loop with a source: the charge of a node that nothing connects to ground is decided by what
// is given.
TEST(StartFamilies, CapacitorsInALoopShareTheSource) {
  for (const double given : {0.5, 1.0, 2.5}) {
    const Started m(fmt::format(
        "parameter Real C1=2, C2=3, U=4; Real v1(start={},fixed=true), v2, i; equation C1*der(v1)=i-v1; "
        "C2*der(v2)=i; v1+v2=U;",
        given));
    ASSERT_TRUE(m.ok()) << m.outcome.reason;
    EXPECT_NEAR(m.value("v2"), 4 - given, rounding);
    // v1' + v2' = 0: (i - v1)/2 + i/3 = 0.
    EXPECT_NEAR(m.value("i"), (given / 2) / (1.0 / 2 + 1.0 / 3), rounding);
  }
}

// The order of equations and declarations is no part of a model.
TEST(StartFamilies, OrderDoesNotMatter) {
  std::vector<std::string> equations{"der(x1) = u1",
                                     "der(y1) = w1",
                                     "der(x2) = u2",
                                     "der(y2) = w2",
                                     "der(u1) = -2*x1*l1 + 2*(x2 - x1)*l2",
                                     "der(w1) = -9.81 - 2*y1*l1 + 2*(y2 - y1)*l2",
                                     "der(u2) = -2*(x2 - x1)*l2",
                                     "der(w2) = -9.81 - 2*(y2 - y1)*l2",
                                     "x1^2 + y1^2 = 1",
                                     "(x2 - x1)^2 + (y2 - y1)^2 = 1"};
  std::vector<std::string> variables{"x1(start=0.6,fixed=true)",
                                     "y1(start=-1)",
                                     "u1(start=0.5,fixed=true)",
                                     "w1",
                                     "x2(start=1.2,fixed=true)",
                                     "y2(start=-2)",
                                     "u2(start=-1,fixed=true)",
                                     "w2",
                                     "l1",
                                     "l2"};
  std::mt19937 random(8);
  for (int trial = 0; trial < 6; ++trial) {
    std::string text = "Real ";
    for (std::size_t k = 0; k < variables.size(); ++k) text += (k == 0 ? "" : ", ") + variables[k];
    text += "; equation ";
    for (const std::string& equation : equations) text += equation + "; ";
    const Started m(text);
    ASSERT_TRUE(m.ok()) << m.outcome.reason;
    EXPECT_NEAR(m.value("y1"), -0.8, rounding);
    EXPECT_NEAR(m.value("y2"), -1.6, rounding);
    EXPECT_NEAR(m.value("w1"), 0.5 * 0.6 / 0.8, rounding);             // x u + y w = 0
    EXPECT_NEAR(m.value("w2"), 0.375 + (-1.5 * 0.6 / 0.8), rounding);  // of the second rod
    EXPECT_LT(m.largest_residual(), 100 * rounding);
    std::ranges::shuffle(equations, random);
    std::ranges::shuffle(variables, random);
  }
}

// At rest: initial equations that say what does not move.
TEST(StartFamilies, SteadyStatesFollowFromRatesThatAreZero) {
  for (const double flow : {0.2, 1.0, 5.0}) {
    const Started tank(
        fmt::format("Real h(start=1), k(start=1), q; initial equation der(h) = 0; der(k) = 0; equation "
                    "der(h) = {} - q; q = "
                    "2*sqrt(h); der(k) = q - 3*sqrt(k);",
                    flow));
    ASSERT_TRUE(tank.ok()) << tank.outcome.reason;
    EXPECT_NEAR(tank.value("h"), flow * flow / 4, rounding * (1 + flow * flow));
    EXPECT_NEAR(tank.value("k"), flow * flow / 9, rounding * (1 + flow * flow));
  }
  const Started reaction(
      "Real a(start=0.5), b(start=0.5); initial equation der(a) = 0; equation der(a) = -3*a + 2*b; a + b = "
      "1;");
  ASSERT_TRUE(reaction.ok()) << reaction.outcome.reason;
  EXPECT_NEAR(reaction.value("a"), 0.4, rounding);
}

// Parameters with fixed = false follow from conditions on values.
TEST(StartFamilies, UnknownParametersFollowFromTheConditions) {
  for (const double wanted : {0.5, 2.0}) {
    const Started m(
        fmt::format("parameter Real k(fixed=false,start=1); Real x(start=1,fixed=true), f; initial equation "
                    "f = {}; equation "
                    "der(x) = -f; f = k*x^2;",
                    wanted));
    ASSERT_TRUE(m.ok()) << m.outcome.reason;
    EXPECT_NEAR(m.value("f"), wanted, rounding);
    EXPECT_NEAR(m.largest_residual(), 0, rounding);
  }
}

// A four-bar linkage: from the crank's angle the two others, by the law of cosines.
TEST(StartFamilies, ALinkageClosesAtEveryAngle) {
  const double ground = 4;
  const double crank = 1;
  const double coupler = 3.5;
  const double rocker = 3;
  for (double angle = 0.3; angle < 6; angle += 0.7) {
    const Started m(fmt::format(
        "Real a(start={:.17g},fixed=true), b(start=0.8), c(start=1.9), v(start=1,fixed=true), p; equation "
        "der(a)=v; der(v)=0*p; {}*cos(a)+{}*cos(b)={}+{}*cos(c); {}*sin(a)+{}*sin(b)={}*sin(c); p=b+c;",
        angle, crank, coupler, ground, rocker, crank, coupler, rocker));
    ASSERT_TRUE(m.ok()) << angle << ": " << m.outcome.reason;
    // From the crank's pin to the rocker's pivot.
    const double dx = ground - crank * std::cos(angle);
    const double dy = -crank * std::sin(angle);
    const double d = std::hypot(dx, dy);
    const double bend = std::acos((coupler * coupler + d * d - rocker * rocker) / (2 * coupler * d));
    const double open = std::atan2(dy, dx) + bend;  // the branch above, where the guess is
    EXPECT_NEAR(std::remainder(m.value("b") - open, 2 * std::numbers::pi), 0, 10 * rounding) << angle;
  }
}

// What contradicts itself is refused, and the message names a row that is in the contradiction.
TEST(StartFamilies, ContradictionsAreNamed) {
  struct Row {
    const char* text;
    const char* named;
  };
  for (const Row& row :
       {Row{"Real x(start=1,fixed=true), y(start=1,fixed=true), s; equation der(x)=1; der(y)=s; x+y=5;",
            "x = 1 and y = 1"},
        Row{"Real x(start=3,fixed=true), y, u, w, l; equation der(x)=u; der(y)=w; der(u)=-l*x; der(w)=-l*y; "
            "x^2+y^2=4;",
            "x = 3"},
        Row{"Real a(start=1,fixed=true), b(start=1,fixed=true); equation der(a)=b; der(b)=a; assert(a > 0, "
            "\"\");"
            " initial equation a + b = 3;",
            "a = 1 and b = 1"}}) {
    std::string text = row.text;
    if (const auto at = text.find(" initial equation"); at != std::string::npos) {
      const std::string initial = text.substr(at);
      text = text.substr(0, at);
      text.insert(text.find("equation"), initial.substr(1) + " ");
    }
    const Started m(text);
    EXPECT_FALSE(m.ok()) << text;
    ASSERT_FALSE(m.outcome.diagnostics.empty()) << text << m.outcome.reason;
    const std::string& message = m.outcome.diagnostics.front().message;
    EXPECT_NE(message.find(row.named), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace daedalus
