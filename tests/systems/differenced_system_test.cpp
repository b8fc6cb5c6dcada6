// Derivatives by differences, and the groups in which they are taken.
#include "systems/differenced_system.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace daedalus {
namespace {

// Row i depends on y[i-1], y[i], y[i+1] and y'[i].
bool chain(double t, std::span<const double> y, std::span<const double> yp, std::span<double> r) {
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double left = i > 0 ? y[i - 1] : 0;
    const double right = i + 1 < y.size() ? y[i + 1] : 0;
    r[i] = (2 + t) * yp[i] + std::sin(y[i]) - left * right;
  }
  return true;
}

struct Point {
  explicit Point(std::size_t n) : y(n), yp(n) {
    for (std::size_t i = 0; i < n; ++i) y[i] = 0.3 + 0.01 * static_cast<double>(i);
  }
  std::vector<double> y, yp;
};

TEST(DifferencedSystem, FindsThePatternOfAChain) {
  const Point at(40);
  const DifferencedSystem system(chain, 0, at.y, at.yp);
  const SparsePattern& pattern = system.pattern();
  EXPECT_EQ(pattern.nonzeros(), 40 + 2 * 39);
  for (int j = 0; j < 40; ++j) {
    for (int k = pattern.column_start[static_cast<std::size_t>(j)];
         k < pattern.column_start[static_cast<std::size_t>(j) + 1]; ++k) {
      EXPECT_LE(std::abs(pattern.row[static_cast<std::size_t>(k)] - j), 1);
    }
  }
  EXPECT_EQ(system.groups(), 3u);  // columns three apart share no row
}

TEST(DifferencedSystem, DiffersFromTheExactDerivativesByHalfOfTheDigits) {
  const Point at(40);
  DifferencedSystem system(chain, 0, at.y, at.yp);
  std::vector<double> dy(static_cast<std::size_t>(system.pattern().nonzeros()));
  std::vector<double> dyp(dy.size());
  ASSERT_TRUE(system.jacobian(1, at.y, at.yp, dy, dyp));
  for (std::size_t j = 0; j < 40; ++j) {
    for (int k = system.pattern().column_start[j]; k < system.pattern().column_start[j + 1]; ++k) {
      const auto entry = static_cast<std::size_t>(k);
      const auto i = static_cast<std::size_t>(system.pattern().row[entry]);
      double exact = std::cos(at.y[j]);
      if (i == j + 1) exact = i + 1 < 40 ? -at.y[i + 1] : 0;
      if (j == i + 1) exact = i > 0 ? -at.y[i - 1] : 0;
      EXPECT_NEAR(dy[entry], exact, 1e-6);
      EXPECT_NEAR(dyp[entry], i == j ? 3 : 0, 1e-6);
    }
  }
}

TEST(DifferencedSystem, TakesFewUnknownsAsDense) {
  const Point at(5);
  const DifferencedSystem system(chain, 0, at.y, at.yp);
  EXPECT_EQ(system.pattern().nonzeros(), 25);
  EXPECT_EQ(system.calls(), 0);  // nothing to look for
}

TEST(DifferencedSystem, AFunctionThatRefusesNaNsIsTakenAsDense) {
  const Point at(20);
  const auto picky = [](double t, std::span<const double> y, std::span<const double> yp,
                        std::span<double> r) {
    for (const double v : y) {
      if (std::isnan(v)) return false;
    }
    return chain(t, y, yp, r);
  };
  EXPECT_EQ(DifferencedSystem(picky, 0, at.y, at.yp).pattern().nonzeros(), 400);
}

// A Jacobian costs one call for the point, and one a group for y and for y'.
TEST(DifferencedSystem, CostsOneCallAGroup) {
  const Point at(40);
  DifferencedSystem system(chain, 0, at.y, at.yp);
  std::vector<double> dy(static_cast<std::size_t>(system.pattern().nonzeros()));
  std::vector<double> dyp(dy.size());
  const long before = system.calls();
  ASSERT_TRUE(system.jacobian(0, at.y, at.yp, dy, dyp));
  EXPECT_EQ(system.calls() - before, 1 + 2 * static_cast<long>(system.groups()));
}

