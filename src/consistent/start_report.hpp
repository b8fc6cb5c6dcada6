// What initialisation says: how values at the start came about, what had to move, or what is wrong.
#pragma once

#include <span>

#include "consistent/initialisation.hpp"
#include "consistent/nearest_point.hpp"
#include "consistent/start_problem.hpp"

namespace daedalus {

// Of values that were found: `lines`, and a warning with both values of those that were given and not kept.
void explain_start(const StartProblem& problem, std::span<const double> z, Initialisation& out);

// Of a search that ended at `result`: which equation has no value, which constraints of a mechanism stay
// open, which conditions contradict each other, or where it stopped. Sets the status.
void explain_failure(const StartProblem& problem, NearestResult result, Initialisation& out);

}  // namespace daedalus
