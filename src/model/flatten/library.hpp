// Functions of the Modelica Standard Library that exported models call without containing them.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace daedalus::flatten {

// A definition of our own, in Modelica, after the library's documentation. A name that begins with "*." is
// known by its end: the package before it may be replaced, and '@' in the body stands for it.
struct LibraryFunction {
  std::string_view name;
  std::string_view body;         // between "function 'name'" and "end"
  std::string_view beside = {};  // known only where this function of the same package is
};
[[nodiscard]] std::span<const LibraryFunction> blocks_functions();
[[nodiscard]] std::span<const LibraryFunction> complex_functions();
[[nodiscard]] std::span<const LibraryFunction> fluid_functions();
[[nodiscard]] std::span<const LibraryFunction> frame_functions();
[[nodiscard]] std::span<const LibraryFunction> media_functions();
[[nodiscard]] std::span<const LibraryFunction> random_functions();
[[nodiscard]] std::span<const LibraryFunction> spice_functions();
[[nodiscard]] std::span<const LibraryFunction> water_functions();
// Records that functions of the table take and give, for files that do not define them.
[[nodiscard]] std::span<const LibraryFunction> library_records();

// The Modelica text of a library function; empty when it is not known. `defined` says what the file itself
// defines.
[[nodiscard]] std::string library_text(std::string_view name,
                                       const std::function<bool(std::string_view)>& defined);
// All names, sorted.
[[nodiscard]] std::vector<std::string_view> library_names();

}  // namespace daedalus::flatten
