// From when to when a run goes, to which accuracy, and with how many points of output.
#pragma once

#include "core/diagnostic.hpp"
#include "integrate/integrator.hpp"
#include "model/dae_system.hpp"
#include "simulate/run.hpp"

namespace daedalus {

struct Horizon {
  double start = 0;
  double end = 1;
  int points = 2;  // of output
  Tolerances tolerances;
};

// What the options say, or else the model's experiment annotation, or else good defaults. Numbers that make
// no sense are an error.
[[nodiscard]] Result<Horizon> horizon_of(const DaeSystem& system, const RunOptions& options);

}  // namespace daedalus
