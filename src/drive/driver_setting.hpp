// What a driver is made from.
#pragma once

#include "drive/run_plan.hpp"

namespace daedalus {

// Model and plan outlive the driver and its copies.
struct DriverSetting {
  const CompiledModel& model;
  const RunPlan& plan;
  Tolerances tolerances;
};

}  // namespace daedalus
