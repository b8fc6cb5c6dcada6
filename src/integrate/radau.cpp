// radau: Radau IIA of order 5, or of order 1, 9 or 13, or changing between them, with variable step. Hairer,
// Wanner, "Solving Ordinary Differential Equations II", section IV.8 (RADAU5), carried over from M y' = f to
// F(t, y, y') = 0; "Stiff differential equations solved by Radau methods", J. Comput. Appl. Math. 111 (1999),
// for the other orders.
//
// Error estimate. The embedded formula of order 3 uses f(t_n, y_n) besides the stages, and the estimate is
//     err = (γ/h M - ∂f/∂y)⁻¹ (f(t_n, y_n) + M s),   s = (1/h) Σ e_i z_i            (IV.8.19).
// Here f(t_n, y_n) + M s is -F(t_n, y_n, -s) if F = M y' - f, and for any F this is, to first order in
// y'_n + s, the same quantity: F(t_n, y_n, -s) = F(t_n, y_n, y'_n) - M (y'_n + s) + …, the first term being
// zero for consistent values. So err = (J + γ/h M)⁻¹ (-F(t_n, y_n, -s)), one residual and one solve, and rows
// without y' ask for no special treatment. If the step is the first or follows a rejection and err is too
// large, the estimate is filtered once more with F(t_n, y_n + err, -s) (IV.8.20).
//
// The estimate is of order s = 3 and the solution of order 2s-1 = 5, so the error is held below a multiple of
// rtol^((s+1)/2s) so that the solution's error is near rtol. RADAU5 takes 0.1; with 0.01 the errors of
// Andrews' squeezer, the car axis and the transistor amplifier at rtol 1e-6 stay below 1e-6, for 1.8 times
// the steps. Five and seven stages take 0.003: of variable order the amplifier is off by 25 rtol at 1e-8, and
// by 150 with 0.01, which saves a tenth of the evaluations.
//
// The order is raised when Newton's iteration converges so fast (at a rate of 0.01) that longer steps of
// higher order are no trouble to it, at steps of nearly constant size, and ten steps after the last change at
// the earliest; it is lowered when the iteration is slow or fails (ibid., section 4), but not below 5: at
// order 1 steps are so short that the iteration has no trouble, and many before the order may be raised
// again. After an event it begins with 5.
//
// Dense output: the collocation polynomial, of order s. With three stages differential components have the
// two-step Hermite polynomial (order 5) instead, once three points are known and if it agrees with all
// stages: slopes of stiff components are errors of values times their rate, and it would be far off. At one
// stage alone it agrees by chance now and then.
//
// The error estimate is filtered by (J + γ/h M)⁻¹ and sees next to nothing of a stiff component that follows
// the others: the steps may grow until the polynomial, of degree s, is no image of the solution between its
// nodes, while the ends are right. So the error of the polynomial is estimated, too: by the divided
// difference of order s + 1 over its nodes and the last stage but one of the step before, times the largest
// |x (x - c_1) … (x - c_s)|. A step in which it exceeds kOutputError times the tolerances is rejected. Of
// components for which the Hermite polynomial is taken it does not count.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "integrate/implicit_integrator.hpp"
#include "integrate/radau_options.hpp"
#include "integrate/radau_patience.hpp"
#include "integrate/radau_stages.hpp"
#include "integrate/rows.hpp"
#include "integrate/step_report.hpp"
#include "numerics/radau_coefficients.hpp"
#include "numerics/two_step_hermite.hpp"
#include "numerics/vectors.hpp"

