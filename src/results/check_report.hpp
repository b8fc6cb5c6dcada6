// What `daedalus check` found: text for people, one JSON object for programs.
#pragma once

#include <string>

#include "advise/check.hpp"

namespace daedalus {

[[nodiscard]] std::string check_text(const CheckReport& report);
[[nodiscard]] std::string check_json(const CheckReport& report);

}  // namespace daedalus
