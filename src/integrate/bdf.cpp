// bdf, ndf: backward or numerical differentiation formulas of order 1 to 5 with variable step, fixed leading
// coefficient.
// Brenan, Campbell, Petzold, chapter 5 (DASSL), with two differences: Newton is judged afresh in every step
// (see corrector.hpp), and high-index components are weighted by powers of h (see tolerance_norm.hpp).
#include <algorithm>
#include <cassert>
#include <cmath>

#include "integrate/bdf_control.hpp"
#include "integrate/bdf_history.hpp"
#include "integrate/corrector.hpp"
#include "integrate/implicit_integrator.hpp"
#include "integrate/rows.hpp"
#include "integrate/step_report.hpp"
#include "integrate/tolerance_norm.hpp"
#include "numerics/vectors.hpp"

namespace daedalus {
namespace {

// At fixed step there is no error to balance Newton's against, so it iterates to what rounding allows.
constexpr double kFixedStepNewton = 1e-6;
// Steps that may end after one iteration on the rate that an earlier one has measured with the same matrix.
constexpr int kCarriedSteps = 8;
// Below, an iteration costs little, and near singular points nothing is to be taken on trust.
constexpr int kFewUnknowns = 100;

constexpr BdfHistory::Kappa backward{};
// Shampine, Reichelt (1997), table 1: larger steps at the same error, by 26, 26, 26 and 12 %, for angles of
// stability of 90, 90, 80, 66 and 51 instead of 90, 90, 86, 73 and 51 degrees.
constexpr BdfHistory::Kappa numerical{0, -0.1850, -1.0 / 9, -0.0823, -0.0415, 0};

class Bdf final : public ImplicitIntegrator {
 public:
  Bdf(ResidualSystem& system, const IntegratorSettings& settings, const BdfHistory::Kappa& kappa)
      : ImplicitIntegrator(system, settings),
        norm_(settings.tolerances, norm_kind(settings.selection)),
        history_(kappa),
        control_({.max_order = settings.selection.integer("order"),
                  .max_step = settings.max_step.value_or(0),
                  .fixed_step = settings.fixed_step}),
        corrector_(
            {system_, counters_},
            {.solver = solver_kind(settings.selection),
             .tolerance = settings.fixed_step ? kFixedStepNewton : settings.selection.number("newton"),
             .max_iterations = settings.fixed_step ? 10 : 4,
             .carried_steps = settings.fixed_step || system.size() < kFewUnknowns ? 0 : kCarriedSteps}) {}

  int order() const override { return std::max(history_.order_used(), 1); }
  std::string_view linear_solver() const override { return corrector_.linear_solver(); }

 private:
  void do_start(double t_hint) override;
  StepOutcome do_step(double t_stop) override;
  void do_interpolate(double t, std::span<double> y, std::span<double> yp) const override {
    history_.evaluate(t - t_, y, yp);
  }
  double do_next_step(double t_stop) const override;
  // The past holds the end as it is now, as if the step had led there (Eich 1993: the order stays, since the
  // move is of the size of the local error).
  void do_replace_state(bool /*slopes_given*/, bool /*sensitive*/) override {
    history_.move_end(y_);
    interpolates_to_moved_end();
  }
  void do_system_changed() override {
    norm_.set_components(system_.components());
    corrector_.set_pattern();
  }

  std::unique_ptr<Integrator> make_on(const SystemReference& system) const override {
    auto* const residual = system.as<ResidualSystem>();
    return residual == nullptr ? nullptr : std::make_unique<Bdf>(*residual, settings_, history_.kappa());
  }
  void do_state(Archive& archive) override;

  [[nodiscard]] double first_step(double t_hint) const;
  void accept(double t_new);

