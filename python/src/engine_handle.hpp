// An engine as Python holds it: compiled once, shared by threads, with the texts that its messages point
// into.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <vector>

#include "model/dae_system.hpp"
#include "simulate/engine.hpp"

namespace daedalus::python {

struct EngineHandle {
  std::shared_ptr<const Engine> engine;
  std::shared_ptr<SourceMap> sources;
  std::vector<std::string> functions;  // inputs that may be functions of time
};

// {name: number}; a name that cannot be set raises ModelError with those that can.
[[nodiscard]] std::vector<StartValue> start_values_of(const EngineHandle& engine,
                                                      const nanobind::dict& given);
// Names that a simulation of the engine can be told: free parameters, inputs, then variables.
[[nodiscard]] std::vector<std::string_view> names_to_set(const EngineHandle& engine);

}  // namespace daedalus::python
