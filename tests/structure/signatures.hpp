// Signatures for the tests: written by hand, grown to size, or drawn at random.
#pragma once

#include <random>
#include <vector>

#include "structure/signature.hpp"

namespace daedalus::testing {

using Rows = std::vector<std::vector<SignatureEntry>>;

[[nodiscard]] inline Signature make_signature(int variables, const Rows& rows) {
  Signature signature;
  signature.variables = variables;
  for (const auto& row : rows) signature.add_row(row);
  return signature;
}

// All orders 0.
[[nodiscard]] Signature make_pattern(int variables, const std::vector<std::vector<int>>& rows);

// The same system with equations and variables in random order.
[[nodiscard]] Signature shuffled(const Signature& signature, std::mt19937& random);

// n point masses hang in a chain on rigid rods, in the plane, with springs between next but one masses. First
// order: x' = vx, y' = vy, vx' = f(x of neighbours, λ_i, λ_i+1), vy' likewise, and the rod
// (x_i - x_i-1)² + (y_i - y_i-1)² = L². 5n equations; a mass has c = (1,1,0,0,2) and d = (2,2,1,1,0) by hand.
[[nodiscard]] Signature rod_chain(int n);

// side × side point masses in space on a square lattice of rigid rods, second order:
// 3 side² + 2 side (side - 1) equations; c = 0 for the masses, 2 for the rods.
[[nodiscard]] Signature rod_net(int side);

// P pendula, the length of each depends on the multiplier of the one before (DAESA's multiplependula): 3P
// equations.
[[nodiscard]] Signature pendulum_chain(int pendula);

// x_1 = f(t), x_2 = x_1', …, x_n = x_n-1': index n.
[[nodiscard]] Signature derivative_chain(int n);

// The five-point Laplace equation on a side × side grid, all algebraic: one block.
[[nodiscard]] Signature algebraic_grid(int side);

// n chains of 1, 2, …, n equations x_1 = f, x_1 + x_2 = …: each row lists its variables so that a greedy
// matching takes the wrong one, and augmenting paths of every length are needed.
[[nodiscard]] Signature staircase_of_chains(int n);

// Square, with about `entries_per_row` entries of order 0 … max_order. Need not be structurally regular.
[[nodiscard]] Signature random_signature(int n, double entries_per_row, int max_order, std::mt19937& random);

}  // namespace daedalus::testing
