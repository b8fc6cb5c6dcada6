// Derivatives that are asked for beyond those that the solution of a system needs.
#pragma once

#include <span>

#include "structure/plan.hpp"

namespace daedalus {

// Differentiates so often that variable j has derivatives up to order[j], and no more often than that. The
// degrees of freedom and the structural index stay.
void raise_offsets(const Signature& signature, std::span<const int> order, StructuralPlan& plan);

}  // namespace daedalus
