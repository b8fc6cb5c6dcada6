#include "study/html_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "study/compare_columns.hpp"
#include "study/html_report_assets.hpp"
#include "study/html_report_chart.hpp"

namespace daedalus {
namespace {

// Rows of one formulation and integrator at several tolerances are one series.
struct SeriesRows {
  std::string label;
  std::vector<const CompareRow*> rows;  // by tolerance, the tightest last
};

std::vector<SeriesRows> series_of(const Comparison& comparison) {
  std::vector<SeriesRows> all;
  for (const CompareRow& row : comparison.rows) {
    if (row.status == RowStatus::Refused) continue;
    const std::string label = fmt::format("{}, {}", row.formulation, row.integrator);
    auto found = std::ranges::find(all, label, &SeriesRows::label);
    if (found == all.end()) found = all.insert(all.end(), {.label = label, .rows = {}});
    found->rows.push_back(&row);
  }
  return all;
}

std::string capitalised(std::string text) {
  if (text.front() >= 'a' && text.front() <= 'z') text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text;
}

std::string header_html(const Comparison& comparison) {
  std::string html = fmt::format(
      "<header><h1>{}: formulations side by side</h1>\n<p>t = {:g} to {:g}, {} output points.</p>\n",
      escape_html(comparison.model), comparison.t_start, comparison.t_end, comparison.points);
  html += fmt::format("<p>{}.</p>\n", escape_html(capitalised(comparison.reference.text())));
  if (!comparison.notes.empty()) html += "<ul>";
  for (const std::string& note : comparison.notes) html += fmt::format("<li>{}</li>", escape_html(note));
  if (!comparison.notes.empty()) html += "</ul>\n";
  return html +
         "<p data-script=\"\" hidden=\"hidden\"><button type=\"button\" data-theme-switch=\"\">Light or "
         "dark</button></p></header>\n";
}

std::string head_html(const std::vector<CompareColumn>& columns) {
  std::string html = "<thead><tr>";
  for (const CompareColumn& column : columns) {
    html += fmt::format(
        R"(<th scope="col"{} title="{}"><button type="button" disabled="disabled">{}</button></th>)",
        column.words ? R"( class="words")" : "", escape_html(column.doc), column.title);
  }
  return html + "</tr></thead>\n";
}

std::string cell_html(const CompareColumn& column, const CompareRow& row) {
  const std::string text = escape_html(column.text(row));
  if (column.title == "formulation") return fmt::format(R"(<th scope="row">{}</th>)", text);
  if (!column.value) {
    if (column.title != "status") return fmt::format(R"(<td class="words">{}</td>)", text);
    const std::string why =
        row.reason.empty() ? "" : fmt::format("<small>{}</small>", escape_html(row.reason));
    return fmt::format(R"(<td class="words status">{}{}</td>)", text, why);
  }
  const double value = column.value(row);
  const std::string key = std::isfinite(value) ? fmt::format("{:.6g}", value) : "";
  return fmt::format(R"(<td data-value="{}">{}</td>)", key, text == "-" ? "–" : text);
}

std::string columns_html(const std::vector<CompareColumn>& columns) {
  std::string html = "<details><summary>What the columns say</summary><dl>";
  for (const CompareColumn& column : columns)
    html += fmt::format("<dt>{}</dt><dd>{}</dd>", column.title, escape_html(column.doc));
  return html + "</dl></details>\n";
}

std::string table_html(const Comparison& comparison) {
  const std::vector<CompareColumn> columns = compare_columns(comparison);
  std::string html = R"(<section aria-labelledby="rows"><h2 id="rows">Rows</h2>)" + columns_html(columns) +
                     R"(<div class="wide" tabindex="0" role="region" aria-labelledby="rows">
<table><caption>One row a formulation, integrator and tolerance</caption>)"
                     "\n" +
                     head_html(columns) + "<tbody>\n";
  for (const CompareRow& row : comparison.rows) {
    html += fmt::format(R"(<tr class="{}">)", word(row.status));
    for (const CompareColumn& column : columns) html += cell_html(column, row);
    html += "</tr>\n";
  }
  return html + "</tbody></table></div></section>\n";
}

std::string legend_html(const std::vector<SeriesRows>& all) {
  std::string html =
      R"(<nav class="legend" aria-label="Rows in the plots"><span data-script="" hidden="hidden">)"
      R"(<button type="button" data-show="all">show all</button> )"
      R"(<button type="button" data-show="none">hide all</button></span><ul>)";
  for (std::size_t k = 0; k < all.size(); ++k) {
    html += fmt::format(
        R"(<li><button type="button" disabled="disabled" aria-pressed="true" data-series="{}">{} {}</button></li>)",
        k, chart_sample(k), escape_html(all[k].label));
  }
  return html + "</ul></nav>\n";
}

Chart work_chart(const std::vector<SeriesRows>& all, bool time) {
  Chart chart{.id = time ? "work-seconds" : "work-evaluations",
              .title = time ? "Error and processor time" : "Error and evaluations",
              .description =
                  "One point a row of the table below, both axes logarithmic; further down and "
                  "further left is better.",
              .x_label = time ? "seconds" : "evaluations of the residual or right-hand side",
              .y_label = "error",
              .log_x = true,
              .log_y = true,
              .marks = true};
  for (std::size_t k = 0; k < all.size(); ++k) {
    ChartSeries series{.number = k, .label = all[k].label};
    for (const CompareRow* row : all[k].rows) {
      if (!std::isfinite(row->error)) continue;
      series.x.push_back(time ? row->seconds : static_cast<double>(row->counters.residual_evals));
      series.y.push_back(row->error);
    }
    if (!series.x.empty()) chart.series.push_back(std::move(series));
  }
  return chart;
}

struct TimeChart {
  std::string_view id;
  std::string_view title;
  std::string_view y_label;
  std::vector<double> RowCurves::*curve;
};

// The curves of the tightest tolerance.
Chart time_chart(const std::vector<SeriesRows>& all, const TimeChart& what) {
  Chart chart{.id = std::string(what.id),
              .title = std::string(what.title),
              .description =
                  "Over time, on a logarithmic axis; exact zeros are drawn at 1e-17. The largest "
                  "values are in the table below. Drag or the keys + and - enlarge.",
              .x_label = "time",
              .y_label = std::string(what.y_label),
              .log_y = true};
  for (std::size_t k = 0; k < all.size(); ++k) {
    const RowCurves& curves = all[k].rows.back()->curves;
    if ((curves.*what.curve).empty()) continue;
    chart.series.push_back({.number = k, .label = all[k].label, .x = curves.times, .y = curves.*what.curve});
  }
  return chart;
}

Chart signal_chart(const Comparison& comparison, const std::vector<SeriesRows>& all, std::size_t signal) {
  Chart chart{.id = fmt::format("signal-{}", signal),
              .title = comparison.plotted[signal],
              .description = "Over time; the reference is the broad line behind the others.",
              .x_label = "time",
              .y_label = comparison.plotted[signal]};
  const RowCurves& reference = comparison.reference_curves;
  if (signal < reference.signals.size() && reference.times.size() > 1) {
    chart.reference_x = reference.times;
    chart.reference_y = reference.signals[signal];
  }
  for (std::size_t k = 0; k < all.size(); ++k) {
    const RowCurves& curves = all[k].rows.back()->curves;
    if (signal >= curves.signals.size() || curves.signals[signal].empty()) continue;
    chart.series.push_back(
        {.number = k, .label = all[k].label, .x = curves.times, .y = curves.signals[signal]});
  }
  return chart;
}

std::string section_html(std::string_view id, std::string_view title, const std::vector<Chart>& charts) {
  std::string figures;
  for (const Chart& chart : charts) {
    if (!chart.series.empty()) figures += chart_figure(chart);
  }
  if (figures.empty()) return {};
  return fmt::format(
      "<section aria-labelledby=\"{0}\"><h2 id=\"{0}\">{1}</h2>\n<div "
      "class=\"plots\">\n{2}</div></section>\n",
      id, title, figures);
}

std::string plots_html(const Comparison& comparison) {
  const std::vector<SeriesRows> all = series_of(comparison);
  std::string html = legend_html(all);
  html += section_html("work", "Work and precision", {work_chart(all, false), work_chart(all, true)});
  html += section_html(
      "drift", "Over time",
      {time_chart(all, {"error", "Error against the reference", "error", &RowCurves::error}),
       time_chart(all,
                  {"position", "Position drift", "residual of the constraints", &RowCurves::position_drift}),
       time_chart(
           all, {"velocity", "Velocity drift", "residual of their derivatives", &RowCurves::velocity_drift}),
       time_chart(all, {"energy", "Energy drift", "departure from the start", &RowCurves::energy_drift})});
  std::vector<Chart> signals;
  for (std::size_t k = 0; k < comparison.plotted.size(); ++k)
    signals.push_back(signal_chart(comparison, all, k));
  return html + section_html("motion", "Trajectories", signals);
}

}  // namespace

std::string comparison_html(const Comparison& comparison) {
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{}: formulations "
      "side by "
      "side</title>\n<style>{}</style></head>\n<body><a class=\"skip\" href=\"#work\">Skip to the "
      "plots</a>\n",
      escape_html(comparison.model), html_style());
  html += header_html(comparison);
  html += "<main>\n" + plots_html(comparison) + table_html(comparison) + "</main>\n";
  html += fmt::format("<script>//<![CDATA[{}//]]></script>\n</body></html>\n", html_script());
  return html;
}

}  // namespace daedalus
