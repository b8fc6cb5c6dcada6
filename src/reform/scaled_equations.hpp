// Equations in units in which they are about 1: a constraint multiplied by 1e200 is the same constraint.
#pragma once

#include "reform/raised_system.hpp"

namespace daedalus {

// Multiplies equations whose partial derivatives, times nominal values, are all far from 1 by a power of ten.
// Equations of motion only where products of them would overflow: their matrix may be symmetric as it is.
void scale_equations(RaisedSystem& raised);

}  // namespace daedalus
