// Powers with whole exponents, as products.
#pragma once

namespace daedalus {

// Whole powers up to this one are products: x^13 is (x x^4) x^8, with squares of squares, and x^-13 is 1
// over that. Water and steam (IF97) are sums of hundreds of them, up to 58, that share their squares.
inline constexpr int largest_written_power = 64;
[[nodiscard]] constexpr bool is_written_power(double exponent) {
  return exponent >= -largest_written_power && exponent <= largest_written_power && exponent != 0 &&
         exponent == static_cast<int>(exponent);
}
[[nodiscard]] double whole_power(double base, int exponent);

}  // namespace daedalus
