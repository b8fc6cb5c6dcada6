#include "sensitivity/sensitivity_model.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "expr/traverse.hpp"

namespace daedalus {
namespace {

// Jacobians are eliminated densely where constraints are redundant, and at the start.
constexpr int most_levels = 3000;

Result<SensitivityModel::Parameter> parameter_named(const DaeSystem& system, const std::string& name) {
  const auto found = std::ranges::find(system.variables, name, &Variable::name);
  if (found != system.variables.end()) {
    const VariableId v(static_cast<std::size_t>(found - system.variables.begin()));
    if (found->kind == VariableKind::Continuous) return SensitivityModel::Parameter{name, v, -1};
    if (is_given(found->kind) && found->type == ValueType::Real)
      return SensitivityModel::Parameter{name, v, 0};
    return fail(fmt::format("there are no sensitivities with respect to '{}': it is no Real", name));
  }
  const bool folded = std::ranges::any_of(
      system.reported, [&](const ReportedValue& r) { return r.parameter && r.attributes.name == name; });
  if (folded)
    return fail(
        fmt::format("there are no sensitivities with respect to '{}': the model needs it as a number when it "
                    "is compiled, or it was not declared free",
                    name));
  std::vector<std::string> known;
  for (const Variable& variable : system.variables) {
    if (is_given(variable.kind) && variable.type == ValueType::Real && !variable.internal)
      known.push_back(variable.name);
  }
  return fail(fmt::format(
      "there are no sensitivities with respect to '{}': it is no free parameter and no variable with "
      "a start value (free parameters and inputs: {})",
      name, known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
}

// In Jacobians time is one more variable.
class Compiler {
 public:
  Compiler(const CompiledModel& model, const std::vector<VariableId>& leaves)
      : model_(model), graph_(*model.dae().graph), time_(model.dae().variables.size()) {
    for (const VariableId v : leaves)
      column_[v.value] = model.level_count() + static_cast<int>(column_.size());
    column_[time_.value] = model.level_count() + static_cast<int>(column_.size());
    known_[graph_.time()] = graph_.discrete(time_);
  }

  [[nodiscard]] SparseJacobianProgram compile(const std::vector<NodeId>& roots) {
    const std::vector<NodeId> timed = substitute(graph_, roots, known_);
    const auto column_of = [this](NodeId leaf) {
      if (graph_.node(leaf).op == Op::Variable) return model_.levels().level_of(leaf);
      const auto found = column_.find(graph_.variable_of(leaf).value);
      return found == column_.end() ? -1 : found->second;
    };
    const auto slot_of = [this](NodeId leaf) {
      const bool is_time = graph_.node(leaf).op == Op::Discrete && graph_.variable_of(leaf) == time_;
      return is_time ? model_.layout().time : model_.slot(leaf);
    };
    return SparseJacobianProgram::compile(graph_, timed,
                                          model_.level_count() + static_cast<int>(column_.size()), column_of,
                                          model_.layout().size, slot_of, model_.codegen());
  }

 private:
  const CompiledModel& model_;
  ExprGraph graph_;  // derivatives are added to a copy: threads may read the model's
  VariableId time_;
  std::unordered_map<std::int32_t, int> column_;
  std::unordered_map<NodeId, NodeId> known_;
};

bool reassigns_reals(const DaeSystem& system) {
  for (const DiscreteStep& step : system.discrete_steps) {
    const auto is_real = [&system](const Assignment& a) {
      return system.variables[a.target.at()].kind == VariableKind::DiscreteReal;
    };
    if (const auto* assignment = std::get_if<Assignment>(&step)) {
      if (is_real(*assignment)) return true;
      continue;
    }
    for (const WhenBranch& branch : std::get<WhenClause>(step).branches) {
      if (!branch.reinits.empty() || std::ranges::any_of(branch.assignments, is_real)) return true;
    }
  }
  return false;
}

// Reactions that redundant constraints share are found from the finished run.
std::unordered_set<std::int32_t> shared_multipliers(const RunPlan& plan) {
  std::unordered_set<std::int32_t> shared;
  if (plan.independent == nullptr || plan.full_form == nullptr) return shared;
  std::unordered_set<std::string_view> names;
  for (const VariableId v : plan.full_form->multipliers)
    names.insert(plan.full_form->system().variables[v.at()].name);
  const auto& variables = plan.levels->system().variables;
  for (std::size_t v = 0; v < variables.size(); ++v) {
    if (names.contains(variables[v].name)) shared.insert(VariableId(v).value);
  }
  return shared;
}

std::string unit_of(const std::string& signal, const std::string& parameter) {
  if (parameter.empty()) return signal;
  return fmt::format("{}/({})", signal.empty() ? "1" : signal, parameter);
}

std::string unit_of_parameter(const DaeSystem& system, const SensitivityModel::Parameter& parameter) {
  return system.variables[parameter.variable.at()].unit;
}

void report_outputs(SensitivityModel& made, const CompiledModel& model, const RunPlan& plan) {
  const auto shared = shared_multipliers(plan);
  const DaeSystem& system = model.dae();
  for (std::size_t k = 0; k < model.output_signals.size(); ++k) {
    const OutputSignal& signal = model.output_signals[k];
    if (signal.discrete) continue;
    const auto leaves = leaves_of(*system.graph, model.output_nodes()[k]);
    const bool open = std::ranges::any_of(leaves, [&](NodeId leaf) {
      return system.graph->node(leaf).op == Op::Variable &&
             shared.contains(system.graph->variable_of(leaf).value);
    });
    if (open) {
      made.unreported.push_back(signal.name);
      continue;
    }
    made.reported.push_back(static_cast<int>(k));
    for (const SensitivityModel::Parameter& parameter : made.parameters)
      made.signals.push_back(
          {.name = sensitivity_name(signal.name, parameter.name),
           .unit = unit_of(signal.unit, unit_of_parameter(system, parameter)),
           .description = fmt::format("sensitivity of {} to {}", signal.name, parameter.name)});
  }
}

}  // namespace

Result<std::shared_ptr<const SensitivityModel>> SensitivityModel::make(
    const CompiledModel& model, const RunPlan& plan, const std::vector<std::string>& names) {
  if (model.level_count() > most_levels)
    return fail(
        fmt::format("the model has {} unknowns and derivatives, and sensitivities are computed up to {}",
                    model.level_count(), most_levels));
  const DaeSystem& system = model.dae();
  auto made = std::make_shared<SensitivityModel>();
  for (const std::string& name : names) {
    auto parameter = parameter_named(system, name);
    if (!parameter) return std::unexpected(parameter.error());
    if (std::ranges::find(made->parameters, name, &Parameter::name) != made->parameters.end()) continue;
    if (parameter->leaf >= 0) {
      parameter->leaf = static_cast<int>(made->leaves.size());
      made->leaves.push_back(parameter->variable);
    }
    made->parameters.push_back(*std::move(parameter));
  }
  for (std::size_t v = 0; v < system.variables.size(); ++v) {
    const VariableKind kind = system.variables[v].kind;
    if (kind == VariableKind::DiscreteReal || kind == VariableKind::Parameter) made->leaves.emplace_back(v);
  }
  made->reassigns = reassigns_reals(system);
  std::vector<NodeId> residuals;
  for (const LevelEquation& equation : model.levels().equations) residuals.push_back(equation.residual);
  std::vector<NodeId> relations;
  for (const Relation& relation : system.relations) relations.push_back(relation.difference);
  Compiler compiler(model, made->leaves);
  made->equations = compiler.compile(residuals);
  made->outputs = compiler.compile(model.output_nodes());
  made->relations = compiler.compile(relations);
  report_outputs(*made, model, plan);
  return made;
}

}  // namespace daedalus
