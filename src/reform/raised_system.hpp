// A system in which derivatives go by their own names no longer: what raise_order() makes.
#pragma once

#include <vector>

#include "model/dae_system.hpp"

namespace daedalus {

// v = factor * x^(order): the factor is 1, -1, or that of another unit.
struct LevelAlias {
  VariableId variable;  // the one that went
  VariableId target;
  int order = 0;
  double factor = 1;
};

struct RaisedSystem {
  DaeSystem system;                 // the same variables (numbers keep their meaning), fewer equations
  std::vector<bool> eliminated;     // by VariableId
  std::vector<LevelAlias> aliases;  // targets are never eliminated ones
  // By equation: differentiations of the user's equations that a repair has put into it (repair.hpp).
  std::vector<int> embedded;
};

}  // namespace daedalus
