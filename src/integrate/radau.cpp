// radau: Radau IIA of order 5 with variable step. Hairer, Wanner, "Solving Ordinary Differential Equations
// II", section IV.8 (RADAU5), carried over from M y' = f to F(t, y, y') = 0.
//
// Error estimate. The embedded formula of order 3 uses f(t_n, y_n) besides the stages, and the estimate is
//     err = (γ/h M - ∂f/∂y)⁻¹ (f(t_n, y_n) + M s),   s = (1/h) Σ e_i z_i            (IV.8.19).
// Here f(t_n, y_n) + M s is -F(t_n, y_n, -s) if F = M y' - f, and for any F this is, to first order in
// y'_n + s, the same quantity: F(t_n, y_n, -s) = F(t_n, y_n, y'_n) - M (y'_n + s) + …, the first term being
// zero for consistent values. So err = (J + γ/h M)⁻¹ (-F(t_n, y_n, -s)), one residual and one solve, and rows
// without y' ask for no special treatment. If the step is the first or follows a rejection and err is too
// large, the estimate is filtered once more with F(t_n, y_n + err, -s) (IV.8.20).
//
// The estimate is of order 3 and the solution of order 5, so the error is held below a multiple of rtol^(2/3)
// so that the solution's error is near rtol. RADAU5 takes 0.1; with 0.01 the errors of Andrews' squeezer, the
// car axis and the transistor amplifier at rtol 1e-6 stay below 1e-6, for 1.8 times the steps.
//
// Dense output: differential components by the two-step Hermite polynomial (order 5) once three points are
// known, the others, and the first step, by the collocation polynomial (order 3).
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "integrate/implicit_integrator.hpp"
#include "integrate/radau_stages.hpp"
#include "integrate/rows.hpp"
#include "integrate/step_report.hpp"
#include "integrate/two_step_hermite.hpp"

namespace daedalus {
namespace {

using radau::kC;
using radau::kStages;

constexpr double kSafety = 0.9;
constexpr double kMaxGrowth = 8;
constexpr double kMaxCut = 0.2;
constexpr double kGoodRate = 1e-3;   // Newton this fast: the Jacobian is kept
constexpr double kKeptGrowth = 1.2;  // a step that would grow by less is kept, and its matrices
constexpr int kMaxIterations = 10;
// At fixed step there is no error to balance Newton's against, and no shorter step to help it.
constexpr double kFixedStepNewton = 1e-6;
constexpr int kFixedStepIterations = 50;

Tolerances inner_tolerances(const Tolerances& asked) {
  const double relative = std::max(asked.relative, 10 * std::numeric_limits<double>::epsilon());
  const double inner = 0.01 * std::pow(relative, 2.0 / 3);
  return {.relative = inner, .absolute = asked.absolute * inner / relative};
}

double newton_tolerance(const IntegratorSettings& settings) {
  if (settings.fixed_step) return kFixedStepNewton;
  const double inner = inner_tolerances(settings.tolerances).relative;
  return std::max(10 * std::numeric_limits<double>::epsilon() / inner, std::min(0.03, std::sqrt(inner)));
}

class Radau final : public ImplicitIntegrator {
 public:
  Radau(ResidualSystem& system, const IntegratorSettings& settings)
      : ImplicitIntegrator(system, settings),
        norm_(settings.fixed_step ? settings.tolerances : inner_tolerances(settings.tolerances),
              norm_kind(settings.selection)),
        stages_({system_, counters_},
                {.solver = solver_kind(settings.selection),
                 .tolerance = newton_tolerance(settings),
                 .max_iterations = settings.fixed_step ? kFixedStepIterations : kMaxIterations}) {}

  int order() const override { return 5; }
  std::string_view linear_solver() const override { return stages_.linear_solver(); }

 private:
  void do_start(double t_hint) override;
  StepOutcome do_step(double t_stop) override;
  void do_interpolate(double t, std::span<double> y, std::span<double> yp) const override;
  void do_system_changed() override;
  double do_next_step(double t_stop) const override;
  void do_replace_state(bool /*slopes_given*/) override { hermite_.replace_last(y_, yp_); }

  double aim_at(double t_stop);
  StagesOutcome attempt(double h);
  void guess_stages(double h);
  double judge(double h);
  void accept(double t_new, double h, double error);
  void choose_step(double h, double error, bool was_rejected);

