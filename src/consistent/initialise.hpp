// Consistent initial values for all levels, hidden constraints included: fixed values are held, the others
// are as near to their start values as the equations allow. It explains itself.
#pragma once

#include <string>
#include <vector>

#include "consistent/events.hpp"
#include "consistent/level_starts.hpp"
#include "consistent/nearest_point.hpp"

namespace daedalus {

struct Initialisation {
  enum class Status { Ok, WrongInput, Failed };
  Status status = Status::Ok;
  Diagnostics diagnostics;         // WrongInput: contradictions, too many conditions, not finite at the start
  std::string reason;              // Failed: why Newton did not get there
  std::vector<std::string> lines;  // the explanation
  std::vector<std::string> warnings;  // start values that were given and could not be kept
  std::vector<LevelStart> starts;     // by level
  int degrees_of_freedom = 0;
  int conditions = 0;  // fixed values and initial equations that take degrees of freedom away
};

// Fills the levels (and discrete values, relations, unknown parameters) of the environment.
[[nodiscard]] Initialisation initialise(const CompiledModel& model, std::span<double> environment,
                                        EventHandler& events, const StartValues* starts = nullptr);

// A(t, levels) = 0 as constraints on the levels alone, at the discrete values of the environment.
[[nodiscard]] ConstraintFunction level_constraints(const CompiledModel& model, std::span<double> environment);

}  // namespace daedalus
