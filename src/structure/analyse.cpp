#include <algorithm>

#include "structure/blocks.hpp"
#include "structure/matching.hpp"
#include "structure/pantelides.hpp"
#include "structure/plan.hpp"

namespace daedalus {
namespace {

int structural_index(const StructuralPlan& plan) {
  const int most = plan.c.empty() ? 0 : std::ranges::max(plan.c);
  const bool has_algebraic = std::ranges::find(plan.d, 0) != plan.d.end();
  return most + (has_algebraic ? 1 : 0);
}

// Σ d_j - Σ c_i, pair by pair of the output set: each pair is a σ_ij, so that the sum stays small.
int degrees_of_freedom(const StructuralPlan& plan) {
  int sum = 0;
  for (int equation = 0; equation < std::ssize(plan.c); ++equation) {
    sum += plan.d[plan.variable_of_equation[equation]] - plan.c[equation];
  }
  return sum;
}

}  // namespace

std::expected<StructuralPlan, DulmageMendelsohn> analyse_structure(const Signature& signature) {
  const MaximumMatching ignoring_orders = maximum_matching(signature);
  if (!ignoring_orders.matching.perfect()) return std::unexpected(dulmage_mendelsohn(signature));
  Differentiations differentiations = pantelides(signature);
  BlockTriangularForm form =
      block_triangular_form({signature, differentiations.c, differentiations.d}, differentiations.matching);
  StructuralPlan plan;
  plan.c = std::move(differentiations.c);
  plan.d = std::move(differentiations.d);
  plan.variable_of_equation = std::move(differentiations.matching.variable_of_equation);
  plan.equation_of_variable = std::move(differentiations.matching.equation_of_variable);
  plan.blocks = std::move(form.blocks);
  plan.structural_index = structural_index(plan);
  plan.degrees_of_freedom = degrees_of_freedom(plan);
  plan.edge_visits = ignoring_orders.edge_visits + differentiations.edge_visits + form.edge_visits;
  return plan;
}

}  // namespace daedalus
