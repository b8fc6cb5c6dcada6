// The constraint as it is, or differentiated: index3, index2, index1 (Pöll, Hafner 2015 §5.1, Ascher, Petzold
// 1993 §3.2 "d-2").
//
//   x^(k)' = x^(k+1), k < m - 1,    M x^(m) = f - B y,    d^j g/dt^j = 0,   j = m + 1 - index
//
// A motion constraint of level l has l differentiations less, and is never "integrated".
#include <algorithm>

#include "reform/descriptor.hpp"

namespace daedalus {
namespace {

Result<ReformulatedSystem> of_index(const ConstrainedForm& form, int index) {
  ReformBuilder b(form);
  add_descriptor(b, std::max(2, index));
  if (index == 3) {
    for (int i = 0; i < b.n(); ++i) b.weigh(form.x(i, b.m() - 1), 2, true);
  }
  for (int i = 0; i < form.ny(); ++i) {
    const int level = form.constraints[static_cast<std::size_t>(i)].level;
    b.add_constraint(i, std::max(0, b.m() + 1 - index - level));
  }
  return b.take();
}

}  // namespace

void add_descriptor(ReformBuilder& b, int multiplier_index) {
  b.add_positions();
  b.use_rates_as_accelerations();
  b.add_multipliers(multiplier_index);
  for (int k = 0; k + 1 < b.m(); ++k) b.kinematics(k);
  b.add_dynamics();
  b.add_companions();
}

void add_underlying_ode(ReformBuilder& b) {
  b.add_positions();
  b.add_accelerations();
  b.add_multipliers(2);
  b.add_dynamics();
  for (int i = 0; i < b.form().ny(); ++i)
    b.add_constraint(i, b.m() - b.form().constraints[static_cast<std::size_t>(i)].level);
  b.add_companions();
}

Result<ReformulatedSystem> rewrite_index3(const ConstrainedForm& form, const Selection&) {
  return of_index(form, 3);
}
// Ascher, Petzold 1993 (3.11): Σ_{j<m} γ_j d^j g/dt^j = 0 with the polynomial (τ + γ)^(m-1); γ = 0 is d-2.
Result<ReformulatedSystem> rewrite_index2(const ConstrainedForm& form, const Selection& options) {
  if (options.text("gamma") == "0") return of_index(form, 2);
  ReformBuilder b(form);
  add_descriptor(b, 2);
  const auto gamma = gamma_option(b, options);
  if (!gamma) return std::unexpected(gamma.error());
  for (int i = 0; i < form.ny(); ++i) {
    const FormConstraint& constraint = form.constraints[static_cast<std::size_t>(i)];
    const int q = b.m() - constraint.level - 1;
    if (q == 0) {
      b.add_constraint(i, 0);
      continue;
    }
    const auto c = stability_coefficients(b, StabilityPolynomial::Binomial, q, *gamma);
    NodeId sum = b.constant(0);
    for (std::size_t k = 0; k < c.size(); ++k)
      sum = b.graph().add(sum, b.graph().mul(c[k], constraint.derivatives[k]));
    b.equation(sum, "the stabilised constraint " + form.constraint_name(i));
  }
  return b.take();
}
Result<ReformulatedSystem> rewrite_index1(const ConstrainedForm& form, const Selection&) {
  return of_index(form, 1);
}

}  // namespace daedalus
