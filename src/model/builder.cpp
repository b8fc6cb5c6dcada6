#include "model/builder.hpp"

#include <fmt/format.h>

#include "model/builder_state.hpp"
#include "model/discrete_order.hpp"

namespace daedalus {

BuilderState::BuilderState(std::string name)
    : system{.name = std::move(name),
             .graph = std::make_shared<ExprGraph>(),
             .sources = std::make_shared<SourceMap>()},
      derivative(*system.graph) {}

void BuilderState::complain(std::string message) {
  errors.push_back({.severity = Severity::Error, .message = std::move(message), .span = {}, .related = {}});
}

VariableId BuilderState::require_variable(NodeId node, const char* what) {
  const Node& leaf = system.graph->node(node);
  const bool plain = leaf.op == Op::Discrete || (leaf.op == Op::Variable && leaf.args[1] == 0);
  if (plain) return VariableId(leaf.args[0]);
  complain(fmt::format("{} needs a variable, but it is given {}", what, expression_text(system, node)));
  return {};
}

ModelBuilder::ModelBuilder(std::string name) : state_(std::make_unique<BuilderState>(std::move(name))) {}
ModelBuilder::~ModelBuilder() = default;
ModelBuilder::ModelBuilder(ModelBuilder&&) noexcept = default;
ModelBuilder& ModelBuilder::operator=(ModelBuilder&&) noexcept = default;

namespace {

Variable described(std::string name, const Attributes& attributes) {
  Variable variable;
  variable.name = std::move(name);
  variable.kind = attributes.kind;
  variable.state_select = attributes.state_select;
  variable.has_start = attributes.start.has_value();
  variable.fixed = attributes.fixed;
  variable.start = attributes.start.value_or(0);
  variable.nominal = attributes.nominal.value_or(1);
  variable.has_nominal = attributes.nominal.has_value();
  variable.min = attributes.min;
  variable.max = attributes.max;
  variable.unit = attributes.unit;
  variable.description = attributes.description;
  return variable;
}

void take_name(BuilderState& state, const std::string& name) {
  if (name == time_name) state.complain("the name 'time' is that of the time of the simulation");
  if (!state.names.insert(name).second) state.complain(fmt::format("the name '{}' is used twice", name));
}

bool is_discrete(const Variable& variable) {
  return daedalus::is_discrete(variable.kind);
}

}  // namespace

Expr ModelBuilder::variable(std::string name, const Attributes& attributes) {
  DaeSystem& system = state_->system;
  take_name(*state_, name);
  system.report_order.push_back(name);
  const VariableId id(system.variables.size());
  system.variables.push_back(described(std::move(name), attributes));
  const bool continuous = attributes.kind == VariableKind::Continuous;
  return {state_.get(), continuous ? system.graph->variable(id) : system.graph->discrete(id)};
}

Expr ModelBuilder::parameter(std::string name, double value, const Attributes& attributes) {
  take_name(*state_, name);
  ReportedValue reported{.attributes = described(std::move(name), attributes),
                         .value = state_->system.graph->constant(value),
                         .parameter = true};
  reported.attributes.kind = VariableKind::Parameter;
  reported.attributes.start = value;
  reported.attributes.has_start = true;
  state_->system.reported.push_back(std::move(reported));
  return {state_.get(), state_->system.graph->constant(value)};
}

Expr ModelBuilder::free_parameter(std::string name, double value, const Attributes& attributes) {
  DaeSystem& system = state_->system;
  take_name(*state_, name);
  Variable made = described(std::move(name), attributes);
  made.kind = VariableKind::FreeParameter;
  made.start = value;
  made.has_start = true;
  const NodeId leaf = system.graph->discrete(VariableId(system.variables.size()));
  system.reported.push_back({.attributes = made, .value = leaf, .parameter = true});
  system.variables.push_back(std::move(made));
  return {state_.get(), leaf};
}

Expr ModelBuilder::input(std::string name, const Attributes& attributes) {
  Attributes given = attributes;
  given.kind = VariableKind::Input;
  const Expr made = variable(std::move(name), given);
  if (attributes.kind == VariableKind::Integer) state_->system.variables.back().type = ValueType::Integer;
  if (attributes.kind == VariableKind::Boolean) state_->system.variables.back().type = ValueType::Boolean;
  return made;
}

void ModelBuilder::start(const Expr& variable, const Expr& value) {
  DaeSystem& system = state_->system;
  const VariableId id = state_->require_variable(variable.node(*state_), "start");
  if (!id.valid()) return;
  const NodeId node = value.node(*state_);
  for (const NodeId leaf : leaves_of(*system.graph, node)) {
    const Node& at = system.graph->node(leaf);
    if (at.op == Op::Discrete && is_given(system.variables[static_cast<std::size_t>(at.args[0])].kind))
      continue;
    state_->complain(
        fmt::format("the start value of '{}' can depend on free parameters and inputs only, not on {}",
                    system.variables[id.at()].name, leaf_name(system, leaf)));
    return;
  }
  Variable& described = system.variables[id.at()];
  described.has_start = true;
  described.start = value_at_starts(system, node);
  described.start_value = system.graph->is_constant(node) ? NodeId{} : node;
}

Expr ModelBuilder::time() {
  return {state_.get(), state_->system.graph->time()};
}

Expr ModelBuilder::initial() {
  return {state_.get(), state_->system.graph->initial()};
}

Expr ModelBuilder::sample(double start, double interval) {
  if (!(interval > 0))
    state_->complain(fmt::format("the interval of sample is {}, but it must be positive", interval));
  const SampleId id(state_->system.samples.size());
  state_->system.samples.push_back({.start = start, .interval = interval, .span = {}});
  return {state_.get(), state_->system.graph->sample(id)};
}

void ModelBuilder::equation(const Expr& left, const Expr& right, std::string label) {
  const NodeId residual = state_->system.graph->sub(left.node(*state_), right.node(*state_));
  state_->system.equations.push_back({.residual = residual, .span = {}, .label = std::move(label)});
}

void ModelBuilder::initial_equation(const Expr& left, const Expr& right, std::string label) {
  const NodeId residual = state_->system.graph->sub(left.node(*state_), right.node(*state_));
  state_->system.initial_equations.push_back({.residual = residual, .span = {}, .label = std::move(label)});
}

void ModelBuilder::assign(const Expr& variable, const Expr& value) {
  const VariableId id = state_->require_variable(variable.node(*state_), "assign");
  if (id.valid()) state_->assignments.push_back({id, value.node(*state_), {}});
}

WhenBuilder ModelBuilder::when(const Expr& condition) {
  state_->clauses.emplace_back();
  WhenBuilder builder(*state_, state_->clauses.size() - 1);
  builder.else_when(condition);
  return builder;
}

void ModelBuilder::assertion(const Expr& condition, std::string message) {
  state_->system.assertions.push_back({.condition = no_event(condition).node(*state_),
                                       .message = std::move(message),
                                       .is_error = true,
                                       .span = {}});
}

void ModelBuilder::experiment(const Experiment& experiment) {
  state_->system.experiment = experiment;
}

WhenBranch& WhenBuilder::branch() {
  return state_->clauses[clause_].branches.back();
}

WhenBuilder& WhenBuilder::else_when(const Expr& condition) {
  state_->clauses[clause_].branches.emplace_back().conditions.push_back(condition.node(*state_));
  return *this;
}

WhenBuilder& WhenBuilder::set(const Expr& variable, const Expr& value) {
  const VariableId id = state_->require_variable(variable.node(*state_), "set");
  if (id.valid()) branch().assignments.push_back({id, no_event(value).node(*state_), {}});
  return *this;
}

WhenBuilder& WhenBuilder::reinit(const Expr& variable, const Expr& value) {
  const VariableId id = state_->require_variable(variable.node(*state_), "reinit");
  if (id.valid()) branch().reinits.push_back({id, no_event(value).node(*state_), {}});
  return *this;
}

WhenBuilder& WhenBuilder::terminate(std::string message) {
  branch().terminations.push_back({.message = std::move(message), .span = {}});
  return *this;
}

namespace {

// Every discrete variable needs exactly one source of its value, and only discrete ones have one.
void check_sources(BuilderState& state) {
  const std::vector<Variable>& variables = state.system.variables;
  std::vector<int> sources(variables.size(), 0);
  for (const Assignment& a : state.assignments) ++sources[a.target.at()];
  for (const WhenClause& clause : state.clauses) {
    std::unordered_set<VariableId> targets;
    for (const WhenBranch& branch : clause.branches) {
      for (const Assignment& a : branch.assignments) targets.insert(a.target);
      for (const Assignment& a : branch.reinits) {
        if (is_discrete(variables[a.target.at()])) {
          state.complain(fmt::format("reinit needs a continuous variable, but '{}' is discrete",
                                     variables[a.target.at()].name));
        }
      }
    }
    for (const VariableId id : targets) ++sources[id.at()];
  }
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const bool discrete = is_discrete(variables[i]);
    if (discrete && sources[i] == 0) {
      state.complain(fmt::format("nothing gives the discrete variable '{}' a value", variables[i].name));
    }
    if (discrete && sources[i] > 1) {
      state.complain(fmt::format("the discrete variable '{}' gets its value from {} places",
                                 variables[i].name, sources[i]));
    }
    if (!discrete && sources[i] > 0) {
      state.complain(fmt::format("'{}' is continuous; declare it as DiscreteReal to assign it at events",
                                 variables[i].name));
    }
  }
}

}  // namespace

Result<DaeSystem> ModelBuilder::build() {
  const std::unique_ptr<BuilderState> state = std::move(state_);
  state_ = std::make_unique<BuilderState>("");
  check_sources(*state);
  if (!state->errors.empty()) return std::unexpected(std::move(state->errors));
  std::vector<DiscreteStep> steps(state->assignments.begin(), state->assignments.end());
  for (WhenClause& clause : state->clauses) {
    for (WhenBranch& branch : clause.branches) sort_assignments(state->system, branch.assignments);
    steps.emplace_back(std::move(clause));
  }
  state->system.discrete_steps = sorted_steps(state->system, std::move(steps));
  return std::move(state->system);
}

}  // namespace daedalus
