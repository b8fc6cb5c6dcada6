#include "ensemble/trajectory_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <unordered_set>

#include "constraints/independent.hpp"
#include "numerics/elimination.hpp"
#include "reform/linear_core.hpp"
#include "saddle/elimination.hpp"
#include "saddle/panel_system.hpp"
#include "saddle/symmetry.hpp"

namespace daedalus {
namespace {

// Longer code no longer fits a processor's caches, and takes a GPU's compiler minutes.
constexpr std::size_t operation_limit = 20'000;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// The options under which orthogonal projection is what the kernel does: each level by itself, in the norm I.
bool is_plain(const Selection& options) {
  return (!options.has("W") || options.text("W") == "I") &&
         (!options.has("levels") || options.text("levels") == "all") && !options.has("invariants");
}

// A sentence: why this engine's runs are not of the kind that a kernel makes. Empty: they are.
std::string refusal_of(const Engine& engine) {
  const RunPlan& plan = engine.plan();
  const DaeSystem& system = engine.system();
  if (plan.form == nullptr)
    return fmt::format(
        "the model runs by formulation {}, and ensembles need the equations as M x'' = f - G' lambda, 0 = g",
        plan.formulation.name());
  if (plan.row->name != "orthogonal-projection" || !is_plain(plan.row_options))
    return fmt::format(
        "the engine was compiled for {}, and ensembles hold constraints by orthogonal-projection with its "
        "default options",
        plan.row->name);
  if (plan.integrator_row->name != "dopri5" && plan.integrator_row->name != "dop853")
    return fmt::format("the engine was compiled for {}, and ensembles step by dopri5 or dop853",
                       plan.integrator_row->name);
  if (plan.options.step) return "a step of fixed length was asked for, and ensembles choose their steps";
  if (!plan.options.inputs.empty())
    return fmt::format("the input {} is a function of time", plan.options.inputs.front().name);
  if (!system.relations.empty() || !system.samples.empty() || !system.discrete_steps.empty())
    return "the model has events";
  if (!system.assertions.empty()) return "the model has assertions, which are watched along the run";
  return {};
}

}  // namespace

// Writes a kernel for one engine, on a copy of its graph.
class TrajectoryWriter {
 public:
  explicit TrajectoryWriter(const Engine& engine) : engine_(engine), form_(*engine.plan().form) {
    form_.raised.system = deep_copy(form_.raised.system);
    kernel_.graph = form_.raised.system.graph;
  }

  Result<TrajectoryKernel> write(std::span<const std::string> outputs) {
    auto system = reformulate(*engine_.plan().row, form_, engine_.plan().row_options, true);
    if (!system) return std::unexpected(system.error());
    system_ = *std::move(system);
    std::string trouble = solve_rates();
    if (trouble.empty()) trouble = project();
    if (trouble.empty()) trouble = find_outputs(outputs);
    if (trouble.empty()) find_start();
    if (trouble.empty()) trouble = lay_out();
    if (!trouble.empty()) return fail(trouble);
    settings();
    kernel_.graph = form_.raised.system.graph;
    return std::move(kernel_);
  }

 private:
  using Known = std::unordered_map<NodeId, NodeId>;

  [[nodiscard]] ExprGraph& graph() const { return form_.graph(); }
  [[nodiscard]] ProgramSetting setting_for(std::span<const NodeId> roots) const;
  [[nodiscard]] std::optional<SymbolicLdl> eliminate(const SymbolicMatrix& matrix, int first,
                                                     std::span<const NodeId> rhs);
  std::string solve_rates();
  void take_states(const Known& known);
  std::string project();
  std::string project_level(int level, std::span<const int> rows);
  [[nodiscard]] std::optional<SymbolicLdl> projection_of(int level, std::span<const int> rows,
                                                         std::span<const int> columns,
                                                         TrajectoryKernel::Projection& projection);
  [[nodiscard]] int state_of(int position, int level) const;
  [[nodiscard]] std::optional<std::pair<const Variable*, double>> named(int position, int level) const;
  void find_start();
  std::string find_outputs(std::span<const std::string> names);
  [[nodiscard]] NodeId output(const std::string& name) const;
  [[nodiscard]] NodeId derivative(std::string_view name) const;
  std::string lay_out();
  void settings();

