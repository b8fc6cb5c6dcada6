#include "reform/formulation.hpp"

#include <algorithm>

namespace daedalus {

std::span<const FormulationRow> formulations() {
  static const std::vector<FormulationRow> table{
      {.name = "dummy-derivatives",
       .summary = "any DAE: Pantelides, dummy derivatives selected block by block, pivoting without restart",
       .reference = "Mattsson, Söderlind 1991, §3 and §4",
       .options = {{.name = "pivot",
                    .kind = OptionKind::Number,
                    .default_value = "2",
                    .doc = "exchange dummies when that raises |det M| by more than this factor",
                    .min = 1.01,
                    .max = 1e12},
                   {.name = "superfluous",
                    .kind = OptionKind::Text,
                    .default_value = "keep",
                    .doc = "differentiations that only index-0 blocks need: keep them, or remove them for "
                           "fewer unknowns (§3)",
                    .choices = {"keep", "remove"}}}},
  };
  return table;
}

const FormulationRow* find_formulation(std::string_view name) {
  const auto rows = formulations();
  const auto found = std::ranges::find(rows, name, &FormulationRow::name);
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace daedalus
