// When a step that failed is explained by the constraints.
#pragma once

namespace daedalus {

// Their smallest singular value s², against the largest that it has been (numerics/rank_policy.hpp): below,
// three digits of the multipliers are lost, and that is why.
constexpr double nearly_singular = 1e-3;

}  // namespace daedalus
