#include "study/ascher_petzold.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "study/agreement.hpp"
#include "study/ascher_petzold_tables.hpp"

namespace daedalus {
namespace {

// All unknowns of the four examples but the multipliers are exp(t), so this is their value at t = 1.
constexpr double exact = std::numbers::e;

RunSetup setup_of(const PrintedTable& table, const PrintedRow& row) {
  RunSetup setup;
  setup.model = table.model;
  setup.settings.push_back({.name = "nu", .value = fmt::format("{}", row.nu)});
  if (!table.c.empty()) setup.settings.push_back({.name = "c", .value = std::string(table.c)});
  setup.formulation = row.formulation;
  setup.integrator = "backward-euler";
  setup.step = 1.0 / row.steps;
  // The equations are linear: Newton's iteration ends at round-off, whatever it is asked for. Sharper
  // tolerances would ask for more than the nearly singular steps of Table 4.8 can give.
  setup.rtol = 1e-8;
  setup.atol = 1e-10;
  setup.points = 2;
  return setup;
}

double error_of(const Trajectory& trajectory, std::string_view first, std::string_view second) {
  return std::max(std::abs(last_value(trajectory, first) - exact),
                  std::abs(last_value(trajectory, second) - exact));
}

double measure(const RunResult& result, const PrintedRow& row, Measure what) {
  const Trajectory& trajectory = result.trajectory;
  switch (what) {
    case Measure::Error:
      return error_of(trajectory, "x1", "x2");
    case Measure::ErrorP:
      return error_of(trajectory, "p1", "p2");
    case Measure::ErrorV:
      return error_of(trajectory, "v1", "v2");
    case Measure::Mu:
      return std::abs(formulation_value(result.summary, "mu[1]"));
    case Measure::Drift:
      break;
  }
  // Of the constraint itself where the method differentiates it (Tables 4.1 and 4.2, d-2), else of its
  // derivative.
  const bool position = trajectory.drift.size() < 3 || row.formulation == "index2";
  return last_drift(trajectory, position ? 0 : 1);
}

double computed_size(const Trajectory& trajectory) {
  double size = 0;
  for (std::size_t column = 0; column < trajectory.signals.size(); ++column) {
    const std::string& name = trajectory.signals[column].name;
    // Not the multipliers, which need not be of the solution's size, nor derivatives.
    const bool counts = name.starts_with('x') || name.starts_with('p') || name.starts_with('v');
    if (counts) size = std::max(size, std::abs(trajectory.at(trajectory.rows() - 1, column)));
  }
  return size;
}

void judge(Cell& cell, std::string_view table, const SolutionSize& size) {
  const KnownDifference* known = known_difference(table, cell.row, cell.column);
  if (known != nullptr && !known->corrected.empty() &&
      compare(known->corrected, cell.value, size) != Agreement::None) {
    cell.verdict = Verdict::Misprint;
    cell.reason = known->reason;
    return;
  }
  const Agreement agreement = compare(cell.paper, cell.value, size);
  if (agreement != Agreement::None) {
    cell.verdict = Verdict::Agree;
    cell.how = word(agreement);
    return;
  }
  cell.verdict = Verdict::Differ;
  if (known != nullptr && known->corrected.empty()) cell.reason = known->reason;
}

void add_row(Reproduction& into, const PrintedTable& table, const PrintedRow& row,
             const KeepGoing& keep_going) {
  const RunSetup setup = setup_of(table, row);
  into.commands.push_back({.row = std::string(row.label), .command = command_line(setup)});
  const auto result = perform(setup, keep_going);
  const bool ok = result && result->ok();
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    if (row.printed[column].empty()) continue;  // NA in the paper
    Cell cell{.row = std::string(row.label),
              .column = std::string(word(table.columns[column])),
              .paper = std::string(row.printed[column])};
    if (ok) {
      cell.value = measure(*result, row, table.columns[column]);
      cell.ours = fortran_text(cell.value);
      // The round-off of a residual is that of the terms that make it up.
      const bool residual = table.columns[column] == Measure::Drift;
      judge(cell, table.number,
            {.exact = exact, .computed = residual ? computed_size(result->trajectory) : exact});
    } else {
      cell.reason = result ? result->summary.reason : result.error();
    }
    into.cells.push_back(std::move(cell));
  }
}

}  // namespace

Reproduction reproduce_ascher_petzold(const StudyTarget& target, const KeepGoing& keep_going) {
  const PrintedTable& table = ascher_petzold_table(target.number);
  Reproduction result;
  for (const PrintedRow& row : table.rows) add_row(result, table, row, keep_going);
  return result;
}

}  // namespace daedalus