// Linear functions have differences without curvature: exact to the digits that the difference of two values
// keeps, whatever the sparsity. No two columns of a group share a row, or their sum would be seen.
TEST(DifferencedSystem, SparseLinearFunctionsAreExact) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    std::mt19937 random(seed);
    constexpr std::size_t n = 30;
    std::vector<std::vector<double>> a(n, std::vector<double>(n, 0.0));
    std::vector<std::vector<double>> b = a;
    for (std::size_t i = 0; i < n; ++i) {
      a[i][i] = 1;
      for (int k = 0; k < 3; ++k) {
        a[i][random() % n] = 1 + static_cast<double>(random() % 8);
        b[i][random() % n] = 1 + static_cast<double>(random() % 8);
      }
    }
    const auto linear = [&](double, std::span<const double> y, std::span<const double> yp,
                            std::span<double> r) {
      for (std::size_t i = 0; i < n; ++i) {
        r[i] = 0;
        for (std::size_t j = 0; j < n; ++j) {
          if (a[i][j] != 0) r[i] += a[i][j] * y[j];
          if (b[i][j] != 0) r[i] += b[i][j] * yp[j];
        }
      }
      return true;
    };
    const Point at(n);
    DifferencedSystem system(linear, 0, at.y, at.yp);
    const SparsePattern& pattern = system.pattern();
    std::vector<double> dy(pattern.row.size());
    std::vector<double> dyp(dy.size());
    ASSERT_TRUE(system.jacobian(0, at.y, at.yp, dy, dyp));
    std::size_t entries = 0;
    for (std::size_t j = 0; j < n; ++j) {
      for (int k = pattern.column_start[j]; k < pattern.column_start[j + 1]; ++k) {
        const auto i = static_cast<std::size_t>(pattern.row[static_cast<std::size_t>(k)]);
        // Rounding of sums of size 30, over steps of 1.5e-8 times 0.3.
        EXPECT_NEAR(dy[static_cast<std::size_t>(k)], a[i][j], 1e-5);
        EXPECT_NEAR(dyp[static_cast<std::size_t>(k)], b[i][j], 1e-5);
        if (a[i][j] != 0 || b[i][j] != 0 || i == j) ++entries;
      }
    }
    EXPECT_EQ(entries, pattern.row.size()) << "no entry without a cause but the diagonal";
    std::size_t wanted = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) wanted += a[i][j] != 0 || b[i][j] != 0 || i == j ? 1 : 0;
    }
    EXPECT_EQ(entries, wanted) << "and none is missed";
    EXPECT_LT(system.groups(), n);
  }
}

// Values of any size keep half of their digits: the step follows them.
TEST(DifferencedSystem, StepsFollowTheSizeOfValues) {
  for (const double size : {1e-8, 1e-2, 1.0, 1e6, 1e12}) {
    const auto square = [](double, std::span<const double> y, std::span<const double> yp,
                           std::span<double> r) {
      r[0] = y[0] * y[0] + 3 * yp[0];
      return true;
    };
    const std::vector<double> y{size};
    const std::vector<double> yp{size};
    DifferencedSystem system(square, 0, y, yp);
    std::vector<double> dy(1);
    std::vector<double> dyp(1);
    ASSERT_TRUE(system.jacobian(0, y, yp, dy, dyp));
    // The least step is that of a value of 1e-3, whose curvature adds 1.5e-11.
    EXPECT_NEAR(dy[0], 2 * size, (1e-6 * size) + 2e-11 + (3e-8 * (3 + size))) << size;
    EXPECT_NEAR(dyp[0], 3, 3e-8 * (3 + size)) << size;
  }
}

