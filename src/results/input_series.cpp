#include "results/input_series.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/options.hpp"
#include "results/csv_table.hpp"

namespace daedalus {

Result<std::vector<InputSeries>> read_inputs(const std::string& file, std::string_view text,
                                             std::span<const std::string> inputs, bool held,
                                             std::span<const std::string> elsewhere) {
  const std::string what = fmt::format("the input '{}'", file);
  const auto table = read_csv_table(text, {.what = what, .finite = true});
  if (!table) return std::unexpected(table.error());
  const std::vector<std::string_view> known(inputs.begin(), inputs.end());
  std::vector<InputSeries> series;
  for (std::size_t k = 0; k < table->names.size(); ++k) {
    const std::string& name = table->names[k];
    if (std::ranges::find(known, std::string_view(name)) == known.end())
      return fail(fmt::format("{}, line 1: {}", what, unknown_name_message("input", name, known)));
    if (std::ranges::find(elsewhere, name) != elsewhere.end())
      return fail(fmt::format("{}, line 1: '{}' is given twice, by this column and by --set", what, name));
    series.push_back({.name = name, .times = table->times, .values = table->column(k), .held = held});
  }
  for (const std::string& name : inputs) {
    if (std::ranges::find(table->names, name) == table->names.end() &&
        std::ranges::find(elsewhere, name) == elsewhere.end())
      return fail(
          fmt::format("{}, line 1: there is no column '{}', which is an input of the model", what, name));
  }
  return series;
}

}  // namespace daedalus
