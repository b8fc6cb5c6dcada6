// ε of the regularisations: by the tolerances, or by a radius δ of the multipliers.
#include <algorithm>
#include <cmath>
#include <limits>

#include "drive/reform_driver.hpp"
#include "numerics/dense_algebra.hpp"
#include "reform/regularised.hpp"

namespace daedalus {
namespace {

// The radius Δ of a trust region is this many times the multipliers at the start (measured on the slider
// crank: none of 384 runs wrong).
constexpr double radius_factor = 10;

// How much beyond the radius δ the multipliers may be at the end of a step, and how often it is taken again.
constexpr double radius_slack = 0.01;
constexpr int radius_attempts = 20;
// ε is found to this part of it, by halving its logarithm so often at most; it is an estimate.
constexpr double epsilon_resolution = 1e-6;
constexpr int epsilon_halvings = 200;
// The least ε, of the largest eigenvalue: some roundings, so that what is rank-deficient can be solved.
constexpr double least_epsilon = 1e-14;

}  // namespace

// ε = ((γ₁ + γ₀) tol / 2Δ)²: at it the multipliers that the regularisation allows are of size Δ when the
// constraints are violated by the tolerance. A motion constraint has as many terms γ_k as it has levels, and
// where all levels are constraints of their own (convert=ggl) each has one.
double ReformDriver::automatic_epsilon(double h, int constraint) const {
  const Selection& options = setting_.plan.row_options;
  const bool one_level = converts_to_index2(form(), options);
  const int levels =
      one_level ? 1 : form().order - form().constraints[static_cast<std::size_t>(constraint)].level;
  double sum = 0;
  if (options.has("gamma0") && options.has("gamma1")) {
    sum = options.number("gamma1") + (levels > 1 ? options.number("gamma0") : 0);
  } else {
    const double gamma = options.text("gamma") == "1/h" ? 1 / h : options.number("gamma");
    double factor = 1;
    for (int k = levels - 1; k >= 0; --k) {
      factor *= k + 1;
      sum += factor * std::pow(gamma, levels - k);
    }
  }
  const double tolerance = std::max(setting_.tolerances.relative, setting_.tolerances.absolute);
  const double root = sum * tolerance / (2 * radius_factor * typical_multiplier_);
  return root * root;
}

// The radius δ: the smallest ε ≥ 0 with (h^2m/2) |y(ε)|² ≤ δ, where y(ε) = (SᵀS + εI)⁻¹Sᵀ R minimises ½|R - S
// y|² + ½ε|y|², S = G M⁻¹ B (Petzold, Ren, Maly 1997, 2.9-2.11, 4.6). At the last point; R = r + S y there.
double ReformDriver::epsilon_of_radius(double h) {
  matrices_.evaluate(environment());
  const Eigen::MatrixXd s = product(matrices_.constraint(), Lu(matrices_.mass()).solve(matrices_.input()));
  Eigen::VectorXd y(form().ny());
  Eigen::VectorXd r = Eigen::VectorXd::Zero(form().ny());
  for (int i = 0; i < form().ny(); ++i)
    y[i] = environment()[static_cast<std::size_t>(model().slot(form().y(i)))];
  int row = 0;
  for (const ReformUnknown& unknown : residual_.system().unknowns) {
    if (unknown.own && row < form().ny() && unknown.name.starts_with("r["))
      r[row++] = environment()[static_cast<std::size_t>(residual_.slot(unknown.leaf))];
  }
  const SymmetricEigen eigen = symmetric_eigen(transposed_product(s, s));
  const Eigen::VectorXd lambda = eigen.values.cwiseMax(0);
  const Eigen::VectorXd c =
      transposed_product(eigen.vectors, transposed_product(s, Eigen::VectorXd(r + product(s, y))));
  const double bound = 2 * setting_.plan.row_options.number("delta") / std::pow(h, 2 * form().order);
  const auto size = [&](double eps) { return (c.array() / (lambda.array() + eps)).matrix().squaredNorm(); };
  // Without any ε at all a rank-deficient S could not be solved for y.
  const double least = least_epsilon * std::max(lambda.maxCoeff(), std::numeric_limits<double>::min());
  if (!(size(least) > bound)) return least;
  double low = least;
  double high = std::max(2 * least, c.norm() / std::sqrt(bound));
  for (int k = 0; k < epsilon_halvings && high > low * (1 + epsilon_resolution); ++k) {
    const double middle = std::sqrt(low * high);
    (size(middle) > bound ? low : high) = middle;
  }
  return high;
}

void ReformDriver::set_epsilon(double h) {
  const auto is_epsilon = [](const HeldValue& held) { return held.role == HeldValue::Role::Epsilon; };
  if (std::ranges::none_of(residual_.system().held, is_epsilon)) return;
  if (bounds_multipliers()) return set_held(HeldValue::Role::Epsilon, epsilon_of_radius(h));
  for (const HeldValue& held : residual_.system().held) {
    if (is_epsilon(held))
      environment()[static_cast<std::size_t>(residual_.slot(held.leaf))] = automatic_epsilon(h, held.row);
  }
}

// (h^2m/2) yᵀy at the point in the environment, in parts of δ.
double ReformDriver::radius_used(double h) const {
  double square = 0;
  for (int i = 0; i < form().ny(); ++i) {
    const double y = environment()[static_cast<std::size_t>(model().slot(form().y(i)))];
    square += y * y;
  }
  return std::pow(h, 2 * form().order) / 2 * square / setting_.plan.row_options.number("delta");
}

// ε of a radius δ belongs to the multipliers at the end of the step, which are known afterwards. A step at
// whose end they are too large is taken again, with the ε of that end.
StepOutcome ReformDriver::step(Integrator& integrator, double t_stop) {
  if (!bounds_multipliers() || !integrator.copyable()) return integrator.step(t_stop);
  const std::vector<double> before(environment_.begin(), environment_.end());
  Archive saving;
  integrator.state(saving);
  const std::vector<std::byte> past = saving.finish();
  for (int attempt = 0;; ++attempt) {
    StepOutcome outcome = integrator.step(t_stop);
    if (!outcome.ok() || attempt == radius_attempts) return outcome;
    const double h = integrator.last_step();
    scratch_y_.assign(integrator.y().begin(), integrator.y().end());
    scratch_yp_.assign(integrator.yp().begin(), integrator.yp().end());
    scatter(integrator.t(), scratch_y_, scratch_yp_);
    if (!(radius_used(h) > 1 + radius_slack)) return outcome;
    const double epsilon = epsilon_of_radius(h);
    std::ranges::copy(before, environment_.begin());
    Archive loading{std::span<const std::byte>(past)};
    integrator.state(loading);
    set_held(HeldValue::Role::Epsilon, epsilon);
  }
}

}  // namespace daedalus
