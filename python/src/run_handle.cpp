#include "run_handle.hpp"

#include <chrono>

#include "advise/check.hpp"
#include "reform/level_system.hpp"
#include "results/check_report.hpp"

namespace daedalus::python {

std::optional<Explained> run_source(const SystemSource& source, const Settings& settings,
                                    const RunOptions& options, RunHandle& run) {
  const auto began = std::chrono::steady_clock::now();
  Made made = source.make(settings, true);
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
  Made reduced = source.make(settings, true);
  if (!reduced.system) return explained(source, settings, {reduced.sources, reduced.system.error()});
  const Made written = source.make(settings, false);
  if (!written.system) return Explained{written.sources, written.system.error()};
  auto report = check(*written.system, *reduced.system);
  if (!report) return Explained{reduced.sources, report.error()};
  if (const auto count = source.mobility()) {
    report->mechanism = CheckedMechanism{.bodies = count->bodies,
                                         .joints = count->joints,
                                         .freedoms = count->freedoms,
                                         .conditions = count->conditions,
                                         .parts = count->parts};
  }
  json = check_json(*report);
  text = check_text(*report);
  return std::nullopt;
}

}  // namespace daedalus::python
