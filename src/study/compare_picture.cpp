#include "study/compare_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "results/plot_panels.hpp"

namespace daedalus {
namespace {

constexpr std::size_t solid_curves = 8;  // then dashed ones in the same colours
constexpr double panel_height = 200;
constexpr double least_logarithm = -17;  // below what a double resolves beside 1; exact zeros are drawn there

struct Quantity {
  std::string_view label;
  std::vector<double> RowCurves::*curve;
};
constexpr std::array<Quantity, 4> quantities{{{"error", &RowCurves::error},
                                              {"position drift", &RowCurves::position_drift},
                                              {"velocity drift", &RowCurves::velocity_drift},
                                              {"energy drift", &RowCurves::energy_drift}}};

std::vector<const CompareRow*> shown_rows(const Comparison& comparison) {
  double tightest = std::numeric_limits<double>::infinity();
  for (const CompareRow& row : comparison.rows) tightest = std::min(tightest, row.rtol);
  std::vector<const CompareRow*> rows;
  for (const CompareRow& row : comparison.rows) {
    if (row.rtol == tightest && row.curves.times.size() > 1) rows.push_back(&row);
  }
  return rows;
}

NamedCurve curve_of(const CompareRow& row, std::size_t number, const std::vector<double>& values) {
  return {.label = fmt::format("{}, {}", row.formulation, row.integrator),
          .colour = plot_colour(number),
          .curve = {.times = &row.curves.times,
                    .value =
                        [&values](std::size_t k) {
                          if (k >= values.size() || std::isnan(values[k])) return no_number;
                          return values[k] > 0 ? std::max(std::log10(values[k]), least_logarithm)
                                               : least_logarithm;
                        }},
          .dashed = number >= solid_curves};
}

}  // namespace

Picture comparison_picture(const Comparison& comparison) {
  const std::vector<const CompareRow*> rows = shown_rows(comparison);
  PanelPlot plot{.title = fmt::format("{}: formulations side by side", comparison.model),
                 .times = {.low = comparison.t_start, .high = comparison.t_end},
                 .panels = {},
                 .marks = {}};
  for (const Quantity& quantity : quantities) {
    Panel panel{.y_label = std::string(quantity.label),
                .height = panel_height,
                .logarithmic = true,
                .legend = plot.panels.empty(),
                .curves = {}};
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const std::vector<double>& values = rows[k]->curves.*quantity.curve;
      if (!values.empty()) panel.curves.push_back(curve_of(*rows[k], k, values));
    }
    if (!panel.curves.empty()) plot.panels.push_back(std::move(panel));
  }
  return panel_picture(plot);
}

}  // namespace daedalus
