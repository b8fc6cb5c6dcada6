// --stop-after STAGE: each stage's value as text.
#pragma once

#include <string_view>
#include <vector>

namespace daedalus::cli {

[[nodiscard]] std::vector<std::string_view> stage_names();

}  // namespace daedalus::cli
