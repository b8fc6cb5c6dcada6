// The C interface of FMI 3.0 (fmi-standard.org, section 2.1 and 4) for Co-Simulation and Model
// Exchange. All functions of the standard are there, since importers look for each; those that an FMU without
// clocks has no use for say so.
#include <cmath>
#include <cstdint>

#include "fmu/calls.hpp"

using daedalus::FmuType;
using daedalus::ModelExchange;
using namespace daedalus::fmu;  // NOLINT(google-build-using-namespace): names of C functions stand outside of
                                // any

namespace {

using Instance = void*;
using Reference = unsigned;
using Text = const char*;
using LogMessage = void (*)(void* environment, int status, const char* category, const char* message);

std::function<void(Status, const std::string&)> logger(LogMessage log, void* environment) {
  if (log == nullptr) return {};
  return [log, environment](Status status, const std::string& message) {
    log(environment, status, status == Ok ? "logAll" : "logStatusError", message.c_str());
  };
}

// A type that no variable of ours has.
template <class T>
Status none_of_type(Instance instance, std::size_t count, T&& name) {
  return count == 0 ? Ok : unsupported(instance, name);
}

}  // namespace

DAEDALUS_FMI const char* fmi3GetVersion() {
  return "3.0";
}

DAEDALUS_FMI int fmi3SetDebugLogging(Instance /*instance*/, bool /*on*/, std::size_t /*count*/,
                                     const char* const* /*categories*/) {
  return Ok;
}

DAEDALUS_FMI Instance fmi3InstantiateCoSimulation(const char* /*name*/, const char* token,
                                                  const char* resources, bool /*visible*/, bool /*logging*/,
                                                  bool event_mode, bool /*early_return*/,
                                                  const Reference* /*intermediate*/, std::size_t /*count*/,
                                                  void* environment, LogMessage log, void* /*update*/) {
  auto tell = logger(log, environment);
  if (event_mode) {
    if (tell) tell(Error, "this FMU handles events by itself and has no event mode");
    return nullptr;
  }
  return instantiate(std::move(tell), resources == nullptr ? "" : resources, token == nullptr ? "" : token,
                     Purpose::CoSimulation);
}

DAEDALUS_FMI Instance fmi3InstantiateModelExchange(const char* /*name*/, const char* token,
                                                   const char* resources, bool /*visible*/, bool /*logging*/,
                                                   void* environment, LogMessage log) {
  return instantiate(logger(log, environment), resources == nullptr ? "" : resources,
                     token == nullptr ? "" : token, Purpose::ModelExchange);
}

DAEDALUS_FMI Instance fmi3InstantiateScheduledExecution(const char* /*name*/, const char* /*token*/,
                                                        const char* /*resources*/, bool /*visible*/,
                                                        bool /*logging*/, void* environment, LogMessage log,
                                                        void* /*clock*/, void* /*lock*/, void* /*unlock*/) {
  if (auto tell = logger(log, environment)) tell(Error, "this FMU is for Co-Simulation and Model Exchange");
  return nullptr;
}

DAEDALUS_FMI void fmi3FreeInstance(Instance instance) {
  delete static_cast<Unit*>(instance);
}

DAEDALUS_FMI int fmi3EnterInitializationMode(Instance instance, bool has_tolerance, double tolerance,
                                             double start, bool has_stop, double stop) {
  return guarded(instance, [&](Unit& unit) {
    unit.instance->set_experiment(has_tolerance ? std::optional(tolerance) : std::nullopt, start,
                                  has_stop ? std::optional(stop) : std::nullopt);
    return Ok;
  });
}

DAEDALUS_FMI int fmi3ExitInitializationMode(Instance instance) {
  return guarded(instance, [](Unit& unit) { return unit.report(unit.instance->finish_initialisation()); });
}

DAEDALUS_FMI int fmi3EnterEventMode(Instance instance) {
  return exchanged(instance, [](Unit&, ModelExchange&) { return Ok; });
}
DAEDALUS_FMI int fmi3EnterStepMode(Instance instance) {
  return unsupported(instance, "fmi3EnterStepMode");
}
DAEDALUS_FMI int fmi3Terminate(Instance instance) {
  return guarded(instance, [](Unit&) { return Ok; });
}
DAEDALUS_FMI int fmi3Reset(Instance instance) {
  return guarded(instance, [](Unit& unit) {
    unit.instance->reset();
    return Ok;
  });
}

DAEDALUS_FMI int fmi3DoStep(Instance instance, double point, double size, bool /*no_set_state*/, bool* event,
                            bool* terminate, bool* early_return, double* last) {
  *event = *terminate = *early_return = false;
  *last = point;
  return guarded(instance, [&](Unit& unit) {
    const Failure failure = unit.instance->advance_to(point + size);
    *last = unit.instance->time();
    if (!failure.empty()) return unit.failed(failure);
    *terminate = unit.instance->terminated();
    return Ok;
  });
}

// --- Values ---

