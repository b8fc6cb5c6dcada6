#include "numerics/dependent_rows.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <numeric>
#include <random>
#include <set>

namespace daedalus {
namespace {

TEST(DependentRows, AreThoseThatFollowFromOthersBeforeThem) {
  EXPECT_EQ(dependent_rows({{{0, 1}}, {{1, 1}}, {{0, 2}, {1, -3}}, {{2, 1}}}, 3), (std::vector<int>{2}));
  EXPECT_EQ(dependent_rows({{{0, 1}, {1, 1}}, {}, {{0, -2}, {1, -2}}}, 2), (std::vector<int>{1, 2}));
  EXPECT_EQ(dependent_rows({{{1, 1e-8}}, {{0, 1}, {1, 1e-8}}}, 2), (std::vector<int>{}));
  EXPECT_EQ(dependent_rows({{{0, 1}}, {{1, 1}}, {{0, 1}, {1, 1}}, {{0, 1}, {1, 2}}}, 2),
            (std::vector<int>{2, 3}));
}

// Random rows of small integers, of which every third one is a combination of two before it: a row is named
// if it does not raise the rank, which a dense decomposition says.
TEST(DependentRows, AgreeWithDenseRanks) {
  std::mt19937 random(7);
  std::uniform_int_distribution<int> small(-3, 3);
  for (int trial = 0; trial < 40; ++trial) {
    const int count = 4 + trial;
    const int columns = 5 + (trial % 20);
    Eigen::MatrixXd g = Eigen::MatrixXd::Zero(count, columns);
    for (int i = 0; i < count; ++i) {
      for (int k = 0; k < 3; ++k) g(i, random() % static_cast<unsigned>(columns)) = small(random);
      if (i >= 2 && i % 3 == 2) g.row(i) = g.row(i - 1) - 2 * g.row(random() % static_cast<unsigned>(i - 1));
    }
    std::vector<SparseRow> rows(static_cast<std::size_t>(count));
    std::vector<int> expected;
    Eigen::Index rank = 0;
    for (int i = 0; i < count; ++i) {
      for (int j = 0; j < columns; ++j) {
        if (g(i, j) != 0) rows[static_cast<std::size_t>(i)].emplace_back(j, g(i, j));
      }
      const Eigen::Index now = Eigen::FullPivLU<Eigen::MatrixXd>(g.topRows(i + 1)).rank();
      if (now == rank) expected.push_back(i);
      rank = now;
    }
    EXPECT_EQ(dependent_rows(rows, columns), expected) << trial;
  }
}

// Links of a chain, each joined to the one before it by three rows over seven coordinates, and a row of its
// own: independent, however long it is, until some are written twice. (If each row depended on all those
// before it in memory and time, as in a plain elimination, this would not end within a test's time.)
TEST(DependentRows, OfALongChain) {
  constexpr int links = 50000;
  std::vector<SparseRow> rows;
  std::mt19937 random(3);
  std::uniform_real_distribution<double> value(-1, 1);
  for (int k = 0; k < links; ++k) {
    SparseRow own;
    for (int c = 3; c < 7; ++c) own.emplace_back((7 * k) + c, value(random));
    rows.push_back(own);
  }
  for (int k = 0; k < links; ++k) {
    for (int i = 0; i < 3; ++i) {
      SparseRow row;
      for (int body = std::max(0, k - 1); body <= k; ++body) {
        row.emplace_back((7 * body) + i, body == k ? -1 : 1);
        for (int c = 3; c < 7; ++c) row.emplace_back((7 * body) + c, value(random));
      }
      rows.push_back(row);
    }
  }
  EXPECT_EQ(dependent_rows(rows, 7 * links), std::vector<int>{});
  const auto before = static_cast<int>(rows.size());
  rows.push_back(rows[90000]);
  rows.push_back(rows[10]);
  EXPECT_EQ(dependent_rows(rows, 7 * links), (std::vector<int>{before, before + 1}));
}

// The edges of a grid, in an order at random, as differences between its nodes: what is left is a tree.
TEST(DependentRows, WhatIsLeftOfAGridIsATree) {
  constexpr int side = 40;
  std::vector<std::pair<int, int>> edges;
  for (int k = 0; k < side * side; ++k) {
    if (k % side + 1 < side) edges.emplace_back(k, k + 1);
    if (k + side < side * side) edges.emplace_back(k, k + side);
  }
  std::ranges::shuffle(edges, std::mt19937(5));
  std::vector<SparseRow> rows;
  for (const auto& [a, b] : edges) rows.push_back({{a, 1}, {b, -1}});
  const std::vector<int> found = dependent_rows(rows, side * side);
  EXPECT_EQ(edges.size() - found.size(), static_cast<std::size_t>((side * side) - 1));
  // No circle: each edge that is left joins two parts.
  std::vector<int> part(static_cast<std::size_t>(side * side));
  std::iota(part.begin(), part.end(), 0);
  const std::set<int> dropped(found.begin(), found.end());
  for (std::size_t k = 0; k < edges.size(); ++k) {
    if (dropped.contains(static_cast<int>(k))) continue;
    const int one = part[static_cast<std::size_t>(edges[k].first)];
    const int other = part[static_cast<std::size_t>(edges[k].second)];
    EXPECT_NE(one, other) << k;
    std::ranges::replace(part, other, one);
  }
}

}  // namespace
}  // namespace daedalus
