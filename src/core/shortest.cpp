// Schubfach: R. Giulietti, "The Schubfach way to render doubles" (2020). The interval of all reals that round
// to the double, four times as long, is scaled by a power of ten so that its length is between 1 and 10: then
// it holds a decimal of 17 digits, and one of 16 digits if one is short enough. Products are rounded to odd,
// which keeps every comparison exact. std::to_chars takes four times as many instructions.
#include "core/shortest.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace daedalus {
namespace {

__extension__ using Wide = unsigned __int128;

// 10^k / 2^floor(log2(10^k)) times 2^127, rounded up.
struct Power {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
};

constexpr int lowest_power = -292;
constexpr int highest_power = 324;
using Powers = std::array<Power, highest_power - lowest_power + 1>;

// Whole numbers of 1024 bits, which hold 5^324, and 2^1023 / 5^292 with 344 bits.
class Large {
 public:
  explicit constexpr Large(bool one) { parts_[one ? 0 : parts_.size() - 1] = one ? 1U : 1U << 31U; }

  constexpr void multiply(std::uint32_t factor) {
    std::uint64_t carry = 0;
    for (std::uint32_t& part : parts_) {
      carry += static_cast<std::uint64_t>(part) * factor;
      part = static_cast<std::uint32_t>(carry);
      carry >>= 32U;
    }
  }
  // Rounded down.
  constexpr void divide(std::uint32_t divisor) {
    std::uint64_t rest = 0;
    for (std::size_t k = parts_.size(); k-- > 0;) {
      rest = (rest << 32U) | parts_[k];
      parts_[k] = static_cast<std::uint32_t>(rest / divisor);
      rest %= divisor;
    }
  }
  // The 128 bits from the highest one on; rounded up where more follows, or `always`.
  [[nodiscard]] constexpr Power leading(bool always) const {
    std::size_t top = parts_.size() - 1;
    while (parts_[top] == 0) --top;
    const auto shift = static_cast<unsigned>(std::countl_zero(parts_[top]));
    std::array<std::uint64_t, 5> five{};  // 160 bits, the highest part first
    for (std::size_t k = 0; k < five.size() && k <= top; ++k) five[k] = parts_[top - k];
    std::array<std::uint64_t, 4> four{};
    for (std::size_t k = 0; k < four.size(); ++k)
      four[k] = ((five[k] << shift) | (five[k + 1] >> (32U - shift))) & 0xFFFFFFFFU;
    Power power{.high = (four[0] << 32U) | four[1], .low = (four[2] << 32U) | four[3]};
    bool up = always || ((five[4] << shift) & 0xFFFFFFFFU) != 0;
    for (std::size_t k = 5; k <= top && !up; ++k) up = parts_[top - k] != 0;
    if (up && ++power.low == 0) ++power.high;
    return power;
  }

