// What --formulation and --integrator mean for a model: names looked up, options resolved, auto decided, and
// the system made that the formulation works on.
#pragma once

#include <functional>

#include "drive/run_plan.hpp"

namespace daedalus {

// Works on a copy of the model: any number of threads may plan runs of one DaeSystem at once.
[[nodiscard]] Result<RunPlan> plan(const DaeSystem& system, const RunOptions& options = {});

// A model for a formulation. One that is asked for by name shall see constraints that are aliases, x = y with
// a multiplier: `load(true)` keeps them (LoadOptions::keep_constraints), and where the constrained form is
// found with them, that is the model. Otherwise it is `load(false)`. `auto` takes load(true) only where
// load(false) cannot be solved, as with constraints that depend on r = const.
using ModelLoader = std::function<Result<DaeSystem>(bool keep_constraints)>;
[[nodiscard]] Result<DaeSystem> load_for(const Selection& formulation, const ModelLoader& load);

}  // namespace daedalus
