#include "saddle/pivot_rank.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "numerics/rank_policy.hpp"

namespace daedalus {
namespace {

void put(PivotRank& rank, std::initializer_list<double> pivots) {
  std::ranges::copy(pivots, rank.pivots().begin());
}

// Of four constraints one is dependent from the start: what is left of its pivot is rounding, whatever its
// unit.
TEST(PivotRank, MeasuresAgainstTheLargestAndLeavesRedundantOnesAside) {
  PivotRank rank;
  const std::vector<double> diagonal{4, 1e-8, 1e8, 1};
  rank.begin(std::vector<double>{2, 1e-9, 0.1 * RankPolicy::square * 1e8, 1}, diagonal);
  EXPECT_TRUE(rank.has_redundant());
  put(rank, {2, 1e-9, 1e-9, 1});
  EXPECT_EQ(rank.regularity(), 1);
  put(rank, {4, 1e-10, 0, 1});
  EXPECT_DOUBLE_EQ(rank.regularity(), 0.1);
  put(rank, {1, 1e-9, 0, 0});
  EXPECT_EQ(rank.regularity(), 0);
  EXPECT_EQ(rank.vanished(0.5), 2);  // 1 of 4, 0 of 1
  EXPECT_EQ(rank.vanished(0.1), 1);
}

TEST(PivotRank, StandsAtTheSamePointAfterItWasSaved) {
  PivotRank rank;
  rank.begin(std::vector<double>{2, 3}, std::vector<double>{2, 3});
  EXPECT_FALSE(rank.has_redundant());
  put(rank, {2, 3});
  (void)rank.regularity();
  put(rank, {1, 3});
  EXPECT_EQ(rank.regularity(), 0.5);
  Archive archive;
  rank.state(archive);
  archive.turn();
  PivotRank other;
  other.state(archive);
  ASSERT_TRUE(archive.ok()) << archive.error();
  EXPECT_EQ(other.vanished(0.6), 1);
  put(other, {2, 3});
  EXPECT_EQ(other.regularity(), 1);
}

}  // namespace
}  // namespace daedalus
