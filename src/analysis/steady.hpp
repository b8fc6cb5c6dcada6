// An equilibrium: all derivatives zero, all equations fulfilled. Time, inputs, discrete variables stay as
// they are.
#pragma once

#include <string>
#include <vector>

#include "simulate/engine.hpp"

namespace daedalus {

struct SteadyState {
  bool found = false;
  std::string reason;  // why not
  double t = 0;
  std::vector<double> environment;  // by the slots of Engine::model()'s layout
  std::vector<std::string> names;   // of all signals, in the order of results
  std::vector<double> values;
  double residual = 0;  // the largest of an equation, relative to the size of its derivatives
  int iterations = 0;
  int continuation_steps = 0;  // 0: Newton's iteration found it by itself
  bool moved =
      false;  // found only from a point near the start values, at which no small motion answers the forces
  // Directions in which the model rests anywhere; the unknowns that they move.
  int free_directions = 0;
  std::vector<std::string> free_names;
};

// From where the simulation stands: the nearest in the sense of Newton steps of least norm, not of all
// equilibria.
[[nodiscard]] SteadyState find_steady_state(const Engine& engine, Simulation& simulation);

}  // namespace daedalus
