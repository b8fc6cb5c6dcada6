// The files of results/page/, embedded by the build.
#pragma once

#include <string_view>

namespace daedalus {

[[nodiscard]] std::string_view page_html();    // with @style@, @script@, @title@, @data@ and @numbers@
[[nodiscard]] std::string_view page_style();   // all .css files
[[nodiscard]] std::string_view page_script();  // all .js files, one after the other

}  // namespace daedalus
