// Tapes and recipes as plain tuples, for pickles.
#pragma once

#include <nanobind/nanobind.h>

#include "recipe.hpp"

namespace daedalus::python {

[[nodiscard]] nanobind::tuple state_of(const Tape& tape);
[[nodiscard]] Tape tape_in(const nanobind::tuple& state);
// With its tape as an object of its own, which expressions share.
[[nodiscard]] nanobind::tuple state_of(const Recipe& recipe);
[[nodiscard]] Recipe recipe_in(const nanobind::tuple& state);

}  // namespace daedalus::python
