// When structure lies: the Jacobian J_ij = ∂f_i^(c_i)/∂x_j^(d_j) = ∂f_i/∂x_j^(d_j - c_i) is singular
// although the structural analysis found an output set (Mattsson, Söderlind 1991 §4 "the singular case",
// Example 5).
//
// With uᵀJ = 0, the combination Σ u_i f_i^(c_i - c_r), c_r = min c_i over the support of u, contains no
// x_j^(d_j - c_r): it is an equation of lower order in disguise and replaces f_r.
//  - Constant u: linear combination (Tan, Nedialkov, Pryce, BIT 57, 2017, "LC method"). What cancels is
//    removed by setting the x_j^(d_j - c_r) to constants, which changes no value.
//  - Otherwise: substitution in implicit form (Oki, "Improved structural methods for nonlinear DAEs via
//    combinatorial relaxation", ISSAC 2019, augmentation method): with I = support \ {r} and columns S such
//    that J[I, S] is regular, new unknowns y_j stand for x_j^(d_j - c_r), j ∈ S; copies of f_i^(c_i - c_r),
//    i ∈ I, determine them, the other x_j^(d_j - c_r) become constants, and so they do in f_r.
#pragma once

#include <optional>

#include "reform/level_system.hpp"

namespace daedalus {

// Nothing to repair: an empty optional. A repair made: `raised` is changed and its description returned.
// Singular without a repair that helps: a Diagnostic that names the combination.
[[nodiscard]] Result<std::optional<Repair>> repair_structure(RaisedSystem& raised, const Incidence& incidence,
                                                             const StructuralPlan& plan);

}  // namespace daedalus
