// The local state-space form by an explicit method (Petzold, Potra 1992, definition 4.2, 4.17; Ascher,
// Petzold 1993 §4.2, 3(i); Pöll, Hafner 2015 §7): u = Aᵀp and w = Âᵀv are integrated, the rest follows from
// the constraints.
//
// A one-step method is linear in what it adds up, so integrating (u, w) is the same as integrating (p, v) by
//
//   p' = v(ψ),  v' = a(t, ψ),     ψ: (p, v) moved onto the constraints without a change of (Aᵀp, Âᵀv),
//
// and moving the end of the step likewise: p and v need no translation, and A may change between steps.
#pragma once

#include "drive/projection_driver.hpp"

namespace daedalus {

// The underlying ODE at the point of the manifold that belongs to the argument.
class StateSpaceOde final : public OdeSystem {
 public:
  StateSpaceOde(ExplicitForm& form, ReformedResidual& residual, ConstraintProjector& projector)
      : form_(form),
        residual_(residual),
        projector_(projector),
        point_(static_cast<std::size_t>(form.size())) {}

  [[nodiscard]] int size() const override { return form_.size(); }
  [[nodiscard]] std::span<const Component> components() const override { return form_.components(); }
  bool derivative(double t, std::span<const double> y, std::span<double> yp) override;
  [[nodiscard]] std::string trouble() const override { return trouble_; }

 private:
  ExplicitForm& form_;
  ReformedResidual& residual_;
  ConstraintProjector& projector_;
  std::vector<double> point_;
  std::string trouble_;
};

class StateSpaceDriver final : public OrthogonalProjectionDriver {
 public:
  StateSpaceDriver(const DriverSetting& setting, ReformulatedSystem system);
  StateSpaceDriver(const StateSpaceDriver& other);
  [[nodiscard]] std::unique_ptr<RunDriver> copy() const override {
    return std::make_unique<StateSpaceDriver>(*this);
  }

  std::string begin() override;
  [[nodiscard]] std::unique_ptr<Integrator> make_integrator(const IntegratorRow& row,
                                                            const IntegratorSettings& settings) override;
  [[nodiscard]] SystemReference system() override;
  void start_values(Integrator* integrator, std::span<double> y, std::span<double> yp) override;
  std::string after_step(Integrator& integrator) override;
  std::string complete_output() override;
  void state(Archive& archive) override;
  void finish(Summary& summary) override;

 private:
  // Chooses A at the point in the environment. A sentence: there is none.
  std::string choose();
  void give_directions();

  std::vector<Basis> choices_;
  std::unique_ptr<StateSpaceOde> ode_;  // of methods that evaluate the ODE, not its series
  long changes_ = 0;
};

}  // namespace daedalus
