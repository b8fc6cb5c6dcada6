// Random numbers, special functions and distributions of the Modelica library: the generators against 64-bit
// integer arithmetic, functions against the C library, distributions against each other.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "model/flatten_support.hpp"

namespace daedalus::test {
namespace {

const std::string generators = "'Modelica.Math.Random.Generators.";

std::string list(const std::vector<double>& numbers) {
  std::string text = "{";
  for (const double x : numbers) text += std::to_string(static_cast<long long>(x)) + ", ";
  return text.substr(0, text.size() - 2) + "}";
}

// The library keeps a 64-bit word as two signed Integers, the lower half first.
std::uint64_t word(double low, double high) {
  return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(static_cast<std::int32_t>(high))) << 32U) |
         static_cast<std::uint32_t>(static_cast<std::int32_t>(low));
}
double low_half(std::uint64_t w) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(w));
}
double high_half(std::uint64_t w) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(w >> 32U));
}
// As a signed number from -1/2 to 1/2, plus 1/2.
double uniform(std::uint64_t w) {
  return std::ldexp(static_cast<double>(static_cast<std::int64_t>(w)), -64) + 0.5;
}

std::uint64_t star(std::uint64_t x) {
  x ^= x >> 12U;
  x ^= x << 25U;
  x ^= x >> 27U;
  return x * 2685821657736338717ULL;
}

// What a generator gives for a state, which is known or made of Integers that change: the number, then the
// new state.
std::vector<double> drawn(const std::string& name, const std::vector<double>& state, bool known) {
  const std::string n = std::to_string(state.size());
  const std::string all = std::to_string(state.size() + 1);
  std::string declarations = "function f input Integer s[" + n + "]; output Real y[" + all +
                             "]; protected Real r; Integer t[" + n + "]; algorithm (r, t) := " + generators +
                             name + ".random'(s); y[1] := r; y[2:end] := t; end f; ";
  if (known) return numbers("f(" + list(state) + ")", all, declarations);
  Point at;
  declarations += "Integer s[" + n + "] = fill(if time > 1 then 1 else 0, " + n + ");";
  for (std::size_t i = 0; i < state.size(); ++i) at["s[" + std::to_string(i + 1) + "]"] = state[i];
  return numbers("f(s)", all, declarations, at);
}

TEST(LibraryRandom, GeneratorsAre64BitArithmetic) {
  const std::vector<double> two{123456789, -987654321};
  const std::uint64_t next = star(word(two[0], two[1]));
  const std::vector<double> four{-5, 2147483647, 77, -2147483647};
  const std::uint64_t s0 = word(four[2], four[3]);
  std::uint64_t s1 = word(four[0], four[1]);
  s1 ^= s1 << 23U;
  const std::uint64_t plus = (s1 ^ s0 ^ (s1 >> 17U) ^ (s0 >> 26U)) + s0;
  for (const bool known : {true, false}) {
    EXPECT_EQ(drawn("Xorshift64star", two, known),
              (std::vector<double>{uniform(next), low_half(next), high_half(next)}));
    EXPECT_EQ(drawn("Xorshift128plus", four, known),
              (std::vector<double>{uniform(plus), four[2], four[3], low_half(plus), high_half(plus)}));
  }
}

TEST(LibraryRandom, TheLongGeneratorChangesOneWordOfSixteen) {
  std::vector<double> state;
  std::array<std::uint64_t, 16> words{};
  std::uint64_t seed = 42;
  for (std::uint64_t& w : words) {
    w = seed = star(seed);
    state.push_back(low_half(w));
    state.push_back(high_half(w));
  }
  state.push_back(15 + 32);  // counted modulo 16
  std::uint64_t s0 = words[15];
  std::uint64_t s1 = words[0];
  s1 ^= s1 << 31U;
  s1 ^= s1 >> 11U;
  s0 ^= s0 >> 30U;
  words[0] = s0 ^ s1;
  std::vector<double> expected{uniform(words[0] * 1181783497276652981ULL)};
  for (const std::uint64_t w : words) {
    expected.push_back(low_half(w));
    expected.push_back(high_half(w));
  }
  expected.push_back(0);
  EXPECT_EQ(drawn("Xorshift1024star", state, true), expected);
}

