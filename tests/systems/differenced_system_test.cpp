// Derivatives by differences, and the groups in which they are taken.
#include "systems/differenced_system.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

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
