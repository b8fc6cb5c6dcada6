// Which models have the constrained form M x^(m) = f - B y, 0 = g, and what is said of those that have not.
#include "reform/constrained_form.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/model_text.hpp"

namespace daedalus {
namespace {

using testing::from_text;

ConstrainedForm recognised(const DaeSystem& system) {
  auto form = recognise_constrained_form(system);
  EXPECT_TRUE(form.has_value()) << (form ? "" : render(form.error(), *system.sources));
  return std::move(form).value();
}

std::vector<std::string> names(const ConstrainedForm& form, const std::vector<VariableId>& ids) {
  std::vector<std::string> found;
  for (const VariableId id : ids) found.push_back(form.system().variables[id.at()].name);
  return found;
}

std::string refusal(const std::string& text) {
  const DaeSystem system = from_text(text);
  const auto form = recognise_constrained_form(system);
  EXPECT_FALSE(form.has_value());
  return form ? "" : render(form.error(), *system.sources);
}

// The value of an entry of a matrix of the form, its leaves given by name and order: "x", "der(x)", …
using Values = std::vector<std::pair<std::string, double>>;
double entry(const ConstrainedForm& form, const SymbolicMatrix& matrix, std::pair<int, int> place,
             const Values& values) {
  for (const SymbolicEntry& e : matrix.entries) {
    if (e.row != place.first || e.column != place.second) continue;
    return evaluate(form.graph(), e.value, [&](NodeId leaf) {
      const std::string name = leaf_name(form.system(), leaf);
      const auto found = std::ranges::find(values, name, &Values::value_type::first);
      EXPECT_NE(found, values.end()) << name;
      return found == values.end() ? 0 : found->second;
    });
  }
  return 0;
}

constexpr const char* circuit = R"(model Circuit "two capacitors and a source in a loop"
  Real u1, u2(start = 0), i;
equation
  der(u1) = i + 3*u2;
  2*der(u2) = i;
  u1 + u2 = sin(time);
end Circuit;)";

constexpr const char* pendulum = R"(model Pendulum
  parameter Real m = 2;
  Real x(start = 1, fixed = true), y(start = 0), vx, vy(start = 0, fixed = true), lambda;
equation
  der(x) = vx;
  der(y) = vy;
  m*der(vx) = -2*lambda*x;
  m*der(vy) = -2*lambda*y - m*9.81;
  x^2 + y^2 = 1;
end Pendulum;)";

TEST(ConstrainedForm, OrderOneIsIndexTwo) {
  const ConstrainedForm form = recognised(from_text(circuit));
  EXPECT_EQ(form.order, 1);
  EXPECT_EQ(names(form, form.positions), (std::vector<std::string>{"u1", "u2"}));
  EXPECT_EQ(names(form, form.multipliers), std::vector<std::string>{"i"});
  ASSERT_EQ(form.ny(), 1);
  EXPECT_EQ(form.constraints[0].level, 0);
  EXPECT_EQ(form.constraints[0].derivatives.size(), 2U);
  EXPECT_TRUE(form.companions.empty());
  // der(u1) - i - 3*u2 and 2*der(u2) - i: M = diag(1, 2), B = (-1, -1)ᵀ, G = (1, 1).
  EXPECT_EQ(entry(form, form.mass, {0, 0}, {}), 1);
  EXPECT_EQ(entry(form, form.mass, {1, 1}, {}), 2);
  EXPECT_EQ(entry(form, form.mass, {0, 1}, {}), 0);
  EXPECT_EQ(entry(form, form.input, {0, 0}, {}), -1);
  EXPECT_EQ(entry(form, form.input, {1, 0}, {}), -1);
  EXPECT_EQ(entry(form, form.constraint, {0, 0}, {}), 1);
  EXPECT_EQ(entry(form, form.constraint, {0, 1}, {}), 1);
}

