#include "advise/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "advise/plan.hpp"
#include "consistent/initialise.hpp"
#include "constraints/independent.hpp"
#include "constraints/rank_profile.hpp"

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
  report.sigma_agrees = !report.regular || agrees(system);
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

// The constrained form with its initial values, if the model has it.
struct FormAtStart {
  std::shared_ptr<const ConstrainedForm> form;
  std::string broken_by;
  std::unique_ptr<CompiledModel> model;
  std::vector<double> environment;
  Initialisation start;
  Advice advice;
};

// A regular model that is too large needs no initial values here.
void measure(const DaeSystem& system, bool regular, FormAtStart& found) {
  found.advice.why = "dummy-derivatives: it takes any DAE and keeps every constraint";
  if (too_large_for_advice(system)) return;
  auto model = CompiledModel::compile(level_system_of(*found.form));
  if (!model) return;
  if (regular && too_large_for_advice(**model)) return;
  found.model = *std::move(model);
  found.environment = found.model->fresh_environment();
  EventHandler events(*found.model, found.environment);
  found.start = initialise(*found.model, found.environment, events);
  if (found.start.status != Initialisation::Status::Ok) return;
  found.advice = advise(*found.model, *found.form, found.environment, run_length(found.form->system(), {}));
}

// Of a model that is too large to be measured: the rank of its constraints at the start values.
void rank_at_start(const ConstrainedForm& form, Advice& advice) {
  Measures& m = advice.measures;
  m.redundant = redundant_at_start(form);
  find_combinations(form, m.redundant);
  m.rank = form.ny() - static_cast<int>(m.redundant.size());
  m.ranked = true;
  advice.dof = degrees_of_freedom(form, m.redundant);
}

FormAtStart examine_form(const DaeSystem& system, bool regular) {
  FormAtStart found;
  auto form = recognise_constrained_form(system);
  if (!form) {
    found.broken_by = form.error().front().message;
    found.advice = advise(system);
    return found;
  }
  found.form = std::make_shared<const ConstrainedForm>(*std::move(form));
  measure(system, regular, found);
  const bool failed = found.model != nullptr && found.start.status != Initialisation::Status::Ok;
  if (!found.advice.measures.taken && !failed) rank_at_start(*found.form, found.advice);
  return found;
}

// Which multiplier belongs to which constraint; in the order of the model where there is no point to tell.
std::vector<int> multipliers_by_constraint(const FormAtStart& found) {
  constexpr int most = 500;  // the matrices are dense here
  const int ny = found.form->ny();
  if (ny <= most && found.model != nullptr && found.start.status == Initialisation::Status::Ok)
    return multipliers_of_constraints(*found.model, *found.form, found.environment);
  std::vector<int> order(static_cast<std::size_t>(ny));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

void describe_form(const FormAtStart& found, CheckReport& report) {
  report.advice = found.advice;
  report.form.broken_by = found.broken_by;
  // The index counts the model as it was written.
  if (report.index > 1 && found.broken_by.starts_with("the model has no constraints"))
    report.form.broken_by = "once aliases and names of derivatives are written out, " + found.broken_by;
  if (found.form == nullptr) return;
  const ConstrainedForm& form = *found.form;
  CheckedForm& out = report.form;
  out.found = true;
  out.order = form.order;
  const auto name = [&](VariableId v) { return form.system().variables[v.at()].name; };
  for (const VariableId v : form.positions) out.positions.push_back(name(v));
  for (const VariableId v : form.multipliers) out.multipliers.push_back(name(v));
  for (const Companion& companion : form.companions) out.companions.push_back(name(companion.variable));
  const std::vector<int> multiplier = multipliers_by_constraint(found);
  for (int i = 0; i < form.ny(); ++i) {
    const int j = multiplier[static_cast<std::size_t>(i)];
    out.constraints.push_back({.text = form.constraint_name(i),
                               .level = form.constraints[static_cast<std::size_t>(i)].level,
                               .multiplier = j >= 0 ? out.multipliers[static_cast<std::size_t>(j)] : ""});
  }
}

// The derivative array of a model that has no regular one, if redundant constraints are why: that of the
// form, with degrees of freedom that redundant constraints do not take away.
Result<LevelSystem> redundant_levels(const FormAtStart& found, const Diagnostics& why_not) {
  if (found.form == nullptr || found.model == nullptr) return std::unexpected(why_not);
  if (found.start.status == Initialisation::Status::WrongInput)
    return std::unexpected(found.start.diagnostics);
  if (found.start.status == Initialisation::Status::Failed) return fail(found.start.reason);
  if (found.advice.measures.redundant.empty()) return std::unexpected(why_not);
  LevelSystem levels = level_system_of(*found.form);
  levels.plan.degrees_of_freedom = found.advice.dof;
  return levels;
}

void count_parts(const DaeSystem& reduced, CheckReport& report) {
  report.removed = static_cast<int>(
      std::ranges::count_if(reduced.reported, [](const ReportedValue& r) { return !r.parameter; }));
  report.discrete = static_cast<int>(std::ranges::count_if(
      reduced.variables, [](const Variable& v) { return v.kind != VariableKind::Continuous; }));
  report.relations = static_cast<int>(reduced.relations.size());
}

}  // namespace

Result<CheckReport> check(const DaeSystem& as_written, const DaeSystem& reduced) {
  CheckReport report;
  report.model = as_written.name;
  auto levels = make_level_system(reduced);
  const auto written = make_level_system(as_written, false);
  const FormAtStart found = examine_form(reduced, levels.has_value());
  if (!levels) {
    levels = redundant_levels(found, written ? levels.error() : written.error());
    if (!levels) return std::unexpected(levels.error());
    report.regular = false;
  }
  // Where structure alone cannot be right for the model as written (coefficients that are zero), the reduced
  // one speaks.
  const bool trust_written =
      report.regular && written && written->plan.degrees_of_freedom == levels->plan.degrees_of_freedom;
  describe_structure(trust_written ? *written : *levels, report);
  for (const Repair& repair : levels->repairs) {
    if (std::ranges::find(report.repairs, repair.text) == report.repairs.end() && report.repairs.empty())
      report.repairs.push_back(repair.text);
  }
  describe_hidden(*levels, report);
  describe_form(found, report);
  count_parts(reduced, report);
  report.unknowns = static_cast<int>(levels->levels.size());
  auto model = CompiledModel::compile(*std::move(levels));
  if (!model) return std::unexpected(model.error());
  describe_start(**model, report);
  const auto choice = plan(reduced, {});
  if (!choice) return std::unexpected(choice.error());
  report.formulation = choice->formulation;
  report.integrator = choice->integrator;
  report.why = choice->why;
  return report;
}

}  // namespace daedalus
