// What initialisation comes to: how it ended, and what there is to say of it.
#pragma once

#include <string>
#include <vector>

#include "consistent/level_starts.hpp"
#include "core/diagnostic.hpp"

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

}  // namespace daedalus
