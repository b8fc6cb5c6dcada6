#include "results/select.hpp"

#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

#include "core/options.hpp"

namespace daedalus {
namespace {

bool is_pattern(std::string_view text) {
  return text.find_first_of("*?") != std::string_view::npos;
}

// The x of "der(x)"; empty otherwise.
std::string_view inside_der(std::string_view name) {
  if (!name.starts_with("der(") || !name.ends_with(')')) return {};
  return name.substr(4, name.size() - 5);
}

std::vector<std::string_view> views(std::span<const std::string> names) {
  return {names.begin(), names.end()};
}

}  // namespace

bool matches_pattern(std::string_view name, std::string_view pattern) {
  std::size_t n = 0;
  std::size_t p = 0;
  std::size_t star = std::string_view::npos;  // the last one seen, and the name's place behind it
  std::size_t behind = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      behind = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++behind;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

Result<std::vector<std::string>> expand_names(std::span<const std::string> asked,
                                              std::span<const std::string> available) {
  const std::unordered_set<std::string_view> known(available.begin(), available.end());
  std::unordered_set<std::string> taken;
  std::vector<std::string> names;
  const auto take = [&](std::string name) {
    if (taken.insert(name).second) names.push_back(std::move(name));
  };
  for (const std::string& text : asked) {
    const std::string_view inside = inside_der(text);
    if (known.contains(text) || (!inside.empty() && known.contains(inside))) {
      take(text);
      continue;
    }
    if (!is_pattern(text)) return fail(unknown_name_message("variable", text, views(available)));
    // A quoted name may hold these characters itself, which is why names as they are come first.
    bool any = false;
    for (const std::string& name : available) {
      const std::string whole = inside.empty() ? name : fmt::format("der({})", name);
      if (!matches_pattern(whole, text)) continue;
      any = true;
      take(whole);
    }
    if (!any) return fail(fmt::format("no variable matches '{}'", text));
  }
  return names;
}

std::vector<std::size_t> columns_named(std::span<const Signal> columns, std::span<const std::string> names) {
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t column = 0; column < columns.size(); ++column)
    places.emplace(columns[column].name, column);
  std::vector<std::size_t> found;
  for (const std::string& name : names) {
    if (const auto place = places.find(name); place != places.end()) found.push_back(place->second);
  }
  return found;
}

Result<void> restrict_to(std::span<const std::string> names, RunResult& result) {
  Trajectory& trajectory = result.trajectory;
  const std::vector<std::size_t> columns = columns_named(trajectory.signals, names);
  Diagnostics missing;
  std::unordered_set<std::string_view> there;
  for (const std::size_t column : columns) there.insert(trajectory.signals[column].name);
  for (const std::string& name : names) {
    if (!there.contains(name))
      missing.push_back({.message = fmt::format("'{}' is not among the results of this run", name)});
  }
  std::vector<Signal> signals;
  for (const std::size_t column : columns) signals.push_back(trajectory.signals[column]);
  std::vector<double> values;
  values.reserve(columns.size() * trajectory.rows());
  for (std::size_t row = 0; row < trajectory.rows(); ++row) {
    for (const std::size_t column : columns) values.push_back(trajectory.at(row, column));
  }
  trajectory.signals = std::move(signals);
  trajectory.values = std::move(values);
  const std::unordered_set<std::string_view> kept(names.begin(), names.end());
  std::erase_if(result.summary.final_values, [&](const auto& value) { return !kept.contains(value.first); });
  if (!missing.empty()) return std::unexpected(std::move(missing));
  return {};
}

}  // namespace daedalus
