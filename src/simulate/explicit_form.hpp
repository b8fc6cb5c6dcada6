// A reformulated system of index 1 as an explicit ODE: given the differential unknowns, F(t, u, u') = 0 is
// solved for their rates and the algebraic unknowns. In the constrained form this is linear, one
// factorisation a call; companions may make it nonlinear, then Newton goes on.
#pragma once

#include <memory>

#include "integrate/ode_system.hpp"
#include "numerics/linear_solver.hpp"
#include "simulate/reformed_residual.hpp"

namespace daedalus {

class ExplicitForm final : public OdeSystem {
 public:
  explicit ExplicitForm(ReformedResidual& residual);

  [[nodiscard]] int size() const override { return static_cast<int>(states_.size()); }
  [[nodiscard]] std::span<const Component> components() const override { return components_; }
  bool derivative(double t, std::span<const double> y, std::span<double> yp) override;
  [[nodiscard]] std::string trouble() const override { return trouble_; }

  // Leaves values and rates of everything at (t, y) in the environment. False: it could not be solved.
  bool complete(double t, std::span<const double> y);
  // The differential unknowns, by their number in the reformulated system.
  [[nodiscard]] const std::vector<int>& states() const { return states_; }
  // y and y' from the environment.
  void gather(std::span<double> y) const;
  void gather_rates(std::span<double> yp) const;

 private:
  bool newton_step(double t, double* size);

  ReformedResidual& residual_;
  std::vector<int> states_;
  std::vector<Component> components_;
  std::unique_ptr<RealSolver> solver_;
  mutable std::vector<double> scratch_u_, scratch_up_;
  std::vector<double> u_, up_, dy_, dyp_, values_, r_;
  std::string trouble_;
};

}  // namespace daedalus
