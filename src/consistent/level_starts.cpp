#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "consistent/initialise.hpp"

namespace daedalus {
namespace {

void merge(LevelStart& at, const LevelSystem& system, VariableId v, double sign,
           Diagnostics& contradictions) {
  const Variable& variable = system.system().variables[v.at()];
  const double value = sign * variable.start;
  if (variable.has_nominal && variable.nominal != 0) at.scale = std::abs(variable.nominal);
  if (!variable.has_start && !variable.fixed) return;
  if (at.fixed && variable.fixed && at.value != value) {
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
  if (at.given && (!variable.fixed || at.fixed)) return;
  at.given = true;
  at.fixed = variable.fixed;
  at.value = value;
  at.source = v;
}

}  // namespace

std::vector<LevelStart> level_starts(const LevelSystem& system, Diagnostics& contradictions) {
  std::vector<LevelStart> starts(system.levels.size());
  for (std::size_t k = 0; k < system.levels.size(); ++k) {
    const Level& level = system.levels[k];
    const Variable& variable = system.system().variables[level.variable.at()];
    starts[k].scale = variable.has_nominal && variable.nominal != 0 ? std::abs(variable.nominal) : 1;
    starts[k].source = level.variable;
    if (level.order == 0) merge(starts[k], system, level.variable, 1, contradictions);
  }
  for (const LevelAlias& alias : system.raised.aliases) {
    const int j = system.incidence.column[alias.target.at()];
    if (alias.order > system.plan.d[static_cast<std::size_t>(j)]) continue;
    const int level = system.level_start[static_cast<std::size_t>(j)] + alias.order;
    merge(starts[static_cast<std::size_t>(level)], system, alias.variable, alias.sign, contradictions);
  }
  for (LevelStart& start : starts) start.scale = std::max(start.scale, std::abs(start.value));
  return starts;
}

}  // namespace daedalus
