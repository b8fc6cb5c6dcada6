// generalized-alpha: the generalized-α method of Chung and Hulbert for the index-3 equations, at constant
// step (Arnold, Brüls: "Convergence of the generalized-α scheme for constrained mechanical systems",
// Multibody System Dynamics 18, 2007, equations (4)-(6)):
//
//   p₁ = p₀ + h v₀ + h² ((½ - β) a₀ + β a₁),      v₁ = v₀ + h ((1 - γ) a₀ + γ a₁),
//   (1 - α_m) a₁ + α_m a₀ = (1 - α_f) v̇₁ + α_f v̇₀,
//   M(p₁) v̇₁ = f(p₁, v₁) - B(p₁) λ₁,              0 = g(p₁),
//
// α_m = (2ρ - 1)/(ρ + 1), α_f = ρ/(ρ + 1), γ = ½ + α_f - α_m, β = ¼ (γ + ½)²: of order 2, ρ being what is
// left of infinitely fast motions after a step. a lags behind v̇ by (α_m - α_f) h, so it begins there: else
// the multipliers would lose an order at first (ibid., section 4).
//
// The positions fulfil the constraints to rounding, the velocities up to h².
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "integrate/mechanical_fixed_step.hpp"
#include "integrate/rows.hpp"
#include "numerics/newton.hpp"
#include "numerics/vectors.hpp"

namespace daedalus {
namespace {

constexpr int kMaxIterations = 25;  // quadratic convergence, in steps that are a quarter shorter at the worst
constexpr double kRounding = 1e-11;  // relative to the values: closer, steps that do not shrink are rounding
// Newton's method gains a factor of four at least until its steps are rounding.
constexpr RoundingStop::Limits kStop{
    .nothing = std::numeric_limits<double>::min(), .close = kRounding, .shrinking = 0.25};

class GeneralizedAlpha final : public MechanicalFixedStep {
 public:
  GeneralizedAlpha(MechanicalSystem& system, const IntegratorSettings& settings)
      : MechanicalFixedStep(system, settings),
        a_(n()),
        a_new_(n()),
        rate_(n()),
        rate_new_(n()),
        lambda_(m()),
        lambda_new_(m()),
        rhs_(n() + m()),
        scratch_(2 * n()) {
    const double rho = settings.selection.number("rho");
    alpha_m_ = (2 * rho - 1) / (rho + 1);
    alpha_f_ = rho / (rho + 1);
    gamma_ = 0.5 + alpha_f_ - alpha_m_;
    beta_ = 0.25 * (gamma_ + 0.5) * (gamma_ + 0.5);
  }

  int order() const override { return 2; }

 private:
  NewtonOutcome attempt(double t_new, double h) override;
  void started() override;
  void accepted() override;
  std::unique_ptr<Integrator> make_on(const SystemReference& system) const override {
    auto* const mechanical = system.as<MechanicalSystem>();
    return mechanical == nullptr ? nullptr : std::make_unique<GeneralizedAlpha>(*mechanical, settings_);
  }
  void do_state(Archive& archive) override {
    MechanicalFixedStep::do_state(archive);
    archive.section("generalized-alpha", 1);
    archive(fresh_).sized(n(), a_, rate_).sized(m(), lambda_);
  }

  void begin_pseudo_acceleration(double h);
  void predict(double h);
  [[nodiscard]] bool correct(double t_new, double h, bool renew, double* change);

