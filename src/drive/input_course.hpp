// Inputs that are functions of time. In the equations such an input is a polynomial of time whose
// coefficients are given values: a run sets them piece by piece (numerics/function_piece.hpp), so that the
// equations know the input's derivatives, and no step asks for a function that is not ours.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/dae_system.hpp"
#include "numerics/function_piece.hpp"

namespace daedalus {

// Where an input's polynomial is: variables of kind Input, which results do not show.
struct InputCourse {
  std::string name;  // of the input
  VariableId begin;
  VariableId scale;  // 1 / length
  std::vector<VariableId> coefficients;
};

// The system with these inputs as polynomials, on a graph of its own; those that are already stay as they
// are. As long as nobody gives a function, an input has a constant value, its start value.
[[nodiscard]] Result<DaeSystem> with_input_courses(const DaeSystem& system,
                                                   std::span<const std::string> names);

// Those that a system has.
[[nodiscard]] std::vector<InputCourse> input_courses(const DaeSystem& system);

}  // namespace daedalus
