// The order of elimination of a matrix [S B; G 0] without pivoting: the rows of S by minimum degree (AMD) of
// a graph in which each constraint joins all that it constrains, and each constraint as soon as all these are
// eliminated. Then every leading block is a saddle matrix of its own with constraints of full rank, and its
// pivots exist wherever S is near a positive definite matrix. Constraints after all of S, as StaticLdl has
// them, would meet a full Schur complement.
#pragma once

#include <cstdint>
#include <vector>

#include "numerics/sparse_pattern.hpp"

namespace daedalus {

// The order above; the first `first` rows are those of S.
[[nodiscard]] std::vector<int> interleaved_saddle_order(const SparsePattern& pattern, int first);

// What is known of a larger system that has a saddle matrix at its heart: which equation is for which
// unknown, and in which turn an unknown is eliminated.
struct EliminationPlan {
  enum class Turn : std::uint8_t {
    Early,  // its equation has one other unknown, `next`: w δp - δv = …, in the order of the list below
    Top,    // by minimum degree
    Constraint,  // after all that it joins
    Late,        // nothing else depends on it
  };
  std::vector<int> equation;  // by unknown
  std::vector<Turn> turn;     // by unknown
  std::vector<int> next;      // by unknown, of early ones
  std::vector<int> early;     // the early ones, in this order
  friend bool operator==(const EliminationPlan&, const EliminationPlan&) = default;
};

// The order of elimination of the unknowns: after the early ones it is that of interleaved_saddle_order for
// what is left, where the columns of an early unknown and of its next one have become one.
[[nodiscard]] std::vector<int> planned_order(const SparsePattern& pattern, const EliminationPlan& plan);

}  // namespace daedalus
