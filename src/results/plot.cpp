#include "results/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "core/options.hpp"
#include "results/output_file.hpp"
#include "results/plot_path.hpp"
#include "results/plot_scale.hpp"

namespace daedalus {
namespace {

constexpr std::size_t most_curves = 8;
// Okabe and Ito's colours, told apart by colour-blind readers too; yellow, faint on white, darkened.
constexpr std::array<std::string_view, most_curves> colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                            "#56b4e9", "#e69f00", "#000000", "#b3a300"};
constexpr double left_margin = 72;
constexpr double right_margin = 24;
constexpr double drift_height = 170;
constexpr double character_width = 7.2;  // of the 12-pixel sans-serif, generously

struct NamedCurve {
  std::string label;
  std::string_view colour;
  Curve curve;
};

struct Panel {
  double top = 0;
  double height = 0;
  std::string y_label;
  bool logarithmic = false;
  bool time_labels = true;
  std::vector<NamedCurve> curves;
};

std::string escape(std::string_view text) {
  std::string out;
  for (const char ch : text) {
    const auto byte = static_cast<unsigned char>(ch);
    if (ch == '&') {
      out += "&amp;";
    } else if (ch == '<') {
      out += "&lt;";
    } else if (ch == '>') {
      out += "&gt;";
    } else if (ch == '"') {
      out += "&quot;";
    } else if (byte >= 0x20 && byte < 0x7f) {
      out += ch;
    } else {
      // Names may hold any bytes; XML may not.
      out += '?';
    }
  }
  return out;
}

std::string shortened(const std::string& text, std::size_t most) {
  return text.size() <= most ? text : text.substr(0, most - 3) + "...";
}

bool varies(const Trajectory& trajectory, std::size_t column) {
  for (std::size_t row = 1; row < trajectory.rows(); ++row) {
    if (trajectory.at(row, column) != trajectory.at(0, column)) return true;
  }
  return false;
}

// Equal, or equal but for the sign: an alias, of which one is enough in a picture.
bool same_curve(const Trajectory& trajectory, std::size_t a, std::size_t b) {
  bool equal = true;
  bool opposite = true;
  for (std::size_t row = 0; row < trajectory.rows() && (equal || opposite); ++row) {
    equal = equal && trajectory.at(row, a) == trajectory.at(row, b);
    opposite = opposite && trajectory.at(row, a) == -trajectory.at(row, b);
  }
  return equal || opposite;
}

// The columns to draw when none are asked for: the first that vary, derivatives only when there is room.
std::vector<std::size_t> default_columns(const Trajectory& trajectory) {
  std::vector<std::size_t> chosen;
  for (const bool derivatives : {false, true}) {
    for (std::size_t column = 0; column < trajectory.signals.size(); ++column) {
      if (chosen.size() == most_curves) return chosen;
      const bool derivative = trajectory.signals[column].name.starts_with("der(");
      if (derivative != derivatives || !varies(trajectory, column)) continue;
      const auto same = [&](std::size_t other) { return same_curve(trajectory, column, other); };
      if (std::ranges::none_of(chosen, same)) chosen.push_back(column);
    }
    if (!chosen.empty()) return chosen;
  }
  for (std::size_t column = 0; column < std::min(trajectory.signals.size(), most_curves); ++column) {
    chosen.push_back(column);
  }
  return chosen;
}

Result<std::vector<std::size_t>> columns_of(const Trajectory& trajectory,
                                            const std::vector<std::string>& names) {
  if (names.empty()) return default_columns(trajectory);
  std::vector<std::string_view> known;
  for (const Signal& signal : trajectory.signals) known.push_back(signal.name);
  std::vector<std::size_t> columns;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(known, std::string_view(name));
    if (found == known.end()) return fail(unknown_name_message("variable to plot", name, known));
    columns.push_back(static_cast<std::size_t>(found - known.begin()));
  }
  return columns;
}

// One panel a unit, so that forces do not flatten angles; what comes after the third unit shares its panel.
std::vector<Panel> signal_panels(const Trajectory& trajectory, const std::vector<std::size_t>& columns) {
  constexpr std::size_t most_panels = 3;
  std::vector<std::string> units;
  for (const std::size_t column : columns) {
    const std::string& unit = trajectory.signals[column].unit;
    if (units.size() < most_panels && std::ranges::find(units, unit) == units.end()) units.push_back(unit);
  }
  std::vector<Panel> panels(std::max<std::size_t>(1, units.size()));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::size_t column = columns[i];
    const Signal& signal = trajectory.signals[column];
    const auto found = static_cast<std::size_t>(std::ranges::find(units, signal.unit) - units.begin());
    const std::string unit = signal.unit.empty() ? "" : fmt::format(" [{}]", signal.unit);
    panels[std::min(found, panels.size() - 1)].curves.push_back(
        {.label = shortened(signal.name, 48) + unit,
         .colour = colours[i % most_curves],
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
                            .colour = colours[level % most_curves],
                            .curve = {.times = &envelope.times, .value = [&envelope, level](std::size_t row) {
                                        return envelope.logarithms[level][row];
                                      }}});
  }
  return panel;
}

