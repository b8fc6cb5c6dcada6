#include <algorithm>

#include "structure/matching.hpp"
#include "structure/plan.hpp"

namespace daedalus {

std::vector<bool> superfluous_blocks(const Signature& signature, const StructuralPlan& plan) {
  std::vector<int> block_of_variable(plan.d.size());
  for (int b = 0; b < std::ssize(plan.blocks); ++b) {
    for (const int variable : plan.blocks[b].variables) block_of_variable[variable] = b;
  }
  const TightGraph graph{signature, plan.c, plan.d};
  const auto is_algebraic = [&](int variable) { return plan.d[variable] == 0; };
  std::vector<bool> reaches_algebraic(plan.blocks.size());
  std::vector<bool> result(plan.blocks.size());
  // Users of a block come after it, so that backwards all of them are settled first.
  for (int b = static_cast<int>(plan.blocks.size()) - 1; b >= 0; --b) {
    const Block& block = plan.blocks[b];
    if (std::ranges::any_of(block.variables, is_algebraic)) reaches_algebraic[b] = true;
    if (!reaches_algebraic[b]) {
      result[b] = plan.c[block.equations.front()] > 0;
      continue;
    }
    for (const int equation : block.equations) {
      for (const SignatureEntry entry : signature.row(equation)) {
        if (graph.tight(equation, entry)) reaches_algebraic[block_of_variable[entry.variable]] = true;
      }
    }
  }
  return result;
}

}  // namespace daedalus
