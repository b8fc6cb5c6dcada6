// The block-triangular form with respect to the highest derivatives.
#pragma once

#include <cstdint>
#include <vector>

#include "structure/matching.hpp"
#include "structure/plan.hpp"

namespace daedalus {

struct BlockTriangularForm {
  std::vector<Block> blocks;  // in solve order
  std::int64_t edge_visits = 0;
};

// The matching must be perfect, of tight entries. An entry couples only if it is tight: what occurs at a
// lower order than the highest is known when the block is solved.
[[nodiscard]] BlockTriangularForm block_triangular_form(const TightGraph& graph, const Matching& matching);

}  // namespace daedalus
