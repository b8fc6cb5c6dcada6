#include "structure/blocks.hpp"

#include <gtest/gtest.h>

#include <set>

#include "structure/plan.hpp"
#include "structure/signatures.hpp"

namespace daedalus::testing {
namespace {

TEST(Blocks, TarjansOwnExample) {
  // Tarjan (1972), figure 3: components {6}, {3,4,5,7}, {1,2,8}, in this order. Equation i determines
  // variable i.
  const Signature graph =
      make_pattern(8, {{0, 1}, {1, 2, 7}, {2, 3, 6}, {3, 4}, {4, 2, 5}, {5}, {6, 3, 5}, {7, 0, 6}});
  const std::vector<int> zero(8, 0);
  Matching matching(graph);
  for (int i = 0; i < 8; ++i) matching.match(i, i);
  const auto form = block_triangular_form({graph, zero, zero}, matching);
  ASSERT_EQ(form.blocks.size(), 3U);
  EXPECT_EQ(form.blocks[0].equations, std::vector<int>{5});
  EXPECT_EQ(form.blocks[1].equations, (std::vector<int>{2, 3, 4, 6}));
  EXPECT_EQ(form.blocks[2].equations, (std::vector<int>{0, 1, 7}));
}

TEST(Blocks, OnlyTheHighestDerivativesCouple) {
  // x' = y, y' = -x: each is solved alone for its derivative.
  const auto plan = analyse_structure(make_signature(2, {{{0, 1}, {1, 0}}, {{1, 1}, {0, 0}}}));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->blocks.size(), 2U);
  // x' + y' = 1, x - y = 0: coupled.
  const auto coupled = analyse_structure(make_signature(2, {{{0, 1}, {1, 1}}, {{0, 0}, {1, 0}}}));
  ASSERT_TRUE(coupled);
  ASSERT_EQ(coupled->blocks.size(), 1U);
  // Differentiated equations first (Mattsson, Söderlind 1991, assumption A2), each with its variable.
  EXPECT_EQ(coupled->blocks[0].equations, (std::vector<int>{1, 0}));
  EXPECT_EQ(coupled->blocks[0].variables[0], coupled->variable_of_equation[1]);
}

TEST(Blocks, DepthOfTheGraphIsNoLimit) {
  // One path through 300 000 equations: a recursive search would need as many stack frames.
  constexpr int kLength = 300'000;
  Signature chain;
  chain.variables = kLength;
  for (int i = 0; i < kLength; ++i) {
    if (i + 1 < kLength) {
      chain.add_row(std::vector<SignatureEntry>{{i, 0}, {i + 1, 0}});
    } else {
      chain.add_row(std::vector<SignatureEntry>{{i, 0}});
    }
  }
  const auto plan = analyse_structure(chain);
  ASSERT_TRUE(plan);
  ASSERT_EQ(std::ssize(plan->blocks), kLength);
  EXPECT_EQ(plan->blocks.front().equations, std::vector<int>{kLength - 1});
  EXPECT_EQ(plan->blocks.back().equations, std::vector<int>{0});
}

}  // namespace
}  // namespace daedalus::testing