  const Engine& engine_;
  ConstrainedForm form_;
  ReformulatedSystem system_;
  TrajectoryKernel kernel_;
  Known known_;                   // by leaf: rates and algebraic unknowns in time, states and given values
  std::vector<int> order_;        // of the last elimination
  std::vector<NodeId> solution_;  // of the last elimination, by unknown
};

// Slots for whatever leaves there are: for analyses that evaluate at points of their own.
ProgramSetting TrajectoryWriter::setting_for(std::span<const NodeId> roots) const {
  auto slots = std::make_shared<std::unordered_map<NodeId, int>>();
  for (const NodeId id : topological_order(graph(), roots)) {
    const Node& node = graph().node(id);
    if (node.arity == 0 && node.op != Op::Constant) slots->emplace(id, static_cast<int>(slots->size()));
  }
  const int count = static_cast<int>(slots->size());
  return {.slots = count, .slot_of = [slots](NodeId leaf) { return slots->at(leaf); }, .codegen = {}};
}

// L D Lᵀ as expressions, and the solution of it.
std::optional<SymbolicLdl> TrajectoryWriter::eliminate(const SymbolicMatrix& matrix, int first,
                                                       std::span<const NodeId> rhs) {
  std::vector<NodeId> roots(rhs.begin(), rhs.end());
  for (const SymbolicEntry& entry : matrix.entries) roots.push_back(entry.value);
  const PanelSystem panels({.graph = graph(), .matrix = matrix, .rhs = rhs, .first = first},
                           setting_for(roots));
  order_.assign(panels.order().begin(), panels.order().end());
  const std::vector<int> position = inverse_permutation(order_);
  auto ldl = SymbolicLdl::factor(graph(), static_cast<int>(rhs.size()), lower_entries(matrix, position),
                                 operation_limit);
  if (!ldl) return ldl;
  std::vector<NodeId> b;
  for (const int k : order_) b.push_back(rhs[at(k)]);
  const std::vector<NodeId> by_position = ldl->solve(graph(), b);
  solution_.clear();
  for (const int k : position) solution_.push_back(by_position[at(k)]);
  return ldl;
}

std::string TrajectoryWriter::solve_rates() {
  auto core = find_linear_core(form_, system_);
  if (!core) return "accelerations and multipliers do not enter the equations linearly";
  if (!core->unknowns.empty()) {
    std::vector<NodeId> roots = core->rhs;
    for (const SymbolicEntry& entry : core->matrix.entries) roots.push_back(entry.value);
    const auto first = make_symmetric(graph(), *core, setting_for(roots));
    if (!first) return "the matrix of accelerations and multipliers is not symmetric";
    if (!eliminate(core->matrix, *first, core->rhs))
      return fmt::format(
          "accelerations and multipliers take more than {} operations when they are written out",
          operation_limit);
    for (std::size_t k = 0; k < core->unknowns.size(); ++k) known_[core->unknowns[k]] = solution_[k];
  }
  for (const LinearCore::Assignment& assignment : core->assignments)
    known_[assignment.leaf] = substitute(graph(), std::span(&assignment.value, 1), known_).front();
  take_states(known_);
  return {};
}

void TrajectoryWriter::take_states(const Known& known) {
  std::vector<NodeId> rates;
  for (const ReformUnknown& unknown : system_.unknowns) {
    if (!unknown.rate.valid()) continue;
    kernel_.states.push_back(unknown.leaf);
    const auto found = known.find(unknown.rate);
    rates.push_back(found == known.end() ? unknown.rate : found->second);
    const Variable& variable = form_.system().variables[graph().variable_of(unknown.leaf).at()];
    const double nominal = variable.has_nominal ? std::abs(variable.nominal) : 1;
    kernel_.nominal.push_back(nominal > 0 ? nominal : 1);
  }
  if (rates.empty()) return;
  const auto& states = kernel_.states;
  const auto count = std::ranges::find(states, rates.front()) - states.begin();
  const bool follow = 2 * count <= std::ssize(states) &&
                      std::equal(rates.begin(), rates.begin() + count, states.begin() + count);
  kernel_.positions = follow ? static_cast<int>(count) : 0;
  kernel_.rates.assign(rates.begin() + kernel_.positions, rates.end());
}

std::string TrajectoryWriter::project() {
  kernel_.regularity = graph().constant(1);
  for (int level = 0; level < form_.order; ++level) {
    std::vector<int> rows;
    for (int i = 0; i < form_.ny(); ++i) {
      if (form_.constraints[at(i)].level <= level) rows.push_back(i);
    }
    if (rows.empty()) continue;
    if (std::string trouble = project_level(level, rows); !trouble.empty()) return trouble;
  }
  return {};
}

// [1 Gᵀ; G 0] of these rows of G and these positions, and c on the right.
std::optional<SymbolicLdl> TrajectoryWriter::projection_of(int level, std::span<const int> rows,
                                                           std::span<const int> columns,
                                                           TrajectoryKernel::Projection& projection) {
  const int n = static_cast<int>(columns.size());
  std::vector<int> row_of(at(form_.ny()), -1);
  std::vector<int> column_of(at(form_.n()), -1);
  for (std::size_t r = 0; r < rows.size(); ++r) row_of[at(rows[r])] = static_cast<int>(r);
  for (int c = 0; c < n; ++c) column_of[at(columns[at(c)])] = c;
  SymbolicMatrix matrix;
  for (int i = 0; i < n; ++i) matrix.entries.push_back({.row = i, .column = i, .value = graph().constant(1)});
  for (const SymbolicEntry& entry : form_.constraint.entries) {
    const int r = row_of[at(entry.row)];
    const int c = column_of[at(entry.column)];
    if (r < 0 || c < 0) continue;
    matrix.entries.push_back({.row = n + r, .column = c, .value = entry.value});
    matrix.entries.push_back({.row = c, .column = n + r, .value = entry.value});
  }
  matrix.rows = matrix.columns = n + static_cast<int>(rows.size());
  std::vector<NodeId> rhs(at(n), graph().constant(0));
  projection.linear = true;
  for (const int i : rows) {
    const FormConstraint& constraint = form_.constraints[at(i)];
    rhs.push_back(constraint.derivatives[at(level - constraint.level)]);
    projection.linear = projection.linear && constraint.level < level;
  }
  auto ldl = eliminate(matrix, n, rhs);
  if (!ldl) return ldl;
  for (int i = 0; i < n; ++i) {
    if (graph().is_constant(solution_[at(i)], 0)) continue;
    projection.states.push_back(state_of(columns[at(i)], level));
    projection.step.push_back(solution_[at(i)]);
  }
  return ldl;
}

int TrajectoryWriter::state_of(int position, int level) const {
  const auto state = std::ranges::find(kernel_.states, form_.x(position, level));
  return static_cast<int>(state - kernel_.states.begin());
}

std::string TrajectoryWriter::project_level(int level, std::span<const int> rows) {
  const int n = form_.n();
  std::vector<int> all(at(n));
  std::iota(all.begin(), all.end(), 0);
  TrajectoryKernel::Projection projection;
  const auto ldl = projection_of(level, rows, all, projection);
  if (!ldl)
    return fmt::format(
        "the projection onto the constraints takes more than {} operations when it is written out",
        operation_limit);
  for (const int i : rows) {
    const FormConstraint& constraint = form_.constraints[at(i)];
    kernel_.constraints.push_back(constraint.derivatives[at(level - constraint.level)]);
  }
  kernel_.projections.push_back(std::move(projection));
  if (kernel_.projections.size() > 1) return {};
  // Of each constraint the part of its gradient's square that those before it leave.
  std::vector<NodeId> lengths(at(form_.ny()), graph().constant(0));
  for (const SymbolicEntry& entry : form_.constraint.entries)
    lengths[at(entry.row)] = graph().add(lengths[at(entry.row)], graph().mul(entry.value, entry.value));
  const std::vector<int> position = inverse_permutation(order_);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const NodeId pivot = graph().neg(ldl->pivots()[at(position[at(n) + r])]);
    kernel_.regularity = graph().apply(Op::Min, kernel_.regularity, graph().div(pivot, lengths[at(rows[r])]));
  }
  return {};
}

