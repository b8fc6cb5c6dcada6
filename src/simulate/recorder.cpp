#include "simulate/recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedalus {
namespace {

// Residuals beyond so many tolerances are no matter of accuracy any more.
constexpr double beyond_tolerance = 100;
// Errors of the arithmetic itself: a few hundred roundings, that many operations each step has at least.
constexpr double least_rtol = 1e-13;
// Of the highest derivatives of constraints: multipliers and accelerations follow from them, and where they
// let go, by feedback of what is violated below, multipliers are off by several times as much.
constexpr double beyond_tolerance_at_top = 5;

}  // namespace

double Recorder::parameter_value(NodeId value, std::span<const double> environment) const {
  const DaeSystem& dae = model_.dae();
  return evaluate(*dae.graph, value, [&](NodeId leaf) {
    const int slot = model_.slot(leaf);
    return slot >= 0 ? environment[static_cast<std::size_t>(slot)] : value_at_starts(dae, leaf);
  });
}

Recorder::Recorder(const CompiledModel& model, const Program& assertions, std::span<const double> environment,
                   const RunSettings& settings)
    : model_(model),
      check_(model, settings.tolerances),
      rtol_(settings.tolerances.relative),
      t_start_(settings.start),
      t_end_(settings.end),
      points_(settings.points),
      assertions_(assertions) {
  for (const OutputSignal& signal : model.output_signals) {
    trajectory_.signals.push_back({.name = signal.name,
                                   .unit = signal.unit,
                                   .description = signal.description,
                                   .discrete = signal.discrete});
  }
  for (const ReportedValue& reported : model.dae().reported) {
    if (!reported.parameter) continue;
    const double value = parameter_value(reported.value, environment);
    if (!std::isfinite(value)) continue;
    trajectory_.parameters.push_back({.signal = {.name = reported.attributes.name,
                                                 .unit = reported.attributes.unit,
                                                 .description = reported.attributes.description,
                                                 .discrete = false},
                                      .value = value});
  }
  trajectory_.times.reserve(static_cast<std::size_t>(points_));
  trajectory_.values.reserve(static_cast<std::size_t>(points_) * trajectory_.signals.size());
  row_.resize(trajectory_.signals.size());
  std::vector<std::vector<int>> by_level;
  for (std::size_t k = 0; k < model.levels().equations.size(); ++k) {
    const LevelEquation& equation = model.levels().equations[k];
    if (model.levels().plan.c[static_cast<std::size_t>(equation.equation)] == 0) continue;
    const std::size_t level = level_of(static_cast<int>(k));
    if (by_level.size() <= level) by_level.resize(level + 1);
    by_level[level].push_back(static_cast<int>(k));
  }
  for (const std::vector<int>& rows : by_level) {
    constraint_rows_.insert(constraint_rows_.end(), rows.begin(), rows.end());
    level_end_.push_back(constraint_rows_.size());
  }
  drift_.levels.assign(by_level.size(), 0);
  worst_row_.assign(by_level.size(), -1);
  trajectory_.drift.resize(by_level.size());
  for (std::vector<double>& level : trajectory_.drift) level.reserve(static_cast<std::size_t>(points_));
  next_ = time_of(0);
  warned_.assign(model.dae().assertions.size(), false);
  truths_.resize(model.dae().assertions.size());
}

std::size_t Recorder::level_of(int row) const {
  const LevelSystem& levels = model_.levels();
  return static_cast<std::size_t>(levels.constraint_level(levels.equations[static_cast<std::size_t>(row)]));
}

double Recorder::time_of(int point) const {
  if (point >= points_) return std::numeric_limits<double>::infinity();
  if (point == points_ - 1) return t_end_;
  return t_start_ + ((t_end_ - t_start_) * point / (points_ - 1));
}

void Recorder::record(std::span<const double> environment) {
  write(next_, environment);
  next_ = time_of(++written_);
}

bool Recorder::record_end(double t, std::span<const double> environment) {
  if (!trajectory_.times.empty() && !(t > trajectory_.times.back())) return false;
  write(t, environment);
  return true;
}

void Recorder::append_signals(std::span<const double> environment, std::vector<double>& rows) {
  model_.outputs.evaluate(environment, row_, workspace_);
  rows.insert(rows.end(), row_.begin(), row_.end());
  if (further_row_.empty()) return;
  further_(environment[static_cast<std::size_t>(model_.layout().time)], further_row_);
  rows.insert(rows.end(), further_row_.begin(), further_row_.end());
}

void Recorder::add_columns(std::span<const Signal> signals, Further further) {
  trajectory_.signals.insert(trajectory_.signals.end(), signals.begin(), signals.end());
  further_row_.resize(signals.size());
  further_ = std::move(further);
}

void Recorder::write(double t, std::span<const double> environment) {
  append_signals(environment, trajectory_.values);
  trajectory_.times.push_back(t);
  measure_drift(environment);
}

