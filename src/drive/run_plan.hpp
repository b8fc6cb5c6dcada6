// What a run solves and how: names looked up, options resolved, `auto` decided, and the system made that the
// formulation works on.
#pragma once

#include <memory>

#include "constraints/independent.hpp"
#include "integrate/integrator.hpp"
#include "reform/formulation.hpp"

namespace daedalus {

struct RunPlan {
  Selection formulation;                // as asked for or chosen, options resolved
  Selection integrator;                 // likewise
  const FormulationRow* row = nullptr;  // what drives the run: behind a wrapper, the one within it
  Selection row_options;                // of that row
  const IntegratorRow* integrator_row = nullptr;
  std::string why;                                 // empty when nothing was left to auto
  LevelSystem levels;                              // the derivative array: of the whole model, or of the form
  std::shared_ptr<const ConstrainedForm> form;     // null where the model has not the form, or none is needed
  std::shared_ptr<const ConstrainedForm> wrapped;  // behind singular-mass: the form as it was
  // Redundant constraints are left out of `levels`: which, and the form with all of them.
  std::shared_ptr<const IndependentSystem> independent;
  std::shared_ptr<const ConstrainedForm> full_form;
  // auto: if the constraints lose rank on the way, the run begins anew with trust-region.
  bool fallback = false;
  bool soft = true;  // explicit runs pass points where constraints lose rank with softened multipliers
  // auto: if an explicit integrator finds the equations stiff, this one goes on.
  const IntegratorRow* stiff_row = nullptr;
};

}  // namespace daedalus
