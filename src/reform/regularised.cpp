// Regularisations for rank-deficient and singular constraints (Petzold, Ren, Maly 1997):
//
//   trust-region            y = argmin ½|r|² + ½ε|y|²,   [(GB)ᵀ(GB) + εI] y = (GB)ᵀ(…)   (2.11), (4.6),
//   (4.16) direct-regularization   (GB + εI) y = …                                              (2.13), (4.8)
//
// with r = G a + … the linearised constraint and GB = G M⁻¹ B. Neither M⁻¹ nor (GB)ᵀ(GB) is formed:
//
//   M a + B y = f,   r = G a + z + γ₁ ġ + γ₀ g,   Mᵀ w = Gᵀ r,   Bᵀ w = ε y      (trust region)
//   M a + B y = f,   r = ε S y                                                   (direct)
//
// S has one entry ±1 in each row: the multiplier that acts along the gradient of the constraint, with the
// sign with which it does. In the paper B = M⁻¹Gᵀ and S = I; written with the sides of `=` exchanged, or with
// multipliers in another order or of the other sign, the same model has another S, and (G M⁻¹ B Sᵀ + εI) is
// positive definite all the same.
//
// By default r holds position, velocity and curvature together, and only the multipliers are out of the error
// test: regularising the velocity constraint alone multiplies the position error at each passage of a
// singularity.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "reform/descriptor.hpp"
#include "reform/point.hpp"
#include "reform/regularised.hpp"

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

struct Cosine {
  int constraint = 0;
  int multiplier = 0;
  double value = 0;
};

// Cosines of the angles between the rows of G and the columns of B, in the metric of the masses' diagonal
// (equation k of the dynamics is that of x_k, and may stand with either sign): the mean over a few points, as
// either may vanish at one of them.
std::vector<Cosine> mean_cosines(const ConstrainedForm& form) {
  constexpr int points = 5;
  constexpr double shake = 0.3;
  std::vector<NodeId> roots;
  for (const SymbolicMatrix* matrix : {&form.mass, &form.constraint, &form.input}) {
    for (const SymbolicEntry& entry : matrix->entries) roots.push_back(entry.value);
  }
  std::map<std::pair<int, int>, double> sums;
  for (int point = 0; point < points; ++point) {
    const std::vector<double> values =
        SamplePoint(form.system(), shake, static_cast<unsigned>(point + 1)).evaluate(roots);
    std::vector<double> inertia(static_cast<std::size_t>(form.n()), 1);
    std::size_t at = 0;
    for (const SymbolicEntry& entry : form.mass.entries) {
      const double value = values[at++];
      if (entry.row == entry.column && value != 0) inertia[static_cast<std::size_t>(entry.row)] = value;
    }
    // By unknown of position: the entries of G there.
    std::vector<std::vector<std::pair<int, double>>> gradients(static_cast<std::size_t>(form.n()));
    std::vector<double> g_size(static_cast<std::size_t>(form.ny()), 0);
    std::vector<double> b_size = g_size;
    for (const SymbolicEntry& entry : form.constraint.entries) {
      const auto column = static_cast<std::size_t>(entry.column);
      const double value = values[at++];
      gradients[column].emplace_back(entry.row, value);
      g_size[static_cast<std::size_t>(entry.row)] += value * value / std::abs(inertia[column]);
    }
    std::map<std::pair<int, int>, double> products;
    for (const SymbolicEntry& entry : form.input.entries) {
      const auto row = static_cast<std::size_t>(entry.row);
      const double value = values[at++];
      b_size[static_cast<std::size_t>(entry.column)] += value * value / std::abs(inertia[row]);
      for (const auto& [constraint, g] : gradients[row])
        products[{constraint, entry.column}] += g * value / inertia[row];
    }
    for (const auto& [key, product] : products) {
      const double size = std::sqrt(g_size[static_cast<std::size_t>(key.first)] *
                                    b_size[static_cast<std::size_t>(key.second)]);
      if (std::isfinite(product / size)) sums[key] += product / size / points;
    }
  }
  std::vector<Cosine> cosines;
  for (const auto& [key, sum] : sums)
    cosines.push_back({.constraint = key.first, .multiplier = key.second, .value = sum});
  return cosines;
}

}  // namespace

