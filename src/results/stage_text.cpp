#include "results/stage_text.hpp"

#include <fmt/format.h>

#include <fmt/ranges.h>
#include <unordered_map>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <variant>
#include <vector>

namespace daedalus {
namespace {

std::string_view word(VariableKind kind) {
  switch (kind) {
    case VariableKind::Continuous:
      return "Real";
    case VariableKind::DiscreteReal:
      return "discrete Real";
    case VariableKind::Integer:
      return "Integer";
    case VariableKind::Boolean:
      return "Boolean";
    case VariableKind::Parameter:
      return "parameter Real";
    case VariableKind::FreeParameter:
      return "free parameter Real";
    case VariableKind::Input:
      return "input";
  }
  return "";
}

std::string_view word(StateSelect select) {
  switch (select) {
    case StateSelect::Never:
      return "never";
    case StateSelect::Avoid:
      return "avoid";
    case StateSelect::Default:
      return "default";
    case StateSelect::Prefer:
      return "prefer";
    case StateSelect::Always:
      return "always";
  }
  return "";
}

std::string attributes_text(const Variable& variable) {
  std::vector<std::string> parts;
  if (variable.has_start || variable.fixed) parts.push_back(fmt::format("start = {}", variable.start));
  if (variable.fixed) parts.emplace_back("fixed = true");
  if (variable.has_nominal) parts.push_back(fmt::format("nominal = {}", variable.nominal));
  if (std::isfinite(variable.min)) parts.push_back(fmt::format("min = {}", variable.min));
  if (std::isfinite(variable.max)) parts.push_back(fmt::format("max = {}", variable.max));
  if (!variable.unit.empty()) parts.push_back(fmt::format("unit = \"{}\"", variable.unit));
  if (variable.state_select != StateSelect::Default) {
    parts.push_back(fmt::format("stateSelect = {}", word(variable.state_select)));
  }
  return parts.empty() ? "" : fmt::format("({})", fmt::join(parts, ", "));
}

// Collects the text; a heading is written only when something follows it.
class Sections {
 public:
  template <class Range, class Line>
  void add(std::string_view heading, const Range& range, Line line) {
    if (std::empty(range)) return;
    text_ += fmt::format("{} ({})\n", heading, std::size(range));
    for (const auto& item : range) text_ += fmt::format("  {}\n", line(item));
  }
  [[nodiscard]] std::string finish() { return std::move(text_); }

 private:
  std::string text_;
};

class SystemPrinter {
 public:
  explicit SystemPrinter(const DaeSystem& system) : system_(system) {}

  std::string print() {
    Sections out;
    const auto equation = [this](const Equation& e) { return line_of(e); };
    out.add("variables", system_.variables, [](const Variable& variable) {
      return fmt::format("{} {}{}", word(variable.kind), variable.name, attributes_text(variable));
    });
    out.add("equations", system_.equations, equation);
    out.add("initial equations", system_.initial_equations, equation);
    out.add("initial assignments", system_.initial_assignments,
            [this](const Assignment& a) { return line_of(a); });
    out.add("relations", system_.relations, [this](const Relation& relation) {
      return fmt::format("{} {} 0", text(relation.difference), relation.strict ? ">" : ">=");
    });
    out.add("samples", system_.samples, [](const SampleClock& clock) {
      return fmt::format("sample({}, {})", clock.start, clock.interval);
    });
    out.add("discrete", system_.discrete_steps, [this](const DiscreteStep& step) { return line_of(step); });
    out.add("assertions", system_.assertions, [this](const Assertion& assertion) {
      return fmt::format("assert({}, \"{}\")", text(assertion.condition), assertion.message);
    });
    out.add("reported", system_.reported, [this](const ReportedValue& value) {
      return fmt::format("{}{} = {}", value.parameter ? "parameter " : "", value.attributes.name,
                         text(value.value));
    });
    return fmt::format("model {}\n{}", system_.name, out.finish());
  }

 private:
  [[nodiscard]] std::string text(NodeId expression) const { return expression_text(system_, expression); }