  double alpha_m_ = 0, alpha_f_ = 0, gamma_ = 0, beta_ = 0;
  bool fresh_ = true;                    // a_ is to be made from the slopes
  std::vector<double> a_, a_new_;        // a
  std::vector<double> rate_, rate_new_;  // v̇ of the method
  std::vector<double> lambda_, lambda_new_, rhs_, scratch_;
};

void GeneralizedAlpha::started() {
  fresh_ = true;
}

void GeneralizedAlpha::accepted() {
  a_.swap(a_new_);
  rate_.swap(rate_new_);
  lambda_.swap(lambda_new_);
  fresh_ = false;
}

// a₀ = v̇(t₀ + (α_m - α_f) h) + O(h²)
void GeneralizedAlpha::begin_pseudo_acceleration(double h) {
  const std::size_t count = n();
  const double lag = (alpha_m_ - alpha_f_) * h;
  std::vector<double>& slope = y_new_;  // not yet in use
  for (std::size_t i = 0; i < 2 * count; ++i) scratch_[i] = y_[i] + lag * yp_[i];
  const bool ok = renew_slope(t_ + lag, scratch_, slope);
  for (std::size_t i = 0; i < count; ++i) {
    rate_[i] = yp_[count + i];
    a_[i] = ok ? slope[count + i] : yp_[count + i];
  }
  (void)renew_slope(t_, y_, slope);
  system_.multipliers(lambda_);
}

void GeneralizedAlpha::predict(double h) {
  const std::size_t count = n();
  copy_values(rate_, rate_new_);
  copy_values(lambda_, lambda_new_);
  for (std::size_t i = 0; i < count; ++i) {
    a_new_[i] = ((1 - alpha_f_) * rate_new_[i] + alpha_f_ * rate_[i] - alpha_m_ * a_[i]) / (1 - alpha_m_);
    y_new_[i] = y_[i] + h * y_[count + i] + h * h * ((0.5 - beta_) * a_[i] + beta_ * a_new_[i]);
    y_new_[count + i] = y_[count + i] + h * ((1 - gamma_) * a_[i] + gamma_ * a_new_[i]);
  }
}

// Newton's method in v̇₁ and λ₁: ∂a₁ = (1 - α_f)/(1 - α_m) ∂v̇₁, so that the matrix is that of the constrained
// form with M + hγ' D + h²β' K.
bool GeneralizedAlpha::correct(double t_new, double h, bool renew, double* change) {
  const std::size_t count = n();
  const double ratio = (1 - alpha_f_) / (1 - alpha_m_);
  const double d = h * gamma_ * ratio;
  const double k = h * h * beta_ * ratio;
  const std::span<double> top = std::span(rhs_).first(count);
  const std::span<double> bottom = std::span(rhs_).subspan(count);
  if (!system_.load_dynamics(t_new, y_new_) || !system_.load_constraints(t_new, y_new_)) return false;
  if (renew) {
    if (!system_.load_tangents(t_new, y_new_, rate_new_, lambda_new_)) return false;
    ++counters_.jacobian_evals;
    ++counters_.factorizations;
    if (!system_.factor_tangents(d, k)) return false;
  }
  ++counters_.residual_evals;
  ++counters_.newton_iterations;
  if (!system_.forces(t_new, y_new_, top)) return false;
  if (!system_.position_constraints(t_new, y_new_, bottom)) return false;
  for (std::size_t i = 0; i < count; ++i) rate_new_[i] = -rate_new_[i];
  for (double& x : lambda_new_) x = -x;
  system_.add_mass_times(rate_new_, top);
  system_.add_input_times(lambda_new_, top);
  for (double& x : bottom) x /= -k;
  system_.solve_tangents(rhs_);
  double largest = 0;
  double size = 1e-300;
  for (std::size_t i = 0; i < count; ++i) {
    rate_new_[i] = -rate_new_[i] + rhs_[i];
    a_new_[i] += ratio * rhs_[i];
    y_new_[i] += k * rhs_[i];
    y_new_[count + i] += d * rhs_[i];
    largest = std::max(largest, k * std::abs(rhs_[i]));
    size = std::max(size, std::abs(y_new_[i]));
  }
  for (std::size_t i = 0; i < lambda_new_.size(); ++i) lambda_new_[i] = -lambda_new_[i] + rhs_[count + i];
  *change = largest / size;
  return std::isfinite(largest);
}

NewtonOutcome GeneralizedAlpha::attempt(double t_new, double h) {
  if (fresh_) begin_pseudo_acceleration(h);
  predict(h);
  double before = std::numeric_limits<double>::infinity();
  RoundingStop at_rounding(kStop);
  bool renew = true;
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    double change = 0;
    if (!correct(t_new, h, renew, &change)) return {.status = NewtonStatus::NotFinite};
    if (at_rounding(change)) return {};
    renew = change > 0.1 * before;
    before = change;
  }
  ++counters_.newton_failures;
  return {.status = NewtonStatus::Slow};
}

}  // namespace

IntegratorRow generalized_alpha_row() {
  return {.name = "generalized-alpha",
          .summary =
              "the generalized-alpha method at the constant step --step: of order 2, damps fast motions; "
              "mechanisms with stiff parts, in real time",
          .reference = "Arnold, Brüls: Multibody System Dynamics 18 (2007), equations (4)-(6)",
          .order = 2,
          .adaptive = false,
          .one_step = true,
          .options = {{.name = "rho",
                       .kind = OptionKind::Number,
                       .default_value = "0.8",
                       .doc = "what is left of infinitely fast motions after a step: 1 damps nothing, 0 all",
                       .min = 0,
                       .max = 1}},
          .make_mechanical = [](MechanicalSystem& system,
                                const IntegratorSettings& settings) -> std::unique_ptr<Integrator> {
            return std::make_unique<GeneralizedAlpha>(system,
                                                      with_defaults(settings, generalized_alpha_row()));
          },
          .keeps_constraints = true,
          .holonomic_only = true};
}

}  // namespace daedalus
