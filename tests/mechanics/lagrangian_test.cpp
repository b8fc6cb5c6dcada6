// Energies in, equations out: against equations written by hand, and against the mechanics of bodies.
#include "mechanics/lagrangian.hpp"

#include "mechanics/support.hpp"

namespace daedalus {
namespace {

using testing::difference;
using testing::final_value;
using testing::from_text;
using testing::largest;
using testing::run;
using testing::run_auto;
using testing::spread;

constexpr testing::Setting tight{.integrator = "auto", .until = 3, .tolerance = 1e-10, .points = 61};

DaeSystem built(ModelBuilder& model) {
  auto system = model.build();
  EXPECT_TRUE(system.has_value()) << (system ? "" : render(system.error(), SourceMap{}));
  return system ? *std::move(system) : DaeSystem{};
}

// Point masses on two rods, in angles: the equations in every textbook.
TEST(Lagrangian, DoublePendulumHasTheTextbooksEquations) {
  ModelBuilder model("Double");
  const Expr a = model.variable("a", {.start = 1}), b = model.variable("b", {.start = 2});
  const double g = 9.81;
  const Expr x1 = sin(a), y1 = -cos(a), x2 = x1 + sin(b), y2 = y1 - cos(b);
  const auto square = [](const Expr& e) { return e * e; };
  add_lagrangian(model,
                 {.coordinates = {a, b},
                  .kinetic = 0.5 * (square(der(x1)) + square(der(y1)) + square(der(x2)) + square(der(y2))),
                  .potential = g * (y1 + y2)});
  const DaeSystem derived = built(model);
  const DaeSystem written = from_text(R"(model Double
    Real a(start = 1, fixed = true), b(start = 2, fixed = true), u(fixed = true), v(fixed = true);
  equation
    der(a) = u; der(b) = v;
    2*der(u) + der(v)*cos(a - b) + v^2*sin(a - b) + 2*9.81*sin(a) = 0;
    der(v) + der(u)*cos(a - b) - u^2*sin(a - b) + 9.81*sin(b) = 0;
  end Double;)");
  // Chaos makes 1e4 of a tolerance in three seconds.
  EXPECT_LE(difference(run(derived, "auto", tight), run(written, "auto", tight), {"a", "b"}), 1e-6);
}

// A planar rod on a hinge by its energy and its constraint, and as a mechanism: two derivations.
TEST(Lagrangian, ConstrainedRodMovesAsTheMechanismDoes) {
  ModelBuilder model("Rod");
  const Expr x = model.variable("x", {.start = 0.5}), y = model.variable("y", {.start = 0}),
             phi = model.variable("phi", {.start = 0});
  add_lagrangian(model, {.coordinates = {x, y, phi},
                         .kinetic = 0.5 * (der(x) * der(x) + der(y) * der(y)) + der(phi) * der(phi) / 24,
                         .potential = 9.81 * y,
                         .constraints = {{.residual = x - 0.5 * cos(phi), .name = "across"},
                                         {.residual = y - 0.5 * sin(phi), .name = "up"}}});
  MechanismBuilder m("Rod", Dimension::Planar);
  const BodyId rod = m.rod("rod", {0, 0, 0}, {1, 0, 0}, 1);
  m.revolute("A", ground, rod, {});
  const RunResult derived = run(built(model), "auto", tight);
  const RunResult bodies = run_auto(m.finish(), 3, 1e-10, 61);
  const auto a = testing::signal(derived, "phi");
  const auto b = testing::signal(bodies, "rod.phi");
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-7);
  // The multiplier of y - … = 0 is minus the force on the rod.
  EXPECT_NEAR(final_value(derived, "multiplier of up"), -final_value(bodies, "joint A: force y"), 1e-5);
}

// A knife edge on a slope: a constraint of velocity by d'Alembert; x = a/(2ω²) sin²ωt.
TEST(Lagrangian, KnifeEdgeIsNonholonomic) {
  ModelBuilder model("Knife");
  const Expr x = model.variable("x", {.start = 0}), y = model.variable("y", {.start = 0}),
             phi = model.variable("phi", {.start = 0});
  const Expr w = model.variable("w", {.start = 2, .fixed = true});
  model.equation(w, der(phi));
  add_lagrangian(
      model, {.coordinates = {x, y, phi},
              .kinetic = 0.5 * (der(x) * der(x) + der(y) * der(y) + der(phi) * der(phi)),
              .forces = {3, 0, 0},
              .constraints = {
                  {.residual = der(x) * sin(phi) - der(y) * cos(phi), .name = "edge", .of_velocity = true}}});
  const RunResult result = run(built(model), "auto", tight);
  const double s = std::sin(2.0 * 3);
  EXPECT_NEAR(final_value(result, "x"), 3.0 / 8 * s * s, 1e-7);
}

TEST(Lagrangian, WhatIsNoCoordinateIsNamed) {
  ModelBuilder model("Wrong");
  const Expr x = model.variable("x"), u = model.variable("u");
  add_lagrangian(model, {.coordinates = {x}, .kinetic = der(x) * der(x), .potential = x * u});
  model.equation(u, 1);
  const auto system = model.build();
  ASSERT_FALSE(system.has_value());
  EXPECT_EQ(system.error().front().message, "the potential energy depends on u, which is no coordinate");
}

}  // namespace
}  // namespace daedalus
