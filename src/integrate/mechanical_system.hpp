// What a method made for constrained mechanical systems sees of a model:
//
//   p' = v,   M(t, p) v' = f(t, p, v) - B(t, p) λ,   0 = g(t, p),   at the level of velocities 0 = G v + g_t.
//
// y = (p, v). derivative() gives (v, v') with the constraints at the level of accelerations; what follows are
// the parts from which a method makes its own equations.
#pragma once

#include <span>

#include "integrate/ode_system.hpp"

namespace daedalus {

class MechanicalSystem : public OdeSystem {
 public:
  [[nodiscard]] int positions() const override = 0;   // n, half of size()
  [[nodiscard]] virtual int constraints() const = 0;  // m

  // Each of these: false when a value is not finite.
  virtual bool forces(double t, std::span<const double> y, std::span<double> f) = 0;
  // f + Ṁ v: the rate of the momentum M v, constraint forces aside.
  virtual bool momentum_forces(double t, std::span<const double> y, std::span<double> f) = 0;
  virtual bool position_constraints(double t, std::span<const double> y, std::span<double> g) = 0;
  virtual bool velocity_constraints(double t, std::span<const double> y, std::span<double> c) = 0;
  // λ of the last derivative().
  virtual void multipliers(std::span<double> lambda) = 0;

  // M and B at a point, and G at the same or another one; they stay until they are loaded anew.
  virtual bool load_dynamics(double t, std::span<const double> y) = 0;
  virtual bool load_constraints(double t, std::span<const double> y) = 0;
  // out += M v, out += B λ, out += G v, as loaded.
  virtual void add_mass_times(std::span<const double> v, std::span<double> out) const = 0;
  virtual void add_input_times(std::span<const double> lambda, std::span<double> out) const = 0;
  virtual void add_constraints_times(std::span<const double> v, std::span<double> out) const = 0;
  [[nodiscard]] virtual bool constant_mass() const = 0;
  // rhs := M⁻¹ rhs. False: M is singular.
  [[nodiscard]] virtual bool solve_mass(std::span<double> rhs) = 0;
  // [M B; G 0], as loaded; rhs has n + m entries.
  [[nodiscard]] virtual bool factor() = 0;
  virtual void solve(std::span<double> rhs) = 0;

  // Derivatives of the residual r = M v' - f + B λ at a point: K = ∂r/∂p and D = ∂r/∂v.
  virtual bool load_tangents(double t, std::span<const double> y, std::span<const double> acceleration,
                             std::span<const double> lambda) = 0;
  // [M + d D + k K, B; G 0], as loaded.
  [[nodiscard]] virtual bool factor_tangents(double d, double k) = 0;
  virtual void solve_tangents(std::span<double> rhs) = 0;
  [[nodiscard]] virtual std::string_view solver() const = 0;  // its name
};

}  // namespace daedalus
