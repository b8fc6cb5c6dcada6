// taylor: the Taylor series of the solution, of an order that follows from the tolerance, with the step size
// from the last two coefficients (Jorba, Zou: "A software package for the numerical integration of ODEs by
// means of high-order Taylor methods", Experimental Mathematics 14, 2005, section 3).
//
// They take the order p = 1 - ln(tol)/2, which is that of the least work if a step costs p², and the step at
// which the last term is the tolerance. Here a step of a constrained system costs one factorisation, whatever
// the order, so a few orders more are worth it. The last term belongs to the sum, so that the error, which is
// the next term, lies below the tolerance without a safety factor, and no step is ever rejected.
//
// Dense output is the polynomial itself.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "integrate/integrator.hpp"
#include "integrate/rows.hpp"
#include "integrate/step_report.hpp"
#include "integrate/tolerance_norm.hpp"

namespace daedalus {
namespace {

constexpr int kExtraOrder = 2;     // against Jorba and Zou's
constexpr int kMaxOrder = 40;      // where rounding of coefficients is what limits the step
constexpr double kMaxGrowth = 10;  // the radius of convergence may be an accident of one point

int order_for(const IntegratorSettings& settings) {
  if (settings.selection.has("order")) return settings.selection.integer("order");
  const double tolerance =
      std::max(settings.tolerances.relative, 10 * std::numeric_limits<double>::epsilon());
  return std::clamp(static_cast<int>(std::ceil(1 - std::log(tolerance) / 2)) + kExtraOrder, 6, kMaxOrder);
}

class Taylor final : public Integrator {
 public:
  Taylor(SeriesSystem& system, const IntegratorSettings& settings)
      : Integrator(settings),
        system_(system),
        count_(counters_),
        norm_(settings.tolerances, norm_kind(settings.selection)),
        order_(order_for(settings)) {}

  int order() const override { return order_; }
  std::string_view linear_solver() const override { return "none"; }

 private:
  int system_size() const override { return system_.size(); }
  void do_start(double t_hint) override;
  StepOutcome do_step(double t_stop) override;
  void do_interpolate(double t, std::span<double> y, std::span<double> yp) const override;
  void do_system_changed() override;
  double do_next_step(double t_stop) const override;
  // The slopes stay those of the polynomial: they are of its order, too.
  void do_replace_state(bool /*slopes_given*/, bool /*sensitive*/) override { state_ = State::Unknown; }
  std::unique_ptr<Integrator> make_on(const SystemReference& system) const override {
    auto* const series = system.as<SeriesSystem>();
    return series == nullptr ? nullptr : std::make_unique<Taylor>(*series, settings_);
  }
  void do_state(Archive& archive) override;

  enum class State { Unknown, Known, NotFinite };
  // The series at the point reached and the step that it allows, as late as possible: a projection may still
  // move the point.
  void expand() const;
  [[nodiscard]] double allowed_step() const;
  void evaluate(std::span<const double> c, double s, std::span<double> y, std::span<double> yp) const;

