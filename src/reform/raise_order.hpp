// First-order systems are read in the order in which they were meant: where an equation says
// der(x) = v, the unknown v is the derivative x' and needs no vector entry of its own ("this variable merely
// accounts for a trivial action of substitution and can immediately be eliminated", Mattsson, Söderlind 1991,
// Example 4).
#pragma once

#include "reform/raised_system.hpp"

namespace daedalus {

// What is read as a derivative: every v with der(x) = v, or only those that are differentiated themselves.
// The latter leaves der(v) = f alone, where f is a force on a unit mass and no acceleration. NoIntegrals: nor
// is x the derivative of its integral, der(i) = x with an i on which nothing depends.
enum class Raise { All, Differentiated, NoIntegrals };
[[nodiscard]] RaisedSystem raise_order(const DaeSystem& system, Raise raise = Raise::All);

}  // namespace daedalus
