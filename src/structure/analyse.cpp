#include <algorithm>

#include "structure/blocks.hpp"
#include "structure/matching.hpp"
#include "structure/pantelides.hpp"
#include "structure/plan.hpp"

namespace daedalus {
namespace {

// How often equations are differentiated until all derivatives x_j' are determined: c_i times, and once more
// for each algebraic unknown those that it follows from. An output that follows from others' lower
// derivatives adds nothing to what they need.
int structural_index(const Signature& signature, const StructuralPlan& plan) {
  const TightGraph graph{.signature = signature, .c = plan.c, .d = plan.d};
  std::vector<int> needed(plan.c.size(), 0);  // by equation: the most differentiations its block builds on
  int index = plan.c.empty() ? 0 : std::ranges::max(plan.c);
  for (const Block& block : plan.blocks) {
    int most = 0;
    bool algebraic = false;
    for (const int equation : block.equations) {
      most = std::max(most, plan.c[equation]);
      for (const SignatureEntry entry : signature.row(equation)) {
        if (graph.tight(equation, entry))
          most = std::max(most, needed[plan.equation_of_variable[entry.variable]]);
      }
    }
    for (const int variable : block.variables) algebraic = algebraic || plan.d[variable] == 0;
    for (const int equation : block.equations) needed[equation] = most;
    if (algebraic) index = std::max(index, most + 1);
  }
  return index;
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
  plan.structural_index = structural_index(signature, plan);
  plan.degrees_of_freedom = degrees_of_freedom(plan);
  plan.edge_visits = ignoring_orders.edge_visits + differentiations.edge_visits + form.edge_visits;
  return plan;
}

}  // namespace daedalus
