// Whether a linear system for accelerations and multipliers can be written as [M Gᵀ; G 0]: rows of
// constraints may stand in another order than their multipliers and be scaled by constants (λ x against 2 x
// x'' of a pendulum). It is found by values at three random points: what is equal at these is equal.
#pragma once

#include <optional>

#include "codegen/program.hpp"
#include "reform/linear_core.hpp"

namespace daedalus {

// The rows of M, if so: the system has its constraints beside their multipliers then, its rows scaled, and no
// entries that are nothing but rounding. Otherwise it is the same system as before, but perhaps for the order
// of its rows and for such entries.
[[nodiscard]] std::optional<int> make_symmetric(ExprGraph& graph, LinearCore& core,
                                                const ProgramSetting& setting);

}  // namespace daedalus
