// Forces into the equations of motion.
#pragma once

#include "mechanics/assembly.hpp"

namespace daedalus {

// Gravity and all forces of the mechanism, and their potential energy.
void add_forces(const Mechanism& mechanism, Assembly& assembly);

}  // namespace daedalus
