#pragma once

#include <string>

namespace daedalus {

// A constraint whose derivative is a combination of others'.
struct Redundancy {
  int constraint = 0;       // of ConstrainedForm::constraints
  std::string name;         // of it, in the user's words
  std::string combination;  // "0.5 · [x + y = 1 (m.mo:4:3)] + 2 · [ … ]"
};

}  // namespace daedalus
