// The two frames that formulations of the constrained form begin with.
#pragma once

#include "reform/reform_builder.hpp"

namespace daedalus {

// x^(k)' = x^(k+1), k < m - 1;  M x^(m) = f - B y with x^(m) the rate of x^(m-1); companions. The constraint
// equations are still to be added.
void add_descriptor(ReformBuilder& b, int multiplier_index);

// Unknowns x^(k), a = x^(m) and y with  M a + B y = f,  G a + z = 0  (so that a = a(t, x, …) is the
// underlying ODE, without M⁻¹); companions. What the rates of x^(k) are is still to be said.
void add_underlying_ode(ReformBuilder& b);

// c_k of  Σ_k c_k d^k g/dt^k,  c_q = 1, for a constraint that is differentiated q times.
enum class StabilityPolynomial {
  Binomial,  // (τ + γ)^q: Baumgarte
  Taylor,  // q!/k! γ^(q-k), the Taylor expansion over a step h = 1/γ (Petzold, Ren, Maly 1997, 4.4 and 4.14)
};
[[nodiscard]] std::vector<NodeId> stability_coefficients(const ReformBuilder& b, StabilityPolynomial kind,
                                                         int q, NodeId gamma);

// The option `gamma`: a number ≥ 0, or 1/h, which couples it to the step size.
[[nodiscard]] Result<NodeId> gamma_option(ReformBuilder& b, const Selection& options,
                                          std::string_view key = "gamma");

// The option `errortest`: positions leaves x', …, x^(m-1) out of the error test (Petzold, Ren, Maly 1997,
// §5).
void leave_velocities_untested(ReformBuilder& b, const Selection& options);

// r of the regularisations, one for each constraint: Σ_k c_k d^k g/dt^k. With `curvature` the highest term is
// the whole d^m g/dt^m; without, only first derivatives of g are used: G x^(k) stands for d^k g/dt^k, k ≥ 2.
// Coefficients by the options gamma0, gamma1 (m = 2) if given, else by h or gamma.
[[nodiscard]] Result<std::vector<NodeId>> linearised_constraints(ReformBuilder& b, const Selection& options,
                                                                 StabilityPolynomial kind, bool curvature);

}  // namespace daedalus
