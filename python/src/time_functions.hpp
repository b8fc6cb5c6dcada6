// Functions of Python as inputs of a run. They are called by the thread that runs, which asks for the
// interpreter's lock for that.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "record/run_options.hpp"

namespace daedalus::python {

// What a function raised ends the run, and is raised again where Python called.
class TimeFunctions {
 public:
  // {name: function}; anything that cannot be called is a TypeError.
  [[nodiscard]] std::vector<InputFunction> from(const nanobind::dict& given);
  [[nodiscard]] InputFunction from(const std::string& name, nanobind::handle function);
  // Throws it, with the interpreter's lock.
  void rethrow();

 private:
  struct Raised;
  std::shared_ptr<Raised> raised_;
};

}  // namespace daedalus::python
