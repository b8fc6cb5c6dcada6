// The overdetermined DAE (Petzold, Potra 1992, 3.1) p' = v, M v' = f - Gᵀλ, g̈ = 0, ġ = 0, g = 0, made square.
//
// Its ssf-solution asks that the constraints hold exactly and that the residual of the rest lies in the range
// of A₂ᵀ, A₂ = [L G 0; G 0 0] the derivative of (ġ, g) by (p, v, λ) (3.13, 3.14). With ν = (τ, μ) the
// coordinates in that range, Newton's method for ν and the step together is the ssf-iteration, in sparse
// square form:
//
//   p' - v + Gᵀμ + Lᵀτ = 0,   M v' + Gᵀλ + Gᵀτ = f,   g̈ = 0 by v' (3.16) or by a(t, p, v) (3.17),   ġ = 0, g
//   = 0.
//
// extended is these equations, to be studied: both have a step-size limit where the mass matrix has large and
// small eigenvalues (§3), and (3.16) may have solutions with μ, τ ≠ 0 (lemma 3.1). λ and τ are then one
// another's, their sum is the multiplier, and Gᵀμ + Lᵀτ = 0. So (3.16) is written with y = λ + τ, and of its
// solutions it is the one of least norm that is taken, where [G; L] has full rank and where it has not (at
// rest, L = 0):
//
//   p' = v - Gᵀμ - Lᵀτ,   M v' = f - B y,   G v' + z + δ τ = 0,   ġ = 0,   g = 0
//
// What follows for τ is (L P Lᵀ + δ) τ = e with P the projection onto ker G and e the error of the
// discretisation: Tikhonov's approximation of the least-norm solution, and τ = 0 in the limit of small steps.
//
// odae solves the algebraic form (3.4), (3.9); with a given A it is the A-ssf solution (5.5)-(5.8), which is
// the parametrisation by A.
#include "reform/descriptor.hpp"
#include "reform/parametrised.hpp"

namespace daedalus {
namespace {

// δ is this many times |G|² + |L|² of the row, a second being the unit of time. L alone would do, but for
// rest: [G; L] has at most as many independent rows as there are unknowns of position, so that with few
// degrees of freedom most of τ has nothing but δ.
constexpr double least_norm = 0.1;

NodeId squared_row(const ReformBuilder& b, int constraint) {
  NodeId sum = b.constant(0);
  for (const SymbolicMatrix* matrix : {&b.form().constraint, &b.form().curvature}) {
    for (const SymbolicEntry& entry : matrix->entries) {
      if (entry.row == constraint) sum = b.graph().add(sum, b.graph().mul(entry.value, entry.value));
    }
  }
  return sum;
}

// G v' + z + δ τ = 0, for (3.16).
void add_differentiated(ReformBuilder& b, int constraint, NodeId tau) {
  const FormConstraint& c = b.form().constraints[static_cast<std::size_t>(constraint)];
  const NodeId delta = b.graph().mul(b.constant(least_norm), squared_row(b, constraint));
  b.equation(b.graph().add(c.derivatives.back(), b.graph().mul(delta, tau)),
             "the last derivative of " + b.form().constraint_name(constraint));
}

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
  if (algebraic) {
    // M v' + B λ + Gᵀτ = f less M a + B λ = f, Gᵀτ whatever B is.
    const std::vector<NodeId> force = b.transposed_times(form.constraint, tau);
    std::vector<NodeId> difference;
    for (int i = 0; i < form.n(); ++i) difference.push_back(b.graph().sub(b.rate(i, 1), form.x(i, 2)));
    const std::vector<NodeId> mass = b.times(form.mass, difference);
    for (std::size_t i = 0; i < mass.size(); ++i)
      b.equation(b.graph().add(mass[i], force[i]), "the residual of an equation of motion");
  } else {
    b.add_dynamics();
    for (int i = 0; i < form.ny(); ++i) add_differentiated(b, i, tau[static_cast<std::size_t>(i)]);
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
