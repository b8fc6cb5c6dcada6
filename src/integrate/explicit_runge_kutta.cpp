#include "integrate/explicit_runge_kutta.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "integrate/rows.hpp"
#include "integrate/step_report.hpp"
#include "numerics/vectors.hpp"

namespace daedalus {
namespace {

constexpr double kSafety = 0.9;         // as in DOPRI5 and DOP853
constexpr double kNotFiniteCut = 0.25;  // of a step at which φ is not finite: two halvings at once
// Errors that are smaller count as this large in powers; the largest growth is reached long before.
constexpr double kNoError = 1e-10;
// Of the starting step (II.4, "Starting step size", algorithm): sizes that count as zero, the step where
// values or slopes are zero, the size of h times the slope and of h^p times the larger derivative, and how
// much longer than the first guess the step may be, or shorter where nothing changes.
constexpr double kZeroSize = 1e-5;
constexpr double kZeroSlope = 1e-15;
constexpr double kStepFromZero = 1e-6;
constexpr double kFirstChange = 0.01;
constexpr double kMostLonger = 100;
constexpr double kShorterAtRest = 1e-3;
constexpr double kLeastLogError = -9.2103403719761836;  // log 1e-4: smaller errors do not count as such
constexpr int kMaxHalvings = 20;                        // of a fixed step at which φ is not finite

// The local error is held this much below the tolerances, so that the error of the whole run is near them, as
// it is for radau: over long runs errors add up. For order 8 it costs a sixth more steps.
constexpr double kLocalPart = 0.35;

// To the size of a component at a point counts this part of its size at the point before: one that passes
// zero on its way from one side to the other is measured by where it comes from, not by where it happens to
// be. (Deuflhard's codes remember the largest value for ever; one that decays would lose its digits then.)
constexpr double kMemory = 0.5;

Tolerances inner_tolerances(const Tolerances& asked, double wanted = kLocalPart) {
  const double least = 10 * std::numeric_limits<double>::epsilon();
  const double part = std::max(wanted, std::min(1.0, least / asked.relative));
  return {.relative = part * asked.relative, .absolute = part * asked.absolute};
}

}  // namespace

ExplicitRungeKutta::ExplicitRungeKutta(OdeSystem& system, const IntegratorSettings& settings,
                                       const ErkTableau& tableau)
    : Integrator(settings),
      system_(system),
      evaluator_{system_, counters_},
      tableau_(tableau),
      norm_(inner_tolerances(settings.tolerances), norm_kind(settings.selection)),
      watch_(tableau.stability_bound),
      step_(tableau) {}

ExplicitRungeKutta::ExplicitRungeKutta(MechanicalSystem& system, const IntegratorSettings& settings,
                                       const ErkTableau& tableau)
    : ExplicitRungeKutta(static_cast<OdeSystem&>(system), settings, tableau) {
  half_explicit_ = std::make_unique<HalfExplicitStages>(system);
  evaluator_.half_explicit = half_explicit_.get();
}

void ExplicitRungeKutta::tighten(double part) {
  norm_.set_tolerances(inner_tolerances(settings_.tolerances, part * kLocalPart));
}

void ExplicitRungeKutta::do_start(double t_hint) {
  const std::size_t n = y_.size();
  scratch_.resize(n);
  error_.resize(n);
  step_.resize(sizes());
  norm_.set_components(system_.components());
  norm_.set_solution(y_);
  recent_.resize(n);
  for (std::size_t i = 0; i < n; ++i) recent_[i] = std::abs(y_[i]);
  watch_.restart();
  rejected_ = false;
  log_error_before_ = kLeastLogError;
  renew_slope();
  h_ = settings_.fixed_step ? *settings_.fixed_step : first_step(t_hint);
}

// Half-explicit stages have slopes of their own for the positions.
ErkSizes ExplicitRungeKutta::sizes() const {
  const int positions = half_explicit_ != nullptr ? 0 : system_.positions();
  return {.states = y_.size(), .positions = static_cast<std::size_t>(positions)};
}

std::unique_ptr<Integrator> ExplicitRungeKutta::make_on(const SystemReference& system) const {
  if (half_explicit_ != nullptr) {
    auto* const mechanical = system.as<MechanicalSystem>();
    if (mechanical == nullptr) return nullptr;
    return std::make_unique<ExplicitRungeKutta>(*mechanical, settings_, tableau_);
  }
  auto* const ode = system.as<OdeSystem>();
  return ode == nullptr ? nullptr : std::make_unique<ExplicitRungeKutta>(*ode, settings_, tableau_);
}

void ExplicitRungeKutta::do_state(Archive& archive) {
  const std::size_t n = y_.size();
  archive.section("explicit-runge-kutta", 1);
  norm_.state(archive, system_.components());
  step_.state(archive, sizes());
  archive(watch_, h_, h_wanted_, log_error_before_, rejected_, slope_known_, slope_of_step_)
      .sized(n, recent_);
  archive.require(h_ > 0, "a step size that is not positive");
  if (!archive.reading()) return;
  scratch_.resize(n);
  error_.resize(n);
}

void ExplicitRungeKutta::do_system_changed() {
  norm_.set_components(system_.components());
  if (t_ > t_previous_) step_.close_dense();
  renew_slope();
}

// A projection moves the end of a step by a part of its error, δ. The slopes that belong to the end before it
// differ by h ∂φ/∂y δ, and h ∂φ/∂y is bounded by the stability of the method: what they change of the next
// step is δ times the first weight of the method, a twentieth. Only x' = v is taken as it is now.
void ExplicitRungeKutta::do_replace_state(bool /*slopes_given*/, bool sensitive) {
  const auto before = step_.y_end();
  const bool stepped = slope_of_step_ && !settings_.fixed_step && !sensitive;
  for (std::size_t i = 0; stepped && i < y_.size(); ++i) error_[i] = y_[i] - before[i];
  if (!stepped || !(norm_.error(error_) <= 1)) return renew_slope();
  const auto m = static_cast<std::size_t>(half_explicit_ != nullptr ? 0 : system_.positions());
  copy_values(std::span(y_).subspan(m, m), yp_);
}

// The slope at y_; if φ is not finite there the old one stays, and the next step says so.
void ExplicitRungeKutta::renew_slope() {
  slope_of_step_ = false;
  slope_known_ = evaluator_.derivative(t_, y_, scratch_);
  if (slope_known_) copy_values(scratch_, yp_);
}

// II.4, "Starting step size": h^p times the larger of the first and the estimated second derivative is 0.01.
double ExplicitRungeKutta::first_step(double t_hint) {
  double h = settings_.initial_step.value_or(0);
  if (h == 0) {
    const double d0 = norm_.error(y_);
    const double d1 = norm_.error(yp_);
    double h0 = d0 < kZeroSize || d1 < kZeroSize ? kStepFromZero : kFirstChange * d0 / d1;
    h0 = std::min(h0, t_hint - t_);
    for (std::size_t i = 0; i < y_.size(); ++i) error_[i] = y_[i] + h0 * yp_[i];
    h = h0;
    if (slope_known_ && evaluator_.derivative(t_ + h0, error_, scratch_)) {
      for (std::size_t i = 0; i < y_.size(); ++i) error_[i] = scratch_[i] - yp_[i];
      const double larger = std::max(d1, norm_.error(error_) / h0);
      const double h1 = larger <= kZeroSlope ? std::max(kStepFromZero, kShorterAtRest * h0)
                                             : std::pow(kFirstChange / larger, 1.0 / tableau_.order);
      h = std::min(kMostLonger * h0, h1);
    }
  }
  h = std::clamp(h, 4 * smallest_step(t_, t_hint), t_hint - t_);  // however strict the tolerances
  return settings_.max_step ? std::min(h, *settings_.max_step) : h;
}

// Neither beyond t_stop nor so near before it that a tiny step would be left.
double ExplicitRungeKutta::do_next_step(double t_stop) const {
  if (settings_.fixed_step) return step_towards(t_, t_stop, h_);
  const double left = t_stop - t_;
  if (1.01 * h_ >= left && (!settings_.max_step || left <= *settings_.max_step)) return left;
  return 2 * h_ > left ? left / 2 : h_;
}

// The local error of the attempt in the tolerance norm, relative to the larger of both ends.
double ExplicitRungeKutta::judge() {
  norm_.set_solution(recent_, step_.y_end());
  norm_.set_step(step_.h());
  step_.errors(error_, scratch_);
  if (half_explicit_ != nullptr) half_explicit_->project_error(error_);
  const double error = norm_.error(error_);
  if (tableau_.coarse_error.empty() || !(error > 0)) return error;
  const double coarse = norm_.error(scratch_);
  return error * error / std::sqrt(error * error + 0.01 * coarse * coarse);
}

ExplicitRungeKutta::Trial ExplicitRungeKutta::attempt(double h, double* error) {
  if (!slope_known_ || !step_.attempt(evaluator_, t_, h, y_, yp_)) return Trial::NotFinite;
  // The error estimate may use the slope at the end, which otherwise is evaluated for accepted steps only.
  const bool early = tableau_.error.back().stage == tableau_.stages;
  if (early && !step_.finish(evaluator_)) return Trial::NotFinite;
  *error = settings_.fixed_step ? 0 : judge();
  if (!(*error <= 1)) return Trial::ErrorTooLarge;
  return early || step_.finish(evaluator_) ? Trial::Accepted : Trial::NotFinite;
}

StepOutcome ExplicitRungeKutta::do_step(double t_stop) {
  rejected_ = false;
  StepTrouble trouble{.t = t_, .error_test = true};
  for (int tries = 0;; ++tries) {
    h_wanted_ = h_;
    const double h = do_next_step(t_stop);
    const bool last = h == t_stop - t_;
    const bool too_small = !(h >= smallest_step(t_, t_stop)) && !last;
    if (too_small || (settings_.fixed_step && tries > kMaxHalvings)) {
      trouble.h = h;
      if (tries > 0) t_previous_ = t_;  // the stages of the last step are gone
      if (settings_.fixed_step) h_ = *settings_.fixed_step;
      return step_failure(trouble, system_.trouble());
    }
    double error = 0;
    const Trial trial = attempt(h, &error);
    if (trial == Trial::Accepted) return accept(last ? t_stop : t_ + h, t_stop, error);
    trouble.error_test = trial == Trial::ErrorTooLarge;
    trouble.newton.status = trouble.error_test ? NewtonStatus::Converged : NewtonStatus::NotFinite;
    trouble.newton.component = trouble.error_test ? norm_.worst_error(error_) : -1;
    shorten(h, trial, error);
  }
}

void ExplicitRungeKutta::shorten(double h, Trial trial, double error) {
  ++counters_.rejected;
  rejected_ = true;
  if (trial == Trial::NotFinite) {
    h_ = h * (settings_.fixed_step ? 0.5 : kNotFiniteCut);
    return;
  }
  ++counters_.error_test_failures;
  const double factor = kSafety * std::pow(error, -(1.0 / tableau_.order - 0.75 * tableau_.beta));
  h_ = h * (std::isfinite(error) ? std::clamp(factor, tableau_.min_factor, kSafety) : tableau_.min_factor);
}

StepOutcome ExplicitRungeKutta::accept(double t_new, double t_stop, double error) {
  t_previous_ = t_;
  t_ = t_new;
  copy_values(step_.y_end(), y_);
  step_.slope_end(yp_);
  slope_of_step_ = true;
  for (std::size_t i = 0; i < y_.size(); ++i) recent_[i] = std::max(kMemory * recent_[i], std::abs(y_[i]));
  choose_step(step_.h(), error);
  if (settings_.fixed_step || !watch_.due(rejected_) || !watch_stiffness(t_stop)) return {};
  return {.status = StepStatus::Ok,
          .detail = fmt::format("at t = {:.9g} the step size is limited by stability, not by accuracy: the "
                                "equations are stiff, and an implicit method would take longer steps",
                                t_)};
}

bool ExplicitRungeKutta::watch_stiffness(double t_stop) {
  step_.differences(scratch_, error_);
  const double values = norm_.newton(scratch_);
  const double slopes = norm_.newton(error_);
  return watch_.see(values > 0 ? step_.h() * slopes / values : 0, rejected_, (t_stop - t_) / step_.h());
}

// The PI controller of Gustafsson (II.4, and volume II, IV.2).
void ExplicitRungeKutta::choose_step(double h, double error) {
  if (settings_.fixed_step) {
    h_ = *settings_.fixed_step;
    return;
  }
  const double log_error = std::log(std::max(error, kNoError));
  const double factor = kSafety * std::exp(tableau_.beta * log_error_before_ -
                                           (1.0 / tableau_.order - 0.75 * tableau_.beta) * log_error);
  double growth = std::clamp(factor, tableau_.min_factor, tableau_.max_factor);
  if (rejected_) growth = std::min(growth, 1.0);
  log_error_before_ = std::max(log_error, kLeastLogError);
  const bool clipped = h < h_wanted_;
  h_ = h * growth;
  if (clipped && !rejected_) h_ = std::max(h_, h_wanted_);
  if (settings_.max_step) h_ = std::min(h_, *settings_.max_step);
}

void ExplicitRungeKutta::do_interpolate(double t, std::span<double> y, std::span<double> yp) const {
  if (t == t_) {  // asked for after every step, and known without the stages for dense output
    copy_values(step_.y_end(), y);
    if (!yp.empty()) step_.slope_end(yp);
    return;
  }
  step_.prepare_dense(evaluator_);
  step_.interpolate((t - t_previous_) / step_.h(), y, yp);
}

void ExplicitRungeKutta::do_interpolate_lanes(std::span<const double, lane_count> t,
                                              std::span<double> y) const {
  step_.prepare_dense(evaluator_);
  std::array<double, lane_count> s;
  for (std::size_t l = 0; l < lane_count; ++l) s[l] = (t[l] - t_previous_) / step_.h();
  step_.interpolate_lanes(s, y);
}

void ExplicitRungeKutta::do_cheap_interpolation(double t, std::span<double> y) const {
  step_.cheap_interpolation((t - t_previous_) / step_.h(), y);
}

std::vector<OptionSpec> explicit_options() {
  return {norm_option(), max_step_option()};
}

}  // namespace daedalus