// Where a moved point has no value, the Jacobian has none either, and the next point is none the worse for
// it.
TEST(DifferencedSystem, PointsWithoutValueAreSaid) {
  const auto bounded = [](double, std::span<const double> y, std::span<const double>, std::span<double> r) {
    if (y[0] > 1) return false;
    r[0] = y[0];
    return true;
  };
  const std::vector<double> edge{1};
  const std::vector<double> inside{0.5};
  DifferencedSystem system(bounded, 0, inside, inside);
  std::vector<double> dy(1);
  std::vector<double> dyp(1);
  EXPECT_FALSE(system.jacobian(0, edge, edge, dy, dyp));
  EXPECT_EQ(system.trouble(), "the function has no value there");
  ASSERT_TRUE(system.jacobian(0, inside, inside, dy, dyp));
  EXPECT_NEAR(dy[0], 1, 1e-7);
  EXPECT_NEAR(dyp[0], 0, 1e-7);
}

TEST(DifferencedSystem, SaysWhichEquationIsNotFinite) {
  Point at(3);
  const auto bad = [](double, std::span<const double>, std::span<const double>, std::span<double> r) {
    r[0] = r[2] = 0;
    r[1] = std::nan("");
    return true;
  };
  DifferencedSystem system(bad, 0, at.y, at.yp);
  EXPECT_FALSE(system.residual(0, at.y, at.yp, at.yp));
  EXPECT_NE(system.trouble().find("equation 1"), std::string::npos);
}

TEST(DifferencedSystem, TakesAJacobianThatIsGivenAsItIs) {
  const Point at(40);
  bool known = true;
  const auto given = [&known](double t, std::span<const double> y, std::span<const double> /*yp*/,
                              std::span<double> dy, std::span<double> dyp) {
    std::ranges::fill(dy, 0);
    std::ranges::fill(dyp, 0);
    const std::size_t n = y.size();
    for (std::size_t i = 0; i < n; ++i) {
      dy[i * n + i] = known ? std::cos(y[i]) : std::nan("");
      if (i > 0) dy[(i - 1) * n + i] = i + 1 < n ? -y[i + 1] : 0;
      if (i + 1 < n) dy[(i + 1) * n + i] = i > 0 ? -y[i - 1] : 0;
      dyp[i * n + i] = 2 + t;
    }
    return true;
  };
  DifferencedSystem differenced(chain, 0, at.y, at.yp);
  DifferencedSystem system(chain, 0, at.y, at.yp, given);
  EXPECT_EQ(system.pattern().nonzeros(), 40 * 40);
  const long calls = system.calls();
  std::vector<double> dy(1600), dyp(1600), near(1600), near_rates(1600);
  ASSERT_TRUE(system.jacobian(0.5, at.y, at.yp, dy, dyp));
  EXPECT_EQ(system.calls(), calls);  // the function is not asked
  near.resize(static_cast<std::size_t>(differenced.pattern().nonzeros()));
  near_rates.resize(near.size());
  ASSERT_TRUE(differenced.jacobian(0.5, at.y, at.yp, near, near_rates));
  for (int j = 0; j < 40; ++j) {
    for (int k = differenced.pattern().column_start[static_cast<std::size_t>(j)];
         k < differenced.pattern().column_start[static_cast<std::size_t>(j) + 1]; ++k) {
      const auto entry = static_cast<std::size_t>(k);
      const auto dense = static_cast<std::size_t>(40 * j + differenced.pattern().row[entry]);
      EXPECT_NEAR(dy[dense], near[entry], 1e-6);  // half of the digits, which differences have
      EXPECT_NEAR(dyp[dense], near_rates[entry], 1e-6);
    }
  }
  known = false;
  EXPECT_FALSE(system.jacobian(0.5, at.y, at.yp, dy, dyp));
  EXPECT_EQ(system.trouble(), "the Jacobian that was given has no value there");
}

}  // namespace
}  // namespace daedalus
