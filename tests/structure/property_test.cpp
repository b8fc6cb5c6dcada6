// Pantelides and the Σ-method against each other and against slow, obvious algorithms, on random systems.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "structure/assignment.hpp"
#include "structure/plan.hpp"
#include "structure/reference.hpp"
#include "structure/signatures.hpp"

namespace daedalus::testing {
namespace {

TEST(Property, SmallSystemsAgreeWithAllPermutations) {
  std::mt19937 random(1);
  int regular = 0;
  for (int trial = 0; trial < 6000; ++trial) {
    const int n = 1 + trial % 7;
    const Signature signature = random_signature(n, 1.0 + trial % 5 * 0.6, trial % 4, random);
    SCOPED_TRACE("trial " + std::to_string(trial));
    const auto brute = brute_force_transversal(signature);
    const auto offsets = sigma_method(signature);
    const auto plan = analyse_structure(signature);
    ASSERT_EQ(offsets.has_value(), brute.has_value());
    ASSERT_EQ(plan.has_value(), brute.has_value());
    if (!brute) continue;
    ++regular;
    const Offsets expected = fixed_point_offsets(signature, brute->variable_of_equation);
    ASSERT_EQ(offsets->value, brute->value);
    ASSERT_EQ(offsets->c, expected.c);
    ASSERT_EQ(offsets->d, expected.d);
    ASSERT_EQ(plan->c, expected.c);
    ASSERT_EQ(plan->d, expected.d);
    ASSERT_EQ(plan->degrees_of_freedom, brute->value);
    expect_valid_plan(signature, *plan);
  }
  EXPECT_GT(regular, 2000);  // else the test says nothing
}

TEST(Property, PantelidesAndSigmaMethodAgree) {
  std::mt19937 random(2);
  int regular = 0;
  int high_index = 0;
  for (int trial = 0; trial < 6000; ++trial) {
    const int n = 5 + trial % 56;
    const Signature signature = random_signature(n, 2.0 + trial % 5 * 0.7, 1 + trial % 3, random);
    SCOPED_TRACE("trial " + std::to_string(trial));
    const auto plan = analyse_structure(signature);
    const auto offsets = sigma_method(signature);
    ASSERT_EQ(plan.has_value(), offsets.has_value());
    if (!plan) continue;
    ++regular;
    high_index += plan->structural_index > 2;
    ASSERT_EQ(plan->c, offsets->c);
    ASSERT_EQ(plan->d, offsets->d);
    ASSERT_EQ(plan->degrees_of_freedom, offsets->value);
    if (trial % 4 == 0) {
      const Offsets textbook = textbook_pantelides(signature);
      ASSERT_EQ(plan->c, textbook.c);
      ASSERT_EQ(plan->d, textbook.d);
      expect_valid_plan(signature, *plan);
    }
  }
  EXPECT_GT(regular, 500);
  EXPECT_GT(high_index, 200);
}

// The same with families that need many differentiations, in any order of equations and variables.
TEST(Property, OrderOfEquationsAndVariablesDoesNotMatter) {
  std::mt19937 random(3);
  const std::vector<Signature> systems{rod_chain(12), rod_net(3), pendulum_chain(8), derivative_chain(20)};
  for (const Signature& system : systems) {
    const auto original = analyse_structure(system);
    ASSERT_TRUE(original);
    auto sorted = [](std::vector<int> values) {
      std::ranges::sort(values);
      return values;
    };
    for (int trial = 0; trial < 50; ++trial) {
      const Signature signature = shuffled(system, random);
      const auto plan = analyse_structure(signature);
      const auto offsets = sigma_method(signature);
      ASSERT_TRUE(plan && offsets);
      EXPECT_EQ(plan->c, offsets->c);
      EXPECT_EQ(plan->d, offsets->d);
      EXPECT_EQ(sorted(plan->c), sorted(original->c));
      EXPECT_EQ(sorted(plan->d), sorted(original->d));
      EXPECT_EQ(plan->blocks.size(), original->blocks.size());
      expect_valid_plan(signature, *plan);
    }
  }
}

TEST(Property, DualsProveTheTransversalOptimal) {
  std::mt19937 random(4);
  for (int trial = 0; trial < 1000; ++trial) {
    const Signature signature = random_signature(5 + trial % 40, 4.0, 5, random);
    if (!maximum_matching(signature).matching.perfect()) continue;
    const Transversal transversal = highest_value_transversal(signature);
    for (int i = 0; i < signature.equations(); ++i) {
      for (const auto [j, order] : signature.row(i)) {
        const int slack = transversal.v[j] - transversal.u[i] - order;
        ASSERT_GE(slack, 0);
        if (transversal.matching.variable_of_equation[i] == j) {
          ASSERT_EQ(slack, 0);
        }
      }
    }
  }
}

}  // namespace
}  // namespace daedalus::testing
