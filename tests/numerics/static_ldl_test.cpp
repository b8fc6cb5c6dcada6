#include "numerics/static_ldl.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "numerics/elimination.hpp"
#include "numerics/pattern_builder.hpp"

namespace daedalus {
namespace {

using Dense = std::vector<std::vector<double>>;

// [M Gᵀ; G -δ] with M = tridiagonal, diagonally dominant, and a sparse random G.
Dense saddle(int n, int m, double delta, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  const auto size = static_cast<std::size_t>(n + m);
  Dense a(size, std::vector<double>(size, 0));
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
    a[i][i] = 3 + value(random);
    if (i > 0) a[i][i - 1] = a[i - 1][i] = value(random);
  }
  for (std::size_t i = static_cast<std::size_t>(n); i < size; ++i) {
    a[i][i] = -delta;
    for (int k = 0; k < 3; ++k) {
      const auto j =
          (static_cast<std::size_t>(n) * (i - static_cast<std::size_t>(n)) / static_cast<std::size_t>(m)) +
          static_cast<std::size_t>(k);
      if (j < static_cast<std::size_t>(n)) a[i][j] = a[j][i] = value(random);
    }
  }
  return a;
}

SparsePattern pattern_of(const Dense& a, std::vector<double>& values) {
  SparsePattern pattern{.size = static_cast<int>(a.size()), .column_start = {0}, .row = {}};
  for (std::size_t c = 0; c < a.size(); ++c) {
    for (std::size_t r = 0; r < a.size(); ++r) {
      if (a[r][c] == 0 && r != c) continue;
      pattern.row.push_back(static_cast<int>(r));
      values.push_back(a[r][c]);
    }
    pattern.column_start.push_back(static_cast<int>(pattern.row.size()));
  }
  return pattern;
}

// L D Lᵀ of a matrix all of whose entries vary.
bool factor(StaticLdl& ldl, const std::vector<double>& values) {
  ldl.reset();
  for (std::size_t p = 0; p < values.size(); ++p) {
    const int place = ldl.place(static_cast<int>(p));
    if (place >= 0) ldl.values()[static_cast<std::size_t>(place)] = values[p];
  }
  ldl.eliminate();
  return ldl.regular();
}

double largest_residual(const Dense& a, const std::vector<double>& x, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    double sum = -b[i];
    for (std::size_t j = 0; j < a.size(); ++j) sum += a[i][j] * x[j];
    largest = std::max(largest, std::abs(sum));
  }
  return largest;
}

class Saddles : public ::testing::TestWithParam<unsigned> {};

// The pivots are those of M and of -(G M⁻¹ Gᵀ + δ): n positive, m negative ones (Sylvester), and the residual
// is rounding: entries of order 1, a condition below 1e4 for these sizes.
TEST_P(Saddles, AreSolved) {
  const int n = 40;
  const int m = 15;
  const Dense a = saddle(n, m, 0, GetParam());
  std::vector<double> values;
  const SparsePattern pattern = pattern_of(a, values);
  const auto order = saddle_order(pattern, n);
  StaticLdl ldl(pattern, order);
  ASSERT_TRUE(factor(ldl, values));
  for (int i = 0; i < n + m; ++i) EXPECT_EQ(ldl.pivot(i) > 0, i < n) << i;
  std::vector<double> b(a.size());
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = std::sin(static_cast<double>(i));
  std::vector<double> x = b;
  ldl.solve(x);
  EXPECT_LT(largest_residual(a, x, b), 1e-10);
  // Again, with other values on the same pattern.
  for (double& value : values) value *= 2;
  ASSERT_TRUE(factor(ldl, values));
  std::vector<double> half = b;
  ldl.solve(half);
  for (std::size_t i = 0; i < b.size(); ++i) EXPECT_NEAR(half[i], x[i] / 2, 1e-12 * (1 + std::abs(x[i])));
}

