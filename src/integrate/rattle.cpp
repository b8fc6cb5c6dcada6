// rattle: RATTLE at constant step, for any mass matrix M(p) (Jay, SIAM J. Numer. Anal. 33 (1996); Hairer,
// Lubich, Wanner, "Geometric Numerical Integration", VII.1.4, where it is (1.26) with s = 2). With the
// momentum π = M v and F = f + Ṁ v, which is -∂H/∂p in a Hamiltonian system:
//
//   π½ = π₀ + h/2 (F(p₀, u) - B(p₀) λ),     u = M(p₀)⁻¹ π½,   w = M(p₁)⁻¹ π½,
//   p₁ = p₀ + h/2 (u + w),                  0 = g(p₁),
//   π₁ = π½ + h/2 (F(p₁, w) - B(p₁) μ),     0 = G(p₁) v₁ + g_t.
//
// A composition of a method of order 1 and its adjoint: symmetric, symplectic where the forces have a
// potential, of order 2 with any forces. Positions and velocities fulfil the constraints to rounding. Where M
// is constant u = w, and this is the RATTLE of Andersen (1983).
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

constexpr int kMaxIterations = 50;  // linear convergence, by about the square of the step size
// An iteration that gains no more, with changes below this relative to the values, has met rounding.
constexpr double kRounding = 1e-11;
// Newton's method gains a factor of four at least until its steps are rounding.
constexpr RoundingStop::Limits kStop{
    .nothing = std::numeric_limits<double>::min(), .close = kRounding, .shrinking = 0.25};

class Rattle final : public MechanicalFixedStep {
 public:
  Rattle(MechanicalSystem& system, const IntegratorSettings& settings)
      : MechanicalFixedStep(system, settings),
        begin_(2 * n()),
        end_(2 * n()),
        force_(n()),
        momentum_(n()),
        lambda_(m()),
        rhs_(n() + m()) {}

  int order() const override { return 2; }

 private:
  NewtonOutcome attempt(double t_new, double h) override;
  void started() override { std::ranges::fill(lambda_, 0.0); }
  std::unique_ptr<Integrator> make_on(const SystemReference& system) const override {
    auto* const mechanical = system.as<MechanicalSystem>();
    return mechanical == nullptr ? nullptr : std::make_unique<Rattle>(*mechanical, settings_);
  }
  void do_state(Archive& archive) override {
    MechanicalFixedStep::do_state(archive);
    archive.section("rattle", 1);
    archive.sized(m(), lambda_);
  }

  [[nodiscard]] bool first_half(double t_new, double h, double* change);
  [[nodiscard]] bool velocity_at_end(double t_new);
  [[nodiscard]] bool second_half(double t_new, double h);

  std::vector<double> begin_;  // (p₀, u)
  std::vector<double> end_;    // (p₁, w)
  std::vector<double> force_, momentum_;
  std::vector<double> lambda_;  // h/2 λ of the last step: where the next one begins
  std::vector<double> rhs_;
};

// One correction of u, λ and with them p₁. The matrix [M(p₀) B(p₀); G(p₁) 0] is exact but for the forces that
// depend on velocities and for ∂w/∂u - 1, both of the order of h.
bool Rattle::first_half(double t_new, double h, double* change) {
  const std::size_t count = n();
  if (!system_.load_dynamics(t_, begin_)) return false;
  if (!system_.momentum_forces(t_, begin_, force_)) return false;
  const std::span<double> top = std::span(rhs_).first(count);
  const std::span<double> bottom = std::span(rhs_).subspan(count);
  for (std::size_t i = 0; i < count; ++i) force_[i] *= h / 2;
  // -r = M₀ (v₀ - u) + h/2 F - B λ̂
  for (std::size_t i = 0; i < count; ++i) momentum_[i] = y_[count + i] - begin_[count + i];
  copy_values(force_, top);
  system_.add_mass_times(momentum_, top);
  for (double& x : lambda_) x = -x;
  system_.add_input_times(lambda_, top);
  for (double& x : lambda_) x = -x;
  if (!system_.load_constraints(t_new, end_)) return false;
  if (!system_.position_constraints(t_new, end_, bottom)) return false;
  for (double& x : bottom) x /= -h;
  ++counters_.factorizations;
  ++counters_.newton_iterations;
  if (!system_.factor()) return false;
  system_.solve(rhs_);
  double largest = 0;
  double size = 1e-300;
  for (std::size_t i = 0; i < count; ++i) {
    begin_[count + i] += rhs_[i];
    largest = std::max(largest, std::abs(rhs_[i]));
    size = std::max(size, std::abs(begin_[count + i]));
    size = std::max(size, std::abs(begin_[i]) / h * std::numeric_limits<double>::epsilon() / kRounding);
  }
  for (std::size_t k = 0; k < lambda_.size(); ++k) lambda_[k] += rhs_[count + k];
  *change = largest / size;
  return std::isfinite(largest);
}

