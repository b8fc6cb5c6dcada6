#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "structure/matching.hpp"
#include "structure/plan.hpp"
#include "structure/signatures.hpp"

namespace daedalus::testing {
namespace {

TEST(DulmageMendelsohn, TooManyEquationsNameOnlyThoseInConflict) {
  // x = 1, x = 2, y = x + 1: only the first two are in conflict.
  const DulmageMendelsohn parts = dulmage_mendelsohn(make_pattern(2, {{0}, {0}, {0, 1}}));
  EXPECT_EQ(parts.over_equations, (std::vector<int>{0, 1}));
  EXPECT_EQ(parts.over_variables, std::vector<int>{0});
  EXPECT_EQ(parts.well_equations, std::vector<int>{2});
  EXPECT_EQ(parts.well_variables, std::vector<int>{1});
  EXPECT_EQ(parts.unmatched_equations.size(), 1U);
  EXPECT_TRUE(parts.under_variables.empty());
  EXPECT_TRUE(parts.unmatched_variables.empty());
}

TEST(DulmageMendelsohn, TooFewEquationsNameTheUndetermined) {
  // x' = 1; y + z = x.
  const DulmageMendelsohn parts = dulmage_mendelsohn(make_signature(3, {{{0, 1}}, {{1, 0}, {2, 0}, {0, 0}}}));
  EXPECT_EQ(parts.under_equations, std::vector<int>{1});
  EXPECT_EQ(parts.under_variables, (std::vector<int>{1, 2}));
  EXPECT_EQ(parts.well_equations, std::vector<int>{0});
  EXPECT_EQ(parts.well_variables, std::vector<int>{0});
  EXPECT_EQ(parts.unmatched_variables.size(), 1U);
}

TEST(DulmageMendelsohn, RegularSystemIsAllWellDetermined) {
  const DulmageMendelsohn parts = dulmage_mendelsohn(pendulum_chain(2));
  EXPECT_EQ(parts.well_equations.size(), 6U);
  EXPECT_EQ(parts.well_variables.size(), 6U);
  EXPECT_TRUE(parts.unmatched_equations.empty());
}

TEST(DulmageMendelsohn, NonSquareSystemsFailTheAnalysis) {
  const auto plan = analyse_structure(make_pattern(3, {{0, 1, 2}, {0}}));
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().under_variables, (std::vector<int>{1, 2}));
  const auto offsets = sigma_method(make_pattern(1, {{0}, {0}}));
  ASSERT_FALSE(offsets);
  EXPECT_EQ(offsets.error().over_equations, (std::vector<int>{0, 1}));
}

// The theorem: three parts that partition both sides; equations of the overdetermined part hold only its
// variables, underdetermined variables occur only in its equations; the well-determined part is square.
// Together with the surplus of equations and variables this makes the parts unique.
TEST(DulmageMendelsohn, PartsOfRandomSystemsSatisfyTheTheorem) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 2000; ++trial) {
    Signature signature = random_signature(1 + trial % 25, 0.6 + trial % 6 * 0.4, 1, random);
    signature.variables += trial % 4;
    const DulmageMendelsohn parts = dulmage_mendelsohn(signature);
    enum Part { None, Over, Well, Under };
    std::vector<Part> equation_part(static_cast<std::size_t>(signature.equations()), None);
    std::vector<Part> variable_part(static_cast<std::size_t>(signature.variables), None);
    const auto mark = [](std::vector<Part>& part, const std::vector<int>& members, Part value) {
      for (const int member : members) {
        EXPECT_EQ(part[member], None);
        part[member] = value;
      }
    };
    mark(equation_part, parts.over_equations, Over);
    mark(equation_part, parts.well_equations, Well);
    mark(equation_part, parts.under_equations, Under);
    mark(variable_part, parts.over_variables, Over);
    mark(variable_part, parts.well_variables, Well);
    mark(variable_part, parts.under_variables, Under);
    EXPECT_EQ(std::ranges::count(equation_part, None) + std::ranges::count(variable_part, None), 0);
    for (int i = 0; i < signature.equations(); ++i) {
      for (const auto [j, order] : signature.row(i))
        ASSERT_LE(variable_part[j], equation_part[i]) << "trial " << trial;
    }
    EXPECT_EQ(parts.over_equations.size() - parts.over_variables.size(), parts.unmatched_equations.size());
    EXPECT_EQ(parts.under_variables.size() - parts.under_equations.size(), parts.unmatched_variables.size());
    EXPECT_EQ(parts.well_equations.size(), parts.well_variables.size());
  }
}

}  // namespace
}  // namespace daedalus::testing
