#include "run_handle.hpp"

#include <algorithm>
#include <chrono>

#include "advise/check.hpp"
#include "advise/plan.hpp"
#include "reform/level_system.hpp"
#include "results/check_report.hpp"

namespace daedalus::python {

Made make_for(const SystemSource& source, const Settings& settings, const RunOptions& options,
              std::optional<double> start, const Names& free) {
  std::shared_ptr<SourceMap> sources;
  auto system = load_for(options.formulation, [&](bool keep_constraints) {
    Made made = source.make(settings, {.keep_constraints = keep_constraints, .free = free});
    sources = std::move(made.sources);
    return std::move(made.system);
  });
  if (system && start) system->experiment.start_time = *start;
  return {std::move(sources), std::move(system)};
}

RunHandle at_times(const RunHandle& run, std::span<const double> times) {
  RunHandle out{.result = {}, .dense = run.dense};
  out.result.summary = run.result.summary;
  Trajectory& trajectory = out.result.trajectory;
  trajectory.signals = run.dense->signals();
  trajectory.parameters = run.result.trajectory.parameters;
  trajectory.times.assign(times.begin(), times.end());
  const std::size_t width = trajectory.signals.size();
  trajectory.values.resize(times.size() * width);
  for (std::size_t k = 0; k < times.size(); ++k)
    run.dense->evaluate(std::clamp(times[k], run.dense->t_begin(), run.dense->t_end()),
                        std::span(trajectory.values).subspan(k * width, width));
  return out;
}

std::optional<Explained> run_source(const SystemSource& source, const Settings& settings,
                                    const RunOptions& options, std::optional<double> start, RunHandle& run) {
  const auto began = std::chrono::steady_clock::now();
  Made made = make_for(source, settings, options, start);
  if (!made.system) return explained(source, settings, {made.sources, made.system.error()});
  const std::chrono::duration<double> parse = std::chrono::steady_clock::now() - began;
  auto result = simulate(*made.system, options);
  if (!result) {
    Explained errors{made.sources, result.error()};
    return structural_errors(*made.system).empty() ? errors : explained(source, settings, std::move(errors));
  }
  run.result = *std::move(result);
  auto& seconds = run.result.summary.seconds;
  seconds.insert(seconds.begin(), {"parse", parse.count()});
  return std::nullopt;
}

std::optional<Explained> check_source_to(const SystemSource& source, const Settings& settings,
                                         std::string& json, std::string& text) {
  Made reduced = source.make(settings, {});
  if (!reduced.system) return explained(source, settings, {reduced.sources, reduced.system.error()});
  const Made written = source.make(settings, {.remove_aliases = false});
  if (!written.system) return Explained{written.sources, written.system.error()};
  auto report = check(*written.system, *reduced.system);
  if (!report) return Explained{reduced.sources, report.error()};
  if (const auto count = source.mobility()) {
    report->mechanism = CheckedMechanism{.bodies = count->bodies,
                                         .joints = count->joints,
                                         .freedoms = count->freedoms,
                                         .conditions = count->conditions,
                                         .parts = count->parts,
                                         .settable = source.settable()};
  }
  json = check_json(*report);
  text = check_text(*report);
  return std::nullopt;
}

}  // namespace daedalus::python
