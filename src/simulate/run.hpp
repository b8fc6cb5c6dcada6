// A whole run: from a DaeSystem to a trajectory and a summary.
#pragma once

#include "model/dae_system.hpp"
#include "record/run_options.hpp"
#include "record/trajectory.hpp"

namespace daedalus {

// The model without aliases (load_model's default). Wrong input (an unbalanced model, an unknown option,
// contradictory initial values) comes back as Diagnostics; a run whose numerics fail is a RunResult with
// status "failed", the reason, and what was computed up to then.
[[nodiscard]] Result<RunResult> simulate(const DaeSystem& system, const RunOptions& options = {});

}  // namespace daedalus
