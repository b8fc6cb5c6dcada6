// Failures of a step as sentences, the same words in every method.
#pragma once

#include "integrate/corrector.hpp"
#include "integrate/integrator.hpp"

namespace daedalus {

// The smallest step that can be told from zero at t on the way to t_stop.
[[nodiscard]] double smallest_step(double t, double t_stop);

struct StepTrouble {
  double t = 0;  // the last accepted time
  double h = 0;  // the step that was too small
  NewtonOutcome newton;
  bool error_test = false;  // Newton had converged, the error test failed
};

// `model_trouble`: what the model says of a value that is not finite.
[[nodiscard]] StepOutcome step_failure(const StepTrouble& trouble, const std::string& model_trouble);

}  // namespace daedalus
