// backward-euler: F(t_(n+1), y_(n+1), (y_(n+1) - y_n)/h) = 0 at constant h, Newton to a tight tolerance.
// The plainest method there is: what it does to a model is easy to reason about.
#include <algorithm>
#include <cassert>
#include <vector>

#include "integrate/corrector.hpp"
#include "integrate/rows.hpp"
#include "integrate/step_report.hpp"
#include "integrate/tolerance_norm.hpp"

namespace daedalus {
namespace {

// No error test will tell how good Newton's result is, so it is solved far below the tolerances.
constexpr double kNewton = 1e-4;
constexpr int kMaxIterations = 12;
// A step that Newton cannot solve at once is made in this many halvings at most.
constexpr int kMaxHalvings = 20;

class BackwardEuler final : public Integrator {
 public:
  BackwardEuler(ResidualSystem& system, const IntegratorSettings& settings)
      : Integrator(system, settings),
        norm_(settings.tolerances, NormKind::Max),
        corrector_({system_, counters_}, {.solver = solver_kind(settings.selection),
                                          .tolerance = kNewton,
                                          .max_iterations = kMaxIterations}) {
    assert(settings.fixed_step && *settings.fixed_step > 0);
  }

  int order() const override { return 1; }
  std::string_view linear_solver() const override { return corrector_.linear_solver(); }

 private:
  void do_start(double t_hint) override;
  StepOutcome do_step(double t_stop) override;
  void do_interpolate(double t, std::span<double> y, std::span<double> yp) const override;
  void do_system_changed() override {
    norm_.set_components(system_.components());
    corrector_.set_pattern();
  }

  void predict(double h);
  void accept(double t_new);

  ToleranceNorm norm_;
  Corrector corrector_;
  std::vector<double> y0_, yp0_, y_previous_;
};

void BackwardEuler::do_start(double /*t_hint*/) {
  do_system_changed();
  y0_.resize(y_.size());
  yp0_.resize(y_.size());
  y_previous_ = y_;
}

// y_n + h y'_n, and the slope that goes with it.
void BackwardEuler::predict(double h) {
  for (std::size_t i = 0; i < y_.size(); ++i) {
    y0_[i] = y_[i] + h * yp_[i];
    yp0_[i] = yp_[i];
  }
}

StepOutcome BackwardEuler::do_step(double t_stop) {
  const double left = t_stop - t_;
  // The last step to t_stop may be shorter; one that is longer by rounding only is taken whole.
  double h = *settings_.fixed_step >= left * (1 - 1e-9) ? left : *settings_.fixed_step;
  norm_.set_solution(y_);
  NewtonOutcome newton;
  for (int halving = 0; halving <= kMaxHalvings && h >= smallest_step(t_, t_stop); ++halving) {
    const double t_new = h == left ? t_stop : t_ + h;
    norm_.set_step(h);
    predict(h);
    newton = corrector_.solve({.t = t_new, .cj = 1 / h, .y0 = y0_, .yp0 = yp0_}, norm_);
    if (newton.ok()) {
      accept(t_new);
      return {};
    }
    ++counters_.rejected;
    h /= 2;
  }
  return step_failure({.t = t_, .h = h, .newton = newton}, system_);
}

void BackwardEuler::accept(double t_new) {
  y_previous_.swap(y_);
  t_previous_ = t_;
  t_ = t_new;
  std::ranges::copy(corrector_.y(), y_.begin());
  std::ranges::copy(corrector_.yp(), yp_.begin());
}

// The straight line between the ends: its slope is the y' of the method.
void BackwardEuler::do_interpolate(double t, std::span<double> y, std::span<double> yp) const {
  const double s = (t - t_) / last_step();
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = y_[i] + s * (y_[i] - y_previous_[i]);
  if (!yp.empty()) std::ranges::copy(yp_, yp.begin());
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
      .options = {solver_option()},
      .make = [](ResidualSystem& system, const IntegratorSettings& settings) -> std::unique_ptr<Integrator> {
        return std::make_unique<BackwardEuler>(system, with_defaults(settings, backward_euler_row()));
      }};
}

}  // namespace daedalus
