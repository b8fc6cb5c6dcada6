#include "core/decimal.hpp"

#include <cmath>

namespace daedalus {

double without_noise(double x, double noise) {
  constexpr double largest_exact_power = 1e22;  // of ten
  if (std::abs(x) <= noise) return 0;
  // 1 over the last digit, which is large beside the noise: few numbers have such a neighbour by chance.
  const double per_unit = std::pow(10, std::floor(std::log10(1 / (100 * noise))));
  if (per_unit < 1 || per_unit > largest_exact_power) return x;
  const double decimal = std::round(x * per_unit) / per_unit;  // as it would be read from a text
  return std::abs(decimal - x) <= noise ? decimal : x;
}

}  // namespace daedalus
