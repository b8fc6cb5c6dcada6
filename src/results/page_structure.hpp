// The structure of a model for a page: which unknown occurs where, blocks, hidden constraints.
#pragma once

#include "model/dae_system.hpp"
#include "results/page_blob.hpp"

namespace daedalus {

// {"equations": [{"text", "c"}], "variables": [{"name", "d"}], "rows", "columns", "orders": data of the
// entries,
//  "blocks": [[equations, variables]], "hidden": [{"text", "of", "level"}], "index", "dof"}; what a system
//  with
// redundant constraints has not is left out. Null for models too large to look at.
[[nodiscard]] PageJson structure_data(const DaeSystem& system, PageBlob& blob);

}  // namespace daedalus
