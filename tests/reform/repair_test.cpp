// Systems on which structural analysis alone is wrong: what the repair must find. Expected degrees of
// freedom are the degree of the determinant of the matrix pencil (linear cases, computed by hand) or follow
// from the known solution.
#include <gtest/gtest.h>

#include "reform/level_system.hpp"
#include "support/equations.hpp"

namespace daedalus {
namespace {

using testing::cos;
using testing::der;
using testing::Equations;
using testing::exp;
using testing::sin;
using testing::tanh;
using testing::Term;

LevelSystem reduced(const Equations& e) {
  auto result = make_level_system(e.system, false);
  EXPECT_TRUE(result.has_value()) << (result ? "" : render(result.error(), *e.system.sources));
  return result.value_or(LevelSystem{});
}

TEST(Repair, SumOfRowsHidesAnAlgebraicEquation) {
  // x = t + sin t, y = 0: no freedom at all; x'' is needed, so the index is 3.
  Equations e;
  const Term x = e.variable("x");
  const Term y = e.variable("y");
  e.equation(-der(x, 2) - y - sin(e.time()), "f1");
  e.equation(der(x, 2) + x + y - e.time(), "f2");
  const LevelSystem s = reduced(e);
  EXPECT_EQ(s.plan.degrees_of_freedom, 0);
  EXPECT_EQ(s.plan.structural_index, 3);
  ASSERT_EQ(s.repairs.size(), 1U);
  EXPECT_NE(s.repairs[0].text.find("[f1]"), std::string::npos);
  EXPECT_NE(s.repairs[0].text.find("[f2]"), std::string::npos);
}

TEST(Repair, TwoRoundsForScholzAndSteinbrecher) {
  Equations e;
  const Term x1 = e.variable("x1");
  const Term x2 = e.variable("x2");
  const Term x3 = e.variable("x3");
  const Term x4 = e.variable("x4");
  const Term t = e.time();
  e.equation(-der(x1) + x3 - sin(t), "f1");
  e.equation(-der(x2) + x4 - cos(t), "f2");
  e.equation(x2 + x3 + x4 - t, "f3");
  e.equation(-x1 + x3 + x4 - t * t, "f4");
  const LevelSystem s = reduced(e);
  EXPECT_EQ(s.plan.degrees_of_freedom, 0);
  EXPECT_EQ(s.plan.structural_index, 2);
  EXPECT_EQ(s.repairs.size(), 2U);
}

TEST(Repair, NonlinearCombinationBySubstitution) {
  // With z = x1 + x2 x2' the system is one implicit first-order equation for x2: one degree of freedom.
  Equations e;
  const Term x1 = e.variable("x1", 1);
  const Term x2 = e.variable("x2", 1);
  const Term t = e.time();
  e.equation(x1 + exp(-der(x1) - x2 * der(x2, 2)) - sin(t) - 2, "f1");
  e.equation(x1 + x2 * der(x2) + x2 * x2 - cos(t) - 2, "f2");
  const LevelSystem s = reduced(e);
  EXPECT_EQ(s.plan.degrees_of_freedom, 1);
  EXPECT_EQ(s.plan.structural_index, 1);
  ASSERT_EQ(s.repairs.size(), 1U);
  EXPECT_EQ(s.repairs[0].method, Repair::Method::Substitution);
}

TEST(Repair, PendulumInDisguise) {
  // x2 sin x3 and x2 cos x3 are the height and the multiplier of a pendulum: two degrees of freedom.
  Equations e;
  const Term x1 = e.variable("x1", 0.5);
  const Term x2 = e.variable("x2", 8.5311195044981);
  const Term x3 = e.variable("x3", -3.03990380183);
  const Term x4 = e.variable("x4");
  const Term x5 = e.variable("x5");
  e.equation(der(x4) - x1 * x2 * cos(x3), "f1");
  e.equation(der(x5) - x2 * x2 * cos(x3) * sin(x3) + 9.8, "f2");
  e.equation(x1 * x1 + x2 * x2 * sin(x3) * sin(x3) - 1, "f3");
  e.equation(tanh(der(x1) - x4), "f4");
  e.equation(der(x2) * sin(x3) + x2 * der(x3) * cos(x3) - x5, "f5");
  EXPECT_EQ(reduced(e).plan.degrees_of_freedom, 2);
}

TEST(Repair, IwataOkiTakamatsuLinear) {
  // det of the pencil = -a1 (a5 s^3 - a5 s^2 + a4 s^2): degree 3.
  Equations e;
  const Term x1 = e.variable("x1");
  const Term x2 = e.variable("x2");
  const Term x3 = e.variable("x3");
  const Term x4 = e.variable("x4");
  const Term t = e.time();
  e.equation(der(x1, 2) - der(x1) + der(x2, 2) - der(x2) + x4 - sin(t), "f1");
  e.equation(der(x1, 2) + der(x2, 2) + x3 - cos(t), "f2");
  e.equation(2.0 * x2 + 3.0 * der(x3, 2) + 1.5 * der(x4) - t, "f3");
  e.equation(0.7 * x3 + 1.3 * der(x4) - t * t, "f4");
  EXPECT_EQ(reduced(e).plan.degrees_of_freedom, 3);
}

TEST(Repair, IwataOkiTakamatsuNonlinear) {
  // x1 = cos t - t follows from a difference of two equations: nothing is free.
  Equations e;
  const Term x1 = e.variable("x1", 1);
  const Term x2 = e.variable("x2", 1);
  const Term x3 = e.variable("x3", 1);
  const Term t = e.time();
  e.equation(der(x1) + x2 * x2 - sin(t), "f1");
  e.equation(der(x1) + x1 + x3 - cos(t), "f2");
  e.equation(der(x1) + x3 - t, "f3");
  EXPECT_EQ(reduced(e).plan.degrees_of_freedom, 0);
}

TEST(Repair, MattssonSoderlindExample5) {
  // (4.6) becomes the purely algebraic (4.7).
  Equations e;
  const Term x = e.variable("x");
  const Term y = e.variable("y");
  const Term t = e.time();
  e.equation(der(x) + t * der(y) - sin(t), "(4.6a)");
  e.equation(x + t * y - cos(t), "(4.6b)");
  const LevelSystem s = reduced(e);
  EXPECT_EQ(s.plan.degrees_of_freedom, 0);
  EXPECT_EQ(s.plan.structural_index, 1);
  EXPECT_EQ(s.plan.d, (std::vector<int>{0, 0}));
}

TEST(Repair, CapacitorLoopOfACircuit) {
  // Kirchhoff's laws make v4 = v5 = V(t): only the inductor's current is free.
  Equations e;
  std::vector<Term> i;
  std::vector<Term> v;
  for (int k = 1; k <= 5; ++k) i.push_back(e.variable("i" + std::to_string(k)));
  for (int k = 1; k <= 5; ++k) v.push_back(e.variable("v" + std::to_string(k)));
  e.equation(-i[0] - i[3] + i[4], "node 1");
  e.equation(i[1] + i[2] + i[3] - i[4], "node 2");
  e.equation(v[0] + v[2] - v[4], "loop 1");
  e.equation(-v[0] - v[1] + v[3], "loop 2");
  e.equation(v[1] - v[2], "loop 3");
  e.equation(2.0 * i[0] - v[0], "R1");
  e.equation(3.0 * i[1] - v[1], "R2");
  e.equation(0.5 * der(i[2]) - v[2], "L");
  e.equation(0.1 * der(v[3]) - i[3], "C");
  e.equation(v[4] - sin(e.time()), "source");
  const LevelSystem s = reduced(e);
  EXPECT_EQ(s.plan.degrees_of_freedom, 1);
  EXPECT_EQ(s.plan.structural_index, 2);
}

TEST(Repair, ARegularSystemIsLeftAlone) {
  const testing::Pendulum e(0.6, -0.8, 0, 0);
  const LevelSystem s = reduced(e);
  EXPECT_TRUE(s.repairs.empty());
  EXPECT_EQ(s.plan.c, (std::vector<int>{1, 1, 0, 0, 2}));
  EXPECT_EQ(s.plan.d, (std::vector<int>{2, 2, 1, 1, 0}));
}

TEST(Repair, AnAccidentalZeroAtTheStartIsNoFailure) {
  // ∂/∂y of x*y is zero at x = 0, but not in general.
  Equations e;
  const Term x = e.variable("x");
  const Term y = e.variable("y");
  e.equation(der(x) - y - 1, "f1");
  e.equation(x * y - sin(e.time()), "f2");
  EXPECT_TRUE(reduced(e).repairs.empty());
}

TEST(Repair, RedundantEquationsAreNamed) {
  Equations e;
  const Term x = e.variable("x");
  const Term y = e.variable("y");
  e.equation(x + y - 1, "first");
  e.equation(2.0 * x + 2.0 * y - 2, "twice the first");
  const auto result = make_level_system(e.system, false);
  ASSERT_FALSE(result.has_value());
  const std::string text = render(result.error(), *e.system.sources);
  EXPECT_NE(text.find("[first]"), std::string::npos) << text;
  EXPECT_NE(text.find("[twice the first]"), std::string::npos) << text;
}

}  // namespace
}  // namespace daedalus
