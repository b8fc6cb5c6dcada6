#include "results/plot_panels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

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
constexpr double left_margin = 72;
constexpr double right_margin = 24;
constexpr double curve_width = 1.6;

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

class PlotPainter {
 public:
  PlotPainter(Picture& picture, const Axis& x, const std::vector<Marks>& marks)
      : picture_(picture), x_(x), marks_(marks) {}

  struct Place {
    double top = 0;
    bool first = false;
    bool last = false;
  };

  void draw(const Panel& panel, const Place& place) {
    const Axis y(value_range(panel), place.top + panel.height, place.top);
    grid(panel, y, place.last);
    for (const Marks& marks : marks_) draw(marks, y);
    for (const NamedCurve& named : panel.curves) {
      picture_.items.emplace_back(
          Curves{.pieces = curve_pieces(named.curve, x_, y),
                 .pen = {.colour = named.colour, .width = curve_width, .dashed = named.dashed}});
    }
    legend(entries_of(panel, place.first), place.top - 10);
  }

  // Rows of the legend that a panel needs.
  [[nodiscard]] std::size_t legend_rows(const Panel& panel, bool with_marks) const {
    const std::vector<Entry> entries = entries_of(panel, with_marks);
    std::size_t rows = entries.empty() ? 0 : 1;
    double at = 0;
    for (const Entry& entry : entries) {
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
    for (const NamedCurve& named : panel.curves) {
      if (panel.legend) add(named.label, {.colour = named.colour, .width = 2, .dashed = named.dashed});
    }
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

  void grid(const Panel& panel, const Axis& y, bool time_labels) {
    const Pen thin{.colour = grid_colour, .width = 1};
    for (const Tick& tick : linear_ticks(x_.range(), 8)) {
      const double x = x_(tick.value);
      line({.x = x, .y = y.from()}, {.x = x, .y = y.to()}, thin);
      if (time_labels) text({.x = x, .y = y.from() + 17}, tick.label, Anchor::Middle);
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
  const std::vector<Marks>& marks_;
};

// Places the panels below each other, draws them, and returns the height of the picture.
double draw_panels(PlotPainter& painter, const std::vector<Panel>& panels) {
  double top = 34;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const Panel& panel = panels[i];
    const bool first = i == 0;
    const double above = top + 8 + (18 * static_cast<double>(painter.legend_rows(panel, first)));
    painter.draw(panel, {.top = above, .first = first, .last = i + 1 == panels.size()});
    top = above + panel.height + 16;
  }
  return top + 34;
}

}  // namespace

Colour plot_colour(std::size_t number) {
  return colours[number % colour_count];
}

Picture panel_picture(const PanelPlot& plot) {
  Picture picture{.width = plot.width, .title = plot.title, .items = {}};
  const Axis x(plot.times, left_margin, picture.width - right_margin);
  PlotPainter painter(picture, x, plot.marks);
  picture.height = draw_panels(painter, plot.panels);
  picture.items.emplace_back(
      Label{.at = {.x = left_margin, .y = 22}, .text = plot.title, .size = 15, .bold = true});
  picture.items.emplace_back(Label{.at = {.x = (x.from() + x.to()) / 2, .y = picture.height - 14},
                                   .text = "time [s]",
                                   .anchor = Anchor::Middle});
  return picture;
}

}  // namespace daedalus
