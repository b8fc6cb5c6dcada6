#include "simulate/check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "simulate/choice.hpp"
#include "simulate/initialise.hpp"

namespace daedalus {
namespace {

// Pantelides and the Σ-method must agree: two answers that come about independently.
bool agrees(const LevelSystem& system) {
  const auto offsets = sigma_method(system.incidence.signature);
  return offsets && offsets->c == system.plan.c && offsets->d == system.plan.d;
}

void describe_structure(const LevelSystem& system, CheckReport& report) {
  const DaeSystem& dae = system.system();
  report.index = system.index();
  report.differentiation_index = system.differentiation_index();
  report.dof = system.plan.degrees_of_freedom;
  for (std::size_t i = 0; i < dae.equations.size(); ++i) {
    const Equation& equation = dae.equations[i];
    const std::string text =
        equation.span.valid() ? dae.sources->excerpt(equation.span) : equation_text(dae, equation);
    const std::string with =
        equation.span.valid() && !equation.label.empty() ? fmt::format(" [{}]", equation.label) : "";
    report.equations.push_back({.text = text + with,
                                .place = dae.sources->place(equation.span),
                                .line = dae.sources->locate(equation.span).line,
                                .c = system.plan.c[i]});
  }
  for (std::size_t j = 0; j < system.incidence.unknowns.size(); ++j) {
    report.variables.push_back(
        {.name = dae.variables[system.incidence.unknowns[j].at()].name, .d = system.plan.d[j]});
  }
  for (const Block& block : system.plan.blocks)
    report.blocks.push_back({.equations = block.equations, .variables = block.variables});
  report.sigma_agrees = agrees(system);
  for (const Repair& repair : system.repairs) report.repairs.push_back(repair.text);
}

void describe_hidden(const LevelSystem& system, CheckReport& report) {
  for (const LevelEquation& equation : system.equations) {
    if (equation.level == 0) continue;
    report.hidden_constraints.push_back(
        {.text = expression_text(system.system(), equation.residual) + " = 0",
         .of = equation_text(system.system(),
                             system.system().equations[static_cast<std::size_t>(equation.equation)]),
         .level = equation.level});
  }
}

void describe_start(const CompiledModel& model, CheckReport& report) {
  const LevelSystem& system = model.levels();
  std::vector<double> environment = model.fresh_environment();
  EventHandler events(model, environment);
  const Initialisation outcome = initialise(model, environment, events);
  report.initialised = outcome.status == Initialisation::Status::Ok;
  report.initialisation = outcome.lines;
  if (!outcome.reason.empty()) report.initialisation.push_back(outcome.reason);
  for (const Diagnostic& d : outcome.diagnostics) report.initialisation.push_back(d.message);
  for (std::size_t k = 0; k < system.levels.size(); ++k) {
    const int j = system.incidence.column[system.levels[k].variable.at()];
    if (system.levels[k].order < system.plan.d[static_cast<std::size_t>(j)])
      report.candidates.push_back(system.level_name(static_cast<int>(k)));
    if (k < outcome.starts.size() && outcome.starts[k].fixed)
      report.fixed.push_back(system.level_name(static_cast<int>(k)));
  }
  std::vector<double> values(model.selection.expressions.size());
  std::vector<double> workspace;
  model.selection_values.evaluate(environment, values, workspace);
  const SelectionOutcome selection = select_dummies(system, model.selection, values, {}, 1.05);
  if (selection.singular) return;
  for (const int s : state_levels(system, selection.taken)) report.states.push_back(system.level_name(s));
}

}  // namespace

Result<CheckReport> check(const DaeSystem& as_written, const DaeSystem& reduced) {
  CheckReport report;
  report.model = as_written.name;
  auto levels = make_level_system(reduced);
  const auto written = make_level_system(as_written, false);
  if (!levels) return std::unexpected(written ? levels.error() : written.error());
  // Where structure alone cannot be right for the model as written (coefficients that are zero), the reduced
  // one speaks.
  const bool trust_written = written && written->plan.degrees_of_freedom == levels->plan.degrees_of_freedom;
  describe_structure(trust_written ? *written : *levels, report);
  for (const Repair& repair : levels->repairs) {
    if (std::ranges::find(report.repairs, repair.text) == report.repairs.end() && report.repairs.empty())
      report.repairs.push_back(repair.text);
  }
  describe_hidden(*levels, report);
  report.removed = static_cast<int>(
      std::ranges::count_if(reduced.reported, [](const ReportedValue& r) { return !r.parameter; }));
  report.discrete = static_cast<int>(std::ranges::count_if(
      reduced.variables, [](const Variable& v) { return v.kind != VariableKind::Continuous; }));
  report.relations = static_cast<int>(reduced.relations.size());
  report.unknowns = static_cast<int>(levels->levels.size());
  auto model = CompiledModel::compile(*std::move(levels));
  if (!model) return std::unexpected(model.error());
  describe_start(**model, report);
  const auto choice = choose(reduced, {});
  if (!choice) return std::unexpected(choice.error());
  report.formulation = choice->formulation;
  report.integrator = choice->integrator;
  report.why = choice->why;
  return report;
}

}  // namespace daedalus
