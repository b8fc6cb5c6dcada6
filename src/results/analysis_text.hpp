// Linearisations and equilibria for people, as JSON and as matrices for MATLAB.
#pragma once

#include <string>

#include "analysis/linearise.hpp"
#include "analysis/steady.hpp"

namespace daedalus {

[[nodiscard]] std::string linearisation_text(const Linearisation& linearisation);
// Keys t, states, inputs, outputs (objects name → value), A, B, C, D (rows), modes, redundant, notes.
[[nodiscard]] std::string linearisation_json(const Linearisation& linearisation);
// MATLAB 4: matrices A, B, C, D, x0, u0, y0 and texts states, inputs, outputs, which scipy.io.loadmat reads.
[[nodiscard]] std::string linearisation_mat(const Linearisation& linearisation);

// `modes`: of the linearisation at the equilibrium; null: it could not be linearised.
[[nodiscard]] std::string steady_text(const SteadyState& steady, const Linearisation* modes);
[[nodiscard]] std::string steady_json(const SteadyState& steady, const Linearisation* modes);

}  // namespace daedalus
