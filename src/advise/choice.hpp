// What --formulation and --integrator mean for a model: names looked up, options resolved, auto decided, and
// the system made that the formulation works on.
#pragma once

#include "drive/run_plan.hpp"
#include "record/run_options.hpp"

namespace daedalus {

// Name and options for RunPlan::stiff_row. Higher orders pay at small tolerances: at 1 the stiff chain of 100
// rods takes order 5 three quarters of the time that variable order takes, at 1e-3 the other way round.
[[nodiscard]] Selection stiff_integrator(const IntegratorRow& row, double rtol);

[[nodiscard]] Result<RunPlan> choose(const DaeSystem& system, const RunOptions& options);

}  // namespace daedalus
