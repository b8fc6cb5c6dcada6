#include "ensemble/start_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "numerics/newton.hpp"
#include "numerics/vectors.hpp"

namespace daedalus {
namespace {

// Newton's method needs five from a good start; those that are not there by then go to the engine.
constexpr int iteration_limit = 20;
// Relative to the values: the square of such a step is rounding.
constexpr double last_step = 1e-8;
// A step that is longer than the one before by so much leads somewhere else.
constexpr double growth_limit = 2;

// One level: its states are moved onto the constraints by whole steps.
struct LevelSteps {
  const TrajectoryKernel::Projection& projection;
  const Program& program;
  std::vector<double>& environment;
  std::vector<double>& steps;
  std::vector<double>& registers;
  double before = std::numeric_limits<double>::infinity();

  [[nodiscard]] double& state(std::size_t i) const {
    return environment[1 + static_cast<std::size_t>(projection.states[i])];
  }
  bool linearise() {
    program.evaluate(environment, steps, registers);
    return all_finite(std::span(steps).first(projection.states.size()));
  }
  double step() {
    double size = 0;
    for (std::size_t i = 0; i < projection.states.size(); ++i)
      size = std::max(size, std::abs(steps[i]) / (1 + std::abs(state(i))));
    const bool away = size > growth_limit * std::exchange(before, size) && size > last_step;
    return away ? std::numeric_limits<double>::infinity() : size;
  }
  [[nodiscard]] NewtonStep judge(double size) const {
    return projection.linear || size < last_step ? NewtonStep::Last : NewtonStep::Untested;
  }
  static bool evaluate(double /*lambda*/) { return true; }
  static bool descends(double /*lambda*/, double /*size*/) { return true; }
  void accept() const {
    for (std::size_t i = 0; i < projection.states.size(); ++i) state(i) -= steps[i];
  }
};

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
    LevelSteps steps{.projection = kernel_.start.projections[level],
                     .program = projections_[level],
                     .environment = environment,
                     .steps = workspace.steps,
                     .registers = workspace.registers[1 + level]};
    if (steps.projection.step.empty()) continue;
    if (damped_newton(steps, {.iterations = iteration_limit}).status != DampedStatus::Converged) return false;
  }
  std::copy_n(environment.begin() + 1, states.size(), states.begin());
  return true;
}

}  // namespace daedalus
