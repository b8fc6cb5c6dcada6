// StructuralPlan: what the structural analysis decides, in integers.
#pragma once

#include <cstdint>
#include <expected>
#include <vector>

#include "structure/signature.hpp"

namespace daedalus {

// One block of the block-triangular form with respect to the highest derivatives: equations and
// variables of equal number that are solved together.
struct Block {
  // Sorted by descending c (Mattsson, Söderlind 1991, assumption A2), ties by number.
  std::vector<int> equations;
  std::vector<int> variables;  // variables[k] is matched to equations[k]
};

struct StructuralPlan {
  std::vector<int> c;                     // times that equation i is differentiated (ν there)
  std::vector<int> d;                     // order of the highest derivative of variable j afterwards
  std::vector<int> variable_of_equation;  // the output set: a maximum transversal of d_j - c_i = σ_ij
  std::vector<int> equation_of_variable;
  std::vector<Block> blocks;     // in the order in which they can be solved
  int structural_index = 0;      // max c_i, and c_i + 1 of what algebraic unknowns follow from
  int degrees_of_freedom = 0;    // Σ d_j - Σ c_i
  std::int64_t edge_visits = 0;  // the work done: how often an entry of the signature was looked at
};

// The coarse Dulmage–Mendelsohn decomposition, for diagnosis of a singular structure.
struct DulmageMendelsohn {
  std::vector<int> over_equations;  // more equations than unknowns: these are too many …
  std::vector<int> over_variables;  // … for these
  std::vector<int> under_equations;
  std::vector<int> under_variables;  // not determined
  std::vector<int> well_equations;
  std::vector<int> well_variables;
  // A maximum matching leaves these unmatched.
  std::vector<int> unmatched_equations;
  std::vector<int> unmatched_variables;
};

// Pantelides' algorithm, matching and block-triangular form. Fails with the Dulmage–Mendelsohn parts when
// the system is structurally singular (derivatives counted as their variable) or not square.
[[nodiscard]] std::expected<StructuralPlan, DulmageMendelsohn> analyse_structure(const Signature& signature);

// Pryce's Σ-method: canonical (smallest) offsets from a highest-value transversal. Independent of
// Pantelides in code and idea; must give the same c and d.
struct Offsets {
  std::vector<int> c;
  std::vector<int> d;
  int value = 0;  // Val Σ = degrees of freedom
  std::int64_t edge_visits = 0;
};
[[nodiscard]] std::expected<Offsets, DulmageMendelsohn> sigma_method(const Signature& signature);

[[nodiscard]] DulmageMendelsohn dulmage_mendelsohn(const Signature& signature);

// "Removing superfluous differentiations" (Mattsson, Söderlind 1991, section 3): for each block of the plan,
// whether the last differentiation of its differentiated equations may be left out. The equations f_i^(c_i)
// with c_i > 0 of such a block are then not used, and the top derivatives x_j^(d_j) that they would have
// replaced by dummies are instead the time derivatives of x_j^(d_j - 1), whatever stands for that. The system
// stays at index 1 with fewer unknowns.
//
// The paper's condition is that the block is index 0: all d_j > 0. Inside a larger system this is not enough.
// With x = f(t), y = x', the block of x is index 0, but without x' = f'(t) the variable y is the derivative
// of an algebraically determined x, and the index is 2. So we ask that no algebraic variable (d_j = 0)
// depends on the block's top derivatives, directly or through other blocks, where only tight entries carry a
// dependence. This is sufficient: the marked blocks then have no algebraic unknown at the top, neither have
// the blocks that use them, and one differentiation of the f_i^(c_i - 1) gives back the index 0 problem. (An
// equation with c_i > 0 holds no variable with d_j = 0, for σ_ij + c_i ≤ d_j; so lower levels never meet an
// algebraic variable.)
//
// Leave out in all marked blocks together: a dummy derivative that is kept in a later marked block is an
// algebraic variable that would depend on the derivatives left open. A block without differentiated equations
// is not marked.
[[nodiscard]] std::vector<bool> superfluous_blocks(const Signature& signature, const StructuralPlan& plan);

}  // namespace daedalus
