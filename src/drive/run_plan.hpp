// What a run solves and how: names looked up, options resolved, `auto` decided, and the system made that the
// formulation works on.
#pragma once

#include <memory>

#include "constraints/independent.hpp"
#include "drive/run_settings.hpp"
#include "integrate/integrator.hpp"
#include "reform/formulation.hpp"
#include "systems/compiled_model.hpp"

namespace daedalus {

// It has a graph of its own, which grows while it is compiled: a plan can be moved, not copied, and compile()
// takes it over.
struct RunPlan {
  RunPlan() = default;
  RunPlan(const RunPlan&) = delete;
  RunPlan& operator=(const RunPlan&) = delete;
  RunPlan(RunPlan&&) noexcept = default;
  RunPlan& operator=(RunPlan&&) noexcept = default;
  ~RunPlan() = default;

  std::shared_ptr<const DaeSystem> system;  // the model, with that graph
  RunOptions options;                       // what was asked for
  RunSettings settings;                     // from when to when, how exactly, with how many points
  Selection formulation;                    // as asked for or chosen, options resolved
  Selection integrator;                     // likewise
  const FormulationRow* row = nullptr;      // what drives the run: behind a wrapper, the one within it
  Selection row_options;                    // of that row
  const IntegratorRow* integrator_row = nullptr;
  std::string why;                            // empty when nothing was left to auto
  std::shared_ptr<const LevelSystem> levels;  // the derivative array: of the whole model, or of the form
  // Compiled from `levels` already; null: not yet.
  std::shared_ptr<const CompiledModel> model;
  std::shared_ptr<const ConstrainedForm> form;     // null where the model has not the form, or none is needed
  std::shared_ptr<const ConstrainedForm> wrapped;  // behind singular-mass: the form as it was
  // Redundant constraints are left out of `levels`: which, and the form with all of them.
  std::shared_ptr<const IndependentSystem> independent;
  std::shared_ptr<const ConstrainedForm> full_form;
  // auto: if the constraints lose rank on the way, the run begins anew with this formulation; empty: it goes
  // on.
  std::string fallback;
  bool soft = true;  // explicit runs pass points where constraints lose rank with regularised multipliers
  // auto: if an explicit integrator finds the equations stiff, this one goes on.
  const IntegratorRow* stiff_row = nullptr;
  // auto: if an implicit run of a formulation that was named ends where constraints lose rank, it begins anew
  // with this integrator.
  const IntegratorRow* passing_row = nullptr;
  // auto: where Newton's iteration or the error control of the integrator gives up, the run begins anew with
  // this one.
  const IntegratorRow* other_row = nullptr;
  double seconds = 0;  // that it took to make
};

// radau's name and options where auto takes it. Higher orders pay at small tolerances: at 1 the stiff chain
// of 100 rods takes order 5 three quarters of the time of variable order, at 1e-3 the other way round.
[[nodiscard]] Selection stiff_integrator(const IntegratorRow& row, double rtol);

}  // namespace daedalus
