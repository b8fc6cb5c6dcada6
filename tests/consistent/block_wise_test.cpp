#include "consistent/block_wise.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/equations.hpp"

namespace daedalus {
namespace {

using testing::Term;

struct Blocks {
  testing::Equations equations;
  BlockWiseProblem problem;

  Term unknown(const std::string& name, Willingness willing) {
    const Term made = equations.variable(name);
    problem.columns.push_back(made.node);
    problem.willing.push_back(willing);
    problem.scale.push_back(1);
    return made;
  }
  void row(Term residual) { problem.rows.push_back(residual.node); }
  BlockWiseResult solve(std::vector<double> guess) {
    problem.graph = equations.system.graph.get();
    problem.leaf = [](NodeId) { return 0.0; };
    return solve_block_wise(problem, guess);
  }
};

// s = 2 first, then y = 1 / s: in the other order there is a division by zero.
TEST(BlockWise, SolvesInTheOrderInWhichThingsFollow) {
  Blocks b;
  const Term y = b.unknown("y", Willingness::Free);
  const Term s = b.unknown("s", Willingness::Free);
  b.row(y * s - b.equations.number(1));
  b.row(s - b.equations.number(2));
  const BlockWiseResult result = b.solve({0, 0});
  EXPECT_EQ(result.blocks, 2);
  EXPECT_EQ(result.unsolved_blocks, 0);
  EXPECT_DOUBLE_EQ(result.z[1], 2);
  EXPECT_DOUBLE_EQ(result.z[0], 0.5);
}

// x + y = 3: what nobody gave is solved for.
TEST(BlockWise, ValuesThatWereGivenMoveLast) {
  using enum Willingness;
  for (const auto& [first, second, moves] : {std::tuple{Default, Given, 0},
                                             {Given, Default, 1},
                                             {Guess, Default, 1},
                                             {Guess, Given, 0},
                                             {Held, Given, 1}}) {
    Blocks b;
    const Term x = b.unknown("x", first);
    const Term y = b.unknown("y", second);
    b.row(x + y - b.equations.number(3));
    const BlockWiseResult result = b.solve({1, 1});
    EXPECT_EQ(result.z[static_cast<std::size_t>(moves)], 2);
    EXPECT_EQ(result.z[static_cast<std::size_t>(1 - moves)], 1);
    EXPECT_TRUE(result.solved_for[static_cast<std::size_t>(moves)]);
  }
}

TEST(BlockWise, CountsConditionsThatNothingIsLeftFor) {
  Blocks b;
  const Term x = b.unknown("x", Willingness::Free);
  b.row(x - b.equations.number(1));
  b.row(x - b.equations.number(2));
  EXPECT_EQ(b.solve({0}).unmatched_rows, 1);
}

// x² = -1 has no solution: the guess stays, and it is said.
TEST(BlockWise, WhatCannotBeSolvedStaysAtItsGuess) {
  Blocks b;
  const Term x = b.unknown("x", Willingness::Free);
  b.row(x * x + b.equations.number(1));
  const BlockWiseResult result = b.solve({0.7});
  EXPECT_EQ(result.unsolved_blocks, 1);
  EXPECT_EQ(result.z[0], 0.7);
}

}  // namespace
}  // namespace daedalus