namespace daedalus {
namespace {

// Hairer and Wanner's RADAU5 (volume II, IV.8) has these three.
constexpr double kSafety = 0.9;
constexpr double kMaxGrowth = 8;
constexpr double kMaxCut = 0.2;
// Errors that are smaller count as this large where a power of them says how much a step may grow: kMaxGrowth
// is reached long before. Accepted ones count as a hundredth at least, as in RADAU5.
constexpr double kNoError = 1e-10;
constexpr double kLeastAccepted = 1e-2;
constexpr double kGoodRate = 1e-3;   // Newton this fast: the Jacobian is kept
constexpr double kKeptGrowth = 1.2;  // a step that would grow by less is kept, and its matrices
constexpr int kMaxIterations = 10;   // with three stages
constexpr double kRaiseRate = 0.01;  // Newton this fast: the order may be raised
constexpr double kLowerRate = 0.8;   // this slow: it is lowered
// The error of values between the steps, in tolerances. With 5, 2000 stiff problems with random rates and
// courses stay below 60 between their steps (with 10, one in a thousand exceeds 100); the problems whose ends
// are what limits the steps take as many as without it.
constexpr double kOutputError = 5;
// The estimate of it is one derivative at one place, and may be there where that passes zero: of an error so
// much smaller than the step before lets expect, no more is believed than that the step may grow by this.
constexpr double kUnexpected = 0.1;
constexpr double kDoubtfulGrowth = 2;
// At fixed step there is no error to balance Newton's against, and no shorter step to help it.
constexpr double kFixedStepNewton = 1e-6;
constexpr int kFixedStepIterations = 50;

double newton_tolerance(const IntegratorSettings& settings, int stages) {
  if (settings.fixed_step) return kFixedStepNewton;
  const double inner = inner_tolerances(settings.tolerances, stages).relative;
  return std::max(10 * std::numeric_limits<double>::epsilon() / inner, std::min(0.03, std::sqrt(inner)));
}

int max_iterations(const IntegratorSettings& settings, int stages) {
  return settings.fixed_step ? kFixedStepIterations : kMaxIterations + 5 * (stages - 3) / 2;
}

class Radau final : public ImplicitIntegrator {
 public:
  Radau(ResidualSystem& system, const IntegratorSettings& settings)
      : ImplicitIntegrator(system, settings),
        norm_(settings.tolerances, norm_kind(settings.selection)),
        variable_(variable_order(settings) && !settings.fixed_step),
        stages_({system_, counters_}, {.solver = solver_kind(settings.selection)},
                variable_ ? RadauTableau::kMaxStages : first_stages(settings)) {
    use(first_stages(settings));
    if (variable_) {  // made once, and not in a step
      for (int stages = radau::kStages; stages <= RadauTableau::kMaxStages; stages += 2)
        (void)radau_tableau(stages);
    }
  }

  int order() const override { return tableau_->order(); }
  std::string_view linear_solver() const override { return stages_.linear_solver(); }

 private:
  void do_start(double t_hint) override;
  StepOutcome do_step(double t_stop) override;
  void do_interpolate(double t, std::span<double> y, std::span<double> yp) const override;
  void do_system_changed() override;
  double do_next_step(double t_stop) const override;
  void do_replace_state(bool /*slopes_given*/, bool /*sensitive*/) override {
    hermite_.replace_last(y_, yp_);
  }

  std::unique_ptr<Integrator> make_on(const SystemReference& system) const override {
    auto* const residual = system.as<ResidualSystem>();
    return residual == nullptr ? nullptr : std::make_unique<Radau>(*residual, settings_);
  }
  void do_state(Archive& archive) override;
  void tableau_state(Archive& archive);

  // Of an attempt, 1 being allowed: at its end, and between its ends.
  struct Errors {
    double end = 0;
    double output = 0;
  };

  void use(int stages);
  void choose_order(double h);
  [[nodiscard]] int stage_count() const { return tableau_->stages; }
  // Where the polynomial of the last step has its nodes, relative to its end and its length: 0 first.
  [[nodiscard]] double node(int k) const;
  double aim_at(double t_stop);
  StagesOutcome attempt(double h);
  void guess_stages(double h);
  double judge(double h);
  [[nodiscard]] double judge_output(double h);
  [[nodiscard]] double judge_first_output(double h);
  [[nodiscard]] double output_allowed(std::size_t i, double middle, double end) const;
  [[nodiscard]] double cut_for(double error) const;
  void accept(double t_new, double h, const Errors& errors);
  void choose_step(double h, const Errors& errors, bool was_rejected);

