// Functions of the Modelica Standard Library that exported models call without containing them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace daedalus::flatten {

// A definition of our own, in Modelica, after the library's documentation. A name that begins with "*." is
// known by its end.
struct LibraryFunction {
  std::string_view name;
  std::string_view body;  // between "function 'name'" and "end"
};
[[nodiscard]] std::span<const LibraryFunction> blocks_functions();
[[nodiscard]] std::span<const LibraryFunction> fluid_functions();

// The Modelica text of a library function; empty when it is not known.
[[nodiscard]] std::string library_text(std::string_view name);
// All names, sorted.
[[nodiscard]] std::vector<std::string_view> library_names();

}  // namespace daedalus::flatten
