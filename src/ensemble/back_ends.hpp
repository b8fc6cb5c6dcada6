// The ways to run trajectories.
#pragma once

#include <span>

#include "ensemble/trajectory_starts.hpp"

namespace daedalus {

// The back ends. Trajectories that they cannot finish are left NotDone, for the scalar engine.
[[nodiscard]] Result<void> run_on_gpu(EnsembleRun& run, const TrajectoryStarts& starts);
void run_in_lanes(EnsembleRun& run, const TrajectoryStarts& starts);
void run_by_engine(EnsembleRun& run, std::span<const std::size_t> which);

}  // namespace daedalus