  ToleranceNorm norm_;
  double output_peak_ = 0;  // the largest |x (x - c_1) … (x - c_s)| in the step
  double output_density_ =
      0;  // Errors::output of the last step, over the power of its size that it goes with
  bool variable_ = false;
  RadauStages stages_;
  const RadauTableau* tableau_ = nullptr;
  const RadauTableau* polynomial_of_ = nullptr;  // the method that made the polynomial
  OrderPatience order_patience_;
  bool newton_failed_ = false;  // in this step
  NewtonPatience newton_patience_;
  double t_reached_ = std::numeric_limits<double>::quiet_NaN();  // by the last step or start
  bool bold_ = false;        // the first step after a start is longer than slopes suggest
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
  std::vector<double> y_reached_, yp_reached_;  // the end of the last step, before any replace_state()
  TwoStepHermite hermite_;
  std::vector<std::vector<double>> polynomial_;  // divided differences, see accept()
};

void Radau::use(int stages) {
  tableau_ = &radau_tableau(stages);
  output_peak_ = largest_node_product(tableau_->c);
  if (!settings_.fixed_step) norm_.set_tolerances(inner_tolerances(settings_.tolerances, stages));
  stages_.use(*tableau_, newton_tolerance(settings_, stages), max_iterations(settings_, stages));
  h_factored_ = 0;
}

double Radau::node(int k) const {
  return k == 0 ? 0 : polynomial_of_->c[static_cast<std::size_t>(polynomial_of_->stages - 1 - k)] - 1;
}

void Radau::do_start(double t_hint) {
  const bool goes_on = t_ <= t_reached_ && t_ >= t_reached_ - h_polynomial_;  // from within the last step
  t_reached_ = t_;
  if (variable_) use(first_stages(settings_));  // what comes now may end soon, at the next event
  do_system_changed();
  norm_.set_solution(y_);
  const std::size_t n = y_.size();
  error_.resize(n);
  shifted_.resize(n);
  y_reached_.resize(n);
  yp_reached_.resize(n);
  polynomial_.resize(static_cast<std::size_t>(variable_ ? RadauTableau::kMaxStages : stage_count()));
  for (auto& part : polynomial_) part.assign(n, 0);
  hermite_.resize(n);
  hermite_.restart(t_, y_, yp_);
  h_polynomial_ = 0;
  h_accepted_ = 0;
  output_density_ = 0;
  rejected_ = false;
  newton_patience_.restart();
  if (settings_.fixed_step) {
    h_ = *settings_.fixed_step;
    return;
  }
  // A thousandth of the interval, less if the solution would move by more than a hundredth of its size.
  const double before = h_;
  h_ = settings_.initial_step.value_or(first_part * (t_hint - t_));
  const double movement = norm_.newton(yp_) * inner_tolerances(settings_.tolerances, stage_count()).relative;
  if (!settings_.initial_step && h_ * movement > 0.01) h_ = 0.01 / movement;
  // After an event, steps are about as long as before; if not, an attempt is lost where one would be won.
  bold_ = goes_on && !settings_.initial_step && before > h_;
  if (bold_) h_ = std::min({before, kMaxGrowth * h_, t_hint - t_});
  h_ = std::max(h_, 4 * smallest_step(t_, t_hint));  // however strict the tolerances
  if (settings_.max_step) h_ = std::min(h_, *settings_.max_step);
}

// The tableaus as numbers of stages.
void Radau::tableau_state(Archive& archive) {
  int stages = stage_count();
  int of_polynomial = polynomial_of_ == nullptr ? 0 : polynomial_of_->stages;
  archive(stages, of_polynomial);
  const auto possible = [this](int count) {
    return variable_ ? count % 2 == 1 && count >= radau::kStages && count <= RadauTableau::kMaxStages
                     : count == first_stages(settings_);
  };
  archive.require(possible(stages) && (of_polynomial == 0 || possible(of_polynomial)),
                  "stages that there are not");
  if (!archive.reading() || !archive.ok()) return;
  use(stages);
  polynomial_of_ = of_polynomial == 0 ? nullptr : &radau_tableau(of_polynomial);
}

void Radau::do_state(Archive& archive) {
  const std::size_t n = y_.size();
  archive.section("radau", 4);
  tableau_state(archive);
  norm_.state(archive, system_.components());
  archive(stages_, order_patience_, newton_patience_, newton_failed_, h_, h_factored_, h_polynomial_,
          jacobian_current_);
  archive(rejected_, clipped_, bold_, h_wanted_, h_accepted_, error_accepted_, output_density_);
  archive.sized(n, y_reached_, yp_reached_);
  hermite_.state(archive, n);
  polynomial_.resize(static_cast<std::size_t>(variable_ ? RadauTableau::kMaxStages : stage_count()));
  for (auto& part : polynomial_) archive.sized(n, part);
  archive.require(h_ > 0, "a step size that is not positive");
  archive.require(polynomial_of_ != nullptr || (h_polynomial_ == 0 && t_ == t_previous_),
                  "a step without stages");
  archive.require(h_factored_ == 0 || stages_.ready(), "matrices that are not factorised");
  if (!archive.reading()) return;
  t_reached_ = t_;
  error_.resize(n);
  shifted_.resize(n);
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
  if (settings_.fixed_step) return step_towards(t_, t_stop, h_);
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
  for (int s = 0; s < stage_count(); ++s) {
    const auto z = stages_.z(s);
    const double c = tableau_->c[static_cast<std::size_t>(s)];
    if (h_polynomial_ == 0) {
      for (std::size_t i = 0; i < z.size(); ++i) z[i] = c * h * yp_[i];
      continue;
    }
    const double x = c * h / h_polynomial_;
    const auto last = static_cast<std::size_t>(polynomial_of_->stages) - 1;
    copy_values(polynomial_[last], z);
    for (std::size_t k = last; k-- > 0;) {
      const double distance = x - node(static_cast<int>(k) + 1);
      for (std::size_t i = 0; i < z.size(); ++i) z[i] = polynomial_[k][i] + distance * z[i];
    }
    for (double& value : z) value *= x;
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

double Radau::output_allowed(std::size_t i, double middle, double end) const {
  const Tolerances& asked = settings_.tolerances;
  const double size = std::max(std::abs(middle), std::abs(end));
  return kOutputError * (asked.relative * size + asked.absolute * system_.components()[i].nominal);
}

// The largest error of the collocation polynomial within the step, relative to what is allowed.
double Radau::judge_output(double h) {
  if (settings_.fixed_step) return 0;
  if (h_polynomial_ == 0) return bold_ ? judge_first_output(h) : 0;
  const auto count = static_cast<std::size_t>(stage_count());
  // The node of the step before, relative to its length and then to that of this one; with one stage its
  // beginning.
  const double back = polynomial_of_->stages > 1 ? node(1) : -1;
  const double x = back * h_polynomial_ / h;
  std::array<double, RadauTableau::kMaxStages> row{};  // Lagrange's polynomials of this step there
  const std::vector<double>& c = tableau_->c;
  for (std::size_t s = 0; s < count; ++s) {
    row[s] = x / c[s];
    for (std::size_t j = 0; j < count; ++j) row[s] *= j == s ? 1 : (x - c[j]) / (c[s] - c[j]);
  }
  stages_.sum_of_stages(row.data(), shifted_);
  const double factor = output_peak_ / node_product(c, x);
  const std::span<const double> end = stages_.z(stage_count() - 1);
  const std::span<const double> middle = stages_.z(std::max(stage_count() - 2, 0));
  const std::span<const double> slope = stages_.last_slope();
  const auto components = system_.components();
  double worst = 0;
  for (std::size_t i = 0; i < y_.size(); ++i) {
    if (!components[i].error_tested || !components[i].counts || components[i].index > 1) continue;
    const double before = y_reached_[i] + back * polynomial_[0][i] - y_[i];
    const double allowed = output_allowed(i, y_[i] + middle[i], y_[i] + end[i]);
    const double error = factor * std::abs(before - shifted_[i]);
    if (!(error > worst * allowed)) continue;
    if (components[i].differential && stage_count() == radau::kStages && hermite_.nearly_ready()) {
      const TwoStepHermite::Point point{.t = t_ + h, .y = y_[i] + end[i], .yp = slope[i]};
      double difference = 0;
      for (std::size_t k = 0; k + 1 < count; ++k) {
        const double stage = y_[i] + stages_.z(static_cast<int>(k))[i];
        difference = std::max(difference, std::abs(hermite_.value_with(point, t_ + c[k] * h, i) - stage));
      }
      if (difference <= allowed) continue;
    }
    worst = error / allowed;
  }
  return worst;
}

// The same in a bold first step, where there is no step before: by the slope at its beginning,
// which the polynomial need not have. With a term c x (x - c_1) … (x - c_s) more it would, and this term is
// the error.
double Radau::judge_first_output(double h) {
  const std::vector<double>& c = tableau_->c;
  std::array<double, RadauTableau::kMaxStages> row{};  // derivatives of Lagrange's polynomials at 0
  double factor = output_peak_;
  for (std::size_t s = 0; s < c.size(); ++s) {
    factor /= c[s];
    row[s] = 1 / c[s];
    for (std::size_t j = 0; j < c.size(); ++j) row[s] *= j == s ? 1 : c[j] / (c[j] - c[s]);
  }
  stages_.sum_of_stages(row.data(), shifted_);
  const std::span<const double> end = stages_.z(stage_count() - 1);
  const std::span<const double> middle = stages_.z(std::max(stage_count() - 2, 0));
  double worst = 0;
  for (std::size_t i = 0; i < y_.size(); ++i) {
    const Component& part = system_.components()[i];
    if (!part.differential || !part.error_tested || !part.counts || part.index > 1) continue;
    const double error = factor * std::abs(shifted_[i] - h * yp_[i]);
    worst = std::max(worst, error / output_allowed(i, y_[i] + middle[i], y_[i] + end[i]));
  }
  return worst;
}

double Radau::cut_for(double error) const {
  if (!std::isfinite(error)) return kMaxCut;
  return kSafety * std::pow(error, -1.0 / (stage_count() + 1));
}

StepOutcome Radau::do_step(double t_stop) {
  norm_.set_solution(y_);
  rejected_ = false;
  newton_failed_ = false;
  StepTrouble trouble{.t = t_, .error_test = true};
  for (;;) {
    const double h = aim_at(t_stop);
    const bool last = h == t_stop - t_;
    if (!(h >= smallest_step(t_, t_stop)) && !last) {
      trouble.h = h;
      return step_failure(trouble, system_.trouble());
    }
    norm_.set_step(h);
    const StagesOutcome stages = attempt(h);
    trouble.newton = stages.newton;
    trouble.error_test = stages.newton.ok();
    if (stages.newton.ok()) {
      Errors errors{.end = judge(h)};
      if (errors.end < 1) errors.output = judge_output(h);
      if (errors.end < 1 && errors.output < 1) {
        accept(last ? t_stop : t_ + h, h, errors);
        return {};
      }
      trouble.newton.component = norm_.worst_error(error_);
      ++counters_.error_test_failures;
      const double cut = cut_for(errors.end < 1 ? errors.output : errors.end);
      h_ = h * (h_accepted_ == 0 ? 0.1 : std::clamp(cut, kMaxCut, kSafety));
    } else {
      ++counters_.newton_failures;
      newton_patience_.failed(h, !newton_failed_);
      newton_failed_ = true;
      h_ = h * stages.step_factor;
    }
    ++counters_.rejected;
    rejected_ = true;
  }
}

// Takes the step; keeps the collocation polynomial as divided differences over the nodes 1, c_(s-1), …, c_1,
// 0.
void Radau::accept(double t_new, double h, const Errors& errors) {
  const auto count = static_cast<std::size_t>(stage_count());
  const std::span<const double> end = stages_.z(stage_count() - 1);
  for (std::size_t i = 0; i < y_.size(); ++i) y_[i] += end[i];
  for (std::size_t k = 0; k < count; ++k)
    stages_.sum_of_stages(tableau_->differences.data() + (k * count), polynomial_[k]);
  polynomial_of_ = tableau_;
  copy_values(y_, y_reached_);
  copy_values(stages_.last_slope(), yp_);
  copy_values(yp_, yp_reached_);
  h_polynomial_ = h;
  t_previous_ = t_;
  t_ = t_reached_ = t_new;
  hermite_.append(t_, y_, yp_);
  choose_step(h, errors, rejected_);
  if (variable_) choose_order(h);
}

void Radau::choose_order(double h) {
  order_patience_.step();
  const int s = stage_count();
  const bool steady = h_ > 0.8 * h && h_ < 1.2 * h;
  int wanted = s;
  if (stages_.iterations() > 1 && stages_.rate() <= kRaiseRate && steady && order_patience_.over())
    wanted = s + 2;
  if (newton_failed_ || stages_.rate() >= kLowerRate) wanted = s - 2;
  wanted = std::clamp(wanted, radau::kStages, RadauTableau::kMaxStages);
  if (wanted == s) return;
  order_patience_.changed(wanted < s);
  use(wanted);
  norm_.set_solution(y_);
  output_density_ = 0;
  h_accepted_ = 0;  // errors of different orders are not comparable
}

// The predictive controller of Gustafsson (IV.8.21-22), and which matrices the next step may keep.
void Radau::choose_step(double h, const Errors& errors, bool was_rejected) {
  jacobian_current_ = false;
  const bool keep_jacobian = stages_.rate() <= kGoodRate;
  if (!keep_jacobian) stages_.drop_jacobian();
  if (settings_.fixed_step) {
    h_ = *settings_.fixed_step;
    h_accepted_ = h;
    return;
  }
  const double iterations = stages_.iterations();
  const double most = max_iterations(settings_, stage_count());
  const double power = 1.0 / (stage_count() + 1);
  const double safety = std::min(kSafety, kSafety * (1 + 2 * most) / (iterations + 2 * most));
  const double guarded = std::max(errors.end, kNoError);
  double growth = std::clamp(safety * std::pow(guarded, -power), kMaxCut, kMaxGrowth);
  if (h_accepted_ > 0) {
    const double predicted =
        kSafety * (h / h_accepted_) * std::pow(error_accepted_ / (guarded * guarded), power);
    growth = std::min(growth, std::clamp(predicted, kMaxCut, kMaxGrowth));
  }
  h_accepted_ = h;
  if (errors.output > 0) growth = std::clamp(cut_for(errors.output), kMaxCut, growth);
  const double part = std::pow(h, stage_count() + 1);
  if (errors.output < kUnexpected * output_density_ * part) growth = std::min(growth, kDoubtfulGrowth);
  output_density_ = errors.output / part;
  error_accepted_ = std::max(kLeastAccepted, errors.end);
  if (was_rejected) growth = std::min(growth, 1.0);
  growth = std::min(growth, newton_patience_.growth());
  const bool keep = keep_jacobian && growth >= 1 && growth <= kKeptGrowth;
  h_ = keep ? h : h * growth;
  if (clipped_ && !was_rejected) h_ = std::max(h_, h_wanted_);
  if (settings_.max_step) h_ = std::min(h_, *settings_.max_step);
}

void Radau::do_interpolate(double t, std::span<double> y, std::span<double> yp) const {
  if (t == t_) {  // asked for after every step
    copy_values(y_reached_, y);
    if (!yp.empty()) copy_values(yp_reached_, yp);
    return;
  }
  const double x = (t - t_) / h_polynomial_;
  const auto last = static_cast<std::size_t>(polynomial_of_->stages) - 1;
  for (std::size_t i = 0; i < y.size(); ++i) {
    double value = polynomial_[last][i];
    double rate = 0;
    for (std::size_t k = last; k-- > 0;) {
      const double distance = x - node(static_cast<int>(k) + 1);
      rate = value + distance * rate;
      value = polynomial_[k][i] + distance * value;
    }
    y[i] = y_reached_[i] + x * value;
    if (!yp.empty()) yp[i] = (value + x * rate) / h_polynomial_;
  }
  if (!hermite_.ready() || polynomial_of_->stages != radau::kStages) return;
  const auto components = system_.components();
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (!components[i].differential) continue;
    const double middle = y_reached_[i] + node(1) * polynomial_[0][i];
    const double first =
        y_reached_[i] + node(2) * (polynomial_[0][i] + (node(2) - node(1)) * polynomial_[1][i]);
    const double difference = std::max(std::abs(hermite_.value(t_ + node(1) * h_polynomial_, i) - middle),
                                       std::abs(hermite_.value(t_ + node(2) * h_polynomial_, i) - first));
    const bool agrees = difference <= output_allowed(i, middle, y_reached_[i]);
    if (!agrees && !settings_.fixed_step) continue;
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
      .reference =
          "Hairer, Wanner: Solving Ordinary Differential Equations II, sec. IV.8; J. Comput. Appl. "
          "Math. 111 (1999)",
      .order = 5,
      .adaptive = true,
      .one_step = true,
      .options = {norm_option(),
                  solver_option(),
                  max_step_option(),
                  {.name = "order",
                   .kind = OptionKind::Text,
                   .default_value = "5",
                   .doc = "of the method, or variable between the four, beginning with 5",
                   .choices = {"1", "5", "9", "13", "variable"}}},
      .make = [](ResidualSystem& system, const IntegratorSettings& settings) -> std::unique_ptr<Integrator> {
        return std::make_unique<Radau>(system, with_defaults(settings, radau_row()));
      }};
}

}  // namespace daedalus
