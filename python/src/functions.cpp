// Functions F(t, y, y') that cannot be traced: called as they are, with differences for derivatives.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "errors.hpp"
#include "run_handle.hpp"
#include "simulate/function_run.hpp"
#include "symbol.hpp"

namespace nb = nanobind;

namespace daedalus::python {
namespace {

using InputArray = nb::ndarray<nb::numpy, double, nb::ndim<1>>;
using OutputArray = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// The function gets arrays of its own: it may keep or change them.
nb::object array_of(std::span<const double> values) {
  auto* copy = new double[std::max<std::size_t>(values.size(), 1)];
  std::copy(values.begin(), values.end(), copy);
  const nb::capsule owner(copy, [](void* p) noexcept { delete[] static_cast<double*>(p); });
  return nb::cast(InputArray(copy, {values.size()}, owner));
}

// Calls Python with the interpreter's lock held all the time. What the function raises ends the run.
class PythonFunction {
 public:
  explicit PythonFunction(nb::callable function) : function_(std::move(function)) {}

  bool operator()(double t, std::span<const double> y, std::span<const double> yp, std::span<double> r) {
    if (raised_) return false;
    try {
      const auto values = nb::cast<OutputArray>(function_(t, array_of(y), array_of(yp)));
      if (values.shape(0) != r.size())
        throw nb::value_error("the function must give one residual an unknown");
      std::copy(values.data(), values.data() + r.size(), r.begin());
      return true;
    } catch (nb::python_error& error) {
      raised_.emplace(error);
    } catch (const std::exception& error) {
      PyErr_SetString(PyExc_ValueError, error.what());
      raised_.emplace();
    }
    return false;
  }

  [[nodiscard]] bool raised() const { return raised_.has_value(); }
  void rethrow() const {
    if (raised_) throw nb::python_error(*raised_);
  }

 private:
  nb::callable function_;
  std::optional<nb::python_error> raised_;
};

void fill(RunHandle& run, const FunctionResult& found) {
  Summary& summary = run.result.summary;
  summary.status = found.failure.empty() ? "ok" : "failed";
  summary.reason = found.failure;
  summary.t_end = found.t;
  summary.formulation = Selection("none");
  summary.counters = found.counters;
}

nb::object solve_function(const nb::callable& function, double t_start, double t_end, std::vector<double> y,
                          std::vector<double> yp, const nb::dict& given) {
  PythonFunction called(function);
  const nb::object jacobian = given["jacobian"];
  std::optional<PythonFunction> differentiated;
  if (!jacobian.is_none()) differentiated.emplace(nb::cast<nb::callable>(jacobian));
  auto run = std::make_shared<RunHandle>();
  const nb::object on_step = given["on_step"];
  std::optional<nb::python_error> raised;
  FunctionProblem problem{
      .function = [&](double t, std::span<const double> u, std::span<const double> up,
                      std::span<double> r) { return called(t, u, up, r); },
      .t_start = t_start,
      .t_end = t_end,
      .y = std::move(y),
      .yp = std::move(yp),
      .tolerances = {.relative = nb::cast<double>(given["rtol"]),
                     .absolute = nb::cast<double>(given["atol"])},
      .integrator = value_or_raise(parse_selection(nb::cast<std::string>(given["integrator"]))),
      .step = nb::cast<std::optional<double>>(given["step"]),
      .progress = {}};
  problem.progress = [&](const Progress&) {
    if (called.raised() || (differentiated && differentiated->raised())) return false;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      return on_step.is_none() || !on_step(run).is(nb::bool_(false));
    } catch (nb::python_error& error) {
      raised.emplace(error);
      return false;
    }
  };
  if (differentiated) {
    problem.jacobian = [&differentiated, both = std::vector<double>()](
                           double t, std::span<const double> u, std::span<const double> up,
                           std::span<double> du, std::span<double> dup) mutable {
      both.resize(du.size() + dup.size());
      if (!(*differentiated)(t, u, up, both)) return false;
      std::copy_n(both.begin(), du.size(), du.begin());
      std::copy_n(both.begin() + static_cast<std::ptrdiff_t>(du.size()), dup.size(), dup.begin());
      return true;
    };
  }
  run->dense = problem.course;
  auto found = run_function(problem);
  called.rethrow();
  if (differentiated) differentiated->rethrow();
  if (raised) throw nb::python_error(*raised);
  if (!found) raise_model_error(found.error());
  fill(*run, *found);
  run->result.summary.integrator = problem.integrator;
  return nb::make_tuple(run, found->y, found->calls);
}

}  // namespace

void bind_functions(nb::module_& module) {
  module.def("solve_function", &solve_function);
}

}  // namespace daedalus::python
