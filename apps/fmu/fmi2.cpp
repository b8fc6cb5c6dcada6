// The C interface of FMI 2.0 (fmi-standard.org, sections 2.1, 3.2 and 4.2) for Co-Simulation and Model
// Exchange.
#include <cmath>

#include "fmu/calls.hpp"

using daedalus::FmuType;
using daedalus::ModelExchange;
using namespace daedalus::fmu;  // NOLINT(google-build-using-namespace): names of C functions stand outside of
                                // any

namespace {

using Component = void*;
using Reference = unsigned;

struct Callbacks {
  void (*logger)(void* environment, const char* instance, int status, const char* category,
                 const char* message, ...);
  void* (*allocate)(std::size_t count, std::size_t size);
  void (*release)(void* memory);
  void (*step_finished)(void* environment, int status);
  void* environment;
};

struct EventInfo {
  int new_states_needed, terminate, nominals_changed, values_changed, next_defined;
  double next;
};

enum StatusKind : int { DoStepStatus, PendingStatus, LastSuccessfulTime, Terminated };

// "file:///tmp/a%20b" → "/tmp/a b". A plain path stays one.
std::string path_of(std::string uri) {
  if (uri.starts_with("file://")) {
    uri.erase(0, std::string_view("file://").size());
    if (uri.starts_with("localhost/")) uri.erase(0, std::string_view("localhost").size());
  } else if (uri.starts_with("file:")) {
    uri.erase(0, std::string_view("file:").size());
  } else {
    return uri;
  }
  std::string path;
  for (std::size_t k = 0; k < uri.size(); ++k) {
    const bool coded = uri[k] == '%' && k + 2 < uri.size() &&
                       std::isxdigit(static_cast<unsigned char>(uri[k + 1])) != 0 &&
                       std::isxdigit(static_cast<unsigned char>(uri[k + 2])) != 0;
    path += coded ? static_cast<char>(std::stoi(uri.substr(k + 1, 2), nullptr, 16)) : uri[k];
    if (coded) k += 2;
  }
  return path;
}

}  // namespace

DAEDALUS_FMI const char* fmi2GetTypesPlatform() {
  return "default";
}
DAEDALUS_FMI const char* fmi2GetVersion() {
  return "2.0";
}
DAEDALUS_FMI int fmi2SetDebugLogging(Component, int, std::size_t, const char* const*) {
  return Ok;
}

DAEDALUS_FMI Component fmi2Instantiate(const char* name, int type, const char* guid, const char* resources,
                                       const Callbacks* callbacks, int /*visible*/, int /*logging*/) {
  std::function<void(Status, const std::string&)> log;
  if (callbacks != nullptr && callbacks->logger != nullptr) {
    log = [logger = callbacks->logger, environment = callbacks->environment,
           who = std::string(name == nullptr ? "" : name)](Status status, const std::string& message) {
      logger(environment, who.c_str(), status, "logStatusError", "%s", message.c_str());
    };
  }
  constexpr int co_simulation = 1;
  return instantiate(std::move(log), path_of(resources == nullptr ? "" : resources),
                     guid == nullptr ? "" : guid,
                     type == co_simulation ? Purpose::CoSimulation : Purpose::ModelExchange);
}

DAEDALUS_FMI void fmi2FreeInstance(Component c) {
  delete static_cast<Unit*>(c);
}

DAEDALUS_FMI int fmi2SetupExperiment(Component c, int has_tolerance, double tolerance, double start,
                                     int has_stop, double stop) {
  return guarded(c, [&](Unit& unit) {
    unit.instance->set_experiment(has_tolerance != 0 ? std::optional(tolerance) : std::nullopt, start,
                                  has_stop != 0 ? std::optional(stop) : std::nullopt);
    return Ok;
  });
}
DAEDALUS_FMI int fmi2EnterInitializationMode(Component c) {
  return guarded(c, [](Unit&) { return Ok; });
}
DAEDALUS_FMI int fmi2ExitInitializationMode(Component c) {
  return guarded(c, [](Unit& unit) { return unit.report(unit.instance->finish_initialisation()); });
}
DAEDALUS_FMI int fmi2Terminate(Component c) {
  return guarded(c, [](Unit&) { return Ok; });
}
DAEDALUS_FMI int fmi2Reset(Component c) {
  return guarded(c, [](Unit& unit) {
    unit.instance->reset();
    return Ok;
  });
}

DAEDALUS_FMI int fmi2GetReal(Component c, const Reference* r, std::size_t n, double* v) {
  return get_values(c, r, n, v, FmuType::Real);
}
DAEDALUS_FMI int fmi2SetReal(Component c, const Reference* r, std::size_t n, const double* v) {
  return set_values(c, r, n, v, FmuType::Real);
}
DAEDALUS_FMI int fmi2GetInteger(Component c, const Reference* r, std::size_t n, int* v) {
  return get_values(c, r, n, v, FmuType::Integer);
}
DAEDALUS_FMI int fmi2SetInteger(Component c, const Reference* r, std::size_t n, const int* v) {
  return set_values(c, r, n, v, FmuType::Integer);
}
DAEDALUS_FMI int fmi2GetBoolean(Component c, const Reference* r, std::size_t n, int* v) {
  return get_values(c, r, n, v, FmuType::Boolean);
}
DAEDALUS_FMI int fmi2SetBoolean(Component c, const Reference* r, std::size_t n, const int* v) {
  return set_values(c, r, n, v, FmuType::Boolean);
}
DAEDALUS_FMI int fmi2GetString(Component c, const Reference*, std::size_t n, const char**) {
  return n == 0 ? Ok : unsupported(c, "fmi2GetString");
}
DAEDALUS_FMI int fmi2SetString(Component c, const Reference*, std::size_t n, const char* const*) {
  return n == 0 ? Ok : unsupported(c, "fmi2SetString");
}

