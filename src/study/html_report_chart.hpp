// Plots of a page, as SVG inside it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "results/xml_text.hpp"

namespace daedalus {

struct ChartSeries {
  std::size_t number = 0;  // of the legend; colour, dashes and mark follow from it
  std::string label;
  std::vector<double> x;
  std::vector<double> y;
};

struct Chart {
  std::string id;  // unique on the page
  std::string title;
  std::string description;  // for those who do not see it
  std::string x_label;
  std::string y_label;
  bool log_x = false;
  bool log_y = false;
  bool marks = false;  // each point is marked
  std::vector<ChartSeries> series;
  std::vector<double> reference_x;  // drawn below the others, and what the axes are made for; empty: none
  std::vector<double> reference_y;
};

// A <figure>. Each series is a group with the attribute data-series, so that the legend finds it.
[[nodiscard]] std::string chart_figure(const Chart& chart);

// A line and a mark as series `number` has them: the legend's picture.
[[nodiscard]] std::string chart_sample(std::size_t number);

}  // namespace daedalus
