// Figures 5.6 to 5.14: the slider crank through its dead centre.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numbers>

#include "study/petzold.hpp"

namespace daedalus {
namespace {

enum class Outcome { Success, Inaccurate, Wrong, OtherBranch, Stopped };

struct CrankFigure {
  std::string_view number;
  std::string_view model;
  std::string_view formulation;
  double tolerance;
  bool success;
  std::string_view words;  // the paper's
};

constexpr std::string_view position = "slider_crank";
constexpr std::string_view velocity = "slider_crank_velocity";
constexpr std::string_view wrong = "converges to an incorrect solution";

constexpr auto figures = std::to_array<CrankFigure>({
    {"5.6", velocity, "baumgarte:gamma=1e3", 1e-5, true, "works, but is not robust and often fails"},
    {"5.7", velocity, "direct-regularization:eps=1e-6,gamma=1e3", 1e-5, false, "fails at the singularity"},
    {"5.8", velocity, "trust-region:eps=1e-6,gamma=1e3", 1e-5, true, "is doing a good job"},
    {"5.9", velocity, "baumgarte:gamma=1e6", 1e-6, false, "fails"},
    {"5.10", velocity, "direct-regularization:eps=1e-6,gamma=1e6", 1e-6, false, "fails"},
    {"5.11", velocity, "trust-region:eps=1e-6,gamma=1e6", 1e-6, true, "succeeds"},
    {"5.12", position, "baumgarte-h:gamma0=2e6,gamma1=2e3,errortest=positions", 1e-5, false, wrong},
    {"5.13", position, "direct-regularization:eps=1e-6,gamma=1e3,curvature=no,errortest=positions", 1e-5,
     false, wrong},
    {"5.14", position, "trust-region:eps=1e-6,gamma=1e3,curvature=no,errortest=positions", 1e-5, true,
     "converges"},
});

struct Start {
  std::string_view name;
  double theta = 0;
  double omega = 0;
  double until = 0;
};

// The paper has no initial values. From rest at 90 degrees, from rest at 45 degrees, and turning over.
constexpr auto starts = std::to_array<Start>({
    {"from rest at π/2", std::numbers::pi / 2, 0, 5},
    {"from rest at π/4", std::numbers::pi / 4, 0, 10},
    {"turning over", std::numbers::pi / 4, 4, 10},
});

constexpr int points = 1001;

RunSetup setup_of(std::string_view model, const Start& start) {
  RunSetup setup;
  setup.model = model;
  setup.settings = {{"theta0", fmt::format("{}", start.theta)}, {"omega0", fmt::format("{}", start.omega)}};
  setup.until = start.until;
  setup.points = points;
  return setup;
}

RunSetup truth_setup(const Start& start) {
  RunSetup setup = setup_of("slider_crank_angle", start);
  setup.integrator = "radau";
  setup.rtol = 1e-11;
  setup.atol = 1e-12;
  return setup;
}

Outcome outcome_of(const RunResult& run, const RunResult& truth, double* error) {
  const Trajectory& found = run.trajectory;
  const std::size_t first = column_of(found, "theta1");
  const std::size_t second = column_of(found, "theta2");
  const std::size_t exact = column_of(truth.trajectory, "q");
  *error = 0;
  bool other_branch = false;
  const std::size_t rows = std::min(found.rows(), truth.trajectory.rows());
  for (std::size_t row = 0; row < rows; ++row) {
    if (found.times[row] != truth.trajectory.times[row]) break;
    const double q = truth.trajectory.at(row, exact);
    const double e1 = std::abs(found.at(row, first) - q);
    const double e2 = std::abs(found.at(row, second) - (std::numbers::pi - q));
    *error = std::max({*error, e1, e2});
    const double sum = found.at(row, first) + found.at(row, second) - std::numbers::pi;
    const double difference = found.at(row, second) - found.at(row, first) - std::numbers::pi;
    const auto turns = [](double angle) { return std::abs(std::remainder(angle, 2 * std::numbers::pi)); };
    other_branch = turns(difference) < turns(sum);
  }
  if (!run.ok()) return Outcome::Stopped;
  if (*error <= 1e-2) return Outcome::Success;
  if (*error <= 0.1) return Outcome::Inaccurate;
  return other_branch ? Outcome::OtherBranch : Outcome::Wrong;
}

std::string describe(Outcome outcome, double error, const RunResult& run) {
  switch (outcome) {
    case Outcome::Success:
      return fmt::format("success: error {:.1e}", error);
    case Outcome::Inaccurate:
      return fmt::format("inaccurate: error {:.1e}", error);
    case Outcome::Wrong:
      return fmt::format("wrong: error {:.1e}", error);
    case Outcome::OtherBranch:
      return fmt::format("wrong: on the other branch, error {:.1e}", error);
    case Outcome::Stopped:
      break;
  }
  return fmt::format("stops at t = {:.4g}", run.summary.t_end);
}

// A picture is one run, from initial values that the paper does not give.
std::string_view reason_of(const CrankFigure& figure, bool good) {
  if (figure.number == "5.6")
    return "the paper gives no initial values, and says itself that this method often fails";
  if (good)
    return "the paper gives no initial values. This start gets through; the row of twenty starts says how "
           "many do not";
  if (figure.model == velocity) {
    return "the paper gives no initial values. At index 2 each passage of the singular point multiplies the "
           "error of "
           "position by about -2.6 (trust region), and nothing brings it back: after the ten passages of "
           "this start "
           "it is too large";
  }
  return "the paper gives no initial values. Without curvature, and with the velocities out of the error "
         "test, as in "
         "the paper, the ten passages of this start are too many. With our defaults, in the rows below, they "
         "are not";
}

bool is_good(Outcome outcome) {
  return outcome == Outcome::Success || outcome == Outcome::Inaccurate;
}

void judge(Cell& cell, const CrankFigure& figure, Outcome outcome) {
  const bool good = is_good(outcome);
  cell.verdict = good == figure.success ? Verdict::Agree : Verdict::Differ;
  if (cell.verdict == Verdict::Differ) cell.reason = reason_of(figure, good);
}

Series series_of(const Trajectory& trajectory, std::string_view name, std::string label) {
  Series series{.label = std::move(label), .x = trajectory.times};
  const std::size_t column = column_of(trajectory, name);
  for (std::size_t row = 0; row < trajectory.rows(); ++row) series.y.push_back(trajectory.at(row, column));
  return series;
}

Figure picture_of(const CrankFigure& figure, const RunResult& run, const RunResult& truth, const Cell& cell) {
  Figure picture{.name = fmt::format("petzold-{}", figure.number),
                 .title = fmt::format("Example 5.2, {}", figure.formulation),
                 .x_label = "t",
                 .y_label = "θ₁"};
  picture.series.push_back(series_of(run.trajectory, "theta1", fmt::format("{}: {}", cell.row, cell.ours)));
  picture.series.push_back(series_of(truth.trajectory, "q", "in the crank's angle, without constraint"));
  picture.series.back().dashed = true;
  return picture;
}

struct CrankRun {
  const CrankFigure& figure;
  const Start& start;
  bool defaults = false;  // the formulation with our options, not with the paper's
};

RunSetup run_setup(const CrankRun& which) {
  RunSetup setup = setup_of(which.figure.model, which.start);
  setup.formulation = which.figure.formulation;
  if (which.defaults) setup.formulation = setup.formulation.substr(0, setup.formulation.find(':'));
  setup.integrator = which.defaults ? "bdf" : "ida:newton=dassl";
  setup.rtol = setup.atol = which.figure.tolerance;
  return setup;
}

void add_run(Reproduction& into, const CrankRun& which, const KeepGoing& keep_going) {
  const CrankFigure& figure = which.figure;
  const RunSetup setup = run_setup(which);
  Cell cell{.row = fmt::format("{}{}", which.start.name, which.defaults ? ", our defaults" : ""),
            .column = "outcome",
            .paper = std::string(figure.words)};
  into.commands.push_back({.row = cell.row, .command = command_line(setup)});
  const auto truth = perform(truth_setup(which.start), keep_going);
  const auto run = perform(setup, keep_going);
  if (truth && run) {
    const Outcome outcome = outcome_of(*run, *truth, &cell.value);
    cell.ours = describe(outcome, cell.value, *run);
    judge(cell, figure, outcome);
    if (into.figures.empty()) into.figures.push_back(picture_of(figure, *run, *truth, cell));
  } else {
    cell.reason = run ? truth.error() : run.error();
  }
  into.cells.push_back(std::move(cell));
}

// Ten starts from rest and ten that turn over: how often a method gets through says more than one picture.
void add_ensemble(Reproduction& into, const CrankFigure& figure, bool defaults, const KeepGoing& keep_going) {
  constexpr int each = 10;
  int good = 0;
  std::string trouble;
  for (int i = 0; i < 2 * each; ++i) {
    const bool turning = i >= each;
    const double part = static_cast<double>(i % each) / (each - 1);
    const Start start{
        .name = {}, .theta = 0.5 + (0.7 * part), .omega = turning ? 3.9 + part : 0, .until = 10};
    const auto truth = perform(truth_setup(start), keep_going);
    const auto run = perform(run_setup({figure, start, defaults}), keep_going);
    if (!truth || !run) {
      trouble = run ? truth.error() : run.error();
      break;
    }
    double error = 0;
    if (is_good(outcome_of(*run, *truth, &error))) ++good;
  }
  Cell cell{.row = fmt::format("twenty starts{}", defaults ? ", our defaults" : ""),
            .column = "outcome",
            .paper = std::string(figure.words)};
  if (trouble.empty()) {
    cell.value = good;
    cell.ours = fmt::format("{} of {} succeed", good, 2 * each);
    // "Often fails" is some of them; otherwise all of them do as the picture, or it is a difference.
    const bool often = figure.number == "5.6";
    const bool as_drawn = often ? good > 0 && good < 2 * each : good == (figure.success ? 2 * each : 0);
    cell.verdict = as_drawn ? Verdict::Agree : Verdict::Differ;
    cell.how = often ? "some, not all" : "all";
    if (!as_drawn)
      cell.reason =
          "the picture is one run from initial values that the paper does not give; from these twenty "
          "starts some do as it, and some do not";
  } else {
    cell.reason = trouble;
  }
  into.cells.push_back(std::move(cell));
}

}  // namespace

Reproduction reproduce_crank_figure(const StudyTarget& target, const KeepGoing& keep_going) {
  const auto* figure = std::ranges::find(figures, target.number, &CrankFigure::number);
  assert(figure != figures.end());
  Reproduction result;
  for (const bool defaults : {false, true}) {
    if (defaults && target.number != "5.14") break;
    for (const Start& start : starts) add_run(result, {*figure, start, defaults}, keep_going);
    add_ensemble(result, *figure, defaults, keep_going);
  }
  return result;
}

}  // namespace daedalus
