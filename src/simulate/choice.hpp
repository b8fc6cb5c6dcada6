// What --formulation and --integrator mean for a model: names looked up, options resolved, auto decided.
#pragma once

#include "integrate/integrator.hpp"
#include "reform/formulation.hpp"
#include "simulate/run.hpp"

namespace daedalus {

struct Choice {
  Selection formulation;
  Selection integrator;
  const IntegratorRow* integrator_row = nullptr;
  std::string why;  // empty when nothing was left to auto
};

// `unknowns`: of the level system, by which auto chooses the integrator.
[[nodiscard]] Result<Choice> choose(const RunOptions& options, int unknowns);

}  // namespace daedalus
