// First-order systems are read in the order in which they were meant: where an equation says
// der(x) = v, the unknown v is the derivative x' and needs no vector entry of its own ("this variable merely
// accounts for a trivial action of substitution and can immediately be eliminated", paper 004, Example 4).
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

// What is read as a derivative: every v with der(x) = v, or only those that are differentiated themselves.
// The latter leaves der(v) = f alone, where f is a force on a unit mass and no acceleration. NoIntegrals: nor
// is x the derivative of its integral, der(i) = x with an i on which nothing depends.
enum class Raise { All, Differentiated, NoIntegrals };
[[nodiscard]] RaisedSystem raise_order(const DaeSystem& system, Raise raise = Raise::All);

}  // namespace daedalus
