// Which multiplier belongs to which constraint: forces of constraint act along its gradient, so that the
// column of B is the row of G but for a factor, in whatever order and sign the model was written.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "reform/constrained_form.hpp"

namespace daedalus {

using SparseLine = std::vector<std::pair<int, double>>;  // coordinate, value; each coordinate once

struct Pairing {
  std::vector<int> multiplier;  // by constraint; -1: none acts along it
  [[nodiscard]] bool complete() const;
  // A permutation: constraints without a multiplier take what is left, in order.
  [[nodiscard]] std::vector<int> with_rest() const;
};

// By values at one point, which should be no special one: two lines are the same where the sine of the angle
// between them is at most RankPolicy::gradient. Of several that are the same, the first ones go together. As
// many forces as gradients; of a line that is zero nothing is the same.
[[nodiscard]] Pairing pair_multipliers(std::vector<SparseLine> gradients, std::vector<SparseLine> forces);

// The rows of G and the columns of B by the values of their entries.
[[nodiscard]] Pairing pair_multipliers(const SymbolicMatrix& constraint, std::span<const double> gradients,
                                       const SymbolicMatrix& input, std::span<const double> inputs);

}  // namespace daedalus