std::vector<Partner> partners(const ConstrainedForm& form) {
  std::vector<Cosine> cosines = mean_cosines(form);
  std::ranges::stable_sort(cosines, std::ranges::greater{},
                           [](const Cosine& c) { return std::abs(c.value); });
  std::vector<Partner> found(static_cast<std::size_t>(form.ny()), Partner{.multiplier = -1});
  std::vector<bool> taken(found.size(), false);
  for (const Cosine& c : cosines) {
    Partner& partner = found[static_cast<std::size_t>(c.constraint)];
    if (partner.multiplier >= 0 || taken[static_cast<std::size_t>(c.multiplier)]) continue;
    partner = {.multiplier = c.multiplier, .sign = c.value < 0 ? -1.0 : 1.0};
    taken[static_cast<std::size_t>(c.multiplier)] = true;
  }
  for (Partner& partner : found) {
    if (partner.multiplier >= 0) continue;
    const auto free = std::ranges::find(taken, false) - taken.begin();
    partner.multiplier = static_cast<int>(free);
    taken[static_cast<std::size_t>(free)] = true;
  }
  return found;
}

Result<NodeId> epsilon(ReformBuilder& b, const Selection& options, int constraint) {
  if (options.has("delta")) {
    if (options.has("eps")) return fail("give eps or delta: the radius delta determines eps");
    if (!(options.number("delta") > 0)) {
      return fail(fmt::format(
          "delta must be positive, but is {:g}: it bounds the multipliers, (h^(2m)/2) yᵀy ≤ delta",
          options.number("delta")));
    }
  }
  if (!options.has("eps")) return b.held(HeldValue::Role::Epsilon, constraint);
  const double eps = options.number("eps");
  if (!(eps > 0)) {
    return fail(
        fmt::format("eps must be positive, but is {:g}: without it the equations are singular where the "
                    "constraints are",
                    eps));
  }
  return b.constant(eps);
}

namespace {

// M a + B y = f with a = x^(m) the rate of x^(m-1); returns r.
Result<std::vector<NodeId>> begin(ReformBuilder& b, const Selection& options) {
  add_descriptor(b, 2);
  leave_velocities_untested(b, options);
  return linearised_constraints(b, options, StabilityPolynomial::Taylor, options.text("curvature") == "yes");
}

}  // namespace

void leave_velocities_untested(ReformBuilder& b, const Selection& options) {
  if (!options.has("errortest") || options.text("errortest") != "positions") return;
  for (int k = 1; k < b.m(); ++k) {
    for (int i = 0; i < b.n(); ++i) b.weigh(b.form().x(i, k), 2, false);
  }
}

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

bool converts_to_index2(const ConstrainedForm& form, const Selection& options) {
  if (options.text("convert") != "auto") return options.text("convert") == "ggl";
  const bool own = options.has("eps") || options.has("delta");
  return form.order > 2 && !own && options.text("curvature") == "yes";
}

Result<ReformulatedSystem> rewrite_trust_region(const ConstrainedForm& form, const Selection& options) {
  if (converts_to_index2(form, options))
    return regularised_index2(form, options, Regularisation::TrustRegion);
  ReformBuilder b(form);
  const auto linearised = begin(b, options);
  if (!linearised) return std::unexpected(linearised.error());
  const std::vector<Partner> partner = partners(form);
  const std::vector<NodeId> r = b.own_unknowns("r", form.ny());
  const std::vector<NodeId> w = b.own_unknowns("w", form.n());
  const std::vector<NodeId> mass_w = b.transposed_times(form.mass, w);
  const std::vector<NodeId> g_r = b.transposed_times(form.constraint, r);
  const std::vector<NodeId> b_w = b.transposed_times(form.input, w);
  for (int i = 0; i < form.ny(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const auto eps = epsilon(b, options, i);
    if (!eps) return std::unexpected(eps.error());
    const int j = partner[at].multiplier;
    b.equation(b.graph().sub((*linearised)[at], r[at]),
               "the linearised constraint " + form.constraint_name(i));
    b.equation(b.graph().sub(b_w[static_cast<std::size_t>(j)], b.graph().mul(*eps, form.y(j))),
               "the trust region of " + form.constraint_name(i));
  }
  for (std::size_t i = 0; i < w.size(); ++i)
    b.equation(b.graph().sub(mass_w[i], g_r[i]), fmt::format("the adjoint equation w[{}]", i + 1));
  return b.take();
}

Result<ReformulatedSystem> rewrite_direct_regularization(const ConstrainedForm& form,
                                                         const Selection& options) {
  if (converts_to_index2(form, options)) return regularised_index2(form, options, Regularisation::Direct);
  ReformBuilder b(form);
  const auto linearised = begin(b, options);
  if (!linearised) return std::unexpected(linearised.error());
  const std::vector<Partner> partner = partners(form);
  for (int i = 0; i < form.ny(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const auto eps = epsilon(b, options, i);
    if (!eps) return std::unexpected(eps.error());
    const NodeId y =
        b.graph().mul(b.constant(partner[at].sign), b.graph().mul(*eps, form.y(partner[at].multiplier)));
    b.equation(b.graph().sub((*linearised)[at], y), "the regularised constraint " + form.constraint_name(i));
  }
  return b.take();
}

}  // namespace daedalus
