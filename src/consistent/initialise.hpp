// Consistent initial values for all levels, hidden constraints included: fixed values are held, the others
// are as near to their start values as the equations allow. It explains itself.
#pragma once

#include <span>

#include "consistent/events.hpp"
#include "consistent/initialisation.hpp"
#include "consistent/nearest_point.hpp"

namespace daedalus {

// Fills the levels (and discrete values, relations, unknown parameters) of the environment.
[[nodiscard]] Initialisation initialise(const CompiledModel& model, std::span<double> environment,
                                        EventHandler& events, const StartValues* starts = nullptr);

// A(t, levels) = 0 as constraints on the levels alone, at the discrete values of the environment.
[[nodiscard]] ConstraintFunction level_constraints(const CompiledModel& model, std::span<double> environment);

}  // namespace daedalus
