#include "numerics/norms.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace daedalus {
namespace {

TEST(Norms, RootMeanSquareCountsOnlyWhatTakesPart) {
  const std::vector<double> v{3, 4, 100};
  const std::vector<double> scale{1, 1, 0};
  EXPECT_DOUBLE_EQ(weighted_rms(v, scale, 2), std::sqrt(12.5));
  EXPECT_EQ(weighted_rms(v, scale, 0), 0);
}

TEST(Norms, MaximumIsScaled) {
  const std::vector<double> v{3, -4, 100};
  const std::vector<double> scale{1, 2, 0.01};
  EXPECT_DOUBLE_EQ(weighted_max(v, scale), 8);
  EXPECT_EQ(worst_entry(v, scale), 1);
}

TEST(Norms, ANonFiniteEntryShows) {
  const std::vector<double> v{3, std::nan(""), 100};
  const std::vector<double> scale{1, 1, 1};
  EXPECT_TRUE(std::isnan(weighted_max(v, scale)));
  EXPECT_TRUE(std::isnan(weighted_rms(v, scale, 3)));
  EXPECT_EQ(worst_entry(v, scale), 1);
  EXPECT_EQ(worst_entry({}, {}), -1);
}

}  // namespace
}  // namespace daedalus