// The variable that is x_i^(level), under whatever name, and by how much it is larger. Nothing: there are
// several.
std::optional<std::pair<const Variable*, double>> TrajectoryWriter::named(int position, int level) const {
  const DaeSystem& system = form_.system();
  const VariableId v = form_.positions[at(position)];
  if (level == 0) return std::pair{&system.variables[v.at()], 1.0};
  std::optional<std::pair<const Variable*, double>> found;
  for (const LevelAlias& alias : form_.raised.aliases) {
    if (alias.target != v || alias.order != level) continue;
    if (found) return std::nullopt;
    found = {&system.variables[alias.variable.at()], alias.factor};
  }
  return found;
}

// As many values that are not fixed as there are constraints, at each level: then the start is determined.
void TrajectoryWriter::find_start() {
  const DaeSystem& system = form_.system();
  TrajectoryKernel::Start start;
  if (!form_.companions.empty() || !system.initial_equations.empty() || !system.initial_assignments.empty())
    return;
  start.values.resize(kernel_.states.size());
  std::size_t fixed_values = 0;
  for (int level = 0; level < form_.order; ++level) {
    std::vector<int> rows;
    std::vector<int> moved;
    for (int i = 0; i < form_.ny(); ++i) {
      if (form_.constraints[at(i)].level <= level) rows.push_back(i);
    }
    for (int i = 0; i < form_.n(); ++i) {
      const auto name = named(i, level);
      if (!name) return;
      const auto& [variable, factor] = *name;
      const NodeId value =
          variable->start_value.valid() ? variable->start_value : graph().constant(variable->start);
      start.values[at(state_of(i, level))] = graph().div(value, graph().constant(factor));
      if (!variable->fixed) moved.push_back(i);
      fixed_values += variable->fixed ? 1 : 0;
    }
    if (moved.size() != rows.size()) return;
    if (rows.empty()) continue;
    if (!projection_of(level, rows, moved, start.projections.emplace_back())) return;
  }
  // Forces and accelerations that are fixed would be further conditions.
  const auto fixed = std::ranges::count_if(system.variables, &Variable::fixed);
  start.known = static_cast<std::size_t>(fixed) == fixed_values;
  kernel_.start = std::move(start);
}

