// Terms that cancel: in x + 2*der(x) = 2*v + 1 with v = der(x), or in 0.3*y = 0.1*z + 0.2*z with z = y, an
// unknown is written but does not count. Structure must not see it, nor may it be differentiated.
#pragma once

#include "model/dae_system.hpp"

namespace daedalus {

// Leaves that an equation does not depend on, up to rounding, become constants in it. Those in conditions
// stay.
void drop_cancelled_terms(DaeSystem& system);

// The residual without terms of its sum that cancel as they are written, whatever they are: f(time) in
// der(x) - v = f(time) - f(time). The same node if there are none.
[[nodiscard]] NodeId without_cancelled_terms(ExprGraph& graph, NodeId residual);

}  // namespace daedalus
