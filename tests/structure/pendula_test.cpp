// Pendula of the literature. Expected offsets: by hand, and as published for DAESA (Nedialkov, Pryce, Tan)
// and by Pantelides (1988).
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "structure/plan.hpp"
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

// Names of variables make the rows below read like the equations.
std::vector<Case> pendula() {
  enum { x, y, lam, u, v, mu };
  std::vector<Case> cases;
  cases.push_back({"pendulum: x''+x lam, y''+y lam-g, x^2+y^2-L^2",
                   make_signature(3, {{{x, 2}, {lam, 0}}, {{y, 2}, {lam, 0}}, {{x, 0}, {y, 0}}}),
                   {0, 0, 2},
                   {2, 2, 0},
                   2,
                   3});
  cases.push_back({"first order: x'=u, y'=v, u'=-x lam, v'=-y lam+g, x^2+y^2=L^2; variables x y u v lam",
                   make_signature(5, {{{0, 1}, {2, 0}},
                                      {{1, 1}, {3, 0}},
                                      {{2, 1}, {0, 0}, {4, 0}},
                                      {{3, 1}, {1, 0}, {4, 0}},
                                      {{0, 0}, {1, 0}}}),
                   {1, 1, 0, 0, 2},
                   {2, 2, 1, 1, 0},
                   2,
                   3});
  cases.push_back({"double pendulum: variables x y u v l m",
                   make_signature(6, {{{0, 2}, {4, 0}, {5, 0}, {2, 0}},
                                      {{1, 2}, {4, 0}, {5, 0}, {3, 0}},
                                      {{2, 2}, {5, 0}, {0, 0}},
                                      {{3, 2}, {5, 0}, {1, 0}},
                                      {{0, 0}, {1, 0}},
                                      {{0, 0}, {1, 0}, {2, 0}, {3, 0}}}),
                   {0, 0, 0, 0, 2, 2},
                   {2, 2, 2, 2, 0, 0},
                   4,
                   3});
  cases.push_back({"two pendula, the second of length L + c lam",
                   make_signature(6, {{{x, 2}, {lam, 0}},
                                      {{y, 2}, {lam, 0}},
                                      {{x, 0}, {y, 0}},
                                      {{u, 2}, {mu, 0}},
                                      {{v, 2}, {mu, 0}},
                                      {{u, 0}, {v, 0}, {lam, 0}}}),
                   {2, 2, 4, 0, 0, 2},
                   {4, 4, 2, 2, 2, 0},
                   4,
                   5});
  cases.push_back({"modified two pendula: v''' and lam''",
                   make_signature(6, {{{x, 2}, {lam, 0}},
                                      {{y, 2}, {lam, 0}},
                                      {{x, 0}, {y, 0}},
                                      {{u, 2}, {mu, 0}},
                                      {{v, 3}, {mu, 0}},
                                      {{u, 0}, {v, 0}, {lam, 2}}}),
                   {4, 4, 6, 0, 0, 2},
                   {6, 6, 4, 2, 3, 0},
                   5,
                   7});
  cases.push_back({"chain of three pendula",
                   pendulum_chain(3),
                   {4, 4, 6, 2, 2, 4, 0, 0, 2},
                   {6, 6, 4, 4, 4, 2, 2, 2, 0},
                   6,
                   7});
  return cases;
}

TEST(Pendula, OffsetsIndexAndDegreesOfFreedom) {
  for (const Case& pendulum : pendula()) {
    SCOPED_TRACE(pendulum.name);
    const auto plan = analyse_structure(pendulum.signature);
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->c, pendulum.c);
    EXPECT_EQ(plan->d, pendulum.d);
    EXPECT_EQ(plan->degrees_of_freedom, pendulum.degrees_of_freedom);
    EXPECT_EQ(plan->structural_index, pendulum.structural_index);
    expect_valid_plan(pendulum.signature, *plan);

    const auto offsets = sigma_method(pendulum.signature);
    ASSERT_TRUE(offsets);
    EXPECT_EQ(offsets->c, pendulum.c);
    EXPECT_EQ(offsets->d, pendulum.d);
    EXPECT_EQ(offsets->value, pendulum.degrees_of_freedom);
  }
}

