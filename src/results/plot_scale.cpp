#include "results/plot_scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace daedalus {

Range range_of(const std::vector<double>& values) {
  bool any = false;
  Range range;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    range.low = any ? std::min(range.low, value) : value;
    range.high = any ? std::max(range.high, value) : value;
    any = true;
  }
  if (!any) return {};
  // A constant would give an axis of no length.
  const double least = 1e-9 * std::max(std::abs(range.low), std::abs(range.high));
  if (range.high - range.low <= least) {
    const double margin = std::max(0.05 * std::abs(range.low), 1e-3);
    return {.low = range.low - margin, .high = range.high + margin};
  }
  return range;
}

std::vector<Tick> linear_ticks(Range range, int wanted) {
  const double rough = (range.high - range.low) / wanted;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double factor = rough / power;
  const double step = power * (factor < 1.5 ? 1 : factor < 3.5 ? 2 : factor < 7.5 ? 5 : 10);
  std::vector<Tick> ticks;
  // Multiples of the step are counted, not added up, so that 0 is 0. The count is bounded by the choice of
  // the step, but for a range whose ends differ by rounding only it may not be; hence the limit.
  const double first = std::ceil((range.low / step) - 1e-9);
  for (int i = 0; i < 4 * wanted; ++i) {
    const double value = (first + i) * step;
    if (value > range.high + (1e-9 * step)) break;
    ticks.push_back({.value = value, .label = fmt::format("{:.6g}", value == 0 ? 0 : value)});
  }
  return ticks;
}

std::vector<Tick> decade_ticks(Range log_range, int most) {
  const int low = static_cast<int>(std::ceil(log_range.low - 1e-9));
  const int high = static_cast<int>(std::floor(log_range.high + 1e-9));
  const int stride = std::max(1, (high - low + most) / most);
  std::vector<Tick> ticks;
  for (int exponent = low; exponent <= high; ++exponent) {
    if (exponent % stride == 0)
      ticks.push_back({.value = double(exponent), .label = fmt::format("1e{}", exponent)});
  }
  return ticks;
}

}  // namespace daedalus
