#include "fmu/fmu_variables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

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

}  // namespace

Result<std::vector<FmuVariable>> fmu_variables(const Engine& engine, std::span<const std::string> outputs) {
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
  for (std::size_t v = 0; v < variables.size(); ++v) variables[v].reference = static_cast<unsigned>(v);
  return variables;
}

}  // namespace daedalus
