// The variables of a functional mock-up unit (FMU) and their value references, from an engine: the same list
// when the unit is written and when it is loaded.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "simulate/engine.hpp"

namespace daedalus {

enum class FmuCausality { Independent, Input, Parameter, Output, Local };
enum class FmuType { Real, Integer, Boolean };
// How the value at the start comes about: as given, as near to what is given as equations allow, from others.
enum class FmuInitial { Exact, Approximate, Calculated };

struct FmuVariable {
  unsigned reference = 0;
  std::string name;
  std::string description;
  std::string unit;
  FmuCausality causality = FmuCausality::Local;
  FmuType type = FmuType::Real;
  FmuInitial initial = FmuInitial::Calculated;
  bool discrete = false;
  double start = 0;
  int signal = -1;  // in CompiledModel::output_signals; -1: time, an input or a parameter
};

// `outputs`: names of signals; none: all. Value references are the places in the list; 0 is time.
[[nodiscard]] Result<std::vector<FmuVariable>> fmu_variables(const Engine& engine,
                                                             std::span<const std::string> outputs);

}  // namespace daedalus