TEST(Pendula, IndexOfAChainGrowsByTwoAPendulum) {
  for (const int pendula : {1, 2, 3, 5, 50}) {
    const auto plan = analyse_structure(pendulum_chain(pendula));
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->structural_index, 2 * pendula + 1);
    EXPECT_EQ(plan->degrees_of_freedom, 2 * pendula);
    EXPECT_EQ(std::ssize(plan->blocks), pendula);  // each pendulum is solved after the one before
  }
}

TEST(Pendula, ModifiedTwoPendulaHasTheFineBlocksOfDaesa) {
  // fb = (1,2,3,4,7), pe = (5,4,6,3,2,1), pv = (5,6,4,1,2,3), upper triangular: from the bottom up the order
  // of solution is {f1,f2,f3} for x, y, lam; then f6 for u (lam^(4) known); f4 for mu; f5 for v'''.
  const auto plan = analyse_structure(pendula()[4].signature);
  ASSERT_TRUE(plan);
  std::vector<std::set<int>> equations;
  std::vector<std::set<int>> variables;
  for (const Block& block : plan->blocks) {
    equations.emplace_back(block.equations.begin(), block.equations.end());
    variables.emplace_back(block.variables.begin(), block.variables.end());
  }
  EXPECT_EQ(equations, (std::vector<std::set<int>>{{0, 1, 2}, {5}, {3}, {4}}));
  EXPECT_EQ(variables, (std::vector<std::set<int>>{{0, 1, 2}, {3}, {5}, {4}}));
}

TEST(Pendula, IllPosedWithoutAnEquationAndAVariable) {
  // DAESA's illPosed2: f3 is missing (an empty row), mu occurs nowhere.
  enum { x, y, lam, u, v, mu };
  const Signature signature = make_signature(
      6, {{{x, 2}, {lam, 0}}, {{y, 2}, {lam, 0}}, {}, {{u, 2}}, {{v, 3}}, {{u, 0}, {v, 0}, {lam, 2}}});
  const auto plan = analyse_structure(signature);
  ASSERT_FALSE(plan);
  EXPECT_FALSE(sigma_method(signature));
  const DulmageMendelsohn& parts = plan.error();
  EXPECT_EQ(parts.over_equations, std::vector<int>{2});
  EXPECT_EQ(parts.over_variables, std::vector<int>{});
  EXPECT_EQ(parts.under_equations, std::vector<int>{});
  EXPECT_EQ(parts.under_variables, std::vector<int>{mu});
  EXPECT_EQ(parts.well_equations, (std::vector<int>{0, 1, 3, 4, 5}));
  EXPECT_EQ(parts.well_variables, (std::vector<int>{x, y, lam, u, v}));
  EXPECT_EQ(parts.unmatched_equations, std::vector<int>{2});
  EXPECT_EQ(parts.unmatched_variables, std::vector<int>{mu});
}

TEST(Pendula, IllPosedWithOverWellAndUnderdeterminedParts) {
  // DAESA's illPosed3: f3, f4, f6 hold x5, x6 only; f1, f2 then give x1, x2; f5 is left for x3 and x4.
  const Signature signature =
      make_pattern(6, {{0, 1, 4, 5}, {0, 1, 4, 5}, {4, 5}, {4, 5}, {0, 1, 2, 3, 4, 5}, {4, 5}});
  const auto plan = analyse_structure(signature);
  ASSERT_FALSE(plan);
  const DulmageMendelsohn& parts = plan.error();
  EXPECT_EQ(parts.over_equations, (std::vector<int>{2, 3, 5}));
  EXPECT_EQ(parts.over_variables, (std::vector<int>{4, 5}));
  EXPECT_EQ(parts.well_equations, (std::vector<int>{0, 1}));
  EXPECT_EQ(parts.well_variables, (std::vector<int>{0, 1}));
  EXPECT_EQ(parts.under_equations, (std::vector<int>{4}));
  EXPECT_EQ(parts.under_variables, (std::vector<int>{2, 3}));
}

