// implicit-midpoint: F(t_n + h/2, Y, Y') = 0 with Y = (y_n + y_(n+1))/2 and Y' = (y_(n+1) - y_n)/h for
// differential components, at constant h or at a reversible one. Symmetric: a step of size -h from y_(n+1)
// gives y_n back, which is what symmetric projection asks of a method (Hairer, Lubich, Wanner, "Geometric
// Numerical Integration", sections II.1.3 and V.4.1), as far as Newton is solved: here down to rounding.
//
// For an algebraic component the unknown of a step is its value Z at the midpoint; nothing of z_n enters the
// next step. The values at t_(n+1), and the slopes there, follow from the differential components by
// F(t_(n+1), y, y') = 0 (see end_values.hpp). Where that is singular, at an index above 1, they are
// extrapolated along the line through this stage and the one before, or, after start() and replace_state(),
// through the values given: of order 2, and without the memory of 2 Z - z_n, in which an error of z_n would
// live on for ever, changing its sign.
//
// steps=reversible: the step is the h at which the estimate h/6 |y'_n - 2 Y' + y'_(n+1)| of the local error
// is what the tolerances allow. The estimate is the same for the step back, from y_(n+1) with -h, so that the
// step size is as symmetric as the method, and what symmetry gives at constant steps it gives at these
// (Hairer, Lubich, Wanner, section VIII.3.1). The price is that h has to be found by iteration, to rounding.
//
// Dense output: the cubic of values and slopes at both ends; for algebraic components the parabola through
// both ends and the stage.
#include <algorithm>
#include <cmath>
#include <vector>

#include "integrate/end_values.hpp"
#include "integrate/fixed_step.hpp"
#include "integrate/rows.hpp"
#include "integrate/step_report.hpp"
#include "numerics/vectors.hpp"

namespace daedalus {
namespace {

constexpr int kMaxIterations = 20;  // to rounding, at a rate of 0.2 and better
constexpr double kNoError = 1e-30;  // counts as an error so large, of which a root is taken
// What the option newton may be: rounding; what leaves symmetry a meaning.
constexpr double kLeastNewton = 1e-16;
constexpr double kMostNewton = 1e-3;
// Corrections that gain no more below this many Newton tolerances are rounding.
constexpr double kStalled = 1e4;
// The search for a reversible step: its first guess, of the run; the largest change from guess to guess; the
// relative change that is rounding, and that from which on a change that does not shrink is rounding, too.
constexpr double kFirstGuess = 1e-4;
constexpr double kLargestChange = 5;
constexpr double kFound = 1e-10;
constexpr double kNearlyFound = 1e-4;
constexpr int kMostGuesses = 60;

Tolerances newton_tolerances(const IntegratorSettings& settings) {
  const double newton = settings.selection.number("newton");
  return {.relative = newton, .absolute = newton};
}

CorrectorOptions corrector_options(const IntegratorSettings& settings) {
  return {.solver = solver_kind(settings.selection),
          .tolerance = 1,
          .max_iterations = kMaxIterations,
          .stalled = kStalled};
}

class ImplicitMidpoint final : public FixedStepIntegrator {
 public:
  ImplicitMidpoint(ResidualSystem& system, const IntegratorSettings& settings)
      : FixedStepIntegrator(system, settings, newton_tolerances(settings), corrector_options(settings)),
        ends_({system_, counters_}, newton_tolerances(settings), corrector_options(settings)),
        reversible_(settings.selection.text("steps") == "reversible"),
        error_norm_(settings.tolerances, NormKind::Rms) {}

  int order() const override { return 2; }

 private:
  void do_start(double t_hint) override;
  StepOutcome do_step(double t_stop) override;
  [[nodiscard]] double do_next_step(double t_stop) const override;
  ImplicitStage stage(double t_new, double h) override;
  void accept(double t_new, double h) override;
  void do_interpolate(double t, std::span<double> y, std::span<double> yp) const override;
  void do_system_changed() override;
  void do_replace_state(bool slopes_given, bool sensitive) override;
  void do_state(Archive& archive) override;
  std::unique_ptr<Integrator> make_on(const SystemReference& system) const override {
    auto* const residual = system.as<ResidualSystem>();
    return residual == nullptr ? nullptr : std::make_unique<ImplicitMidpoint>(*residual, settings_);
  }

  void reach(double t_new, double h);
  void extrapolate(double t_new, double t_stage);
  void keep_stage(double t_stage);
  double symmetric_error(double t_new, double h);

  // Values (of algebraic components) and slopes (of differential ones) at the time from which they can be
  // continued.
  struct Anchor {
    double t_values = 0;
    double t_slopes = 0;
    std::vector<double> y, yp;
  };

