// A symmetric system A z = b of expressions made smaller: unknowns whose pivot is a number (the accelerations
// of bodies with constant masses) are taken out, by expressions. What is left for a matrix in numbers is the
// Schur complement, which for a mechanism is that of its multipliers; and expressions of one shape are
// evaluated together, where an elimination goes from one body to the next.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "expr/graph.hpp"
#include "saddle/elimination.hpp"

namespace daedalus {

struct Condensation {
  // unknown = inverse (rhs - Σ factor · other), the others being left, or taken out later.
  struct Taken {
    int unknown = 0;
    double inverse = 1;
    NodeId rhs;
    std::vector<std::pair<int, NodeId>> factors;  // by the number of the other unknown
  };
  std::vector<Taken> taken;             // in the order of elimination
  std::vector<int> left;                // the numbers of the others, in their order
  std::vector<EliminationEntry> lower;  // of the matrix that is left, row ≥ column, by place in `left`
  std::vector<NodeId> rhs;              // by place in `left`
};

struct CondensationLimits {
  std::size_t widest = 0;  // of an equation: so many other unknowns
  // Of the work of an elimination in numbers, what would be saved: where that is little, and there are many
  // unknowns that have little in common, expressions take longer to compile than they save.
  double saved = 1;
};

// `lower`: row ≥ column, each once. Of the first `first` unknowns those are taken out whose pivot is a
// positive number. Nothing where this is less than half of them, or not worth while.
[[nodiscard]] std::optional<Condensation> condense(ExprGraph& graph, int size,
                                                   std::span<const EliminationEntry> lower,
                                                   std::span<const NodeId> rhs, int first,
                                                   const CondensationLimits& limits);

}  // namespace daedalus
