// Text for HTML and XML.
#pragma once

#include <string>
#include <string_view>

namespace daedalus {

// The length of the UTF-8 sequence that text begins with, 0 when it is none. `text` is not empty.
[[nodiscard]] std::size_t utf8_length(std::string_view text);

// What has a meaning in HTML and XML is escaped, what is not UTF-8 replaced.
[[nodiscard]] std::string escape_html(std::string_view text);

// Any bytes as UTF-8: what is none becomes '?'.
[[nodiscard]] std::string valid_utf8(std::string_view text);

}  // namespace daedalus