// The mass matrix of a tree of joints, numbered from its root, joins each joint with those that carry it:
// eliminated from its ends it keeps its pattern, as it is known (Featherstone: Rigid Body Dynamics
// Algorithms, ch. 6); from its root on it would be full. Constraints come after all that they join.
TEST(SaddleOrder, OfATreeOfJointsLeavesItsPattern) {
  const int n = 40;
  std::vector<std::vector<int>> columns(n + 2);
  for (int c = 0; c < n; ++c) {
    for (int j = c; j >= 0; j = j == 0 ? -1 : (j - 1) / 2) {
      columns[static_cast<std::size_t>(c)].push_back(j);
      if (j != c) columns[static_cast<std::size_t>(j)].push_back(c);
    }
  }
  std::vector<std::vector<int>> of_mass(columns.begin(), columns.begin() + n);
  const SparsePattern mass = daedalus::pattern_of(of_mass);
  const LowerPattern ordered = lower_pattern(mass, saddle_order(mass, n));
  const auto entries = ordered.entry.size();
  EXPECT_EQ(fill_in(ordered.start, ordered.entry).row.size() + n, entries);
  for (const auto& [row, joint] : std::vector<std::pair<int, int>>{{n, 20}, {n, 31}, {n + 1, 7}}) {
    columns[static_cast<std::size_t>(row)].push_back(joint);
    columns[static_cast<std::size_t>(joint)].push_back(row);
  }
  for (int r = n; r < n + 2; ++r) columns[static_cast<std::size_t>(r)].push_back(r);
  const auto order = saddle_order(daedalus::pattern_of(columns), n);
  const std::vector<int> position = inverse_permutation(order);
  EXPECT_GT(position[n], std::max(position[20], position[31]));
  EXPECT_GT(position[n + 1], position[7]);
}

// Which entries vary must not matter: half of the columns constant, the others given anew.
TEST_P(Saddles, ConstantsAreEliminatedOnce) {
  const int n = 40;
  const int m = 15;
  const Dense a = saddle(n, m, 0.1, GetParam());
  std::vector<double> values;
  const SparsePattern pattern = pattern_of(a, values);
  std::vector<char> varying(values.size(), 0);
  for (int c = 0; c < n + m; ++c) {
    for (int p = pattern.column_start[static_cast<std::size_t>(c)];
         p < pattern.column_start[static_cast<std::size_t>(c) + 1]; ++p) {
      const int r = pattern.row[static_cast<std::size_t>(p)];
      const int first = std::min(r, c);  // both entries of a pair alike
      varying[static_cast<std::size_t>(p)] = first >= n / 2 || (r >= n && c >= n) ? 1 : 0;
    }
  }
  const auto order = saddle_order(pattern, n);
  StaticLdl all(pattern, order);
  StaticLdl some(pattern, order, varying);
  ASSERT_TRUE(factor(all, values));
  some.set_constants(values);
  std::vector<double> b(a.size());
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = std::cos(static_cast<double>(i));
  std::vector<double> expected = b;
  all.solve(expected);
  for (int repeat = 0; repeat < 2; ++repeat) {
    some.reset();
    for (std::size_t p = 0; p < values.size(); ++p) {
      const int place = some.place(static_cast<int>(p));
      if (varying[p] != 0 && place >= 0) some.values()[static_cast<std::size_t>(place)] = values[p];
    }
    for (int i = 0; i < n + m; ++i)
      some.values()[static_cast<std::size_t>(some.rhs_place(i))] = b[static_cast<std::size_t>(i)];
    some.eliminate();
    ASSERT_TRUE(some.regular());
    some.finish();
    for (int i = 0; i < n + m; ++i) {
      const auto k = static_cast<std::size_t>(i);
      // Products are subtracted in another order: rounding times a condition below 1e4.
      EXPECT_NEAR(some.values()[static_cast<std::size_t>(some.rhs_place(i))], expected[k],
                  1e-11 * (1 + std::abs(expected[k])));
      EXPECT_NEAR(some.pivot(i), all.pivot(i), 1e-11 * std::abs(all.pivot(i)));
    }
  }
}

