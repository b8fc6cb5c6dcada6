// daedalus._core: the C++ library for the package in python/daedalus, which is what users see.
#include <nanobind/nanobind.h>

#include <typeinfo>

#include "symbol.hpp"

NB_MODULE(_core, module) {
  namespace py = daedalus::python;
  // An entry of a dictionary or list that is not what it should be.
  nanobind::register_exception_translator([](const std::exception_ptr& raised, void*) {
    try {
      std::rethrow_exception(raised);
    } catch (const std::bad_cast&) {
      PyErr_SetString(PyExc_TypeError, "an argument is not of the type that is wanted here");
    }
  });
  module.attr("__version__") = DAEDALUS_VERSION;
  py::bind_expressions(module);
  py::bind_models(module);
  py::bind_mechanisms(module);
  py::bind_runs(module);
  py::bind_engines(module);
  py::bind_ensembles(module);
  py::bind_simulations(module);
  py::bind_studies(module);
  py::bind_functions(module);
}
