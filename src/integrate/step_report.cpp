#include "integrate/step_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedalus {

double smallest_step(double t, double t_stop) {
  // Near t = 0 much shorter steps than ε times the interval can be told apart, and stiff systems that run for
  // many decades of time begin with such.
  constexpr double kEps = std::numeric_limits<double>::epsilon();
  return 4 * kEps * std::max(std::abs(t), kEps * std::abs(t_stop));
}

StepOutcome step_failure(const StepTrouble& trouble, const std::string& model_trouble) {
  const std::string where =
      fmt::format("at t = {:.9g}, with the step size down to {:.3g},", trouble.t, trouble.h);
  const int component = trouble.newton.component;
  const std::string worst = component < 0 ? "" : fmt::format("; component {} is the worst", component);
  if (trouble.error_test) {
    return {StepStatus::StepTooSmall, fmt::format("{} the local error is still too large{}", where, worst),
            component};
  }
  switch (trouble.newton.status) {
    case NewtonStatus::NotFinite:
      return {StepStatus::NotFinite,
              fmt::format("{} the equations still give a value that is not finite{}", where,
                          model_trouble.empty() ? worst : ": " + model_trouble),
              component};
    case NewtonStatus::Singular: {
      const int row = trouble.newton.row;
      const std::string equation = row < 0 ? "" : fmt::format(", equation {}", row);
      return {StepStatus::SingularMatrix,
              fmt::format("{} the iteration matrix is still singular{}{}", where,
                          component < 0 ? "" : fmt::format(" at component {}", component), equation),
              component};
    }
    case NewtonStatus::Converged:
    case NewtonStatus::Stalled:
    case NewtonStatus::Slow:
      break;
  }
  return {StepStatus::NewtonFailed,
          fmt::format("{} Newton's iteration still does not converge{}", where, worst), component};
}

}  // namespace daedalus