// w, with p₁ = p₀ + h/2 (u + w) of before.
bool Rattle::velocity_at_end(double t_new) {
  const std::size_t count = n();
  const std::span<double> w = std::span(end_).subspan(count);
  const std::span<const double> u = std::span(begin_).subspan(count);
  if (system_.constant_mass()) {
    copy_values(u, w);
    return true;
  }
  if (!system_.load_dynamics(t_, begin_)) return false;
  std::ranges::fill(momentum_, 0.0);
  system_.add_mass_times(u, momentum_);
  if (!system_.load_dynamics(t_new, end_) || !system_.solve_mass(momentum_)) return false;
  copy_values(momentum_, w);
  return true;
}

bool Rattle::second_half(double t_new, double h) {
  const std::size_t count = n();
  const std::span<double> top = std::span(rhs_).first(count);
  const std::span<double> bottom = std::span(rhs_).subspan(count);
  if (!system_.load_dynamics(t_new, end_) || !system_.load_constraints(t_new, end_)) return false;
  if (!system_.momentum_forces(t_new, end_, force_)) return false;
  // M₁ (v₁ - w) + B μ̂ = h/2 F,   G (v₁ - w) = -(G w + g_t)
  for (std::size_t i = 0; i < count; ++i) top[i] = h / 2 * force_[i];
  if (!system_.velocity_constraints(t_new, end_, bottom)) return false;
  for (double& x : bottom) x = -x;
  ++counters_.factorizations;
  if (!system_.factor()) return false;
  system_.solve(rhs_);
  for (std::size_t i = 0; i < count; ++i) {
    y_new_[i] = end_[i];
    y_new_[count + i] = end_[count + i] + rhs_[i];
  }
  return std::ranges::all_of(y_new_, [](double x) { return std::isfinite(x); });
}

NewtonOutcome Rattle::attempt(double t_new, double h) {
  const std::size_t count = n();
  copy_values(y_, begin_);
  for (std::size_t i = 0; i < count; ++i) begin_[count + i] += h / 2 * yp_[count + i];
  copy_values(begin_, end_);
  for (std::size_t i = 0; i < count; ++i) end_[i] = y_[i] + h * begin_[count + i];
  RoundingStop at_rounding(kStop);
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    double change = 0;
    if (!first_half(t_new, h, &change) || !velocity_at_end(t_new)) return {.status = NewtonStatus::NotFinite};
    for (std::size_t i = 0; i < count; ++i) end_[i] = y_[i] + h / 2 * (begin_[count + i] + end_[count + i]);
    if (at_rounding(change)) {
      counters_.residual_evals += iteration + 2;
      if (second_half(t_new, h)) return {};
      return {.status = NewtonStatus::NotFinite};
    }
  }
  std::ranges::fill(lambda_, 0.0);
  ++counters_.newton_failures;
  return {.status = NewtonStatus::Slow};
}

}  // namespace

IntegratorRow rattle_row() {
  return {.name = "rattle",
          .summary =
              "RATTLE at the constant step --step: symplectic, of order 2, positions and velocities on "
              "the constraints; long runs of mechanisms",
          .reference =
              "Hairer, Lubich, Wanner: Geometric Numerical Integration, sec. VII.1.4; Jay: SIAM J. "
              "Numer. Anal. 33 (1996)",
          .order = 2,
          .adaptive = false,
          .one_step = true,
          .options = {},
          .make_mechanical = [](MechanicalSystem& system,
                                const IntegratorSettings& settings) -> std::unique_ptr<Integrator> {
            return std::make_unique<Rattle>(system, with_defaults(settings, rattle_row()));
          },
          .keeps_constraints = true,
          .holonomic_only = true};
}

}  // namespace daedalus
