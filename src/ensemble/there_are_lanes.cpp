#include "codegen/native.hpp"
#include "ensemble/lane_stepper.hpp"

namespace daedalus {

bool there_are_lanes() {
#ifdef DAEDALUS_ENSEMBLE_LANES
  return native_available() && __builtin_cpu_supports("avx2") != 0;
#else
  return false;
#endif
}

#ifndef DAEDALUS_ENSEMBLE_LANES
void run_lanes(const LaneKernel&, const EnsembleSettings&, LaneSource&) {}
#endif

}  // namespace daedalus
