// The formulation family. One row a formulation; help, docs, tests and comparisons walk the table.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/options.hpp"

namespace daedalus {

struct FormulationRow {
  std::string_view name;
  std::string_view summary;    // one line
  std::string_view reference;  // paper and equation
  std::vector<OptionSpec> options;
};

[[nodiscard]] std::span<const FormulationRow> formulations();
// Null when there is no such row.
[[nodiscard]] const FormulationRow* find_formulation(std::string_view name);

}  // namespace daedalus
