#include "watch.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "errors.hpp"

namespace nb = nanobind;

namespace daedalus::python {
namespace {

std::optional<double> optional_number(const nb::dict& given, const char* key) {
  if (!given.contains(key) || given[key].is_none()) return std::nullopt;
  return nb::cast<double>(given[key]);
}

Selection selection_of(const nb::dict& given, const char* key) {
  if (!given.contains(key) || given[key].is_none()) return Selection("auto");
  return value_or_raise(parse_selection(nb::cast<std::string>(given[key])));
}

}  // namespace

RunOptions options_of(const nb::dict& given) {
  RunOptions options;
  options.until = optional_number(given, "until");
  options.rtol = optional_number(given, "rtol");
  options.atol = optional_number(given, "atol");
  options.step = optional_number(given, "step");
  if (given.contains("points") && !given["points"].is_none()) options.points = nb::cast<int>(given["points"]);
  options.formulation = selection_of(given, "formulation");
  options.integrator = selection_of(given, "integrator");
  if (given.contains("codegen"))
    options.codegen.choice = value_or_raise(codegen_choice(nb::cast<std::string>(given["codegen"])));
  if (given.contains("threads")) options.codegen.threads = nb::cast<std::size_t>(given["threads"]);
  if (given.contains("sensitivities"))
    options.sensitivities = nb::cast<std::vector<std::string>>(given["sensitivities"]);
  if (given.contains("inputs")) {
    for (const auto& name : nb::cast<nb::list>(given["inputs"]))
      options.inputs.push_back({.name = nb::cast<std::string>(name), .function = {}});
  }
  return options;
}

std::optional<double> start_of(const nb::dict& given) {
  return optional_number(given, "start");
}

bool Watch::operator()(const Progress& news) {
  const auto now = Clock::now();
  if (!every_step_ && now < next_) return true;
  next_ = now + interval;
  const nb::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() != 0) return stop();
  if (progress_.is_none()) return true;
  try {
    const nb::object go_on =
        every_step_ ? progress_(run_)
                    : progress_(news.t, news.t_start, news.t_end, news.step, news.order, news.steps);
    if (go_on.is(nb::bool_(false))) return false;
  } catch (nb::python_error& error) {
    error.restore();
    return stop();
  }
  return true;
}

void Watch::rethrow() {
  if (!raised_.is_valid()) return;
  PyErr_SetObject(raised_.type().ptr(), raised_.ptr());
  throw nb::python_error();
}

bool Watch::stop() {
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  if (trace != nullptr) PyException_SetTraceback(value, trace);
  raised_ = nb::steal(value);
  Py_XDECREF(type);
  Py_XDECREF(trace);
  return false;
}

}  // namespace daedalus::python
