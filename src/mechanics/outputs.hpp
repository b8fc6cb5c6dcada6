// What is reported of a mechanism besides its unknowns.
#pragma once

#include "mechanics/assembly.hpp"

namespace daedalus {

// Velocities that are no variables, angular velocities, angles and displacements of joints, markers, energy,
// momentum.
void collect_outputs(const Mechanism& mechanism, Assembly& assembly);

}  // namespace daedalus
