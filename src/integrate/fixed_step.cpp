#include "integrate/fixed_step.hpp"

#include <cassert>

#include "integrate/rows.hpp"
#include "integrate/step_report.hpp"

namespace daedalus {
namespace {

// A step that Newton cannot solve at once is made in this many halvings at most.
constexpr int kMaxHalvings = 20;

}  // namespace

FixedStepIntegrator::FixedStepIntegrator(ResidualSystem& system, const IntegratorSettings& settings,
                                         const Tolerances& newton, const CorrectorOptions& options)
    : ImplicitIntegrator(system, settings),
      norm_(newton, NormKind::Max),
      corrector_({system_, counters_}, options) {
  assert(!settings.fixed_step || *settings.fixed_step > 0);
}

double FixedStepIntegrator::do_next_step(double t_stop) const {
  return step_towards(t_, t_stop, *settings_.fixed_step);
}

void FixedStepIntegrator::do_system_changed() {
  norm_.set_components(system_.components());
  corrector_.set_pattern();
}

void FixedStepIntegrator::do_state(Archive& archive) {
  archive.section("fixed-step", 1);
  norm_.state(archive, system_.components());
  archive(corrector_);
}

NewtonOutcome FixedStepIntegrator::attempt(double t_new, double h) {
  norm_.set_solution(y_);
  norm_.set_step(h);
  return corrector_.solve(stage(t_new, h), norm_);
}

StepOutcome FixedStepIntegrator::do_step(double t_stop) {
  double h = do_next_step(t_stop);
  NewtonOutcome newton;
  for (int halving = 0; halving <= kMaxHalvings && h >= smallest_step(t_, t_stop); ++halving) {
    const double t_new = h == t_stop - t_ ? t_stop : t_ + h;
    newton = attempt(t_new, h);
    if (newton.ok()) {
      accept(t_new, h);
      return {};
    }
    ++counters_.rejected;
    h /= 2;
  }
  return step_failure({.t = t_, .h = h, .newton = newton}, system_.trouble());
}

}  // namespace daedalus