TEST(LibraryRandom, TheFirstStateIsTheTenthAfterTheSeeds) {
  std::uint64_t w = word(614657, 30020);
  for (int i = 0; i < 10; ++i) w = star(w);
  EXPECT_EQ(numbers(generators + "Xorshift64star.initialState'(614657, 30020)", "2"),
            (std::vector<double>{low_half(w), high_half(w)}));
  const std::uint64_t next = star(w);
  EXPECT_EQ(numbers("'Modelica.Math.Random.Utilities.initialStateWithXorshift64star'(614657, 30020, 3)", "3"),
            (std::vector<double>{low_half(w), high_half(w), low_half(next)}));
  // Two seeds of zero would stay zero for ever.
  EXPECT_NE(numbers(generators + "Xorshift64star.initialState'(0, 0)", "2"), (std::vector<double>{0, 0}));
}

TEST(LibrarySpecial, ErrorFunctionsAreThoseOfTheCLibrary) {
  for (const double x : {-5.0, -1.2, -0.47, -0.46, 0.0, 1e-9, 0.3, 0.5, 1.0, 2.5, 3.99, 4.01, 6.0}) {
    const std::string text = fmt::format("({:.17g})", x);
    // Cody's approximations are good to a few units in the last place.
    EXPECT_NEAR(number("'Modelica.Math.Special.erf'" + text), std::erf(x), 4e-16) << x;
    EXPECT_NEAR(number("'Modelica.Math.Special.erfc'" + text) / std::erfc(x), 1, 1e-14) << x;
  }
}

TEST(LibrarySpecial, InversesUndoThem) {
  for (const double x : {-3.5, -1.0, -0.2, 0.0, 1e-6, 0.4, 0.9, 2.0, 3.0}) {
    // The inverse of erf near 1 can be no better than the spacing of numbers there over the slope of erf.
    const double slope = 2 / std::sqrt(std::numbers::pi) * std::exp(-x * x);
    EXPECT_NEAR(number(fmt::format("'Modelica.Math.Special.erfInv'({:.17g})", std::erf(x))), x,
                1e-15 + 1e-15 / slope)
        << x;
    EXPECT_NEAR(number(fmt::format("'Modelica.Math.Special.erfcInv'({:.17g})", std::erfc(x))), x,
                1e-15 + 1e-15 / slope)
        << x;
  }
  EXPECT_NEAR(number("'Modelica.Math.Special.sinc'(1e-5)"), 1 - 1e-10 / 6, 1e-16);
  EXPECT_NEAR(number("'Modelica.Math.Special.sinc'(2)"), std::sin(2) / 2, 1e-16);
}

TEST(LibraryDistributions, QuantilesInvertCumulativesWhoseSlopeIsTheDensity) {
  struct Case {
    const char* name;
    const char* parameters;
    std::vector<double> at;
  };
  for (const Case& c :
       {Case{"Uniform", "-1, 3", {-0.5, 1.0, 2.9}}, Case{"Normal", "0.5, 2", {-3.0, 0.4, 4.0}},
        Case{"Weibull", "1.5, 2", {0.1, 1.0, 3.0}},
        Case{"TruncatedNormal", "-1, 2, 0.3, 0.7", {-0.9, 0.2, 1.8}},
        Case{"TruncatedWeibull", "0.2, 2, 1.5, 3", {0.3, 1.0, 1.9}}}) {
    const auto call = [&](const char* function, double u) {
      return number(
          fmt::format("'Modelica.Math.Distributions.{}.{}'({:.17g}, {})", c.name, function, u, c.parameters));
    };
    for (const double u : c.at) {
      const double share = call("cumulative", u);
      EXPECT_NEAR(call("quantile", share), u, 1e-12) << c.name << u;
      constexpr double h = 1e-5;  // central differences err by h^2 times a third derivative of order one
      EXPECT_NEAR((call("cumulative", u + h) - call("cumulative", u - h)) / (2 * h), call("density", u), 1e-8)
          << c.name << u;
    }
  }
}

}  // namespace
}  // namespace daedalus::test