 private:
  std::array<std::uint32_t, 32> parts_{};  // the lowest first
};

constexpr Powers make_powers() {
  Powers powers;
  Large five(true);
  for (int k = 0; k <= highest_power; ++k) {
    powers[static_cast<std::size_t>(k - lowest_power)] = five.leading(false);
    five.multiply(5);
  }
  Large fraction(false);
  for (int k = -1; k >= lowest_power; --k) {
    fraction.divide(5);
    powers[static_cast<std::size_t>(k - lowest_power)] = fraction.leading(true);
  }
  return powers;
}

constexpr Powers powers = make_powers();

// The product's bits from 2^128 on; the lowest one set when anything but rounding of the power was cut off.
std::uint64_t round_to_odd(const Power& power, std::uint64_t factor) {
  const Wide low = static_cast<Wide>(power.low) * factor;
  const Wide sum = (static_cast<Wide>(power.high) * factor) + static_cast<std::uint64_t>(low >> 64U);
  return static_cast<std::uint64_t>(sum >> 64U) |
         static_cast<std::uint64_t>(static_cast<std::uint64_t>(sum) > 1);
}

struct Decimal {
  std::uint64_t digits = 0;
  int exponent = 0;  // of the last digit
};

constexpr int fraction_bits = 52;
constexpr int exponent_bias = 1023 + fraction_bits;

// floor(log10(2^q)), or of 3/4 2^q; floor(log2(10^k)). Right for all exponents of doubles.
int floor_log10_pow2(int q, bool three_quarters) {
  return ((q * 1262611) - (three_quarters ? 524031 : 0)) >> 22;
}
int floor_log2_pow10(int k) {
  return (k * 1741647) >> 19;
}

Decimal shortest_decimal(std::uint64_t fraction, int biased) {
  const bool normal = biased != 0;
  const std::uint64_t c = normal ? fraction | (std::uint64_t{1} << fraction_bits) : fraction;
  const int q = (normal ? biased : 1) - exponent_bias;
  // A whole number.
  if (q <= 0 && q > -fraction_bits - 1 && (c & ((std::uint64_t{1} << static_cast<unsigned>(-q)) - 1)) == 0)
    return {.digits = c >> static_cast<unsigned>(-q), .exponent = 0};

  // Below a power of two the doubles are twice as dense.
  const bool lower_is_closer = fraction == 0 && biased > 1;
  const int k = floor_log10_pow2(q, lower_is_closer);
  const auto shift = static_cast<unsigned>(q + floor_log2_pow10(-k) + 1);
  const Power& power = powers[static_cast<std::size_t>(-k - lowest_power)];
  const std::uint64_t middle = round_to_odd(power, (4 * c) << shift);
  // The ends of the interval belong to it when the significand is even.
  const std::uint64_t open = c & 1U;
  const std::uint64_t lower = round_to_odd(power, ((4 * c) - 2 + (lower_is_closer ? 1 : 0)) << shift) + open;
  const std::uint64_t upper = round_to_odd(power, ((4 * c) + 2) << shift) - open;

  const std::uint64_t s = middle / 4;
  if (s >= 10) {
    const std::uint64_t tens = s / 10;
    const bool below = lower <= 40 * tens;
    const bool above = (40 * tens) + 40 <= upper;
    if (below != above) return {.digits = tens + (above ? 1 : 0), .exponent = k + 1};
  }
  const bool below = lower <= 4 * s;
  const bool above = (4 * s) + 4 <= upper;
  if (below != above) return {.digits = s + (above ? 1 : 0), .exponent = k};
  const std::uint64_t half = (4 * s) + 2;
  const bool up = middle > half || (middle == half && (s & 1U) != 0);
  return {.digits = s + (up ? 1 : 0), .exponent = k};
}

constexpr std::array<char, 200> make_pairs() {
  std::array<char, 200> pairs{};
  for (std::size_t k = 0; k < 100; ++k) {
    pairs[2 * k] = static_cast<char>('0' + (k / 10));
    pairs[(2 * k) + 1] = static_cast<char>('0' + (k % 10));
  }
  return pairs;
}
constexpr std::array<char, 200> pairs = make_pairs();

void write_pair(char* to, std::uint32_t value) {
  std::memcpy(to, &pairs[2 * static_cast<std::size_t>(value)], 2);
}

// Eight digits, zeros in front included, as the bytes of one word, the first digit lowest: pairs of four, of
// two and of one digit are divided at once. Multiplied and shifted is divided by 100 (below 10000) and by 10
// (below 100).
inline std::uint64_t eight_digits(std::uint32_t value) {
  const std::uint64_t fours = (value / 10000) | (static_cast<std::uint64_t>(value % 10000) << 32U);
  const std::uint64_t hundreds = ((fours * 10486) >> 20U) & 0x0000'007F'0000'007FU;
  const std::uint64_t twos = ((fours - (100 * hundreds)) << 16U) + hundreds;
  const std::uint64_t tens = ((twos * 103) >> 10U) & 0x000F'000F'000F'000FU;
  return tens + ((twos - (10 * tens)) << 8U);
}

void write_eight(char* to, std::uint64_t digits) {
  digits += 0x3030'3030'3030'3030U;
  if constexpr (std::endian::native == std::endian::big) digits = std::byteswap(digits);
  std::memcpy(to, &digits, sizeof digits);
}

constexpr int most_digits = 17;
constexpr int field = 24;  // three times eight digits

// A number's digits at the end of a field, zeros in front.
struct Digits {
  std::array<char, 2 * field> text;
  int first = 0;
  int last = field;  // behind the last that is not zero

