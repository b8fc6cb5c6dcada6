// Methods that integrate the underlying ODE p' = v, v' = a and move the end of each step onto the constraints
// (Pöll, Hafner 2015 §6).
#pragma once

#include "constraints/constraint_projector.hpp"
#include "constraints/joint_projection.hpp"
#include "drive/reform_driver.hpp"

namespace daedalus {

// Step with any method whose ends can be moved, then project in the norm W (Ascher, Petzold 1993, 4.18-4.22),
// and onto invariants that the user names.
class OrthogonalProjectionDriver : public ReformDriver {
 public:
  // The options W: I, M or a positive definite matrix; invariants: names.
  [[nodiscard]] static Result<std::unique_ptr<RunDriver>> make(const DriverSetting& setting,
                                                               ReformulatedSystem system);
  [[nodiscard]] std::unique_ptr<RunDriver> copy() const override {
    return std::make_unique<OrthogonalProjectionDriver>(*this);
  }
  [[nodiscard]] std::unique_ptr<Integrator> make_integrator(const IntegratorRow& row,
                                                            const IntegratorSettings& settings) override;
  std::string begin() override;
  std::string after_step(Integrator& integrator) override;
  std::string complete_output() override;
  [[nodiscard]] bool prepare_lanes() override { return joint_.idle() && ReformDriver::prepare_lanes(); }
  void state(Archive& archive) override;
  void finish(Summary& summary) override;

 protected:
  // All constraints at all levels are kept, or as the option `levels` says.
  OrthogonalProjectionDriver(const DriverSetting& setting, ReformulatedSystem system);

 private:
  bool keeps_constraints_ = false;  // the integrator does it itself
  JointProjection joint_;           // idle: level by level
  std::vector<double> y_;
};

// Perturb, step with a symmetric method, project with the same multipliers (Pöll, Hafner 2015 §6.2; Hairer,
// Lubich, Wanner, V.4.1):
//
//   ỹ₀ = y₀ + D(y₀) ν,   ỹ₁ = Φ_h(ỹ₀),   y₁ = ỹ₁ + D(y₁) ν,   c(y₁) = 0,     D ν = (Gᵀμ, Gᵀτ),
//
// or, with direction=full, D = (∂c/∂y)ᵀ: D ν = (Gᵀμ + Lᵀτ, Gᵀτ).
class SymmetricProjectionDriver final : public ReformDriver {
 public:
  [[nodiscard]] static Result<std::unique_ptr<RunDriver>> make(const DriverSetting& setting,
                                                               ReformulatedSystem system);
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
  // Dᵀ at the point in the environment: level by level a row for each constraint that holds there.
  [[nodiscard]] Eigen::MatrixXd directions();

  bool full_ = false;
  ConstraintMatrices matrices_;
  Program curvature_;  // the entries of L, with direction=full
  Program residuals_;
  Eigen::VectorXd nu_;  // μ, then τ
  std::vector<double> start_, start_slopes_, y_, constraint_values_, curvature_values_, workspace_;
  long steps_ = 0;
};

}  // namespace daedalus
