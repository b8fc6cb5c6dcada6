// Embedded explicit Runge–Kutta pairs with step control, dense output and stiffness detection, for any
// tableau: Hairer, Nørsett, Wanner, "Solving Ordinary Differential Equations I", section II.4-II.6.
#pragma once

#include <memory>

#include "integrate/erk_step.hpp"
#include "integrate/integrator.hpp"
#include "integrate/rows.hpp"
#include "integrate/stiffness_watch.hpp"
#include "integrate/tolerance_norm.hpp"

namespace daedalus {

class ExplicitRungeKutta final : public Integrator {
 public:
  ExplicitRungeKutta(OdeSystem& system, const IntegratorSettings& settings, const ErkTableau& tableau);
  // Half-explicit, if the tableau is.
  ExplicitRungeKutta(MechanicalSystem& system, const IntegratorSettings& settings, const ErkTableau& tableau);

  [[nodiscard]] int order() const override { return tableau_.order; }
  [[nodiscard]] std::string_view linear_solver() const override {
    return half_explicit_ != nullptr ? half_explicit_->solver() : "none";
  }
  void tighten(double part) override;
  [[nodiscard]] bool stiff() const override { return watch_.stiff(); }

 private:
  [[nodiscard]] int system_size() const override { return system_.size(); }
  void do_start(double t_hint) override;
  StepOutcome do_step(double t_stop) override;
  void do_interpolate(double t, std::span<double> y, std::span<double> yp) const override;
  void do_interpolate_lanes(std::span<const double, lane_count> t, std::span<double> y) const override;
  void do_cheap_interpolation(double t, std::span<double> y) const override;
  void do_system_changed() override;
  [[nodiscard]] double do_next_step(double t_stop) const override;
  void do_replace_state(bool slopes_given, bool sensitive) override;
  [[nodiscard]] std::unique_ptr<Integrator> make_on(const SystemReference& system) const override;
  void do_state(Archive& archive) override;

  enum class Trial { Accepted, ErrorTooLarge, NotFinite };

  [[nodiscard]] ErkSizes sizes() const;
  void renew_slope();
  [[nodiscard]] double first_step(double t_hint);
  [[nodiscard]] Trial attempt(double h, double* error);
  [[nodiscard]] double judge();
  StepOutcome accept(double t_new, double t_stop, double error);
  void choose_step(double h, double error);
  void shorten(double h, Trial trial, double error);
  [[nodiscard]] bool watch_stiffness(double t_stop);

  OdeSystem& system_;
  std::unique_ptr<HalfExplicitStages> half_explicit_;  // null: explicit
  OdeEvaluator evaluator_;
  const ErkTableau& tableau_;
  ToleranceNorm norm_;
  StiffnessWatch watch_;
  mutable ErkStep step_;  // stages for dense output are evaluated when they are asked for
  double h_ = 0;          // for the next attempt
  double h_wanted_ = 0;   // before it was shortened to meet t_stop
  double log_error_before_ = 0;
  bool rejected_ = false;       // an attempt at this step was rejected
  bool slope_known_ = false;    // yp_ is φ(t_, y_)
  bool slope_of_step_ = false;  // it is that of the end of the step, and of nothing since
  std::vector<double> recent_;  // by component: its size at the last few points
  std::vector<double> scratch_, error_;
};

// What the pairs' rows have in common; the second is their `make_explicit` or `make_mechanical`.
[[nodiscard]] std::vector<OptionSpec> explicit_options();
template <class System, IntegratorRow (*row)(), const ErkTableau& (*tableau)()>
std::unique_ptr<Integrator> make_runge_kutta(System& system, const IntegratorSettings& settings) {
  return std::make_unique<ExplicitRungeKutta>(system, with_defaults(settings, row()), tableau());
}

}  // namespace daedalus
