// What the C functions of FMI 2 and 3 have in common. No exception passes into the importer.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fmu/unit_instance.hpp"

// Visible outside the library.
#define DAEDALUS_FMI extern "C" __attribute__((visibility("default")))

namespace daedalus::fmu {

// fmi2Status and fmi3Status begin alike.
enum Status : int { Ok = 0, Warning = 1, Discard = 2, Error = 3, Fatal = 4 };

struct Unit {
  std::unique_ptr<UnitInstance> instance;
  std::function<void(Status, const std::string&)> log;
  std::string resources, token;

  Status failed(const std::string& message, Status status = Error) const {
    if (log) log(status, message);
    return status;
  }
  Status report(const Failure& failure) const { return failure.empty() ? Ok : failed(failure); }
};

// `work` gives a Status. Any exception is told and is an error.
template <class F>
Status guarded(void* component, F&& work) {
  if (component == nullptr) return Error;
  Unit& unit = *static_cast<Unit*>(component);
  try {
    return work(unit);
  } catch (const std::exception& error) {
    return unit.failed(error.what());
  } catch (...) {
    return unit.failed("unknown error");
  }
}

enum class Purpose { CoSimulation, ModelExchange };

// A new instance; null where it cannot be made, which is told.
inline Unit* instantiate(std::function<void(Status, const std::string&)> log, std::string resources,
                         std::string token, Purpose purpose) {
  try {
    auto unit = std::make_unique<Unit>();
    unit->log = std::move(log);
    unit->resources = std::move(resources);
    unit->token = std::move(token);
    auto loaded = UnitInstance::load(unit->resources, unit->token);
    if (!loaded) {
      for (const Diagnostic& diagnostic : loaded.error()) (void)unit->failed(diagnostic.message);
      return nullptr;
    }
    unit->instance = *std::move(loaded);
    if (purpose == Purpose::ModelExchange) unit->instance->exchange();
    return unit.release();
  } catch (const std::exception& error) {
    if (log) log(Error, error.what());
    return nullptr;
  }
}

template <class T>
Status get_values(void* component, const unsigned* references, std::size_t count, T* values, FmuType type) {
  return guarded(component, [&](Unit& unit) {
    for (std::size_t k = 0; k < count; ++k) {
      const FmuVariable* variable = unit.instance->find(references[k]);
      if (variable == nullptr || variable->type != type)
        return unit.failed("there is no variable of this type with value reference " +
                           std::to_string(references[k]));
      double value = 0;
      if (const Status status = unit.report(unit.instance->get(references[k], value)); status != Ok)
        return status;
      values[k] = static_cast<T>(value);
    }
    return Ok;
  });
}

template <class T>
Status set_values(void* component, const unsigned* references, std::size_t count, const T* values,
                  FmuType type) {
  return guarded(component, [&](Unit& unit) {
    for (std::size_t k = 0; k < count; ++k) {
      const FmuVariable* variable = unit.instance->find(references[k]);
      if (variable == nullptr || variable->type != type)
        return unit.failed("there is no variable of this type with value reference " +
                           std::to_string(references[k]));
      const auto value = static_cast<double>(values[k]);
      if (const Status status = unit.report(unit.instance->set(references[k], value)); status != Ok)
        return status;
    }
    return Ok;
  });
}

inline Status unsupported(void* component, const char* name) {
  return guarded(component, [name](Unit& unit) {
    return unit.failed(std::string(name) + " is not supported by this FMU");
  });
}

// Model Exchange, in its modes after the initialisation: `work` is given the unit and its ModelExchange.
template <class F>
Status exchanged(void* component, F&& work) {
  return guarded(component, [&](Unit& unit) {
    ModelExchange* const exchange = unit.instance->exchanged();
    if (exchange == nullptr)
      return unit.failed("this is for instances of Model Exchange, after their initialisation");
    return work(unit, *exchange);
  });
}

// The same where all values are needed; where there are none the importer may try a shorter step.
template <class F>
Status evaluated(void* component, F&& work) {
  return exchanged(component, [&](Unit& unit, ModelExchange& exchange) {
    if (const Failure failure = exchange.evaluate(); !failure.empty()) return unit.failed(failure, Discard);
    return work(unit, exchange);
  });
}

// `count`: how many values the importer expects.
inline Status check_count(const Unit& unit, std::size_t count, std::size_t known) {
  return count == known
             ? Ok
             : unit.failed("there are " + std::to_string(known) + " values, not " + std::to_string(count));
}

inline Status set_continuous_states(void* component, const double* x, std::size_t count) {
  return exchanged(component, [=](Unit& unit, ModelExchange& exchange) {
    if (check_count(unit, count, unit.instance->structure().states.size()) != Ok) return Error;
    exchange.set_states({x, count});
    return Ok;
  });
}

inline Status get_continuous_states(void* component, double* x, std::size_t count) {
  return evaluated(component, [=](Unit& unit, ModelExchange& exchange) {
    if (check_count(unit, count, unit.instance->structure().states.size()) != Ok) return Error;
    exchange.states({x, count});
    return Ok;
  });
}

inline Status get_derivatives(void* component, double* dx, std::size_t count) {
  return evaluated(component, [=](Unit& unit, ModelExchange& exchange) {
    if (check_count(unit, count, unit.instance->structure().states.size()) != Ok) return Error;
    exchange.derivatives({dx, count});
    return Ok;
  });
}

inline Status get_indicators(void* component, double* z, std::size_t count) {
  return evaluated(component, [=](Unit& unit, ModelExchange& exchange) {
    if (check_count(unit, count, unit.instance->structure().indicators.size()) != Ok) return Error;
    exchange.indicators({z, count});
    return Ok;
  });
}

inline Status get_nominals(void* component, double* nominals, std::size_t count) {
  return guarded(component, [=](Unit& unit) {
    if (check_count(unit, count, unit.instance->structure().states.size()) != Ok) return Error;
    for (std::size_t s = 0; s < count; ++s) nominals[s] = unit.instance->nominal(s);
    return Ok;
  });
}

template <class Bool>
Status completed_step(void* component, Bool* event, Bool* terminate) {
  *event = *terminate = 0;
  return evaluated(component, [=](Unit&, ModelExchange& exchange) {
    *event = exchange.drifted() ? 1 : 0;
    return Ok;
  });
}

inline Status get_state(void* component, void** state) {
  return guarded(component, [state](Unit& unit) {
    delete static_cast<UnitInstance::State*>(*state);
    *state = new UnitInstance::State(unit.instance->state());
    return Ok;
  });
}

inline Status set_state(void* component, void* state) {
  return guarded(component, [state](Unit& unit) {
    if (state == nullptr) return unit.failed("no state was given");
    unit.instance->set_state(*static_cast<UnitInstance::State*>(state));
    return Ok;
  });
}

inline Status free_state(void* component, void** state) {
  return guarded(component, [state](Unit&) {
    if (state == nullptr) return Ok;
    delete static_cast<UnitInstance::State*>(*state);
    *state = nullptr;
    return Ok;
  });
}

inline Status state_size(void* component, void* state, std::size_t* size) {
  return guarded(component, [state, size](Unit& unit) {
    std::string bytes;
    const Status status =
        unit.report(unit.instance->serialise(*static_cast<UnitInstance::State*>(state), bytes));
    *size = bytes.size();
    return status;
  });
}

inline Status serialise(void* component, void* state, char* to, std::size_t size) {
  return guarded(component, [state, to, size](Unit& unit) {
    std::string bytes;
    const Status status =
        unit.report(unit.instance->serialise(*static_cast<UnitInstance::State*>(state), bytes));
    if (status != Ok) return status;
    if (bytes.size() > size) return unit.failed("the buffer is smaller than the state");
    bytes.copy(to, bytes.size());
    return Ok;
  });
}

inline Status deserialise(void* component, const char* from, std::size_t size, void** state) {
  return guarded(component, [from, size, state](Unit& unit) {
    auto loaded = std::make_unique<UnitInstance::State>();
    const Status status = unit.report(unit.instance->deserialise({from, size}, *loaded));
    if (status == Ok) *state = loaded.release();
    return status;
  });
}

inline Status directional(void* component, const std::vector<unsigned>& unknowns,
                          const std::vector<unsigned>& knowns, const double* seed, double* sensitivity) {
  return guarded(component, [&](Unit& unit) {
    for (const auto* list : {&unknowns, &knowns}) {
      for (const unsigned reference : *list) {
        if (unit.instance->find(reference) == nullptr)
          return unit.failed("there is no variable with value reference " + std::to_string(reference));
      }
    }
    return unit.report(unit.instance->derivative(unknowns, knowns, seed, sensitivity));
  });
}

}  // namespace daedalus::fmu
