#include "csv_property.hpp"

#include <algorithm>
#include <cmath>

#include "results/csv_table.hpp"
#include "results/csv_text.hpp"

namespace daedalus::fuzz {

std::string csv_violation(const std::string& text) {
  const CsvRules rules{.what = "fuzz"};
  const auto table = read_csv_table(text, rules);
  if (!table) {
    if (table.error().empty() || table.error().front().message.empty()) return "refused without an error";
    return "";
  }
  if (table->values.size() != table->times.size() * table->names.size())
    return "not as many values as fields";
  if (table->times.empty() || !std::ranges::is_sorted(table->times)) return "times are not in order";
  std::vector<Signal> signals;
  for (const std::string& name : table->names) signals.push_back({.name = name});
  CsvRows rows;
  rows.add(csv_header(signals));
  const std::span<const double> values = table->values;
  for (std::size_t row = 0; row < table->times.size(); ++row)
    rows.add(table->times[row], values.subspan(row * signals.size(), signals.size()));
  const auto again = read_csv_table(rows.text(), rules);
  if (!again) return "not read back: " + again.error().front().message;
  const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  if (again->names != table->names) return "other names when read back";
  if (!std::ranges::equal(again->times, table->times, same) ||
      !std::ranges::equal(again->values, table->values, same))
    return "other numbers when read back";
  return "";
}

}  // namespace daedalus::fuzz
