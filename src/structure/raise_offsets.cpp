#include "structure/raise_offsets.hpp"

#include <algorithm>

#include "structure/blocks.hpp"
#include "structure/matching.hpp"

namespace daedalus {

// The smallest offsets above those of the plan: where d_j rises, c of the equation that is matched to j rises
// with it, and with that equation all that it holds. The transversal has the highest value, so nothing can
// rise in a circle.
void raise_offsets(const Signature& signature, std::span<const int> order, StructuralPlan& plan) {
  std::vector<int> risen;
  const auto raise = [&](int variable, int to) {
    int& d = plan.d[static_cast<std::size_t>(variable)];
    if (d >= to) return;
    plan.c[static_cast<std::size_t>(plan.equation_of_variable[static_cast<std::size_t>(variable)])] += to - d;
    d = to;
    risen.push_back(variable);
  };
  for (int j = 0; j < signature.variables; ++j) raise(j, order[static_cast<std::size_t>(j)]);
  if (risen.empty()) return;
  while (!risen.empty()) {
    const int equation = plan.equation_of_variable[static_cast<std::size_t>(risen.back())];
    risen.pop_back();
    for (const SignatureEntry entry : signature.row(equation))
      raise(entry.variable, entry.order + plan.c[static_cast<std::size_t>(equation)]);
  }
  Matching matching(signature);
  for (int i = 0; i < signature.equations(); ++i)
    matching.match(i, plan.variable_of_equation[static_cast<std::size_t>(i)]);
  plan.blocks = block_triangular_form({.signature = signature, .c = plan.c, .d = plan.d}, matching).blocks;
}

}  // namespace daedalus
