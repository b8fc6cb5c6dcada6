// A comparison as one page that can be read anywhere: table, plots and script are in the file, and nothing is
// fetched from elsewhere. It is well-formed XML, too.
#pragma once

#include <string>

#include "study/compare.hpp"

namespace daedalus {

[[nodiscard]] std::string comparison_html(const Comparison& comparison);

}  // namespace daedalus
