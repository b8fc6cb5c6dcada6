#include "simulate/horizon.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace daedalus {
namespace {

constexpr int default_points = 2001;
constexpr double default_values = 2e7;  // a model with very many signals gets fewer points by default

}  // namespace

Result<Horizon> horizon_of(const DaeSystem& system, const RunOptions& options) {
  Horizon horizon;
  const Experiment& experiment = system.experiment;
  horizon.start = experiment.start_time;
  horizon.end = options.until.value_or(experiment.stop_time.value_or(horizon.start + 1));
  horizon.tolerances.relative = options.rtol.value_or(experiment.tolerance.value_or(1e-6));
  horizon.tolerances.absolute = options.atol.value_or(std::min(1e-9, horizon.tolerances.relative));
  if (!std::isfinite(horizon.end) || horizon.end < horizon.start) {
    return fail(fmt::format("the end time {:g} lies before the start time {:g}", horizon.end, horizon.start));
  }
  if (!(horizon.tolerances.relative > 0) || !(horizon.tolerances.absolute > 0)) {
    return fail(fmt::format("tolerances must be positive, but rtol = {:g} and atol = {:g}",
                            horizon.tolerances.relative, horizon.tolerances.absolute));
  }
  if (options.step && !(*options.step > 0))
    return fail(fmt::format("the step size must be positive, but is {:g}", *options.step));
  if (options.points) {
    horizon.points = *options.points;
  } else if (experiment.interval && *experiment.interval > 0 && !options.until) {
    const double count = std::round((horizon.end - horizon.start) / *experiment.interval) + 1;
    horizon.points = static_cast<int>(std::clamp(count, 2.0, 1e6));
  } else {
    const double signals = static_cast<double>(system.variables.size() + system.reported.size() + 1);
    horizon.points =
        static_cast<int>(std::clamp(default_values / signals, 2.0, static_cast<double>(default_points)));
  }
  if (horizon.points < 2)
    return fail(
        fmt::format("a run has at least 2 output points, its ends; {} were asked for", horizon.points));
  return horizon;
}

}  // namespace daedalus
