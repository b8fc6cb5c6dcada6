// What must hold of reading CSV, for any bytes.
#pragma once

#include <string>

namespace daedalus::fuzz {

// Reads the text. A table must have as many values as its names and times ask for, times in order, and be the
// same when it is written and read again; an error must be a sentence. Empty when all holds, otherwise what
// does not.
std::string csv_violation(const std::string& text);

}  // namespace daedalus::fuzz
