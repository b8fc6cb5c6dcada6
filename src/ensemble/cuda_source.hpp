// A trajectory kernel as CUDA C++, for NVRTC: the model's expressions and numbers, then stepping.inc and
// cuda_machine.inc as they stand. With a few definitions in front it is C++ for the host, too, which is how
// it is tested where there is no GPU.
#pragma once

#include <string>
#include <string_view>

#include "ensemble/trajectory_kernel.hpp"

namespace daedalus {

[[nodiscard]] std::string cuda_source(const TrajectoryKernel& kernel);
// Definitions to put in front of it, for a compiler of C++; then
// host_kernel(settings, arrays) does all trajectories one after the other.
[[nodiscard]] std::string_view cuda_host_definitions();
[[nodiscard]] std::string_view cuda_host_entry();

// The texts of the files, embedded.
[[nodiscard]] std::string_view stepping_text();
[[nodiscard]] std::string_view cuda_machine_text();

}  // namespace daedalus
