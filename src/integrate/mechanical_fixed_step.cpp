#include "integrate/mechanical_fixed_step.hpp"

#include <algorithm>
#include <cassert>

#include "integrate/rows.hpp"
#include "numerics/vectors.hpp"

namespace daedalus {
namespace {

// A step whose equations cannot be solved at once is made in this many halvings at most.
constexpr int kMaxHalvings = 20;

}  // namespace

MechanicalFixedStep::MechanicalFixedStep(MechanicalSystem& system, const IntegratorSettings& settings)
    : Integrator(settings), system_(system) {
  assert(settings.fixed_step && *settings.fixed_step > 0);
}

bool MechanicalFixedStep::renew_slope(double t, std::span<const double> y, std::span<double> yp) {
  ++counters_.residual_evals;
  return system_.derivative(t, y, yp);
}

void MechanicalFixedStep::do_start(double /*t_hint*/) {
  y_new_.resize(y_.size());
  yp_new_.resize(y_.size());
  if (renew_slope(t_, y_, yp_new_)) copy_values(yp_new_, yp_);
  y_begin_ = y_end_ = y_;
  yp_begin_ = yp_end_ = yp_;
  started();
}

void MechanicalFixedStep::do_state(Archive& archive) {
  archive.section("mechanical-fixed-step", 1);
  archive.sized(y_.size(), y_begin_, yp_begin_, y_end_, yp_end_);
  if (!archive.reading()) return;
  y_new_.resize(y_.size());
  yp_new_.resize(y_.size());
}

void MechanicalFixedStep::do_system_changed() {
  if (renew_slope(t_, y_, yp_new_)) copy_values(yp_new_, yp_);
}

void MechanicalFixedStep::do_replace_state(bool /*slopes_given*/, bool /*sensitive*/) {
  do_system_changed();
}

double MechanicalFixedStep::do_next_step(double t_stop) const {
  return step_towards(t_, t_stop, *settings_.fixed_step);
}

StepOutcome MechanicalFixedStep::do_step(double t_stop) {
  double h = do_next_step(t_stop);
  NewtonOutcome outcome;
  for (int halving = 0; halving <= kMaxHalvings && h >= smallest_step(t_, t_stop); ++halving) {
    const double t_new = h == t_stop - t_ ? t_stop : t_ + h;
    outcome = attempt(t_new, h);
    if (outcome.ok() && !renew_slope(t_new, y_new_, yp_new_)) outcome.status = NewtonStatus::NotFinite;
    if (outcome.ok()) {
      copy_values(y_, y_begin_);
      copy_values(yp_, yp_begin_);
      copy_values(y_new_, y_);
      copy_values(yp_new_, yp_);
      copy_values(y_, y_end_);
      copy_values(yp_, yp_end_);
      t_previous_ = t_;
      t_ = t_new;
      accepted();
      return {};
    }
    ++counters_.rejected;
    h /= 2;
  }
  return step_failure({.t = t_, .h = h, .newton = outcome}, system_.trouble());
}

void MechanicalFixedStep::do_interpolate(double t, std::span<double> y, std::span<double> yp) const {
  const double h = last_step();
  const double s = (t - t_previous_) / h;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double change = y_end_[i] - y_begin_[i];
    const double first = h * yp_begin_[i] - change;
    const double last = change - h * yp_end_[i];
    const double bend = (1 - s) * first + s * last;
    y[i] = s == 1 ? y_end_[i] : y_begin_[i] + s * (change + (1 - s) * bend);
    if (!yp.empty()) yp[i] = (change + (1 - 2 * s) * bend + s * (1 - s) * (last - first)) / h;
  }
}

}  // namespace daedalus
