// Every expression of a DaeSystem, so that a rewriting misses none.
#pragma once

#include <unordered_map>
#include <vector>

#include "model/dae_system.hpp"

namespace daedalus {

[[nodiscard]] std::vector<NodeId*> system_expressions(DaeSystem& system);

// Replaces nodes by others in all of them.
void substitute_everywhere(DaeSystem& system, const std::unordered_map<NodeId, NodeId>& replacement);

}  // namespace daedalus