DAEDALUS_FMI int fmi3GetFloat64(Instance i, const Reference* r, std::size_t n, double* v,
                                std::size_t /*values*/) {
  return get_values(i, r, n, v, FmuType::Real);
}
DAEDALUS_FMI int fmi3SetFloat64(Instance i, const Reference* r, std::size_t n, const double* v,
                                std::size_t /*values*/) {
  return set_values(i, r, n, v, FmuType::Real);
}
DAEDALUS_FMI int fmi3GetInt32(Instance i, const Reference* r, std::size_t n, std::int32_t* v,
                              std::size_t /*values*/) {
  return get_values(i, r, n, v, FmuType::Integer);
}
DAEDALUS_FMI int fmi3SetInt32(Instance i, const Reference* r, std::size_t n, const std::int32_t* v,
                              std::size_t /*values*/) {
  return set_values(i, r, n, v, FmuType::Integer);
}
DAEDALUS_FMI int fmi3GetBoolean(Instance i, const Reference* r, std::size_t n, bool* v,
                                std::size_t /*values*/) {
  return get_values(i, r, n, v, FmuType::Boolean);
}
DAEDALUS_FMI int fmi3SetBoolean(Instance i, const Reference* r, std::size_t n, const bool* v,
                                std::size_t /*values*/) {
  return set_values(i, r, n, v, FmuType::Boolean);
}

#define DAEDALUS_NO_TYPE(NAME, T)                                                                      \
  DAEDALUS_FMI int fmi3Get##NAME(Instance i, const Reference*, std::size_t n, T*, std::size_t) {       \
    return none_of_type(i, n, "fmi3Get" #NAME);                                                        \
  }                                                                                                    \
  DAEDALUS_FMI int fmi3Set##NAME(Instance i, const Reference*, std::size_t n, T const*, std::size_t) { \
    return none_of_type(i, n, "fmi3Set" #NAME);                                                        \
  }
DAEDALUS_NO_TYPE(Float32, float)
DAEDALUS_NO_TYPE(Int8, std::int8_t)
DAEDALUS_NO_TYPE(UInt8, std::uint8_t)
DAEDALUS_NO_TYPE(Int16, std::int16_t)
DAEDALUS_NO_TYPE(UInt16, std::uint16_t)
DAEDALUS_NO_TYPE(UInt32, std::uint32_t)
DAEDALUS_NO_TYPE(Int64, std::int64_t)
DAEDALUS_NO_TYPE(UInt64, std::uint64_t)
DAEDALUS_NO_TYPE(String, Text)
#undef DAEDALUS_NO_TYPE

DAEDALUS_FMI int fmi3GetBinary(Instance i, const Reference*, std::size_t n, std::size_t*,
                               const std::uint8_t**, std::size_t) {
  return none_of_type(i, n, "fmi3GetBinary");
}
DAEDALUS_FMI int fmi3SetBinary(Instance i, const Reference*, std::size_t n, const std::size_t*,
                               const std::uint8_t* const*, std::size_t) {
  return none_of_type(i, n, "fmi3SetBinary");
}
DAEDALUS_FMI int fmi3GetClock(Instance i, const Reference*, std::size_t n, bool*) {
  return none_of_type(i, n, "fmi3GetClock");
}
DAEDALUS_FMI int fmi3SetClock(Instance i, const Reference*, std::size_t n, const bool*) {
  return none_of_type(i, n, "fmi3SetClock");
}

// --- Checkpoints and derivatives ---

DAEDALUS_FMI int fmi3GetFMUState(Instance i, void** state) {
  return get_state(i, state);
}
DAEDALUS_FMI int fmi3SetFMUState(Instance i, void* state) {
  return set_state(i, state);
}
DAEDALUS_FMI int fmi3FreeFMUState(Instance i, void** state) {
  return free_state(i, state);
}
DAEDALUS_FMI int fmi3SerializedFMUStateSize(Instance i, void* state, std::size_t* size) {
  return state_size(i, state, size);
}
DAEDALUS_FMI int fmi3SerializeFMUState(Instance i, void* state, std::uint8_t* to, std::size_t size) {
  return serialise(i, state, reinterpret_cast<char*>(to), size);
}
DAEDALUS_FMI int fmi3DeserializeFMUState(Instance i, const std::uint8_t* from, std::size_t size,
                                         void** state) {
  return deserialise(i, reinterpret_cast<const char*>(from), size, state);
}

