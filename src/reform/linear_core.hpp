// A reformulated system of index 1 seen as y' = φ(t, y): given the differential unknowns, everything else
// (their rates, the algebraic unknowns) follows from equations that are linear in it:
//
//   A(t, y) z = b(t, y),      then w_k = expression in t, y, z, one after another.
//
// z is what must be solved for together, the accelerations x^(m) and multipliers of the constrained form
// (even where one of them could be taken out: the matrix is to stay symmetric); w is what occurs in one
// equation only, and explicitly: the rates x' = v, watched variables, the rates of companions.
#pragma once

#include <optional>
#include <vector>

#include "reform/reformulated.hpp"

namespace daedalus {

struct LinearCore {
  struct Assignment {
    NodeId leaf;       // w_k
    NodeId value;      // of t, y, z and the assignments before it
    int equation = 0;  // of the reformulated system, from which it comes
  };
  std::vector<NodeId> unknowns;  // z, by leaf
  std::vector<int> equations;    // of the reformulated system, as many; equation k is paired with unknown k
  SymbolicMatrix matrix;         // A
  std::vector<NodeId> rhs;       // b
  std::vector<Assignment> assignments;
};

// Nothing when the equations are not linear in z.
[[nodiscard]] std::optional<LinearCore> find_linear_core(const ConstrainedForm& form,
                                                         const ReformulatedSystem& system);

}  // namespace daedalus
