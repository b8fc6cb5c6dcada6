// How the elimination of a long mechanism is laid out in memory: what belongs together lies together, and
// what repeats itself from body to body is kept once.
#include "numerics/panel_structure.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "numerics/static_ldl.hpp"
#include "test_matrices.hpp"

namespace daedalus {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

// [M Gᵀ; G 0] of a chain of rods on a pin: x, y and angle of each, then the rows of each joint: two, and
// possibly a third one between the angles. The entries of the angles vary.
struct Chain {
  int links;
  int rows;  // of a joint
  testing::TestMatrix<double> matrix;
  std::vector<char> varying;

  explicit Chain(int count, int joint_rows = 2) : links(count), rows(joint_rows) {
    struct Entry {
      int column, row;
      double value;
      char varies;
    };
    std::vector<Entry> entries;
    const auto put = [&](int row, int column, double value, bool varies) {
      entries.push_back({.column = column, .row = row, .value = value, .varies = varies ? '\1' : '\0'});
      if (row != column)
        entries.push_back({.column = row, .row = column, .value = value, .varies = varies ? '\1' : '\0'});
    };
    for (int k = 0; k < links; ++k) {
      for (int i = 0; i < 3; ++i) put((3 * k) + i, (3 * k) + i, i < 2 ? 2 : 0.5, false);
      for (int i = 0; i < rows; ++i) put(joint(k) + i, joint(k) + i, 0, false);
      for (int side = 0; side < 2 && k + side < links; ++side) {
        put(joint(k + side), 3 * k, side == 0 ? 1 : -1, false);
        put(joint(k + side) + 1, (3 * k) + 1, side == 0 ? 1 : -1, false);
        put(joint(k + side), (3 * k) + 2, std::sin(0.7 + k), true);
        put(joint(k + side) + 1, (3 * k) + 2, std::cos(0.7 + k), true);
        if (rows > 2) put(joint(k + side) + 2, (3 * k) + 2, side == 0 ? 1 : 0.5, true);
      }
    }
    std::ranges::sort(entries, {}, [](const Entry& one) { return std::pair(one.column, one.row); });
    matrix.pattern = {.size = size(), .column_start = std::vector<int>(at(size()) + 1, 0), .row = {}};
    for (const Entry& one : entries) {
      matrix.pattern.row.push_back(one.row);
      ++matrix.pattern.column_start[at(one.column) + 1];
      matrix.values.push_back(one.value);
      varying.push_back(one.varies);
    }
    for (int c = 0; c < size(); ++c)
      matrix.pattern.column_start[at(c) + 1] += matrix.pattern.column_start[at(c)];
  }

  [[nodiscard]] int masses() const { return 3 * links; }
  [[nodiscard]] int joint(int k) const { return masses() + (rows * k); }
  [[nodiscard]] int size() const { return joint(links); }
  [[nodiscard]] std::vector<int> order() const { return saddle_order(matrix.pattern, masses()); }
  [[nodiscard]] double& mass(int row) {
    const auto begin = matrix.pattern.row.begin() + matrix.pattern.column_start[at(row)];
    return matrix.values[at(
        static_cast<int>(std::find(begin, matrix.pattern.row.end(), row) - matrix.pattern.row.begin()))];
  }