DAEDALUS_FMI int fmi3GetDirectionalDerivative(Instance i, const Reference* unknowns, std::size_t nu,
                                              const Reference* knowns, std::size_t nk, const double* seed,
                                              std::size_t, double* sensitivity, std::size_t) {
  return directional(i, {unknowns, unknowns + nu}, {knowns, knowns + nk}, seed, sensitivity);
}
DAEDALUS_FMI int fmi3GetAdjointDerivative(Instance i, const Reference*, std::size_t, const Reference*,
                                          std::size_t, const double*, std::size_t, double*, std::size_t) {
  return unsupported(i, "fmi3GetAdjointDerivative");
}
DAEDALUS_FMI int fmi3GetOutputDerivatives(Instance i, const Reference*, std::size_t, const std::int32_t*,
                                          double*, std::size_t) {
  return unsupported(i, "fmi3GetOutputDerivatives");
}
DAEDALUS_FMI int fmi3GetNumberOfVariableDependencies(Instance i, Reference, std::size_t*) {
  return unsupported(i, "fmi3GetNumberOfVariableDependencies");
}
DAEDALUS_FMI int fmi3GetVariableDependencies(Instance i, Reference, std::size_t*, Reference*, std::size_t*,
                                             int*, std::size_t) {
  return unsupported(i, "fmi3GetVariableDependencies");
}

// --- Model Exchange ---

DAEDALUS_FMI int fmi3UpdateDiscreteStates(Instance instance, bool* needs_update, bool* terminate,
                                          bool* nominals_changed, bool* values_changed, bool* next_defined,
                                          double* next) {
  *needs_update = *terminate = *nominals_changed = *values_changed = *next_defined = false;
  return exchanged(instance, [&](Unit& unit, ModelExchange& exchange) {
    const ModelExchange::Update update = exchange.update();
    if (!update.failure.empty()) return unit.failed(update.failure);
    *terminate = update.terminated;
    *values_changed = update.states_changed;
    *next_defined = std::isfinite(update.next_event);
    *next = update.next_event;
    return Ok;
  });
}
DAEDALUS_FMI int fmi3EnterContinuousTimeMode(Instance instance) {
  return exchanged(instance, [](Unit&, ModelExchange&) { return Ok; });
}
DAEDALUS_FMI int fmi3CompletedIntegratorStep(Instance i, bool /*no_set_state*/, bool* event,
                                             bool* terminate) {
  return completed_step(i, event, terminate);
}
DAEDALUS_FMI int fmi3SetTime(Instance instance, double t) {
  return exchanged(instance, [t](Unit&, ModelExchange& exchange) {
    exchange.set_time(t);
    return Ok;
  });
}
DAEDALUS_FMI int fmi3SetContinuousStates(Instance i, const double* x, std::size_t n) {
  return set_continuous_states(i, x, n);
}
DAEDALUS_FMI int fmi3GetContinuousStateDerivatives(Instance i, double* dx, std::size_t n) {
  return get_derivatives(i, dx, n);
}
DAEDALUS_FMI int fmi3GetEventIndicators(Instance i, double* z, std::size_t n) {
  return get_indicators(i, z, n);
}
DAEDALUS_FMI int fmi3GetContinuousStates(Instance i, double* x, std::size_t n) {
  return get_continuous_states(i, x, n);
}
DAEDALUS_FMI int fmi3GetNominalsOfContinuousStates(Instance i, double* nominals, std::size_t n) {
  return get_nominals(i, nominals, n);
}
DAEDALUS_FMI int fmi3GetNumberOfEventIndicators(Instance instance, std::size_t* count) {
  return guarded(instance, [count](Unit& unit) {
    *count = unit.instance->structure().indicators.size();
    return Ok;
  });
}
DAEDALUS_FMI int fmi3GetNumberOfContinuousStates(Instance instance, std::size_t* count) {
  return guarded(instance, [count](Unit& unit) {
    *count = unit.instance->structure().states.size();
    return Ok;
  });
}

// --- What this FMU has not ---

#define DAEDALUS_NOT(NAME, ...)                                  \
  DAEDALUS_FMI int NAME(Instance i __VA_OPT__(, ) __VA_ARGS__) { \
    return unsupported(i, #NAME);                                \
  }
DAEDALUS_NOT(fmi3EnterConfigurationMode)
DAEDALUS_NOT(fmi3ExitConfigurationMode)
DAEDALUS_NOT(fmi3GetIntervalDecimal, const Reference*, std::size_t, double*, int*)
DAEDALUS_NOT(fmi3GetIntervalFraction, const Reference*, std::size_t, std::uint64_t*, std::uint64_t*, int*)
DAEDALUS_NOT(fmi3GetShiftDecimal, const Reference*, std::size_t, double*)
DAEDALUS_NOT(fmi3GetShiftFraction, const Reference*, std::size_t, std::uint64_t*, std::uint64_t*)
DAEDALUS_NOT(fmi3SetIntervalDecimal, const Reference*, std::size_t, const double*)
DAEDALUS_NOT(fmi3SetIntervalFraction, const Reference*, std::size_t, const std::uint64_t*,
             const std::uint64_t*)
DAEDALUS_NOT(fmi3SetShiftDecimal, const Reference*, std::size_t, const double*)
DAEDALUS_NOT(fmi3SetShiftFraction, const Reference*, std::size_t, const std::uint64_t*, const std::uint64_t*)
DAEDALUS_NOT(fmi3EvaluateDiscreteStates)
DAEDALUS_NOT(fmi3ActivateModelPartition, Reference, double)
#undef DAEDALUS_NOT
