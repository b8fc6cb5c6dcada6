// What must hold of loading a model, from text to DaeSystem, for any bytes.
#pragma once

#include <string>

namespace daedalus::fuzz {

// Loads the text. A system must have a text for each of its equations; errors must be sentences. Empty when
// all holds, otherwise what does not.
std::string load_violation(const std::string& text);

}  // namespace daedalus::fuzz
