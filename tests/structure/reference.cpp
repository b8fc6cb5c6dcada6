#include "structure/reference.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace daedalus::testing {
namespace {

using Dense = std::vector<std::vector<int>>;

std::vector<int> zeros(int n) {
  return std::vector<int>(static_cast<std::size_t>(n), 0);
}
std::vector<int> nothing(int n) {
  return std::vector<int>(static_cast<std::size_t>(n), -1);
}

// Pantelides' AUGMENTPATH; `edge(i, j)` tells whether variable j counts in equation i.
template <class Edge>
struct AugmentPath {
  Edge edge;
  std::vector<int>& equation_of_variable;
  std::vector<bool> coloured_equations;
  std::vector<bool> coloured_variables;

  bool operator()(int i) {
    coloured_equations[i] = true;
    for (int j = 0; j < std::ssize(equation_of_variable); ++j) {
      if (!edge(i, j) || equation_of_variable[j] >= 0) continue;
      equation_of_variable[j] = i;
      return true;
    }
    for (int j = 0; j < std::ssize(equation_of_variable); ++j) {
      if (!edge(i, j) || coloured_variables[j]) continue;
      coloured_variables[j] = true;
      if (!(*this)(equation_of_variable[j])) continue;
      equation_of_variable[j] = i;
      return true;
    }
    return false;
  }
};

// Equations from which `start` can be reached or that it reaches, along tight entries and the output set.
std::vector<bool> reachable(const Signature& signature, const StructuralPlan& plan, int start) {
  std::vector<bool> seen(plan.c.size());
  std::vector<int> front{start};
  seen[start] = true;
  while (!front.empty()) {
    const int i = front.back();
    front.pop_back();
    for (const auto [j, order] : signature.row(i)) {
      const int next = plan.equation_of_variable[j];
      if (plan.c[i] + order != plan.d[j] || seen[next]) continue;
      seen[next] = true;
      front.push_back(next);
    }
  }
  return seen;
}

void expect_blocks_partition(const StructuralPlan& plan, const std::vector<int>& block_of) {
  EXPECT_EQ(std::ranges::count(block_of, -1), 0);
  std::size_t equations = 0;
  for (const Block& block : plan.blocks) {
    equations += block.equations.size();
    ASSERT_EQ(block.equations.size(), block.variables.size());
    for (std::size_t k = 0; k < block.equations.size(); ++k) {
      EXPECT_EQ(plan.variable_of_equation[block.equations[k]], block.variables[k]);
      if (k == 0) continue;
      const int a = block.equations[k - 1];
      const int b = block.equations[k];
      EXPECT_TRUE(plan.c[a] > plan.c[b] || (plan.c[a] == plan.c[b] && a < b));
    }
  }
  EXPECT_EQ(equations, plan.c.size());
}

}  // namespace

Dense dense(const Signature& signature) {
  Dense sigma(static_cast<std::size_t>(signature.equations()), nothing(signature.variables));
  for (int i = 0; i < signature.equations(); ++i) {
    for (const auto [j, order] : signature.row(i)) sigma[i][j] = order;
  }
  return sigma;
}

std::optional<BruteTransversal> brute_force_transversal(const Signature& signature) {
  const Dense sigma = dense(signature);
  std::vector<int> permutation = zeros(signature.equations());
  std::iota(permutation.begin(), permutation.end(), 0);
  std::optional<BruteTransversal> best;
  do {
    int value = 0;
    bool exists = true;
    for (int i = 0; i < signature.equations(); ++i) {
      exists = exists && sigma[i][permutation[i]] >= 0;
      value += sigma[i][permutation[i]];
    }
    if (exists && (!best || value > best->value)) best = BruteTransversal{value, permutation};
  } while (std::ranges::next_permutation(permutation).found);
  return best;
}

