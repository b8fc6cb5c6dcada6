// Slow and obvious algorithms, as oracles for the fast ones.
#pragma once

#include <optional>
#include <vector>

#include "structure/plan.hpp"
#include "structure/signature.hpp"

namespace daedalus::testing {

// Dense σ, -1 where a variable does not occur.
[[nodiscard]] std::vector<std::vector<int>> dense(const Signature& signature);

// A transversal of the highest value by trying all permutations (n ≤ 8), or nothing if there is none.
struct BruteTransversal {
  int value = 0;
  std::vector<int> variable_of_equation;
};
[[nodiscard]] std::optional<BruteTransversal> brute_force_transversal(const Signature& signature);

// The fixed-point iteration of Pryce (2001) as printed: c = 0; d_j = max_i (σ_ij + c_i); c_i = d_j - σ_ij on
// the transversal; until c does not change.
[[nodiscard]] Offsets fixed_point_offsets(const Signature& signature,
                                          const std::vector<int>& variable_of_equation);

// Pantelides' algorithm (1988) as printed: one equation at a time, recursive AUGMENTPATH, colours cleared
// each time.
[[nodiscard]] Offsets textbook_pantelides(const Signature& signature);

// Size of a maximum matching, by recursion from each equation (orders ignored).
[[nodiscard]] int textbook_matching_size(const Signature& signature);

// Whether the plan is what StructuralPlan promises: offsets feasible, output set tight, blocks a partition in
// solve order that cannot be split, equations sorted.
void expect_valid_plan(const Signature& signature, const StructuralPlan& plan);

}  // namespace daedalus::testing
