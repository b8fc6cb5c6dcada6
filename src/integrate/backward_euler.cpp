// backward-euler: F(t_(n+1), y_(n+1), (y_(n+1) - y_n)/h) = 0 at constant h, Newton to a tight tolerance.
// The plainest method there is: what it does to a model is easy to reason about.
#include <algorithm>
#include <vector>

#include "integrate/fixed_step.hpp"
#include "integrate/rows.hpp"
#include "numerics/vectors.hpp"

namespace daedalus {
namespace {

// No error test will tell how good Newton's result is, so it is solved far below the tolerances.
constexpr double kNewton = 1e-4;
constexpr double kStalled = 0.03;   // where rounding does not let it get there
constexpr int kMaxIterations = 12;  // at a rate of 0.5 what is left is a 4000th, near kNewton

class BackwardEuler final : public FixedStepIntegrator {
 public:
  BackwardEuler(ResidualSystem& system, const IntegratorSettings& settings)
      : FixedStepIntegrator(system, settings, settings.tolerances,
                            {.solver = solver_kind(settings.selection),
                             .tolerance = kNewton,
                             .max_iterations = kMaxIterations,
                             .stalled = kStalled}) {}

  int order() const override { return 1; }

 private:
  void do_start(double t_hint) override;
  ImplicitStage stage(double t_new, double h) override;
  void accept(double t_new, double h) override;
  void do_interpolate(double t, std::span<double> y, std::span<double> yp) const override;
  void do_replace_state(bool /*slopes_given*/, bool /*sensitive*/) override {}
  void do_state(Archive& archive) override;
  std::unique_ptr<Integrator> make_on(const SystemReference& system) const override {
    auto* const residual = system.as<ResidualSystem>();
    return residual == nullptr ? nullptr : std::make_unique<BackwardEuler>(*residual, settings_);
  }

  std::vector<double> y0_, y_previous_, y_reached_, slope_;
};

void BackwardEuler::do_start(double /*t_hint*/) {
  do_system_changed();
  y0_.resize(y_.size());
  y_previous_ = y_;
  y_reached_ = y_;
  slope_ = yp_;
}

void BackwardEuler::do_state(Archive& archive) {
  FixedStepIntegrator::do_state(archive);
  archive.sized(y_.size(), y_previous_, y_reached_, slope_);
  if (archive.reading()) y0_.resize(y_.size());
}

// Predicted: y_n + h y'_n, and the slope that goes with it.
ImplicitStage BackwardEuler::stage(double t_new, double h) {
  for (std::size_t i = 0; i < y_.size(); ++i) y0_[i] = y_[i] + h * yp_[i];
  return {.t = t_new, .cj = 1 / h, .y0 = y0_, .yp0 = yp_};
}

void BackwardEuler::accept(double t_new, double /*h*/) {
  y_previous_.swap(y_);
  t_previous_ = t_;
  t_ = t_new;
  copy_values(corrector().y(), y_);
  copy_values(corrector().yp(), yp_);
  copy_values(y_, y_reached_);
  copy_values(yp_, slope_);
}

// The straight line between the ends: its slope is the y' of the method.
void BackwardEuler::do_interpolate(double t, std::span<double> y, std::span<double> yp) const {
  const double s = (t - t_) / last_step();
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = y_reached_[i] + s * (y_reached_[i] - y_previous_[i]);
  if (!yp.empty()) copy_values(slope_, yp);
}

}  // namespace

IntegratorRow backward_euler_row() {
  return {
      .name = "backward-euler",
      .summary = "backward Euler at the constant step --step; no error control",
      .reference =
          "Brenan, Campbell, Petzold: Numerical Solution of Initial-Value Problems in DAEs, sec. 3.1",
      .order = 1,
      .adaptive = false,
      .one_step = true,
      .options = {solver_option()},
      .make = [](ResidualSystem& system, const IntegratorSettings& settings) -> std::unique_ptr<Integrator> {
        return std::make_unique<BackwardEuler>(system, with_defaults(settings, backward_euler_row()));
      }};
}

}  // namespace daedalus
