#include <fmt/format.h>

#include <array>
#include <cmath>

#include "results/plot_path.hpp"
#include "results/plot_scale.hpp"
#include "study/report.hpp"

namespace daedalus {
namespace {

constexpr double width = 720;
constexpr double plot_height = 320;
constexpr double left = 76;
constexpr double right = 20;
constexpr std::size_t most_marked = 40;  // points of a series that are drawn as points, too
// Okabe and Ito's colours, as in results/plot.cpp.
constexpr std::array<std::string_view, 7> colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                  "#56b4e9", "#e69f00", "#000000"};

std::string escaped(std::string_view text) {
  std::string out;
  for (const char ch : text) {
    if (ch == '&') {
      out += "&amp;";
    } else if (ch == '<') {
      out += "&lt;";
    } else {
      out += ch;
    }
  }
  return out;
}

// What is drawn of a value: itself, or its logarithm; what has none makes a gap.
double scaled(double value, bool logarithmic) {
  if (!logarithmic) return value;
  return value > 0 ? std::log10(value) : std::numeric_limits<double>::quiet_NaN();
}

// Whole decades on logarithmic axes; a little more than the data on the others, if so wanted.
Range range_of_values(const std::vector<std::vector<double>>& values, bool logarithmic, double margin) {
  std::vector<double> all;
  for (const auto& each : values) all.insert(all.end(), each.begin(), each.end());
  const Range range = range_of(all);
  constexpr double slack = 1e-9;  // a power of ten, up to rounding, is one
  if (logarithmic) return {.low = std::floor(range.low + slack), .high = std::ceil(range.high - slack)};
  const double extra = margin * (range.high - range.low);
  return {.low = range.low - extra, .high = range.high + extra};
}

struct Drawing {
  std::vector<std::vector<double>> x, y;  // by series, scaled
  Axis x_axis;
  Axis y_axis;
};

std::string axes_svg(const Figure& figure, const Drawing& drawing, double bottom, double top) {
  std::string svg;
  const auto x_ticks =
      figure.log_x ? decade_ticks(drawing.x_axis.range(), 8) : linear_ticks(drawing.x_axis.range(), 8);
  for (const Tick& tick : x_ticks) {
    const double x = drawing.x_axis(tick.value);
    svg += fmt::format(R"(<line class="g" x1="{0:.1f}" y1="{1:.1f}" x2="{0:.1f}" y2="{2:.1f}"/>)", x, bottom,
                       top);
    svg += fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)", x, bottom + 17,
                       tick.label);
    svg += '\n';
  }
  const auto y_ticks =
      figure.log_y ? decade_ticks(drawing.y_axis.range(), 7) : linear_ticks(drawing.y_axis.range(), 6);
  for (const Tick& tick : y_ticks) {
    const double y = drawing.y_axis(tick.value);
    svg += fmt::format(R"(<line class="g" x1="{1:.1f}" y1="{0:.1f}" x2="{2:.1f}" y2="{0:.1f}"/>)", y, left,
                       width - right);
    svg += fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="end">{}</text>)", left - 8, y + 4,
                       tick.label);
    svg += '\n';
  }
  svg += fmt::format(R"(<rect class="f" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>)", left, top,
                     width - right - left, bottom - top);
  svg += fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)",
                     (left + width - right) / 2, bottom + 36, escaped(figure.x_label));
  const double middle = (top + bottom) / 2;
  svg += fmt::format(
      R"svg(<g transform="rotate(-90 16 {0:.1f})"><text x="16" y="{0:.1f}" text-anchor="middle">)svg",
      middle);
  svg += fmt::format("{}</text></g>", escaped(figure.y_label));
  return svg + "\n";
}

std::string series_svg(const Figure& figure, const Drawing& drawing, std::size_t i) {
  const std::vector<double>& x = drawing.x[i];
  const std::vector<double>& y = drawing.y[i];
  const Curve curve{.times = &x, .value = [&y](std::size_t row) { return y[row]; }};
  const std::string_view colour = colours[i % colours.size()];
  const bool dashed = figure.series[i].dashed;
  std::string svg =
      fmt::format(R"(<path d="{}" stroke="{}"{}/>)", path_data(curve, drawing.x_axis, drawing.y_axis), colour,
                  dashed ? R"( stroke-dasharray="6 4")" : "");
  svg += '\n';
  if (dashed || x.size() > most_marked) return svg;
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (!std::isfinite(x[k]) || !std::isfinite(y[k])) continue;
    svg += fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="3" fill="{}"/>)", drawing.x_axis(x[k]),
                       drawing.y_axis(y[k]), colour);
  }
  return svg + "\n";
}

std::string legend_svg(const Figure& figure) {
  std::string svg;
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    const double y = 46 + (18 * static_cast<double>(i));
    svg += fmt::format(R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" stroke="{}"{}/>)", left,
                       y - 4, left + 24, y - 4, colours[i % colours.size()],
                       figure.series[i].dashed ? R"( stroke-dasharray="6 4")" : "");
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", left + 32, y,
                       escaped(figure.series[i].label));
  }
  return svg;
}

}  // namespace

std::string figure_svg(const Figure& figure) {
  const double top = 44 + (18 * static_cast<double>(figure.series.size()));
  const double bottom = top + plot_height;
  Drawing drawing{.x_axis = {{}, left, width - right}, .y_axis = {{}, bottom, top}};
  for (const Series& series : figure.series) {
    auto& x = drawing.x.emplace_back();
    auto& y = drawing.y.emplace_back();
    for (const double value : series.x) x.push_back(scaled(value, figure.log_x));
    for (const double value : series.y) y.push_back(scaled(value, figure.log_y));
  }
  drawing.x_axis = Axis(range_of_values(drawing.x, figure.log_x, 0), left, width - right);
  drawing.y_axis = Axis(range_of_values(drawing.y, figure.log_y, 0.05), bottom, top);
  std::string body = axes_svg(figure, drawing, bottom, top);
  for (std::size_t i = 0; i < figure.series.size(); ++i) body += series_svg(figure, drawing, i);
  body += legend_svg(figure);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">\n"
      "<style>path{{fill:none}} path,line{{stroke-width:1.6;stroke-linejoin:round}} "
      ".g{{stroke:#e4e4e4;stroke-width:1}} .f{{fill:none;stroke:#888}} text{{fill:#333}} "
      ".t{{font-size:15px;font-weight:bold}}</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
      "<text class=\"t\" x=\"{2:.1f}\" y=\"22\">{3}</text>\n{4}</svg>\n",
      width, bottom + 50, left, escaped(figure.title), body);
}

}  // namespace daedalus