NodeId TrajectoryWriter::derivative(std::string_view name) const {
  const auto& variables = form_.system().variables;
  const auto found = std::ranges::find(variables, name, &Variable::name);
  if (found == variables.end() || found->kind != VariableKind::Continuous) return {};
  const VariableId v(static_cast<std::size_t>(found - variables.begin()));
  const auto& aliases = engine_.model().levels().raised.aliases;
  const auto alias = std::ranges::find(aliases, v, &LevelAlias::variable);
  if (alias == aliases.end()) return graph().variable(v, 1);
  return graph().mul(graph().constant(alias->factor), graph().variable(alias->target, alias->order + 1));
}

// As CompiledModel names its signals.
NodeId TrajectoryWriter::output(const std::string& name) const {
  const DaeSystem& system = form_.system();
  if (name.starts_with("der(") && name.ends_with(")"))
    return derivative(std::string_view(name).substr(4, name.size() - 5));
  for (const ReportedValue& reported : system.reported) {
    if (reported.attributes.name == name) return reported.value;
  }
  for (std::size_t v = 0; v < system.variables.size(); ++v) {
    const Variable& variable = system.variables[v];
    if (variable.name != name) continue;
    return variable.kind == VariableKind::Continuous ? graph().variable(VariableId(v))
                                                     : graph().discrete(VariableId(v));
  }
  return {};
}

