#include "saddle/regularised_system.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <tuple>

#include "saddle/make_saddle_system.hpp"

namespace daedalus {
namespace {

constexpr int n = 12;  // rows of M
constexpr int m = 5;   // of G, the last of which is the first once more

// [M Gᵀ; G 0] z = b with every entry an expression of its own or, one in three, a constant. M has couplings
// far from its diagonal, so that it is eliminated in another order than it is written in.
struct Random {
  explicit Random(unsigned seed) : random(seed) {
    matrix.rows = matrix.columns = n + m;
    for (int i = 0; i < n; ++i) {
      add(i, i, 4 + value(random));
      for (const int j : {i + 1, (i * 5 + 3) % n}) {
        if (j > i && j < n && dense[at(i)][at(j)] == 0) add(i, j, 0.5 * value(random));
      }
    }
    for (int r = 0; r < m; ++r) {
      for (int k = 0; k < 3; ++k) {
        const int column = (3 * (r % (m - 1)) + 4 * k) % n;
        if (r < m - 1) add(column, n + r, value(random));
        if (r == m - 1) repeat(column, n + r, n);
      }
    }
    for (int i = 0; i < n + m; ++i) {
      b.push_back(i == n + m - 1 ? b[at(n)] : value(random));
      rhs.push_back(leaf(b.back()));
    }
  }

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  NodeId leaf(double v) {
    environment.push_back(v);
    return graph.variable(VariableId(static_cast<int>(environment.size()) - 1));
  }
  void put(int i, int j, double v, NodeId node) {
    dense[at(i)][at(j)] = dense[at(j)][at(i)] = v;
    matrix.entries.push_back({.row = i, .column = j, .value = node});
    if (i != j) matrix.entries.push_back({.row = j, .column = i, .value = node});
  }
  void add(int i, int j, double v) { put(i, j, v, ++count % 3 == 0 ? graph.constant(v) : leaf(v)); }
  void repeat(int i, int j, int other) { put(i, j, dense[at(i)][at(other)], leaf(dense[at(i)][at(other)])); }

