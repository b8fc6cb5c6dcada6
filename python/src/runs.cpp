// Runs and their results: simulate without the lock of the interpreter, arrays without copies.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>

#include "errors.hpp"
#include "results/check_report.hpp"
#include "results/page.hpp"
#include "results/plot.hpp"
#include "results/summary.hpp"
#include "results/writers.hpp"
#include "run_handle.hpp"
#include "symbol.hpp"
#include "watch.hpp"

namespace nb = nanobind;

namespace daedalus::python {
namespace {

using Column = nb::ndarray<nb::numpy, const double, nb::ndim<1>>;
using GivenSettings = std::vector<std::pair<std::string, std::string>>;
using Table = nb::ndarray<nb::numpy, double, nb::ndim<2>>;

// The arrays keep the run alive; nothing is copied.
nb::capsule keep_alive(const std::shared_ptr<const RunHandle>& run) {
  return {new std::shared_ptr<const RunHandle>(run),
          [](void* owner) noexcept { delete static_cast<std::shared_ptr<const RunHandle>*>(owner); }};
}

Column column_of(const std::shared_ptr<RunHandle>& run, std::size_t column) {
  const Trajectory& trajectory = run->result.trajectory;
  if (column >= trajectory.signals.size()) throw nb::index_error("no such column");
  const std::size_t width = trajectory.signals.size();
  return {trajectory.values.data() + column,
          {trajectory.rows()},
          keep_alive(run),
          {static_cast<std::int64_t>(width)}};
}

Column plain(const std::shared_ptr<RunHandle>& run, const std::vector<double>& values) {
  return {values.data(), {values.size()}, keep_alive(run)};
}

Column values_of(const std::shared_ptr<RunHandle>& run) {
  return plain(run, run->result.trajectory.values);
}

// Rows of all signals at the times; times outside of the run are refused by the package.
Table dense_values(const RunHandle& run, const std::vector<double>& times) {
  const DenseOutput& dense = *run.dense;
  const std::size_t width = dense.signals().size();
  auto* values = new double[std::max<std::size_t>(times.size() * width, 1)];
  const nb::capsule owner(values, [](void* p) noexcept { delete[] static_cast<double*>(p); });
  for (std::size_t k = 0; k < times.size(); ++k) {
    const double t = std::clamp(times[k], dense.t_begin(), dense.t_end());
    dense.evaluate(t, {values + (k * width), width});
  }
  return {values, {times.size(), width}, owner};
}

// All signals inside one step, for the search for events.
std::vector<double> dense_in_segment(const RunHandle& run, std::size_t segment, double t) {
  std::vector<double> values(run.dense->signals().size());
  if (segment >= run.dense->segments()) throw nb::index_error("no such step");
  run.dense->evaluate_in(segment, t, values);
  return values;
}

std::vector<std::tuple<std::string, std::string, std::string, bool>> signals_of(const RunHandle& run) {
  std::vector<std::tuple<std::string, std::string, std::string, bool>> rows;
  for (const Signal& s : run.result.trajectory.signals)
    rows.emplace_back(s.name, s.unit, s.description, s.discrete);
  return rows;
}

std::vector<std::pair<std::string, double>> parameters_of(const RunHandle& run) {
  std::vector<std::pair<std::string, double>> rows;
  for (const ParameterValue& p : run.result.trajectory.parameters) rows.emplace_back(p.signal.name, p.value);
  return rows;
}

nb::dict seconds_of(const RunHandle& run) {
  nb::dict seconds;
  for (const auto& [name, value] : run.result.summary.seconds) seconds[name.c_str()] = value;
  return seconds;
}

std::shared_ptr<RunHandle> simulate_source(const std::shared_ptr<SystemSource>& source,
                                           const GivenSettings& settings, const nb::dict& given,
                                           const nb::object& progress) {
  auto run = std::make_shared<RunHandle>();
  RunOptions options = options_of(given);
  const std::optional<double> start = start_of(given);
  if (given.contains("dense") && nb::cast<bool>(given["dense"]))
    options.dense = run->dense = std::make_shared<DenseOutput>();
  const bool every_step = given.contains("every_step") && nb::cast<bool>(given["every_step"]);
  Watch watch(progress, run, every_step);
  options.progress = [&watch](const Progress& news) { return watch(news); };
  std::optional<Explained> errors;
  {
    const nb::gil_scoped_release unlocked;
    errors = run_source(*source, settings_of(settings), options, start, *run);
  }
  watch.rethrow();
  if (errors) raise_model_error(errors->errors, *errors->sources);
  return run;
}

nb::object check_source(const std::shared_ptr<SystemSource>& source, const GivenSettings& settings) {
  std::optional<Explained> errors;
  std::string json;
  std::string text;
  {
    const nb::gil_scoped_release unlocked;
    errors = check_source_to(*source, settings_of(settings), json, text);
  }
  if (errors) raise_model_error(errors->errors, *errors->sources);
  return nb::make_tuple(json, text);
}

// Raises what is wrong with the model; gives the names of variables and parameters, and the warnings.
nb::object examine(const std::shared_ptr<SystemSource>& source, const GivenSettings& given) {
  const Settings settings = settings_of(given);
  Made made{nullptr, DaeSystem{}};
  Explained wrong;
  {
    const nb::gil_scoped_release unlocked;
    made = source->make(settings, {});
    if (!made.system) wrong = explained(*source, settings, {made.sources, made.system.error()});
  }
  if (!made.system) raise_model_error(wrong.errors, *wrong.sources);
  nb::list variables;
  nb::list parameters;
  for (const Variable& v : made.system->variables) variables.append(v.name);
  for (const ReportedValue& r : made.system->reported)
    (r.parameter ? parameters : variables).append(r.attributes.name);
  for (const std::string& name : source->settable()) parameters.append(name);
  return nb::make_tuple(made.system->name, variables, parameters,
                        diagnostics_list(made.system->warnings, *made.sources),
                        render(made.system->warnings, *made.sources));
}

// The page of `daedalus run --report`.
std::string page_of(const RunHandle& run, const std::shared_ptr<SystemSource>& source,
                    const GivenSettings& given, const Names& variables) {
  const Settings settings = settings_of(given);
  auto page = [&] {
    const nb::gil_scoped_release unlocked;
    const Made made = source->make(settings, {});
    const std::optional<Mechanism> mechanism = source->mechanism_with(settings);
    return run_page({.result = &run.result,
                     .system = made.system ? &*made.system : nullptr,
                     .mechanism = mechanism ? &*mechanism : nullptr,
                     .command = {},
                     .variables = variables,
                     .preferred = mechanism ? telling_signals(*mechanism) : Names{}});
  }();
  return value_or_raise(std::move(page));
}

std::string json_of(const RunHandle& run) {
  return run.told_json.empty() ? summary_json(run.result.summary) : run.told_json;
}

std::string text_of_summary(const RunHandle& run) {
  return run.told_text.empty() ? summary_text(run.result.summary) : run.told_text;
}

using SignalState = std::tuple<std::string, std::string, std::string, bool>;
using Numbers = std::vector<double>;

nb::bytes bytes_of(const Numbers& values) {
  return nb::bytes(static_cast<const void*>(values.data()), values.size() * sizeof(double));
}

Numbers numbers_in(const nb::handle state) {
  const auto bytes = nb::cast<nb::bytes>(state);
  Numbers values(bytes.size() / sizeof(double));
  std::memcpy(values.data(), bytes.c_str(), values.size() * sizeof(double));
  return values;
}

// Values and what was told of the run. The course between output points is not kept: the run is made again
// for it.
nb::tuple state_of(const RunHandle& run) {
  const Trajectory& trajectory = run.result.trajectory;
  std::vector<std::pair<SignalState, double>> parameters;
  for (const ParameterValue& p : trajectory.parameters)
    parameters.emplace_back(
        SignalState(p.signal.name, p.signal.unit, p.signal.description, p.signal.discrete), p.value);
  nb::list drift;
  for (const Numbers& level : trajectory.drift) drift.append(bytes_of(level));
  const Summary& summary = run.result.summary;
  return nb::make_tuple(signals_of(run), bytes_of(trajectory.times), bytes_of(trajectory.values), parameters,
                        drift, summary.status, summary.reason, summary.t_end, summary.warnings,
                        summary.seconds, json_of(run), text_of_summary(run));
}

Signal signal_in(const SignalState& state) {
  const auto& [name, unit, description, discrete] = state;
  return {.name = name, .unit = unit, .description = description, .discrete = discrete};
}

void restore(RunHandle& run, const nb::tuple& state) {
  new (&run) RunHandle{};
  Trajectory& trajectory = run.result.trajectory;
  for (const SignalState& signal : nb::cast<std::vector<SignalState>>(state[0]))
    trajectory.signals.push_back(signal_in(signal));
  trajectory.times = numbers_in(state[1]);
  trajectory.values = numbers_in(state[2]);
  if (trajectory.values.size() != trajectory.times.size() * trajectory.signals.size())
    throw nb::value_error("this is no pickle of a run");
  for (const auto& [signal, value] : nb::cast<std::vector<std::pair<SignalState, double>>>(state[3]))
    trajectory.parameters.push_back({.signal = signal_in(signal), .value = value});
  for (const nb::handle level : nb::cast<nb::list>(state[4])) trajectory.drift.push_back(numbers_in(level));
  Summary& summary = run.result.summary;
  summary.status = nb::cast<std::string>(state[5]);
  summary.reason = nb::cast<std::string>(state[6]);
  summary.t_end = nb::cast<double>(state[7]);
  summary.warnings = nb::cast<std::vector<std::string>>(state[8]);
  summary.seconds = nb::cast<std::vector<std::pair<std::string, double>>>(state[9]);
  run.told_json = nb::cast<std::string>(state[10]);
  run.told_text = nb::cast<std::string>(state[11]);
}

void bind_handle(nb::module_& module) {
  nb::class_<RunHandle>(module, "Run")
      .def("__getstate__", &state_of)
      .def("__setstate__", &restore)
      .def_prop_ro("ok", [](const RunHandle& r) { return r.result.ok(); })
      .def_prop_ro("reason", [](const RunHandle& r) { return r.result.summary.reason; })
      .def_prop_ro("t_end", [](const RunHandle& r) { return r.result.summary.t_end; })
      .def_prop_ro("has_dense", [](const RunHandle& r) { return r.dense != nullptr && !r.dense->empty(); })
      .def("summary_json", &json_of)
      .def("summary_text", &text_of_summary)
      .def("warnings", [](const RunHandle& r) { return r.result.summary.warnings; })
      .def("seconds", &seconds_of)
      .def("signals", &signals_of)
      .def("parameters", &parameters_of)
      .def("times", [](const std::shared_ptr<RunHandle>& r) { return plain(r, r->result.trajectory.times); })
      .def("values", &values_of)
      .def("column", &column_of)
      .def("drift_levels", [](const RunHandle& r) { return r.result.trajectory.drift.size(); })
      .def("drift", [](const std::shared_ptr<RunHandle>& r,
                       std::size_t level) { return plain(r, r->result.trajectory.drift.at(level)); })
      .def("dense_range",
           [](const RunHandle& r) { return nb::make_tuple(r.dense->t_begin(), r.dense->t_end()); })
      .def("dense_names",
           [](const RunHandle& r) {
             std::vector<std::string> names;
             for (const Signal& signal : r.dense->signals()) names.push_back(signal.name);
             return names;
           })
      .def("dense", &dense_values)
      .def("segments", [](const RunHandle& r) { return r.dense->segments(); })
      .def("segment",
           [](const RunHandle& r, std::size_t k) {
             if (k >= r.dense->segments()) throw nb::index_error("no such step");
             return nb::make_tuple(r.dense->starts()[k], r.dense->ends()[k]);
           })
      .def("dense_in", &dense_in_segment)
      .def_prop_ro("restored", [](const RunHandle& r) { return !r.told_json.empty(); })
      .def("page", &page_of)
      .def("at",
           [](const RunHandle& r, const std::vector<double>& times) {
             return std::make_shared<RunHandle>(at_times(r, times));
           })
      .def("write",
           [](const RunHandle& r, const std::string& path) {
             succeed_or_raise(write_trajectory(r.result.trajectory, path));
           })
      .def("svg",
           [](const RunHandle& r, const std::string& title, const std::vector<std::string>& variables) {
             return value_or_raise(plot_svg(r.result.trajectory, {.title = title, .variables = variables}));
           });
}

}  // namespace

void bind_runs(nb::module_& module) {
  bind_handle(module);
  module.def("simulate", &simulate_source, nb::arg("source"), nb::arg("settings"), nb::arg("options"),
             nb::arg("progress").none());
  module.def("check", &check_source);
  module.def("examine", &examine);
  module.def("unknown_name",
             [](const std::string& family, const std::string& given, std::vector<std::string> known) {
               const std::vector<std::string_view> views(known.begin(), known.end());
               return unknown_name_message(family, given, views);
             });
}

}  // namespace daedalus::python
