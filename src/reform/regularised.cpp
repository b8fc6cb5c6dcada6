// Regularisations for rank-deficient and singular constraints (paper 000):
//
//   trust-region            y = argmin ½|r|² + ½ε|y|²,   [(GB)ᵀ(GB) + εI] y = (GB)ᵀ(…)   (2.11), (4.6),
//   (4.16) direct-regularization   (GB + εI) y = …                                              (2.13), (4.8)
//
// with r = G a + … the linearised constraint and GB = G M⁻¹ B. Neither M⁻¹ nor (GB)ᵀ(GB) is formed:
//
//   M a + B y = f,   r = G a + z + γ₁ ġ + γ₀ g,   Mᵀ w = Gᵀ r,   Bᵀ w = ε y      (trust region)
//   M a + B y = f,   r = ε y                                                     (direct)
//
// By default r holds position, velocity and curvature together, and only the multipliers are out of the error
// test: regularising the velocity constraint alone multiplies the position error at each passage of a
// singularity.
#include <fmt/format.h>

#include "reform/descriptor.hpp"

namespace daedalus {
namespace {

// G x^(k), the part of d^k g/dt^k that needs first derivatives of g only.
NodeId first_derivative_part(const ReformBuilder& b, int constraint, int order) {
  NodeId sum = b.constant(0);
  for (const SymbolicEntry& entry : b.form().constraint.entries) {
    if (entry.row != constraint) continue;
    sum = b.graph().add(sum, b.graph().mul(entry.value, b.form().x(entry.column, order)));
  }
  return sum;
}

Result<std::vector<NodeId>> given_coefficients(const ReformBuilder& b, const Selection& options, int q) {
  if (!options.has("gamma0") || !options.has("gamma1")) return fail("give both gamma0 and gamma1");
  if (b.m() > 2) return fail("gamma0 and gamma1 are for first- and second-order systems; give gamma instead");
  std::vector<NodeId> c{b.constant(options.number("gamma0")), b.constant(options.number("gamma1"))};
  // A motion constraint has one level less.
  if (q == 1) c = {b.constant(options.number("gamma1"))};
  c.push_back(b.constant(1));
  return c;
}

Result<NodeId> epsilon(ReformBuilder& b, const Selection& options) {
  if (options.has("delta")) {
    if (options.has("eps")) return fail("give eps or delta: the radius delta determines eps");
    if (!(options.number("delta") > 0)) {
      return fail(fmt::format(
          "delta must be positive, but is {:g}: it bounds the multipliers, (h^(2m)/2) yᵀy ≤ delta",
          options.number("delta")));
    }
  }
  if (!options.has("eps")) return b.held(HeldValue::Role::Epsilon);
  const double eps = options.number("eps");
  if (!(eps > 0)) {
    return fail(
        fmt::format("eps must be positive, but is {:g}: without it the equations are singular where the "
                    "constraints are",
                    eps));
  }
  return b.constant(eps);
}

// M a + B y = f with a = x^(m) the rate of x^(m-1); returns r.
Result<std::vector<NodeId>> begin(ReformBuilder& b, const Selection& options) {
  add_descriptor(b, 2);
  if (options.has("errortest") && options.text("errortest") == "positions") {
    for (int k = 1; k < b.m(); ++k) {
      for (int i = 0; i < b.n(); ++i) b.weigh(b.form().x(i, k), 2, false);
    }
  }
  return linearised_constraints(b, options, StabilityPolynomial::Taylor, options.text("curvature") == "yes");
}

}  // namespace

Result<std::vector<NodeId>> linearised_constraints(ReformBuilder& b, const Selection& options,
                                                   StabilityPolynomial kind, bool curvature) {
  const bool given = options.has("gamma0") || options.has("gamma1");
  auto gamma = given              ? Result<NodeId>(b.constant(0))
               : options.has("h") ? Result<NodeId>(b.constant(1 / options.number("h")))
                                  : gamma_option(b, options);
  if (!gamma) return std::unexpected(gamma.error());
  std::vector<NodeId> residuals;
  for (int i = 0; i < b.form().ny(); ++i) {
    const FormConstraint& constraint = b.form().constraints[static_cast<std::size_t>(i)];
    const int q = b.m() - constraint.level;
    auto c = given ? given_coefficients(b, options, q)
                   : Result<std::vector<NodeId>>(stability_coefficients(b, kind, q, *gamma));
    if (!c) return std::unexpected(c.error());
    NodeId sum = b.constant(0);
    for (int k = 0; k <= q; ++k) {
      const auto at = static_cast<std::size_t>(k);
      const bool whole = k < 2 || (curvature && constraint.level == 0) || constraint.level > 0;
      const NodeId term = whole ? constraint.derivatives[at] : first_derivative_part(b, i, k);
      sum = b.graph().add(sum, b.graph().mul((*c)[at], term));
    }
    residuals.push_back(sum);
  }
  return residuals;
}

Result<ReformulatedSystem> rewrite_trust_region(const ConstrainedForm& form, const Selection& options) {
  ReformBuilder b(form);
  const auto linearised = begin(b, options);
  if (!linearised) return std::unexpected(linearised.error());
  const auto eps = epsilon(b, options);
  if (!eps) return std::unexpected(eps.error());
  const std::vector<NodeId> r = b.own_unknowns("r", form.ny());
  const std::vector<NodeId> w = b.own_unknowns("w", form.n());
  const std::vector<NodeId> mass_w = b.transposed_times(form.mass, w);
  const std::vector<NodeId> g_r = b.transposed_times(form.constraint, r);
  const std::vector<NodeId> b_w = b.transposed_times(form.input, w);
  for (int i = 0; i < form.ny(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    b.equation(b.graph().sub((*linearised)[at], r[at]),
               "the linearised constraint " + form.constraint_name(i));
    b.equation(b.graph().sub(b_w[at], b.graph().mul(*eps, form.y(i))),
               "the trust region of " + form.constraint_name(i));
  }
  for (std::size_t i = 0; i < w.size(); ++i)
    b.equation(b.graph().sub(mass_w[i], g_r[i]), fmt::format("the adjoint equation w[{}]", i + 1));
  return b.take();
}

Result<ReformulatedSystem> rewrite_direct_regularization(const ConstrainedForm& form,
                                                         const Selection& options) {
  ReformBuilder b(form);
  const auto linearised = begin(b, options);
  if (!linearised) return std::unexpected(linearised.error());
  const auto eps = epsilon(b, options);
  if (!eps) return std::unexpected(eps.error());
  for (int i = 0; i < form.ny(); ++i) {
    b.equation(b.graph().sub((*linearised)[static_cast<std::size_t>(i)], b.graph().mul(*eps, form.y(i))),
               "the regularised constraint " + form.constraint_name(i));
  }
  return b.take();
}

}  // namespace daedalus
