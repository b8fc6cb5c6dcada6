// The projection D μ that ggl and the projected invariants share.
#pragma once

#include "reform/reform_builder.hpp"

namespace daedalus {

[[nodiscard]] int rank_of(const DenseLiteral& matrix);

// Unknowns μ, one for each of the constraints (by their numbers), and the vector D μ by the option D: GT, B
// or a matrix. Adds the equations that D = B needs. `name` of the unknowns.
[[nodiscard]] Result<std::vector<NodeId>> add_projection(ReformBuilder& b, const Selection& options,
                                                         const std::vector<int>& rows,
                                                         const std::string& name = "mu");
// Constraints that hold at level k or below: of x^(k) they say something.
[[nodiscard]] std::vector<int> constraints_up_to(const ConstrainedForm& form, int level);

}  // namespace daedalus
