// How a kernel's trajectories are stepped in a run with these settings.
#pragma once

#include "drive/run_settings.hpp"
#include "ensemble/ensemble_settings.hpp"
#include "ensemble/trajectory_kernel.hpp"

namespace daedalus {

[[nodiscard]] EnsembleSettings stepping_settings(const TrajectoryKernel& kernel, const RunSettings& settings);

}  // namespace daedalus
