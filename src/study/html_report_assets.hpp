// Style and script of the page, from the files of study/page/.
#pragma once

#include <string_view>

namespace daedalus {

[[nodiscard]] std::string_view html_style();
[[nodiscard]] std::string_view html_script();

}  // namespace daedalus
