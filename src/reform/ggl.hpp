// The projection D μ that ggl and the projected invariants share.
#pragma once

#include "reform/reform_builder.hpp"

namespace daedalus {

[[nodiscard]] int rank_of(const DenseLiteral& matrix);

// Unknowns μ, one for each constraint of position level, and the vector D μ by the option D: GT, B or a
// matrix. Adds the equations that D = B needs.
[[nodiscard]] Result<std::vector<NodeId>> add_projection(ReformBuilder& b, const Selection& options);

}  // namespace daedalus