  std::mt19937 random;
  std::uniform_real_distribution<double> value{0.2, 1};
  ExprGraph graph;
  SymbolicMatrix matrix;
  std::vector<NodeId> rhs;
  std::vector<double> environment, b;
  std::vector<std::vector<double>> dense =
      std::vector<std::vector<double>>(n + m, std::vector<double>(n + m, 0.0));
  int count = 0;
};

// All of the last solution, by unknown.
void put(SaddleSystem& system, std::span<double> z) {
  system.complete();
  for (std::size_t i = 0; i < z.size(); ++i)
    z[i] = system.solution()[static_cast<std::size_t>(system.index(static_cast<int>(i)))];
}

class RegularisedSystems : public ::testing::TestWithParam<unsigned> {};

// The equations hold (numbers of order one, a condition below 1e4), and of the multipliers of the two equal
// constraints, of which only the sum is determined, those of least norm are equal.
TEST_P(RegularisedSystems, RedundantConstraintsAreSolvedWithLeastNorm) {
  Random given(GetParam());
  const auto made =
      make_saddle_system({.graph = given.graph, .matrix = given.matrix, .rhs = given.rhs, .first = n},
                         {.slots = static_cast<int>(given.environment.size()),
                          .slot_of = [&](NodeId leaf) { return given.graph.variable_of(leaf).value; },
                          .codegen = {}});
  RegularisedSystem& system = *made;
  ASSERT_TRUE(system.prepare(given.environment));
  EXPECT_TRUE(system.has_redundant());
  std::vector<double> z(n + m);
  ASSERT_TRUE(system.solve_at(given.environment));
  put(system, z);
  for (std::size_t i = 0; i < n + m; ++i) {
    double sum = -given.b[i];
    for (std::size_t j = 0; j < n + m; ++j) sum += given.dense[i][j] * z[j];
    EXPECT_NEAR(sum, 0, 1e-10) << i;
  }
  // What the constraints do not see is known up to rounding over δ, 2e-16/1e-11, and some operations.
  EXPECT_NEAR(z[n], z[n + m - 1], 1e-3 * std::abs(z[n]));
  EXPECT_TRUE(system.holds(given.environment));
  given.environment.front() += 0.5;  // M's first entry, or what is first of it
  EXPECT_FALSE(system.holds(given.environment));
}

// 2 z0 + z2 = 1, x z1 + y z2 = 2, z0 + y z1 = 3, and what follows from it: z1, x z0 + z2, and x alone.
TEST(RegularisedSystem, ASmallSystemComputesWhatFollowsFromItsSolution) {
  ExprGraph graph;
  const NodeId x = graph.variable(VariableId(0));
  const NodeId y = graph.variable(VariableId(1));
  std::vector<NodeId> z;
  for (int k = 2; k < 5; ++k) z.push_back(graph.variable(VariableId(k)));
  const NodeId one = graph.constant(1);
  const SymbolicMatrix matrix{.rows = 3,
                              .columns = 3,
                              .entries = {{.row = 0, .column = 0, .value = graph.constant(2)},
                                          {.row = 1, .column = 1, .value = x},
                                          {.row = 0, .column = 2, .value = one},
                                          {.row = 2, .column = 0, .value = one},
                                          {.row = 1, .column = 2, .value = y},
                                          {.row = 2, .column = 1, .value = y}}};
  const std::vector<NodeId> rhs{one, graph.constant(2), graph.constant(3)};
  const std::vector<NodeId> sequel{z[1], graph.add(graph.mul(x, z[0]), z[2]), x};
  const auto made = make_saddle_system(
      {.graph = graph, .matrix = matrix, .rhs = rhs, .first = 2},
      {.slots = 5, .slot_of = [&](NodeId leaf) { return graph.variable_of(leaf).value; }, .codegen = {}},
      {.unknowns = z, .nodes = sequel});
  RegularisedSystem& system = *made;
  std::vector<double> environment{3, 0.5, -1, -1, -1};
  ASSERT_TRUE(system.prepare(environment));
  for (const double y_value : {0.5, 2.0}) {
    environment[1] = y_value;
    ASSERT_TRUE(system.solve_at(environment));
    std::vector<double> solution(3);
    put(system, solution);
    const auto [z0, z1, z2] = std::tuple(solution[0], solution[1], solution[2]);
    EXPECT_NEAR(2 * z0 + z2, 1, 1e-14);
    EXPECT_NEAR(3 * z1 + y_value * z2, 2, 1e-14);
    EXPECT_NEAR(z0 + y_value * z1, 3, 1e-14);
    ASSERT_NE(system.sequel(), nullptr);
    std::vector<double> followed(3);
    system.sequel()->evaluate(environment, followed);
    EXPECT_EQ(followed[0], z1);
    EXPECT_NEAR(followed[1], 3 * z0 + z2, 1e-14);
    EXPECT_EQ(followed[2], 3);
  }
}

// [M Gᵀ; G 0] of a chain of rods on a pin: x, y and angle of each, then its joint. `mass` by coordinate (0,
// 1, 2) and angle.
void add_symmetric(SymbolicMatrix& matrix, int i, int j, NodeId value) {
  matrix.entries.push_back({.row = i, .column = j, .value = value});
  if (i != j) matrix.entries.push_back({.row = j, .column = i, .value = value});
}
template <class Mass>
SymbolicMatrix chain_of_rods(ExprGraph& graph, int bodies, const Mass& mass) {
  SymbolicMatrix matrix{.rows = 5 * bodies, .columns = 5 * bodies, .entries = {}};
  for (int i = 0; i < bodies; ++i) {
    const NodeId angle = graph.variable(VariableId(i));
    for (int k = 0; k < 3; ++k) add_symmetric(matrix, (3 * i) + k, (3 * i) + k, mass(k, angle));
    for (int j = i; j < std::min(i + 2, bodies); ++j) {
      const int joint = (3 * bodies) + (2 * j);
      add_symmetric(matrix, 3 * i, joint, graph.constant(j == i ? -1 : 1));
      add_symmetric(matrix, (3 * i) + 1, joint + 1, graph.constant(j == i ? -1 : 1));
      add_symmetric(matrix, (3 * i) + 2, joint, graph.apply(Op::Sin, angle));
      add_symmetric(matrix, (3 * i) + 2, joint + 1, graph.neg(graph.apply(Op::Cos, angle)));
    }
  }
  return matrix;
}

// A chain of rods on a pin: constant masses, which are taken out as expressions. The whole matrix, eliminated
// in numbers (as soften() has it, here with nothing softened), must give the same accelerations, multipliers
// and pivots, at each of some points.
TEST(RegularisedSystem, WithMassesTakenOutIsTheSameSystem) {
  const int bodies = 15;
  ExprGraph graph;
  const SymbolicMatrix matrix =
      chain_of_rods(graph, bodies, [&](int k, NodeId /*angle*/) { return graph.constant(k < 2 ? 1 : 0.1); });
  std::vector<NodeId> rhs;
  for (int i = 0; i < 5 * bodies; ++i)
    rhs.push_back(graph.mul(graph.constant(0.1 * i), graph.variable(VariableId(i % bodies))));
  const auto made = make_saddle_system({.graph = graph, .matrix = matrix, .rhs = rhs, .first = 3 * bodies},
                                       {.slots = bodies,
                                        .slot_of = [&](NodeId leaf) { return graph.variable_of(leaf).value; },
                                        .codegen = {}});
  RegularisedSystem& system = *made;
  std::vector<double> environment(bodies, 0.2);
  ASSERT_TRUE(system.prepare(environment));
  ASSERT_EQ(system.name(), "condensed");
  for (const double turn : {0.2, 1.0, 3.0}) {
    for (std::size_t i = 0; i < environment.size(); ++i) environment[i] = turn * static_cast<double>(i + 1);
    std::vector<std::vector<double>> solutions;
    std::vector<double> regularities;
    for (const bool whole : {false, true}) {
      if (whole) system.soften(0);
      ASSERT_TRUE(system.solve_at(environment));
      EXPECT_TRUE(system.holds(environment));
      solutions.emplace_back(static_cast<std::size_t>(matrix.rows));
      put(system, solutions.back());
      EXPECT_EQ(system.solution()[static_cast<std::size_t>(system.index(7))], solutions.back()[7]);
      regularities.push_back(system.regularity(environment));
    }
    system.harden();
    double largest = 0;
    for (const double value : solutions[1]) largest = std::max(largest, std::abs(value));
    for (std::size_t i = 0; i < solutions[0].size(); ++i)
      EXPECT_NEAR(solutions[0][i], solutions[1][i], 1e-12 * largest) << i;  // a condition of some hundreds
    EXPECT_NEAR(regularities[0], regularities[1], 1e-12);
  }
}

// The constraints of a chain, with a right-hand side of zero: solved for others with the matrix of a point.
// Against the same system with these in its right-hand side, taken out as expressions and (each body's
// coordinates joined by W, so that no pivot is a number) eliminated in numbers.
TEST(RegularisedSystem, ASystemOfConstraintsIsSolvedForOthersWithTheMatrixOfAPoint) {
  for (const bool constant : {true, false}) {
    const int bodies = 15;
    ExprGraph graph;
    const SymbolicMatrix matrix = chain_of_rods(graph, bodies, [&](int /*k*/, NodeId angle) {
      return constant ? graph.constant(1) : graph.add(graph.constant(2), graph.apply(Op::Sin, angle));
    });
    std::vector<NodeId> zero(static_cast<std::size_t>(5 * bodies), graph.constant(0));
    std::vector<NodeId> given = zero;
    for (int i = 0; i < 2 * bodies; ++i)
      given[static_cast<std::size_t>((3 * bodies) + i)] = graph.variable(VariableId(bodies + i));
    const ProgramSetting setting{.slots = 3 * bodies,
                                 .slot_of = [&](NodeId leaf) { return graph.variable_of(leaf).value; },
                                 .codegen = {}};
    const auto made =
        make_saddle_system({.graph = graph, .matrix = matrix, .rhs = zero, .first = 3 * bodies}, setting);
    const auto made_whole =
        make_saddle_system({.graph = graph, .matrix = matrix, .rhs = given, .first = 3 * bodies}, setting);
    RegularisedSystem& alone = *made;
    RegularisedSystem& whole = *made_whole;
    std::vector<double> environment(3 * bodies, 0.3);
    ASSERT_TRUE(alone.prepare(environment) && whole.prepare(environment));
    ASSERT_TRUE(alone.solves_constraints());
    EXPECT_FALSE(whole.solves_constraints());
    for (const double turn : {0.2, 1.0}) {
      for (std::size_t i = 0; i < environment.size(); ++i) environment[i] = std::sin(turn * double(i + 1));
      ASSERT_TRUE(whole.solve_at(environment));
      std::vector<double> expected(static_cast<std::size_t>(5 * bodies));
      put(whole, expected);
      ASSERT_TRUE(alone.factor_constraints(environment));
      const std::vector<double> elsewhere(2 * bodies, 1.0);
      (void)alone.solve_constraints(elsewhere);  // one does not disturb the next
      const auto found = alone.solve_constraints(std::span(environment).subspan(bodies));
      ASSERT_EQ(found.size(), std::size_t{3 * bodies});
      for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-12) << i;
    }
  }
}

// Two constraints on a point in space, at angles of which one closes: pivots of the written-out elimination
// are those in numbers.
TEST(RegularisedSystem, WrittenOutPivotsTellTheSameOfTheRank) {
  ExprGraph graph;
  const NodeId angle = graph.variable(VariableId(0));
  SymbolicMatrix matrix{.rows = 5, .columns = 5, .entries = {}};
  const auto add = [&](int i, int j, NodeId value) { add_symmetric(matrix, i, j, value); };
  for (int i = 0; i < 3; ++i) add(i, i, graph.constant(1 + i));
  add(3, 0, graph.constant(1));
  add(4, 0, graph.apply(Op::Cos, angle));
  add(4, 1, graph.apply(Op::Sin, angle));
  const std::vector<NodeId> rhs(5, graph.constant(1));
  const ProgramSetting setting{
      .slots = 1, .slot_of = [&](NodeId leaf) { return graph.variable_of(leaf).value; }, .codegen = {}};
  const SaddleEquations equations{.graph = graph, .matrix = matrix, .rhs = rhs, .first = 3};
  const auto made_numbers = make_saddle_system(equations, setting);
  const auto made_written = make_saddle_system(equations, setting);
  RegularisedSystem& numbers = *made_numbers;
  RegularisedSystem& written = *made_written;
  std::vector<double> environment{1.5};
  ASSERT_TRUE(numbers.prepare(environment) && written.prepare(environment));
  ASSERT_EQ(written.name(), "straight-line");
  written.prepare_pivots();
  for (const double value : {1.5, 1.0, 0.1, 1e-3, 2.0}) {
    environment[0] = value;
    const double regularity = written.regularity(environment);
    // sin² / 2 against its largest value, with sin² (1.5) = 0.995 or less before.
    EXPECT_NEAR(regularity, std::pow(std::sin(value) / std::sin(1.5), 2), 1e-12);
    EXPECT_NEAR(regularity, numbers.regularity(environment), 1e-12) << value;
    EXPECT_EQ(written.vanished(0.05), numbers.vanished(0.05)) << value;
  }
  environment[0] = 0;
  EXPECT_EQ(written.regularity(environment), 0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RegularisedSystems, ::testing::Range(1U, 9U));

}  // namespace
}  // namespace daedalus
