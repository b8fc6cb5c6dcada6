#include "saddle/pairing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "numerics/rank_policy.hpp"

namespace daedalus {
namespace {

using Lines = std::vector<SparseLine>;

// Gradients of a sparse mechanism, each with some coordinates of its own.
Lines some_gradients(int count, std::mt19937& random) {
  std::uniform_real_distribution<double> value(-1, 1);
  std::uniform_int_distribution<int> coordinate(0, 2 * count);
  Lines lines;
  for (int r = 0; r < count; ++r) {
    SparseLine line{{r, 1 + value(random)}};
    for (int k = 0; k < 3; ++k) {
      const int c = coordinate(random);
      if (std::ranges::find(line, c, &std::pair<int, double>::first) == line.end())
        line.emplace_back(c, value(random));
    }
    lines.push_back(line);
  }
  return lines;
}

// Forces in any order, of any size and sign, with their entries in any order.
TEST(Pairing, FindsEachForceWhateverItsOrderSizeAndSign) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    std::mt19937 random(seed);
    const Lines gradients = some_gradients(50, random);
    std::vector<int> order(gradients.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::shuffle(order, random);
    Lines forces;
    double factor = -1e-5;
    for (const int r : order) {
      forces.push_back(gradients[static_cast<std::size_t>(r)]);
      for (auto& entry : forces.back()) entry.second *= factor;
      factor *= -1.7;
      std::ranges::shuffle(forces.back(), random);
    }
    const Pairing found = pair_multipliers(gradients, forces);
    EXPECT_TRUE(found.complete());
    for (std::size_t c = 0; c < order.size(); ++c)
      EXPECT_EQ(found.multiplier[static_cast<std::size_t>(order[c])], static_cast<int>(c));
    EXPECT_EQ(found.with_rest(), found.multiplier);
  }
}

// The angle decides, not the largest entry, nor whether what is nothing is an exact zero.
TEST(Pairing, ToleratesRoundingAndNoMore) {
  const SparseLine gradient{{0, 3.0}, {4, -3.0}, {7, 1.0}};
  const auto pairs = [&](const SparseLine& force) {
    return pair_multipliers(Lines{gradient}, Lines{force}).complete();
  };
  EXPECT_TRUE(pairs({{4, 3.0 + 1e-12}, {0, -3.0}, {7, -1.0}, {5, 1e-13}, {6, 0}}));
  const double size = std::sqrt(19.0);
  EXPECT_TRUE(pairs({{0, 3.0}, {4, -3.0}, {7, 1.0}, {9, 0.5 * RankPolicy::gradient * size}}));
  EXPECT_FALSE(pairs({{0, 3.0}, {4, -3.0}, {7, 1.0}, {9, 2 * RankPolicy::gradient * size}}));
  EXPECT_FALSE(pairs({{0, 3.0}, {4, 3.0}, {7, 1.0}}));
  EXPECT_FALSE(pairs({{0, 3.0}, {4, -3.0}}));
  EXPECT_FALSE(pairs({}));
  EXPECT_FALSE(pairs({{0, 0.0}}));
}

// Equal constraints take equal forces one by one; what belongs to none takes what is left.
TEST(Pairing, EqualOnesGoTogetherInOrderAndOthersTakeTheRest) {
  const SparseLine a{{0, 1.0}, {1, 2.0}};
  const SparseLine b{{1, 1.0}, {2, -1.0}};
  const SparseLine other{{0, 1.0}, {2, 5.0}};
  const Pairing found = pair_multipliers(Lines{a, b, a, b}, Lines{b, other, a, a});
  EXPECT_EQ(found.multiplier, (std::vector<int>{2, 0, 3, -1}));
  EXPECT_FALSE(found.complete());
  EXPECT_EQ(found.with_rest(), (std::vector<int>{2, 0, 3, 1}));
}

TEST(Pairing, ReadsEntriesOfMatrices) {
  const NodeId none;
  const SymbolicMatrix g{.rows = 2,
                         .columns = 3,
                         .entries = {{.row = 1, .column = 0, .value = none},
                                     {.row = 0, .column = 2, .value = none},
                                     {.row = 1, .column = 1, .value = none}}};
  const SymbolicMatrix b{.rows = 3,
                         .columns = 2,
                         .entries = {{.row = 2, .column = 1, .value = none},
                                     {.row = 0, .column = 0, .value = none},
                                     {.row = 1, .column = 0, .value = none}}};
  const std::vector<double> gradients{1, 5, 2};
  const std::vector<double> inputs{-1, 3, 6};
  EXPECT_EQ(pair_multipliers(g, gradients, b, inputs).multiplier, (std::vector<int>{1, 0}));
}

}  // namespace
}  // namespace daedalus
