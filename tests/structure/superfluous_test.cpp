// Removal of superfluous differentiations (Mattsson, Söderlind 1991, section 3).
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <utility>

#include "structure/plan.hpp"
#include "structure/reference.hpp"
#include "structure/signatures.hpp"

namespace daedalus::testing {
namespace {

std::vector<bool> marked(const Signature& signature) {
  const auto plan = analyse_structure(signature);
  EXPECT_TRUE(plan);
  return superfluous_blocks(signature, *plan);
}

// The system that dummy derivatives make of a plan (Mattsson, Söderlind 1991, step 6), with the last
// differentiation left out in the blocks `leave_out`. The derivatives to replace are taken from the output
// set, which is one possible selection: variable j of equation i loses its c_i highest derivatives. Every
// equation is taken to hold all lower derivatives too.
class ReducedSystem {
 public:
  ReducedSystem(const Signature& signature, const StructuralPlan& plan, const std::vector<bool>& leave_out)
      : plan_(plan), left_out_(plan.c.size()) {
    for (std::size_t b = 0; b < plan.blocks.size(); ++b) {
      for (const int i : plan.blocks[b].equations) left_out_[i] = leave_out[b] && plan.c[i] > 0;
    }
    result_.variables = signature.variables;
    for (int i = 0; i < signature.equations(); ++i) {
      const int last = left_out_[i] ? plan.c[i] - 1 : plan.c[i];
      for (int level = 0; level <= last; ++level) add_equation(signature.row(i), level);
    }
  }
  [[nodiscard]] const Signature& signature() const { return result_; }

 private:
  void add_equation(std::span<const SignatureEntry> row, int level) {
    std::map<int, int> orders;
    for (const auto [j, order] : row) {
      for (int q = 0; q <= order + level; ++q) {
        const auto [variable, q_of_it] = representative(j, q);
        const auto [place, is_new] = orders.try_emplace(variable, q_of_it);
        if (!is_new) place->second = std::max(place->second, q_of_it);
      }
    }
    std::vector<SignatureEntry> entries;
    for (const auto& [variable, order] : orders) entries.push_back({variable, order});
    result_.add_row(entries);
  }

  // What stands for the q-th derivative of variable j: a derivative of x_j, or a dummy.
  SignatureEntry representative(int j, int q) {
    const int i = plan_.equation_of_variable[j];
    const int highest_kept = plan_.d[j] - plan_.c[i];
    if (q <= highest_kept) return {j, q};
    if (q == plan_.d[j] && left_out_[i]) {
      const SignatureEntry below = representative(j, q - 1);
      return {below.variable, below.order + 1};
    }
    const auto [place, is_new] = dummies_.try_emplace({j, q}, result_.variables);
    if (is_new) ++result_.variables;
    return {place->second, 0};
  }