std::string TrajectoryWriter::find_outputs(std::span<const std::string> names) {
  const bool redundant = engine_.plan().independent != nullptr;
  std::unordered_set<NodeId> multipliers;
  for (int i = 0; i < form_.ny(); ++i) multipliers.insert(form_.y(i));
  for (const std::string& name : names) {
    const NodeId node = output(name);
    if (!node.valid()) return fmt::format("there is no signal '{}'", name);
    for (const NodeId leaf : leaves_of(graph(), node)) {
      if (redundant && multipliers.contains(leaf))
        return fmt::format("'{}' is a reaction of redundant constraints, which are shared out after a run",
                           name);
    }
    kernel_.outputs.push_back(substitute(graph(), std::span(&node, 1), known_).front());
  }
  for (const ReportedValue& reported : form_.system().reported) {
    if (is_measure(reported.attributes.name))
      kernel_.constraints.push_back(substitute(graph(), std::span(&reported.value, 1), known_).front());
  }
  return {};
}

std::string TrajectoryWriter::lay_out() {
  kernel_.time = graph().time();
  kernel_.slot_[kernel_.time] = 0;
  for (std::size_t k = 0; k < kernel_.states.size(); ++k)
    kernel_.slot_[kernel_.states[k]] = 1 + static_cast<int>(k);
  std::vector<NodeId> roots = kernel_.rates;
  for (const auto& projection : kernel_.projections)
    roots.insert(roots.end(), projection.step.begin(), projection.step.end());
  roots.insert(roots.end(), kernel_.constraints.begin(), kernel_.constraints.end());
  roots.insert(roots.end(), kernel_.outputs.begin(), kernel_.outputs.end());
  roots.push_back(kernel_.regularity);
  if (kernel_.start.known) {
    roots.insert(roots.end(), kernel_.start.values.begin(), kernel_.start.values.end());
    for (const auto& projection : kernel_.start.projections)
      roots.insert(roots.end(), projection.step.begin(), projection.step.end());
  }
  for (const NodeId id : topological_order(graph(), roots)) {
    const Node& node = graph().node(id);
    if (node.arity != 0 || node.op == Op::Constant || kernel_.slot_.contains(id)) continue;
    if (node.op != Op::Discrete)
      return fmt::format("'{}' does not follow from the states", leaf_name(form_.system(), id));
    kernel_.slot_[id] = kernel_.slots();
    kernel_.given.push_back(id);
  }
  if (kernel_.operations() > operation_limit)
    return fmt::format("the rates take more than {} operations when they are written out", operation_limit);
  return {};
}

void TrajectoryWriter::settings() {
  const RunPlan& plan = engine_.plan();
  kernel_.tableau = plan.integrator_row->name == "dopri5" ? &dopri5_tableau() : &dop853_tableau();
  kernel_.largest_error = plan.integrator.has("norm") && plan.integrator.text("norm") == "max";
  if (plan.integrator.has("max_step")) kernel_.longest_step = plan.integrator.number("max_step");
}

LeafSlot TrajectoryKernel::slot_of() const {
  return [this](NodeId leaf) {
    const auto found = slot_.find(leaf);
    return found == slot_.end() ? -1 : found->second;
  };
}

Tape TrajectoryKernel::tape(std::span<const NodeId> roots) const {
  return Tape::write(*graph, roots, slots(), slot_of());
}

std::size_t TrajectoryKernel::operations() const {
  return graph == nullptr ? 0 : tape(rates).operations.size();
}

Result<TrajectoryKernel> trajectory_kernel(const Engine& engine, std::span<const std::string> outputs) {
  if (const std::string refusal = refusal_of(engine); !refusal.empty()) return fail(refusal);
  return TrajectoryWriter(engine).write(outputs);
}

}  // namespace daedalus
