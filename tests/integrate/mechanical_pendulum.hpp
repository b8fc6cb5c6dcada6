// A pendulum of mass 1 and length 1 in the plane, written down by hand for methods for mechanical systems:
// x'' = -2 λ x, y'' = -2 λ y - 9.81, x² + y² = 1.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "integrate/mechanical_system.hpp"

namespace daedalus::testing {

class MechanicalPendulum final : public MechanicalSystem {
 public:
  int size() const override { return 4; }
  std::span<const Component> components() const override { return components_; }
  bool derivative(double /*t*/, std::span<const double> y, std::span<double> yp) override {
    // 0 = g̈ / 2 = x x'' + y y'' + u² + v²
    lambda_ = (y[2] * y[2] + y[3] * y[3] - gravity * y[1]) / (2 * (y[0] * y[0] + y[1] * y[1]));
    yp[0] = y[2];
    yp[1] = y[3];
    yp[2] = -2 * lambda_ * y[0];
    yp[3] = -2 * lambda_ * y[1] - gravity;
    return true;
  }

  int positions() const override { return 2; }
  int constraints() const override { return 1; }
  bool forces(double /*t*/, std::span<const double> /*y*/, std::span<double> f) override {
    f[0] = 0;
    f[1] = -gravity;
    return true;
  }
  bool momentum_forces(double t, std::span<const double> y, std::span<double> f) override {
    return forces(t, y, f);
  }
  bool position_constraints(double /*t*/, std::span<const double> y, std::span<double> g) override {
    g[0] = y[0] * y[0] + y[1] * y[1] - 1;
    return true;
  }
  bool velocity_constraints(double /*t*/, std::span<const double> y, std::span<double> c) override {
    c[0] = 2 * (y[0] * y[2] + y[1] * y[3]);
    return true;
  }
  void multipliers(std::span<double> lambda) override { lambda[0] = lambda_; }
  bool load_dynamics(double /*t*/, std::span<const double> y) override {
    input_ = {2 * y[0], 2 * y[1]};
    return true;
  }
  bool load_constraints(double /*t*/, std::span<const double> y) override {
    gradient_ = {2 * y[0], 2 * y[1]};
    return true;
  }
  void add_mass_times(std::span<const double> v, std::span<double> out) const override {
    for (std::size_t i = 0; i < 2; ++i) out[i] += v[i];
  }
  void add_input_times(std::span<const double> lambda, std::span<double> out) const override {
    for (std::size_t i = 0; i < 2; ++i) out[i] += input_[i] * lambda[0];
  }
  void add_constraints_times(std::span<const double> v, std::span<double> out) const override {
    out[0] += gradient_[0] * v[0] + gradient_[1] * v[1];
  }
  bool constant_mass() const override { return true; }
  bool solve_mass(std::span<double> /*rhs*/) override { return true; }
  bool factor() override { return factor_tangents(0, 0); }
  void solve(std::span<double> rhs) override { solve_tangents(rhs); }
  bool load_tangents(double /*t*/, std::span<const double> /*y*/, std::span<const double> /*acceleration*/,
                     std::span<const double> lambda) override {
    stiffness_ = 2 * lambda[0];
    return true;
  }
  bool factor_tangents(double /*d*/, double k) override {
    top_ = 1 + k * stiffness_;
    schur_ = (gradient_[0] * input_[0] + gradient_[1] * input_[1]) / top_;
    return schur_ != 0;
  }
  void solve_tangents(std::span<double> rhs) override {
    const double lambda = ((gradient_[0] * rhs[0] + gradient_[1] * rhs[1]) / top_ - rhs[2]) / schur_;
    for (std::size_t i = 0; i < 2; ++i) rhs[i] = (rhs[i] - input_[i] * lambda) / top_;
    rhs[2] = lambda;
  }
  std::string_view solver() const override { return "none"; }

 private:
  static constexpr double gravity = 9.81;
  std::array<Component, 4> components_{};
  std::array<double, 2> input_{}, gradient_{};
  double lambda_ = 0, stiffness_ = 0, top_ = 1, schur_ = 1;
};

}  // namespace daedalus::testing
