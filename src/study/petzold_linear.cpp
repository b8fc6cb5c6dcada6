// Figures 5.1 to 5.4: a linear problem whose constraint vanishes at t = 0.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "study/petzold.hpp"

namespace daedalus {
namespace {

enum class Seen { PassesOver, Error, NoError };

struct LinearFigure {
  std::string_view number;
  std::string_view formulation;
  Seen seen;
  std::string_view words;  // the paper's
};

constexpr auto figures = std::to_array<LinearFigure>({
    {"5.1", "baumgarte:gamma=1e3", Seen::PassesOver, "works by passing over the singularity"},
    {"5.2", "direct-regularization:eps=1e-6,gamma=1e3", Seen::Error,
     "we can see the effect of the error due to the regularization, at the singularity"},
    {"5.3", "trust-region:eps=1e-6,gamma=1e3", Seen::Error,
     "we can see the effect of the error due to the regularization, at the singularity"},
    {"5.4", "trust-region:eps=1e-9,gamma=1e3", Seen::NoError,
     "we can no longer see the effects of the error due to the regularization"},
});

constexpr double tolerance = 1e-5;
// What the regularisation does is seen when it is a hundred times what the tolerance allows.
constexpr double visible = 100 * tolerance;

RunSetup setup_of(const LinearFigure& figure, bool limited) {
  return {.model = "petzold_linear",
          .formulation = std::string(figure.formulation),
          .integrator = limited ? "bdf:max_step=1e-3" : "bdf",
          .rtol = tolerance,
          .atol = tolerance,
          .points = 2001};
}

double error_of(const Trajectory& trajectory) {
  const std::size_t column = column_of(trajectory, "x");
  double largest = 0;
  for (std::size_t row = 0; row < trajectory.rows(); ++row) {
    largest = std::max(largest, std::abs(trajectory.at(row, column) - (trajectory.times[row] + 1)));
  }
  return largest;
}

void judge(Cell& cell, const LinearFigure& figure, bool limited) {
  const bool seen = cell.value > visible;
  const bool expected = figure.seen == Seen::Error;
  cell.verdict = seen == expected ? Verdict::Agree : Verdict::Differ;
  cell.how = fmt::format("seen when above {:g}", visible);
  if (cell.verdict == Verdict::Agree) return;
  if (!limited && expected) {
    cell.reason =
        "x is a straight line: steps grow without limit and pass over the layer around t = 0, whose width is "
        "ε^(1/2) (direct) or "
        "ε^(1/4) (trust region). With steps of at most 1e-3 it is seen";
  } else if (limited && figure.seen == Seen::NoError) {
    cell.reason =
        "once the layer is resolved, the error of the regularised problem is what it is, 1.9 (ε/γ)^(1/5): "
        "less than with ε = 1e-6, "
        "but more than that of the direct method in Figure 5.2. In a picture of x from 0 to 2 it is hardly "
        "seen, and "
        "steps that pass over the layer, as the paper's may have, do not see it at all";
  }
}

Series series_of(const Trajectory& trajectory, std::string label) {
  Series series{.label = std::move(label), .x = trajectory.times};
  const std::size_t column = column_of(trajectory, "x");
  for (std::size_t row = 0; row < trajectory.rows(); ++row) {
    series.y.push_back(std::abs(trajectory.at(row, column) - (trajectory.times[row] + 1)));
  }
  return series;
}

}  // namespace

Reproduction reproduce_linear_figure(const StudyTarget& target, const KeepGoing& keep_going) {
  const auto* figure = std::ranges::find(figures, target.number, &LinearFigure::number);
  assert(figure != figures.end());
  Reproduction result;
  Figure picture{.name = fmt::format("petzold-{}", target.number),
                 .title = fmt::format("Example 5.1, {}: error of x", figure->formulation),
                 .x_label = "t",
                 .y_label = "|x - (t + 1)|",
                 .log_y = true};
  for (const bool limited : {false, true}) {
    const RunSetup setup = setup_of(*figure, limited);
    const std::string label = limited ? "h ≤ 1e-3" : "h free";
    result.commands.push_back({.row = label, .command = command_line(setup)});
    Cell cell{.row = label, .column = "largest error of x", .paper = std::string(figure->words)};
    const auto run = perform(setup, keep_going);
    if (run && run->ok()) {
      cell.value = error_of(run->trajectory);
      cell.ours = fmt::format("{:.1e} in {} steps", cell.value, run->summary.counters.steps);
      judge(cell, *figure, limited);
      picture.series.push_back(series_of(run->trajectory, label));
    } else {
      cell.reason = run ? run->summary.reason : run.error();
    }
    result.cells.push_back(std::move(cell));
  }
  if (!picture.series.empty()) result.figures.push_back(std::move(picture));
  return result;
}

}  // namespace daedalus
