#include "numerics/vectors.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <utility>

namespace daedalus {
namespace {

TEST(AllFinite, OneThatIsNotIsFoundAnywhere) {
  for (std::size_t n = 0; n < 20; ++n) {
    std::vector<double> values(n, -1e308);
    EXPECT_TRUE(all_finite(values));
    for (double& value : values) {
      for (const double bad :
           {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
            std::numeric_limits<double>::quiet_NaN()}) {
        const double before = std::exchange(value, bad);
        EXPECT_FALSE(all_finite(values));
        value = before;
      }
    }
  }
}

// Short vectors without a call, long ones by one; nothing behind them is touched.
TEST(CopyValues, CopiesEveryLength) {
  for (std::size_t n = 0; n < 40; ++n) {
    std::vector<double> from(n);
    std::iota(from.begin(), from.end(), 1.0);
    std::vector<double> to(n + 1, -1.0);
    copy_values(from, to);
    EXPECT_TRUE(std::equal(from.begin(), from.end(), to.begin())) << n;
    EXPECT_EQ(to.back(), -1.0) << n;
  }
}

// Long stretches, short ones and single entries, in both directions.
TEST(IndexedCopy, IsTheLoopThatItStandsFor) {
  std::vector<int> from;
  std::vector<int> to;
  const auto add = [&](int first, int target, int count) {
    for (int k = 0; k < count; ++k) {
      from.push_back(first + k);
      to.push_back(target + k);
    }
  };
  add(0, 50, 20);
  add(30, 10, 5);
  add(40, 20, 1);
  add(39, 21, 1);
  add(38, 22, 1);
  add(60, 70, 6);
  add(7, 0, 2);
  std::vector<double> source(80);
  std::iota(source.begin(), source.end(), 100.0);
  std::vector<double> expected(80, -1.0);
  for (std::size_t k = 0; k < from.size(); ++k)
    expected[static_cast<std::size_t>(to[k])] = source[static_cast<std::size_t>(from[k])];
  std::vector<double> got(80, -1.0);
  IndexedCopy(from, to)(source.data(), got.data());
  EXPECT_EQ(got, expected);
}

// Lists that repeat themselves with periods of several lengths, in both directions, between others that do
// not.
TEST(IndexedCopy, RepeatsWhatRepeatsItself) {
  std::vector<int> from;
  std::vector<int> to;
  const auto bodies = [&](std::vector<int> sources, std::vector<int> targets, int count, int from_step,
                          int to_step) {
    for (int k = 0; k < count; ++k) {
      for (std::size_t i = 0; i < sources.size(); ++i) {
        from.push_back(sources[i] + (k * from_step));
        to.push_back(targets[i] + (k * to_step));
      }
    }
  };
  bodies({2, 0, 1, 5}, {0, 1, 2, 4}, 30, 7, 5);
  bodies({900, 400, 650}, {400, 500, 450}, 1, 0, 0);
  bodies({400, 402}, {399, 398}, 25, -3, -4);
  bodies({500}, {600}, 40, 2, 3);
  bodies({901, 401, 651, 13}, {901, 902, 904, 903}, 1, 0, 0);
  std::vector<double> source(1000);
  std::iota(source.begin(), source.end(), 1.0);
  std::vector<double> expected(1000, -1.0);
  for (std::size_t k = 0; k < from.size(); ++k)
    expected[static_cast<std::size_t>(to[k])] = source[static_cast<std::size_t>(from[k])];
  std::vector<double> got(1000, -1.0);
  IndexedCopy(from, to)(source.data(), got.data());
  EXPECT_EQ(got, expected);
}

}  // namespace
}  // namespace daedalus
