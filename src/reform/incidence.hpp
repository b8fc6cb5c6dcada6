// The border between expressions and structure: which derivative of which unknown an equation depends on.
#pragma once

#include <cstdint>
#include <vector>

#include "expr/derivative.hpp"
#include "model/dae_system.hpp"
#include "structure/signature.hpp"

namespace daedalus {

// The unknowns and equations that take part, and their exact partial derivatives. An equation depends on
// x_j^(k) where the partial derivative does not simplify to zero; occurrences in conditions of
// if-expressions do not count.
struct Incidence {
  std::vector<VariableId> unknowns;        // column j of the signature is this variable
  std::vector<int> column;                 // by VariableId: j, or -1
  std::vector<std::vector<Partial>> rows;  // by equation: ∂f_i/∂(leaf), leaves of unknowns only
  Signature signature;
};

// Of equations of motion of a mechanism, which hold second derivatives: all partial derivatives, or only
// those by second derivatives and by unknowns without derivatives, which are few, short, and all that the
// constrained form needs; their signature then has all unknowns that occur.
enum class PartialsOfMotion : std::uint8_t { All, Highest };

// `excluded[v]`: the variable is not an unknown although continuous (it was eliminated).
[[nodiscard]] Incidence incidence_of(const DaeSystem& system, const std::vector<bool>& excluded = {},
                                     PartialsOfMotion partials = PartialsOfMotion::All);

// By unknown: it occurs in one equation only, undifferentiated and with a constant factor, so that it follows
// from the others and nothing follows from it (an energy to be watched).
[[nodiscard]] std::vector<bool> output_only(const ExprGraph& graph, const Incidence& incidence);

}  // namespace daedalus
