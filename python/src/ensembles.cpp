// Ensembles: many trajectories of one engine at once, without the lock of the interpreter.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <span>

#include "engine_handle.hpp"
#include "ensemble/ensemble.hpp"
#include "errors.hpp"
#include "symbol.hpp"
#include "watch.hpp"

namespace nb = nanobind;

namespace daedalus::python {
namespace {

using Names = std::vector<std::string>;
using Columns = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

struct EnsembleHandle {
  std::shared_ptr<const Ensemble> ensemble;
  std::shared_ptr<SourceMap> sources;
};

template <class T>
auto array_of(const std::vector<T>& values, std::initializer_list<std::size_t> shape) {
  auto* copy = new T[std::max<std::size_t>(values.size(), 1)];
  std::ranges::copy(values, copy);
  const nb::capsule owner(copy, [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T>(copy, shape, owner));
}

std::shared_ptr<EnsembleHandle> make(const std::shared_ptr<EngineHandle>& engine, const Names& outputs,
                                     const std::vector<double>& at, const nb::dict& given) {
  EnsembleOptions options{.outputs = outputs, .at = at};
  const auto number = [&given](const char* name) -> std::optional<double> {
    if (!given.contains(name) || given[name].is_none()) return std::nullopt;
    return nb::cast<double>(given[name]);
  };
  options.until = number("until");
  options.rtol = number("rtol");
  options.atol = number("atol");
  options.backend = nb::cast<std::string>(given["backend"]);
  options.threads = nb::cast<std::size_t>(given["threads"]);
  auto made = [&] {
    const nb::gil_scoped_release unlocked;
    return Ensemble::make(engine->engine, options);
  }();
  if (!made) raise_model_error(made.error(), *engine->sources);
  return std::make_shared<EnsembleHandle>(*std::move(made), engine->sources);
}

nb::dict dictionary_of(const EnsembleResult& result) {
  nb::dict out;
  const std::size_t runs = result.runs();
  std::vector<std::uint8_t> status;
  for (const TrajectoryStatus one : result.status) status.push_back(static_cast<std::uint8_t>(one));
  out["values"] = array_of(result.values, {runs, result.times.size(), result.outputs.size()});
  out["status"] = array_of(status, {runs});
  out["scalar"] = array_of(result.scalar, {runs});
  out["t_end"] = array_of(result.t_end, {runs});
  out["drift"] = array_of(result.drift, {runs});
  out["steps"] = array_of(result.steps, {runs});
  out["rejected"] = array_of(result.rejected, {runs});
  out["evaluations"] = array_of(result.evaluations, {runs});
  nb::dict failures;
  for (const TrajectoryFailure& failure : result.failures) failures[nb::cast(failure.run)] = failure.reason;
  out["failures"] = failures;
  return out;
}

// What is done when the keyboard interrupts is kept: the second value says whether it did.
std::pair<nb::dict, bool> run(const EnsembleHandle& self, const Names& names, const Columns& columns,
                              const nb::object& progress) {
  EnsembleInputs inputs{.names = names, .columns = {}, .runs = columns.shape(1)};
  for (std::size_t k = 0; k < names.size(); ++k)
    inputs.columns.emplace_back(columns.data() + (k * inputs.runs), inputs.runs);
  Watch watch(progress, nullptr, false);
  bool stopped = false;
  auto result = [&] {
    const nb::gil_scoped_release unlocked;
    return self.ensemble->run(inputs, [&](std::size_t done, std::size_t runs) {
      const bool on =
          watch({.t = static_cast<double>(done), .t_start = 0, .t_end = static_cast<double>(runs)});
      stopped = stopped || !on;
      return on;
    });
  }();
  if (!result) raise_model_error(result.error(), *self.sources);
  try {
    watch.rethrow();
  } catch (const nb::python_error& error) {
    if (!error.matches(PyExc_KeyboardInterrupt)) throw;
  }
  return {dictionary_of(*result), stopped};
}

}  // namespace

void bind_ensembles(nb::module_& module) {
  nb::class_<EnsembleHandle>(module, "Ensemble")
      .def("backend", [](const EnsembleHandle& e) { return std::string(e.ensemble->backend()); })
      .def("why", [](const EnsembleHandle& e) { return e.ensemble->why(); })
      .def("outputs", [](const EnsembleHandle& e) { return e.ensemble->outputs(); })
      .def("times", [](const EnsembleHandle& e) { return e.ensemble->times(); })
      .def("run", &run, nb::arg("names"), nb::arg("columns"), nb::arg("progress").none());
  module.def("ensemble", &make, nb::arg("engine"), nb::arg("outputs"), nb::arg("at"), nb::arg("options"));
}

}  // namespace daedalus::python
