#include "fmu/fmu_variables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "consistent/events.hpp"
#include "simulate/model_exchange.hpp"

namespace daedalus {
namespace {

// Signals that measure constraints that are left out begin with this (constraints/independent.cpp).
constexpr std::string_view redundant_mark = "redundant ";

FmuType type_of(const Variable& variable) {
  if (variable.kind == VariableKind::Boolean) return FmuType::Boolean;
  if (variable.kind == VariableKind::Integer) return FmuType::Integer;
  if (variable.kind == VariableKind::Input && variable.type == ValueType::Boolean) return FmuType::Boolean;
  if (variable.kind == VariableKind::Input && variable.type == ValueType::Integer) return FmuType::Integer;
  return FmuType::Real;
}

FmuVariable given_variable(const Variable& variable) {
  const bool input = variable.kind == VariableKind::Input;
  return {.name = variable.name,
          .description = variable.description,
          .unit = variable.unit,
          .causality = input ? FmuCausality::Input : FmuCausality::Parameter,
          .type = type_of(variable),
          .initial = FmuInitial::Exact,
          .discrete = type_of(variable) != FmuType::Real,
          .start = variable.start};
}

// States and derivatives are signals where there are such of the same value, and variables of their own where
// not.
class ExchangeVariables {
 public:
  ExchangeVariables(const Engine& engine, FmuVariables& to)
      : model_(engine.model()), levels_(engine.model().levels()), to_(to) {
    for (const FmuVariable& variable : to.all) names_.insert(variable.name);
    for (const FmuVariable& variable : to.all) {
      if (variable.signal < 0 || variable.discrete) continue;
      const NodeId node = model_.output_nodes()[static_cast<std::size_t>(variable.signal)];
      if (levels_.system().graph->node(node).op != Op::Variable) continue;
      reference_.try_emplace(levels_.level_of(node), variable.reference);
    }
  }

  void add() {
    for (const int level : ModelExchange::states_of(levels_)) {
      const unsigned state = reference_of(level, levels_.level_name(level));
      to_.exchange.states.push_back(state);
      to_.exchange.derivatives.push_back(
          reference_of(level + 1, fmt::format("der({})", to_.all[state].name)));
    }
    for (std::size_t r = 0; r < levels_.system().relations.size(); ++r) {
      FmuVariable variable{.name = free_name(fmt::format("event indicator {}", r + 1)),
                           .description = relation_text(levels_.system(), static_cast<int>(r))};
      variable.indicator = static_cast<int>(r);
      to_.exchange.indicators.push_back(put(std::move(variable)));
    }
  }

 private:
  unsigned reference_of(int level, const std::string& name) {
    const auto known = reference_.find(level);
    if (known != reference_.end()) return known->second;
    FmuVariable variable{.name = free_name(name)};
    variable.level = level;
    return reference_[level] = put(std::move(variable));
  }
  [[nodiscard]] std::string free_name(std::string name) {
    while (!names_.insert(name).second) name += "'";
    return name;
  }
  unsigned put(FmuVariable variable) {
    variable.reference = static_cast<unsigned>(to_.all.size());
    to_.all.push_back(std::move(variable));
    return to_.all.back().reference;
  }

  const CompiledModel& model_;
  const LevelSystem& levels_;
  FmuVariables& to_;
  std::unordered_set<std::string> names_;
  std::unordered_map<int, unsigned> reference_;  // by level
};

}  // namespace

Result<FmuVariables> fmu_variables(const Engine& engine, std::span<const std::string> outputs) {
  const DaeSystem& system = engine.system();
  const auto& signals = engine.model().output_signals;
  for (const std::string& name : outputs) {
    if (std::ranges::find(signals, name, &OutputSignal::name) == signals.end())
      return fail(fmt::format("'{}' cannot be an output: the model has no signal of that name", name));
  }
  std::vector<FmuVariable> variables{{.name = std::string(time_name),
                                      .description = "independent variable",
                                      .unit = "s",
                                      .causality = FmuCausality::Independent}};
  std::unordered_map<std::string_view, const Variable*> by_name;
  for (const Variable& variable : system.variables) {
    by_name[variable.name] = &variable;
    if (is_given(variable.kind) && !variable.internal) variables.push_back(given_variable(variable));
  }
  for (std::size_t s = 0; s < signals.size(); ++s) {
    const OutputSignal& signal = signals[s];
    const auto found = by_name.find(signal.name);
    const Variable* source = found == by_name.end() ? nullptr : found->second;
    if (source != nullptr && is_given(source->kind)) continue;
    if (engine.plan().independent != nullptr && signal.name.starts_with(redundant_mark)) continue;
    const bool output = outputs.empty() || std::ranges::find(outputs, signal.name) != outputs.end();
    FmuVariable variable{.name = signal.name,
                         .description = signal.description,
                         .unit = signal.unit,
                         .causality = output ? FmuCausality::Output : FmuCausality::Local,
                         .discrete = signal.discrete,
                         .signal = static_cast<int>(s)};
    if (source != nullptr) {
      variable.type = type_of(*source);
      if (source->kind == VariableKind::Continuous && source->has_start) {
        variable.initial = source->fixed ? FmuInitial::Exact : FmuInitial::Approximate;
        variable.start = source->start;
      }
    }
    variables.push_back(std::move(variable));
  }
  FmuVariables result{.all = std::move(variables)};
  for (std::size_t v = 0; v < result.all.size(); ++v) result.all[v].reference = static_cast<unsigned>(v);
  ExchangeVariables(engine, result).add();
  return result;
}

}  // namespace daedalus
