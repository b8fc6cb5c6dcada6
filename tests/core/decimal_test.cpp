#include "core/decimal.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace daedalus {
namespace {

TEST(WithoutNoise, ShortDecimalNumbersComeBack) {
  for (const double x : {1.0, -1.0, 0.005, 12345.678, -0.1, 3e-7, 1e6}) {
    const double noise = 1e-14 * std::abs(x);
    for (const double off : {-0.9, -0.01, 0.0, 0.3, 0.9}) EXPECT_EQ(without_noise(x + off * noise, noise), x);
  }
  EXPECT_EQ(without_noise(1e-17, 1e-16), 0);
  EXPECT_EQ(without_noise(0, 0), 0);
}

// Long numbers stay, and so does what is farther away than the noise.
TEST(WithoutNoise, OthersStay) {
  for (const double x : {1.0 / 3, std::acos(-1.0), -std::sqrt(2.0), 1 + 1e-12, 0.005 - 3e-16})
    EXPECT_EQ(without_noise(x, 1e-16 * std::abs(x)), x);
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(without_noise(infinite, infinite), 0);  // all of it is noise
  EXPECT_EQ(without_noise(infinite, 1), infinite);
  EXPECT_TRUE(std::isnan(without_noise(std::nan(""), 1e-16)));
  EXPECT_EQ(without_noise(1e-30, 1e-45), 1e-30);  // beyond exact powers of ten
  EXPECT_EQ(without_noise(1e30, 1e10), 1e30);
}

}  // namespace
}  // namespace daedalus
