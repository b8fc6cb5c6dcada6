// Systems whose structure says more or less than the truth, by the offsets that the Σ-method is known to
// give.
#include <gtest/gtest.h>

#include <string>

#include "structure/plan.hpp"
#include "structure/raise_offsets.hpp"
#include "structure/reference.hpp"
#include "structure/signatures.hpp"

namespace daedalus::testing {
namespace {

struct Case {
  std::string name;
  Signature signature;
  std::vector<int> c;
  std::vector<int> d;
  int degrees_of_freedom;
  int structural_index;
};

void expect_both_methods(const Case& expected) {
  SCOPED_TRACE(expected.name);
  const auto plan = analyse_structure(expected.signature);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->c, expected.c);
  EXPECT_EQ(plan->d, expected.d);
  EXPECT_EQ(plan->degrees_of_freedom, expected.degrees_of_freedom);
  EXPECT_EQ(plan->structural_index, expected.structural_index);
  expect_valid_plan(expected.signature, *plan);
  const auto offsets = sigma_method(expected.signature);
  ASSERT_TRUE(offsets);
  EXPECT_EQ(offsets->c, expected.c);
  EXPECT_EQ(offsets->d, expected.d);
  EXPECT_EQ(offsets->value, expected.degrees_of_freedom);
}

// Reissig, Martinson, Barton (2000), n = 2k + 1: two equations x_2b' + x_2b+1' + x_2b-1 and x_2b' + x_2b+1' +
// x_2b for b = 1 … k, and x_n. Differentiation index 1, structural index k + 1.
Signature reissig(int k) {
  Rows rows;
  for (int b = 1; b <= k; ++b) {
    const int even = 2 * b - 1;  // x_2b, from 0
    rows.push_back({{even - 1, 0}, {even, 1}, {even + 1, 1}});
    rows.push_back({{even, 1}, {even + 1, 1}});  // x_2b occurs undifferentiated too
  }
  rows.push_back({{2 * k, 0}});
  return make_signature(2 * k + 1, rows);
}

TEST(Reissig, StructuralIndexGrowsWithoutBound) {
  for (const int k : {1, 2, 3, 5, 10}) {
    Case expected{"n = " + std::to_string(2 * k + 1), reissig(k), {}, {}, k, k + 1};
    for (int b = 0; b < k; ++b) {
      expected.c.insert(expected.c.end(), {b, b});
      expected.d.insert(expected.d.end(), {b, b + 1});
    }
    expected.c.push_back(k);
    expected.d.push_back(k);
    expect_both_methods(expected);
  }
}

// The structure before any repair; all but one have a singular system Jacobian that structure does not see.
TEST(StructureLies, OffsetsBeforeRepair) {
  const std::vector<Case> cases{
      {"1. -x''-y = sin t; x''+x+y = t",
       make_signature(2, {{{0, 2}, {1, 0}}, {{0, 2}, {1, 0}}}),
       {0, 0},
       {2, 0},
       2,
       1},
      {"2. Scholz, Steinbrecher 4x4",
       make_signature(
           4, {{{0, 1}, {2, 0}}, {{1, 1}, {3, 0}}, {{1, 0}, {2, 0}, {3, 0}}, {{0, 0}, {2, 0}, {3, 0}}}),
       {0, 0, 0, 0},
       {1, 1, 0, 0},
       2,
       1},
      {"3. Tan, Nedialkov, Pryce 2x2",
       make_signature(2, {{{0, 1}, {1, 2}}, {{0, 0}, {1, 1}}}),
       {0, 1},
       {1, 2},
       2,
       1},
      {"4. modified pendulum of Oki",
       make_signature(5, {{{3, 1}, {0, 0}, {1, 0}, {2, 0}},
                          {{4, 1}, {1, 0}, {2, 0}},
                          {{0, 0}, {1, 0}, {2, 0}},
                          {{0, 1}, {3, 0}},
                          {{1, 1}, {2, 1}, {4, 0}}}),
       {0, 0, 1, 0, 0},
       {1, 1, 1, 1, 1},
       4,
       1},
      {"5. Iwata, Oki, Takamatsu, linear",
       make_signature(
           4,
           {{{0, 2}, {1, 2}, {3, 0}}, {{0, 2}, {1, 2}, {2, 0}}, {{1, 0}, {2, 2}, {3, 1}}, {{2, 0}, {3, 1}}}),
       {0, 0, 0, 0},
       {2, 2, 2, 1},
       7,
       0},
      {"6. Iwata, Oki, Takamatsu, nonlinear",
       make_signature(3, {{{0, 1}, {1, 0}}, {{0, 1}, {2, 0}}, {{0, 1}, {2, 0}}}),
       {0, 0, 0},
       {1, 0, 0},
       1,
       1},
  };
  for (const Case& expected : cases) expect_both_methods(expected);
}

TEST(StructureLies, OffsetsAfterTheKnownRepairs) {
  const std::vector<Case> cases{
      {"1. x = sin t + t; x''+x+y = t",
       make_signature(2, {{{0, 0}}, {{0, 2}, {1, 0}}}),
       {2, 0},
       {2, 0},
       0,
       3},
      {"2. third row x1+x2",
       make_signature(4, {{{0, 1}, {2, 0}}, {{1, 1}, {3, 0}}, {{0, 0}, {1, 0}}, {{0, 0}, {2, 0}, {3, 0}}}),
       {0, 0, 1, 0},
       {1, 1, 0, 0},
       1,
       2},
      {"2. and fourth row x1",
       make_signature(4, {{{0, 1}, {2, 0}}, {{1, 1}, {3, 0}}, {{0, 0}, {1, 0}}, {{0, 0}}}),
       {0, 0, 1, 1},
       {1, 1, 0, 0},
       0,
       2},
      {"3. with z = x1 + x2 x2'",
       make_signature(2, {{{0, 1}, {1, 1}}, {{0, 0}, {1, 0}}}),
       {0, 1},
       {1, 1},
       1,
       1},
  };
  for (const Case& expected : cases) expect_both_methods(expected);
}

TEST(DummyDerivatives, ExampleOneOfThePaper) {
  // Mattsson, Söderlind 1991, (3.1): a and b are differentiated twice, c once, d not; one block; z = (x1'',
  // x2'', x3'', x4').
  expect_both_methods(
      {"(3.1)",
       make_signature(
           4,
           {{{0, 0}, {1, 0}}, {{0, 0}, {1, 0}, {2, 0}}, {{0, 0}, {3, 0}}, {{0, 2}, {1, 2}, {2, 2}, {3, 1}}}),
       {2, 2, 1, 0},
       {2, 2, 2, 1},
       2,
       2});
}

TEST(DummyDerivatives, DerivativeChainOfThePaper) {
  // Mattsson, Söderlind 1991, (1.2): y = x', z = y', x = f(t).
  expect_both_methods({"(1.2)",
                       make_signature(3, {{{0, 1}, {1, 0}}, {{1, 1}, {2, 0}}, {{0, 0}}}),
                       {1, 0, 2},
                       {2, 1, 0},
                       0,
                       3});
}

TEST(Structure, OrdinaryDifferentialEquationsHaveIndexZero) {
  expect_both_methods(
      {"x' = y, y' = -x", make_signature(2, {{{0, 1}, {1, 0}}, {{1, 1}, {0, 0}}}), {0, 0}, {1, 1}, 2, 0});
}

TEST(Structure, EmptySystemIsSolved) {
  const auto plan = analyse_structure(Signature{});
  ASSERT_TRUE(plan);
  EXPECT_TRUE(plan->blocks.empty());
  EXPECT_EQ(plan->structural_index, 0);
  EXPECT_TRUE(sigma_method(Signature{}));
}

TEST(Structure, LargeOrdersCostNothing) {
  // x^(10^9) = y, x = f(t): the equation of x is differentiated 10^9 times, in one step.
  constexpr int kOrder = 1'000'000'000;
  expect_both_methods({"x^(10^9)",
                       make_signature(2, {{{0, kOrder}, {1, 0}}, {{0, 0}}}),
                       {0, kOrder},
                       {kOrder, 0},
                       0,
                       kOrder + 1});
}

// To ask for derivatives of a variable is to have one more unknown with the equation v = x_j^(k): the
// Σ-method's offsets of that system are those that must come out.
TEST(RaiseOffsets, AsIfAVariableHadTheDerivativeForAName) {
  const Signature pendulum = make_signature(3, {{{0, 2}, {2, 0}}, {{1, 2}, {2, 0}}, {{0, 0}, {1, 0}}});
  const Signature energy = make_signature(2, {{{0, 0}, {1, 0}}, {{1, 1}, {0, 0}}});
  for (const Signature& signature : {reissig(2), reissig(3), pendulum, energy}) {
    for (int j = 0; j < signature.variables; ++j) {
      for (const int k : {1, 2, 4}) {
        auto plan = analyse_structure(signature);
        ASSERT_TRUE(plan);
        const int freedom = plan->degrees_of_freedom;
        std::vector<int> order(static_cast<std::size_t>(signature.variables), 0);
        order[static_cast<std::size_t>(j)] = k;
        raise_offsets(signature, order, *plan);
        Signature named = signature;
        named.variables += 1;
        named.add_row(std::vector<SignatureEntry>{{j, k}, {signature.variables, 0}});
        auto expected = sigma_method(named);
        ASSERT_TRUE(expected);
        expected->c.pop_back();
        expected->d.pop_back();
        EXPECT_EQ(plan->c, expected->c) << j << " " << k;
        EXPECT_EQ(plan->d, expected->d) << j << " " << k;
        EXPECT_EQ(plan->degrees_of_freedom, freedom);
        expect_valid_plan(signature, *plan);
      }
    }
  }
}

}  // namespace
}  // namespace daedalus::testing
