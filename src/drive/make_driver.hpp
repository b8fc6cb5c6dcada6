#pragma once

#include "drive/driver.hpp"
#include "drive/run_plan.hpp"

namespace daedalus {

struct DriverSetting {
  const CompiledModel& model;
  std::vector<double>& environment;
  const RunPlan& choice;
  Tolerances tolerances;
};

// The driver of the chosen formulation. Lengthens the environment by what it needs; options that do not fit
// the model are an error.
[[nodiscard]] Result<std::unique_ptr<RunDriver>> make_driver(const DriverSetting& setting);

}  // namespace daedalus