TEST(ConstrainedForm, OrderTwoIsMechanics) {
  const ConstrainedForm form = recognised(from_text(pendulum));
  EXPECT_EQ(form.order, 2);
  EXPECT_EQ(names(form, form.positions), (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(names(form, form.multipliers), std::vector<std::string>{"lambda"});
  ASSERT_EQ(form.ny(), 1);
  EXPECT_EQ(form.constraints[0].derivatives.size(), 3U);
  const Values at{{"x", 0.6}, {"y", -0.8}, {"vx", 4}, {"vy", 3}, {"der(x)", 4}, {"der(y)", 3}};
  EXPECT_EQ(entry(form, form.mass, {0, 0}, at), 2);
  EXPECT_EQ(entry(form, form.mass, {1, 1}, at), 2);
  EXPECT_DOUBLE_EQ(entry(form, form.input, {0, 0}, at), 1.2);
  EXPECT_DOUBLE_EQ(entry(form, form.input, {1, 0}, at), -1.6);
  EXPECT_DOUBLE_EQ(entry(form, form.constraint, {0, 0}, at), 1.2);
  EXPECT_DOUBLE_EQ(entry(form, form.constraint, {0, 1}, at), -1.6);
  // L = ∂(2 x x' + 2 y y')/∂(x, y) = (2 x', 2 y')
  EXPECT_DOUBLE_EQ(entry(form, form.curvature, {0, 0}, at), 8);
  EXPECT_DOUBLE_EQ(entry(form, form.curvature, {0, 1}, at), 6);
}

TEST(ConstrainedForm, OrderThree) {
  const ConstrainedForm form = recognised(from_text(R"(model Third
  Real x(start = 1, fixed = true), y, x1, y1(start = 1, fixed = true), x2, y2(fixed = true), lambda;
equation
  der(x) = x1; der(x1) = x2; der(x2) = -lambda*x;
  der(y) = y1; der(y1) = y2; der(y2) = -lambda*y - 1;
  x^2 + y^2 = 1;
end Third;)"));
  EXPECT_EQ(form.order, 3);
  EXPECT_EQ(form.n(), 2);
  EXPECT_EQ(form.constraints[0].derivatives.size(), 4U);
  // The derivative array: g differentiated three times, so index 4, and 6 - 3 degrees of freedom.
  const LevelSystem levels = level_system_of(form);
  EXPECT_EQ(levels.index(), 4);
  EXPECT_EQ(levels.plan.degrees_of_freedom, 3);
}

TEST(ConstrainedForm, SecondDerivativesMayBeWrittenDirectly) {
  const ConstrainedForm form = recognised(from_text(R"(model Direct
  Real x(start = 1, fixed = true), y, lambda;
equation
  der(der(x)) = -lambda*x;
  der(der(y)) = -lambda*y - 9.81;
  x^2 + y^2 = 1;
end Direct;)"));
  EXPECT_EQ(form.order, 2);
  EXPECT_EQ(names(form, form.multipliers), std::vector<std::string>{"lambda"});
}

TEST(ConstrainedForm, SeveralMultipliersAndAFullMassMatrix) {
  const ConstrainedForm form = recognised(testing::problem("slider_crank.mo"));
  EXPECT_EQ(form.order, 2);
  EXPECT_EQ(form.ny(), static_cast<int>(form.multipliers.size()));
  EXPECT_EQ(form.n(), static_cast<int>(form.dynamics.size()));
  EXPECT_GE(form.ny(), 1);
  const ConstrainedForm third = recognised(testing::problem("ascher_petzold_3.mo"));
  EXPECT_EQ(third.mass.entries.size(), 4U);
}

TEST(ConstrainedForm, MotionConstraintsHaveALevelOfTheirOwn) {
  const ConstrainedForm form = recognised(from_text(R"(model Sledge
  Real x(fixed = true), y(fixed = true), z(start = 1), phi(fixed = true);
  Real vx, vy, vz, w(start = 1, fixed = true), lambda, mu;
equation
  der(x) = vx; der(y) = vy; der(z) = vz; der(phi) = w;
  der(vx) = 0.5 - lambda*sin(phi); der(vy) = lambda*cos(phi); der(vz) = mu - 1; der(w) = 0;
  vx*sin(phi) - vy*cos(phi) = 0;
  z = cos(time);
end Sledge;)"));
  EXPECT_EQ(form.order, 2);
  ASSERT_EQ(form.ny(), 2);
  const auto motion = std::ranges::find(form.constraints, 1, &FormConstraint::level);
  const auto holonomic = std::ranges::find(form.constraints, 0, &FormConstraint::level);
  ASSERT_NE(motion, form.constraints.end());
  ASSERT_NE(holonomic, form.constraints.end());
  // Its own derivative already holds accelerations.
  EXPECT_EQ(motion->derivatives.size(), 2U);
  EXPECT_EQ(holonomic->derivatives.size(), 3U);
  // Ĝ = ∂/∂(x', y', …) = (sin φ, -cos φ, …).
  const int row = static_cast<int>(motion - form.constraints.begin());
  const Values at{{"phi", 0.5}};
  EXPECT_DOUBLE_EQ(entry(form, form.constraint, {row, 0}, at), std::sin(0.5));
  EXPECT_DOUBLE_EQ(entry(form, form.constraint, {row, 1}, at), -std::cos(0.5));
  const LevelSystem levels = level_system_of(form);
  EXPECT_EQ(levels.plan.degrees_of_freedom, 8 - 2 - 1);
}

TEST(ConstrainedForm, AuxiliaryVariablesAreWrittenOut) {
  const ConstrainedForm form = recognised(from_text(R"(model Auxiliary
  Real x(start = 1, fixed = true), y, vx, vy(fixed = true), Fx, Fy, F, lambda, r2;
equation
  der(x) = vx; der(y) = vy;
  der(vx) = Fx; der(vy) = Fy - 9.81;
  Fx = -F*x; Fy = -F*y; F = 2*lambda;
  r2 = x^2 + y^2;
  r2 = 1;
end Auxiliary;)"));
  EXPECT_EQ(form.order, 2);
  EXPECT_EQ(form.ny(), 1);
  EXPECT_TRUE(form.companions.empty());
  ASSERT_EQ(form.multipliers.size(), 1U);
  // One of F and lambda remains, whichever; B is the constraint's gradient up to a factor. The equations of
  // motion may stand in any order: row r is that of the position whose acceleration it holds.
  const Values at{{"x", 0.6}, {"y", -0.8}};
  const int row_x = entry(form, form.mass, {0, 0}, at) != 0 ? 0 : 1;
  const double b1 = entry(form, form.input, {row_x, 0}, at);
  const double b2 = entry(form, form.input, {1 - row_x, 0}, at);
  EXPECT_NE(b1, 0);
  EXPECT_DOUBLE_EQ(b2 / b1, -0.8 / 0.6);
}

TEST(ConstrainedForm, CompanionsComeAlong) {
  const ConstrainedForm form = recognised(from_text(R"(model Motor
  Real x(start = 1, fixed = true), y, vx, vy(fixed = true), lambda;
  Real i(fixed = true), w(start = 0.5);
equation
  der(x) = vx; der(y) = vy;
  der(vx) = -lambda*x + i*y; der(vy) = -lambda*y - 9.81 - w*x;
  x^2 + y^2 = 1;
  der(i) = w - i;
  w + w^3 = x + i;
end Motor;)"));
  EXPECT_EQ(form.order, 2);
  EXPECT_EQ(names(form, form.multipliers), std::vector<std::string>{"lambda"});
  ASSERT_EQ(form.companions.size(), 2U);
  EXPECT_EQ(form.companion_equations.size(), 2U);
  for (const Companion& companion : form.companions) {
    const std::string& name = form.system().variables[companion.variable.at()].name;
    EXPECT_EQ(companion.order, name == "i" ? 1 : 0) << name;
  }
}

// Free bodies beside constrained ones have no row in G and no column in B.
TEST(ConstrainedForm, UnconstrainedBodiesArePositionsToo) {
  const ConstrainedForm form = recognised(from_text(R"(model Driven
  Real x, v, z(start = 1, fixed = true), w(fixed = true), F;
equation
  der(x) = v; der(z) = w;
  der(v) = F - (x - z); 2*der(w) = x - z;
  x = sin(time);
end Driven;)"));
  EXPECT_EQ(form.n(), 2);
  EXPECT_EQ(names(form, form.multipliers), std::vector<std::string>{"F"});
  EXPECT_EQ(form.constraint.entries.size(), 1U);
  EXPECT_EQ(form.input.entries.size(), 1U);
}

TEST(ConstrainedForm, RedundantConstraintsHaveTheForm) {
  const ConstrainedForm form = recognised(from_text(R"(model Twice
  Real x(start = 1, fixed = true), y, vx, vy(fixed = true), l1, l2;
equation
  der(x) = vx; der(y) = vy;
  der(vx) = -l1*x - 2*l2*x; der(vy) = -l1*y - 2*l2*y - 9.81;
  x^2 + y^2 = 1;
  2*x^2 + 2*y^2 = 2;
end Twice;)"));
  EXPECT_EQ(form.ny(), 2);
  EXPECT_EQ(form.multipliers.size(), 2U);
}

// Whatever the order in which they are written, equation i is that of x_i: M as a norm and Gᵀτ in the
// dynamics need it.
TEST(ConstrainedForm, EquationsOfMotionStandInTheOrderOfThePositions) {
  const ConstrainedForm form = recognised(from_text(R"(model Mixed
  Real x(start = 1, fixed = true), y, z(fixed = true), vx, vy(fixed = true), vz(fixed = true), lambda;
equation
  der(x) = vx; der(y) = vy; der(z) = vz;
  5*der(vz) + der(vy) = -z;
  3*der(vy) = -lambda*y - 9.81;
  2*der(vx) = -lambda*x;
  x^2 + y^2 = 1;
end Mixed;)"));
  EXPECT_EQ(names(form, form.positions), (std::vector<std::string>{"x", "y", "z"}));
  EXPECT_EQ(entry(form, form.mass, {0, 0}, {}), 2);
  EXPECT_EQ(entry(form, form.mass, {1, 1}, {}), 3);
  EXPECT_EQ(entry(form, form.mass, {2, 2}, {}), 5);
  EXPECT_EQ(entry(form, form.mass, {2, 1}, {}), 1);
  EXPECT_EQ(form.mass.entries.size(), 4U);
  const Values at{{"x", 0.6}, {"y", -0.8}};
  EXPECT_EQ(entry(form, form.input, {0, 0}, at), 0.6);
  EXPECT_EQ(entry(form, form.input, {1, 0}, at), -0.8);
  EXPECT_EQ(form.input.entries.size(), 2U);
}

// Outputs may hold accelerations and multipliers, and the state of a sensor may be driven by them.
TEST(ConstrainedForm, OutputsOfAccelerationsAreNotEquationsOfMotion) {
  const ConstrainedForm form = recognised(from_text(R"(model Measured
  Real x(start = 1, fixed = true), y, vx, vy(fixed = true), lambda;
  Real ax, power, force, s(fixed = true), heat(fixed = true);
equation
  ax = der(vx);
  power = vx*der(vx) + vy*der(vy);
  der(x) = vx; der(y) = vy;
  der(vx) = -lambda*x; der(vy) = -lambda*y - 9.81;
  x^2 + y^2 = 1;
  force = lambda + 2*der(vy);
  0.1*der(s) = der(vx) - s;
  der(heat) = lambda^2 - heat;
end Measured;)"));
  EXPECT_EQ(form.order, 2);
  EXPECT_EQ(form.n(), 2);
  EXPECT_EQ(names(form, form.multipliers), std::vector<std::string>{"lambda"});
  std::vector<std::string> companions;
  for (const Companion& companion : form.companions)
    companions.push_back(form.system().variables[companion.variable.at()].name);
  std::ranges::sort(companions);
  EXPECT_EQ(companions, (std::vector<std::string>{"ax", "force", "heat", "power", "s"}));
}

struct Refused {
  const char* name;
  const char* model;
  std::vector<const char*> says;
};

class Refusals : public ::testing::TestWithParam<Refused> {};

TEST_P(Refusals, NameTheEquation) {
  const std::string text = refusal(GetParam().model);
  for (const char* part : GetParam().says)
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

INSTANTIATE_TEST_SUITE_P(
    ConstrainedForm, Refusals,
    ::testing::Values(
        Refused{"MultiplierNonlinear",
                R"(model M
  Real x(start = 1, fixed = true), y, vx, vy(fixed = true), lambda;
equation
  der(x) = vx; der(y) = vy;
  der(vx) = -lambda^3*x;
  der(vy) = -lambda*y - 9.81;
  x^2 + y^2 = 1;
end M;)",
                {"lambda does not enter der(vx) = -lambda^3*x", "linearly", "model.mo:5:3"}},
        Refused{"OrdersMixedWithinAConstraint",
                R"(model M
  Real x(start = 1, fixed = true), y, vx, vy(fixed = true), lambda, T(fixed = true);
equation
  der(x) = vx; der(y) = vy;
  der(vx) = -lambda*x; der(vy) = -lambda*y - 9.81;
  x^2 + y^2 = 1 + 0.1*T;
  der(T) = x - T;
end M;)",
                {"x^2 + y^2 = 1 + 0.1*T", "T, whose highest derivative is of order 1", "model.mo:6:3"}},
        Refused{"ConstraintsOfTwoOrders",
                R"(model M
  Real x(start = 1, fixed = true), y, vx, vy(fixed = true), lambda;
  Real u1, u2(fixed = true), i;
equation
  der(x) = vx; der(y) = vy;
  der(vx) = -lambda*x; der(vy) = -lambda*y - 9.81;
  x^2 + y^2 = 1;
  der(u1) = i; 2*der(u2) = i;
  u1 + u2 = sin(time);
end M;)",
                {"u1 + u2 = sin(time)", "model.mo:9:3"}},
        Refused{"MotionConstraintNotLinear",
                R"(model M
  Real x(fixed = true), y(fixed = true), vx(start = 1), vy(fixed = true), lambda;
equation
  der(x) = vx; der(y) = vy;
  der(vx) = -lambda*vx - x; der(vy) = -lambda*vy - y;
  vx^2 + vy^2 = 1;
end M;)",
                {"vx^2 + vy^2 = 1", "is not linear in", "model.mo:6:3"}},
        // The velocity is no derivative of a position but a coordinate of its own: index 3, of order 1.
        Refused{
            "IndexHigherThanTheOrderSays",
            R"(model M
  Real x(start = 1, fixed = true), y, w(fixed = true), s, lambda;
equation
  der(x) = s*x - w*y;
  der(y) = s*y + w*x;
  der(w) = -9.81*sin(x);
  der(s) = lambda;
  x^2 + y^2 = 1;
end M;)",
            {"no multiplier acts on the constraint x^2 + y^2 = 1", "index is higher than 2", "model.mo:8:3"}},
        Refused{"NoConstraints",
                "model M Real x(start = 1); equation der(x) = -x; end M;",
                {"no constraints", "dummy-derivatives"}}),
    [](const auto& refused) { return refused.param.name; });

// Where nothing depends on the positions, they are integrals of velocities that have a constraint of their
// own.
TEST(ConstrainedForm, IntegralsDoNotMakeVelocitiesDerivatives) {
  const auto form = recognise_constrained_form(from_text(R"(model M
  Real x, y, vx(start = 1), vy, lambda;
equation
  der(x) = vx; der(y) = vy;
  der(vx) = -lambda*vx; der(vy) = -lambda*vy - 1;
  vx^2 + vy^2 = 1;
end M;)"));
  ASSERT_TRUE(form.has_value());
  EXPECT_EQ(form->order, 1);
  EXPECT_EQ(form->n(), 4);
}

// What is watched is defined by its equation, whatever else stands in it and wherever it is written.
TEST(ConstrainedForm, AnOutputOfMultipliersIsNoEquationOfMotion) {
  for (const bool first : {false, true}) {
    for (const char* output : {"w = lambda^2 + x;", "lambda^2 + x = w;", "w - lambda = x*lambda;"}) {
      const auto form = recognise_constrained_form(from_text(
          "model M Real x(start = 1), y, vx, vy, lambda, w; equation " + std::string(first ? output : "") +
          "der(x) = vx; der(y) = vy; der(vx) = -lambda*x; der(vy) = -lambda*y - 1; x^2 + y^2 = 1;" +
          std::string(first ? "" : output) + " end M;"));
      ASSERT_TRUE(form.has_value()) << output;
      EXPECT_EQ(form->n(), 2);
      ASSERT_EQ(form->ny(), 1);
      EXPECT_EQ(form->system().variables[form->multipliers[0].at()].name, "lambda");
    }
  }
}

TEST(ConstrainedForm, WithoutConstraintsOnlyWhenAskedFor) {
  const DaeSystem system = from_text("model M Real x(start = 1); equation der(x) = -x; end M;");
  EXPECT_FALSE(recognise_constrained_form(system).has_value());
  const auto form = recognise_constrained_form(system, true);
  ASSERT_TRUE(form.has_value());
  EXPECT_EQ(form->ny(), 0);
  EXPECT_EQ(form->order, 1);
}

}  // namespace
}  // namespace daedalus
