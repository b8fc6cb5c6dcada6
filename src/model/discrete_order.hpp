// Putting steps into an order in which each comes after those that it depends on.
#pragma once

#include <span>
#include <vector>

#include "model/dae_system.hpp"

namespace daedalus {

// needs[i]: the steps that step i depends on. The order has the parts of a loop next to each other, in the
// order of their numbers. Linear, without recursion (Tarjan's strongly connected components).
[[nodiscard]] std::vector<std::int32_t> ordered(const std::vector<std::vector<std::int32_t>>& needs);

// The discrete variables that expressions depend on at the same instant (not through pre), also through the
// differences of relations.
[[nodiscard]] std::vector<VariableId> discrete_needs(const DaeSystem& system, std::span<const NodeId> roots);

// Sorts steps so that what uses a discrete variable comes after what determines it.
[[nodiscard]] std::vector<DiscreteStep> sorted_steps(const DaeSystem& system,
                                                     std::vector<DiscreteStep> steps);

// Sorts assignments of one branch so that one that uses another's target comes after it.
void sort_assignments(const DaeSystem& system, std::vector<Assignment>& assignments);

}  // namespace daedalus
