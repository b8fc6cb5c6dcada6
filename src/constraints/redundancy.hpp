#pragma once

#include <string>

namespace daedalus {

// A factor of a combination of gradients, against the largest or against 1, that is not worth its words.
constexpr double negligible_factor = 1e-8;

// A constraint whose derivative is a combination of others'.
struct Redundancy {
  int constraint = 0;       // of ConstrainedForm::constraints
  std::string name;         // of it, in the user's words
  std::string combination;  // "0.5 · [x + y = 1 (m.mo:4:3)] + 2 · [ … ]"
};

}  // namespace daedalus
