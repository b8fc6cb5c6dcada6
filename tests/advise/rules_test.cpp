// The rules alone: what is recommended for which measures, as papers 003 and 000 have it.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "advise/advice.hpp"
#include "models.hpp"
#include "support/formed.hpp"
#include "support/model_families.hpp"

namespace daedalus::testing {
namespace {

// A pendulum's form with measures of our own: nothing is stiff, nothing turns, everything regular.
struct Measured {
  explicit Measured(const std::string& text = pendulum) : formed(from_text(text)) {
    advice.measures.taken = true;
    advice.measures.rank = formed.form->ny();
    advice.measures.sigma_min = 0.5;
    advice.measures.mass_condition = 1;
    advice.measures.solution_rate = 3;
    advice.measures.length = 10;
  }
  Advice& recommended() {
    recommend(*formed.form, advice);
    return advice;
  }
  Measures& measures() { return advice.measures; }
  Formed formed;
  Advice advice;
};

// Rates are compared with that of the solution, 3: thirty times as fast is fast.
constexpr double fast = 3 * 31;
constexpr double slow = 3 * 29;

TEST(Rules, SlowMotionsAreProjected) {
  Measured m;
  EXPECT_EQ(m.recommended().formulation.name(), "orthogonal-projection");
  EXPECT_EQ(m.advice.motion, MotionCase::Slow);
  EXPECT_TRUE(m.advice.suits_explicit);
  EXPECT_NE(m.advice.why.find("case 1"), std::string::npos) << m.advice.why;
}

TEST(Rules, TheFourCasesAreThoseOfThePaper) {
  struct Row {
    double stiffness, coupling, speed;
    MotionCase motion;
    const char* formulation;
  };
  for (const Row& row :
       std::initializer_list<Row>{{slow, slow, slow, MotionCase::Slow, "orthogonal-projection"},
                                  {slow, 0, fast, MotionCase::FastConstraints, "projected-invariants"},
                                  {fast, 0, fast, MotionCase::StiffCoupling, "projected-invariants"},
                                  {0, fast, 0, MotionCase::StiffCoupling, "projected-invariants"}}) {
    Measured m;
    m.measures().stiffness = row.stiffness;
    m.measures().coupling = row.coupling;
    m.measures().constraint_speed = row.speed;
    EXPECT_EQ(m.recommended().motion, row.motion) << m.advice.why;
    EXPECT_EQ(m.advice.formulation.name(), row.formulation) << m.advice.why;
  }
}

// Stiff by itself: after a look ahead it is known; before it, an explicit method finds out.
TEST(Rules, AStiffMotionIsForImplicitMethodsOnceItIsKnown) {
  Measured m;
  m.measures().stiffness = fast;
  EXPECT_EQ(m.recommended().motion, MotionCase::StiffMotion);
  EXPECT_EQ(m.advice.formulation.name(), "orthogonal-projection");
  Measured seen;
  seen.measures().stiffness = fast;
  seen.measures().looked_ahead = 1;
  EXPECT_EQ(seen.recommended().formulation.name(), "dummy-derivatives");
  EXPECT_FALSE(seen.advice.suits_explicit);
}

// The rate of the solution is never less than one over the length of the run.
TEST(Rules, ARestingSolutionIsMeasuredByTheRun) {
  Measured m;
  m.measures().solution_rate = 0;
  m.measures().length = 0.01;  // rate 100: 31 times 3 is not fast
  m.measures().constraint_speed = fast;
  EXPECT_EQ(m.recommended().motion, MotionCase::Slow);
  m.measures().length = 10;
  EXPECT_EQ(m.recommended().motion, MotionCase::FastConstraints);
}

// Held up by stability on the way: whatever was largest counts as stiff.
TEST(Rules, WhatTheRunAheadMetCounts) {
  Measured m;
  m.measures().stiff_ahead = true;
  m.measures().looked_ahead = 1;
  m.measures().stiffness = 5;
  EXPECT_EQ(m.recommended().motion, MotionCase::StiffMotion);
  Measured coupled;
  coupled.measures().stiff_ahead = true;
  coupled.measures().looked_ahead = 1;
  coupled.measures().coupling = 5;
  coupled.measures().stiffness = 4;
  EXPECT_EQ(coupled.recommended().motion, MotionCase::StiffCoupling);
}

TEST(Rules, NearlySingularConstraintsAreLeftToPivots) {
  Measured m;
  m.measures().constraint_speed = fast;
  m.measures().sigma_min = 1e-5;
  EXPECT_EQ(m.recommended().formulation.name(), "dummy-derivatives");
  EXPECT_NE(m.advice.why.find("nearly singular"), std::string::npos);
}

// Explicitly where forces act along the gradients, so that a projection finds its way back; else by
// regularisation.
TEST(Rules, RedundantConstraintsArePaperZero) {
  const auto recommended = [](bool symmetric, double coupling) {
    Measured m;
    m.formed.form->symmetric = symmetric;
    m.measures().redundant.push_back({.constraint = 0, .name = "g", .combination = {}});
    m.measures().coupling = coupling;
    EXPECT_NE(m.recommended().why.find("1 of 1 constraints is redundant"), std::string::npos) << m.advice.why;
    return std::string(m.advice.formulation.name());
  };
  EXPECT_EQ(recommended(true, 0), "orthogonal-projection");
  EXPECT_EQ(recommended(false, 0), "trust-region");
  EXPECT_EQ(recommended(true, fast), "trust-region");
}

TEST(Rules, SingularPointsOnTheWay) {
  const RankChange change{.t = 2.5, .from = 1, .to = 0, .constraints = {"x^2 + y^2 = 1"}};
  Measured m;
  m.measures().singular = change;
  EXPECT_EQ(m.recommended().formulation.name(), "orthogonal-projection");
  EXPECT_NE(m.advice.why.find("near t = 2.5, from 1 to 0 (x^2 + y^2 = 1)"), std::string::npos)
      << m.advice.why;
  Measured stiff;
  stiff.measures().singular = change;
  stiff.measures().coupling = fast;
  EXPECT_EQ(stiff.recommended().formulation.name(), "trust-region");
}

// At t = 1e-9 of a run over 10 is at its beginning, and of many constraints two are named.
TEST(Rules, WhereRankIsLostIsSaidShortly) {
  Measured m;
  m.measures().singular = RankChange{.t = 1e-9, .from = 4, .to = 3, .constraints = {"a", "b", "c", "d"}};
  EXPECT_NE(m.recommended().why.find("near t = 0, from 4 to 3 (a, b and 2 more)"), std::string::npos)
      << m.advice.why;
}

// Velocities kept on a line that turns: constraints of velocity do not say how a motion goes on.
TEST(Rules, MotionConstraintsAreNotPassed) {
  Measured m(sled);
  EXPECT_FALSE(passes_singular_points(*m.formed.form));
  m.measures().singular = RankChange{.t = 1, .from = 1, .to = 0};
  EXPECT_EQ(m.recommended().formulation.name(), "dummy-derivatives");
  EXPECT_TRUE(passes_singular_points(*Measured().formed.form));
}

TEST(Rules, WhatKeepsDummyDerivatives) {
  Measured heavy;
  heavy.measures().mass_condition = std::numeric_limits<double>::infinity();
  EXPECT_NE(heavy.recommended().why.find("mass matrix is singular"), std::string::npos);
  EXPECT_EQ(heavy.advice.formulation.name(), "dummy-derivatives");
  Measured held;
  held.measures().rank = held.formed.form->n();
  EXPECT_NE(held.recommended().why.find("nothing free to move"), std::string::npos);
  EXPECT_EQ(held.advice.formulation.name(), "dummy-derivatives");
  Measured wild;
  wild.measures().uncontrolled = true;
  EXPECT_NE(wild.recommended().why.find("index is higher"), std::string::npos);
  Measured slender;
  slender.measures().sigma_min = 1e-9;
  EXPECT_FALSE(slender.recommended().suits_explicit);
  EXPECT_EQ(slender.advice.formulation.name(), "dummy-derivatives");
}

// After reinit() the states of dummy derivatives say what is kept.
TEST(Rules, ModelsWithReinitKeepTheirStates) {
  Measured m(R"(model Thrown
  Real x(start = 1); Real y(start = 0, fixed = true); Real vx; Real vy(start = 0, fixed = true); Real lambda;
equation
  der(x) = vx; der(y) = vy;
  der(vx) = -2*x*lambda;
  der(vy) = -2*y*lambda - 9.81;
  x^2 + y^2 = 1;
  when x < 0 then reinit(vx, -pre(vx)); end when;
end Thrown;)");
  EXPECT_EQ(m.recommended().formulation.name(), "dummy-derivatives");
  EXPECT_FALSE(m.advice.suits_explicit);
  m.measures().constraint_speed = fast;
  EXPECT_NE(m.recommended().why.find("reinit()"), std::string::npos);
}

// Rates that are round-off beside the others are shown as nothing.
TEST(Rules, RoundingIsNotShown) {
  Measured m;
  m.measures().constraint_speed = 50;
  m.measures().stiffness = 1e-12;
  EXPECT_NE(m.recommended().why.find("|λ| ≤ 0,"), std::string::npos) << m.advice.why;
}

TEST(Rules, DegreesOfFreedomDoNotCountRedundantConstraints) {
  const Measured m;
  const ConstrainedForm& form = *m.formed.form;
  EXPECT_EQ(degrees_of_freedom(form, {}), 2);
  const std::vector<Redundancy> redundant{{.constraint = 0, .name = "g", .combination = {}}};
  EXPECT_EQ(degrees_of_freedom(form, redundant), 4);
}

}  // namespace
}  // namespace daedalus::testing
