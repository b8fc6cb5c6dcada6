// The highest-value transversal of a signature matrix: a sparse assignment problem.
#pragma once

#include <cstdint>
#include <vector>

#include "structure/matching.hpp"
#include "structure/signature.hpp"

namespace daedalus {

// Maximises Σ σ_ij over the perfect matchings. The duals prove it: v_j - u_i ≥ σ_ij for all entries, with
// equality for the matched ones. They are offsets in the sense of Pryce, but neither smallest nor
// nonnegative.
struct Transversal {
  Matching matching;
  std::vector<int> u;  // of equations
  std::vector<int> v;  // of variables
  std::int64_t edge_visits = 0;
};

// A perfect matching must exist.
[[nodiscard]] Transversal highest_value_transversal(const Signature& signature);

}  // namespace daedalus