DAEDALUS_FMI int fmi2GetFMUstate(Component c, void** state) {
  return get_state(c, state);
}
DAEDALUS_FMI int fmi2SetFMUstate(Component c, void* state) {
  return set_state(c, state);
}
DAEDALUS_FMI int fmi2FreeFMUstate(Component c, void** state) {
  return free_state(c, state);
}
DAEDALUS_FMI int fmi2SerializedFMUstateSize(Component c, void* state, std::size_t* size) {
  return state_size(c, state, size);
}
DAEDALUS_FMI int fmi2SerializeFMUstate(Component c, void* state, char* to, std::size_t size) {
  return serialise(c, state, to, size);
}
DAEDALUS_FMI int fmi2DeSerializeFMUstate(Component c, const char* from, std::size_t size, void** state) {
  return deserialise(c, from, size, state);
}
DAEDALUS_FMI int fmi2GetDirectionalDerivative(Component c, const Reference* unknowns, std::size_t nu,
                                              const Reference* knowns, std::size_t nk, const double* seed,
                                              double* sensitivity) {
  return directional(c, {unknowns, unknowns + nu}, {knowns, knowns + nk}, seed, sensitivity);
}

// --- Model Exchange ---

DAEDALUS_FMI int fmi2EnterEventMode(Component c) {
  return exchanged(c, [](Unit&, ModelExchange&) { return Ok; });
}
DAEDALUS_FMI int fmi2NewDiscreteStates(Component c, EventInfo* info) {
  *info = {};
  return exchanged(c, [info](Unit& unit, ModelExchange& exchange) {
    const ModelExchange::Update update = exchange.update();
    if (!update.failure.empty()) return unit.failed(update.failure);
    info->terminate = update.terminated ? 1 : 0;
    info->values_changed = update.states_changed ? 1 : 0;
    info->next_defined = std::isfinite(update.next_event) ? 1 : 0;
    info->next = update.next_event;
    return Ok;
  });
}
DAEDALUS_FMI int fmi2EnterContinuousTimeMode(Component c) {
  return exchanged(c, [](Unit&, ModelExchange&) { return Ok; });
}
DAEDALUS_FMI int fmi2CompletedIntegratorStep(Component c, int /*no_set_state*/, int* event, int* terminate) {
  return completed_step(c, event, terminate);
}
DAEDALUS_FMI int fmi2SetTime(Component c, double t) {
  return exchanged(c, [t](Unit&, ModelExchange& exchange) {
    exchange.set_time(t);
    return Ok;
  });
}
DAEDALUS_FMI int fmi2SetContinuousStates(Component c, const double* x, std::size_t n) {
  return set_continuous_states(c, x, n);
}
DAEDALUS_FMI int fmi2GetDerivatives(Component c, double* dx, std::size_t n) {
  return get_derivatives(c, dx, n);
}
DAEDALUS_FMI int fmi2GetEventIndicators(Component c, double* z, std::size_t n) {
  return get_indicators(c, z, n);
}
DAEDALUS_FMI int fmi2GetContinuousStates(Component c, double* x, std::size_t n) {
  return get_continuous_states(c, x, n);
}
DAEDALUS_FMI int fmi2GetNominalsOfContinuousStates(Component c, double* nominals, std::size_t n) {
  return get_nominals(c, nominals, n);
}

// --- Co-Simulation ---

DAEDALUS_FMI int fmi2SetRealInputDerivatives(Component c, const Reference*, std::size_t, const int*,
                                             const double*) {
  return unsupported(c, "fmi2SetRealInputDerivatives");
}
DAEDALUS_FMI int fmi2GetRealOutputDerivatives(Component c, const Reference*, std::size_t, const int*,
                                              double*) {
  return unsupported(c, "fmi2GetRealOutputDerivatives");
}

DAEDALUS_FMI int fmi2DoStep(Component c, double point, double size, int /*no_set_state*/) {
  return guarded(c, [&](Unit& unit) {
    const Failure failure = unit.instance->advance_to(point + size);
    if (!failure.empty()) return unit.failed(failure);
    return unit.instance->terminated() ? Discard : Ok;  // GetBooleanStatus says that the model has ended
  });
}
DAEDALUS_FMI int fmi2CancelStep(Component c) {
  return unsupported(c, "fmi2CancelStep");
}
DAEDALUS_FMI int fmi2GetStatus(Component c, int, int*) {
  return unsupported(c, "fmi2GetStatus");
}
DAEDALUS_FMI int fmi2GetRealStatus(Component c, int kind, double* value) {
  return guarded(c, [&](Unit& unit) {
    if (kind != LastSuccessfulTime) return unit.failed("unknown kind of status", Discard);
    *value = unit.instance->time();
    return Ok;
  });
}
DAEDALUS_FMI int fmi2GetIntegerStatus(Component c, int, int*) {
  return unsupported(c, "fmi2GetIntegerStatus");
}
DAEDALUS_FMI int fmi2GetBooleanStatus(Component c, int kind, int* value) {
  return guarded(c, [&](Unit& unit) {
    if (kind != Terminated) return unit.failed("unknown kind of status", Discard);
    *value = unit.instance->terminated() ? 1 : 0;
    return Ok;
  });
}
DAEDALUS_FMI int fmi2GetStringStatus(Component c, int, const char**) {
  return unsupported(c, "fmi2GetStringStatus");
}
