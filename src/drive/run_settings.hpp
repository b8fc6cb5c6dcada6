// From when to when a run goes, to which accuracy, and with how many points of output.
#pragma once

#include "core/diagnostic.hpp"
#include "integrate/integrator.hpp"
#include "model/dae_system.hpp"
#include "record/run_options.hpp"

namespace daedalus {

struct RunSettings {
  double start = 0;
  double end = 1;
  int points = 2;  // of output
  Tolerances tolerances;
};

// What the options say, or else the model's experiment annotation, or else good defaults. Numbers that make
// no sense are an error.
[[nodiscard]] Result<RunSettings> run_settings(const DaeSystem& system, const RunOptions& options);

}  // namespace daedalus