  ToleranceNorm norm_;
  BdfHistory history_;
  BdfControl control_;
  Corrector corrector_;
  std::vector<double> y0_, yp0_;
};

void Bdf::do_start(double t_hint) {
  do_system_changed();
  norm_.set_solution(y_);
  y0_.resize(y_.size());
  yp0_.resize(y_.size());
  history_.start(y_, yp_);
  control_.start(first_step(t_hint), y_.size());
}

void Bdf::do_state(Archive& archive) {
  const std::size_t n = y_.size();
  archive.section("bdf", 1);
  norm_.state(archive, system_.components());
  history_.state(archive, n);
  control_.state(archive, n);
  archive.require(control_.order() <= history_.order_used() + 1, "an order that the past does not allow");
  archive(corrector_);
  if (!archive.reading()) return;
  y0_.resize(n);
  yp0_.resize(n);
}

// DASSL's choice: a thousandth of the interval, less if the solution would change by more than half of what
// the tolerances allow. Slopes of algebraic components may be unknown and given as zero; then the error test
// of the first step, of order 1, brings the step size down.
double Bdf::first_step(double t_hint) const {
  double h = settings_.initial_step.value_or(first_part * (t_hint - t_));
  if (!settings_.initial_step) {
    const double slope = norm_.newton(yp_);
    if (h * slope > 0.5) h = 0.5 / slope;
  }
  h = std::max(h, 4 * smallest_step(t_, t_hint));  // however strict the tolerances
  return settings_.max_step ? std::min(h, *settings_.max_step) : h;
}

// Neither beyond t_stop nor so near before it that a tiny step would be left.
double Bdf::do_next_step(double t_stop) const {
  const double left = t_stop - t_;
  const double h = control_.h();
  if (settings_.fixed_step) return step_towards(t_, t_stop, h);
  if (1.1 * h >= left && (!settings_.max_step || left <= *settings_.max_step)) return left;
  return 2 * h > left ? left / 2 : h;
}

StepOutcome Bdf::do_step(double t_stop) {
  norm_.set_solution(y_);
  StepTrouble trouble{.t = t_, .error_test = true};
  for (;;) {
    const double h = do_next_step(t_stop);
    control_.shorten(h);
    const bool last = h == t_stop - t_;
    if (!(h >= smallest_step(t_, t_stop)) && !last) {
      trouble.h = h;
      return step_failure(trouble, system_.trouble());
    }
    const double t_new = last ? t_stop : t_ + h;
    norm_.set_step(h);
    history_.begin_step(h, control_.order());
    history_.predict(y0_, yp0_);
    trouble.newton = corrector_.solve({.t = t_new, .cj = history_.cj(), .y0 = y0_, .yp0 = yp0_}, norm_);
    trouble.error_test = trouble.newton.ok();
    if (trouble.newton.ok() && control_.judge(history_, corrector_.e(), norm_) <= 1) {
      accept(t_new);
      return {};
    }
    history_.restore();
    ++counters_.rejected;
    if (trouble.error_test) {
      ++counters_.error_test_failures;
      trouble.newton.component = norm_.worst_error(corrector_.e());
      control_.error_test_failed();
    } else {
      control_.newton_failed();
    }
  }
}

void Bdf::accept(double t_new) {
  control_.accepted(history_, corrector_.e(), norm_);
  history_.complete(corrector_.e());
  t_previous_ = t_;
  t_ = t_new;
  copy_values(corrector_.y(), y_);
  copy_values(corrector_.yp(), yp_);
}

std::vector<OptionSpec> options() {
  return {{.name = "order",
           .kind = OptionKind::Integer,
           .default_value = "5",
           .doc = "the highest order; with --step, the order",
           .min = 1,
           .max = BdfHistory::kMaxOrder},
          {.name = "newton",
           .kind = OptionKind::Number,
           .default_value = "0.03",
           .doc = "error left by Newton's iteration, in units of the tolerance",
           .min = least_newton,
           .max = 1},
          norm_option(),
          solver_option(),
          max_step_option()};
}

template <IntegratorRow (*row)(), const BdfHistory::Kappa& kappa>
std::unique_ptr<Integrator> make(ResidualSystem& system, const IntegratorSettings& settings) {
  return std::make_unique<Bdf>(system, with_defaults(settings, row()), kappa);
}

}  // namespace

IntegratorRow bdf_row() {
  return {
      .name = "bdf",
      .summary = "backward differentiation of variable order 1-5 and variable step, for DAEs of index 1",
      .reference = "Brenan, Campbell, Petzold: Numerical Solution of Initial-Value Problems in DAEs, ch. 5",
      .order = BdfHistory::kMaxOrder,
      .adaptive = true,
      .one_step = false,
      .options = options(),
      .make = make<bdf_row, backward>,
      .past_follows = true};
}

IntegratorRow ndf_row() {
  return {
      .name = "ndf",
      .summary = "numerical differentiation: bdf with smaller error constants, less stable at orders 3 and 4",
      .reference =
          "Klopfenstein 1971; Shampine, Reichelt: The MATLAB ODE Suite, SIAM J. Sci. Comput. 18, 1997",
      .order = BdfHistory::kMaxOrder,
      .adaptive = true,
      .one_step = false,
      .options = options(),
      .make = make<ndf_row, numerical>,
      .past_follows = true};
}

}  // namespace daedalus
