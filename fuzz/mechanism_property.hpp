// What must hold for any text that is read as a mechanism file.
#pragma once

#include <string>

namespace daedalus::fuzz {

// Empty, or what is wrong: a mechanism whose equations cannot be written, or an error without a message or
// outside the text.
[[nodiscard]] std::string mechanism_violation(const std::string& text);

}  // namespace daedalus::fuzz
