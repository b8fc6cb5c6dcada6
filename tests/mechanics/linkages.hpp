// Linkages that move although counting says that they cannot, or that have more hinges than they need: where
// some equations of their joints are redundant. All stand in a pose that closes.
#pragma once

#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "mechanics/mechanism_builder.hpp"

namespace daedalus::testing {

struct Linkage {
  std::string name;
  Mechanism mechanism;
  int mobility = 1;  // by geometry, not by counting
};

struct Line {
  Vec3 point;
  Vec3 direction;
};

inline Vec3 half_turn_about_z(const Vec3& v) {
  return {-v.x, -v.y, v.z};
}
inline Vec3 mirrored_in_xz(const Vec3& v) {
  return {v.x, -v.y, v.z};
}

// A link between two points, with three different moments of inertia.
inline BodyId link(MechanismBuilder& m, const std::string& name, const Vec3& from, const Vec3& to) {
  return m.body({.name = name,
                 .mass = 1,
                 .inertia = diagonal(0.06, 0.08, 0.1),
                 .pose = at({(from.x + to.x) / 2, (from.y + to.y) / 2, (from.z + to.z) / 2})});
}

// Hinges in a ring; the last link, between the last hinge and the first, is the ground.
inline Mechanism ring(const std::string& name, const std::vector<Line>& hinges) {
  MechanismBuilder m(name, Dimension::Spatial);
  BodyId last = ground;
  for (std::size_t k = 0; k + 1 < hinges.size(); ++k) {
    const BodyId next = link(m, "link" + std::to_string(k + 1), hinges[k].point, hinges[k + 1].point);
    m.revolute("H" + std::to_string(k + 1), last, next, hinges[k].point, hinges[k].direction);
    last = next;
  }
  m.revolute("H" + std::to_string(hinges.size()), last, ground, hinges.back().point, hinges.back().direction);
  return m.finish();
}

// A skew quadrilateral with equal opposite sides; each hinge is normal to both links that it joins.
inline std::vector<Line> bennett_hinges(double p, double q, double turn, double height) {
  const Vec3 a{p, 0, height};
  const Vec3 b{q * std::cos(turn), q * std::sin(turn), -height};
  const Vec3 corner[4] = {a, b, half_turn_about_z(a), half_turn_about_z(b)};
  std::vector<Line> hinges;
  for (int k = 0; k < 4; ++k) {
    const Vec3& here = corner[k];
    hinges.push_back({here, cross(corner[(k + 1) % 4] - here, corner[(k + 3) % 4] - here)});
  }
  return hinges;
}

// Two hinges that are mirror images of others, and two in the mirror's plane.
inline std::vector<Line> plane_symmetric_hinges() {
  const Line first{{0, 0, 0}, {1, 0, 0.3}};
  const Line second{{0.6, 0.8, 0.1}, {0.3, 0.5, 1}};
  const Line third{{1.3, 0.7, 0.5}, {1, -0.4, 0.6}};
  const Line fourth{{1.8, 0, 0.2}, {0.2, 0, 1}};
  const auto image = [](const Line& l) { return Line{mirrored_in_xz(l.point), mirrored_in_xz(l.direction)}; };
  return {first, second, third, fourth, image(third), image(second)};
}

// Three lines and those that a half-turn makes of them.
inline std::vector<Line> line_symmetric_hinges() {
  std::vector<Line> hinges{
      {{1, 0.2, 0.3}, {0.2, 1, 0.5}}, {{0.5, 0.9, -0.2}, {1, 0.1, 0.7}}, {{-0.4, 0.8, 0.4}, {0.3, -0.6, 1}}};
  for (std::size_t k = 0; k < 3; ++k)
    hinges.push_back({half_turn_about_z(hinges[k].point), half_turn_about_z(hinges[k].direction)});
  return hinges;
}

// Links of length 1 that turn the next hinge by right angles to either side, of threefold symmetry: with
// angles a and b at the hinges in turn it closes where cos a + cos b + cos a cos b = 0.
inline std::vector<Line> trihedral_hinges() {
  const double a = std::acos(0.5);
  const double b = std::acos(-0.5 / 1.5);
  Frame frame;
  std::vector<Line> hinges;
  for (int k = 0; k < 6; ++k) {
    hinges.push_back({frame.origin, frame.axes.z});
    frame = frame * Frame{.origin = {}, .axes = rotation({0, 0, 1}, k % 2 == 0 ? a : -b)} * at({1, 0, 0}) *
            Frame{.origin = {}, .axes = rotation({1, 0, 0}, (k % 2 == 0 ? 0.5 : -0.5) * std::numbers::pi)};
  }
  return hinges;
}

// Two of Bennett's linkages with a common link, which is left out; the links beside it at one end are one.
inline Mechanism goldberg() {
  const double a = 1;
  const double alpha = 0.7;
  const double turn = 1.1;  // at the hinge that becomes rigid
  const auto loop = [&](double beta) {
    const double b = a * std::sin(beta) / std::sin(alpha);
    const double k = std::sin((beta + alpha) / 2) / std::sin((beta - alpha) / 2);
    const double other = 2 * std::atan(k / std::tan(turn / 2));
    const auto step = [](double angle, double length, double twist) {
      return Frame{.origin = {}, .axes = rotation({0, 0, 1}, angle)} *
             Frame{.origin = {length, 0, 0}, .axes = rotation({1, 0, 0}, twist)};
    };
    const Frame p = step(0, a, alpha);  // the common link from the hinge at the origin
    const Frame third = p * step(other, b, beta);
    const Frame fourth = third * step(-turn, a, alpha);
    return std::vector<Line>{
        {p.origin, p.axes.z}, {third.origin, third.axes.z}, {fourth.origin, fourth.axes.z}};
  };
  const auto first = loop(1.2);
  const auto second = loop(0.4);
  return ring("Goldberg", {first[2], first[1], first[0], second[1], second[2]});
}

// Two chains of three parallel hinges each lift a plate.
inline Mechanism sarrus() {
  MechanismBuilder m("Sarrus", Dimension::Spatial);
  const BodyId plate = link(m, "plate", {0, 0, 1.2}, {1, 1, 1.2});
  const auto chain = [&](const std::string& name, const Vec3& foot, const Vec3& out, const Vec3& axis) {
    const Vec3 knee = foot + 0.8 * out + Vec3{0, 0, 0.6};
    const Vec3 top = foot + Vec3{0, 0, 1.2};
    const BodyId lower = link(m, name + "lower", foot, knee);
    const BodyId upper = link(m, name + "upper", knee, top);
    m.revolute(name + "1", ground, lower, foot, axis);
    m.revolute(name + "2", lower, upper, knee, axis);
    m.revolute(name + "3", upper, plate, top, axis);
  };
  chain("a", {1, 0.5, 0}, {1, 0, 0}, {0, 1, 0});
  chain("b", {0.5, 1, 0}, {0, 1, 0}, {1, 0, 0});
  return m.finish();
}

// One coupler on several parallel cranks of equal length.
inline Mechanism parallel_cranks(int count) {
  MechanismBuilder m("Cranks" + std::to_string(count), Dimension::Spatial);
  m.gravity({0, -9.81, 0});
  const Vec3 crank{0.6, 0.8, 0};
  const BodyId coupler = link(m, "coupler", crank, crank + Vec3{static_cast<double>(count - 1), 0, 0});
  for (int k = 0; k < count; ++k) {
    const Vec3 foot{static_cast<double>(k), 0.3 * (k % 2), 0};
    const BodyId body = link(m, "crank" + std::to_string(k), foot, foot + crank);
    m.revolute("foot" + std::to_string(k), ground, body, foot);
    m.revolute("head" + std::to_string(k), body, coupler, foot + crank);
  }
  return m.finish();
}

// Peaucellier and Lipkin's straight line: with O at the origin and Q at a distance, a rhombus on two arms.
inline Mechanism peaucellier() {
  MechanismBuilder m("Peaucellier", Dimension::Spatial);
  m.gravity({0, -9.81, 0});
  const double arm = 3;
  const double side = 1;
  const double crank = 1.4;
  const double angle = 0.4;  // of the crank, at Q
  const Vec3 q{crank, 0, 0};
  const Vec3 p = q + Vec3{crank * std::cos(angle), crank * std::sin(angle), 0};  // on a circle through O
  const double op = norm(p);
  const Vec3 along = (1 / op) * p;
  const Vec3 across{-along.y, along.x, 0};
  // Corners A and B with |OA| = arm, |PA| = side.
  const double u = (op * op + arm * arm - side * side) / (2 * op);
  const double v = std::sqrt(arm * arm - u * u);
  const Vec3 a = u * along + v * across;
  const Vec3 b = u * along - v * across;
  const Vec3 far = (2 * u - op) * along;
  const BodyId oa = link(m, "oa", {}, a);
  const BodyId ob = link(m, "ob", {}, b);
  const BodyId pa = link(m, "pa", p, a);
  const BodyId pb = link(m, "pb", p, b);
  const BodyId fa = link(m, "fa", far, a);
  const BodyId fb = link(m, "fb", far, b);
  const BodyId qp = link(m, "qp", q, p);
  m.revolute("O1", ground, oa, {});
  m.revolute("O2", ground, ob, {});
  m.revolute("Q", ground, qp, q);
  m.revolute("A1", oa, pa, a);
  m.revolute("A2", oa, fa, a);
  m.revolute("B1", ob, pb, b);
  m.revolute("B2", ob, fb, b);
  m.revolute("P1", qp, pa, p);
  m.revolute("P2", qp, pb, p);
  m.revolute("F", fa, fb, far);
  m.marker("F", fa, far);
  return m.finish();
}

// Crossed rods on a hinge and a slider.
inline Mechanism scissors(int stages) {
  MechanismBuilder m("Scissors" + std::to_string(stages), Dimension::Spatial);
  m.gravity({0, -9.81, 0});
  const double w = 0.8;
  const double h = 0.6;
  BodyId left;
  BodyId right;
  const BodyId slider = link(m, "slider", {w, 0, 0}, {w, 0, 0});
  m.prismatic("slide", ground, slider, {w, 0, 0}, {1, 0, 0});
  for (int k = 0; k < stages; ++k) {
    const double y = h * k;
    const std::string n = std::to_string(k);
    const BodyId up = link(m, "up" + n, {0, y, 0}, {w, y + h, 0});
    const BodyId down = link(m, "down" + n, {w, y, 0}, {0, y + h, 0});
    m.revolute("cross" + n, up, down, {w / 2, y + h / 2, 0});
    m.revolute("left" + n, k == 0 ? ground : left, up, {0, y, 0});
    m.revolute("right" + n, k == 0 ? slider : right, down, {w, y, 0});
    left = down;
    right = up;
  }
  return m.finish();
}

// Oldham's coupling of two shafts that are not in line.
inline Mechanism oldham() {
  MechanismBuilder m("Oldham", Dimension::Spatial);
  const Vec3 first{0, 0, 0};
  const Vec3 second{0.1, 0.2, 0};
  const Vec3 middle{0.1, 0, 0.1};
  const BodyId one = link(m, "one", first, first);
  const BodyId cross = link(m, "cross", middle, middle);
  const BodyId two = link(m, "two", second, second);
  m.revolute("A", ground, one, first);
  m.prismatic("X", one, cross, middle, {1, 0, 0});
  m.prismatic("Y", cross, two, middle, {0, 1, 0});
  m.revolute("B", two, ground, second);
  Mechanism made = m.finish();
  made.bodies[0].angular_velocity = Vec3{0, 0, 2};
  return made;
}

// A rod whose ends slide along the axes of a cross.
inline Mechanism trammel() {
  MechanismBuilder m("Trammel", Dimension::Spatial);
  m.gravity({0, -9.81, 0});
  const BodyId x = link(m, "along x", {0.6, 0, 0}, {0.6, 0, 0});
  const BodyId y = link(m, "along y", {0, 0.8, 0}, {0, 0.8, 0});
  const BodyId rod = link(m, "rod", {0.6, 0, 0}, {0, 0.8, 0});
  m.prismatic("X", ground, x, {0.6, 0, 0}, {1, 0, 0});
  m.prismatic("Y", ground, y, {0, 0.8, 0}, {0, 1, 0});
  m.revolute("A", x, rod, {0.6, 0, 0});
  m.revolute("B", y, rod, {0, 0.8, 0});
  return m.finish();
}

// A chain of leaves, each on several hinges along one line.
inline Mechanism doors(int leaves, int hinges, const Vec3& axis = {0, 0, 1}) {
  MechanismBuilder m("Doors" + std::to_string(leaves) + std::to_string(hinges), Dimension::Spatial);
  m.gravity({0, -3, -9});
  BodyId last = ground;
  for (int k = 0; k < leaves; ++k) {
    const Vec3 foot{static_cast<double>(k), 0, 0};
    const BodyId leaf = link(m, "leaf" + std::to_string(k), foot, foot + Vec3{1, 0, 0});
    for (int i = 0; i < hinges; ++i)
      m.revolute("H" + std::to_string(k) + "." + std::to_string(i), last, leaf, foot + (0.8 * i) * axis,
                 axis);
    last = leaf;
  }
  return m.finish();
}

// Four rods on parallel hinges, in a plane that stands as it likes.
inline Mechanism four_bar(const Frame& plane, double crank, double coupler, double rocker, double base,
                          double angle) {
  MechanismBuilder m("FourBar", Dimension::Spatial);
  const Vec3 a{crank * std::cos(angle), crank * std::sin(angle), 0};
  const Vec3 d{base, 0, 0};
  const Vec3 ad = d - a;
  const double length = norm(ad);
  const double u = (length * length + coupler * coupler - rocker * rocker) / (2 * length);
  const double v = std::sqrt(coupler * coupler - u * u);
  const Vec3 along = (1 / length) * ad;
  const Vec3 b = a + u * along + v * Vec3{-along.y, along.x, 0};
  const auto place = [&](const Vec3& p) { return plane.origin + plane.axes * p; };
  const BodyId first = link(m, "crank", place({}), place(a));
  const BodyId second = link(m, "coupler", place(a), place(b));
  const BodyId third = link(m, "rocker", place(d), place(b));
  const Vec3 axis = plane.axes.z;
  m.revolute("O", ground, first, place({}), axis);
  m.revolute("A", first, second, place(a), axis);
  m.revolute("B", second, third, place(b), axis);
  m.revolute("D", third, ground, place(d), axis);
  return m.finish();
}

// A plate on six legs that lengthen, turned by a right angle: the lengths of the legs do not hold it there.
inline Mechanism stewart(bool legs_lengthen) {
  MechanismBuilder m(legs_lengthen ? "Stewart" : "StewartLocked", Dimension::Spatial);
  const BodyId plate =
      m.body({.name = "plate", .mass = 3, .inertia = diagonal(0.3, 0.3, 0.5), .pose = at({0, 0, 1})});
  const auto on_circle = [](double radius, double angle, double z) {
    return Vec3{radius * std::cos(angle), radius * std::sin(angle), z};
  };
  const double quarter = 0.5 * std::numbers::pi;
  for (int k = 0; k < 6; ++k) {
    const double side = k % 2 == 0 ? -1 : 1;
    const double third = 2 * std::numbers::pi / 3 * (k / 2);
    const Vec3 foot = on_circle(1, third + side * 0.3, 0);
    const Vec3 head = on_circle(0.5, third + side * 0.75 + quarter, 1);
    const std::string n = std::to_string(k + 1);
    if (!legs_lengthen) {
      m.distance("leg" + n, ground, plate, foot, head);
      continue;
    }
    const Vec3 along = head - foot;
    const BodyId lower = link(m, "lower" + n, foot, foot + 0.5 * along);
    const BodyId upper = link(m, "upper" + n, foot + 0.5 * along, head);
    m.joint("foot" + n, JointKind::Universal, ground, lower, at(foot, axes_with_z({0, 1, 0})));
    m.prismatic("leg" + n, lower, upper, foot + 0.5 * along, along);
    m.spherical("head" + n, upper, plate, head);
    m.force(Spring{.name = "spring" + n,
                   .first = ground,
                   .second = plate,
                   .on_first = foot,
                   .on_second = head - Vec3{0, 0, 1},
                   .stiffness = 400,
                   .damping = 0,
                   .natural_length = norm(along)});
  }
  return m.finish();
}

inline std::vector<Linkage> redundant_linkages() {
  std::vector<Linkage> all;
  const auto add = [&](Mechanism made, int mobility) {
    std::string name = made.name;
    all.push_back({.name = std::move(name), .mechanism = std::move(made), .mobility = mobility});
  };
  add(ring("Bennett", bennett_hinges(1, 0.7, 1.2, 0.3)), 1);
  add(ring("BennettFlat", bennett_hinges(1, 0.9, 1.5, 0.1)), 1);
  add(ring("BennettTall", bennett_hinges(0.5, 0.8, 1.9, 0.9)), 1);
  add(goldberg(), 1);
  add(ring("BricardLine", line_symmetric_hinges()), 1);
  add(ring("BricardPlane", plane_symmetric_hinges()), 1);
  add(ring("BricardTrihedral", trihedral_hinges()), 1);
  add(sarrus(), 1);
  for (const int count : {2, 3, 6}) add(parallel_cranks(count), 1);
  add(peaucellier(), 1);
  for (const int stages : {1, 2, 4}) add(scissors(stages), 1);
  add(oldham(), 1);
  add(trammel(), 1);
  add(doors(1, 2), 1);
  add(doors(1, 3), 1);
  add(doors(3, 2, {0, 1, 0}), 3);
  add(doors(2, 4, {0, 0.6, 0.8}), 2);
  add(four_bar({}, 0.5, 1.2, 1, 1.3, 0.7), 1);
  add(four_bar(at({0.3, -0.2, 0.5}, rotation({0.36, 0.48, 0.8}, 0.9)), 0.5, 1.2, 1, 1.3, 0.7), 1);
  all.back().name = "FourBarTilted";
  add(stewart(true), 6);
  return all;
}

}  // namespace daedalus::testing
