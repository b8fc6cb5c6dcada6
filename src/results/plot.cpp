#include "results/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "results/output_file.hpp"
#include "results/plot_columns.hpp"
#include "results/plot_panels.hpp"
#include "results/plot_scale.hpp"

namespace daedalus {
namespace {

constexpr Colour event_colour{0x70, 0x70, 0x70};
constexpr Colour rank_colour{0xb0, 0x20, 0x20};
constexpr double drift_height = 170;

std::string shortened(const std::string& text, std::size_t most) {
  return text.size() <= most ? text : text.substr(0, most - 3) + "...";
}

// So that forces do not flatten angles.
std::vector<Panel> signal_panels(const Trajectory& trajectory, const std::vector<std::size_t>& columns) {
  constexpr std::size_t most_panels = 3;
  const std::vector<std::size_t> numbers = panels_of(trajectory, columns, most_panels);
  std::vector<Panel> panels(numbers.empty() ? 1 : 1 + std::ranges::max(numbers));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::size_t column = columns[i];
    const Signal& signal = trajectory.signals[column];
    const std::string unit = signal.unit.empty() ? "" : fmt::format(" [{}]", signal.unit);
    panels[numbers[i]].curves.push_back(
        {.label = shortened(signal.name, 48) + unit,
         .colour = plot_colour(i),
         .curve = {.times = &trajectory.times,
                   .value = [&trajectory, column](std::size_t row) { return trajectory.at(row, column); },
                   .steps = signal.discrete}});
  }
  return panels;
}

// Drift at round-off jumps up and down by decades from row to row. What matters is how large it gets: the
// largest value in each of a hundred or two stretches of time.
struct DriftEnvelope {
  std::vector<double> times;
  std::vector<std::vector<double>> logarithms;  // by level

  explicit DriftEnvelope(const Trajectory& trajectory) : logarithms(trajectory.drift.size()) {
    constexpr std::size_t most_stretches = 150;
    const std::size_t rows = trajectory.rows();
    const std::size_t stride = std::max<std::size_t>(1, rows / most_stretches);
    for (std::size_t row = 0; row < rows; row += stride) {
      times.push_back(trajectory.times[row]);
      const std::size_t end = std::min(rows, row + stride);
      for (std::size_t level = 0; level < logarithms.size(); ++level) {
        // An exact zero has no logarithm; below what a double resolves it is as good as zero.
        double largest = 1e-17;
        for (std::size_t k = row; k < end; ++k) largest = std::max(largest, trajectory.drift[level][k]);
        logarithms[level].push_back(std::log10(largest));
      }
    }
  }
};

Panel drift_panel(const DriftEnvelope& envelope) {
  Panel panel;
  panel.y_label = "drift";
  panel.logarithmic = true;
  for (std::size_t level = 0; level < envelope.logarithms.size(); ++level) {
    const std::string label = level == 0   ? "constraints"
                              : level == 1 ? "first derivative"
                              : level == 2 ? "second derivative"
                                           : fmt::format("derivative {}", level);
    panel.curves.push_back({.label = label,
                            .colour = plot_colour(level),
                            .curve = {.times = &envelope.times, .value = [&envelope, level](std::size_t row) {
                                        return envelope.logarithms[level][row];
                                      }}});
  }
  return panel;
}

std::vector<Marks> marks_of(const Summary& summary) {
  Marks events{.label = "event", .colour = event_colour, .times = {}};
  for (const EventRecord& event : summary.events) events.times.push_back(event.t);
  Marks ranks{.label = "rank change", .colour = rank_colour, .times = {}};
  for (const RankChange& change : summary.rank_changes) ranks.times.push_back(change.t);
  std::vector<Marks> all;
  for (Marks* marks : {&events, &ranks}) {
    if (!marks->times.empty()) all.push_back(std::move(*marks));
  }
  return all;
}

}  // namespace

Result<Picture> plot_picture(const Trajectory& trajectory, const PlotOptions& options) {
  const auto columns = plotted_columns(trajectory, options.variables, options.preferred);
  if (!columns) return std::unexpected(columns.error());
  std::vector<Panel> panels = signal_panels(trajectory, *columns);
  // Several panels together are taller than one, but not as tall as so many of them.
  const double height_of_each = options.height * (1 + (0.4 * static_cast<double>(panels.size() - 1))) /
                                static_cast<double>(panels.size());
  for (Panel& panel : panels) panel.height = height_of_each;
  const DriftEnvelope drift(trajectory);
  if (!trajectory.drift.empty()) {
    panels.push_back(drift_panel(drift));
    panels.back().height = drift_height;
  }
  return panel_picture(
      {.title = options.title,
       .times = range_of(trajectory.times),
       .width = double(options.width),
       .panels = std::move(panels),
       .marks = options.summary != nullptr ? marks_of(*options.summary) : std::vector<Marks>{}});
}

Result<std::string> plot_svg(const Trajectory& trajectory, const PlotOptions& options) {
  const auto picture = plot_picture(trajectory, options);
  if (!picture) return std::unexpected(picture.error());
  return picture_svg(*picture);
}

Result<void> write_plot(const Trajectory& trajectory, const PlotOptions& options, const std::string& path) {
  const auto format = find_picture_format(path);
  if (!format) return std::unexpected(format.error());
  const auto picture = plot_picture(trajectory, options);
  if (!picture) return std::unexpected(picture.error());
  auto file = OutputFile::open(path);
  if (!file) return std::unexpected(file.error());
  file->write((*format)->write(*picture));
  return file->close();
}

}  // namespace daedalus
