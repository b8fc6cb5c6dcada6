#include "ensemble/trajectory_starts.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "expr/traverse.hpp"

namespace daedalus {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// Runs for which it is checked that a start that seems to be the same for all is.
constexpr std::size_t checked_starts = 4;
// Two starts that are the same up to where their Newton iterations ended.
constexpr double same_start = 1e-12;
// Two solutions of the same equations, each to rounding.
constexpr double solved_start = 1e-10;

bool same(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (!(std::abs(a[i] - b[i]) <= tolerance * (1 + std::abs(b[i])))) return false;
  }
  return true;
}

}  // namespace

TrajectoryStarts::TrajectoryStarts(const EnsembleRun& run, const TrajectoryKernel& kernel)
    : run_(run), kernel_(kernel), solver_(kernel) {
  connect();
  const EnsembleInputs& inputs = run.inputs();
  if (inputs.runs == 0) return;
  if (!by_engine(0, first_)) return;
  common_ = std::ranges::none_of(inputs.names, [&](const std::string& name) { return moves_start(name); });
  for (std::size_t k = 1; k < checked_starts && common_; ++k) {
    TrajectoryStart other;
    common_ = by_engine(checked(k), other) && same(other.states, first_.states, same_start);
  }
  solved_ = !common_ && solver_agrees();
}

std::size_t TrajectoryStarts::checked(std::size_t k) const {
  return k * (run_.inputs().runs - 1) / (checked_starts - 1);
}

// All that is given must be a value that the solver takes as it is: a free parameter or an input.
bool TrajectoryStarts::solver_agrees() const {
  if (!solver_.known()) return false;
  const auto& variables = run_.parts().engine->system().variables;
  const bool given = std::ranges::all_of(run_.inputs().names, [&](const std::string& name) {
    const auto found = std::ranges::find(variables, name, &Variable::name);
    return found != variables.end() && is_given(found->kind);
  });
  for (std::size_t k = 0; k < checked_starts; ++k) {
    TrajectoryStart here;
    TrajectoryStart there;
    if (!given || !by_solver(checked(k), here) || !by_engine(checked(k), there)) return false;
    if (!same(here.states, there.states, solved_start)) return false;
  }
  return true;
}

bool TrajectoryStarts::by_solver(std::size_t run, TrajectoryStart& start) const {
  start.given = first_.given;
  for (const auto& [g, column] : given_) start.given[at(g)] = run_.inputs().columns[column][run];
  return solver_.solve(run_.parts().settings.start, start.given, start.workspace, start.states);
}

void TrajectoryStarts::connect() {
  const CompiledModel& model = run_.parts().engine->model();
  const DaeSystem& system = run_.parts().engine->system();
  for (const NodeId leaf : kernel_.states) state_slots_.push_back(model.slot(leaf));
  for (const NodeId leaf : kernel_.given) given_slots_.push_back(model.slot(leaf));
  const auto& names = run_.inputs().names;
  for (std::size_t g = 0; g < kernel_.given.size(); ++g) {
    const Variable& variable = system.variables[kernel_.graph->variable_of(kernel_.given[g]).at()];
    const auto found = std::ranges::find(names, variable.name);
    if (is_given(variable.kind) && found != names.end())
      given_.emplace_back(static_cast<int>(g), static_cast<std::size_t>(found - names.begin()));
  }
}

// Free parameters that occur in forces and masses alone leave the start as it is.
bool TrajectoryStarts::moves_start(const std::string& name) const {
  const RunPlan& plan = run_.parts().engine->plan();
  const DaeSystem& system = plan.form->system();
  const auto found = std::ranges::find(system.variables, name, &Variable::name);
  if (found == system.variables.end() || !is_given(found->kind)) return true;
  const auto number = static_cast<std::int32_t>(found - system.variables.begin());
  const ConstrainedForm& form = *plan.form;
  std::vector<NodeId> roots;
  for (const FormConstraint& constraint : form.constraints) {
    for (std::size_t k = 0; k + 1 < constraint.derivatives.size(); ++k)
      roots.push_back(constraint.derivatives[k]);
  }
  for (const int equation : form.companion_equations)
    roots.push_back(system.equations[at(equation)].residual);
  for (const Equation& equation : system.initial_equations) roots.push_back(equation.residual);
  for (const Assignment& assignment : system.initial_assignments) roots.push_back(assignment.value);
  std::unordered_set<std::int32_t> positions;
  for (const VariableId v : form.positions) positions.insert(v.value);
  for (std::size_t v = 0; v < system.variables.size(); ++v) {
    const Variable& variable = system.variables[v];
    if (variable.start_value.valid()) roots.push_back(variable.start_value);
    // A force or an acceleration that is given at the start.
    const bool eliminated = v < form.raised.eliminated.size() && form.raised.eliminated[v];
    if (variable.kind == VariableKind::Parameter) return true;
    if (variable.kind == VariableKind::Continuous && variable.fixed && !eliminated &&
        !positions.contains(static_cast<std::int32_t>(v)))
      return true;
  }
  Holds holds(*system.graph, [&](NodeId leaf) {
    const Node& node = system.graph->node(leaf);
    return node.op == Op::Discrete && node.args[0] == number;
  });
  return std::ranges::any_of(roots, [&](NodeId root) { return holds(root); });
}

bool TrajectoryStarts::by_engine(std::size_t run, TrajectoryStart& start) const {
  const EnsembleParts& parts = run_.parts();
  auto simulation = parts.engine->start({.until = parts.settings.end,
                                         .rtol = parts.settings.tolerances.relative,
                                         .atol = parts.settings.tolerances.absolute,
                                         .set = run_.set_of(run)});
  if (!simulation || simulation->failed()) return false;
  const std::vector<double> environment = simulation->environment();
  start.states.clear();
  start.given.clear();
  for (const int slot : state_slots_) start.states.push_back(environment[at(slot)]);
  for (const int slot : given_slots_) start.given.push_back(environment[at(slot)]);
  return true;
}

bool TrajectoryStarts::find(std::size_t run, TrajectoryStart& start) const {
  if (solved_ && by_solver(run, start)) return true;
  if (!common_) return by_engine(run, start);
  start.states = first_.states;
  start.given = first_.given;
  for (const auto& [g, column] : given_) start.given[at(g)] = run_.inputs().columns[column][run];
  return true;
}

}  // namespace daedalus