  SeriesSystem& system_;
  Counters& count_;  // the same as counters_
  mutable ToleranceNorm norm_;
  int order_;
  mutable State state_ = State::Unknown;
  mutable std::vector<double> next_;  // from the end of the last step
  mutable double h_ = 0;              // for the next step
  std::vector<double> last_;          // of the last step
  double h_before_ = 0;               // 0: none
  double t_hint_ = 0;
};

void Taylor::do_start(double t_hint) {
  const std::size_t n = y_.size();
  next_.resize((static_cast<std::size_t>(order_) + 1) * n);
  last_.resize(next_.size());
  h_before_ = 0;
  t_hint_ = t_hint;
  do_system_changed();
  expand();
  if (state_ == State::Known) std::copy_n(next_.begin() + static_cast<std::ptrdiff_t>(n), n, yp_.begin());
}

void Taylor::do_state(Archive& archive) {
  archive.section("taylor", 1);
  norm_.state(archive, system_.components());
  archive.choice(state_, State::NotFinite)(h_, h_before_, t_hint_);
  archive.sized((static_cast<std::size_t>(order_) + 1) * y_.size(), next_, last_);
}

void Taylor::do_system_changed() {
  norm_.set_components(system_.components());
  state_ = State::Unknown;
}

void Taylor::expand() const {
  if (state_ != State::Unknown) return;
  ++count_.residual_evals;
  state_ = system_.expand(t_, y_, order_, next_) ? State::Known : State::NotFinite;
  if (state_ == State::Known) h_ = allowed_step();
}

double Taylor::allowed_step() const {
  if (settings_.fixed_step) return *settings_.fixed_step;
  norm_.set_solution(y_);
  const std::size_t n = y_.size();
  double h = t_hint_ - t_ > 0 ? t_hint_ - t_ : std::numeric_limits<double>::infinity();
  for (int k = order_ - 1; k <= order_; ++k) {
    const double size = norm_.error(std::span(next_).subspan(static_cast<std::size_t>(k) * n, n));
    if (size > 0) h = std::min(h, std::pow(size, -1.0 / k));
  }
  if (h_before_ > 0) h = std::min(h, kMaxGrowth * h_before_);
  if (h_before_ == 0 && settings_.initial_step) h = std::min(h, *settings_.initial_step);
  return settings_.max_step ? std::min(h, *settings_.max_step) : h;
}

// Neither beyond t_stop nor so near before it that a tiny step would be left.
double Taylor::do_next_step(double t_stop) const {
  expand();
  if (settings_.fixed_step) return step_towards(t_, t_stop, *settings_.fixed_step);
  const double left = t_stop - t_;
  if (h_ >= left) return left;
  return 2 * h_ > left ? left / 2 : h_;
}

StepOutcome Taylor::do_step(double t_stop) {
  const double h = do_next_step(t_stop);
  const bool last = h == t_stop - t_;
  if (state_ != State::Known || (!(h >= smallest_step(t_, t_stop)) && !last)) {
    const bool error_test = state_ == State::Known;
    return step_failure({.t = t_,
                         .h = h,
                         .newton = {.status = error_test ? NewtonStatus::Converged : NewtonStatus::NotFinite},
                         .error_test = error_test},
                        system_.trouble());
  }
  std::swap(next_, last_);
  h_before_ = std::max(h, h_);
  t_previous_ = t_;
  t_ = last ? t_stop : t_ + h;
  evaluate(last_, h, y_, yp_);
  state_ = State::Unknown;
  return {};
}

// Horner's rule, all components together.
void Taylor::evaluate(std::span<const double> c, double s, std::span<double> y, std::span<double> yp) const {
  const std::size_t n = y.size();
  const auto top = static_cast<std::size_t>(order_);
  std::copy_n(c.begin() + static_cast<std::ptrdiff_t>(top * n), n, y.begin());
  for (std::size_t k = top; k-- > 0;) {
    const double* part = c.data() + k * n;
    for (std::size_t i = 0; i < n; ++i) y[i] = y[i] * s + part[i];
  }
  if (yp.empty()) return;
  for (std::size_t i = 0; i < n; ++i) yp[i] = static_cast<double>(top) * c[top * n + i];
  for (std::size_t k = top; k-- > 1;) {
    const double* part = c.data() + k * n;
    for (std::size_t i = 0; i < n; ++i) yp[i] = yp[i] * s + static_cast<double>(k) * part[i];
  }
}

void Taylor::do_interpolate(double t, std::span<double> y, std::span<double> yp) const {
  evaluate(last_, t - t_previous_, y, yp);
}

}  // namespace

IntegratorRow taylor_row() {
  return {.name = "taylor",
          .summary =
              "Taylor series, of an order by the tolerance, variable step: high accuracy and large "
              "mechanisms that are not stiff",
          .reference =
              "Jorba, Zou: Experimental Mathematics 14 (2005); Griewank, Walther: Evaluating "
              "Derivatives, ch. 13",
          .order = kMaxOrder,
          .adaptive = true,
          .one_step = true,
          .options = {norm_option(),
                      max_step_option(),
                      {.name = "order",
                       .kind = OptionKind::Integer,
                       .default_value = "",
                       .doc = "of the series; not given: by the tolerance",
                       .min = 2,
                       .max = kMaxOrder}},
          .make_series = [](SeriesSystem& system,
                            const IntegratorSettings& settings) -> std::unique_ptr<Integrator> {
            return std::make_unique<Taylor>(system, with_defaults(settings, taylor_row()));
          }};
}

}  // namespace daedalus