Range value_range(const Panel& panel) {
  std::vector<double> values;
  for (const NamedCurve& named : panel.curves) {
    for (std::size_t row = 0; row < named.curve.times->size(); ++row)
      values.push_back(named.curve.value(row));
  }
  const Range range = range_of(values);
  if (panel.logarithmic) return {.low = std::floor(range.low), .high = std::ceil(range.high + 1e-9)};
  const double margin = 0.04 * (range.high - range.low);
  return {.low = range.low - margin, .high = range.high + margin};
}

class Svg {
 public:
  explicit Svg(const Axis& x) : x_(x) {}

  void draw(const Panel& panel) {
    const Axis y(value_range(panel), panel.top + panel.height, panel.top);
    grid(panel, y);
    for (const NamedCurve& named : panel.curves) {
      add("<path d=\"{}\" stroke=\"{}\"/>\n", path_data(named.curve, x_, y), named.colour);
    }
    legend(panel);
  }

  void text(double x, double y, std::string_view attributes, std::string_view words) {
    add("<text x=\"{:.1f}\" y=\"{:.1f}\"{}>{}</text>\n", x, y, attributes, escape(words));
  }

  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(body_), format, std::forward<Args>(args)...);
  }

  [[nodiscard]] const std::string& body() const { return body_; }

  // Rows of the legend that a panel needs.
  [[nodiscard]] std::size_t legend_rows(const Panel& panel) const {
    std::size_t rows = 1;
    double at = 0;
    for (const NamedCurve& named : panel.curves) {
      const double width = entry_width(named);
      if (at > 0 && at + width > x_.to() - x_.from()) {
        ++rows;
        at = 0;
      }
      at += width;
    }
    return rows;
  }

 private:
  static double entry_width(const NamedCurve& named) {
    return 38 + (character_width * static_cast<double>(named.label.size()));
  }

  void grid(const Panel& panel, const Axis& y) {
    for (const Tick& tick : linear_ticks(x_.range(), 8)) {
      add("<line class=\"g\" x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\"/>\n", x_(tick.value),
          y.from(), y.to());
      if (panel.time_labels) text(x_(tick.value), y.from() + 17, " text-anchor=\"middle\"", tick.label);
    }
    const auto ticks = panel.logarithmic ? decade_ticks(y.range(), 5) : linear_ticks(y.range(), 6);
    for (const Tick& tick : ticks) {
      add("<line class=\"g\" x1=\"{1:.1f}\" y1=\"{0:.1f}\" x2=\"{2:.1f}\" y2=\"{0:.1f}\"/>\n", y(tick.value),
          x_.from(), x_.to());
      text(x_.from() - 8, y(tick.value) + 4, " text-anchor=\"end\"", tick.label);
    }
    add("<rect class=\"f\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n", x_.from(),
        y.to(), x_.to() - x_.from(), y.from() - y.to());
    if (panel.y_label.empty()) return;
    const double middle = (y.from() + y.to()) / 2;
    text(16, middle, fmt::format(" text-anchor=\"middle\" transform=\"rotate(-90 16 {:.1f})\"", middle),
         panel.y_label);
  }

  void legend(const Panel& panel) {
    double at = x_.from();
    double line = panel.top - 10 - (18 * static_cast<double>(legend_rows(panel) - 1));
    for (const NamedCurve& named : panel.curves) {
      const double width = entry_width(named);
      if (at > x_.from() && at + width > x_.to()) {
        at = x_.from();
        line += 18;
      }
      add("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", at, line - 4,
          at + 20, line - 4, named.colour);
      text(at + 26, line, "", named.label);
      at += width;
    }
  }

  Axis x_;
  std::string body_;
};

// Places the panels below each other, draws them, and returns the height of the picture.
double draw_panels(Svg& svg, std::vector<Panel>& panels) {
  double top = 34;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    Panel& panel = panels[i];
    panel.time_labels = i + 1 == panels.size();
    panel.top = top + 8 + (18 * static_cast<double>(svg.legend_rows(panel)));
    svg.draw(panel);
    top = panel.top + panel.height + 16;
  }
  return top + 34;
}

}  // namespace

Result<std::string> plot_svg(const Trajectory& trajectory, const PlotOptions& options) {
  const auto columns = columns_of(trajectory, options.variables);
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
  const double width = options.width;
  Svg svg(Axis(range_of(trajectory.times), left_margin, width - right_margin));
  const double height = draw_panels(svg, panels);
  svg.text(left_margin, 22, " class=\"t\"", options.title);
  svg.text(left_margin + ((width - left_margin - right_margin) / 2), height - 14, " text-anchor=\"middle\"",
           "time [s]");
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">\n"
      "<style>path{{fill:none}} path,line{{stroke-width:1.6;stroke-linejoin:round}} "
      ".g{{stroke:#e4e4e4;stroke-width:1}} .f{{fill:none;stroke:#888}} text{{fill:#333}} "
      ".t{{font-size:15px;font-weight:bold}}</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n{2}</svg>\n",
      width, height, svg.body());
}

Result<void> write_plot(const Trajectory& trajectory, const PlotOptions& options, const std::string& path) {
  const auto svg = plot_svg(trajectory, options);
  if (!svg) return std::unexpected(svg.error());
  auto file = OutputFile::open(path);
  if (!file) return std::unexpected(file.error());
  file->write(*svg);
  return file->close();
}

}  // namespace daedalus
