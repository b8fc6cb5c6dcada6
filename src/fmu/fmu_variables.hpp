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
  int signal = -1;  // in CompiledModel::output_signals; -1: time, an input or a parameter, or one of these:
  int level = -1;   // of the derivative array
  int indicator = -1;  // of an event
  // What follows from others, and is neither given nor a parameter.
  [[nodiscard]] bool computed() const { return signal >= 0 || level >= 0 || indicator >= 0; }
};

// What an importer integrates in Model Exchange: the references of states and of their derivatives, and of
// event indicators.
struct FmuExchange {
  std::vector<unsigned> states, derivatives, indicators;
};

struct FmuVariables {
  std::vector<FmuVariable> all;
  FmuExchange exchange;
};

// `outputs`: names of signals; none: all. Value references are the places in the list; 0 is time.
[[nodiscard]] Result<FmuVariables> fmu_variables(const Engine& engine, std::span<const std::string> outputs);

}  // namespace daedalus