  const StructuralPlan& plan_;
  std::vector<bool> left_out_;
  std::map<std::pair<int, int>, int> dummies_;
  Signature result_;
};

// Differentiation index ≤ 1 by definition, structurally: F = 0 and dF/dt = 0 determine the derivatives x^(m)
// of variables that occur differentiated (m ≥ 1 times) and the first derivatives of those that do not. What
// they do not determine is the underdetermined part of Dulmage and Mendelsohn, which here is a third route,
// apart from offsets and blocks.
bool has_index_at_most_one(const Signature& system) {
  std::vector<int> m(static_cast<std::size_t>(system.variables), 0);
  for (const auto [j, order] : system.entries) m[j] = std::max(m[j], order);
  const auto top = [](int j) { return 2 * j; };         // x_j^(m_j), unknown if m_j > 0
  const auto beyond = [](int j) { return 2 * j + 1; };  // x_j^(m_j + 1)
  std::vector<std::vector<int>> rows;
  for (int i = 0; i < system.equations(); ++i) {
    std::vector<int> undifferentiated;
    std::vector<int> differentiated;
    for (const auto [j, order] : system.row(i)) {
      if (m[j] > 0 && order == m[j]) undifferentiated.push_back(top(j));
      if (m[j] > 0 && order >= m[j] - 1) differentiated.push_back(top(j));
      if (order == m[j]) differentiated.push_back(beyond(j));
    }
    rows.push_back(undifferentiated);
    rows.push_back(differentiated);
  }
  for (int j = 0; j < system.variables; ++j) {
    if (m[j] == 0) rows.push_back({top(j)});  // not an unknown
  }
  const DulmageMendelsohn parts = dulmage_mendelsohn(make_pattern(2 * system.variables, rows));
  return std::ranges::none_of(parts.under_variables, [&](int unknown) {
    const int j = unknown / 2;
    return unknown == (m[j] > 0 ? top(j) : beyond(j));
  });
}

TEST(IndexCheck, KnowsTheIndexOfSmallSystems) {
  EXPECT_TRUE(has_index_at_most_one(make_signature(1, {{{0, 1}}})));  // x' = f
  EXPECT_TRUE(has_index_at_most_one(make_signature(1, {{{0, 0}}})));  // x = f
  EXPECT_TRUE(has_index_at_most_one(
      make_signature(2, {{{0, 1}, {1, 1}}, {{0, 0}, {1, 0}}})));  // Mattsson, Söderlind 1991, section 2
  EXPECT_FALSE(has_index_at_most_one(make_signature(2, {{{0, 0}}, {{0, 1}, {1, 0}}})));  // x = f, y = x'
  EXPECT_FALSE(
      has_index_at_most_one(make_signature(3, {{{0, 2}, {2, 0}}, {{1, 2}, {2, 0}}, {{0, 0}, {1, 0}}})));
}

TEST(Superfluous, ExampleTwoOfThePaper) {
  const Signature signature = make_signature(
      4, {{{0, 0}, {1, 0}}, {{0, 0}, {1, 0}, {2, 0}}, {{0, 0}, {3, 0}}, {{0, 2}, {1, 2}, {2, 2}, {3, 1}}});
  // Two blocks for us: (3.1c') holds x4' alone at the top, the others x1'', x2'', x3''.
  const std::vector<bool> both{true, true};
  EXPECT_EQ(marked(signature), both);
  // (3.3): six equations remain of the nine of (3.2).
  const auto plan = analyse_structure(signature);
  EXPECT_EQ(ReducedSystem(signature, *plan, {false, false}).signature().equations(), 9);
  const ReducedSystem smaller(signature, *plan, both);
  EXPECT_EQ(smaller.signature().equations(), 6);
  EXPECT_EQ(smaller.signature().variables, 6);
  EXPECT_TRUE(has_index_at_most_one(smaller.signature()));
}

TEST(Superfluous, IndexOneProblemOfSectionTwo) {
  EXPECT_EQ(marked(make_signature(2, {{{0, 1}, {1, 1}}, {{0, 0}, {1, 0}}})), std::vector<bool>{true});
}

TEST(Superfluous, NothingToLeaveOutInAnOde) {
  EXPECT_EQ(marked(make_signature(1, {{{0, 1}}})), std::vector<bool>{false});
}

TEST(Superfluous, PendulumNeedsAllForItsMultiplier) {
  EXPECT_EQ(marked(pendulum_chain(1)), std::vector<bool>{false});
}

TEST(Superfluous, NotWhenAnAlgebraicVariableUsesTheTopDerivative) {
  // x = f(t), y = x': without x' = f'(t) the index would be 2.
  EXPECT_EQ(marked(make_signature(2, {{{0, 0}}, {{0, 1}, {1, 0}}})), (std::vector<bool>{false, false}));
  // x = f(t), v' = x', z = v': z depends on x' through v'.
  EXPECT_EQ(marked(make_signature(3, {{{0, 0}}, {{0, 1}, {1, 1}}, {{1, 1}, {2, 0}}})),
            (std::vector<bool>{false, false, false}));
}

TEST(Superfluous, WhenOnlyLowerDerivativesReachAlgebraicVariables) {
  // x = f(t), v' = x', z = v + x: z needs v and x only.
  EXPECT_EQ(marked(make_signature(3, {{{0, 0}}, {{0, 1}, {1, 1}}, {{0, 0}, {1, 0}, {2, 0}}})),
            (std::vector<bool>{true, false, false}));
}

// The condition is right (index at most 1 when left out) and not more cautious than need be (one more index 0
// block left out, and the index is higher).
TEST(Superfluous, RandomSystemsKeepIndexOneAndOnlyThose) {
  std::mt19937 random(5);
  int with_marked = 0;
  int with_refused = 0;
  for (int trial = 0; trial < 6000; ++trial) {
    const Signature signature = random_signature(2 + trial % 9, 1.6 + trial % 4 * 0.4, 1 + trial % 2, random);
    const auto plan = analyse_structure(signature);
    if (!plan) continue;
    SCOPED_TRACE("trial " + std::to_string(trial));
    std::vector<bool> leave_out = superfluous_blocks(signature, *plan);
    const std::vector<bool> none(leave_out.size());
    ASSERT_TRUE(has_index_at_most_one(ReducedSystem(signature, *plan, none).signature()));
    const ReducedSystem reduced(signature, *plan, leave_out);
    ASSERT_EQ(reduced.signature().equations(), reduced.signature().variables);
    ASSERT_TRUE(has_index_at_most_one(reduced.signature()));
    with_marked += leave_out != none;
    for (std::size_t b = 0; b < leave_out.size(); ++b) {
      const Block& block = plan->blocks[b];
      const bool index_zero = std::ranges::all_of(block.variables, [&](int j) { return plan->d[j] > 0; });
      if (leave_out[b] || !index_zero || plan->c[block.equations.front()] == 0) continue;
      leave_out[b] = true;
      EXPECT_FALSE(has_index_at_most_one(ReducedSystem(signature, *plan, leave_out).signature()));
      leave_out[b] = false;
      ++with_refused;
    }
  }
  EXPECT_GT(with_marked, 200);
  EXPECT_GT(with_refused, 200);
}

}  // namespace
}  // namespace daedalus::testing
