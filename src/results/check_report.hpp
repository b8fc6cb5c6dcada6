// What `daedalus check` found: text for people, one JSON object for programs.
#pragma once

#include <string>

#include "advise/check.hpp"

namespace daedalus {

// Of a mechanism what fits on a screen, unless `details` are wanted.
[[nodiscard]] std::string check_text(const CheckReport& report, bool details = false);
[[nodiscard]] std::string check_json(const CheckReport& report);

}  // namespace daedalus
