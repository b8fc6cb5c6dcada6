#include "study/compare_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <exception>
#include <thread>

#include "simulate/run.hpp"

namespace daedalus {
namespace {

constexpr double far_away = 0.1;          // of a signal's range: no longer the same motion
constexpr std::size_t most_points = 501;  // of a curve

// Processor time of this thread: it does not count the time that others take on a busy machine.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + (1e-9 * static_cast<double>(now.tv_nsec));
}

std::string messages_of(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity != Severity::Error) continue;
    text += fmt::format("{}{}", text.empty() ? "" : "; ", diagnostic.message);
  }
  return text;
}

RowOutcome simulate_row(const ModelSource& model, const RowPlan& plan, const CompareSettings& settings,
                        ProgressHub& hub) {
  RowOutcome outcome;
  const auto system = model.load(plan.formulation);
  if (!system) return {.status = RowStatus::Refused, .reason = messages_of(system.error())};
  const double begin = thread_seconds();
  const std::string name = plan.formulation.to_text();
  bool given_up = false;
  RunOptions options{.until = settings.until,
                     .rtol = plan.rtol,
                     .atol = settings.atol,
                     .step = plan.step,
                     .points = settings.points,
                     .formulation = plan.formulation,
                     .integrator = plan.integrator};
  options.progress = [&](const Progress& progress) {
    const double length = progress.t_end - progress.t_start;
    given_up = settings.limit > 0 && thread_seconds() - begin > settings.limit;
    return hub.report(name, length > 0 ? (progress.t - progress.t_start) / length : 1) && !given_up;
  };
  auto run = simulate(*system, options);
  outcome.seconds = thread_seconds() - begin;
  if (!run) {
    outcome.status = RowStatus::Refused;
    outcome.reason = messages_of(run.error());
    return outcome;
  }
  outcome.result = *std::move(run);
  const Summary& summary = outcome.result.summary;
  outcome.reason = summary.reason;
  if (given_up) {
    outcome.status = RowStatus::Failed;
    outcome.reason =
        fmt::format("given up after {:g} s of processor time, at t = {:.6g}", settings.limit, summary.t_end);
  } else if (summary.status == "ok") {
    outcome.status = RowStatus::Ok;
  } else {
    outcome.status = hub.stopped() ? RowStatus::Interrupted : RowStatus::Failed;
  }
  return outcome;
}

// Rows of a curve: about `most_points` stretches of a trajectory.
std::size_t stride_of(std::size_t rows) {
  return std::max<std::size_t>(1, (rows + most_points - 1) / most_points);
}

// The largest of each stretch, so that no peak is lost. NaN counts for nothing unless there is nothing else.
std::vector<double> envelope(const std::vector<double>& values) {
  const std::size_t stride = stride_of(values.size());
  std::vector<double> out;
  for (std::size_t begin = 0; begin < values.size(); begin += stride) {
    double largest = values[begin];
    for (std::size_t k = begin + 1; k < std::min(values.size(), begin + stride); ++k)
      largest = std::fmax(largest, values[k]);
    out.push_back(largest);
  }
  return out;
}

double largest_of(const std::vector<double>& values) {
  double largest = no_number;
  for (const double value : values) largest = std::fmax(largest, value);
  return largest;
}

std::string label_of(const Selection& asked, const Selection& chosen) {
  return asked.name() == "auto" && !chosen.name().empty() ? chosen.name() : asked.to_text();
}

void measure_error(const MeasureSettings& settings, const Trajectory& trajectory, CompareRow& row) {
  if (settings.motion == nullptr) return;
  const auto motion = settings.motion->of(trajectory);
  if (settings.curves) row.curves.error = envelope(motion.over_time);
  // Of a run that ended early there is a curve, but no number that could be taken for a result.
  if (!row.ran() || motion.points == 0) return;
  if (!settings.motion->empty()) {
    row.error = motion.error;
    row.worst = motion.worst;
    row.worst_time = motion.worst_time;
  }
  if (settings.multipliers != nullptr && !settings.multipliers->empty())
    row.multiplier_error = settings.multipliers->of(trajectory).error;
  if (row.error > far_away) {
    row.status = RowStatus::Differs;
    row.reason =
        fmt::format("{} is as far as {:.2g} of its range from the reference, at t = {:.6g}{}{}", row.worst,
                    row.error, row.worst_time, row.reason.empty() ? "" : "; ", row.reason);
  }
}

