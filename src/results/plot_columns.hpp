// Which signals a picture shows when nobody says.
#pragma once

#include <string>
#include <vector>

#include "core/diagnostic.hpp"
#include "record/trajectory.hpp"

namespace daedalus {

inline constexpr std::size_t most_plotted = 8;

// Columns of the trajectory: those named, or the interesting ones: the first that vary by more than
// round-off, derivatives only when there is nothing else, and of signals that are equal but for the sign one.
// `preferred`: those of these that vary, if any does. An unknown name is an error that suggests the nearest.
[[nodiscard]] Result<std::vector<std::size_t>> plotted_columns(
    const Trajectory& trajectory, const std::vector<std::string>& names,
    const std::vector<std::string>& preferred = {});

// By column: the number of its panel. One a unit, and another where signals of one unit differ in size so
// much that the smaller would look flat; what finds no room shares the last panel.
[[nodiscard]] std::vector<std::size_t> panels_of(const Trajectory& trajectory,
                                                 const std::vector<std::size_t>& columns, std::size_t most);

}  // namespace daedalus
