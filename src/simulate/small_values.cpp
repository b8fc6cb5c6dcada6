#include "simulate/small_values.hpp"

#include <algorithm>
#include <cmath>

#include "consistent/tolerances.hpp"

namespace daedalus {
namespace {

// An error of atol is one of so many rtol: half of what is wrong. Newton's iteration ends a thousand times
// earlier (consistent::last_step).
constexpr double coarse = 50;
constexpr double coarse_of_algebraic = coarse / consistent::last_step;
// Smaller values of states are the rounding of values of order 1, those of algebraic unknowns that of the
// largest unknown.
constexpr double rounding = 1e-13;

}  // namespace

std::vector<SmallUnknown> small_unknowns(const CompiledModel& model, std::span<const double> sizes,
                                         const Tolerances& tolerances) {
  const LevelSystem& system = model.levels();
  double largest = 1;
  for (std::size_t level = 0; level < sizes.size(); ++level) {
    if (system.levels[level].order == 0) largest = std::max(largest, sizes[level]);
  }
  std::vector<SmallUnknown> small;
  for (std::size_t level = 0; level < sizes.size(); ++level) {
    const auto& [id, order] = system.levels[level];
    const Variable& variable = model.dae().variables[id.at()];
    if (order > 0 || variable.has_nominal || variable.internal) continue;
    const auto column = static_cast<std::size_t>(system.incidence.column[id.at()]);
    const bool algebraic = system.plan.d[column] == 0;
    const double least = algebraic ? rounding * largest : rounding;
    const double many = algebraic ? coarse_of_algebraic : coarse;
    if (sizes[level] < least || tolerances.absolute <= many * tolerances.relative * sizes[level]) continue;
    small.push_back({.name = variable.name,
                     .size = std::pow(10.0, std::round(std::log10(sizes[level]))),
                     .given = variable.has_start && variable.start != 0});
  }
  return small;
}

DaeSystem with_nominal_values(const DaeSystem& system, std::span<const SmallUnknown> small) {
  DaeSystem changed = deep_copy(system);
  for (const SmallUnknown& unknown : small) {
    const auto found = std::ranges::find(changed.variables, unknown.name, &Variable::name);
    if (found == changed.variables.end()) continue;
    found->has_nominal = true;
    found->nominal = unknown.size;
  }
  return changed;
}

}  // namespace daedalus
