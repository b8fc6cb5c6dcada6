// Start values that fulfil all constraints already, as those of a mechanism in its drawn position do: only
// highest derivatives and algebraic unknowns are left, and those follow from a square sparse system. No
// search for the nearest point can do better, since nothing moves that a start value was given for.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "consistent/nearest_point.hpp"

namespace daedalus {

// `follows` marks the unknowns that may take any value. Nothing comes back where a condition on the others
// fails, or where what is left is not square, regular and quickly solved by Newton.
[[nodiscard]] std::optional<std::vector<double>> consistent_start(const ConstraintFunction& constraints,
                                                                  const NearestProblem& problem,
                                                                  const std::vector<bool>& follows);

}  // namespace daedalus
