// How a run went: one JSON object for programs, a few lines for people.
#pragma once

#include <string>

#include "record/trajectory.hpp"

namespace daedalus {

// The object described under `--summary` in the README, indented, with a final line break.
[[nodiscard]] std::string summary_json(const Summary& summary);

[[nodiscard]] std::string summary_text(const Summary& summary);

}  // namespace daedalus
