// A symmetric system A z = b of expressions made smaller: unknowns whose pivot is a number (the accelerations
// of bodies with constant masses) are taken out, by expressions. What is left for a matrix in numbers is the
// Schur complement, which for a mechanism is that of its multipliers; and expressions of one shape are
// evaluated together, where an elimination goes from one body to the next.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "codegen/elimination.hpp"
#include "expr/graph.hpp"

namespace daedalus {

struct Condensation {
  // unknown = inverse (rhs - Σ factor · other), the others being left, or taken out later.
  struct Taken {
    int unknown = 0;
    double inverse = 1;
    NodeId rhs;
    std::vector<std::pair<int, NodeId>> factors;  // by the number of the other unknown
  };
  std::vector<Taken> taken;        // in the order of elimination
  std::vector<int> left;           // the numbers of the others, in their order
  std::vector<MatrixEntry> lower;  // of the matrix that is left, row ≥ column, by place in `left`
  std::vector<NodeId> rhs;         // by place in `left`
};

// `lower`: row ≥ column, each once. Of the first `first` unknowns those are taken out whose pivot is a
// positive number and whose equation has at most `widest` others. Nothing where this is less than half of
// them, or where there are many and have so little in common that an elimination in numbers does as well.
[[nodiscard]] std::optional<Condensation> condense(ExprGraph& graph, int size,
                                                   std::span<const MatrixEntry> lower,
                                                   std::span<const NodeId> rhs, int first,
                                                   std::size_t widest);

}  // namespace daedalus
