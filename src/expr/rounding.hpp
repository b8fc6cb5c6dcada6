// How large a residual can be by rounding alone: where lengths of a metre cancel, 1e-16 m is left, and so is
// 1e-16 of a derivative that ought to be zero. Whoever scales an equation by its largest derivative must
// know.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "expr/graph.hpp"

namespace daedalus {

struct Rounded {
  double value = 0;
  double error = 0;  // zero where the bound has no finite value
};

// By root: its value, and a first-order bound of the rounding errors of its evaluation, operation by
// operation, where every leaf is exact to half a digit.
[[nodiscard]] std::vector<Rounded> evaluate_rounded(const ExprGraph& graph, std::span<const NodeId> roots,
                                                    const std::function<double(NodeId)>& leaf);

}  // namespace daedalus