  ToleranceNorm norm_;
  RadauStages stages_;
  double h_ = 0;             // for the next attempt
  double h_factored_ = 0;    // of the matrices
  double h_polynomial_ = 0;  // of the collocation polynomial; 0: none yet
  bool jacobian_current_ = false;
  bool rejected_ = false;  // an attempt at this step was rejected
  bool clipped_ = false;   // this attempt was shortened to meet t_stop
  double h_wanted_ = 0;    // what it would have been
  double h_accepted_ = 0;
  double error_accepted_ = 0;
  std::vector<double> error_, shifted_;
  std::vector<double> y_reached_;  // the end of the last step, before any replace_state()
  TwoStepHermite hermite_;
  std::array<std::vector<double>, kStages> polynomial_;  // divided differences, see accept()
};

void Radau::do_start(double t_hint) {
  do_system_changed();
  norm_.set_solution(y_);
  const std::size_t n = y_.size();
  error_.resize(n);
  shifted_.resize(n);
  y_reached_.resize(n);
  for (auto& part : polynomial_) part.assign(n, 0);
  hermite_.resize(n);
  hermite_.restart(t_, y_, yp_);
  h_polynomial_ = 0;
  h_accepted_ = 0;
  rejected_ = false;
  if (settings_.fixed_step) {
    h_ = *settings_.fixed_step;
    return;
  }
  // A thousandth of the interval, less if the solution would move by more than a hundredth of its size.
  h_ = settings_.initial_step.value_or(1e-3 * (t_hint - t_));
  const double movement = norm_.newton(yp_) * inner_tolerances(settings_.tolerances).relative;
  if (!settings_.initial_step && h_ * movement > 0.01) h_ = 0.01 / movement;
  h_ = std::max(h_, 4 * smallest_step(t_, t_hint));  // however strict the tolerances
  if (settings_.max_step) h_ = std::min(h_, *settings_.max_step);
}

void Radau::do_system_changed() {
  norm_.set_components(system_.components());
  stages_.set_pattern();
  if (h_polynomial_ != 0) hermite_.restart(t_, y_, yp_);
  jacobian_current_ = false;
  h_factored_ = 0;
}

// Neither beyond t_stop nor so near before it that a tiny step would be left.
double Radau::do_next_step(double t_stop) const {
  const double left = t_stop - t_;
  if (settings_.fixed_step) return h_ > left * (1 - 1e-9) ? left : h_;
  if (1.01 * h_ >= left && (!settings_.max_step || left <= *settings_.max_step)) return left;
  return 2 * h_ > left ? left / 2 : h_;
}

double Radau::aim_at(double t_stop) {
  h_wanted_ = h_;
  h_ = do_next_step(t_stop);
  clipped_ = h_ < h_wanted_;
  return h_;
}

// The collocation polynomial of the last step, continued (IV.8.5).
void Radau::guess_stages(double h) {
  for (int s = 0; s < kStages; ++s) {
    const auto z = stages_.z(s);
    const double c = kC[static_cast<std::size_t>(s)];
    if (h_polynomial_ == 0) {
      for (std::size_t i = 0; i < z.size(); ++i) z[i] = c * h * yp_[i];
      continue;
    }
    const double x = c * h / h_polynomial_;
    const double to_second = x - (kC[1] - 1);
    const double to_first = x - (kC[0] - 1);
    for (std::size_t i = 0; i < z.size(); ++i) {
      z[i] = x * (polynomial_[0][i] + to_second * (polynomial_[1][i] + to_first * polynomial_[2][i]));
    }
  }
}

// The stages of a step of size h. An old Jacobian that fails is renewed before the step is blamed.
StagesOutcome Radau::attempt(double h) {
  for (;;) {
    const bool fresh = jacobian_current_ || !stages_.has_jacobian();
    StagesOutcome outcome;
    if (!stages_.has_jacobian()) {
      outcome.newton = stages_.evaluate_jacobian(t_, y_, yp_);
      jacobian_current_ = outcome.newton.ok();
      h_factored_ = 0;
    }
    if (outcome.newton.ok() && h != h_factored_) {
      outcome.newton = stages_.factor(h);
      h_factored_ = outcome.newton.ok() ? h : 0;
    }
    if (outcome.newton.ok()) {
      guess_stages(h);
      outcome = stages_.solve(t_, h, y_, norm_);
    }
    if (fresh && outcome.newton.status == NewtonStatus::Stalled) outcome.newton = {};
    if (outcome.newton.ok() || fresh) return outcome;
    outcome.newton = stages_.evaluate_jacobian(t_, y_, yp_);
    jacobian_current_ = outcome.newton.ok();
    h_factored_ = 0;
    if (!jacobian_current_) return outcome;
  }
}

double Radau::judge(double h) {
  if (settings_.fixed_step) return 0;
  if (!stages_.estimate_error(t_, h, y_, error_)) return std::numeric_limits<double>::infinity();
  const double error = norm_.error(error_);
  if (error < 1 || (h_accepted_ > 0 && !rejected_)) return error;
  for (std::size_t i = 0; i < y_.size(); ++i) shifted_[i] = y_[i] + error_[i];
  if (!stages_.estimate_error(t_, h, shifted_, error_)) return error;
  return norm_.error(error_);
}

StepOutcome Radau::do_step(double t_stop) {
  norm_.set_solution(y_);
  rejected_ = false;
  StepTrouble trouble{.t = t_, .error_test = true};
  for (;;) {
    const double h = aim_at(t_stop);
    const bool last = h == t_stop - t_;
    if (h < smallest_step(t_, t_stop) && !last) {
      trouble.h = h;
      return step_failure(trouble, system_.trouble());
    }
    norm_.set_step(h);
    const StagesOutcome stages = attempt(h);
    trouble.newton = stages.newton;
    trouble.error_test = stages.newton.ok();
    if (stages.newton.ok()) {
      const double error = judge(h);
      if (error < 1) {
        accept(last ? t_stop : t_ + h, h, error);
        return {};
      }
      trouble.newton.component = norm_.worst_error(error_);
      ++counters_.error_test_failures;
      const double cut = std::isfinite(error) ? kSafety * std::pow(error, -0.25) : kMaxCut;
      h_ = h * (h_accepted_ == 0 ? 0.1 : std::clamp(cut, kMaxCut, kSafety));
    } else {
      ++counters_.newton_failures;
      h_ = h * stages.step_factor;
    }
    ++counters_.rejected;
    rejected_ = true;
  }
}

// Takes the step; keeps the collocation polynomial as divided differences over the nodes 1, c_2, c_1, 0.
void Radau::accept(double t_new, double h, double error) {
  const auto z1 = stages_.z(0);
  const auto z2 = stages_.z(1);
  const auto z3 = stages_.z(2);
  for (std::size_t i = 0; i < y_.size(); ++i) {
    const double d32 = (z2[i] - z3[i]) / (kC[1] - 1);
    const double d21 = (z1[i] - z2[i]) / (kC[0] - kC[1]);
    const double d10 = z1[i] / kC[0];
    const double d321 = (d21 - d32) / (kC[0] - 1);
    const double d210 = (d21 - d10) / kC[1];
    polynomial_[0][i] = d32;
    polynomial_[1][i] = d321;
    polynomial_[2][i] = d321 - d210;
    y_[i] += z3[i];
  }
  std::ranges::copy(y_, y_reached_.begin());
  std::ranges::copy(stages_.last_slope(), yp_.begin());
  h_polynomial_ = h;
  t_previous_ = t_;
  t_ = t_new;
  hermite_.append(t_, y_, yp_);
  choose_step(h, error, rejected_);
}

// The predictive controller of Gustafsson (IV.8.21-22), and which matrices the next step may keep.
void Radau::choose_step(double h, double error, bool was_rejected) {
  jacobian_current_ = false;
  const bool keep_jacobian = stages_.rate() <= kGoodRate;
  if (!keep_jacobian) stages_.drop_jacobian();
  if (settings_.fixed_step) {
    h_ = *settings_.fixed_step;
    h_accepted_ = h;
    return;
  }
  const double iterations = stages_.iterations();
  constexpr double kMax = kMaxIterations;
  const double safety = std::min(kSafety, kSafety * (1 + 2 * kMax) / (iterations + 2 * kMax));
  const double guarded = std::max(error, 1e-10);
  double growth = std::clamp(safety * std::pow(guarded, -0.25), kMaxCut, kMaxGrowth);
  if (h_accepted_ > 0) {
    const double predicted =
        kSafety * (h / h_accepted_) * std::pow(error_accepted_ / (guarded * guarded), 0.25);
    growth = std::min(growth, std::clamp(predicted, kMaxCut, kMaxGrowth));
  }
  h_accepted_ = h;
  error_accepted_ = std::max(1e-2, error);
  if (was_rejected) growth = std::min(growth, 1.0);
  const bool keep = keep_jacobian && growth >= 1 && growth <= kKeptGrowth;
  h_ = keep ? h : h * growth;
  if (clipped_ && !was_rejected) h_ = std::max(h_, h_wanted_);
  if (settings_.max_step) h_ = std::min(h_, *settings_.max_step);
}

void Radau::do_interpolate(double t, std::span<double> y, std::span<double> yp) const {
  if (t == t_) {  // asked for after every step
    std::ranges::copy(y_reached_, y.begin());
    if (!yp.empty()) std::ranges::copy(stages_.last_slope(), yp.begin());
    return;
  }
  const double x = (t - t_) / h_polynomial_;
  const double a = x - (kC[1] - 1);
  const double b = x - (kC[0] - 1);
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] = y_reached_[i] + x * (polynomial_[0][i] + a * (polynomial_[1][i] + b * polynomial_[2][i]));
  }
  for (std::size_t i = 0; i < yp.size(); ++i) {
    yp[i] = (polynomial_[0][i] + (a + x) * polynomial_[1][i] + (a * b + x * (a + b)) * polynomial_[2][i]) /
            h_polynomial_;
  }
  if (!hermite_.ready()) return;
  const auto components = system_.components();
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (!components[i].differential) continue;
    y[i] = hermite_.value(t, i);
    if (!yp.empty()) yp[i] = hermite_.slope(t, i);
  }
}

}  // namespace

IntegratorRow radau_row() {
  return {
      .name = "radau",
      .summary =
          "Radau IIA of order 5 with variable step: stiff systems and high accuracy, DAEs up to index 3",
      .reference = "Hairer, Wanner: Solving Ordinary Differential Equations II, sec. IV.8",
      .order = 5,
      .adaptive = true,
      .one_step = true,
      .options = {norm_option(), solver_option(), max_step_option()},
      .make = [](ResidualSystem& system, const IntegratorSettings& settings) -> std::unique_ptr<Integrator> {
        return std::make_unique<Radau>(system, with_defaults(settings, radau_row()));
      }};
}

}  // namespace daedalus
