// Unknowns in units in which they are about 1. A variable whose nominal value is far from 1 gives way to one
// that is a power of ten of it, x = 1e-12 * [x/1e-12]: what comes after this - ranks, projections, Newton's
// iteration, regularisations - need not know of units.
#pragma once

#include "reform/raised_system.hpp"

namespace daedalus {

void scale_variables(RaisedSystem& raised);

}  // namespace daedalus
