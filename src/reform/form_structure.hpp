// What the pattern of the constrained form tells, without its numbers.
#pragma once

#include "reform/constrained_form.hpp"

namespace daedalus {

// Puts the equations of motion into an order in which equation i holds x_i^(m), if there is one, and on the
// side on which M is positive: only then do M as a norm and Gᵀτ added to M x^(m) mean what the papers mean.
// The order in which they were written is kept if it will do. False: the pattern of M is singular, and the
// equations stay as they are.
bool align_dynamics(ConstrainedForm& form);

// A constraint whose row of G M⁻¹ B has no entry: no multiplier acts on it, however often it is
// differentiated within the form, so its index is higher than m + 1. -1: there is none. For aligned
// equations.
[[nodiscard]] int constraint_without_multiplier(const ConstrainedForm& form);

}  // namespace daedalus
