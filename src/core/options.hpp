// NAME:key=value,key=value: the one syntax by which a row of a table (a formulation, an integrator)
// is chosen, the same in C++, Python and on the command line. Each option is described once; parsing,
// checking, help and documentation read that description.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.hpp"

namespace daedalus {

enum class OptionKind { Number, Integer, Text };

struct OptionSpec {
  std::string_view name;
  OptionKind kind = OptionKind::Number;
  std::string_view default_value;  // "" when the option has no default
  std::string_view doc;
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  std::vector<std::string_view> choices = {};  // for Text: the accepted words; empty: any
};

struct OptionValue {
  std::string name;
  std::string text;
};

// A chosen row with its options. Values not given are the defaults.
class Selection {
 public:
  Selection() = default;
  explicit Selection(std::string name) : name_(std::move(name)) {}
  Selection(std::string name, std::vector<OptionValue> values)
      : name_(std::move(name)), values_(std::move(values)) {}

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::vector<OptionValue>& values() const { return values_; }
  [[nodiscard]] bool has(std::string_view key) const;
  // The value given or resolved. Asserts that the key is there: resolve() has put every default in.
  [[nodiscard]] double number(std::string_view key) const;
  [[nodiscard]] int integer(std::string_view key) const;
  [[nodiscard]] std::string_view text(std::string_view key) const;
  // "name:key=value,…", as it can be given back.
  [[nodiscard]] std::string to_text() const;

 private:
  std::string name_;
  std::vector<OptionValue> values_;
};

// Splits "NAME:key=value,…". Commas inside [ ] belong to the value.
[[nodiscard]] Result<Selection> parse_selection(std::string_view text);

// Checks the keys and values against the specification and fills in defaults. An unknown key is an
// error that lists the known ones; `what` names the row in messages ("integrator bdf").
[[nodiscard]] Result<Selection> resolve(const Selection& given, std::span<const OptionSpec> specs,
                                        std::string_view what);

// "unknown integrator 'bfd'; did you mean 'bdf'? known: backward-euler, bdf, ida, radau"
[[nodiscard]] std::string unknown_name_message(std::string_view family, std::string_view given,
                                               std::span<const std::string_view> known);

}  // namespace daedalus
