// Simulations in the hand: advanced, asked and told step by step.
#include <fmt/format.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <mutex>
#include <span>

#include "analysis/linearise.hpp"
#include "analysis/steady.hpp"
#include "engine_handle.hpp"
#include "errors.hpp"
#include "results/analysis_text.hpp"
#include "symbol.hpp"
#include "time_functions.hpp"
#include "watch.hpp"

namespace nb = nanobind;

namespace daedalus::python {
namespace {

using Row = nb::ndarray<nb::numpy, double, nb::ndim<1>>;

struct SimulationHandle {
  std::shared_ptr<EngineHandle> engine;
  Simulation simulation;
  // A simulation is one run; threads of Python that share it take turns.
  std::unique_ptr<std::mutex> turn = std::make_unique<std::mutex>();
  TimeFunctions functions = {};
};

// Without the interpreter's lock, and only one thread at a time. (Whoever waited for the turn with the lock
// in hand would wait for ever: whoever has the turn may ask for the lock.)
template <class F>
auto alone(SimulationHandle& self, F&& work) {
  const nb::gil_scoped_release unlocked;
  const std::lock_guard turn(*self.turn);
  return work(self.simulation);
}

Row row_of(const std::vector<double>& values) {
  auto* copy = new double[std::max<std::size_t>(values.size(), 1)];
  std::copy(values.begin(), values.end(), copy);
  const nb::capsule owner(copy, [](void* p) noexcept { delete[] static_cast<double*>(p); });
  return {copy, {values.size()}, owner};
}

std::shared_ptr<SimulationHandle> start(const std::shared_ptr<EngineHandle>& engine, const nb::dict& set,
                                        std::optional<double> until, std::optional<double> rtol,
                                        std::optional<double> atol, const nb::dict& inputs) {
  RunRequest request;
  TimeFunctions functions;
  request.inputs = functions.from(inputs);
  request.until = until;
  request.rtol = rtol;
  request.atol = atol;
  request.set = start_values_of(*engine, set);
  auto started = [&] {
    const nb::gil_scoped_release unlocked;
    return engine->engine->start(request);
  }();
  functions.rethrow();
  if (!started) raise_model_error(started.error(), *engine->sources);
  return std::make_shared<SimulationHandle>(engine, *std::move(started), std::make_unique<std::mutex>(),
                                            std::move(functions));
}

bool advance_to(SimulationHandle& self, double t) {
  Watch watch(nb::none(), nullptr, false);
  const bool runs = alone(self, [&](Simulation& simulation) {
    return simulation.advance_to(t, [&] { return watch(Progress{}); });
  });
  watch.rethrow();
  self.functions.rethrow();
  return runs;
}

void set_value(SimulationHandle& self, const std::string& name, nb::handle given) {
  const auto number = number_in(given);
  if (!number) throw nb::type_error(fmt::format("the value of '{}' must be a number", name).c_str());
  if (!std::isfinite(*number)) {
    raise_model_error({{.severity = Severity::Error,
                        .message = fmt::format("'{}' cannot be set to {}", name, *number),
                        .span = {},
                        .related = {}}});
  }
  const auto done = alone(self, [&](Simulation& simulation) { return simulation.set(name, *number); });
  if (!done) raise_model_error(done.error(), *self.engine->sources);
}

void set_function(SimulationHandle& self, const std::string& name, nb::handle function) {
  const InputFunction input = self.functions.from(name, function);
  const auto done = alone(self, [&](Simulation& simulation) { return simulation.set(name, input.function); });
  if (!done) raise_model_error(done.error(), *self.engine->sources);
}

nb::bytes save(SimulationHandle& self) {
  const auto bytes = value_or_raise(alone(self, [](Simulation& simulation) { return simulation.save(); }));
  return nb::bytes(bytes.data(), bytes.size());
}

std::shared_ptr<SimulationHandle> load(const std::shared_ptr<EngineHandle>& engine, const nb::bytes& bytes,
                                       const nb::dict& inputs) {
  TimeFunctions functions;
  const std::vector<InputFunction> given = functions.from(inputs);
  const std::span<const std::byte> saved(reinterpret_cast<const std::byte*>(bytes.c_str()), bytes.size());
  auto loaded = [&] {
    const nb::gil_scoped_release unlocked;
    return engine->engine->load(saved, given);
  }();
  if (!loaded) raise_model_error(loaded.error(), *engine->sources);
  return std::make_shared<SimulationHandle>(engine, *std::move(loaded), std::make_unique<std::mutex>(),
                                            std::move(functions));
}

void make_consistent(SimulationHandle& self) {
  const auto done = alone(self, [](Simulation& simulation) { return simulation.make_consistent(); });
  self.functions.rethrow();
  if (!done) raise_model_error(done.error(), *self.engine->sources);
}

std::string linearise_at_present(SimulationHandle& self, const std::vector<std::string>& inputs,
                                 const std::vector<std::string>& outputs) {
  const auto found = alone(self, [&](Simulation& simulation) {
    return linearise(*self.engine->engine, simulation, {.inputs = inputs, .outputs = outputs});
  });
  if (!found) raise_model_error(found.error(), *self.engine->sources);
  return linearisation_json(*found);
}

// Whether it was found; as JSON, or why not; the linearisation there, if there is one.
std::tuple<bool, std::string, std::optional<std::string>> steady_from_present(SimulationHandle& self) {
  return alone(self,
               [&](Simulation& simulation) -> std::tuple<bool, std::string, std::optional<std::string>> {
                 const Engine& engine = *self.engine->engine;
                 const SteadyState steady = find_steady_state(engine, simulation);
                 if (!steady.found) return {false, steady.reason, std::nullopt};
                 const auto linear = linearise_at(engine.model(), steady.environment);
                 if (!linear) return {true, steady_json(steady, nullptr), std::nullopt};
                 return {true, steady_json(steady, &*linear), linearisation_json(*linear)};
               });
}

}  // namespace

void bind_simulations(nb::module_& module) {
  nb::class_<SimulationHandle>(module, "Simulation")
      .def("advance_to", &advance_to)
      .def("step",
           [](SimulationHandle& s) {
             const bool runs = alone(s, [](Simulation& x) { return x.step(); });
             s.functions.rethrow();
             return runs;
           })
      .def("time", [](SimulationHandle& s) { return alone(s, [](Simulation& x) { return x.time(); }); })
      .def("ended", [](SimulationHandle& s) { return alone(s, [](Simulation& x) { return x.ended(); }); })
      .def("failed", [](SimulationHandle& s) { return alone(s, [](Simulation& x) { return x.failed(); }); })
      .def("reason", [](SimulationHandle& s) { return alone(s, [](Simulation& x) { return x.reason(); }); })
      .def("steps", [](SimulationHandle& s) { return alone(s, [](Simulation& x) { return x.steps(); }); })
      .def("names", [](SimulationHandle& s) { return alone(s, [](Simulation& x) { return x.names(); }); })
      .def("values",
           [](SimulationHandle& s) { return row_of(alone(s, [](Simulation& x) { return x.values(); })); })
      .def("value",
           [](SimulationHandle& s, const std::string& name) {
             return value_or_raise(alone(s, [&](Simulation& x) { return x.value(name); }));
           })
      .def("drift",
           [](SimulationHandle& s) { return row_of(alone(s, [](Simulation& x) { return x.drift(); })); })
      .def("linearise", &linearise_at_present, nb::arg("inputs"), nb::arg("outputs"))
      .def("steady", &steady_from_present)
      .def("set", &set_value)
      .def("set_function", &set_function)
      .def("make_consistent", &make_consistent)
      .def("save", &save)
      .def("copy", [](SimulationHandle& s) {
        return std::make_shared<SimulationHandle>(s.engine, alone(s, [](Simulation& x) { return x; }),
                                                  std::make_unique<std::mutex>(), s.functions);
      });
  module.def("start", &start, nb::arg("engine"), nb::arg("set"), nb::arg("until").none(),
             nb::arg("rtol").none(), nb::arg("atol").none(), nb::arg("inputs"));
  module.def("load", &load, nb::arg("engine"), nb::arg("bytes"), nb::arg("inputs"));
}

}  // namespace daedalus::python
