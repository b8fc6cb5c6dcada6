// Auxiliary unknowns that an equation defines explicitly (w = expression, w entering with a constant factor)
// are written out, so that what they stand for becomes visible: Fx = -lambda * x between a multiplier and
// the equation of motion, s = sin(phi) between an angle and a constraint.
#pragma once

#include "reform/raise_order.hpp"

namespace daedalus {

// Eliminated unknowns are marked in `raised`, stay in the results, and their equations go. Not eliminated:
// what is differentiated anywhere, has a fixed start value, or occurs in pre(); and nothing by an equation
// that holds a highest derivative of some unknown, since that is an equation of motion.
void write_out_definitions(RaisedSystem& raised);

}  // namespace daedalus
