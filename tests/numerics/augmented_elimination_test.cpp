#include "numerics/augmented_elimination.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace daedalus {
namespace {

// A X = B with an X that is known, rows and columns of sizes far apart, and half of A zero.
TEST(AugmentedElimination, SolvesWhatWasMultipliedOut) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  AugmentedElimination elimination;
  for (int n = 1; n <= 23; ++n) {
    const int m = 1 + (n % 6);
    std::vector<double> a(static_cast<std::size_t>(n * n)), x(static_cast<std::size_t>(n * m));
    for (int r = 0; r < n; ++r) {
      for (int c = 0; c < n; ++c) {
        const bool kept = c == (r + 1) % n || uniform(random) > 0;  // never singular in its structure
        a[static_cast<std::size_t>((r * n) + c)] =
            kept ? (uniform(random) + (c == (r + 1) % n ? 3 : 0)) * std::pow(10, (r % 7) - 3) : 0;
      }
    }
    for (double& value : x) value = uniform(random);
    elimination.begin(n, m);
    for (int r = 0; r < n; ++r) {
      for (int c = 0; c < n; ++c) {
        const double entry = a[static_cast<std::size_t>((r * n) + c)];
        elimination.row(r)[c] = entry;
        for (int b = 0; b < m; ++b)
          elimination.right(r)[b] += entry * x[static_cast<std::size_t>((c * m) + b)];
      }
    }
    ASSERT_TRUE(elimination.solve()) << n;
    for (int c = 0; c < n; ++c) {
      const auto solution = elimination.solution(c);
      ASSERT_EQ(solution.size(), static_cast<std::size_t>(m));
      // Rounding times the condition of such matrices, up to some thousand.
      for (int b = 0; b < m; ++b)
        EXPECT_NEAR(solution[static_cast<std::size_t>(b)], x[static_cast<std::size_t>((c * m) + b)], 1e-10);
    }
  }
}

TEST(AugmentedElimination, NeedsPivots) {
  AugmentedElimination elimination;
  elimination.begin(2, 1);
  elimination.row(0)[1] = 2;
  elimination.row(1)[0] = 4;
  elimination.right(0)[0] = 6;
  elimination.right(1)[0] = 8;
  ASSERT_TRUE(elimination.solve());
  EXPECT_EQ(elimination.solution(0)[0], 2);
  EXPECT_EQ(elimination.solution(1)[0], 3);
}

TEST(AugmentedElimination, SaysThatAMatrixIsSingular) {
  AugmentedElimination elimination;
  elimination.begin(2, 1);
  EXPECT_FALSE(elimination.solve());
  for (const double last :
       {0.5, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    elimination.begin(2, 1);
    elimination.row(0)[0] = 0.1;
    elimination.row(0)[1] = 0.1;
    elimination.row(1)[0] = 0.5;
    elimination.row(1)[1] = last;
    EXPECT_FALSE(elimination.solve()) << last;
  }
}

}  // namespace
}  // namespace daedalus
