#include "core/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <optional>

namespace daedalus {
namespace {

const OptionValue* find(const std::vector<OptionValue>& values, std::string_view key) {
  const auto found = std::find_if(values.begin(), values.end(), [&](const auto& v) { return v.name == key; });
  return found == values.end() ? nullptr : &*found;
}

std::optional<double> to_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

// Levenshtein distance, for "did you mean".
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row[b.size()];
}

// Why a value does not fit its specification; empty when it does.
std::string objection(const OptionSpec& spec, std::string_view text) {
  if (spec.kind == OptionKind::Text) {
    if (spec.choices.empty() || std::ranges::find(spec.choices, text) != spec.choices.end()) return {};
    return fmt::format("must be one of {}", fmt::join(spec.choices, ", "));
  }
  const auto value = to_number(text);
  if (!value) return "must be a number";
  if (spec.kind == OptionKind::Integer && *value != std::floor(*value)) return "must be a whole number";
  if (*value < spec.min && spec.max > std::numeric_limits<double>::max())
    return fmt::format("must be at least {}", spec.min);
  if (*value < spec.min || *value > spec.max)
    return fmt::format("must be between {} and {}", spec.min, spec.max);
  return {};
}

}  // namespace

bool Selection::has(std::string_view key) const {
  return find(values_, key) != nullptr;
}

std::string_view Selection::text(std::string_view key) const {
  const OptionValue* value = find(values_, key);
  assert(value != nullptr);
  return value->text;
}

double Selection::number(std::string_view key) const {
  return to_number(text(key)).value_or(std::nan(""));
}

int Selection::integer(std::string_view key) const {
  return static_cast<int>(number(key));
}

std::string Selection::to_text() const {
  std::string out = name_;
  char separator = ':';
  for (const OptionValue& value : values_) {
    out += fmt::format("{}{}={}", separator, value.name, value.text);
    separator = ',';
  }
  return out;
}

Result<Selection> parse_selection(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string name(text.substr(0, colon));
  if (name.empty()) return fail(fmt::format("'{}' names nothing; write NAME or NAME:key=value,…", text));
  std::vector<OptionValue> values;
  // One item more than there are separators, so that "bdf:" and "bdf:order=3," are refused.
  for (std::size_t begin = colon; begin < text.size();) {
    const std::string_view rest = text.substr(begin + 1);
    std::size_t end = 0;
    for (int depth = 0; end < rest.size() && (rest[end] != ',' || depth > 0); ++end) {
      if (rest[end] == '[') ++depth;
      if (rest[end] == ']') --depth;
    }
    begin += 1 + end;
    const std::string_view item = rest.substr(0, end);
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      return fail(fmt::format("'{}' in '{}' is not key=value", item, text));
    }
    const std::string_view key = item.substr(0, equals);
    if (find(values, key) != nullptr) return fail(fmt::format("'{}' is given twice in '{}'", key, text));
    values.push_back({.name = std::string(key), .text = std::string(item.substr(equals + 1))});
  }
  return Selection(name, std::move(values));
}

Result<Selection> resolve(const Selection& given, std::span<const OptionSpec> specs, std::string_view what) {
  std::vector<std::string_view> known;
  for (const OptionSpec& spec : specs) known.push_back(spec.name);
  for (const OptionValue& value : given.values()) {
    const auto spec = std::ranges::find(specs, std::string_view(value.name), &OptionSpec::name);
    if (spec == specs.end()) {
      return fail(unknown_name_message(fmt::format("option of {}", what), value.name, known));
    }
    const std::string reason = objection(*spec, value.text);
    if (!reason.empty()) {
      return fail(fmt::format("option {} of {} is '{}' but {}", value.name, what, value.text, reason));
    }
  }
  std::vector<OptionValue> values;
  for (const OptionSpec& spec : specs) {
    if (const OptionValue* value = find(given.values(), spec.name)) {
      values.push_back(*value);
    } else if (!spec.default_value.empty()) {
      values.push_back({.name = std::string(spec.name), .text = std::string(spec.default_value)});
    }
  }
  return Selection(given.name(), std::move(values));
}

std::string unknown_name_message(std::string_view family, std::string_view given,
                                 std::span<const std::string_view> known) {
  std::string message = fmt::format("unknown {} '{}'", family, given);
  const auto nearest =
      std::ranges::min_element(known, {}, [&](std::string_view name) { return distance(name, given); });
  if (nearest != known.end() && distance(*nearest, given) <= std::max<std::size_t>(2, given.size() / 3)) {
    message += fmt::format("; did you mean '{}'?", *nearest);
  }
  if (known.empty()) return message + " (there are none)";
  // A model may have thousands of names; nobody reads them all.
  constexpr std::size_t most = 24;
  if (known.size() <= most) return message + fmt::format(" (known: {})", fmt::join(known, ", "));
  return message + fmt::format(" (known: {}, … {} in all)", fmt::join(known.first(most), ", "), known.size());
}

}  // namespace daedalus
