#include "ensemble/stepping_settings.hpp"

#include <algorithm>
#include <limits>

namespace daedalus {
namespace {

// Of the local error, as in integrate/explicit_runge_kutta.cpp: errors of a long run add up.
constexpr double local_part = 0.35;
// More attempts than any run needs that is not stiff: the scalar engine looks after it then.
constexpr double most_steps = 100'000;

}  // namespace

EnsembleSettings stepping_settings(const TrajectoryKernel& kernel, const RunSettings& settings) {
  const ErkTableau& tableau = *kernel.tableau;
  const double least = 10 * std::numeric_limits<double>::epsilon();
  const double part = std::max(local_part, std::min(1.0, least / settings.tolerances.relative));
  const double order = tableau.order;
  return {.relative = part * settings.tolerances.relative,
          .absolute = part * settings.tolerances.absolute,
          .start = settings.start,
          .end = settings.end,
          .longest_step = kernel.longest_step > 0 ? kernel.longest_step : settings.end - settings.start,
          .most_steps = most_steps,
          .exponent = -((1.0 / order) - (0.75 * tableau.beta)),
          .beta = tableau.beta,
          .min_factor = tableau.min_factor,
          .max_factor = tableau.max_factor,
          .order = order,
          .coarse = tableau.coarse_error.empty() ? 0 : 1,
          .largest_error = kernel.largest_error ? 1 : 0};
}

}  // namespace daedalus
