#include "structure/matching.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "structure/reference.hpp"
#include "structure/signatures.hpp"

namespace daedalus::testing {
namespace {

int size_of(const Matching& matching) {
  return static_cast<int>(std::ranges::count_if(matching.variable_of_equation, [](int j) { return j >= 0; }));
}

void expect_consistent(const Signature& signature, const Matching& matching) {
  for (int i = 0; i < signature.equations(); ++i) {
    const int j = matching.variable_of_equation[i];
    if (j < 0) continue;
    EXPECT_EQ(matching.equation_of_variable[j], i);
    EXPECT_TRUE(std::ranges::any_of(signature.row(i), [&](SignatureEntry e) { return e.variable == j; }));
  }
  const auto matched_variables =
      std::ranges::count_if(matching.equation_of_variable, [](int i) { return i >= 0; });
  EXPECT_EQ(matched_variables, size_of(matching));
}

TEST(Matching, EmptySystemIsPerfectlyMatched) {
  EXPECT_TRUE(maximum_matching(Signature{}).matching.perfect());
}

TEST(Matching, EquationWithoutVariablesStaysUnmatched) {
  // The graph of Tarjan (1972), figure 3, read as a bipartite one: row 6 is empty.
  const Signature graph = make_pattern(8, {{1}, {2, 7}, {3, 6}, {4}, {2, 5}, {}, {3, 5}, {0, 6}});
  const Matching matching = maximum_matching(graph).matching;
  expect_consistent(graph, matching);
  EXPECT_EQ(size_of(matching), 7);
  EXPECT_FALSE(matching.has_variable(5));
  EXPECT_FALSE(matching.perfect());
}

TEST(Matching, UsesAllVariablesWhenThereAreMoreEquations) {
  const Signature graph = make_pattern(2, {{0}, {0, 1}, {1}});
  EXPECT_EQ(size_of(maximum_matching(graph).matching), 2);
}

TEST(Matching, FindsThePathThatUndoesEveryGreedyChoice) {
  for (const int n : {1, 2, 3, 10, 40}) {
    EXPECT_TRUE(maximum_matching(staircase_of_chains(n)).matching.perfect()) << n;
  }
}

TEST(Matching, ContinuesFromAMatchingAndKeepsToTightEntries) {
  // x0 of order 1 is tight in row 0 only when d_0 = 1.
  const Signature signature = make_signature(2, {{{0, 1}, {1, 0}}, {{0, 0}, {1, 0}}});
  std::vector<int> c{0, 0};
  std::vector<int> d{1, 0};
  MatchingSearch search({signature, c, d});
  Matching matching(signature);
  matching.match(0, 1);
  std::vector<int> free{1};
  search.augment(matching, free);
  EXPECT_TRUE(free.empty());
  EXPECT_EQ(matching.variable_of_equation, (std::vector<int>{0, 1}));

  // With d_1 = 1 no entry of row 1 is tight: it stays free.
  d = {1, 1};
  matching = Matching(signature);
  free = {0, 1};
  search.augment(matching, free);
  EXPECT_EQ(free, std::vector<int>{1});
  EXPECT_EQ(matching.variable_of_equation, (std::vector<int>{0, -1}));
}

TEST(Matching, IsAsLargeAsTheTextbookOneOnRandomGraphs) {
  std::mt19937 random(20240501);
  for (int trial = 0; trial < 3000; ++trial) {
    const int n = 1 + trial % 30;
    const double entries_per_row = 0.5 + trial % 7 * 0.5;
    Signature graph = random_signature(n, entries_per_row, 2, random);
    graph.variables += trial % 3;  // unbalanced ones too
    const Matching matching = maximum_matching(graph).matching;
    expect_consistent(graph, matching);
    ASSERT_EQ(size_of(matching), textbook_matching_size(graph)) << "trial " << trial;
  }
}

}  // namespace
}  // namespace daedalus::testing
