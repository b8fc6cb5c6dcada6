// Systems on which structural analysis alone is wrong: what the repair must find. Expected degrees of
// freedom are the degree of the determinant of the matrix pencil (linear cases, computed by hand) or follow
// from the known solution.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "reform/level_system.hpp"
#include "support/equations.hpp"
#include "support/model_text.hpp"
#include "support/rewritten.hpp"

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

// Two capacitors in series have one charge, however small they are and however different.
TEST(Repair, CapacitorsInSeriesOfAnySize) {
  for (const double size : {1e-300, 1e-12, 1.0, 1e12}) {
    for (const double ratio : {1e-12, 1.0, 1e9}) {
      Equations e;
      const Term v1 = e.variable("v1");
      const Term v2 = e.variable("v2");
      const Term i = e.variable("i");
      e.equation(size * der(v1) - i, "C1");
      e.equation((size * ratio) * der(v2) - i, "C2");
      e.equation(v1 + v2 - sin(e.time()), "source");
      const LevelSystem s = reduced(e);
      EXPECT_TRUE(s.repairs.empty()) << size << " " << ratio;
      EXPECT_EQ(s.plan.degrees_of_freedom, 1) << size << " " << ratio;
    }
  }
}

// Rows that are multiples of each other: the combination has that factor, and is not rounded to nothing.
TEST(Repair, FactorsOfACombinationHaveAnySize) {
  for (const double factor : {1e-200, 1e-12, 3e-7, 1.0, 1e12}) {
    Equations e;
    const Term x = e.variable("x");
    const Term y = e.variable("y");
    e.equation(der(x) + 0.3 * der(y) - y - cos(e.time()), "f1");
    e.equation(factor * (der(x) + 0.3 * der(y) + x), "f2");
    const LevelSystem s = reduced(e);
    ASSERT_EQ(s.repairs.size(), 1U) << factor;
    EXPECT_EQ(s.repairs[0].method, Repair::Method::LinearCombination);
    // f1 - f2/factor is -y - cos t - x: the derivatives are gone, and one of the two equations is algebraic.
    EXPECT_EQ(s.plan.degrees_of_freedom, 1) << factor;
  }
}

TEST(Repair, TransistorAmplifierOfAnyCapacitance) {
  for (const char* unit : {"1e-6", "1e-10", "1e-12", "1e-15"}) {
    std::vector<ParameterSetting> settings;
    for (int k = 1; k <= 5; ++k)
      settings.push_back({.name = "C[" + std::to_string(k) + "]", .value = std::to_string(k) + "*" + unit});
    const auto levels = make_level_system(testing::problem("transistor_amplifier.mo", settings));
    ASSERT_TRUE(levels.has_value()) << unit;
    EXPECT_EQ(levels->plan.degrees_of_freedom, 5) << unit;
  }
}

// In the branch that is taken near the start an unknown does not count; its equation determines it all the
// same.
TEST(Repair, BranchesThatAreNotTakenLoseNoColumn) {
  for (const char* equation :
       {"max(y - 10, 0) = time", "(if x > 100 then y else 2*y) = time", "abs(y - 5)*y = time",
        "sqrt(abs(y)) + y = time", "(if y > 100 then y else 0) = time", "min(y + 10, 0) = time"}) {
    const auto levels = make_level_system(testing::from_text(
        "model M Real x(start=0), y(start=0); equation der(x) = y; " + std::string(equation) + "; end M;"));
    ASSERT_TRUE(levels.has_value()) << equation;
    EXPECT_TRUE(levels->repairs.empty()) << equation;
    EXPECT_EQ(levels->plan.degrees_of_freedom, 1) << equation;
  }
}

// What is true of the present value of a free parameter is no property of the model.
TEST(Repair, AFreeParameterIsNotItsValue) {
  const std::string text =
      "model M parameter Real p = 2; Real x, y; equation der(x) + p*der(y) = -x; 2*der(x) + 4*der(y) = -y; "
      "end M;";
  const auto fixed = make_level_system(testing::from_text(text));
  ASSERT_TRUE(fixed.has_value());
  EXPECT_EQ(fixed->plan.degrees_of_freedom, 1);
  auto sources = std::make_shared<SourceMap>();
  const auto free = load_model(sources, sources->add("m.mo", text), {.settings = {}, .free = {"p"}});
  ASSERT_TRUE(free.has_value());
  const auto levels = make_level_system(*free);
  ASSERT_TRUE(levels.has_value());
  EXPECT_TRUE(levels->repairs.empty());
  EXPECT_EQ(levels->plan.degrees_of_freedom, 2);
}

// x = sin t, and v and l are its derivatives: written with terms that cancel, exactly or up to rounding.
TEST(Repair, TermsThatCancelDoNotCount) {
  for (const char* equation : {"x - sin(time) + 2*der(x) = 2*v", "x - sin(time) + 0.3*der(x) = 0.1*v + 0.2*v",
                               "1e12*(x - sin(time)) + 0.3e12*der(x) = 0.1e12*v + 0.2e12*v",
                               "x - sin(time) + l^2 = l^2 + v - der(x)", "x - sin(time) + 0*exp(1)*l = 0"}) {
    for (const bool raise : {true, false}) {
      const auto levels =
          make_level_system(testing::from_text("model M Real x, v, l; equation der(x)=v; der(v)=l; " +
                                               std::string(equation) + "; end M;"),
                            raise);
      ASSERT_TRUE(levels.has_value()) << equation;
      EXPECT_EQ(levels->plan.degrees_of_freedom, 0) << equation;
      EXPECT_EQ(levels->differentiation_index(), 3) << equation;
    }
  }
}

// Each of the models above and below, in other units and another order.
TEST(Repair, DoesNotDependOnUnitsAndOrder) {
  const DaeSystem system = testing::problem("transistor_amplifier.mo");
  const LevelSystem first = make_level_system(system).value();
  for (unsigned seed = 0; seed < 10; ++seed) {
    testing::Chance chance(seed);
    DaeSystem other = system;
    for (const testing::Change change :
         {testing::Change::EquationOrder, testing::Change::VariableOrder, testing::Change::Sides,
          testing::Change::EquationFactors, testing::Change::Units})
      other = testing::changed(other, change, chance);
    const auto again = make_level_system(other);
    ASSERT_TRUE(again.has_value()) << seed;
    EXPECT_EQ(again->repairs.size(), first.repairs.size()) << seed;
    EXPECT_EQ(again->plan.degrees_of_freedom, first.plan.degrees_of_freedom) << seed;
    EXPECT_EQ(again->index(), first.index()) << seed;
  }
}

}  // namespace
}  // namespace daedalus
