// What the user said about the values at the start, by variable and by level.
#pragma once

#include <span>
#include <vector>

#include "systems/compiled_model.hpp"

namespace daedalus {

// What the user said about a level: through the variable itself, or through one that equals it.
struct LevelStart {
  double value = 0;
  bool given = false;  // a start value was written
  bool fixed = false;
  double scale = 1;   // a typical size
  VariableId source;  // who said so
};

// The start values of one run, by variable: the model's own, those that follow from free parameters and
// inputs, and those that were given for this run.
struct StartValues {
  std::vector<double> value;
  std::vector<char> given;  // for this run: as if the user had written a start value
};
// At the discrete values in the environment.
[[nodiscard]] StartValues start_values(const CompiledModel& model, std::span<const double> environment);

// Which unknowns matter: levels that can be states, and those with start values.
[[nodiscard]] std::vector<LevelStart> level_starts(const LevelSystem& system, Diagnostics& contradictions,
                                                   const StartValues* starts = nullptr);

}  // namespace daedalus
