#include "systems/compiled_model.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

namespace daedalus {
namespace {

// Operations: of more, compilation would take longer than some thousands of points save.
constexpr std::size_t most_in_lanes = 4000;

// Every expression of a hybrid model: the equations of all levels, and what is beside them.
std::vector<std::pair<NodeId, SourceSpan>> all_expressions(const LevelSystem& levels) {
  const DaeSystem& system = levels.system();
  std::vector<std::pair<NodeId, SourceSpan>> all;
  for (const LevelEquation& e : levels.equations)
    all.emplace_back(e.residual, system.equations[static_cast<std::size_t>(e.equation)].span);
  for (const Equation& e : system.initial_equations) all.emplace_back(e.residual, e.span);
  for (const Assignment& a : system.initial_assignments) all.emplace_back(a.value, a.span);
  for (const Relation& r : system.relations) all.emplace_back(r.difference, r.span);
  for (const DiscreteStep& step : system.discrete_steps) {
    if (const auto* assignment = std::get_if<Assignment>(&step)) {
      all.emplace_back(assignment->value, assignment->span);
      continue;
    }
    for (const WhenBranch& branch : std::get<WhenClause>(step).branches) {
      for (const NodeId condition : branch.conditions) all.emplace_back(condition, branch.span);
      for (const Assignment& a : branch.assignments) all.emplace_back(a.value, a.span);
      for (const Assignment& a : branch.reinits) all.emplace_back(a.value, a.span);
    }
  }
  for (const Assertion& a : system.assertions) all.emplace_back(a.condition, a.span);
  for (const ReportedValue& r : system.reported) all.emplace_back(r.value, r.attributes.span);
  return all;
}

}  // namespace

void CompiledModel::lay_out() {
  const std::size_t variables = dae().variables.size();
  layout_.levels = 2;
  layout_.discretes = layout_.levels + level_count();
  layout_.discrete_slot.assign(variables, -1);
  layout_.pre_slot.assign(variables, -1);
  int next = layout_.discretes;
  for (std::size_t v = 0; v < variables; ++v) {
    if (dae().variables[v].kind != VariableKind::Continuous) layout_.discrete_slot[v] = next++;
  }
  layout_.pres = next;
  // pre() of a discrete variable is part of the state even where no expression asks for it: it decides
  // whether an event iteration has settled. Of a continuous one only where asked for.
  std::vector<bool> asked(variables, false);
  for (const NodeId leaf : leaves_) {
    const Node& node = dae().graph->node(leaf);
    if (node.op == Op::Pre) asked[static_cast<std::size_t>(node.args[0])] = true;
  }
  for (std::size_t v = 0; v < variables; ++v) {
    if (layout_.discrete_slot[v] >= 0 || asked[v]) {
      layout_.pre_slot[v] = next++;
      pre_variables.emplace_back(v);
    }
  }
  layout_.relations = next;
  next += static_cast<int>(dae().relations.size());
  layout_.samples = next;
  next += static_cast<int>(dae().samples.size());
  layout_.size = next;
}

int CompiledModel::slot(NodeId leaf) const {
  const Node& node = dae().graph->node(leaf);
  switch (node.op) {
    case Op::Time:
      return layout_.time;
    case Op::Initial:
      return layout_.initial;
    case Op::Variable: {
      const int level = system_->level_of(leaf);
      return level < 0 ? -1 : layout_.levels + level;
    }
    case Op::Discrete:
      return layout_.discrete_slot[static_cast<std::size_t>(node.args[0])];
    case Op::Pre:
      return layout_.pre_slot[static_cast<std::size_t>(node.args[0])];
    case Op::Relation:
      return layout_.relations + node.args[0];
    case Op::Sample:
      return layout_.samples + node.args[0];
    default:
      return -1;
  }
}

ProgramSetting CompiledModel::setting() const {
  return {.slots = layout_.size, .slot_of = [this](NodeId leaf) { return slot(leaf); }, .codegen = codegen_};
}

Program CompiledModel::compile(std::span<const NodeId> roots, std::span<const int> destinations) const {
  return Program::compile(*dae().graph, roots, setting(), destinations);
}

SparseJacobianProgram CompiledModel::compile_jacobian(std::span<const NodeId> roots,
                                                      const std::vector<VariableId>& further) const {
  std::unordered_map<std::int32_t, int> further_column;
  for (const VariableId v : further)
    further_column[v.value] = level_count() + static_cast<int>(further_column.size());
  const auto column_of = [&](NodeId leaf) {
    if (dae().graph->node(leaf).op == Op::Variable) return system_->level_of(leaf);
    const auto found = further_column.find(dae().graph->variable_of(leaf).value);
    return found == further_column.end() ? -1 : found->second;
  };
  ExprGraph graph = *dae().graph;  // derivatives are added to the copy: threads may read the graph meanwhile
  return SparseJacobianProgram::compile(
      graph, roots, level_count() + static_cast<int>(further.size()), column_of, layout_.size,
      [this](NodeId leaf) { return slot(leaf); }, jacobian_codegen());
}

void CompiledModel::spare_jacobian() {
  spares_jacobian_ = true;
}

// What is evaluated a few times only is best compiled in the quickest way.
CodegenOptions CompiledModel::jacobian_codegen() const {
  CodegenOptions options = codegen_;
  if (spares_jacobian_ && options.choice == CodegenChoice::Auto) options.choice = CodegenChoice::Interpreter;
  return options;
}

std::vector<NodeId> CompiledModel::level_residuals() const {
  std::vector<NodeId> roots;
  roots.reserve(system_->equations.size());
  for (const LevelEquation& equation : system_->equations) roots.push_back(equation.residual);
  return roots;
}

SparseJacobianProgram CompiledModel::compile_start_jacobian() const {
  const auto is_highest = [this](NodeId leaf) {
    const int j = system_->incidence.column[dae().graph->variable_of(leaf).at()];
    return dae().graph->order_of(leaf) >= system_->plan.d[static_cast<std::size_t>(j)];
  };
  const auto wanted = [&](std::size_t row, NodeId leaf) {
    const LevelEquation& equation = system_->equations[row];
    return equation.level < system_->plan.c[static_cast<std::size_t>(equation.equation)] || is_highest(leaf);
  };
  const auto column_of = [this](NodeId leaf) {
    return dae().graph->node(leaf).op == Op::Variable ? system_->level_of(leaf) : -1;
  };
  ExprGraph graph = *dae().graph;
  return SparseJacobianProgram::compile(
      graph, level_residuals(), level_count(), column_of, layout_.size,
      [this](NodeId leaf) { return slot(leaf); }, jacobian_codegen(), wanted);
}

const SparseJacobianProgram& CompiledModel::jacobian() const {
  std::call_once(jacobian_made_, [this] {
    jacobian_ = std::make_unique<const SparseJacobianProgram>(compile_jacobian(level_residuals(), {}));
  });
  return *jacobian_;
}

const SparseJacobianProgram& CompiledModel::start_jacobian() const {
  std::call_once(start_jacobian_once_, [this] {
    start_jacobian_ = std::make_unique<const SparseJacobianProgram>(compile_start_jacobian());
  });
  return *start_jacobian_;
}

const StartConditions& CompiledModel::start_conditions() const {
  std::call_once(start_conditions_once_, [this] {
    auto made = std::make_unique<StartConditions>();
    for (std::size_t v = 0; v < dae().variables.size(); ++v) {
      if (dae().variables[v].kind == VariableKind::Parameter) made->parameters.emplace_back(v);
    }
    made->as_compiled = dae().initial_equations.empty() && made->parameters.empty();
    if (!made->as_compiled) {
      std::vector<NodeId> roots = level_residuals();
      for (const Equation& e : dae().initial_equations) roots.push_back(e.residual);
      made->residuals = compile(roots);
      made->jacobian = compile_jacobian(roots, made->parameters);
    }
    start_conditions_ = std::move(made);
  });
  return *start_conditions_;
}

const Program* CompiledModel::lane_records() const {
  std::call_once(lane_records_once_, [this] {
    if (outputs.operations() + residuals.operations() > most_in_lanes) return;
    std::vector<NodeId> roots = output_nodes_;
    const std::vector<NodeId> equations = level_residuals();
    roots.insert(roots.end(), equations.begin(), equations.end());
    for (const Assertion& assertion : dae().assertions) roots.push_back(assertion.condition);
    lane_records_ = Program::compile_lanes(*dae().graph, roots, setting());
  });
  return lane_records_ ? &*lane_records_ : nullptr;
}

void CompiledModel::prepare_start() const {
  const StartConditions& conditions = start_conditions();
  if (!conditions.as_compiled) return;
  if (spares_jacobian_) {
    (void)start_jacobian();
  } else {
    (void)jacobian();
  }
}

void CompiledModel::collect_leaves() {
  std::vector<NodeId> roots;
  for (const auto& [node, span] : all_expressions(*system_)) roots.push_back(node);
  for (const NodeId id : topological_order(*dae().graph, roots)) {
    const Node& node = dae().graph->node(id);
    if (node.arity == 0 && node.op != Op::Constant) leaves_.push_back(id);
  }
}

Result<void> CompiledModel::check_leaves() const {
  if (std::ranges::all_of(leaves_, [this](NodeId leaf) { return slot(leaf) >= 0; })) return {};
  for (const auto& [node, span] : all_expressions(*system_)) {
    for (const NodeId leaf : leaves_of(*dae().graph, node)) {
      if (slot(leaf) >= 0) continue;
      return fail(
          fmt::format("{} is used here, but the equations of the model do not determine this derivative; "
                      "introduce a variable for it with an equation of its own",
                      leaf_name(dae(), leaf)),
          span);
    }
  }
  return {};
}

std::vector<double> CompiledModel::fresh_environment() const {
  std::vector<double> environment(static_cast<std::size_t>(layout_.size), 0.0);
  environment[static_cast<std::size_t>(layout_.time)] = dae().experiment.start_time;
  for (std::size_t v = 0; v < dae().variables.size(); ++v) {
    const double start = dae().variables[v].start;
    if (layout_.discrete_slot[v] >= 0)
      environment[static_cast<std::size_t>(layout_.discrete_slot[v])] = start;
    if (layout_.pre_slot[v] >= 0) environment[static_cast<std::size_t>(layout_.pre_slot[v])] = start;
  }
  return environment;
}

// The leaf of der(name), if the equations have it; invalid: they do not.
NodeId CompiledModel::derivative_of(std::string_view name) const {
  const auto& variables = dae().variables;
  const auto found = std::ranges::find(variables, name, &Variable::name);
  if (found == variables.end() || found->kind != VariableKind::Continuous) return {};
  const VariableId v(static_cast<std::size_t>(found - variables.begin()));
  const auto alias = std::ranges::find(system_->raised.aliases, v, &LevelAlias::variable);
  ExprGraph& graph = *dae().graph;
  const bool is_alias = alias != system_->raised.aliases.end();
  const NodeId leaf = is_alias ? graph.variable(alias->target, alias->order + 1) : graph.variable(v, 1);
  if (system_->level_of(leaf) < 0) return {};
  return is_alias ? graph.mul(graph.constant(alias->factor), leaf) : leaf;
}

// Every derivative that was asked for is an output now.
Result<void> CompiledModel::check_derivatives(std::span<const std::string> vars) const {
  for (const std::string& name : vars) {
    if (!name.starts_with("der(") || std::ranges::count(output_signals, name, &OutputSignal::name) > 0)
      continue;
    constexpr std::size_t shown = 12;  // names that fit three lines
    std::vector<std::string> held;
    for (const Variable& variable : dae().variables) {
      if (held.size() < shown && !variable.internal && derivative_of(variable.name).valid())
        held.push_back(fmt::format("der({})", variable.name));
    }
    return fail(
        fmt::format("'{}' cannot be a result: the equations do not hold this derivative. They hold {}", name,
                    held.empty() ? "none" : fmt::format("{}", fmt::join(held, ", "))));
  }
  return {};
}

void CompiledModel::compile_outputs(std::span<const std::string> vars) {
  struct Source {
    const Variable* attributes = nullptr;
    NodeId value;
  };
  std::unordered_map<std::string_view, Source> by_name;  // the names lie in the system, which stays
  by_name.reserve(dae().variables.size() + dae().reported.size());
  ExprGraph& graph = *dae().graph;
  for (std::size_t v = 0; v < dae().variables.size(); ++v) {
    const Variable& variable = dae().variables[v];
    // A free parameter is reported among the parameters.
    if (variable.kind == VariableKind::FreeParameter) continue;
    if (variable.internal || (v < system_->raised.eliminated.size() && system_->raised.eliminated[v]))
      continue;
    const NodeId value = variable.kind == VariableKind::Continuous ? graph.variable(VariableId(v))
                                                                   : graph.discrete(VariableId(v));
    by_name[variable.name] = {&variable, value};
  }
  for (const ReportedValue& reported : dae().reported) {
    if (!reported.parameter && !reported.attributes.internal)
      by_name[reported.attributes.name] = {&reported.attributes, reported.value};
  }
  std::vector<NodeId> roots;
  roots.reserve(by_name.size());
  output_signals.reserve(by_name.size());
  const auto add = [&](const std::string& name, const Source& source) {
    output_signals.push_back({.name = name,
                              .unit = source.attributes->unit,
                              .description = source.attributes->description,
                              .discrete = source.attributes->kind != VariableKind::Continuous});
    roots.push_back(source.value);
  };
  const auto wanted = [vars](const std::string& name) {
    return vars.empty() || std::ranges::find(vars, name) != vars.end();
  };
  std::erase_if(by_name, [&](const auto& entry) { return !wanted(std::string(entry.first)); });
  for (const std::string& name : vars) {
    if (!name.starts_with("der(") || !name.ends_with(")")) continue;
    const std::string_view inner = std::string_view(name).substr(4, name.size() - 5);
    const NodeId leaf = derivative_of(inner);
    if (!leaf.valid()) continue;
    const auto base = std::ranges::find(dae().variables, inner, &Variable::name);
    const std::string unit = base->unit.empty() ? "" : base->unit + "/s";
    output_signals.push_back(
        {.name = name, .unit = unit, .description = "derivative of " + base->name, .discrete = false});
    roots.push_back(leaf);
  }
  for (const std::string& name : dae().report_order) {
    const auto found = by_name.find(name);
    if (found == by_name.end()) continue;
    add(name, found->second);
    by_name.erase(found);
  }
  // A model built without an order of declaration reports its variables in the order of their numbers.
  for (const Variable& variable : dae().variables) {
    const auto found = by_name.find(variable.name);
    if (found == by_name.end()) continue;
    add(variable.name, found->second);
    by_name.erase(found);
  }
  outputs = compile(roots);
  output_nodes_ = std::move(roots);
}

void CompiledModel::compile_pre_sources() {
  ExprGraph& graph = *dae().graph;
  std::unordered_map<std::int32_t, NodeId> eliminated;
  for (const LevelAlias& alias : system_->raised.aliases) {
    const NodeId leaf = graph.variable(alias.target, alias.order);
    eliminated[alias.variable.value] = graph.mul(graph.constant(alias.factor), leaf);
  }
  std::vector<NodeId> roots;
  for (const VariableId v : pre_variables) {
    const auto found = eliminated.find(v.value);
    if (found != eliminated.end()) {
      roots.push_back(found->second);
    } else if (dae().variables[v.at()].kind == VariableKind::Continuous) {
      roots.push_back(graph.variable(v));
    } else {
      roots.push_back(graph.discrete(v));
    }
  }
  pre_sources = compile(roots);
}

Result<std::unique_ptr<CompiledModel>> CompiledModel::compile(std::shared_ptr<const LevelSystem> system,
                                                              const CodegenOptions& codegen,
                                                              std::span<const std::string> vars) {
  std::unique_ptr<CompiledModel> model(new CompiledModel(std::move(system), codegen));
  model->collect_leaves();
  model->lay_out();
  if (auto checked = model->check_leaves(); !checked) return std::unexpected(checked.error());
  model->residuals = model->compile(model->level_residuals());
  std::vector<NodeId> differences;
  for (const Relation& relation : model->dae().relations) differences.push_back(relation.difference);
  model->relations = model->compile(differences);
  model->selection = make_selection_problem(*model->system_);
  model->selection_values = model->compile(model->selection.expressions);
  model->compile_outputs(vars);
  if (auto known = model->check_derivatives(vars); !known) return std::unexpected(known.error());
  model->compile_pre_sources();
  return model;
}

}  // namespace daedalus
