// The three kinds of errors in Python: wrong input is daedalus.ModelError with the diagnostics, whose text is
// that of the command line; failed numerics are a result that the package turns into a SimulationError.
#pragma once

#include <nanobind/nanobind.h>

#include "core/diagnostic.hpp"

namespace daedalus::python {

// Raises daedalus.ModelError in Python.
[[noreturn]] void raise_model_error(const Diagnostics& errors, const SourceMap& sources = {});

// A Python list of daedalus.Diagnostic.
[[nodiscard]] nanobind::list diagnostics_list(const Diagnostics& diagnostics, const SourceMap& sources);

template <class T>
[[nodiscard]] T value_or_raise(Result<T> result) {
  if (!result) raise_model_error(result.error());
  return *std::move(result);
}

inline void succeed_or_raise(const Result<void>& result) {
  if (!result) raise_model_error(result.error());
}

}  // namespace daedalus::python
