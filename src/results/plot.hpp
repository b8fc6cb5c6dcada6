// A line plot of a trajectory as one self-contained SVG: the signals over time, and below them, if the run
// measured it, the drift of each level of constraints on a logarithmic scale.
#pragma once

#include <string>
#include <vector>

#include "core/diagnostic.hpp"
#include "simulate/trajectory.hpp"

namespace daedalus {

struct PlotOptions {
  std::string title;
  std::vector<std::string> variables;  // by name; empty: the first few that vary
  int width = 900;
  int height = 380;  // of the panel of signals; drift adds its own
};

// An unknown variable is an error that suggests the nearest name.
[[nodiscard]] Result<std::string> plot_svg(const Trajectory& trajectory, const PlotOptions& options);

[[nodiscard]] Result<void> write_plot(const Trajectory& trajectory, const PlotOptions& options,
                                      const std::string& path);

}  // namespace daedalus
