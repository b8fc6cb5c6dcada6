// Methods that integrate the underlying ODE p' = v, v' = a and move the end of each step onto the constraints
// (paper 002 §6).
#pragma once

#include "constraints/constraint_projector.hpp"
#include "drive/reform_driver.hpp"

namespace daedalus {

// Step with any one-step method, then project in the norm W (paper 003, 4.18-4.22).
class OrthogonalProjectionDriver final : public ReformDriver {
 public:
  // The option W: I, M or a positive definite matrix.
  [[nodiscard]] static Result<std::unique_ptr<RunDriver>> make(const DriverSetting& setting,
                                                               ReformulatedSystem system);
  [[nodiscard]] std::unique_ptr<RunDriver> copy() const override {
    return std::make_unique<OrthogonalProjectionDriver>(*this);
  }
  [[nodiscard]] std::unique_ptr<Integrator> make_integrator(const IntegratorRow& row,
                                                            const IntegratorSettings& settings) override;
  std::string after_step(Integrator& integrator) override;

 private:
  OrthogonalProjectionDriver(const DriverSetting& setting, ReformulatedSystem system);

  bool keeps_constraints_ = false;  // the integrator does it itself
  std::vector<double> y_;
};

// Perturb, step with a symmetric method, project with the same multipliers (paper 002 §6.2; Hairer, Lubich,
// Wanner, V.4.1):
//
//   ỹ₀ = y₀ + D(y₀) ν,   ỹ₁ = Φ_h(ỹ₀),   y₁ = ỹ₁ + D(y₁) ν,   c(y₁) = 0,     D ν = (Gᵀμ, Gᵀτ).
class SymmetricProjectionDriver final : public ReformDriver {
 public:
  SymmetricProjectionDriver(const DriverSetting& setting, ReformulatedSystem system);
  [[nodiscard]] std::unique_ptr<RunDriver> copy() const override {
    return std::make_unique<SymmetricProjectionDriver>(*this);
  }

  StepOutcome step(Integrator& integrator, double t_stop) override;
  std::string after_step(Integrator& integrator) override;
  void state(Archive& archive) override {
    ReformDriver::state(archive);
    archive(steps_);
  }
  void finish(Summary& summary) override;

 private:
  // y := base + D ν at the point in the environment; c(y).
  void load(double t, std::span<const double> y);
  void perturb(std::span<const double> base, std::span<double> y);
  double close(double t, std::span<const double> end);

  ConstraintMatrices matrices_;
  Program residuals_;
  Eigen::VectorXd nu_;  // μ, then τ
  std::vector<double> start_, start_slopes_, y_, constraint_values_, workspace_;
  long steps_ = 0;
};

}  // namespace daedalus
