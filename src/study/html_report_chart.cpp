#include "study/html_report_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "results/plot_path.hpp"
#include "results/plot_scale.hpp"

namespace daedalus {
namespace {

constexpr double width = 640;
constexpr double height = 340;
constexpr double left = 66;
constexpr double right = 12;
constexpr double top = 10;
constexpr double bottom = 292;
constexpr double least_logarithm = -17;  // below what a double resolves beside 1; exact zeros are drawn there
constexpr double room = 0.3;             // of the reference's range, left above and below it

constexpr std::size_t colours = 8;
constexpr std::array<std::string_view, 3> dashes{"", " stroke-dasharray=\"7 3\"",
                                                 " stroke-dasharray=\"2 3\""};
// Around the origin; colour alone is not enough for everyone.
constexpr std::array<std::string_view, 5> marks{"M-4 0A4 4 0 1 0 4 0A4 4 0 1 0-4 0Z", "M-4-4H4V4H-4Z",
                                                "M0-5L5 4H-5Z", "M0-5L5 0L0 5L-5 0Z", "M-5-4H5L0 5Z"};

double scaled(double value, bool logarithmic) {
  if (!logarithmic || std::isnan(value)) return value;
  return value > 0 ? std::max(std::log10(value), least_logarithm) : least_logarithm;
}

std::vector<double> scaled(const std::vector<double>& values, bool logarithmic) {
  std::vector<double> out;
  out.reserve(values.size());
  for (const double value : values) out.push_back(scaled(value, logarithmic));
  return out;
}

Range axis_range(const std::vector<double>& values, bool logarithmic, double margin) {
  const Range range = range_of(values);
  if (logarithmic) {
    // A decade at least, cut at whole decades.
    const double low = std::floor(range.low + 1e-9);
    return {.low = low, .high = std::max(low + 1, std::ceil(range.high - 1e-9))};
  }
  const double extra = margin * (range.high - range.low);
  return {.low = range.low - extra, .high = range.high + extra};
}

struct Scales {
  Axis x;
  Axis y;
};

Scales scales_of(const Chart& chart) {
  std::vector<double> x;
  std::vector<double> y;
  const auto add = [&](const std::vector<double>& xs, const std::vector<double>& ys) {
    for (const double value : xs) x.push_back(scaled(value, chart.log_x));
    for (const double value : ys) y.push_back(scaled(value, chart.log_y));
  };
  const bool by_reference = !chart.reference_y.empty();
  // A run that went astray does not press the others flat.
  if (by_reference) {
    add(chart.reference_x, chart.reference_y);
  } else {
    for (const ChartSeries& series : chart.series) add(series.x, series.y);
  }
  return {.x = Axis(axis_range(x, chart.log_x, 0), left, width - right),
          .y = Axis(axis_range(y, chart.log_y, by_reference ? room : 0.05), bottom, top)};
}

std::string grid_svg(const Chart& chart, const Scales& scales) {
  std::string svg = R"(<g class="x-grid">)";
  const auto x_ticks = chart.log_x ? decade_ticks(scales.x.range(), 8) : linear_ticks(scales.x.range(), 7);
  for (const Tick& tick : x_ticks) {
    const double x = scales.x(tick.value);
    svg += fmt::format(R"(<line class="grid" x1="{0:.1f}" y1="{1}" x2="{0:.1f}" y2="{2}"/>)", x, bottom, top);
    svg +=
        fmt::format(R"(<text x="{:.1f}" y="{}" text-anchor="middle">{}</text>)", x, bottom + 16, tick.label);
  }
  svg += "</g>";
  const auto y_ticks = chart.log_y ? decade_ticks(scales.y.range(), 8) : linear_ticks(scales.y.range(), 6);
  for (const Tick& tick : y_ticks) {
    const double y = scales.y(tick.value);
    svg += fmt::format(R"(<line class="grid" x1="{1}" y1="{0:.1f}" x2="{2}" y2="{0:.1f}"/>)", y, left,
                       width - right);
    svg += fmt::format(R"(<text x="{}" y="{:.1f}" text-anchor="end">{}</text>)", left - 6, y + 4, tick.label);
  }
  svg += fmt::format(R"(<rect class="frame" x="{}" y="{}" width="{}" height="{}"/>)", left, top,
                     width - right - left, bottom - top);
  svg += fmt::format(R"(<text x="{}" y="{}" text-anchor="middle">{}</text>)", (left + width - right) / 2,
                     bottom + 36, escape_html(chart.x_label));
  const double middle = (top + bottom) / 2;
  svg += fmt::format(
      R"svg(<text x="14" y="{0}" text-anchor="middle" transform="rotate(-90 14 {0})">{1}</text>)svg", middle,
      escape_html(chart.y_label));
  return svg + "\n";
}

std::string path_svg(const Chart& chart, const Scales& scales, const std::vector<double>& x,
                     const std::vector<double>& y) {
  const std::vector<double> xs = scaled(x, chart.log_x);
  const std::vector<double> ys = scaled(y, chart.log_y);
  const std::size_t rows = std::min(xs.size(), ys.size());
  const Curve curve{.times = &xs, .value = [&ys, rows](std::size_t row) {
                      return row < rows ? ys[row] : std::numeric_limits<double>::quiet_NaN();
                    }};
  return path_data(curve, scales.x, scales.y);
}

std::string series_svg(const Chart& chart, const Scales& scales, const ChartSeries& series) {
  std::string svg = fmt::format(R"(<g class="series c{}" data-series="{}"><title>{}</title>)",
                                series.number % colours, series.number, escape_html(series.label));
  const std::string path = path_svg(chart, scales, series.x, series.y);
  if (!path.empty()) {
    svg += fmt::format(R"(<path class="line" d="{}"{}/>)", path,
                       dashes[(series.number / colours) % dashes.size()]);
  }
  for (std::size_t k = 0; chart.marks && k < std::min(series.x.size(), series.y.size()); ++k) {
    const double x = scales.x(scaled(series.x[k], chart.log_x));
    const double y = scales.y(scaled(series.y[k], chart.log_y));
    if (!std::isfinite(x) || !std::isfinite(y)) continue;
    svg += fmt::format(R"svg(<path class="mark" d="{}" transform="translate({:.1f} {:.1f})"/>)svg",
                       marks[series.number % marks.size()], x, y);
  }
  return svg + "</g>\n";
}

// What the script needs to enlarge a plot over time.
std::string zoom_attributes(const Chart& chart, const Scales& scales) {
  if (chart.log_x || chart.marks) return {};
  return fmt::format(
      R"( data-zoom="" data-left="{}" data-right="{}" data-top="{}" data-bottom="{}" data-from="{}" data-to="{}")"
      R"( data-low="{}" data-high="{}" data-log="{}")",
      left, width - right, top, bottom, scales.x.range().low, scales.x.range().high, scales.y.range().low,
      scales.y.range().high, chart.log_y);
}

}  // namespace

std::string chart_sample(std::size_t number) {
  return fmt::format(
      R"svg(<svg class="sample c{0}" viewBox="0 0 34 12" width="34" height="12" aria-hidden="true">)svg"
      R"svg(<path class="line" d="M1 6H33"{1}/><path class="mark" d="{2}" transform="translate(17 6)"/></svg>)svg",
      number % colours, dashes[(number / colours) % dashes.size()], marks[number % marks.size()]);
}

std::string chart_figure(const Chart& chart) {
  const Scales scales = scales_of(chart);
  std::string svg = fmt::format(
      R"svg(<figure><figcaption id="{0}-title">{1}</figcaption>
<svg role="img" viewBox="0 0 {2} {3}" aria-labelledby="{0}-title {0}-text"{9}><desc id="{0}-text">{4}</desc>
<clipPath id="{0}-clip"><rect x="{5}" y="{6}" width="{7}" height="{8}"/></clipPath>
)svg",
      chart.id, escape_html(chart.title), width, height, escape_html(chart.description), left, top - 6,
      width - left - right + 6, bottom - top + 6, zoom_attributes(chart, scales));
  svg += grid_svg(chart, scales);
  svg += fmt::format(R"svg(<g clip-path="url(#{}-clip)"><g class="content">)svg", chart.id);
  if (!chart.reference_y.empty()) {
    svg += fmt::format(R"(<path class="reference" d="{}"><title>reference</title></path>)",
                       path_svg(chart, scales, chart.reference_x, chart.reference_y));
  }
  for (const ChartSeries& series : chart.series) svg += series_svg(chart, scales, series);
  return svg + "</g></g></svg></figure>\n";
}

}  // namespace daedalus
