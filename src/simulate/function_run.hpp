// A run of F(t, y, y') = 0 that is a function and no model: no index reduction, no exact derivatives. For
// equations of index 1 and for ordinary differential equations.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "simulate/run.hpp"
#include "systems/differenced_system.hpp"

namespace daedalus {

struct FunctionProblem {
  ResidualFunction function;
  JacobianFunction jacobian = {};  // empty: by differences
  double t_start = 0;
  double t_end = 1;
  std::vector<double> y;   // guesses: values that do not fit are moved as little as the equations allow,
  std::vector<double> yp;  // what only the rates' equations determine in the rates
  Tolerances tolerances;
  Selection integrator{"radau"};
  std::optional<double> step;  // of fixed-step methods
  std::function<bool(const Progress&)> progress;
  // The signals "y[0]", "y[1]", … step by step, written before `progress` is called.
  std::shared_ptr<DenseOutput> course = std::make_shared<DenseOutput>();
};

struct FunctionResult {
  std::string failure;    // empty: came to the end
  double t = 0;           // where it ended
  std::vector<double> y;  // consistent values at the start
  Counters counters;
  long calls = 0;  // of the function, those for differences included
};

// Wrong input (an integrator that does not apply, an index above 1 at the start) comes back as Diagnostics.
[[nodiscard]] Result<FunctionResult> run_function(const FunctionProblem& problem);

}  // namespace daedalus
