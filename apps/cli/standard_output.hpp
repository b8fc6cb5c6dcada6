// Results to standard output, errors to standard error.
#pragma once

#include <string>

#include "core/diagnostic.hpp"

namespace daedalus::cli {

// Writes a text to standard output; the exit code says whether it arrived.
[[nodiscard]] int print(const std::string& text);

// Writes diagnostics to standard error and returns the exit code for wrong input.
[[nodiscard]] int complain(const Diagnostics& diagnostics, const SourceMap& sources = {});

}  // namespace daedalus::cli
