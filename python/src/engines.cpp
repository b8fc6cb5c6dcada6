// Engines: compiled once, run many times without the lock of the interpreter.
#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>

#include "advise/plan.hpp"
#include "drive/input_course.hpp"
#include "engine_handle.hpp"
#include "errors.hpp"
#include "reform/level_system.hpp"
#include "run_handle.hpp"
#include "symbol.hpp"
#include "time_functions.hpp"
#include "watch.hpp"

namespace nb = nanobind;

namespace daedalus::python {
namespace {

using GivenSettings = std::vector<std::pair<std::string, std::string>>;

std::optional<Explained> compile_to(const SystemSource& source, const Settings& settings, const Names& free,
                                    const RunOptions& options, std::optional<double> start,
                                    EngineHandle& engine) {
  const Made made = make_for(source, settings, options, start, free);
  if (!made.system) return explained(source, settings, {made.sources, made.system.error()});
  auto planned = plan(*made.system, options);
  auto compiled = planned ? compile(*std::move(planned)) : std::unexpected(planned.error());
  if (!compiled) {
    Explained errors{made.sources, compiled.error()};
    return structural_errors(*made.system).empty() ? errors : explained(source, settings, std::move(errors));
  }
  engine = {.engine = *std::move(compiled), .sources = made.sources, .functions = {}};
  for (const InputCourse& course : input_courses(engine.engine->system()))
    engine.functions.push_back(course.name);
  return std::nullopt;
}

std::shared_ptr<EngineHandle> compile_source(const std::shared_ptr<SystemSource>& source,
                                             const GivenSettings& settings, const Names& free,
                                             const nb::dict& given) {
  const RunOptions options = options_of(given);
  const std::optional<double> start = start_of(given);
  auto engine = std::make_shared<EngineHandle>();
  std::optional<Explained> errors;
  {
    const nb::gil_scoped_release unlocked;
    errors = compile_to(*source, settings_of(settings), free, options, start, *engine);
  }
  if (errors) raise_model_error(errors->errors, *errors->sources);
  return engine;
}

std::shared_ptr<RunHandle> run_engine(const std::shared_ptr<EngineHandle>& engine, const nb::dict& set,
                                      std::optional<double> until, std::optional<double> rtol,
                                      std::optional<double> atol, std::optional<int> points, bool dense,
                                      const nb::object& progress, const nb::dict& inputs) {
  auto run = std::make_shared<RunHandle>();
  if (dense) run->dense = std::make_shared<DenseOutput>();
  Watch watch(progress, run, false);
  TimeFunctions functions;
  const RunRequest request{.until = until,
                           .rtol = rtol,
                           .atol = atol,
                           .points = points,
                           .set = start_values_of(*engine, set),
                           .inputs = functions.from(inputs),
                           .progress = [&watch](const Progress& news) { return watch(news); },
                           .observers = {},
                           .dense = run->dense};
  Result<RunResult> result = RunResult{};
  {
    const nb::gil_scoped_release unlocked;
    result = engine->engine->run(request);
  }
  watch.rethrow();
  functions.rethrow();
  if (!result) raise_model_error(result.error(), *engine->sources);
  run->result = *std::move(result);
  return run;
}

}  // namespace

std::vector<std::string_view> names_to_set(const EngineHandle& engine) {
  std::vector<std::string_view> given;
  std::vector<std::string_view> others;
  for (const Variable& variable : engine.engine->system().variables) {
    if (!variable.internal) (is_given(variable.kind) ? given : others).push_back(variable.name);
  }
  for (const std::string& name : engine.functions) given.push_back(name);
  given.insert(given.end(), others.begin(), others.end());
  return given;
}

std::vector<StartValue> start_values_of(const EngineHandle& engine, const nb::dict& given) {
  std::vector<StartValue> values;
  const auto& variables = engine.engine->system().variables;
  for (const auto& [key, value] : given) {
    auto name = nb::cast<std::string>(key);
    if (std::ranges::find(variables, name, &Variable::name) == variables.end() &&
        std::ranges::find(engine.functions, name) == engine.functions.end()) {
      raise_model_error({{.severity = Severity::Error,
                          .message = unknown_name_message("name to be set", name, names_to_set(engine)),
                          .span = {},
                          .related = {}}});
    }
    const auto number = number_in(value);
    if (!number) throw nb::type_error(fmt::format("the value of '{}' must be a number", name).c_str());
    values.push_back({.name = std::move(name), .value = *number});
  }
  return values;
}

void bind_engines(nb::module_& module) {
  nb::class_<EngineHandle>(module, "Engine")
      .def("settable", [](const EngineHandle& e) { return e.engine->settable(); })
      .def("variables",
           [](const EngineHandle& e) {
             std::vector<std::string> names;
             for (const std::string_view name : names_to_set(e)) names.emplace_back(name);
             return names;
           })
      .def("formulation", [](const EngineHandle& e) { return e.engine->plan().formulation.to_text(); })
      .def("integrator", [](const EngineHandle& e) { return e.engine->plan().integrator.to_text(); })
      .def("run", &run_engine, nb::arg("set"), nb::arg("until").none(), nb::arg("rtol").none(),
           nb::arg("atol").none(), nb::arg("points").none(), nb::arg("dense"), nb::arg("progress").none(),
           nb::arg("inputs"));
  module.def("compile", &compile_source, nb::arg("source"), nb::arg("settings"), nb::arg("free"),
             nb::arg("options"));
}

}  // namespace daedalus::python
