// daedalus._core: the C++ library for the package in python/daedalus, which is what users see.
#include <nanobind/nanobind.h>

#include "symbol.hpp"

NB_MODULE(_core, module) {
  namespace py = daedalus::python;
  module.attr("__version__") = DAEDALUS_VERSION;
  py::bind_expressions(module);
  py::bind_models(module);
  py::bind_mechanisms(module);
  py::bind_runs(module);
  py::bind_studies(module);
  py::bind_functions(module);
}
