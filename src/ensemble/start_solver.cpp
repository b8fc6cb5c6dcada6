#include "ensemble/start_solver.hpp"

#include <algorithm>
#include <cmath>

namespace daedalus {
namespace {

// Newton's method needs five from a good start; those that are not there by then go to the engine.
constexpr int iteration_limit = 20;
// Relative to the values: the square of such a step is rounding.
constexpr double last_step = 1e-8;
// A step that is longer than the one before by so much leads somewhere else.
constexpr double growth_limit = 2;

}  // namespace

StartSolver::StartSolver(const TrajectoryKernel& kernel) : kernel_(kernel) {
  if (!known()) return;
  const ProgramSetting setting{.slots = kernel.slots(), .slot_of = kernel.slot_of(), .codegen = {}};
  values_ = Program::compile(*kernel.graph, kernel.start.values, setting);
  for (const auto& projection : kernel.start.projections)
    projections_.push_back(Program::compile(*kernel.graph, projection.step, setting));
}

bool StartSolver::solve(double t, std::span<const double> given, StartWorkspace& workspace,
                        std::vector<double>& states) const {
  std::vector<double>& environment = workspace.environment;
  environment.resize(static_cast<std::size_t>(kernel_.slots()));
  workspace.registers.resize(1 + projections_.size());
  workspace.steps.resize(kernel_.states.size());
  states.resize(kernel_.states.size());
  environment[0] = t;
  std::ranges::copy(given, environment.begin() + kernel_.first_given());
  values_.evaluate(environment, states, workspace.registers[0]);
  std::ranges::copy(states, environment.begin() + 1);
  for (std::size_t level = 0; level < projections_.size(); ++level) {
    const auto& projection = kernel_.start.projections[level];
    double before = 0;
    bool done = projection.step.empty();
    for (int iteration = 0; iteration < iteration_limit && !done; ++iteration) {
      projections_[level].evaluate(environment, workspace.steps, workspace.registers[1 + level]);
      double size = 0;
      double finite = 0;
      for (std::size_t i = 0; i < projection.states.size(); ++i) {
        double& x = environment[1 + static_cast<std::size_t>(projection.states[i])];
        size = std::max(size, std::abs(workspace.steps[i]) / (1 + std::abs(x)));
        finite += workspace.steps[i] * 0.0;
        x -= workspace.steps[i];
      }
      if (finite != 0 || (iteration > 0 && size > growth_limit * before && size > last_step)) return false;
      before = size;
      done = projection.linear || size < last_step;
    }
    if (!done) return false;
  }
  std::copy_n(environment.begin() + 1, states.size(), states.begin());
  return true;
}

}  // namespace daedalus
