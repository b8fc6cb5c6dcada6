#include "drive/run_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace daedalus {
namespace {

// What a run has where neither the user nor the model says it: 2000 intervals fill a screen.
constexpr int default_points = 2001;
constexpr double default_rtol = 1e-6;
constexpr double default_atol = 1e-9;
constexpr double most_points = 1e6;  // by a model's own interval, which may be that of a sampled controller
constexpr double default_values = 2e7;  // a model with very many signals gets fewer points by default

}  // namespace

Result<RunSettings> run_settings(const DaeSystem& system, const RunOptions& options) {
  RunSettings settings;
  const Experiment& experiment = system.experiment;
  settings.start = experiment.start_time;
  settings.end = options.until.value_or(experiment.stop_time.value_or(settings.start + 1));
  settings.tolerances.relative = options.rtol.value_or(experiment.tolerance.value_or(default_rtol));
  settings.tolerances.absolute = options.atol.value_or(std::min(default_atol, settings.tolerances.relative));
  if (!std::isfinite(settings.end) || settings.end < settings.start) {
    return fail(
        fmt::format("the end time {:g} lies before the start time {:g}", settings.end, settings.start));
  }
  if (!(settings.tolerances.relative > 0) || !(settings.tolerances.absolute > 0)) {
    return fail(fmt::format("tolerances must be positive, but rtol = {:g} and atol = {:g}",
                            settings.tolerances.relative, settings.tolerances.absolute));
  }
  if (options.step && !(*options.step > 0))
    return fail(fmt::format("the step size must be positive, but is {:g}", *options.step));
  if (options.points) {
    settings.points = *options.points;
  } else if (experiment.interval && *experiment.interval > 0 && !options.until) {
    const double count = std::round((settings.end - settings.start) / *experiment.interval) + 1;
    settings.points = static_cast<int>(std::clamp(count, 2.0, most_points));
  } else {
    const double signals = static_cast<double>(system.variables.size() + system.reported.size() + 1);
    settings.points =
        static_cast<int>(std::clamp(default_values / signals, 2.0, static_cast<double>(default_points)));
  }
  if (settings.points < 2)
    return fail(
        fmt::format("a run has at least 2 output points, its ends; {} were asked for", settings.points));
  return settings;
}

}  // namespace daedalus