// Panels that begin alike are reset from one copy, and those that are put in anew not at all: a chain of
// equal links, eliminated again and again, against a new elimination each time.
TEST(StaticLdl, RepeatedPanelsAreResetLikeAnyOther) {
  const int links = 12;
  const int n = 3 * links;
  const int m = 2 * links;
  Dense a(static_cast<std::size_t>(n + m), std::vector<double>(static_cast<std::size_t>(n + m), 0));
  std::vector<std::vector<char>> moves(a.size(), std::vector<char>(a.size(), 0));
  const auto set = [&a, &moves](int r, int c, double value, bool varies) {
    const auto i = static_cast<std::size_t>(r);
    const auto j = static_cast<std::size_t>(c);
    a[i][j] = a[j][i] = value;
    moves[i][j] = moves[j][i] = varies ? 1 : 0;
  };
  const auto fill = [&](double turn) {  // rods: x, y constant, the angle's entries vary
    for (int k = 0; k < links; ++k) {
      for (int i = 0; i < 3; ++i) set(3 * k + i, 3 * k + i, i < 2 ? 2 : 0.5, false);
      for (int side = 0; side < 2 && k + side < links; ++side) {
        const int joint = n + 2 * (k + side);
        const double sign = side == 0 ? 1 : -1;
        set(joint, 3 * k, sign, false);
        set(joint + 1, 3 * k + 1, sign, false);
        set(joint, 3 * k + 2, std::sin(turn + k), true);
        set(joint + 1, 3 * k + 2, std::cos(turn + k), true);
      }
    }
  };
  fill(0.7);
  std::vector<double> values;
  const SparsePattern pattern = pattern_of(a, values);
  std::vector<char> varying;
  for (std::size_t c = 0; c < a.size(); ++c) {
    for (int p = pattern.column_start[c]; p < pattern.column_start[c + 1]; ++p)
      varying.push_back(moves[static_cast<std::size_t>(pattern.row[static_cast<std::size_t>(p)])][c]);
  }
  const auto order = saddle_order(pattern, n);
  StaticLdl again(pattern, order, varying);
  again.set_constants(values);
  for (const double turn : {0.3, 1.1, 2.6, 0.3}) {
    fill(turn);
    values.clear();
    (void)pattern_of(a, values);
    again.reset();
    for (std::size_t p = 0; p < values.size(); ++p) {
      const int place = again.place(static_cast<int>(p));
      if (varying[p] != 0 && place >= 0) again.values()[static_cast<std::size_t>(place)] = values[p];
    }
    std::vector<double> b(a.size());
    for (std::size_t i = 0; i < b.size(); ++i)
      again.values()[static_cast<std::size_t>(again.rhs_place(static_cast<int>(i)))] = b[i] =
          std::cos(static_cast<double>(i));
    again.eliminate();
    again.finish();
    std::vector<double> x(a.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = again.values()[static_cast<std::size_t>(again.rhs_place(static_cast<int>(i)))];
    // Rounding times a condition below 1e4 (12 links).
    EXPECT_LT(largest_residual(a, x, b), 1e-10) << turn;
  }
}

// The largest residual of three eliminations in succession, where `varies` says which entries are put in.
template <class Varies>
double largest_of_three(const Dense& a, int first, const Varies& varies) {
  std::vector<double> values;
  const SparsePattern pattern = pattern_of(a, values);
  std::vector<char> varying;
  for (std::size_t c = 0; c < a.size(); ++c) {
    for (int p = pattern.column_start[c]; p < pattern.column_start[c + 1]; ++p)
      varying.push_back(varies(pattern.row[static_cast<std::size_t>(p)], static_cast<int>(c)) ? 1 : 0);
  }
  StaticLdl ldl(pattern, saddle_order(pattern, first), varying);
  ldl.set_constants(values);
  double largest = 0;
  for (int repeat = 0; repeat < 3; ++repeat) {
    ldl.reset();
    for (std::size_t p = 0; p < values.size(); ++p) {
      const int place = ldl.place(static_cast<int>(p));
      if (varying[p] != 0 && place >= 0) ldl.values()[static_cast<std::size_t>(place)] = values[p];
    }
    std::vector<double> b(a.size());
    const auto rhs = [&ldl](std::size_t i) -> double& {
      return ldl.values()[static_cast<std::size_t>(ldl.rhs_place(static_cast<int>(i)))];
    };
    for (std::size_t i = 0; i < b.size(); ++i) rhs(i) = b[i] = 1 + static_cast<double>(i);
    ldl.eliminate();
    ldl.finish();
    std::vector<double> x;
    for (std::size_t i = 0; i < b.size(); ++i) x.push_back(rhs(i));
    largest = std::max(largest, largest_residual(a, x, b));
  }
  return largest;
}

// Of a pair one may be written as a constant and the other not (1 and sin² + cos²): whichever is read, each
// elimination finds what the first one did.
TEST(StaticLdl, OnlyWhatIsReadVaries) {
  const Dense a{{2, 1, 0.5}, {1, 3, -1}, {0.5, -1, 0}};
  EXPECT_LT(largest_of_three(a, 2, [](int r, int c) { return r >= c; }), 1e-14);
  EXPECT_LT(largest_of_three(a, 2, [](int r, int c) { return r <= c; }), 1e-14);
}

// So it does where a constant diagonal has been subtracted from, beside entries that are put in.
TEST(StaticLdl, ConstantPivotsAreReset) {
  const Dense a{{4, 1, 0, 0, 0}, {1, 4, 1, 0, 0}, {0, 1, 4, 1, 0}, {0, 0, 1, 4, 1}, {0, 0, 0, 1, 4}};
  EXPECT_LT(largest_of_three(a, 5, [](int r, int c) { return r != c; }), 1e-14);
}

// Values that are put in piece by piece, in the order of elimination: the same operations, so the same bits.
TEST_P(Saddles, InStagesTheyAreEliminatedAlike) {
  std::vector<double> values;
  const SparsePattern pattern = pattern_of(saddle(40, 15, 1, GetParam()), values);
  std::vector<char> varying(values.size());
  for (std::size_t c = 0; c < static_cast<std::size_t>(pattern.size); ++c) {
    for (int p = pattern.column_start[c]; p < pattern.column_start[c + 1]; ++p) {
      const int row = pattern.row[static_cast<std::size_t>(p)];
      const int column = static_cast<int>(c);
      const int pair = std::min(row, column) + (3 * std::max(row, column));
      varying[static_cast<std::size_t>(p)] = pair % 4 != 0 ? 1 : 0;
    }
  }
  StaticLdl ldl(pattern, saddle_order(pattern, 40), varying);
  ldl.set_constants(values);
  struct Put {
    std::size_t place;
    double value;
    int position;  // when it is needed at the latest
  };
  std::vector<Put> puts;
  for (int c = 0; c < pattern.size; ++c) {
    for (int p = pattern.column_start[static_cast<std::size_t>(c)];
         p < pattern.column_start[static_cast<std::size_t>(c) + 1]; ++p) {
      const auto entry = static_cast<std::size_t>(p);
      if (varying[entry] == 0 || ldl.place(p) < 0) continue;
      puts.push_back({.place = static_cast<std::size_t>(ldl.place(p)),
                      .value = values[entry],
                      .position = std::min(ldl.position(c), ldl.position(pattern.row[entry]))});
    }
    // The right-hand side at once, or in its turn: each alone must be enough to make a panel wait.
    const bool at_once = GetParam() % 2 == 1;
    puts.push_back({.place = static_cast<std::size_t>(ldl.rhs_place(c)),
                    .value = 1.0 + c,
                    .position = at_once ? 0 : ldl.position(c)});
  }
  constexpr int stages = 5;
  std::vector<int> stage(ldl.values().size(), -1);
  for (const Put& put : puts) stage[put.place] = stages * put.position / pattern.size;
  ldl.plan_stages(stage, stages);
  std::vector<std::vector<double>> solutions;
  for (const bool staged : {false, true, true, false}) {
    if (!staged) ldl.reset();
    for (int s = 0; s < stages; ++s) {
      if (staged) ldl.reset(static_cast<std::size_t>(s));
      for (const Put& put : puts) {
        if (stage[put.place] == s) ldl.values()[put.place] = put.value;
      }
      if (staged) ldl.eliminate(static_cast<std::size_t>(s));
    }
    if (!staged) ldl.eliminate();
    ldl.finish();
    solutions.emplace_back(ldl.rhs().begin(), ldl.rhs().end());
  }
  for (const auto& solution : solutions) EXPECT_EQ(solution, solutions.front());
}

INSTANTIATE_TEST_SUITE_P(Random, Saddles, ::testing::Range(1U, 9U));

// A pivot of M that came after a constraint on its row would not be one of M alone.
TEST(StaticLdl, OrderIsAPermutationWithConstraintsAfterTheMassThatTheyJoin) {
  std::vector<double> values;
  const SparsePattern pattern = pattern_of(saddle(30, 12, 1, 3), values);
  const auto order = saddle_order(pattern, 30);
  const auto position = inverse_permutation(order);
  for (std::size_t i = 30; i < 42; ++i) {
    for (int p = pattern.column_start[i]; p < pattern.column_start[i + 1]; ++p) {
      const auto row = static_cast<std::size_t>(pattern.row[static_cast<std::size_t>(p)]);
      if (row < 30) {
        EXPECT_LT(position[row], position[i]);
      }
    }
  }
  EXPECT_EQ(inverse_permutation(position), order);
}

// Elimination of a loop of n rows, the odd ones first. By definition of the tree nothing may change but the
// numbers; and what a row depends on, all rows that reach it in the tree, are those right before it.
TEST(Elimination, NeighboursTogetherIsTheSameElimination) {
  const int n = 64;
  SparsePattern pattern{.size = n, .column_start = {0}, .row = {}};
  for (int i = 0; i < n; ++i) {
    std::vector<int> column{(i + n - 1) % n, i, (i + 1) % n};
    std::ranges::sort(column);
    pattern.row.insert(pattern.row.end(), column.begin(), column.end());
    pattern.column_start.push_back(static_cast<int>(pattern.row.size()));
  }
  std::vector<int> order;
  for (int i = 1; i < n; i += 2) order.push_back(i);
  for (int i = 0; i < n; i += 2) order.push_back(i);
  const auto together = neighbours_together(pattern, order);
  EXPECT_EQ(StaticLdl(pattern, together).nonzeros(), StaticLdl(pattern, order).nonzeros());
  const LowerPattern lower = lower_pattern(pattern, together);
  const FilledPattern filled = fill_in(lower.start, lower.entry);
  std::vector<int> below(n, 1);  // rows of the subtree, the root included
  for (int k = 0; k < n; ++k) {
    const int parent = filled.parent[static_cast<std::size_t>(k)];
    if (parent < 0) continue;
    below[static_cast<std::size_t>(parent)] += below[static_cast<std::size_t>(k)];
  }
  for (int k = 0; k < n; ++k) {
    const int parent = filled.parent[static_cast<std::size_t>(k)];
    if (parent >= 0) {
      EXPECT_GT(k, parent - below[static_cast<std::size_t>(parent)]) << k;
    }
  }
}

// A chain of n links: each constraint joins two neighbours, so G M⁻¹ Gᵀ is tridiagonal and fills in nothing;
// L has the 2 entries of each row of G and at most one more.
TEST(StaticLdl, AChainFillsInNothing) {
  const int n = 2000;
  SparsePattern pattern{.size = 2 * n, .column_start = {0}, .row = {}};
  std::vector<std::vector<int>> columns(static_cast<std::size_t>(2 * n));
  for (int i = 0; i < n; ++i) {
    columns[static_cast<std::size_t>(i)].push_back(i);
    for (const int j : {i - 1, i}) {
      if (j < 0) continue;
      columns[static_cast<std::size_t>(j)].push_back(n + i);
      columns[static_cast<std::size_t>(n + i)].push_back(j);
    }
    columns[static_cast<std::size_t>(n + i)].push_back(n + i);
  }
  for (auto& column : columns) {
    std::ranges::sort(column);
    pattern.row.insert(pattern.row.end(), column.begin(), column.end());
    pattern.column_start.push_back(static_cast<int>(pattern.row.size()));
  }
  const StaticLdl ldl(pattern, saddle_order(pattern, n));
  EXPECT_LE(ldl.nonzeros(), 3U * n);
}

TEST(StaticLdl, AZeroPivotIsSaid) {
  const Dense a{{1, 2}, {2, 4}};
  std::vector<double> values;
  const SparsePattern pattern = pattern_of(a, values);
  StaticLdl ldl(pattern, std::vector<int>{0, 1});
  EXPECT_FALSE(factor(ldl, values));
  values[3] = 5;
  ASSERT_TRUE(factor(ldl, values));  // and does no harm to the next
  std::vector<double> b{1, 1};
  ldl.solve(b);
  EXPECT_DOUBLE_EQ(b[0], 3);
  EXPECT_DOUBLE_EQ(b[1], -1);
}

}  // namespace
}  // namespace daedalus
