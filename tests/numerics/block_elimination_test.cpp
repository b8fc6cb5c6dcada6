#include "numerics/block_elimination.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace daedalus {
namespace {

// Compressed columns of a dense matrix, by rows; zeros are left out.
struct Sparse {
  SparsePattern pattern;
  std::vector<double> values;
};

Sparse sparse(int size, const std::vector<double>& dense) {
  Sparse made{.pattern = {.size = size, .column_start = {0}, .row = {}}, .values = {}};
  for (int c = 0; c < size; ++c) {
    for (int r = 0; r < size; ++r) {
      const double value = dense[static_cast<std::size_t>((r * size) + c)];
      if (value == 0) continue;
      made.pattern.row.push_back(r);
      made.values.push_back(value);
    }
    made.pattern.column_start.push_back(static_cast<int>(made.pattern.row.size()));
  }
  return made;
}

// Blocks of 3, 1 and 4 with couplings to earlier ones; rows and columns in random order. X is known.
TEST(BlockElimination, SolvesBlockByBlock) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  constexpr int size = 8, sides = 5;
  const std::vector<int> block{0, 0, 0, 1, 2, 2, 2, 2};
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<int> row_at{0, 1, 2, 3, 4, 5, 6, 7}, column_at = row_at;
    std::ranges::shuffle(row_at, random);
    std::ranges::shuffle(column_at, random);
    std::vector<double> a(size * size), x(size * sides);
    for (int r = 0; r < size; ++r) {
      for (int c = 0; c < size; ++c) {
        if (block[static_cast<std::size_t>(c)] <= block[static_cast<std::size_t>(r)])
          a[static_cast<std::size_t>((row_at[static_cast<std::size_t>(r)] * size) +
                                     column_at[static_cast<std::size_t>(c)])] =
              uniform(random) + (r == c ? 3 : 0);
      }
    }
    for (double& value : x) value = uniform(random);
    const Sparse matrix = sparse(size, a);
    BlockElimination elimination(matrix.pattern);
    ASSERT_TRUE(elimination.regular());
    EXPECT_EQ(elimination.largest_block(), 4);
    elimination.begin(sides);
    for (int r = 0; r < size; ++r) {
      for (int c = 0; c < size; ++c) {
        for (int b = 0; b < sides; ++b)
          elimination.right(r)[b] +=
              a[static_cast<std::size_t>((r * size) + c)] * x[static_cast<std::size_t>((c * sides) + b)];
      }
    }
    ASSERT_TRUE(elimination.solve(matrix.values));
    for (int c = 0; c < size; ++c) {
      for (int b = 0; b < sides; ++b)  // diagonally dominant: rounding times a few
        EXPECT_NEAR(elimination.solution(c)[static_cast<std::size_t>(b)],
                    x[static_cast<std::size_t>((c * sides) + b)], 1e-13);
    }
  }
}

TEST(BlockElimination, SaysWhatIsSingular) {
  EXPECT_FALSE(BlockElimination(sparse(2, {1, 0, 1, 0}).pattern).regular());
  const Sparse matrix = sparse(2, {1, 2, 2, 4});
  BlockElimination elimination(matrix.pattern);
  ASSERT_TRUE(elimination.regular());
  elimination.begin(1);
  EXPECT_FALSE(elimination.solve(matrix.values));
}

}  // namespace
}  // namespace daedalus
