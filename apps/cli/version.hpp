#pragma once

#include <string_view>

namespace daedalus::cli {

// "daedalus 0.1.0"
[[nodiscard]] std::string_view version_text();

}  // namespace daedalus::cli
