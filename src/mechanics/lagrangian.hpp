// The Euler–Lagrange equations by the engine's own differentiation (Pöll and Hafner (2015) §4): energies,
// generalised forces and constraints in, equations of motion out.
//
//   ModelBuilder model("Pendulum");
//   const Expr x = model.variable("x", {.start = 1}), y = model.variable("y", {.start = 0});
//   add_lagrangian(model, {.coordinates = {x, y},
//                          .kinetic = m / 2 * (der(x) * der(x) + der(y) * der(y)),
//                          .potential = m * g * y,
//                          .constraints = {{.residual = x * x + y * y - 1, .name = "rod"}}});
//
// gives, for each coordinate q,
//   d/dt ∂T/∂q' - ∂T/∂q + ∂V/∂q - Q + Σ λ_k ∂g_k/∂q = 0,     g_k = 0
// with a multiplier "multiplier of rod" for each constraint. A constraint of velocity, linear in the
// velocities, acts by ∂g/∂q' (d'Alembert). What constraints hold of time is allowed: they may be rheonomic.
#pragma once

#include <string>
#include <vector>

#include "model/builder.hpp"

namespace daedalus {

struct LagrangianConstraint {
  Expr residual = 0;
  std::string name;
  bool of_velocity = false;
};

struct Lagrangian {
  std::vector<Expr> coordinates;  // variables of the builder
  Expr kinetic = 0;               // T(t, q, q')
  Expr potential = 0;             // V(t, q)
  std::vector<Expr> forces = {};  // Q, as many as coordinates, or none
  std::vector<LagrangianConstraint> constraints = {};
};

// What is wrong is told by model.build(), as of every equation.
void add_lagrangian(ModelBuilder& model, const Lagrangian& lagrangian);

}  // namespace daedalus
