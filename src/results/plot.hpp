// A line plot of a trajectory: the signals over time, a panel a unit, and below them, if the run measured it,
// the drift of each level of constraints on a logarithmic scale. Events and changes of rank are marked.
#pragma once

#include <string>
#include <vector>

#include "core/diagnostic.hpp"
#include "record/trajectory.hpp"
#include "results/picture.hpp"

namespace daedalus {

struct PlotOptions {
  std::string title;
  std::vector<std::string> variables;       // by name; empty: those of plot_columns.hpp
  std::vector<std::string> preferred = {};  // when no variables are named: those of these that vary
  int width = 900;
  int height = 380;                  // of the panel of signals; drift adds its own
  const Summary* summary = nullptr;  // whose events and changes of rank are marked
};

// An unknown variable is an error that suggests the nearest name.
[[nodiscard]] Result<Picture> plot_picture(const Trajectory& trajectory, const PlotOptions& options);
[[nodiscard]] Result<std::string> plot_svg(const Trajectory& trajectory, const PlotOptions& options);

// In the format that the ending of the path names.
[[nodiscard]] Result<void> write_plot(const Trajectory& trajectory, const PlotOptions& options,
                                      const std::string& path);

}  // namespace daedalus
