// The families that the user can choose from, all in one form: for `list`, for --help, and for checking
// what was chosen. The rows come from the tables of the library.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/options.hpp"

namespace daedalus::cli {

struct FamilyRow {
  std::string_view name;
  std::string summary;
  std::string_view reference;
  std::span<const OptionSpec> options;
};

struct Family {
  std::string_view name;      // "integrators"
  std::string_view singular;  // "integrator"
  std::vector<FamilyRow> rows;

  [[nodiscard]] std::vector<std::string_view> names() const;
  [[nodiscard]] std::optional<FamilyRow> find(std::string_view row) const;
};

[[nodiscard]] const Family& formulation_family();
[[nodiscard]] const Family& integrator_family();
[[nodiscard]] std::span<const Family> families();
// Null when there is none of that name.
[[nodiscard]] const Family* find_family(std::string_view name);
[[nodiscard]] std::vector<std::string_view> family_names();

}  // namespace daedalus::cli