void measure_drift(const MeasureSettings& settings, const RunResult& result, CompareRow& row) {
  const auto& levels = result.summary.drift.levels;
  if (!levels.empty()) row.position_drift = levels[0];
  if (levels.size() > 1) row.velocity_drift = levels[1];
  const auto& curves = result.trajectory.drift;
  if (settings.curves && !curves.empty()) row.curves.position_drift = envelope(curves[0]);
  if (settings.curves && curves.size() > 1) row.curves.velocity_drift = envelope(curves[1]);
  const std::size_t energy = find_signal(result.trajectory, settings.energy);
  if (settings.energy.empty() || energy >= result.trajectory.signals.size()) return;
  const std::vector<double> drift = departure(result.trajectory, energy);
  row.energy_drift = largest_of(drift);
  if (settings.curves) row.curves.energy_drift = envelope(drift);
}

}  // namespace

bool ProgressHub::report(const std::string& running, double part) {
  if (stopped_) return false;
  if (!options_.progress) return true;
  // Whoever finds another one at it goes on with its own work.
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock() || Clock::now() < next_) return true;
  next_ = Clock::now() + std::chrono::milliseconds(50);
  if (!options_.progress({.done = done_, .total = total_, .running = running, .part = part})) stopped_ = true;
  return !stopped_;
}

RowOutcome run_row(const ModelSource& model, const RowPlan& plan, const CompareSettings& settings,
                   ProgressHub& hub) {
  if (hub.stopped()) return {.reason = "interrupted before it began"};
  try {
    return simulate_row(model, plan, settings, hub);
  } catch (const std::bad_alloc&) {
    return {.status = RowStatus::Failed, .reason = "out of memory"};
  } catch (const std::exception& error) {
    return {.status = RowStatus::Failed, .reason = fmt::format("internal error: {}", error.what())};
  }
}

RowCurves signal_curves(const Trajectory& trajectory, const std::vector<std::string>& plotted) {
  RowCurves curves;
  const std::size_t stride = stride_of(trajectory.rows());
  for (std::size_t row = 0; row < trajectory.rows(); row += stride)
    curves.times.push_back(trajectory.times[row]);
  for (const std::string& name : plotted) {
    auto& values = curves.signals.emplace_back();
    const std::size_t column = find_signal(trajectory, name);
    if (column >= trajectory.signals.size()) continue;
    for (std::size_t row = 0; row < trajectory.rows(); row += stride)
      values.push_back(trajectory.at(row, column));
  }
  return curves;
}

CompareRow measure_row(const RowPlan& plan, const RowOutcome& outcome, const MeasureSettings& settings) {
  const Summary& summary = outcome.result.summary;
  const Trajectory& trajectory = outcome.result.trajectory;
  CompareRow row{.formulation = label_of(plan.formulation, summary.formulation),
                 .integrator = label_of(plan.integrator, summary.integrator),
                 .rtol = plan.rtol,
                 .step = plan.step,
                 .status = outcome.status,
                 .reason = outcome.reason,
                 .t_end = summary.t_end,
                 .counters = summary.counters,
                 .rank_changes = static_cast<long>(summary.rank_changes.size()),
                 .pivots = summary.pivot_count,
                 .seconds = outcome.seconds};
  if (outcome.status == RowStatus::Refused || trajectory.rows() == 0) return row;
  row.resolved = fmt::format("--formulation {} --integrator {}", summary.formulation.to_text(),
                             summary.integrator.to_text());
  if (settings.curves) row.curves = signal_curves(trajectory, settings.plotted);
  measure_error(settings, trajectory, row);
  measure_drift(settings, outcome.result, row);
  return row;
}

void run_parallel(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& task) {
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t k = next++; k < count; k = next++) task(k);
  };
  std::vector<std::jthread> others;
  for (std::size_t k = 1; k < std::min<std::size_t>(threads, count); ++k) others.emplace_back(work);
  work();
}

}  // namespace daedalus
