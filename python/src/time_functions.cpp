#include "time_functions.hpp"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <limits>
#include <utility>

#include "symbol.hpp"

namespace nb = nanobind;

namespace daedalus::python {

struct TimeFunctions::Raised {
  nb::object error;
};

namespace {

// An object of Python that may be let go by any thread.
template <class T>
std::shared_ptr<T> locked(T* made) {
  return std::shared_ptr<T>(made, [](T* object) {
    const nb::gil_scoped_acquire lock;
    delete object;
  });
}

}  // namespace

InputFunction TimeFunctions::from(const std::string& name, nb::handle function) {
  if (PyCallable_Check(function.ptr()) == 0)
    throw nb::type_error(fmt::format("the input '{}' must be a function of time", name).c_str());
  if (raised_ == nullptr) raised_ = locked(new Raised);
  const std::shared_ptr<nb::object> held = locked(new nb::object(nb::borrow(function)));
  return {.name = name, .function = [held, raised = raised_, name](double t) {
            const nb::gil_scoped_acquire lock;
            try {
              const nb::object result = (*held)(t);
              if (const auto number = number_in(result)) return *number;
              throw nb::type_error(
                  fmt::format("the function of the input '{}' must give a number", name).c_str());
            } catch (const nb::python_error& error) {
              if (!raised->error.is_valid()) raised->error = nb::borrow(error.value());
            } catch (const nb::builtin_exception& error) {
              if (!raised->error.is_valid()) raised->error = nb::handle(PyExc_TypeError)(error.what());
            }
            return std::numeric_limits<double>::quiet_NaN();
          }};
}

std::vector<InputFunction> TimeFunctions::from(const nb::dict& given) {
  std::vector<InputFunction> functions;
  for (const auto& [name, function] : given) functions.push_back(from(nb::cast<std::string>(name), function));
  return functions;
}

void TimeFunctions::rethrow() {
  if (raised_ == nullptr || !raised_->error.is_valid()) return;
  const nb::object error = std::exchange(raised_->error, {});
  PyErr_SetObject(error.type().ptr(), error.ptr());
  throw nb::python_error();
}

}  // namespace daedalus::python
