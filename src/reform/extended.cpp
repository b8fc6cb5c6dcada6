// The overdetermined DAE (paper 001, 3.1) p' = v, M v' = f - Gᵀλ, g̈ = 0, ġ = 0, g = 0, made square.
//
// Its ssf-solution asks that the constraints hold exactly and that the residual of the rest lies in the range
// of A₂ᵀ, A₂ = [L G 0; G 0 0] the derivative of (ġ, g) by (p, v, λ) (3.13, 3.14). With ν = (τ, μ) the
// coordinates in that range, Newton's method for ν and the step together is the ssf-iteration, in sparse
// square form:
//
//   p' - v + Gᵀμ + Lᵀτ = 0,   M v' + Gᵀλ + Gᵀτ = f,   g̈ = 0 by v' (3.16) or by a(t, p, v) (3.17),   ġ = 0, g
//   = 0.
//
// extended is these equations, to be studied: (3.16) may have solutions with μ, τ ≠ 0 (lemma 3.1), and both
// have a step-size limit where the mass matrix has large and small eigenvalues (§3). odae solves the
// algebraic form (3.4), (3.9); with a given A it is the A-ssf solution (5.5)-(5.8), which is the
// parametrisation by A.
#include "reform/descriptor.hpp"
#include "reform/parametrised.hpp"

namespace daedalus {
namespace {

Result<ReformulatedSystem> ssf(const ConstrainedForm& form, bool algebraic) {
  ReformBuilder b(form);
  if (algebraic) {
    add_underlying_ode(b);
  } else {
    b.add_positions();
    b.use_rates_as_accelerations();
    b.add_multipliers(2);
    b.add_companions();
  }
  const std::vector<int> rows = holonomic(form);
  const std::vector<NodeId> mu = b.own_unknowns("mu", static_cast<int>(rows.size()));
  const std::vector<NodeId> tau = b.own_unknowns("tau", form.ny());
  std::vector<NodeId> mu_factor(tau.size());
  for (std::size_t k = 0; k < rows.size(); ++k) mu_factor[static_cast<std::size_t>(rows[k])] = mu[k];
  std::vector<NodeId> direction = b.transposed_times(form.constraint, mu_factor);
  const std::vector<NodeId> curved = b.transposed_times(form.curvature, tau);
  for (std::size_t i = 0; i < direction.size(); ++i)
    direction[i] = b.graph().neg(b.graph().add(direction[i], curved[i]));
  b.kinematics(0, direction);
  // Gᵀτ, whatever B is.
  const std::vector<NodeId> force = b.transposed_times(form.constraint, tau);
  if (algebraic) {
    // M v' + B λ + Gᵀτ = f less M a + B λ = f.
    std::vector<NodeId> difference;
    for (int i = 0; i < form.n(); ++i) difference.push_back(b.graph().sub(b.rate(i, 1), form.x(i, 2)));
    const std::vector<NodeId> mass = b.times(form.mass, difference);
    for (std::size_t i = 0; i < mass.size(); ++i)
      b.equation(b.graph().add(mass[i], force[i]), "the residual of an equation of motion");
  } else {
    b.add_dynamics(force);
    for (int i = 0; i < form.ny(); ++i)
      b.add_constraint(i, 2 - form.constraints[static_cast<std::size_t>(i)].level);
  }
  for (int i = 0; i < form.ny(); ++i) {
    b.add_constraint(i, 0);
    if (form.constraints[static_cast<std::size_t>(i)].level == 0) b.add_constraint(i, 1);
  }
  return b.take();
}

}  // namespace

Result<ReformulatedSystem> rewrite_extended(const ConstrainedForm& form, const Selection& options) {
  return ssf(form, options.text("variant") == "algebraic");
}

Result<ReformulatedSystem> rewrite_odae(const ConstrainedForm& form, const Selection& options) {
  const std::string_view text = options.text("A");
  if (text == "identity") return ssf(form, true);
  if (text == "tangent") return parametrised_by_tangent(form);
  return parametrised_by_option(form, options, BasisPolicy::Tangent, "identity, tangent");
}

}  // namespace daedalus
