// What the implicit methods of fixed step share: the step size, one Newton solve a step, and what is done
// when it fails.
#pragma once

#include "integrate/corrector.hpp"
#include "integrate/implicit_integrator.hpp"
#include "integrate/tolerance_norm.hpp"

namespace daedalus {

class FixedStepIntegrator : public ImplicitIntegrator {
 public:
  [[nodiscard]] std::string_view linear_solver() const final { return corrector_.linear_solver(); }

 protected:
  // `newton`: the tolerances in which Newton's corrections are measured.
  FixedStepIntegrator(ResidualSystem& system, const IntegratorSettings& settings, const Tolerances& newton,
                      const CorrectorOptions& options);

  // The nonlinear system of a step of size h from t() to t_new.
  [[nodiscard]] virtual ImplicitStage stage(double t_new, double h) = 0;
  // Takes the solution from corrector(); sets t_, t_previous_, y_, yp_.
  virtual void accept(double t_new, double h) = 0;

  [[nodiscard]] const Corrector& corrector() const { return corrector_; }
  [[nodiscard]] double do_next_step(double t_stop) const override;
  StepOutcome do_step(double t_stop) override;
  // Solves for the step of size h to t_new; the solution is in corrector().
  NewtonOutcome attempt(double t_new, double h);
  void do_system_changed() override;
  void do_state(Archive& archive) override;

 private:
  ToleranceNorm norm_;
  Corrector corrector_;
};

}  // namespace daedalus