  // The right-hand side (1, 2, …) in a factorisation whose constants are set; in so many stages, if any.
  [[nodiscard]] std::vector<double> solution(StaticLdl& ldl, int stages = 0) const {
    struct Put {
      std::size_t place;
      double value;
      int stage;
    };
    std::vector<Put> puts;
    const auto stage_of = [&](int row, int column) {
      return stages * std::min(ldl.position(row), ldl.position(column)) / size();
    };
    for (int c = 0; c < size(); ++c) {
      for (int p = matrix.pattern.column_start[at(c)]; p < matrix.pattern.column_start[at(c) + 1]; ++p) {
        if (varying[at(p)] != 0 && ldl.place(p) >= 0)
          puts.push_back({.place = at(ldl.place(p)),
                          .value = matrix.values[at(p)],
                          .stage = stage_of(matrix.pattern.row[at(p)], c)});
      }
      puts.push_back({.place = at(ldl.rhs_place(c)), .value = 1.0 + c, .stage = stage_of(c, c)});
    }
    std::vector<int> stage(ldl.values().size(), -1);
    for (const Put& put : puts) stage[put.place] = put.stage;
    if (stages > 0) ldl.plan_stages(stage, at(stages));
    if (stages == 0) ldl.reset();
    for (int s = 0; s < std::max(1, stages); ++s) {
      if (stages > 0) ldl.reset(at(s));
      for (const Put& put : puts) {
        if (put.stage == s) ldl.values()[put.place] = put.value;
      }
      if (stages > 0) ldl.eliminate(at(s));
    }
    if (stages == 0) ldl.eliminate();
    ldl.finish();
    std::vector<double> x;
    for (int i = 0; i < size(); ++i) x.push_back(ldl.values()[at(ldl.rhs_place(i))]);
    return x;
  }

  // |A x - b| against |A| |x| + |b|, the largest of all rows.
  [[nodiscard]] double backward_error(const std::vector<double>& x) const {
    testing::TestMatrix<double> sizes = matrix;
    for (double& value : sizes.values) value = std::abs(value);
    std::vector<double> x_size;
    for (const double value : x) x_size.push_back(std::abs(value));
    const std::vector<double> product = matrix.times(x);
    const std::vector<double> size = sizes.times(x_size);
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double b = 1.0 + static_cast<double>(i);
      worst = std::max(worst, std::abs(product[i] - b) / (size[i] + b));
    }
    return worst;
  }
};

// A mass is eliminated near the constraints that it is joined to, however long the chain is: within a few
// bodies, 5 rows each.
TEST(Elimination, WhatARowDependsOnIsNearIt) {
  const Chain chain(2000);
  const auto position = inverse_permutation(chain.order());
  int farthest = 0;
  for (int k = 0; k + 1 < chain.links; ++k) {
    for (int i = 0; i < 3; ++i) {
      const int first = std::min(position[at(chain.joint(k))], position[at(chain.joint(k + 1))]);
      farthest = std::max(farthest, std::abs(first - position[at((3 * k) + i)]));
    }
  }
  EXPECT_LE(farthest, 20);
}

// Columns that can be eliminated as one panel stay neighbours: no row that is moved to them comes between.
TEST(Elimination, ColumnsOfOnePanelStayTogether) {
  const Chain chain(300);
  const auto panels = [&](std::span<const int> order) {
    const LowerPattern lower = lower_pattern(chain.matrix.pattern, order);
    const FilledPattern l = fill_in(lower.start, lower.entry);
    const auto count = [&](int k) { return l.column_start[at(k) + 1] - l.column_start[at(k)]; };
    std::set<int> joined;  // columns that could follow another one, and those that do
    int follow = 0;
    for (int k = 0; k < static_cast<int>(order.size()); ++k) {
      const int parent = l.parent[at(k)];
      if (parent < 0 || count(k) != count(parent) + 1) continue;
      joined.insert(parent);
      if (parent == k + 1) ++follow;
    }
    return std::pair(static_cast<int>(joined.size()), follow);
  };
  const auto [possible, made] = panels(chain.order());
  EXPECT_GT(possible, chain.links);
  EXPECT_EQ(made, possible);
}

