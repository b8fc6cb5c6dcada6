#include "core/shortest.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

namespace daedalus {
namespace {

std::string shortest(double value) {
  char text[number_room];
  return {text, write_shortest(text, value)};
}

// Without sign, point, exponent and zeros at both ends.
std::string digits_of(const std::string& text) {
  std::string digits;
  for (const char ch : text) {
    if (ch == 'e') break;
    if (ch >= '0' && ch <= '9') digits += ch;
  }
  const std::size_t first = digits.find_first_not_of('0');
  return first == std::string::npos ? "0" : digits.substr(first, digits.find_last_not_of('0') + 1 - first);
}

// std::to_chars finds the shortest digits by another algorithm (Ryu).
std::string digits_by_library(double value) {
  char text[64];
  return digits_of({text, std::to_chars(text, text + 64, value, std::chars_format::scientific).ptr});
}

void expect_right(double value) {
  const std::string text = shortest(value);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(std::strtod(text.c_str(), nullptr)),
            std::bit_cast<std::uint64_t>(value))
      << text;
  EXPECT_EQ(digits_of(text), digits_by_library(value)) << text;
  EXPECT_LE(text.size(), longest_number) << text;
}

TEST(Shortest, LaidOutAsPeopleWrite) {
  EXPECT_EQ(shortest(0.1), "0.1");
  EXPECT_EQ(shortest(0.005), "0.005");
  EXPECT_EQ(shortest(1), "1");
  EXPECT_EQ(shortest(-3.25), "-3.25");
  EXPECT_EQ(shortest(2e6), "2000000");
  EXPECT_EQ(shortest(1e16), "10000000000000000");
  EXPECT_EQ(shortest(1e17), "1e+17");
  EXPECT_EQ(shortest(1e-4), "0.0001");
  EXPECT_EQ(shortest(2.5e-7), "2.5e-07");
  EXPECT_EQ(shortest(-2.2250738585072014e-308), "-2.2250738585072014e-308");
}

TEST(Shortest, WhatIsNoOrdinaryNumber) {
  EXPECT_EQ(shortest(0), "0");
  EXPECT_EQ(shortest(-0.0), "-0");
  EXPECT_EQ(shortest(std::nan("")), "nan");
  EXPECT_EQ(shortest(-std::nan("")), "nan");
  EXPECT_EQ(shortest(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(shortest(-std::numeric_limits<double>::infinity()), "-inf");
}

TEST(Shortest, EveryPowerOfTwoAndItsNeighbours) {
  for (int q = -1074; q < 1024; ++q) {
    const double value = std::ldexp(1.0, q);
    expect_right(value);
    expect_right(std::nextafter(value, 0));
    if (q < 1023) expect_right(-std::nextafter(value, 2 * value));
  }
}

TEST(Shortest, EveryPowerOfTen) {
  for (int k = -323; k <= 308; ++k) expect_right(std::strtod(("1e" + std::to_string(k)).c_str(), nullptr));
}

TEST(Shortest, RandomBits) {
  std::mt19937_64 random(20);
  for (int k = 0; k < 300'000; ++k) {
    const auto value = std::bit_cast<double>(random());
    if (std::isfinite(value)) expect_right(value);
  }
}

TEST(Shortest, ShortDecimals) {
  std::mt19937_64 random(8);
  for (int k = 0; k < 100'000; ++k) {
    expect_right(static_cast<double>(random() % 1'000'000) / 1e3);
    expect_right(static_cast<double>(random() % 1'000'000'000) * 1e-15);
  }
}

}  // namespace
}  // namespace daedalus
