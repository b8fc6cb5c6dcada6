// x' = A x + B u, y = C x + D u around a point of a simulation, on the manifold of all constraints: the
// states x are as many of the model's own unknowns as it has degrees of freedom, whatever its index.
// Relations and discrete variables stay as they are, and so does time.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/modes.hpp"
#include "simulate/engine.hpp"
#include "systems/compiled_model.hpp"

namespace daedalus {

struct LinearisationOptions {
  std::vector<std::string> inputs;   // none: all inputs of the model
  std::vector<std::string> outputs;  // none: the states
};

struct Linearisation {
  double t = 0;
  std::vector<std::string> states, inputs, outputs;
  std::vector<double> state_values, input_values, output_values;
  DenseMatrix a, b, c, d;
  std::vector<Mode> modes;
  int redundant = 0;               // constraints that say nothing new
  std::vector<std::string> notes;  // what the user should know
};

// At these values, by the slots of the model's layout: consistent ones.
[[nodiscard]] Result<Linearisation> linearise_at(const CompiledModel& model,
                                                 std::span<const double> environment,
                                                 const LinearisationOptions& options = {});
// `simulation` was started by `engine` and stands where the model is to be linearised. Unknown names,
// derivatives without a value and inputs that constraints hold are errors.
[[nodiscard]] Result<Linearisation> linearise(const Engine& engine, Simulation& simulation,
                                              const LinearisationOptions& options = {});

}  // namespace daedalus
