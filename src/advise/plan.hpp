// What --formulation and --integrator mean for a model: names looked up, options resolved, auto decided, and
// the system made that the formulation works on.
#pragma once

#include "drive/run_plan.hpp"

namespace daedalus {

// Works on a copy of the model: any number of threads may plan runs of one DaeSystem at once.
[[nodiscard]] Result<RunPlan> plan(const DaeSystem& system, const RunOptions& options = {});

}  // namespace daedalus
