#include "cli/text_values.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "results/picture.hpp"

namespace daedalus::cli {
namespace {

// Where `wanted` first stands outside brackets, parentheses and quotes; the text's size if nowhere.
std::size_t find_outside(std::string_view text, char wanted) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char ch = text[i];
    if (quoted) {
      if (ch == '\\') ++i;
      if (ch == '\'') quoted = false;
    } else if (ch == '\'') {
      quoted = true;
    } else if (ch == wanted && depth == 0) {
      return i;
    } else if (ch == '[' || ch == '(') {
      ++depth;
    } else if (ch == ']' || ch == ')') {
      --depth;
    }
  }
  return text.size();
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::vector<std::string> split_names(std::string_view text) {
  std::vector<std::string> names;
  while (true) {
    const std::size_t end = find_outside(text, ',');
    if (end > 0) names.emplace_back(text.substr(0, end));
    if (end >= text.size()) return names;
    text.remove_prefix(end + 1);
  }
}

std::optional<ParameterSetting> parse_setting(std::string_view text) {
  const std::size_t equals = find_outside(text, '=');
  if (equals == 0 || equals + 1 >= text.size()) return std::nullopt;
  return ParameterSetting{.name = std::string(text.substr(0, equals)),
                          .value = std::string(text.substr(equals + 1))};
}

std::string objection_to_number(const std::string& text, bool positive) {
  const auto value = parse_number(text);
  if (!value) return fmt::format("'{}' is not a number", text);
  if (positive && *value <= 0) return fmt::format("'{}' must be greater than 0", text);
  return {};
}

namespace {
std::string objection_to_whole(const std::string& text, int least, int most) {
  const auto value = parse_number(text);
  if (value && *value == std::floor(*value) && *value >= least && *value <= most) return {};
  return fmt::format("'{}' is not a whole number from {} to {}", text, least, most);
}
}  // namespace

std::string objection_to_points(const std::string& text) {
  return objection_to_whole(text, 2, 100'000'000);
}

std::string objection_to_threads(const std::string& text) {
  return objection_to_whole(text, 1, 1024);
}

std::string objection_to_picture(const std::string& path) {
  const auto format = find_picture_format(path);
  return format ? std::string() : format.error().front().message;
}

std::string objection_to_page(const std::string& path) {
  return path.ends_with(".html") ? std::string() : fmt::format("'{}' must end with .html", path);
}

}  // namespace daedalus::cli
