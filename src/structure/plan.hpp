// StructuralPlan: what the structural analysis decides, in integers.
#pragma once

#include <expected>
#include <vector>

#include "structure/signature.hpp"

namespace daedalus {

// One block of the block-triangular form with respect to the highest derivatives: equations and
// variables of equal number that are solved together.
struct Block {
  std::vector<int> equations;  // sorted by descending c (paper 004, assumption A2), ties by number
  std::vector<int> variables;
};

struct StructuralPlan {
  std::vector<int> c;                     // times that equation i is differentiated (ν of paper 004)
  std::vector<int> d;                     // order of the highest derivative of variable j afterwards
  std::vector<int> variable_of_equation;  // the output set: a maximum transversal of d_j - c_i = σ_ij
  std::vector<int> equation_of_variable;
  std::vector<Block> blocks;     // in the order in which they can be solved
  int structural_index = 0;      // max c_i + (1 if some d_j = 0)
  int degrees_of_freedom = 0;    // Σ d_j - Σ c_i
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
// the system is structurally singular (derivatives counted as their variable).
[[nodiscard]] std::expected<StructuralPlan, DulmageMendelsohn> analyse_structure(const Signature& signature);

// Pryce's Σ-method: canonical (smallest) offsets from a highest-value transversal. Independent of
// Pantelides in code and idea; must give the same c and d.
struct Offsets {
  std::vector<int> c;
  std::vector<int> d;
  int value = 0;  // Val Σ = degrees of freedom
};
[[nodiscard]] std::expected<Offsets, DulmageMendelsohn> sigma_method(const Signature& signature);

[[nodiscard]] DulmageMendelsohn dulmage_mendelsohn(const Signature& signature);

}  // namespace daedalus