  [[nodiscard]] std::string line_of(const Equation& equation) const {
    return fmt::format("{}   // {}", residual_text(equation), equation_text(system_, equation));
  }
  [[nodiscard]] std::string residual_text(const Equation& equation) const {
    return fmt::format("0 = {}", text(equation.residual));
  }
  [[nodiscard]] std::string line_of(const Assignment& assignment) const {
    return fmt::format("{} := {}", system_.variables[assignment.target.at()].name, text(assignment.value));
  }
  [[nodiscard]] std::string line_of(const DiscreteStep& step) const {
    if (const auto* assignment = std::get_if<Assignment>(&step)) return line_of(*assignment);
    std::string out;
    for (const WhenBranch& branch : std::get<WhenClause>(step).branches)
      out += branch_text(branch, !out.empty());
    return out + "end when";
  }
  [[nodiscard]] std::string branch_text(const WhenBranch& branch, bool further) const {
    std::vector<std::string> conditions;
    for (const NodeId condition : branch.conditions) conditions.push_back(text(condition));
    std::string out = fmt::format("{}when {{{}}} then ", further ? "else" : "", fmt::join(conditions, ", "));
    for (const Assignment& assignment : branch.assignments) out += line_of(assignment) + "; ";
    for (const Assignment& reinit : branch.reinits) {
      out += fmt::format("reinit({}, {}); ", system_.variables[reinit.target.at()].name, text(reinit.value));
    }
    for (const Termination& end : branch.terminations) out += fmt::format("terminate(\"{}\"); ", end.message);
    return out;
  }

