#include "study/compare_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace daedalus {
namespace {

using Column = CompareColumn;

std::string measured(double value) {
  return std::isnan(value) ? "-" : fmt::format("{:.1e}", value);
}

Column measure(std::string_view short_title, std::string_view title, std::string_view doc,
               double CompareRow::*member) {
  return {.short_title = short_title,
          .title = title,
          .doc = doc,
          .text = [member](const CompareRow& row) { return measured(row.*member); },
          .value = [member](const CompareRow& row) { return row.*member; }};
}

// Work; a row that never ran has done none.
Column work(std::string_view short_title, std::string_view title, std::string_view doc,
            long Counters::*member) {
  return {.short_title = short_title,
          .title = title,
          .doc = doc,
          .text =
              [member](const CompareRow& row) {
                return row.status == RowStatus::Refused ? "-" : fmt::format("{}", row.counters.*member);
              },
          .value =
              [member](const CompareRow& row) {
                return row.status == RowStatus::Refused ? no_number
                                                        : static_cast<double>(row.counters.*member);
              }};
}

Column tolerance_column() {
  return {.short_title = "rtol",
          .title = "tolerance",
          .doc = "relative tolerance, or the step size h of a row of fixed step",
          .text =
              [](const CompareRow& row) {
                return row.step ? fmt::format("h={:.3g}", *row.step) : fmt::format("{:.0e}", row.rtol);
              },
          .value = [](const CompareRow& row) { return row.step.value_or(row.rtol); }};
}

std::string status_text(const CompareRow& row) {
  if (row.status != RowStatus::Failed) return std::string(word(row.status));
  return fmt::format("failed at {:.4g}", row.t_end);
}

}  // namespace

std::vector<CompareColumn> compare_columns(const Comparison& comparison) {
  std::vector<Column> columns{{.short_title = "formulation",
                               .title = "formulation",
                               .doc = "as for --formulation",
                               .words = true,
                               .text = [](const CompareRow& row) { return row.formulation; }},
                              {.short_title = "integrator",
                               .title = "integrator",
                               .doc = "as for --integrator; the one that auto chose",
                               .words = true,
                               .text = [](const CompareRow& row) { return row.integrator; }}};
  const auto has_step = [](const CompareRow& row) { return row.step.has_value(); };
  if (comparison.several_tolerances || std::ranges::any_of(comparison.rows, has_step))
    columns.push_back(tolerance_column());
  columns.push_back(
      {.short_title = "status",
       .title = "status",
       .doc = "ok; differs: came to the end far from the reference; failed, and at which time; refused: does "
              "not apply",
       .words = true,
       .text = status_text});
  columns.push_back(measure("error", "error", "of positions and velocities, in parts of each signal's range",
                            &CompareRow::error));
  if (!comparison.multipliers.empty()) {
    columns.push_back(measure("mult.", "multiplier error", "of multipliers, in parts of each one's range",
                              &CompareRow::multiplier_error));
  }
  columns.push_back(measure("position", "position drift", "largest residual of the constraints",
                            &CompareRow::position_drift));
  columns.push_back(measure("velocity", "velocity drift", "largest residual of the constraints' derivatives",
                            &CompareRow::velocity_drift));
  if (!comparison.energy.empty()) {
    columns.push_back(measure("energy", "energy drift", "largest departure from the first value",
                              &CompareRow::energy_drift));
  }
  columns.push_back(work("steps", "steps", "accepted", &Counters::steps));
  columns.push_back(work("evals", "evaluations",
                         "of the residual, or of the right-hand side for explicit methods",
                         &Counters::residual_evals));
  columns.push_back(work("Jac.", "Jacobians", "evaluated", &Counters::jacobian_evals));
  columns.push_back(work("LU", "factorizations", "of iteration matrices", &Counters::factorizations));
  columns.push_back(
      {.short_title = "seconds",
       .title = "seconds",
       .doc = "processor time, without reading the model",
       .text =
           [](const CompareRow& row) {
             return row.status == RowStatus::Refused ? "-" : fmt::format("{:.3f}", row.seconds);
           },
       .value =
           [](const CompareRow& row) { return row.status == RowStatus::Refused ? no_number : row.seconds; }});
  return columns;
}

std::string row_label(const CompareRow& row, const Comparison& comparison) {
  std::string label = fmt::format("{}, {}", row.formulation, row.integrator);
  if (!comparison.several_tolerances) return label;
  return label + (row.step ? fmt::format(", h = {:g}", *row.step) : fmt::format(", rtol {:g}", row.rtol));
}

}  // namespace daedalus
