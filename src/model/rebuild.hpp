// A DaeSystem with some of its variables replaced by values, in a new graph that holds only what is used.
#pragma once

#include <vector>

#include "model/dae_system.hpp"

namespace daedalus {

// What becomes of each variable, relation and equation. Values are nodes of the old graph in terms of
// variables that remain.
struct Replacements {
  explicit Replacements(std::size_t variables) : value(variables) {}
  std::vector<NodeId> value;        // by variable; invalid: it stays
  std::vector<bool> drop_equation;  // by equation; may be shorter
  std::vector<bool> drop_initial;   // by initial equation; may be shorter
  std::vector<bool> drop_step;      // by discrete step; may be shorter
  // By variable, may be shorter: it was discrete, and its value varies between events. Comparisons with it
  // make events from now on.
  std::vector<bool> varies;
};

// `reported` of the system is kept and rewritten; the caller has put there what it replaces. Variables are
// renumbered. Relations and samples that nothing mentions any more are left out.
//
// The derivatives of a replaced variable are those of its value; pre of it is pre of its value (a constant's
// pre is the constant; a value may be a variable, its negative or its negation, a constant or time).
[[nodiscard]] DaeSystem rebuilt(const DaeSystem& system, const Replacements& replacements);

}  // namespace daedalus
