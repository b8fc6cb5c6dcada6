#include <gtest/gtest.h>

#include <limits>

#include "study/report.hpp"

namespace daedalus {
namespace {

std::size_t occurrences(const std::string& text, std::string_view of) {
  std::size_t count = 0;
  for (std::size_t at = text.find(of); at != std::string::npos; at = text.find(of, at + 1)) ++count;
  return count;
}

Figure figure() {
  return {.name = "f",
          .title = "Errors & more",
          .x_label = "eps",
          .y_label = "error",
          .log_x = true,
          .log_y = true,
          .series = {{.label = "measured", .x = {1e-4, 1e-3, 1e-2}, .y = {1e-4, 1e-3, 1e-2}},
                     {.label = "theory", .x = {1e-4, 1e-2}, .y = {1e-4, 1e-2}, .dashed = true}}};
}

TEST(FigureSvg, DrawsEachSeriesAndMarksFewPoints) {
  const std::string svg = figure_svg(figure());
  EXPECT_EQ(occurrences(svg, "<path d="), 2U);
  EXPECT_EQ(occurrences(svg, "<circle"), 3U);           // of the measured ones only
  EXPECT_EQ(occurrences(svg, "stroke-dasharray"), 2U);  // the curve and its legend
  EXPECT_NE(svg.find("Errors &amp; more"), std::string::npos);
}

// On logarithmic axes a power law is a straight line: the three marks lie on one.
TEST(FigureSvg, DrawsPowerLawsAsStraightLines) {
  const std::string svg = figure_svg(figure());
  std::vector<std::pair<double, double>> marks;
  for (std::size_t at = svg.find("<circle cx=\""); at != std::string::npos;
       at = svg.find("<circle cx=\"", at + 1)) {
    const double x = std::stod(svg.substr(at + 12));
    const double y = std::stod(svg.substr(svg.find("cy=\"", at) + 4));
    marks.emplace_back(x, y);
  }
  ASSERT_EQ(marks.size(), 3U);
  // Coordinates are rounded to a tenth of a pixel.
  EXPECT_NEAR(marks[1].first, (marks[0].first + marks[2].first) / 2, 0.11);
  EXPECT_NEAR(marks[1].second, (marks[0].second + marks[2].second) / 2, 0.11);
}

TEST(FigureSvg, LeavesOutWhatHasNoLogarithm) {
  Figure with_zero = figure();
  with_zero.series.front().y.front() = 0;
  const std::string svg = figure_svg(with_zero);
  EXPECT_EQ(occurrences(svg, "<circle"), 2U);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

TEST(FigureSvg, DrawsAnEmptyFigureToo) {
  Figure empty = figure();
  empty.series.clear();
  EXPECT_NE(figure_svg(empty).find("</svg>"), std::string::npos);
}

}  // namespace
}  // namespace daedalus