  explicit Digits(std::uint64_t value) {
    constexpr std::uint64_t eight = 100'000'000;
    const std::uint64_t above = value / eight;
    const std::uint64_t top = above / eight;  // the seventeenth digit
    const std::uint64_t upper = eight_digits(static_cast<std::uint32_t>(above - (eight * top)));
    const std::uint64_t lower = eight_digits(static_cast<std::uint32_t>(value - (eight * above)));
    text[7] = static_cast<char>('0' + static_cast<int>(top));
    write_eight(text.data() + 8, upper);
    write_eight(text.data() + 16, lower);
    if (top != 0) {
      first = 7;
    } else {
      first = upper != 0 ? 8 + (std::countr_zero(upper) / 8) : 16 + (std::countr_zero(lower) / 8);
    }
    if (lower != 0) {
      last = field - (std::countl_zero(lower) / 8);
    } else {
      last = upper != 0 ? 16 - (std::countl_zero(upper) / 8) : 8;
    }
  }
  [[nodiscard]] int count() const { return last - first; }
};

// Always a whole field, which is faster than a loop; what is behind `count` is written over later.
char* copy(char* to, const char* from, int count) {
  std::memcpy(to, from, field);
  return to + count;
}

char* zeros(char* to, int count) {
  std::memset(to, '0', field);
  return to + count;
}

char* write_scientific(char* to, const Digits& digits, int exponent) {
  const char* first = digits.text.data() + digits.first;
  *to++ = *first;
  if (digits.count() > 1) {
    *to++ = '.';
    to = copy(to, first + 1, digits.count() - 1);
  }
  *to++ = 'e';
  *to++ = exponent < 0 ? '-' : '+';
  auto size = static_cast<std::uint32_t>(exponent < 0 ? -exponent : exponent);
  if (size >= 100) {
    *to++ = static_cast<char>('0' + static_cast<int>(size / 100));
    size %= 100;
  }
  write_pair(to, size);
  return to + 2;
}

// `exponent` of the first digit.
char* write_fixed(char* to, const Digits& digits, int exponent) {
  const char* first = digits.text.data() + digits.first;
  if (exponent < 0) {
    *to++ = '0';
    *to++ = '.';
    if (exponent < -1) to = zeros(to, -exponent - 1);
    return copy(to, first, digits.count());
  }
  const int whole = exponent + 1;
  if (digits.count() <= whole) return zeros(copy(to, first, digits.count()), whole - digits.count());
  to = copy(to, first, whole);
  *to++ = '.';
  return copy(to, first + whole, digits.count() - whole);
}

char* write_words(char* to, std::string_view words) {
  std::memcpy(to, words.data(), words.size());
  return to + words.size();
}

}  // namespace

char* write_shortest(char* to, double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << fraction_bits) - 1);
  const int biased = static_cast<int>((bits >> fraction_bits) & 0x7FFU);
  constexpr int not_finite = 0x7FF;
  if (biased == not_finite && fraction != 0) return write_words(to, "nan");
  if ((bits >> 63U) != 0) *to++ = '-';
  if (biased == not_finite) return write_words(to, "inf");
  if (biased == 0 && fraction == 0) return write_words(to, "0");
  const Decimal decimal = shortest_decimal(fraction, biased);
  const Digits digits(decimal.digits);
  constexpr int lowest_fixed = -4;
  const int exponent = decimal.exponent + field - digits.first - 1;
  const bool fixed = exponent >= lowest_fixed && exponent < most_digits;
  return fixed ? write_fixed(to, digits, exponent) : write_scientific(to, digits, exponent);
}

}  // namespace daedalus
