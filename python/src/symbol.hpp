// What Python holds of an expression: a place on a tape.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>

#include "tape.hpp"

namespace daedalus::python {

struct Symbol {
  std::shared_ptr<Tape> tape;
  std::int32_t entry = -1;
};

// left == right, as Python writes it.
struct SymbolEquation {
  Symbol left;
  Symbol right;
};

// A number of Python or NumPy, not a text and not an array.
[[nodiscard]] std::optional<double> number_in(nanobind::handle object);

// An expression or a number as an entry of this tape; nothing if the object is neither. An expression of
// another tape raises ModelError.
[[nodiscard]] std::optional<std::int32_t> entry_of(const std::shared_ptr<Tape>& tape,
                                                   nanobind::handle object);
// The same; a TypeError names what was expected.
[[nodiscard]] std::int32_t require_entry(const std::shared_ptr<Tape>& tape, nanobind::handle object,
                                         const char* what);

void bind_expressions(nanobind::module_& module);
void bind_models(nanobind::module_& module);
void bind_mechanisms(nanobind::module_& module);
void bind_runs(nanobind::module_& module);
void bind_engines(nanobind::module_& module);
void bind_ensembles(nanobind::module_& module);
void bind_simulations(nanobind::module_& module);
void bind_studies(nanobind::module_& module);
void bind_functions(nanobind::module_& module);

}  // namespace daedalus::python
