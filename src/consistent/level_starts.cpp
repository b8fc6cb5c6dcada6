#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "consistent/level_starts.hpp"

namespace daedalus {
namespace {

// Two fixed values of one quantity in different units are the same if only rounding is between them.
constexpr double rounding_of_units = 1e-14;

void merge(LevelStart& at, const LevelSystem& system, VariableId v, double factor,
           Diagnostics& contradictions, const StartValues* starts) {
  const Variable& variable = system.system().variables[v.at()];
  const bool given = starts != nullptr && starts->given[v.at()] != 0;
  const double value = (starts != nullptr ? starts->value[v.at()] : variable.start) / factor;
  if (variable.has_nominal && variable.nominal != 0) at.scale = std::abs(variable.nominal / factor);
  if (!variable.has_start && !variable.fixed && !given) return;
  if (at.fixed && variable.fixed && std::abs(at.value - value) > rounding_of_units * std::abs(value)) {
    const Variable& other = system.system().variables[at.source.at()];
    contradictions.push_back(
        {.severity = Severity::Error,
         .message =
             fmt::format("{} and {} are the same quantity, but are fixed at {:g} and {:g}; free one of them",
                         other.name, variable.name, other.start, variable.start),
         .span = variable.span,
         .related = {{.severity = Severity::Note,
                      .message = fmt::format("{} is fixed here", other.name),
                      .span = other.span,
                      .related = {}}}});
    return;
  }
  // A fixed value outweighs a guess; of two guesses the first stays.
  if (at.given && !given && (!variable.fixed || at.fixed)) return;
  at.given = true;
  at.fixed = variable.fixed;
  at.value = value;
  at.source = v;
}

}  // namespace

StartValues start_values(const CompiledModel& model, std::span<const double> environment) {
  const DaeSystem& system = model.dae();
  StartValues starts{.value = std::vector<double>(system.variables.size()),
                     .given = std::vector<char>(system.variables.size(), 0)};
  const auto leaf = [&](NodeId id) {
    const int slot = model.slot(id);
    return slot < 0 ? 0.0 : environment[static_cast<std::size_t>(slot)];
  };
  for (std::size_t v = 0; v < system.variables.size(); ++v) {
    const Variable& variable = system.variables[v];
    starts.value[v] =
        variable.start_value.valid() ? evaluate(*system.graph, variable.start_value, leaf) : variable.start;
  }
  return starts;
}

std::vector<LevelStart> level_starts(const LevelSystem& system, Diagnostics& contradictions,
                                     const StartValues* starts_of_run) {
  std::vector<LevelStart> starts(system.levels.size());
  for (std::size_t k = 0; k < system.levels.size(); ++k) {
    const Level& level = system.levels[k];
    const Variable& variable = system.system().variables[level.variable.at()];
    starts[k].scale = variable.has_nominal && variable.nominal != 0 ? std::abs(variable.nominal) : 1;
    starts[k].source = level.variable;
    if (level.order == 0) merge(starts[k], system, level.variable, 1, contradictions, starts_of_run);
  }
  for (const LevelAlias& alias : system.raised.aliases) {
    const int j = system.incidence.column[alias.target.at()];
    if (alias.order > system.plan.d[static_cast<std::size_t>(j)]) continue;
    const int level = system.level_start[static_cast<std::size_t>(j)] + alias.order;
    merge(starts[static_cast<std::size_t>(level)], system, alias.variable, alias.factor, contradictions,
          starts_of_run);
  }
  for (LevelStart& start : starts) start.scale = std::max(start.scale, std::abs(start.value));
  return starts;
}

}  // namespace daedalus
