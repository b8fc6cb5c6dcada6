// Block by block against systems whose solution is known by construction: triangular ones in any order,
// blocks that must be solved together, places where an equation has no value.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "consistent/block_wise.hpp"
#include "consistent/tolerances.hpp"
#include "support/equations.hpp"

namespace daedalus {
namespace {

using testing::make;
using testing::Term;

struct Blocks {
  testing::Equations equations;
  BlockWiseProblem problem;
  std::vector<Term> unknowns;

  explicit Blocks(std::size_t count, Willingness willing = Willingness::Free) {
    for (std::size_t k = 0; k < count; ++k) {
      unknowns.push_back(equations.variable("x" + std::to_string(k)));
      problem.columns.push_back(unknowns.back().node);
      problem.willing.push_back(willing);
      problem.scale.push_back(1);
    }
    problem.graph = equations.system.graph.get();
    problem.leaf = [](NodeId) { return 0.0; };
  }
  Term operator[](std::size_t k) const { return unknowns[k]; }
  Term number(double value) { return equations.number(value); }
  void row(Term residual) { problem.rows.push_back(residual.node); }
  [[nodiscard]] BlockWiseResult solve(double guess) const {
    return solve_block_wise(problem, std::vector<double>(unknowns.size(), guess));
  }
};

// x_k³ + x_k = Σ c_j x_j + …, triangular after a permutation: as many blocks as unknowns, each solved.
TEST(BlockFamilies, TriangularSystemsAreSolvedInAnyOrder) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> number(-1, 1);
  for (std::size_t n = 2; n <= 12; n += 2) {
    Blocks b(n);
    std::vector<double> solution(n);
    std::ranges::generate(solution, [&] { return number(random); });
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::shuffle(order, random);
    std::vector<Term> rows;
    for (std::size_t k = 0; k < n; ++k) {
      const Term x = b[order[k]];
      const double value = solution[order[k]];
      Term residual = x * x * x + x - b.number((value * value * value) + value);
      for (std::size_t j = 0; j < k; ++j) {
        const double factor = number(random);
        residual = residual + b.number(factor) * (b[order[j]] - b.number(solution[order[j]]));
      }
      rows.push_back(residual);
    }
    std::ranges::shuffle(rows, random);
    for (const Term& row : rows) b.row(row);
    const BlockWiseResult result = b.solve(0);
    EXPECT_EQ(result.blocks, static_cast<int>(n));
    EXPECT_EQ(result.unsolved_blocks, 0);
    for (std::size_t k = 0; k < n; ++k) {
      EXPECT_NEAR(result.z[k], solution[k], 1e-9) << n;  // block_last_step
      EXPECT_TRUE(result.solved_for[k]);
    }
  }
}

// Pairs that depend on each other: x + y = s, x y = p, so x and y are the roots of z² - s z + p.
TEST(BlockFamilies, WhatDependsOnEachOtherIsOneBlock) {
  for (const auto& [first, second] : {std::pair{1.0, 4.0}, {-2.0, 3.0}, {0.5, 8.0}}) {
    Blocks b(3);
    b.row(b[0] + b[1] - b.number(first + second));
    b.row(b[0] * b[1] - b.number(first * second));
    b.row(b[2] - b[0] * b[0] - b[1] * b[1]);
    BlockWiseProblem problem = b.problem;
    const BlockWiseResult result = solve_block_wise(problem, std::vector{first - 0.3, second + 0.2, 0.0});
    EXPECT_EQ(result.blocks, 2);
    EXPECT_EQ(result.unsolved_blocks, 0);
    EXPECT_NEAR(result.z[0], first, 1e-9);
    EXPECT_NEAR(result.z[1], second, 1e-9);
    EXPECT_NEAR(result.z[2], first * first + second * second, 1e-8);
  }
}

// A block of full linear equations, against its right-hand side.
TEST(BlockFamilies, LinearBlocksAreSolvedAtOnce) {
  std::mt19937 random(9);
  std::uniform_real_distribution<double> number(-1, 1);
  for (const std::size_t n : {2U, 5U, 20U}) {
    Blocks b(n);
    std::vector<double> solution(n);
    std::ranges::generate(solution, [&] { return number(random); });
    for (std::size_t i = 0; i < n; ++i) {
      Term residual = b.number(0);
      double right = 0;
      for (std::size_t j = 0; j < n; ++j) {
        const double entry = number(random) + (i == j ? 3 * std::sqrt(static_cast<double>(n)) : 0);
        residual = residual + b.number(entry) * b[j];
        right += entry * solution[j];
      }
      b.row(residual - b.number(right));
    }
    const BlockWiseResult result = b.solve(0);
    EXPECT_EQ(result.blocks, 1);
    for (std::size_t k = 0; k < n; ++k) EXPECT_NEAR(result.z[k], solution[k], 1e-13);
  }
}

// 1/x, log x and sqrt x have no value, or no slope, at zero: the search begins elsewhere.
TEST(BlockFamilies, EquationsWithoutAValueAtTheStartAreSolvedFromElsewhere) {
  struct Row {
    Term (*residual)(Blocks&);
    double solution;
  };
  const std::array rows{
      Row{[](Blocks& b) { return b.number(1) / b[0] - b.number(2); }, 0.5},
      Row{[](Blocks& b) { return make(Op::Log, b[0]) - b.number(1); }, std::exp(1.0)},
      Row{[](Blocks& b) { return make(Op::Sqrt, b[0]) - b.number(3); }, 9.0},
      Row{[](Blocks& b) { return make(Op::Log, b[0] + b.number(-0.5)) + b.number(2); }, 0.5 + std::exp(-2.0)},
      Row{[](Blocks& b) { return b.number(1) / (b[0] * b[0]) - b.number(4) * b[0]; }, std::cbrt(0.25)}};
  for (const Row& row : rows) {
    Blocks b(1);
    b.row(row.residual(b));
    const BlockWiseResult result = b.solve(0);
    EXPECT_EQ(result.unsolved_blocks, 0) << row.solution;
    EXPECT_NEAR(result.z[0], row.solution, 1e-8 * row.solution);
  }
}

// Unknowns of very different size, by their scales.
TEST(BlockFamilies, UnitsDoNotMatter) {
  for (const double unit : {1e-12, 1e-6, 1.0, 1e6, 1e12}) {
    Blocks b(2);
    b.problem.scale = {unit, 1 / unit};
    b.row(b[0] * b[1] - b.number(6));
    b.row(b[0] / b.number(unit) + b[1] * b.number(unit) - b.number(5));
    const BlockWiseResult result = solve_block_wise(b.problem, std::vector{1.9 * unit, 3.2 / unit});
    EXPECT_EQ(result.unsolved_blocks, 0) << unit;
    EXPECT_NEAR(result.z[0] / unit, 2, 1e-8) << unit;
    EXPECT_NEAR(result.z[1] * unit, 3, 1e-8) << unit;
  }
}

// What follows a block that has no solution is computed from its guess, and does not count as unsolved.
TEST(BlockFamilies, OneUnsolvedBlockDoesNotStopTheOthers) {
  Blocks b(3);
  b.row(b[0] * b[0] + b.number(1));
  b.row(b[1] - b[0] - b.number(1));
  b.row(b[2] - b.number(7));
  const BlockWiseResult result = b.solve(0.5);
  EXPECT_EQ(result.unsolved_blocks, 1);
  EXPECT_EQ(result.z[0], 0.5);
  EXPECT_NEAR(result.z[1], 1.5, 1e-15);
  EXPECT_EQ(result.z[2], 7);
}

// More unknowns than conditions: what matters least is solved for, the rest stays where it was.
TEST(BlockFamilies, WhatNeedNotMoveStays) {
  using enum Willingness;
  Blocks b(4);
  b.problem.willing = {Given, Free, Default, Held};
  b.row(b[0] + b[1] + b[2] + b[3] - b.number(10));
  const BlockWiseResult result = b.solve(1);
  EXPECT_EQ(result.z, (std::vector<double>{1, 7, 1, 1}));
  EXPECT_EQ(result.solved_for, (std::vector<bool>{false, true, false, false}));
}

// Beyond the limit a block is left at its guess: the whole system is solved anew anyway.
TEST(BlockFamilies, BlocksThatAreTooLargeAreLeft) {
  const std::size_t n = consistent::largest_block + 1;
  Blocks b(n);
  for (std::size_t i = 0; i < n; ++i) b.row(b[i] + b[(i + 1) % n] * b.number(0.5) - b.number(1));
  const BlockWiseResult result = b.solve(0.25);
  EXPECT_EQ(result.blocks, 1);
  EXPECT_EQ(result.unsolved_blocks, 1);
  EXPECT_EQ(result.z.front(), 0.25);
}

}  // namespace
}  // namespace daedalus
