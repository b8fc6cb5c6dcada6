// Tearing: which unknowns are computed by an equation of their own, on patterns whose answer is known, and
// that what is chosen is free of cycles on random ones.
#include "structure/explicit_unknowns.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace daedalus::testing {
namespace {

using Rows = std::vector<std::vector<Occurrence>>;

Rows plain(const std::vector<std::vector<int>>& rows) {
  Rows result;
  for (const auto& row : rows) {
    result.emplace_back();
    for (const int unknown : row)
      result.back().push_back({.unknown = unknown, .plain = true, .linear = true});
  }
  return result;
}

// Whether the unknowns can be computed one after the other.
bool in_some_order(const Rows& rows, const std::vector<ExplicitUnknown>& chosen) {
  std::set<int> waiting;
  for (const ExplicitUnknown& one : chosen) waiting.insert(one.unknown);
  for (bool moved = true; moved && !waiting.empty();) {
    moved = false;
    for (const ExplicitUnknown& one : chosen) {
      if (!waiting.contains(one.unknown)) continue;
      const auto& row = rows[static_cast<std::size_t>(one.equation)];
      if (std::ranges::any_of(row, [&](const Occurrence& at) {
            return at.unknown != one.unknown && waiting.contains(at.unknown);
          }))
        continue;
      waiting.erase(one.unknown);
      moved = true;
    }
  }
  return waiting.empty();
}

// a = f(x), b = g(a), c = h(b), and an equation for x and c: everything but x is computed.
TEST(ExplicitUnknowns, AChainIsComputedButForOne) {
  Rows rows = plain({{0, 1}, {1, 2}, {2, 3}, {3, 0}});
  for (Occurrence& at : rows[3]) at.plain = false;
  const auto chosen = choose_explicit(rows, 4);
  EXPECT_EQ(chosen.size(), 3U);
  EXPECT_TRUE(in_some_order(rows, chosen));
}

// Of two unknowns each of which is given by the other only one is computed: the other is what is iterated on.
TEST(ExplicitUnknowns, ALoopKeepsOne) {
  const Rows rows = plain({{0, 1}, {0, 1}});
  EXPECT_EQ(choose_explicit(rows, 2).size(), 1U);
}

TEST(ExplicitUnknowns, WhatIsNotPlainStays) {
  Rows rows = plain({{0, 1}, {0, 1}});
  for (auto& row : rows) {
    for (Occurrence& at : row) at.plain = false;
  }
  EXPECT_TRUE(choose_explicit(rows, 2).empty());
}

// A sum of thirty that thirty equations read: written out, it would make them dense.
TEST(ExplicitUnknowns, WhatMakesTheRestDenseStays) {
  constexpr int n = 30;
  Rows rows(1);
  rows[0].push_back({.unknown = n, .plain = true, .linear = true});
  for (int k = 0; k < n; ++k) {
    rows[0].push_back({.unknown = k, .linear = true});
    rows.push_back({{.unknown = k}, {.unknown = n, .linear = true}});
  }
  EXPECT_TRUE(choose_explicit(rows, n + 1).empty());
}

// i = exp(u) may be written out in a sum of currents, but not where it is the argument of a root.
TEST(ExplicitUnknowns, NoFunctionOfAFunction) {
  for (const bool linear : {true, false}) {
    const Rows rows{{{.unknown = 0, .plain = true, .linear = true}, {.unknown = 1}},
                    {{.unknown = 0, .linear = linear}, {.unknown = 1}}};
    EXPECT_EQ(choose_explicit(rows, 2).size(), linear ? 1U : 0U);
  }
  // A linear definition may go anywhere.
  const Rows rows{{{.unknown = 0, .plain = true, .linear = true}, {.unknown = 1, .linear = true}},
                  {{.unknown = 0}, {.unknown = 1}}};
  EXPECT_EQ(choose_explicit(rows, 2).size(), 1U);
}

TEST(ExplicitUnknowns, NeverChoosesACycle) {
  std::mt19937 random(7);
  for (int sample = 0; sample < 300; ++sample) {
    const int n = 3 + sample % 12;
    Rows rows(static_cast<std::size_t>(n));
    for (int e = 0; e < n; ++e) {
      for (int u = 0; u < n; ++u) {
        if (u != e && random() % 4 != 0) continue;
        rows[static_cast<std::size_t>(e)].push_back(
            {.unknown = u, .plain = random() % 3 != 0, .linear = random() % 2 != 0});
      }
    }
    const auto chosen = choose_explicit(rows, n);
    EXPECT_TRUE(in_some_order(rows, chosen)) << sample;
    std::set<int> unknowns;
    std::set<int> equations;
    for (const ExplicitUnknown& one : chosen) {
      const auto& row = rows[static_cast<std::size_t>(one.equation)];
      const auto at = std::ranges::find(row, one.unknown, &Occurrence::unknown);
      ASSERT_NE(at, row.end());
      EXPECT_TRUE(at->plain);
      EXPECT_TRUE(unknowns.insert(one.unknown).second);
      EXPECT_TRUE(equations.insert(one.equation).second);
    }
  }
}

}  // namespace
}  // namespace daedalus::testing
