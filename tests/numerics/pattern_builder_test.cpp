#include "numerics/pattern_builder.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace daedalus {
namespace {

// Random entries, many of them twice, against a set and a map.
TEST(PatternBuilder, EveryEntryIsWhereThePatternSaysItIs) {
  std::mt19937 random(7);
  for (const int size : {1, 2, 5, 40}) {
    std::uniform_int_distribution<int> any(0, size - 1);
    PatternBuilder builder(size);
    std::vector<std::pair<int, int>> entries;
    for (int k = 0; k < 4 * size; ++k) {
      entries.emplace_back(any(random), any(random));
      EXPECT_EQ(builder.add(entries.back().first, entries.back().second), k);
    }
    const auto [pattern, position] = builder.build();
    ASSERT_EQ(pattern.size, size);
    ASSERT_EQ(pattern.column_start.size(), static_cast<std::size_t>(size) + 1);
    ASSERT_EQ(position.size(), entries.size());
    EXPECT_EQ(pattern.nonzeros(), static_cast<int>(std::set(entries.begin(), entries.end()).size()));
    std::map<int, std::pair<int, int>> at;  // row and column by position
    for (int c = 0; c < size; ++c) {
      for (int k = pattern.column_start[static_cast<std::size_t>(c)];
           k < pattern.column_start[static_cast<std::size_t>(c) + 1]; ++k) {
        const int row = pattern.row[static_cast<std::size_t>(k)];
        if (k > pattern.column_start[static_cast<std::size_t>(c)]) {
          EXPECT_LT(pattern.row[static_cast<std::size_t>(k) - 1], row);
        }
        at[k] = {row, c};
      }
    }
    for (std::size_t k = 0; k < entries.size(); ++k) EXPECT_EQ(at.at(position[k]), entries[k]);
  }
}

TEST(PatternBuilder, AMatrixWithoutEntriesHasEmptyColumns) {
  const auto [pattern, position] = PatternBuilder(3).build();
  EXPECT_EQ(pattern.column_start, (std::vector<int>{0, 0, 0, 0}));
  EXPECT_TRUE(pattern.row.empty());
  EXPECT_TRUE(position.empty());
}

TEST(PatternBuilder, TheSamePatternAsFromListsOfRows) {
  std::vector<std::vector<int>> columns{{2, 0, 2}, {}, {1, 0}};
  PatternBuilder builder(3);
  for (int c = 0; c < 3; ++c) {
    for (const int row : columns[static_cast<std::size_t>(c)]) builder.add(row, c);
  }
  EXPECT_EQ(builder.build().pattern, pattern_of(columns));
}

}  // namespace
}  // namespace daedalus
