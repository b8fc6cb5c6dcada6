#include "results/page_series.hpp"

#include <algorithm>
#include <cmath>

#include "results/xml_text.hpp"

namespace daedalus {
namespace {

constexpr std::size_t fewest_rows = 101;  // of the thinned table
constexpr std::size_t most_stretches = 4000;
constexpr std::size_t most_steps = 10'000;

// The given columns first, then energies, then the others in their order.
std::vector<std::size_t> column_order(const Trajectory& trajectory, const std::vector<std::size_t>& first) {
  std::vector<std::size_t> order = first;
  std::vector<bool> taken(trajectory.signals.size(), false);
  for (const std::size_t column : first) taken[column] = true;
  for (const bool energies : {true, false}) {
    for (std::size_t column = 0; column < trajectory.signals.size(); ++column) {
      const bool energy = trajectory.signals[column].unit == "J";
      if (taken[column] || (energies && !energy)) continue;
      order.push_back(column);
      taken[column] = true;
    }
  }
  return order;
}

std::vector<std::size_t> every(std::size_t stride, std::size_t rows) {
  std::vector<std::size_t> chosen;
  for (std::size_t row = 0; row < rows; row += stride) chosen.push_back(row);
  if (rows > 0 && chosen.back() != rows - 1) chosen.push_back(rows - 1);
  return chosen;
}

PageJson table(const Trajectory& trajectory, std::span<const std::size_t> columns, std::size_t stride,
               PageBlob& blob) {
  const std::vector<std::size_t> rows = every(stride, trajectory.rows());
  std::vector<double> values(rows.size());
  const auto gather = [&](auto value) {
    std::ranges::transform(rows, values.begin(), value);
    return std::span<const double>(values);
  };
  PageJson out = {{"time", blob.add_times(gather([&](std::size_t row) { return trajectory.times[row]; }))},
                  {"stride", stride},
                  {"signals", PageJson::array()}};
  for (const std::size_t column : columns) {
    const Signal& signal = trajectory.signals[column];
    out["signals"].push_back(
        {{"name", valid_utf8(signal.name)},
         {"unit", valid_utf8(signal.unit)},
         {"discrete", signal.discrete},
         {"data", blob.add_single(gather([&](std::size_t row) { return trajectory.at(row, column); }))}});
    if (!signal.description.empty()) out["signals"].back()["description"] = valid_utf8(signal.description);
  }
  return out;
}

}  // namespace

PageJson signal_tables(const Trajectory& trajectory, const std::vector<std::size_t>& first,
                       std::size_t budget, PageBlob& blob) {
  const std::vector<std::size_t> order = column_order(trajectory, first);
  const std::span<const std::size_t> all(order);
  const std::size_t bytes = sizeof(float) * std::max<std::size_t>(1, trajectory.rows());
  PageJson tables = PageJson::array();
  if (all.size() * bytes <= budget) {
    tables.push_back(table(trajectory, all, 1, blob));
    return tables;
  }
  // Three quarters for those in full, the rest for the others.
  const std::size_t full = std::max<std::size_t>(1, std::min(all.size(), budget * 3 / 4 / bytes));
  tables.push_back(table(trajectory, all.first(full), 1, blob));
  const std::size_t room = budget / 4 / sizeof(float);
  const std::size_t thinned = std::min(all.size() - full, room / fewest_rows);
  if (thinned == 0) return tables;
  const std::size_t rows = std::max<std::size_t>(fewest_rows, room / thinned);
  const std::size_t stride = std::max<std::size_t>(2, (trajectory.rows() + rows - 1) / rows);
  tables.push_back(table(trajectory, all.subspan(full, thinned), stride, blob));
  return tables;
}

PageJson drift_series(const Trajectory& trajectory, PageBlob& blob) {
  const std::size_t rows = trajectory.rows();
  const std::size_t stride = std::max<std::size_t>(1, (rows + most_stretches - 1) / most_stretches);
  std::vector<double> values;
  for (std::size_t row = 0; row < rows; row += stride) values.push_back(trajectory.times[row]);
  PageJson out = {{"time", blob.add_times(values)}, {"levels", PageJson::array()}};
  for (const std::vector<double>& level : trajectory.drift) {
    values.clear();
    for (std::size_t row = 0; row < rows; row += stride) {
      double largest = 0;
      for (std::size_t k = row; k < std::min(rows, row + stride); ++k) largest = std::max(largest, level[k]);
      values.push_back(largest);
    }
    out["levels"].push_back(blob.add_single(values));
  }
  return out;
}

PageJson step_series(const StepLog& steps, PageBlob& blob) {
  const std::size_t count = steps.times.size();
  const std::size_t group = std::max<std::size_t>(1, (2 * count + most_steps - 1) / most_steps);
  std::vector<std::size_t> chosen;
  for (std::size_t begin = 0; begin < count; begin += group) {
    const auto first = steps.sizes.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = steps.sizes.begin() + static_cast<std::ptrdiff_t>(std::min(count, begin + group));
    const auto [least, most] = std::minmax_element(first, last);
    const auto low = static_cast<std::size_t>(least - steps.sizes.begin());
    const auto high = static_cast<std::size_t>(most - steps.sizes.begin());
    chosen.push_back(std::min(low, high));
    if (low != high) chosen.push_back(std::max(low, high));
  }
  std::vector<double> times;
  std::vector<double> sizes;
  std::vector<std::int16_t> orders;
  for (const std::size_t k : chosen) {
    times.push_back(steps.times[k]);
    sizes.push_back(steps.sizes[k]);
    orders.push_back(static_cast<std::int16_t>(steps.orders[k]));
  }
  return {
      {"t", blob.add(times)}, {"h", blob.add_single(sizes)}, {"order", blob.add(orders)}, {"count", count}};
}

}  // namespace daedalus