// Whatever is kept once: with the steps it says of every panel what the pattern of L says, and for a long
// chain it is little.
class Lists : public ::testing::TestWithParam<int> {};
TEST_P(Lists, ThatRepeatThemselvesAreKeptOnce) {
  const Chain chain(400, GetParam());
  const auto order = chain.order();
  PanelStructure structure;
  const PanelPlaces places(structure, order, lower_pattern(chain.matrix.pattern, order), nullptr);
  const LowerPattern lower = lower_pattern(chain.matrix.pattern, structure.order);
  const FilledPattern l = fill_in(lower.start, lower.entry);
  std::size_t listed = 0;
  for (const PanelStructure::Run& run : structure.runs) {
    ASSERT_EQ(run.count % run.period, 0);
    const int products = run.below * (run.below + 1) / 2;
    for (int p = 0; p < run.count; ++p) {
      const int last = run.first + (p * run.width) + run.width - 1;  // column of the panel
      const int begin = l.column_start[at(last)];
      ASSERT_EQ(l.column_start[at(last) + 1] - begin, run.below);
      const int* const rows = structure.rows.data() + run.rows + (p % run.period * run.below);
      const int* target = structure.targets.data() + run.targets + (p % run.period * products);
      for (int s = 0; s < run.below; ++s) {
        EXPECT_EQ(rows[s] + (p / run.period * run.row_step), l.row[at(begin + s)]);
        for (int r = s; r < run.below; ++r)
          EXPECT_EQ(*target++ + (p / run.period * run.target_step),
                    places.of(l.row[at(begin + r)], l.row[at(begin + s)]));
      }
      listed += at(run.below + products);
    }
  }
  EXPECT_LT(4 * (structure.rows.size() + structure.targets.size()), listed);
}

INSTANTIATE_TEST_SUITE_P(RowsOfAJoint, Lists, ::testing::Values(2, 3));

// Equal constant panels are kept once, until one of them is another: a mass in the middle is changed and
// changed back. 1e-13: some hundred roundings.
TEST(StaticLdl, EqualConstantsAreKeptOnceWhileTheyAreEqual) {
  Chain chain(200);
  StaticLdl ldl(chain.matrix.pattern, chain.order(), chain.varying);
  std::vector<std::vector<double>> solutions;
  for (const double mass : {2.0, 7.0, 2.0}) {
    chain.mass(300) = mass;
    ldl.set_constants(chain.matrix.values);
    solutions.push_back(chain.solution(ldl));
    EXPECT_LT(chain.backward_error(solutions.back()), 1e-13) << mass;
  }
  EXPECT_NE(solutions[0], solutions[1]);
  EXPECT_EQ(solutions[0], solutions[2]);
}

// Stages end within runs of panels whose lists repeat themselves, with every panel or with every second one:
// the same operations, so the same bits.
TEST(StaticLdl, AChainIsEliminatedInStagesAlike) {
  for (const int rows : {2, 3}) {
    const Chain chain(200, rows);
    StaticLdl ldl(chain.matrix.pattern, chain.order(), chain.varying);
    ldl.set_constants(chain.matrix.values);
    const std::vector<double> at_once = chain.solution(ldl);
    // Without pivoting: roundings times the condition of G M⁻¹ Gᵀ, which is some links² = 4e4.
    EXPECT_LT(chain.backward_error(at_once), 1e-10);
    for (const int stages : {2, 7, 50, 171, 240}) {
      EXPECT_EQ(chain.solution(ldl, stages), at_once) << stages;
      EXPECT_EQ(chain.solution(ldl, stages), at_once) << stages;  // nothing is left behind
    }
  }
}

// Of the work of an elimination what the rows of M take: alone they are all of it, and joined by constraints
// they are the smaller part of it the more of these there are.
TEST(StaticLdl, ShareOfTheFirstRows) {
  const testing::TestMatrix<double> diagonal = testing::from_rows({{2, 0}, {0, 3}});
  EXPECT_EQ(StaticLdl(diagonal.pattern, std::vector<int>{0, 1}).share(2), 1);
  EXPECT_EQ(StaticLdl(diagonal.pattern, std::vector<int>{0, 1}).share(1), 0.5);
  // Two masses and a constraint: columns of 2, 2 and 1 entries.
  const testing::TestMatrix<double> joined = testing::from_rows({{2, 0, 1}, {0, 3, 1}, {1, 1, -1}});
  EXPECT_DOUBLE_EQ(StaticLdl(joined.pattern, std::vector<int>{0, 1, 2}).share(2), 8.0 / 9.0);
}

}  // namespace
}  // namespace daedalus
