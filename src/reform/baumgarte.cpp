// Baumgarte's stabilisation (paper 002 §5.2, paper 003 §3.1, paper 000 (1.3), (2.8)):
//
//   0 = g̈ + 2α ġ + β² g   (m = 2);    0 = Σ_k c_k d^k g/dt^k = (d/dt + γ)^m g   (any m)
//
// and its form with first derivatives only, the Taylor expansion of g over a step h (paper 000 (4.5),
// (4.15)):
//
//   0 = G a + (m/h) G x^(m-1) + … + m!/h^(m-1) (G x' + g_t) + m!/h^m g.
#include <fmt/format.h>

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
  // Paper 002 (35), (36): both roots of τ² + 2ατ + β² must lie in the left half-plane.
  if (!(alpha > 0) || !(beta > 0)) {
    return fail(
        fmt::format("alpha and beta must be positive, but are {:g} and {:g}: otherwise the violation of "
                    "a constraint does not decay",
                    alpha, beta));
  }
  return std::vector<NodeId>{b.constant(beta * beta), b.constant(2 * alpha), b.constant(1)};
}

}  // namespace

Result<ReformulatedSystem> rewrite_baumgarte(const ConstrainedForm& form, const Selection& options) {
  ReformBuilder b(form);
  add_descriptor(b, 2);
  leave_velocities_untested(b, options);
  const bool given = options.has("alpha") || options.has("beta");
  auto pair = given ? alpha_beta(b, options) : Result<std::vector<NodeId>>();
  if (given && !pair) return std::unexpected(pair.error());
  const auto gamma = gamma_option(b, options);
  if (!gamma) return std::unexpected(gamma.error());
  for (int i = 0; i < form.ny(); ++i) {
    const FormConstraint& constraint = form.constraints[static_cast<std::size_t>(i)];
    const int q = b.m() - constraint.level;
    // A motion constraint decays like e^(-αt): with α = β = γ that is (d/dt + γ) of it.
    const auto c = given && q == 2
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
  add_descriptor(b, 2);
  leave_velocities_untested(b, options);
  const auto residuals = linearised_constraints(b, options, StabilityPolynomial::Taylor, false);
  if (!residuals) return std::unexpected(residuals.error());
  for (int i = 0; i < form.ny(); ++i)
    b.equation((*residuals)[static_cast<std::size_t>(i)],
               "the linearised constraint " + form.constraint_name(i));
  return b.take();
}

}  // namespace daedalus
