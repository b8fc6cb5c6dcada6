// What sensitivities need of a model beside its equations: which parameters and start values they are wanted
// for, and the derivatives of equations, outputs and relations with respect to everything that may depend on
// these. Made once for an engine.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "drive/run_plan.hpp"
#include "record/trajectory.hpp"
#include "systems/compiled_model.hpp"

namespace daedalus {

struct SensitivityModel {
  struct Parameter {
    std::string name;
    VariableId variable;
    int leaf = -1;  // in `leaves`: a free parameter or an input; -1: the start value of a variable
  };
  // The columns of Jacobians: the levels, these, and time.
  std::vector<VariableId> leaves;
  std::vector<Parameter> parameters;
  SparseJacobianProgram equations, outputs, relations;
  std::vector<int> reported;            // those of CompiledModel::output_signals that have sensitivities
  std::vector<std::string> unreported;  // reactions that redundant constraints share: found after the run
  std::vector<Signal> signals;          // d(x)/d(p), outputs first: all parameters of one, then of the next
  bool reassigns = false;  // events give Real variables new values, and do not only switch equations

  // "m": a free parameter or an input; "x": the start value of a variable. Other names are errors.
  [[nodiscard]] static Result<std::shared_ptr<const SensitivityModel>> make(
      const CompiledModel& model, const RunPlan& plan, const std::vector<std::string>& names);
};

}  // namespace daedalus
