// Baumgarte's stabilisation (Pöll, Hafner 2015 §5.2, Ascher, Petzold 1993 §3.1, Petzold, Ren, Maly 1997
// (1.3), (2.8)):
//
//   0 = g̈ + 2α ġ + β² g   (m = 2);    0 = Σ_k c_k d^k g/dt^k = (d/dt + γ)^m g   (any m)
//
// and its form with first derivatives only, the Taylor expansion of g over a step h (Petzold, Ren, Maly 1997
// (4.5), (4.15)):
//
//   0 = G a + (m/h) G x^(m-1) + … + m!/h^(m-1) (G x' + g_t) + m!/h^m g.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "reform/descriptor.hpp"

namespace daedalus {

std::vector<NodeId> stability_coefficients(const ReformBuilder& b, StabilityPolynomial kind, int q,
                                           NodeId gamma) {
  std::vector<NodeId> c(static_cast<std::size_t>(q) + 1, b.constant(1));
  double factor = 1;  // C(q, k) or q!/k!
  for (int k = q - 1; k >= 0; --k) {
    factor *= kind == StabilityPolynomial::Binomial ? static_cast<double>(k + 1) / (q - k) : k + 1;
    NodeId power = gamma;
    for (int j = 1; j < q - k; ++j) power = b.graph().mul(power, gamma);
    c[static_cast<std::size_t>(k)] = b.graph().mul(b.constant(factor), power);
  }
  return c;
}

Result<NodeId> gamma_option(ReformBuilder& b, const Selection& options, std::string_view key) {
  const std::string_view text = options.text(key);
  if (text == "1/h") return b.graph().div(b.constant(1), b.held(HeldValue::Role::Step));
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
    return fail(fmt::format("{} must be a number or 1/h, but is {}", key, text));
  if (value < 0) {
    return fail(fmt::format(
        "{} must not be negative, but is {}: with that sign the violation of a constraint grows", key, text));
  }
  return b.constant(value);
}

namespace {

// α and β were given: m = 2 only.
Result<std::vector<NodeId>> alpha_beta(const ReformBuilder& b, const Selection& options) {
  if (b.m() != 2) return fail("alpha and beta are for second-order systems; give gamma instead");
  if (!options.has("alpha") || !options.has("beta")) return fail("give both alpha and beta");
  const double alpha = options.number("alpha");
  const double beta = options.number("beta");
  // Pöll, Hafner 2015 (35), (36): both roots of τ² + 2ατ + β² must lie in the left half-plane.
  if (!(alpha > 0) || !(beta > 0)) {
    return fail(
        fmt::format("alpha and beta must be positive, but are {:g} and {:g}: otherwise the violation of "
                    "a constraint does not decay",
                    alpha, beta));
  }
  return std::vector<NodeId>{b.constant(beta * beta), b.constant(2 * alpha), b.constant(1)};
}

// All roots in the open left half-plane: Routh's scheme, whose first column must be positive throughout.
// Coefficients of 1, τ, …, τ^q.
bool is_stable(std::vector<double> c) {
  std::ranges::reverse(c);
  std::vector<double> above;
  std::vector<double> row;
  for (std::size_t k = 0; k < c.size(); ++k) (k % 2 == 0 ? above : row).push_back(c[k]);
  for (std::size_t left = c.size(); left > 1; --left) {
    row.resize(above.size(), 0);
    if (!(above.front() > 0) || !(row.front() > 0)) return false;
    std::vector<double> below;
    for (std::size_t k = 0; k + 1 < above.size(); ++k)
      below.push_back(above[k + 1] - (above.front() / row.front() * row[k + 1]));
    if (below.empty()) below.push_back(0);
    above = std::move(row);
    row = std::move(below);
    if (left == 2) break;
  }
  return above.front() > 0;
}

// polynomial=[c0,c1,…]: c_0 … c_(m-1) of Σ c_k d^k g/dt^k, c_m = 1 (Ascher, Petzold 1993, 3.2 and 3.3).
Result<std::vector<NodeId>> given_polynomial(const ReformBuilder& b, const Selection& options) {
  const auto matrix = parse_matrix(options.text("polynomial"), "polynomial", "a row of coefficients");
  if (!matrix) return std::unexpected(matrix.error());
  if (matrix->rows != 1 || matrix->columns != b.m()) {
    return fail(fmt::format(
        "polynomial must have {} coefficients, of g and its derivatives below the {}th, but has {}", b.m(),
        b.m(), matrix->values.size()));
  }
  for (const FormConstraint& constraint : b.form().constraints) {
    if (constraint.level > 0)
      return fail(
          "polynomial is for constraints of position, and the model has motion constraints, which have fewer "
          "derivatives; give gamma instead");
  }
  std::vector<double> c = matrix->values;
  c.push_back(1);
  if (!is_stable(c)) {
    return fail(
        "the polynomial has a root whose real part is not negative: with it the violation of a constraint "
        "does "
        "not decay");
  }
  std::vector<NodeId> nodes;
  for (const double value : c) nodes.push_back(b.constant(value));
  return nodes;
}

// The frame that the stabilised constraint is added to: coupled to the rates x^(m) as the method forms them,
// or, as in (2.8), with y from the accelerations at the point, a, which are then the rates.
void add_frame(ReformBuilder& b, const Selection& options) {
  if (options.text("form") == "coupled") {
    add_descriptor(b, 2);
  } else {
    b.add_positions();
    b.add_accelerations();
    b.add_multipliers(2);
    for (int k = 0; k < b.m(); ++k) b.kinematics(k);
    b.add_dynamics();
    b.add_companions();
  }
  leave_velocities_untested(b, options);
}

}  // namespace

Result<ReformulatedSystem> rewrite_baumgarte(const ConstrainedForm& form, const Selection& options) {
  ReformBuilder b(form);
  add_frame(b, options);
  const bool given = options.has("alpha") || options.has("beta");
  const bool polynomial = options.has("polynomial");
  if (given && polynomial) return fail("give alpha and beta, or polynomial, not both");
  auto pair = given        ? alpha_beta(b, options)
              : polynomial ? given_polynomial(b, options)
                           : Result<std::vector<NodeId>>();
  if ((given || polynomial) && !pair) return std::unexpected(pair.error());
  const auto gamma = gamma_option(b, options);
  if (!gamma) return std::unexpected(gamma.error());
  for (int i = 0; i < form.ny(); ++i) {
    const FormConstraint& constraint = form.constraints[static_cast<std::size_t>(i)];
    const int q = b.m() - constraint.level;
    // A motion constraint decays like e^(-αt): with α = β = γ that is (d/dt + γ) of it.
    const auto c = (given && q == 2) || polynomial
                       ? *pair
                       : stability_coefficients(b, StabilityPolynomial::Binomial, q,
                                                given ? b.constant(options.number("alpha")) : *gamma);
    NodeId sum = b.constant(0);
    for (int k = 0; k <= q; ++k) {
      const auto at = static_cast<std::size_t>(k);
      sum = b.graph().add(sum, b.graph().mul(c[at], constraint.derivatives[at]));
    }
    b.equation(sum, "the stabilised constraint " + form.constraint_name(i));
  }
  return b.take();
}

Result<ReformulatedSystem> rewrite_baumgarte_h(const ConstrainedForm& form, const Selection& options) {
  ReformBuilder b(form);
  add_frame(b, options);
  const auto residuals = linearised_constraints(b, options, StabilityPolynomial::Taylor, false);
  if (!residuals) return std::unexpected(residuals.error());
  for (int i = 0; i < form.ny(); ++i)
    b.equation((*residuals)[static_cast<std::size_t>(i)],
               "the linearised constraint " + form.constraint_name(i));
  return b.take();
}

}  // namespace daedalus
