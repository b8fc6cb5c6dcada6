// Tables 1 and 2: a pendulum over 1000 time units at tolerances 1e-9, in four forms.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

#include "study/agreement.hpp"
#include "study/mattsson_soderlind.hpp"

namespace daedalus {
namespace {

struct PendulumRow {
  std::string_view model;  // a to d
  std::array<std::string_view, 7> printed;
};

constexpr std::array<std::string_view, 7> columns{"steps",   "f-evals", "Jac.",   "ΔE",
                                                  "E-drift", "ΔL",      "L-drift"};

constexpr auto table_1 = std::to_array<PendulumRow>({
    {"a", {"19323", "38654", "19", "-2.9e-7", "linear", "", ""}},
    {"b", {"26451", "56157", "85", "3.3e-6", "quad.", "-3.5e-6", "quad."}},
    {"c", {"27338", "62167", "1291", "-1.1e-7", "linear", "1e-11", "none"}},
    {"d", {"26697", "54774", "337", "-1.5e-7", "linear", "1e-11", "none"}},
});

constexpr auto table_2 = std::to_array<PendulumRow>({
    {"a", {"44267", "88524", "27", "-2.9e-6", "linear", "", ""}},
    {"b", {"68933", "222313", "28997", "2.2e-3", "quad.", "1.6e-3", "quad."}},
    {"c", {"108731", "240161", "4800", "7.9e-7", "linear", "1e-11", "none"}},
    {"d", {"84087", "203850", "6545", "1.9e-5", "linear", "1e-10", "none"}},
});

// Counts within so much of the printed ones agree: another code on another machine never has the same.
constexpr double count_tolerance = 0.1;

RunSetup setup_of(char form, bool large, std::string_view integrator) {
  RunSetup setup;
  setup.model = large ? "pendulum_large" : "pendulum_small";
  if (form == 'a') {
    setup.model = "pendulum_angle";
    if (large) setup.settings = {{"phi0", fmt::format("{}", std::numbers::pi / 2)}, {"omega0", "-1"}};
  }
  if (form == 'b') setup.formulation = "index1";
  if (form == 'c') setup.formulation = "dummy-derivatives";
  if (form == 'd') setup.formulation = "ggl";
  setup.integrator = integrator;
  setup.until = 1000;
  setup.rtol = 1e-9;
  setup.atol = 1e-9;
  setup.points = 2001;
  return setup;
}

// What the run did to the energy and the length, by output point.
struct Invariants {
  std::vector<double> energy, length;  // deviations