void Recorder::measure_drift(std::span<const double> environment) {
  check_.see(environment);
  const double* const residuals = check_.residuals().data();
  const int* row = constraint_rows_.data();
  for (std::size_t level = 0; level < level_end_.size(); ++level) {
    double largest = 0;
    for (const int* const end = constraint_rows_.data() + level_end_[level]; row != end; ++row) {
      const double size = std::abs(residuals[*row]);
      if (size > largest) largest = size;
    }
    trajectory_.drift[level].push_back(largest);
    if (largest > drift_.levels[level]) note_drift(level, largest, residuals, 1);
  }
}

// A new largest one. `residuals`: of one point, so far apart.
void Recorder::note_drift(std::size_t level, double largest, const double* residuals, std::size_t stride) {
  drift_.levels[level] = largest;
  const auto rows = constraint_rows_.begin();
  const auto first = rows + static_cast<std::ptrdiff_t>(level == 0 ? 0 : level_end_[level - 1]);
  const auto last = rows + static_cast<std::ptrdiff_t>(level_end_[level]);
  worst_row_[level] = *std::find_if(first, last, [&](int row) {
    return std::abs(residuals[static_cast<std::size_t>(row) * stride]) == largest;
  });
}

bool Recorder::nearly_holds(std::span<const double> environment) {
  return check_.holds(environment, beyond_tolerance);
}

std::string Recorder::equation_name(int row) const {
  return row < 0 ? ""
                 : model_.levels().equation_name(model_.levels().equations[static_cast<std::size_t>(row)]);
}

// Equations that did not hold at output points: of the worst of each kind one sentence.
void Recorder::add_warnings(Summary& summary) const {
  const Drift& drift = summary.drift;
  if (rtol_ < least_rtol)
    summary.warnings.push_back(fmt::format(
        "rtol = {:.3g} is less than double precision can keep: results are as good as at {:.0e}, at best",
        rtol_, least_rtol));
  const auto off = [](double in_tolerances, const std::string& equation) {
    return fmt::format("{} is violated by up to {:.2g} times what rtol and atol allow", equation,
                       in_tolerances);
  };
  for (std::size_t level = 0; level < drift.in_tolerances.size(); ++level) {
    const bool top = level > 0 && level + 1 == drift.in_tolerances.size();
    if (!(drift.in_tolerances[level] > (top ? beyond_tolerance_at_top : beyond_tolerance))) continue;
    summary.warnings.push_back(
        fmt::format("{}{}: formulation {} lets it drift, or its steps are too long; use another one, or "
                    "shorter steps",
                    off(drift.in_tolerances[level], drift.farthest[level]),
                    top ? ", and multipliers by more" : "", summary.formulation.name()));
    return;  // one level follows from the other
  }
  if (drift.others > beyond_tolerance)
    summary.warnings.push_back(fmt::format("between the steps {}", off(drift.others, drift.worst_other)));
}

std::string Recorder::check_assertions(std::span<const double> environment,
                                       std::vector<std::string>& warnings) {
  if (truths_.empty()) return {};
  assertions_.evaluate(environment, truths_, truth_workspace_);
  for (std::size_t k = 0; k < truths_.size(); ++k) {
    if (truths_[k] != 0) continue;
    const Assertion& assertion = model_.dae().assertions[k];
    const std::string place =
        assertion.span.valid() ? fmt::format(" ({})", model_.dae().sources->place(assertion.span)) : "";
    const double t = environment[static_cast<std::size_t>(model_.layout().time)];
    const std::string text =
        fmt::format("assertion failed at t = {:.10g}: {}{}", t, assertion.message, place);
    if (assertion.is_error) return text;
    if (!warned_[k]) warnings.push_back(text);
    warned_[k] = true;
  }
  return {};
}

void Recorder::finish(RunResult& result) {
  const std::size_t columns = trajectory_.signals.size();
  for (std::size_t c = 0; c < columns && trajectory_.rows() > 0; ++c) {
    result.summary.final_values.emplace_back(trajectory_.signals[c].name,
                                             trajectory_.at(trajectory_.rows() - 1, c));
  }
  for (const int row : worst_row_) drift_.worst.push_back(equation_name(row));
  std::vector<int> farthest(drift_.levels.size(), -1);
  int other = -1;
  drift_.in_tolerances.assign(drift_.levels.size(), 0);
  const std::span<const double> sizes = check_.in_tolerances();
  std::vector<int> level_of_row(sizes.size(), -1);  // -1: no constraint
  std::size_t k = 0;
  for (std::size_t level = 0; level < level_end_.size(); ++level) {
    for (; k < level_end_[level]; ++k)
      level_of_row[static_cast<std::size_t>(constraint_rows_[k])] = static_cast<int>(level);
  }
  for (std::size_t row = 0; row < sizes.size(); ++row) {
    const int level = level_of_row[row];
    double& largest = level < 0 ? drift_.others : drift_.in_tolerances[static_cast<std::size_t>(level)];
    if (!(sizes[row] > largest)) continue;
    largest = sizes[row];
    (level < 0 ? other : farthest[static_cast<std::size_t>(level)]) = static_cast<int>(row);
  }
  for (const int row : farthest) drift_.farthest.push_back(equation_name(row));
  drift_.worst_other = equation_name(other);
  result.summary.drift = std::move(drift_);
  add_warnings(result.summary);
  result.trajectory = std::move(trajectory_);
}

}  // namespace daedalus
