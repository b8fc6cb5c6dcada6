// Unknowns that stay so small that the absolute tolerance decides their errors, and of which nobody said how
// large they are: charges of 1e-12 C are not known to rtol where 1e-9 is allowed.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "integrate/integrator.hpp"
#include "model/dae_system.hpp"
#include "systems/compiled_model.hpp"

namespace daedalus {

struct SmallUnknown {
  std::string name;
  double size = 0;     // a power of ten
  bool given = false;  // it has a start value, which is not 0
};

// `sizes`: by level, the largest values of a run.
[[nodiscard]] std::vector<SmallUnknown> small_unknowns(const CompiledModel& model,
                                                       std::span<const double> sizes,
                                                       const Tolerances& tolerances);

// The model with nominal values for them.
[[nodiscard]] DaeSystem with_nominal_values(const DaeSystem& system, std::span<const SmallUnknown> small);

}  // namespace daedalus