  Invariants(const Trajectory& trajectory, bool angle) {
    const auto value = [&trajectory](std::size_t row, std::string_view name) {
      return trajectory.at(row, column_of(trajectory, name));
    };
    for (std::size_t row = 0; row < trajectory.rows(); ++row) {
      if (angle) {
        const double omega = value(row, "omega");
        energy.push_back((omega * omega / 2) + 1 - std::cos(value(row, "phi")));
        length.push_back(0);
        continue;
      }
      const double u = value(row, "u");
      const double v = value(row, "v");
      energy.push_back((((u * u) + (v * v)) / 2) + value(row, "y") + 1);
      length.push_back(std::hypot(value(row, "x"), value(row, "y")) - 1);
    }
    const double start = energy.front();
    for (double& e : energy) e -= start;
  }
};

double mean(const std::vector<double>& values, double from, double to) {
  const auto size = static_cast<double>(values.size());
  const auto begin = static_cast<std::size_t>(from * size);
  const auto end = static_cast<std::size_t>(to * size);
  double sum = 0;
  for (std::size_t i = begin; i < end; ++i) sum += values[i];
  return sum / static_cast<double>(end - begin);
}

// How a deviation grows: the exponent p of t^p from its means over the fifth and the last tenth of the run,
// which take out the oscillation within a period.
std::string growth(const std::vector<double>& deviation) {
  const double middle = mean(deviation, 0.4, 0.5);
  const double end = mean(deviation, 0.9, 1.0);
  constexpr double nothing = 1e-10;  // a tenth of the tolerance
  if (std::abs(end) < nothing) return "none";
  const double exponent = std::log(std::abs(end / middle)) / std::log(0.95 / 0.45);
  if (end * middle < 0 || exponent < 0.5) return "none";
  return exponent < 1.5 ? "linear" : "quad.";
}

// Why the counts of an integrator on a form are not DASSL's.
std::string_view count_reason(std::string_view integrator, char form, bool large) {
  if (integrator == "ida") {
    return "IDA accepts the first Newton iterate of a step on the rate of convergence of earlier steps; the "
           "DASSL of the "
           "paper judged each step afresh, and so almost never did. Hence fewer residuals a step; and, in "
           "forms with "
           "algebraic variables, error estimates spoilt by what Newton's iteration left over, and steps of "
           "other sizes, "
           "mostly smaller";
  }
  if (form == 'c' && large) {
    return "our dummy pivots keep the integrator's history, where the paper restarted at order 1 at each of "
           "the 464 pivots; and "
           "an exact Jacobian costs little, so that it is renewed as soon as Newton's iteration slows down";
  }
  return "our bdf has exact Jacobians. One is kept as long as Newton's iteration does not slow down, and "
         "renewed as soon as it "
         "does: more Jacobians than DASSL's, or a single one, and fewer residuals. Orders and steps are "
         "chosen by another "
         "rule than DASSL's";
}

constexpr std::string_view smaller_reason =
    "smaller: our Newton iteration leaves so little in each step that to make it three hundred times more "
    "exact changes nothing; ida, which leaves more, has the paper's figure";
constexpr std::string_view larger_reason =
    "the deviation is a sum of local errors of both signs, and depends on where the steps fall: with form b "
    "of Table 1 written "
    "out as a model, ida finds -7.5e-6, 2.2e-6 and -2.5e-5 at tolerances 1e-9, 1.1e-9 and 5e-10. What can be "
    "compared is the law "
    "by which it grows";

struct Measured {
  const RunResult& result;
  const Invariants& invariants;
};

double number_of(const Measured& measured, std::size_t column) {
  const Counters& counters = measured.result.summary.counters;
  switch (column) {
    case 0:
      return static_cast<double>(counters.steps);
    case 1:
      return static_cast<double>(counters.residual_evals);
    case 2:
      return static_cast<double>(counters.jacobian_evals);
    case 3:
      return measured.invariants.energy.back();
    default:
      break;
  }
  // The one with the largest absolute value; with a drift, the last.
  const auto& length = measured.invariants.length;
  return *std::ranges::max_element(length, {}, [](double d) { return std::abs(d); });
}

void judge_count(Cell& cell, std::string_view reason) {
  const double paper = parse_printed(cell.paper).value().value();
  cell.ours = fmt::format("{:.0f}", cell.value);
  const bool close = std::abs(cell.value - paper) <= count_tolerance * paper;
  cell.verdict = close ? Verdict::Agree : Verdict::Differ;
  if (close) {
    cell.how = "within 10 %";
  } else {
    cell.reason = reason;
  }
}

// The sum of so many local errors depends on the code; its size is what can be compared. To be smaller is no
// fault, but it is a difference.
void judge_size(Cell& cell, bool drift_free) {
  const double paper = std::abs(parse_printed(cell.paper).value().value());
  cell.ours = fmt::format("{:.1e}", cell.value);
  const double ratio = std::abs(cell.value) / paper;
  if (ratio < 10 && (ratio > 0.1 || drift_free)) {
    cell.verdict = Verdict::Agree;
    cell.how = drift_free ? "no larger" : "decade";
    return;
  }
  cell.verdict = Verdict::Differ;
  if (ratio <= 0.1) cell.reason = smaller_reason;
  if (ratio >= 10 && ratio < 100) cell.reason = larger_reason;
}

void judge_growth(Cell& cell) {
  cell.verdict = cell.ours == cell.paper ? Verdict::Agree : Verdict::Differ;
  if (cell.verdict == Verdict::Differ && cell.ours == "none") {
    cell.reason = "what is left after 1000 time units is too small to have a drift";
  }
}

struct Case {
  const PendulumRow& row;
  bool large = false;
  std::string_view integrator;
  [[nodiscard]] char form() const { return row.model.front(); }
};

void measure(Cell& cell, std::size_t column, const Case& which, const Measured& measured) {
  if (column == 4 || column == 6) {
    cell.ours = growth(column == 4 ? measured.invariants.energy : measured.invariants.length);
    return judge_growth(cell);
  }
  cell.value = number_of(measured, column);
  if (column < 3) return judge_count(cell, count_reason(which.integrator, which.form(), which.large));
  judge_size(cell, column == 5 && which.row.printed[6] == "none");
}

void add_row(Reproduction& into, const Case& which, const KeepGoing& keep_going) {
  const RunSetup setup = setup_of(which.form(), which.large, which.integrator);
  const std::string label = fmt::format("{}, {}", which.row.model, which.integrator);
  into.commands.push_back({.row = label, .command = command_line(setup)});
  const auto result = perform(setup, keep_going);
  const bool ok = result && result->ok();
  std::optional<Invariants> invariants;
  if (ok) invariants.emplace(result->trajectory, which.form() == 'a');
  for (std::size_t column = 0; column < columns.size(); ++column) {
    if (which.row.printed[column].empty()) continue;
    Cell cell{.row = label,
              .column = std::string(columns[column]),
              .paper = std::string(which.row.printed[column])};
    if (ok) {
      measure(cell, column, which, {*result, *invariants});
    } else {
      cell.reason = result ? result->summary.reason : result.error();
    }
    into.cells.push_back(std::move(cell));
  }
}

}  // namespace

Reproduction reproduce_pendulum_table(const StudyTarget& target, const KeepGoing& keep_going) {
  const bool large = target.number == "2";
  Reproduction result;
  result.notes.emplace_back(
      "a: the angle; b: the twice differentiated constraint, index 1; c: dummy derivatives; d: stabilised "
      "index 2.");
  for (const std::string_view integrator : {"bdf", "ida"}) {
    for (const PendulumRow& row : large ? table_2 : table_1)
      add_row(result, {row, large, integrator}, keep_going);
  }
  return result;
}

}  // namespace daedalus