  const DaeSystem& system_;
};

std::string unknown_name(const LevelSystem& system, int column) {
  return system.system().variables[system.incidence.unknowns[static_cast<std::size_t>(column)].at()].name;
}

std::string equation_line(const LevelSystem& system, int equation) {
  const DaeSystem& dae = system.system();
  return equation_text(dae, dae.equations[static_cast<std::size_t>(equation)]);
}

}  // namespace

std::string system_text(const DaeSystem& system) {
  return SystemPrinter(system).print();
}

std::string structure_text(const LevelSystem& system) {
  const StructuralPlan& plan = system.plan;
  std::string text = fmt::format("structural index {}, degrees of freedom {}\n", plan.structural_index,
                                 plan.degrees_of_freedom);
  text += fmt::format("equations, times differentiated ({})\n", plan.c.size());
  for (std::size_t i = 0; i < plan.c.size(); ++i) {
    text += fmt::format("  {}  {}\n", plan.c[i], equation_line(system, static_cast<int>(i)));
  }
  text += fmt::format("unknowns, highest derivative ({})\n", plan.d.size());
  for (std::size_t j = 0; j < plan.d.size(); ++j) {
    text += fmt::format("  {}  {}\n", plan.d[j], unknown_name(system, static_cast<int>(j)));
  }
  text += fmt::format("blocks, in the order of solution ({})\n", plan.blocks.size());
  for (const Block& block : plan.blocks) {
    std::vector<std::string> names;
    for (const int column : block.variables) names.push_back(unknown_name(system, column));
    text += fmt::format("  {} ←", fmt::join(names, ", "));
    for (const int equation : block.equations) text += fmt::format(" [{}]", equation_line(system, equation));
    text += "\n";
  }
  return text;
}

std::string level_system_text(const LevelSystem& system) {
  std::string text;
  for (const Repair& repair : system.repairs) text += fmt::format("repaired: {}\n", repair.text);
  text += fmt::format("levels ({})\n", system.levels.size());
  for (std::size_t level = 0; level < system.levels.size(); ++level) {
    text += fmt::format("  {}\n", system.level_name(static_cast<int>(level)));
  }
  text += fmt::format("equations ({})\n", system.equations.size());
  for (const LevelEquation& equation : system.equations) {
    text += fmt::format("  0 = {}   // {}\n", expression_text(system.system(), equation.residual),
                        system.equation_name(equation));
  }
  return text;
}

std::string plan_text(const RunPlan& plan) {
  std::string text;
  text += fmt::format("formulation: {}\n", plan.formulation.to_text());
  text += fmt::format("integrator: {}\n", plan.integrator.to_text());
  if (!plan.why.empty()) text += fmt::format("why: {}\n", plan.why);
  text += fmt::format("from {:g} to {:g}, rtol {:g}, atol {:g}, {} output points\n", plan.settings.start,
                      plan.settings.end, plan.settings.tolerances.relative, plan.settings.tolerances.absolute,
                      plan.settings.points);
  text += fmt::format("index {}, {} degrees of freedom, {} levels\n", plan.levels->index(),
                      plan.levels->plan.degrees_of_freedom, plan.levels->levels.size());
  if (plan.independent != nullptr) {
    text += "left out as redundant:\n";
    for (const std::string& name : plan.independent->names) text += fmt::format("  {}\n", name);
  }
  if (plan.stiff_row != nullptr)
    text += fmt::format("where the equations turn out to be stiff: {} goes on\n", plan.stiff_row->name);
  if (plan.other_row != nullptr)
    text += fmt::format("where {} gives up: begin anew with {}\n", plan.integrator_row->name,
                        plan.other_row->name);
  if (!plan.fallback.empty())
    text += fmt::format("where the constraints lose rank: begin anew with {}\n", plan.fallback);
  return text;
}

Result<std::string> reformulated_text(const RunPlan& plan) {
  if (plan.row->any_dae) return level_system_text(*plan.levels);
  const auto system =
      reformulate(*plan.row, *plan.form, plan.row_options, plan.integrator_row->make == nullptr);
  if (!system) return std::unexpected(system.error());
  std::unordered_map<std::int32_t, std::string> names;
  std::string text = fmt::format("unknowns ({})\n", system->unknowns.size());
  for (const ReformUnknown& unknown : system->unknowns) {
    names[unknown.leaf.value] = unknown.name;
    if (unknown.rate.valid()) names.try_emplace(unknown.rate.value, fmt::format("{}'", unknown.name));
    text += fmt::format("  {}{}\n", unknown.name, unknown.rate.valid() ? "" : "   // algebraic");
  }
  for (const HeldValue& held : system->held) {
    const bool step = held.role == HeldValue::Role::Step;
    const std::string entry = fmt::format("A[{},{}]", held.row + 1, held.column + 1);
    names[held.leaf.value] =
        step ? std::string("h") : (held.role == HeldValue::Role::Epsilon ? std::string("eps") : entry);
  }
  const DaeSystem& dae = plan.form->system();
  text += fmt::format("equations ({})\n", system->equations.size());
  for (const ReformEquation& equation : system->equations) {
    const std::string residual = to_text(*dae.graph, equation.residual, [&](NodeId leaf) {
      const auto found = names.find(leaf.value);
      return found == names.end() ? leaf_name(dae, leaf) : found->second;
    });
    text += fmt::format("  0 = {}   // {}\n", residual, equation.name);
  }
  return text;
}

std::string compiled_text(std::span<const ProgramSize> programs) {
  std::string text;
  for (const ProgramSize& one : programs) {
    text += fmt::format("{}: {} results, {} operations", one.name, one.results, one.operations);
    text += one.back_end.empty() ? "\n" : fmt::format(" ({})\n", one.back_end);
  }
  return text;
}

std::string initialisation_text(const CompiledModel& model, std::span<const double> environment,
                                const Initialisation& initialisation) {
  std::string text;
  for (const std::string& line : initialisation.lines) text += line + "\n";
  text += fmt::format("levels ({})\n", model.level_count());
  const auto values = environment.subspan(static_cast<std::size_t>(model.layout().levels));
  for (int level = 0; level < model.level_count(); ++level) {
    text += fmt::format("  {} = {:.17g}\n", model.levels().level_name(level),
                        values[static_cast<std::size_t>(level)]);
  }
  return text;
}

}  // namespace daedalus
