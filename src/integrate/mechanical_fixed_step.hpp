// What the methods of fixed step for mechanical systems share: the step size, what is done when the equations
// of a step cannot be solved, slopes at the ends by derivative(), and the cubic of both ends as dense output.
#pragma once

#include <vector>

#include "integrate/integrator.hpp"
#include "integrate/step_report.hpp"

namespace daedalus {

class MechanicalFixedStep : public Integrator {
 public:
  [[nodiscard]] std::string_view linear_solver() const final { return system_.solver(); }

 protected:
  MechanicalFixedStep(MechanicalSystem& system, const IntegratorSettings& settings);

  // The step of size h from t() to t_new: fills y_new_. On failure nothing has changed.
  [[nodiscard]] virtual NewtonOutcome attempt(double t_new, double h) = 0;
  // y_ and yp_ are those of a (re)start, or the end of the step just made.
  virtual void started() {}
  virtual void accepted() {}

  void do_start(double t_hint) final;
  StepOutcome do_step(double t_stop) final;
  void do_interpolate(double t, std::span<double> y, std::span<double> yp) const final;
  void do_system_changed() final;
  [[nodiscard]] double do_next_step(double t_stop) const final;
  void do_replace_state(bool slopes_given, bool sensitive) final;
  void do_state(Archive& archive) override;

  [[nodiscard]] int system_size() const final { return system_.size(); }
  [[nodiscard]] std::size_t n() const { return static_cast<std::size_t>(system_.positions()); }
  [[nodiscard]] std::size_t m() const { return static_cast<std::size_t>(system_.constraints()); }
  bool renew_slope(double t, std::span<const double> y, std::span<double> yp);

  MechanicalSystem& system_;   // NOLINT(*-non-private-member-variables-in-classes)
  std::vector<double> y_new_;  // NOLINT(*-non-private-member-variables-in-classes)

 private:
  std::vector<double> yp_new_;
  std::vector<double> y_begin_, yp_begin_, y_end_, yp_end_;  // of the last step
};

}  // namespace daedalus
