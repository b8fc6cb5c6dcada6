// The values of the stages as text, for --stop-after and for reading along.
#pragma once

#include <span>
#include <string>

#include "consistent/initialise.hpp"
#include "drive/run_plan.hpp"
#include "model/dae_system.hpp"
#include "reform/level_system.hpp"
#include "systems/compiled_model.hpp"

namespace daedalus {

// Variables with their attributes, equations, events: what the model stage made of the text.
[[nodiscard]] std::string system_text(const DaeSystem& system);

// Differentiation counts, blocks, index and degrees of freedom.
[[nodiscard]] std::string structure_text(const LevelSystem& system);

// Every level of every unknown and every equation as often as it is differentiated.
[[nodiscard]] std::string level_system_text(const LevelSystem& system);

// What a run solves and how: what `auto` decided, and why.
[[nodiscard]] std::string plan_text(const RunPlan& plan);

// What the plan's formulation makes of the model: its unknowns and equations. For dummy derivatives, the
// level system.
[[nodiscard]] Result<std::string> reformulated_text(const RunPlan& plan);

// How much work one evaluation is.
[[nodiscard]] std::string compiled_text(std::span<const ProgramSize> programs);

// The explanation, and the value of every level at the start.
[[nodiscard]] std::string initialisation_text(const CompiledModel& model, std::span<const double> environment,
                                              const Initialisation& initialisation);

}  // namespace daedalus
