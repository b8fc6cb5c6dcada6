#include "saddle/random_point.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace daedalus {
namespace {

// Along a chain of a hundred turns by such quaternions lengths stay within a few decades: entries of its
// matrix can be told from rounding. (Values of 0.3 to 1.3 would make them grow by e^200.)
TEST(RandomPoint, TurnsOneAfterTheOtherNeitherGrowNorShrink) {
  std::mt19937 random(1);
  std::vector<double> point(400);
  fill_at_random(random, point);
  double logarithm = 0;  // of the product of all squared lengths
  for (std::size_t k = 0; k < point.size(); k += 4) {
    double squared = 0;
    for (std::size_t i = 0; i < 4; ++i) squared += point[k + i] * point[k + i];
    logarithm += std::log(squared);
  }
  EXPECT_LT(std::abs(logarithm), 10);  // its mean is 3 and its standard deviation 2
}

TEST(RandomPoint, NoTwoValuesAreEqual) {
  std::mt19937 random(1);
  std::vector<double> point(50);
  fill_at_random(random, point);
  for (std::size_t i = 0; i < point.size(); ++i) {
    EXPECT_NE(point[i], 0);
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(point[i], point[j]);
  }
}

}  // namespace
}  // namespace daedalus