Offsets fixed_point_offsets(const Signature& signature, const std::vector<int>& variable_of_equation) {
  const Dense sigma = dense(signature);
  Offsets offsets{zeros(signature.equations()), zeros(signature.variables)};
  for (bool changed = true; changed;) {
    changed = false;
    for (int j = 0; j < signature.variables; ++j) {
      for (int i = 0; i < signature.equations(); ++i) {
        if (sigma[i][j] >= 0) offsets.d[j] = std::max(offsets.d[j], sigma[i][j] + offsets.c[i]);
      }
    }
    for (int i = 0; i < signature.equations(); ++i) {
      const int j = variable_of_equation[i];
      const int c = offsets.d[j] - sigma[i][j];
      changed = changed || c != offsets.c[i];
      offsets.c[i] = c;
    }
  }
  for (int i = 0; i < signature.equations(); ++i) offsets.value += sigma[i][variable_of_equation[i]];
  return offsets;
}

Offsets textbook_pantelides(const Signature& signature) {
  const Dense sigma = dense(signature);
  Offsets offsets{zeros(signature.equations()), zeros(signature.variables)};
  for (const auto [j, order] : signature.entries) offsets.d[j] = std::max(offsets.d[j], order);
  std::vector<int> equation_of_variable = nothing(signature.variables);
  const auto tight = [&](int i, int j) {
    return sigma[i][j] >= 0 && sigma[i][j] + offsets.c[i] == offsets.d[j];
  };
  for (int i = 0; i < signature.equations(); ++i) {
    while (true) {
      AugmentPath<decltype(tight)> augment_path{tight, equation_of_variable,
                                                std::vector<bool>(offsets.c.size()),
                                                std::vector<bool>(offsets.d.size())};
      if (augment_path(i)) break;
      for (std::size_t k = 0; k < offsets.c.size(); ++k) offsets.c[k] += augment_path.coloured_equations[k];
      for (std::size_t k = 0; k < offsets.d.size(); ++k) offsets.d[k] += augment_path.coloured_variables[k];
    }
  }
  offsets.value =
      std::reduce(offsets.d.begin(), offsets.d.end()) - std::reduce(offsets.c.begin(), offsets.c.end());
  return offsets;
}

int textbook_matching_size(const Signature& signature) {
  const Dense sigma = dense(signature);
  std::vector<int> equation_of_variable = nothing(signature.variables);
  const auto occurs = [&](int i, int j) { return sigma[i][j] >= 0; };
  int size = 0;
  for (int i = 0; i < signature.equations(); ++i) {
    AugmentPath<decltype(occurs)> augment_path{occurs, equation_of_variable, std::vector<bool>(sigma.size()),
                                               std::vector<bool>(equation_of_variable.size())};
    size += augment_path(i);
  }
  return size;
}

void expect_valid_plan(const Signature& signature, const StructuralPlan& plan) {
  std::vector<int> block_of = nothing(signature.equations());
  for (int b = 0; b < std::ssize(plan.blocks); ++b) {
    for (const int i : plan.blocks[b].equations) block_of[i] = b;
  }
  expect_blocks_partition(plan, block_of);
  for (int i = 0; i < signature.equations(); ++i) {
    EXPECT_GE(plan.c[i], 0);
    EXPECT_EQ(plan.equation_of_variable[plan.variable_of_equation[i]], i);
    bool output_is_tight = false;
    for (const auto [j, order] : signature.row(i)) {
      EXPECT_GE(plan.d[j] - plan.c[i], order);
      const bool tight = plan.d[j] - plan.c[i] == order;
      output_is_tight = output_is_tight || (tight && j == plan.variable_of_equation[i]);
      // What a block uses at the top is solved for there or before.
      if (tight) {
        EXPECT_LE(block_of[plan.equation_of_variable[j]], block_of[i]);
      }
    }
    EXPECT_TRUE(output_is_tight);
  }
  // No block can be split: each equation of it reaches each other.
  for (int i = 0; i < signature.equations(); ++i) {
    const std::vector<bool> seen = reachable(signature, plan, i);
    for (const int other : plan.blocks[block_of[i]].equations) EXPECT_TRUE(seen[other]);
  }
}

}  // namespace daedalus::testing
