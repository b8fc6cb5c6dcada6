// Which signals of a run are wanted, by name.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.hpp"
#include "record/trajectory.hpp"

namespace daedalus {

// "*" stands for any characters, "?" for one; everything else for itself, brackets too.
[[nodiscard]] bool matches_pattern(std::string_view name, std::string_view pattern);

// The names that are asked for, patterns replaced by what they match, each once, in the order asked. "der(x)"
// is known where x is. What is not known, or matches nothing, is an error that suggests the nearest.
[[nodiscard]] Result<std::vector<std::string>> expand_names(std::span<const std::string> asked,
                                                            std::span<const std::string> available);

// The columns that have these names, in the names' order; a name that no column has is left out.
[[nodiscard]] std::vector<std::size_t> columns_named(std::span<const Signal> columns,
                                                     std::span<const std::string> names);

// The result with these signals only, final values included. A name that it does not have is an error, and
// the others are kept.
[[nodiscard]] Result<void> restrict_to(std::span<const std::string> names, RunResult& result);

}  // namespace daedalus
