// The nearest point stage by stage: first what matters most, by the conditions on it alone, as positions by
// the constraints of a mechanism; then, with that held, what matters less, as velocities; last what follows,
// as accelerations and multipliers. Within a stage all weights are alike, so redundant conditions are told
// from others by rounding and not by weights, and what matters less pulls at nothing that matters more.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "consistent/nearest_point.hpp"

namespace daedalus {

// Nothing comes back where a stage has no solution with the earlier ones held, although there may be one in
// which they give way.
[[nodiscard]] std::optional<std::vector<double>> nearest_in_stages(const ConstraintFunction& constraints,
                                                                   const NearestProblem& problem);

}  // namespace daedalus
