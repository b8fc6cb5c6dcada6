// Pantelides' algorithm: how often each equation must be differentiated.
#pragma once

#include <cstdint>
#include <vector>

#include "structure/matching.hpp"
#include "structure/signature.hpp"

namespace daedalus {

struct Differentiations {
  std::vector<int> c;  // times that equation i is differentiated, the smallest possible
  std::vector<int> d;  // order of the highest derivative of variable j afterwards
  Matching matching;   // perfect, of tight entries
  std::int64_t edge_visits = 0;
};

// C. C. Pantelides, "The consistent initialization of differential-algebraic systems", SIAM J. Sci. Stat.
// Comput. 9 (1988). The signature must have a perfect matching when orders are ignored (see
// dulmage_mendelsohn); then the algorithm ends.
[[nodiscard]] Differentiations pantelides(const Signature& signature);

}  // namespace daedalus
