// Functions of the Modelica Standard Library that exported models call without defining them.
#pragma once

#include <string_view>

namespace daedalus::flatten {

// A function's definition in Modelica, or "" when the name is not known.
[[nodiscard]] std::string_view library_text(std::string_view name);

}  // namespace daedalus::flatten
