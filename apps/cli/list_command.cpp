#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands.hpp"
#include "cli/families.hpp"
#include "cli/standard_output.hpp"

namespace daedalus::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string_view word(OptionKind kind) {
  switch (kind) {
    case OptionKind::Number:
      return "number";
    case OptionKind::Integer:
      return "integer";
    case OptionKind::Text:
      return "text";
  }
  return "";
}

Json option_json(const OptionSpec& option) {
  Json object{{"name", option.name},
              {"kind", word(option.kind)},
              {"default", option.default_value},
              {"doc", option.doc}};
  if (std::isfinite(option.min)) object["min"] = option.min;
  if (std::isfinite(option.max)) object["max"] = option.max;
  if (!option.choices.empty()) object["choices"] = option.choices;
  return object;
}

Json family_json(const Family& family) {
  Json rows = Json::array();
  for (const FamilyRow& row : family.rows) {
    Json object{{"name", row.name}, {"summary", row.summary}};
    if (!row.reference.empty()) object["reference"] = row.reference;
    if (!row.options.empty()) object["options"] = Json::array();
    for (const OptionSpec& option : row.options) object["options"].push_back(option_json(option));
    rows.push_back(object);
  }
  return rows;
}

std::string option_text(const OptionSpec& option) {
  std::string range;
  if (!option.choices.empty()) range = fmt::format(" ({})", fmt::join(option.choices, ", "));
  if (std::isfinite(option.min) && std::isfinite(option.max)) {
    range = fmt::format(" ({} to {})", option.min, option.max);
  }
  return fmt::format("      {}={}  {}{}\n", option.name, option.default_value, option.doc, range);
}

std::string family_text(const Family& family) {
  std::size_t width = 0;
  for (const FamilyRow& row : family.rows) width = std::max(width, row.name.size());
  std::string text = fmt::format("{}\n", family.name);
  for (const FamilyRow& row : family.rows) {
    text += fmt::format("  {:<{}}  {}", row.name, width, row.summary);
    text += row.reference.empty() ? "\n" : fmt::format(" [{}]\n", row.reference);
    for (const OptionSpec& option : row.options) text += option_text(option);
  }
  return text;
}

}  // namespace

int execute(const ListArguments& arguments) {
  const Family* one = find_family(arguments.family);
  if (arguments.json) {
    Json object;
    for (const Family& family : families()) object[std::string(family.name)] = family_json(family);
    return print(one != nullptr ? family_json(*one).dump(2) + "\n" : object.dump(2) + "\n");
  }
  if (one != nullptr) return print(family_text(*one));
  std::string text;
  for (const Family& family : families()) text += (text.empty() ? "" : "\n") + family_text(family);
  return print(text);
}

}  // namespace daedalus::cli