  EndValues ends_;
  bool ends_singular_ = false;
  Anchor anchor_;
  std::vector<double> y0_;
  std::vector<double> y_begin_, yp_begin_, y_stage_, y_reached_, yp_reached_;  // the last step
  std::vector<double> y_next_, yp_next_;                                       // the end of this one
  bool reversible_ = false;
  double h_ = 0;  // reversible: the last step that was found
  ToleranceNorm error_norm_;
  std::vector<double> y_from_, yp_from_, error_;
};

void ImplicitMidpoint::do_start(double t_hint) {
  do_system_changed();
  if (!(h_ > 0)) h_ = kFirstGuess * (t_hint - t_);
  y0_.resize(y_.size());
  y_begin_ = y_stage_ = y_reached_ = y_;
  yp_begin_ = yp_reached_ = yp_;
  anchor_ = {.t_values = t_, .t_slopes = t_, .y = y_, .yp = yp_};
}

void ImplicitMidpoint::do_system_changed() {
  FixedStepIntegrator::do_system_changed();
  ends_.set_pattern();
  ends_singular_ = false;
  error_norm_.set_components(system_.components());
}

void ImplicitMidpoint::do_replace_state(bool slopes_given, bool /*sensitive*/) {
  anchor_.t_values = t_;
  copy_values(y_, anchor_.y);
  if (!slopes_given) return;
  anchor_.t_slopes = t_;
  copy_values(yp_, anchor_.yp);
}

void ImplicitMidpoint::do_state(Archive& archive) {
  const std::size_t n = y_.size();
  FixedStepIntegrator::do_state(archive);
  archive(ends_, ends_singular_, anchor_.t_values, anchor_.t_slopes).sized(n, anchor_.y, anchor_.yp);
  archive.sized(n, y_begin_, yp_begin_, y_stage_, y_reached_, yp_reached_);
  archive(h_);
  error_norm_.state(archive, system_.components());
  if (archive.reading()) y0_.resize(n);
}

// With Y = y0 + e and Y' = y0' + (2/h) e both conditions on Y and Y' hold for y0 = y_n + (h/2) y0'.
ImplicitStage ImplicitMidpoint::stage(double t_new, double h) {
  for (std::size_t i = 0; i < y_.size(); ++i) y0_[i] = y_[i] + h / 2 * yp_[i];
  return {.t = t_new - h / 2, .cj = 2 / h, .y0 = y0_, .yp0 = yp_};
}

void ImplicitMidpoint::accept(double t_new, double h) {
  reach(t_new, h);
  copy_values(y_, y_begin_);
  copy_values(yp_, yp_begin_);
  copy_values(corrector().y(), y_stage_);
  keep_stage(t_new - h / 2);
  t_previous_ = t_;
  t_ = t_new;
  copy_values(y_next_, y_);
  copy_values(yp_next_, yp_);
  copy_values(y_, y_reached_);
  copy_values(yp_, yp_reached_);
}

// The end of the step that the corrector has solved for.
void ImplicitMidpoint::reach(double t_new, double h) {
  const auto components = system_.components();
  y_next_ = y_;
  yp_next_ = yp_;
  extrapolate(t_new, t_new - h / 2);
  for (std::size_t i = 0; i < y_.size(); ++i) {
    if (components[i].differential) y_next_[i] = y_[i] + h * corrector().yp()[i];
  }
  if (!ends_singular_)
    ends_singular_ = ends_.solve(t_new, y_next_, yp_next_).status == NewtonStatus::Singular;
}

// In tolerances, of the step that the corrector has solved for; y'_n is in yp_from_.
double ImplicitMidpoint::symmetric_error(double t_new, double h) {
  const auto components = system_.components();
  reach(t_new, h);
  error_.assign(y_.size(), 0);
  for (std::size_t i = 0; i < y_.size(); ++i) {
    if (components[i].differential) error_[i] = h / 6 * (yp_from_[i] - 2 * corrector().yp()[i] + yp_next_[i]);
  }
  error_norm_.set_solution(corrector().y());
  error_norm_.set_step(h);
  return error_norm_.error(error_);
}

double ImplicitMidpoint::do_next_step(double t_stop) const {
  return reversible_ ? step_towards(t_, t_stop, h_) : FixedStepIntegrator::do_next_step(t_stop);
}

StepOutcome ImplicitMidpoint::do_step(double t_stop) {
  if (!reversible_) return FixedStepIntegrator::do_step(t_stop);
  y_from_ = y_;
  yp_from_ = yp_;
  const StepOutcome of_index_two{
      .status = StepStatus::SingularMatrix,
      .detail =
          "a reversible step size needs the slopes at both ends of a step, which equations of index 2 or "
          "higher do not determine; give the step size with --step",
      .component = -1};
  if (ends_singular_ || ends_.solve(t_, y_from_, yp_from_).status == NewtonStatus::Singular)
    return of_index_two;
  double longest = t_stop - t_;
  if (settings_.max_step) longest = std::min(longest, *settings_.max_step);
  double h = std::min(h_, longest);
  double last_change = kLargestChange;
  NewtonOutcome newton;
  for (int guess = 0; guess < kMostGuesses && h >= smallest_step(t_, t_stop); ++guess) {
    const double t_new = h == t_stop - t_ ? t_stop : t_ + h;
    newton = attempt(t_new, h);
    if (!newton.ok()) {
      ++counters_.rejected;
      longest = h /= 2;
      continue;
    }
    const double error = std::max(symmetric_error(t_new, h), kNoError);
    if (ends_singular_) return of_index_two;
    const double factor = std::clamp(1 / std::cbrt(error), 1 / kLargestChange, kLargestChange);
    const double change = std::abs(factor - 1);
    const bool found = change <= kFound || (change <= kNearlyFound && change >= last_change / 2);
    if (found || (h == longest && factor > 1)) {
      if (h < longest) h_ = h;
      accept(t_new, h);
      return {};
    }
    last_change = change;
    h = std::min(h * factor, longest);
  }
  return step_failure({.t = t_, .h = h, .newton = newton, .error_test = newton.ok()}, system_.trouble());
}

// Algebraic values and all slopes at the end, from the stage and the anchor.
void ImplicitMidpoint::extrapolate(double t_new, double t_stage) {
  const auto components = system_.components();
  const auto y_stage = corrector().y();
  const auto yp_stage = corrector().yp();
  for (std::size_t i = 0; i < y_.size(); ++i) {
    if (components[i].differential) {
      const double rate = (yp_stage[i] - anchor_.yp[i]) / (t_stage - anchor_.t_slopes);
      yp_next_[i] = yp_stage[i] + (t_new - t_stage) * rate;
    } else {
      yp_next_[i] = (y_stage[i] - anchor_.y[i]) / (t_stage - anchor_.t_values);
      y_next_[i] = y_stage[i] + (t_new - t_stage) * yp_next_[i];
    }
  }
}

void ImplicitMidpoint::keep_stage(double t_stage) {
  anchor_.t_values = anchor_.t_slopes = t_stage;
  copy_values(corrector().y(), anchor_.y);
  copy_values(corrector().yp(), anchor_.yp);
}

void ImplicitMidpoint::do_interpolate(double t, std::span<double> y, std::span<double> yp) const {
  const auto components = system_.components();
  const double h = last_step();
  const double s = (t - t_previous_) / h;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double change = y_reached_[i] - y_begin_[i];
    if (components[i].differential) {
      const double first = h * yp_begin_[i] - change;
      const double last = change - h * yp_reached_[i];
      const double bend = (1 - s) * first + s * last;
      y[i] = y_begin_[i] + s * (change + (1 - s) * bend);
      if (!yp.empty()) yp[i] = (change + (1 - 2 * s) * bend + s * (1 - s) * (last - first)) / h;
    } else {
      const double bend = 4 * y_stage_[i] - 2 * (y_begin_[i] + y_reached_[i]);
      y[i] = y_begin_[i] + s * (change + (1 - s) * bend);
      if (!yp.empty()) yp[i] = (change + (1 - 2 * s) * bend) / h;
    }
  }
}

}  // namespace

IntegratorRow implicit_midpoint_row() {
  return {
      .name = "implicit-midpoint",
      .summary =
          "the implicit midpoint rule at the constant step --step, or a reversible one: symmetric, of "
          "order 2",
      .reference = "Hairer, Lubich, Wanner: Geometric Numerical Integration, sec. II.1",
      .order = 2,
      .adaptive = false,
      .one_step = true,
      .options = {{.name = "newton",
                   .kind = OptionKind::Number,
                   .default_value = "1e-13",
                   .doc = "error left by Newton's iteration, relative, and absolute in nominal values",
                   .min = kLeastNewton,
                   .max = kMostNewton},
                  {.name = "steps",
                   .kind = OptionKind::Text,
                   .default_value = "constant",
                   .doc = "constant: --step; reversible: by the tolerances, the same forwards and backwards",
                   .choices = {"constant", "reversible"}},
                  solver_option()},
      .make = [](ResidualSystem& system, const IntegratorSettings& settings) -> std::unique_ptr<Integrator> {
        return std::make_unique<ImplicitMidpoint>(system, with_defaults(settings, implicit_midpoint_row()));
      }};
}

}  // namespace daedalus
