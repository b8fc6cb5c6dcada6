// A mechanism's equations: M(q) q'' = f(t, q, q') - Gᵀλ, 0 = g(t, q), in coordinates of every body (maximal
// coordinates) or of the joints, with constraints of velocity where something rolls. The constrained form of
// order 2 is found in them (reform/constrained_form.hpp), so every formulation applies, redundant joints and
// singular positions included.
#pragma once

#include "mechanics/coordinates.hpp"

namespace daedalus {

struct EquationOptions {
  Coordinates coordinates = Coordinates::Auto;
};

// What is wrong with a mechanism comes back as Diagnostics with its spans.
[[nodiscard]] Result<DaeSystem> equations_of(const Mechanism& mechanism, const EquationOptions& options = {});

}  // namespace daedalus
