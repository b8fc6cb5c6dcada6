// Which unknowns can be computed by an equation of their own, one after the other, so that only the others
// have to be iterated on (tearing).
#pragma once

#include <vector>

namespace daedalus {

// Where an unknown stands in an equation; plain: the equation can be solved for it by itself; linear: it
// enters with a factor in which there are no unknowns.
struct Occurrence {
  int unknown = 0;
  bool plain = false;
  bool linear = false;
};

struct ExplicitUnknown {
  int unknown = 0;
  int equation = 0;  // that gives it
};

// By greedy elimination, cheapest first: an unknown goes where its substitution does not make the equations
// denser by more than a little, as an elimination of sparse matrices would choose, and where no function of
// it becomes a function of a function: Newton's method has an easier time with one at a time. What is
// returned are definitions without cycles, in no particular order. `rows`: of each equation, every unknown
// once.
[[nodiscard]] std::vector<ExplicitUnknown> choose_explicit(std::vector<std::vector<Occurrence>> rows,
                                                           int unknowns);

}  // namespace daedalus
