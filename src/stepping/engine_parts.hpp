// What an Engine is made of: everything that depends on the equations and not on the numbers of a run. It is
// made once and then read by any number of simulations at once.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "consistent/events.hpp"
#include "drive/driver.hpp"
#include "drive/run_plan.hpp"
#include "drive/run_settings.hpp"
#include "record/run_options.hpp"

namespace daedalus {

struct EngineParts {
  std::shared_ptr<const RunPlan> plan;
  // The model with the graph as it was before that was frozen; null: it is not frozen.
  std::shared_ptr<const DaeSystem> spare;
  RunSettings settings;  // of runs whose request gives no others
  RunOptions options;
  std::shared_ptr<const CompiledModel> model;
  // As they were made, before any values: a simulation works on copies.
  std::unique_ptr<const RunDriver> driver;
  std::optional<EventHandler> events;
  Program assertions;
  std::unique_ptr<const CompiledModel> full_model;  // where redundant constraints are left out
  double seconds_structure = 0;
  double seconds_codegen = 0;
};

// Which model and plan an archive belongs to.
void identify(const EngineParts& parts, Archive& archive);

}  // namespace daedalus
