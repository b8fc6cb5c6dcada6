#include "results/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "results/output_file.hpp"
#include "results/plot_columns.hpp"
#include "results/plot_path.hpp"
#include "results/plot_scale.hpp"

namespace daedalus {
namespace {

constexpr std::size_t colour_count = 8;
// Okabe and Ito's colours, told apart by colour-blind readers too; yellow, faint on white, darkened.
constexpr std::array<Colour, colour_count> colours{{{0x00, 0x72, 0xb2},
                                                    {0xd5, 0x5e, 0x00},
                                                    {0x00, 0x9e, 0x73},
                                                    {0xcc, 0x79, 0xa7},
                                                    {0x56, 0xb4, 0xe9},
                                                    {0xe6, 0x9f, 0x00},
                                                    {0x00, 0x00, 0x00},
                                                    {0xb3, 0xa3, 0x00}}};
constexpr Colour grid_colour{0xe4, 0xe4, 0xe4};
constexpr Colour frame_colour{0x88, 0x88, 0x88};
constexpr Colour event_colour{0x70, 0x70, 0x70};
constexpr Colour rank_colour{0xb0, 0x20, 0x20};
constexpr double left_margin = 72;
constexpr double right_margin = 24;
constexpr double drift_height = 170;
constexpr double curve_width = 1.6;

struct NamedCurve {
  std::string label;
  Colour colour;
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

// Instants that something happened at.
struct Marks {
  std::string label;
  Colour colour;
  std::vector<double> times;
};

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
         .colour = colours[i % colour_count],
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
                            .colour = colours[level % colour_count],
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

class PlotPainter {
 public:
  PlotPainter(Picture& picture, const Axis& x, std::vector<Marks> marks)
      : picture_(picture), x_(x), marks_(std::move(marks)) {}

  void draw(const Panel& panel, bool with_marks_in_legend) {
    const Axis y(value_range(panel), panel.top + panel.height, panel.top);
    grid(panel, y);
    for (const Marks& marks : marks_) draw(marks, y);
    for (const NamedCurve& named : panel.curves) {
      picture_.items.emplace_back(Curves{.pieces = curve_pieces(named.curve, x_, y),
                                         .pen = {.colour = named.colour, .width = curve_width}});
    }
    legend(entries_of(panel, with_marks_in_legend), panel.top - 10);
  }

  // Rows of the legend that a panel needs.
  [[nodiscard]] std::size_t legend_rows(const Panel& panel, bool with_marks) const {
    std::size_t rows = 1;
    double at = 0;
    for (const Entry& entry : entries_of(panel, with_marks)) {
      if (at > 0 && at + entry.width > x_.to() - x_.from()) {
        ++rows;
        at = 0;
      }
      at += entry.width;
    }
    return rows;
  }

 private:
  struct Entry {
    std::string label;
    Pen pen;
    double width = 0;
  };

  [[nodiscard]] std::vector<Entry> entries_of(const Panel& panel, bool with_marks) const {
    std::vector<Entry> entries;
    const auto add = [&](const std::string& label, const Pen& pen) {
      entries.push_back({.label = label, .pen = pen, .width = 44 + text_width(label, 12)});
    };
    for (const NamedCurve& named : panel.curves) add(named.label, {.colour = named.colour, .width = 2});
    for (const Marks& marks : marks_) {
      if (with_marks) add(marks.label, {.colour = marks.colour, .width = 1, .dashed = true});
    }
    return entries;
  }

  // As many marks as columns of pixels at most.
  void draw(const Marks& marks, const Axis& y) {
    double drawn = -1;
    for (const double t : marks.times) {
      const double x = x_(t);
      if (!std::isfinite(x) || x - drawn < 2 || x < x_.from() - 0.5 || x > x_.to() + 0.5) continue;
      line({.x = x, .y = y.from()}, {.x = x, .y = y.to()},
           {.colour = marks.colour, .width = 0.8, .dashed = true});
      drawn = x;
    }
  }

  void line(Point from, Point to, const Pen& pen) {
    picture_.items.emplace_back(StraightLine{.from = from, .to = to, .pen = pen});
  }
  void text(Point at, const std::string& words, Anchor anchor) {
    picture_.items.emplace_back(Label{.at = at, .text = words, .anchor = anchor});
  }

  void grid(const Panel& panel, const Axis& y) {
    const Pen thin{.colour = grid_colour, .width = 1};
    for (const Tick& tick : linear_ticks(x_.range(), 8)) {
      const double x = x_(tick.value);
      line({.x = x, .y = y.from()}, {.x = x, .y = y.to()}, thin);
      if (panel.time_labels) text({.x = x, .y = y.from() + 17}, tick.label, Anchor::Middle);
    }
    const auto ticks = panel.logarithmic ? decade_ticks(y.range(), 5) : linear_ticks(y.range(), 6);
    for (const Tick& tick : ticks) {
      line({.x = x_.from(), .y = y(tick.value)}, {.x = x_.to(), .y = y(tick.value)}, thin);
      text({.x = x_.from() - 8, .y = y(tick.value) + 4}, tick.label, Anchor::End);
    }
    picture_.items.emplace_back(Rectangle{.corner = {.x = x_.from(), .y = y.to()},
                                          .width = x_.to() - x_.from(),
                                          .height = y.from() - y.to(),
                                          .pen = {.colour = frame_colour, .width = 1}});
    if (panel.y_label.empty()) return;
    picture_.items.emplace_back(Label{.at = {.x = 16, .y = (y.from() + y.to()) / 2},
                                      .text = panel.y_label,
                                      .anchor = Anchor::Middle,
                                      .upright = true});
  }

  void legend(const std::vector<Entry>& entries, double base) {
    double at = x_.from();
    std::vector<std::pair<Point, const Entry*>> placed;
    double row = 0;
    for (const Entry& entry : entries) {
      if (at > x_.from() && at + entry.width > x_.to()) {
        at = x_.from();
        ++row;
      }
      placed.push_back({{.x = at, .y = row}, &entry});
      at += entry.width;
    }
    for (const auto& [place, entry] : placed) {
      const double y = base - (18 * (row - place.y));
      line({.x = place.x, .y = y - 4}, {.x = place.x + 20, .y = y - 4}, entry->pen);
      text({.x = place.x + 26, .y = y}, entry->label, Anchor::Start);
    }
  }

  Picture& picture_;
  Axis x_;
  std::vector<Marks> marks_;
};

// Places the panels below each other, draws them, and returns the height of the picture.
double draw_panels(PlotPainter& painter, std::vector<Panel>& panels) {
  double top = 34;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    Panel& panel = panels[i];
    const bool first = i == 0;
    panel.time_labels = i + 1 == panels.size();
    panel.top = top + 8 + (18 * static_cast<double>(painter.legend_rows(panel, first)));
    painter.draw(panel, first);
    top = panel.top + panel.height + 16;
  }
  return top + 34;
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
  Picture picture{.width = double(options.width), .title = options.title, .items = {}};
  const Axis x(range_of(trajectory.times), left_margin, picture.width - right_margin);
  PlotPainter painter(picture, x,
                      options.summary != nullptr ? marks_of(*options.summary) : std::vector<Marks>{});
  picture.height = draw_panels(painter, panels);
  picture.items.emplace_back(
      Label{.at = {.x = left_margin, .y = 22}, .text = options.title, .size = 15, .bold = true});
  picture.items.emplace_back(Label{.at = {.x = (x.from() + x.to()) / 2, .y = picture.height - 14},
                                   .text = "time [s]",
                                   .anchor = Anchor::Middle});
  return picture;
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
