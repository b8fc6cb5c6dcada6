// Consistent initial values for all levels, hidden constraints included: fixed values are held, the others
// are as near to their start values as the equations allow. It explains itself.
#pragma once

#include <string>
#include <vector>

#include "consistent/events.hpp"
#include "consistent/nearest_point.hpp"
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

struct Initialisation {
  enum class Status { Ok, WrongInput, Failed };
  Status status = Status::Ok;
  Diagnostics diagnostics;         // WrongInput: contradictions, too many conditions, not finite at the start
  std::string reason;              // Failed: why Newton did not get there
  std::vector<std::string> lines;  // the explanation
  std::vector<LevelStart> starts;  // by level
  int degrees_of_freedom = 0;
  int conditions = 0;  // fixed values and initial equations that take degrees of freedom away
};

// Fills the levels (and discrete values, relations, unknown parameters) of the environment.
[[nodiscard]] Initialisation initialise(const CompiledModel& model, std::span<double> environment,
                                        EventHandler& events, const StartValues* starts = nullptr);

// Makes all that an initialisation may need of the graph, from whatever start values: afterwards it can be
// frozen.
void rehearse_initialise(const CompiledModel& model, std::span<double> environment, EventHandler& events);

// A(t, levels) = 0 as constraints on the levels alone, at the discrete values of the environment.
[[nodiscard]] ConstraintFunction level_constraints(const CompiledModel& model, std::span<double> environment);

// Which unknowns matter: levels that can be states, and those with start values.
[[nodiscard]] std::vector<LevelStart> level_starts(const LevelSystem& system, Diagnostics& contradictions,
                                                   const StartValues* starts = nullptr);

}  // namespace daedalus
