// Small texts of the command line to values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/load.hpp"

namespace daedalus::cli {

// A finite number, all of the text.
[[nodiscard]] std::optional<double> parse_number(std::string_view text);

// "a,b[1,2],'c,d'" → a | b[1,2] | 'c,d': commas inside brackets, parentheses and quotes belong to the name.
[[nodiscard]] std::vector<std::string> split_names(std::string_view text);

// "name=value"; the name may be quoted or have subscripts. Nothing when there is no name or no value.
[[nodiscard]] std::optional<ParameterSetting> parse_setting(std::string_view text);

// Checks of single values: "" when the text is good, otherwise what is wrong with it.
[[nodiscard]] std::string objection_to_number(const std::string& text, bool positive);
[[nodiscard]] std::string objection_to_points(const std::string& text);
[[nodiscard]] std::string objection_to_threads(const std::string& text);
[[nodiscard]] std::string objection_to_page(const std::string& path);
[[nodiscard]] std::string objection_to_picture(const std::string& path);

}  // namespace daedalus::cli
