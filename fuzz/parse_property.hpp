// What must hold of the parser for any bytes; asked by the fuzzer and, for its corpus, by the tests.
#pragma once

#include <string>

namespace daedalus::fuzz {

// Reads the text. A tree must print and read back as the same tree; errors must be sentences with places in
// the text. Empty when all holds, otherwise what does not.
std::string parse_violation(const std::string& text);

}  // namespace daedalus::fuzz
