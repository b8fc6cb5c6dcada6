// A first look at the initial values, block by block: what follows from given values is computed in the order
// in which it follows, so that Newton on the whole system starts near a solution, and where 1/s or sqrt(k)
// has a value. Unknowns that need not be solved for stay at their start values.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "expr/graph.hpp"

namespace daedalus {

// How willingly an unknown is solved for: those that matter least first. What nobody gave a value for is
// solved for before any value that was given moves.
enum class Willingness { Free, Default, Guess, Given, Held };

struct BlockWiseProblem {
  ExprGraph* graph = nullptr;
  std::vector<NodeId> rows;            // residuals
  std::vector<NodeId> columns;         // the leaf of each unknown
  std::vector<Willingness> willing;    // by column
  std::vector<double> scale;           // by column: a typical size
  std::function<double(NodeId)> leaf;  // the value of any other leaf
};

struct BlockWiseResult {
  std::vector<double> z;
  int blocks = 0;
  int unsolved_blocks = 0;       // too large, singular, not finite or not convergent: left at their guesses
  int unmatched_rows = 0;        // structurally more conditions than unknowns
  std::vector<bool> solved_for;  // by column: some equation determined it
};

[[nodiscard]] BlockWiseResult solve_block_wise(const BlockWiseProblem& problem,
                                               std::span<const double> guess);

}  // namespace daedalus