// Pantelides (1988), pages 222-225, by the numbers of ModiaBase's test: the nine equations after index
// reduction (6 = 5', 7 = 1', 8 = 2', 9 = 6') in the variables x y w z x' y' w' z' T x'' y'', all of them now
// algebraic.
std::vector<std::vector<int>> reduced_pendulum() {
  enum { x, y, w, z, dx, dy, dw, dz, T, ddx, ddy };
  return {{w, dx},    {z, dy},   {x, dw, T},
          {y, dz, T}, {x, y},    {x, y, dx, dy},
          {dw, ddx},  {dz, ddy}, {x, y, dx, dy, ddx, ddy}};
}

TEST(Pendula, PantelidesReducedPendulumWithTwoStatesHasThePublishedBlocks) {
  enum { x, y, w };
  auto rows = reduced_pendulum();
  rows.push_back({x});  // x and w are states: known
  rows.push_back({w});
  const auto plan = analyse_structure(make_pattern(11, rows));
  ASSERT_TRUE(plan);
  std::set<std::set<int>> blocks;
  for (const Block& block : plan->blocks) blocks.emplace(block.equations.begin(), block.equations.end());
  EXPECT_EQ(blocks, (std::set<std::set<int>>{{0}, {4}, {5}, {1}, {2, 3, 6, 7, 8}, {9}, {10}}));
  const Block& last = plan->blocks.back();
  EXPECT_EQ(last.equations, (std::vector<int>{2, 3, 6, 7, 8}));
}

TEST(Pendula, PantelidesInitialConditionsOnPositionsAreRefusedOnOthersAccepted) {
  enum { x, y, w, z };
  const auto accepts = [](int first, int second) {
    auto rows = reduced_pendulum();
    rows.push_back({first});
    rows.push_back({second});
    return analyse_structure(make_pattern(11, rows)).has_value();
  };
  EXPECT_FALSE(accepts(x, y));
  EXPECT_TRUE(accepts(x, w));
  EXPECT_TRUE(accepts(w, z));
}

TEST(Pendula, PantelidesReactor) {
  // Pages 225-228: C, T, R, Tc; C' = f(C, R), T' = f(T, R, Tc), R = f(C, T), C = given. Differentiated 1, 0,
  // 1, 2 times; solved 4'', 1', 3', 2 one after the other for C'', R', T', Tc.
  enum { C, T, R, Tc };
  const Signature signature =
      make_signature(4, {{{C, 1}, {R, 0}}, {{T, 1}, {R, 0}, {Tc, 0}}, {{C, 0}, {T, 0}, {R, 0}}, {{C, 0}}});
  const auto plan = analyse_structure(signature);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->c, (std::vector<int>{1, 0, 1, 2}));
  EXPECT_EQ(plan->d, (std::vector<int>{2, 1, 1, 0}));
  EXPECT_EQ(plan->variable_of_equation, (std::vector<int>{R, Tc, T, C}));
  ASSERT_EQ(plan->blocks.size(), 4U);
  EXPECT_EQ(plan->blocks[0].equations, std::vector<int>{3});
  EXPECT_EQ(plan->blocks[1].equations, std::vector<int>{0});
  EXPECT_EQ(plan->blocks[2].equations, std::vector<int>{2});
  EXPECT_EQ(plan->blocks[3].equations, std::vector<int>{1});
  EXPECT_EQ(plan->structural_index, 3);
  EXPECT_EQ(plan->degrees_of_freedom, 0);
}

}  // namespace
}  // namespace daedalus::testing
