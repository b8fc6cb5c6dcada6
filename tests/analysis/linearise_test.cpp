#include "analysis/linearise.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "support.hpp"

namespace daedalus {
namespace {

using testing::stand;

// Entries by names of states, inputs and outputs.
double entry(const DenseMatrix& m, const std::vector<std::string>& rows,
             const std::vector<std::string>& columns, const std::string& row, const std::string& column) {
  const auto r = std::ranges::find(rows, row) - rows.begin();
  const auto c = std::ranges::find(columns, column) - columns.begin();
  EXPECT_LT(r, m.rows) << row;
  EXPECT_LT(c, m.columns) << column;
  return m.at(static_cast<int>(r), static_cast<int>(c));
}
double a_of(const Linearisation& l, const std::string& row, const std::string& column) {
  return entry(l.a, l.states, l.states, row, column);
}

TEST(Linearise, ACircuitWithAnInput) {
  auto s = stand(R"(model RC
    parameter Real R = 2, C = 0.25;
    input Real u;
    Real v(start = 1, fixed = true), i;
  equation
    C*der(v) = i;
    u = R*i + v;
  end RC;)");
  const auto l = linearise(*s.engine, s.simulation, {.outputs = {"i", "der(v)"}});
  ASSERT_TRUE(l.has_value());
  ASSERT_EQ(l->states, (std::vector<std::string>{"v"}));
  ASSERT_EQ(l->inputs, (std::vector<std::string>{"u"}));
  EXPECT_DOUBLE_EQ(l->a.at(0, 0), -2);    // -1/(R C)
  EXPECT_DOUBLE_EQ(l->b.at(0, 0), 2);     // 1/(R C)
  EXPECT_DOUBLE_EQ(l->c.at(0, 0), -0.5);  // -1/R
  EXPECT_DOUBLE_EQ(l->d.at(0, 0), 0.5);
  EXPECT_DOUBLE_EQ(l->c.at(1, 0), -2);
  EXPECT_DOUBLE_EQ(l->d.at(1, 0), 2);
}

constexpr std::string_view pendulum_moving = R"(model P
    Real x(start = 0.6, fixed = true), y(start = -0.8), vx(start = 1.2, fixed = true), vy, l;
  equation
    der(x) = vx; der(y) = vy; der(vx) = -l*x; der(vy) = -l*y - 9.81;
    x^2 + y^2 = 1;
  end P;)";

// In the angle φ, x = sin φ, A is known; (x, vx) = T(φ, ω) turns it: A_x = (T' + T A_φ) T⁻¹.
TEST(Linearise, APendulumThatMovesAgreesWithTheAngle) {
  auto s = stand(pendulum_moving);
  const auto l = linearise(*s.engine, s.simulation);
  ASSERT_TRUE(l.has_value());
  ASSERT_EQ(l->states, (std::vector<std::string>{"x", "vx"}));
  const double sin = 0.6, cos = 0.8, omega = 1.2 / cos, alpha = -9.81 * sin;
  const double t21 = -sin * omega;
  const double d11 = -sin * omega, d21 = (-cos * omega * omega) - (sin * alpha), d22 = -sin * omega;
  // T' + T A_φ with A_φ = [0 1; -g cos φ 0]
  const double m11 = d11, m12 = cos;
  const double m21 = d21 - (9.81 * cos * cos), m22 = d22 + t21;
  // T⁻¹ = [1/cos 0; -t21/cos² 1/cos]
  EXPECT_NEAR(l->a.at(0, 0), (m11 / cos) - (m12 * t21 / (cos * cos)), 1e-12);
  EXPECT_NEAR(l->a.at(0, 1), m12 / cos, 1e-12);
  EXPECT_NEAR(l->a.at(1, 0), (m21 / cos) - (m22 * t21 / (cos * cos)), 1e-11);
  EXPECT_NEAR(l->a.at(1, 1), m22 / cos, 1e-11);
}

TEST(Linearise, EveryFormulationHasTheSameTangent) {
  auto reference = stand(pendulum_moving);
  const auto expected = linearise(*reference.engine, reference.simulation);
  ASSERT_TRUE(expected.has_value());
  for (const char* name : {"dummy-derivatives", "ggl", "index3", "baumgarte"}) {
    auto s = stand(pendulum_moving, {.formulation = Selection{name}});
    const auto l = linearise(*s.engine, s.simulation);
    ASSERT_TRUE(l.has_value()) << name;
    ASSERT_EQ(l->states, expected->states) << name;
    for (std::size_t k = 0; k < l->a.values.size(); ++k)
      EXPECT_NEAR(l->a.values[k], expected->a.values[k], 1e-9) << name;  // consistent values agree to so much
  }
}

constexpr std::string_view crane = R"(model Crane
    parameter Real M = 4, m = 2, L = 0.5, g = 10;
    input Real F;
    Real X(start = 0, fixed = true), x(start = 0, fixed = true), y(start = -0.5);
    Real V(start = 0, fixed = true), vx(start = 0, fixed = true), vy, S;
  equation
    der(X) = V; der(x) = vx; der(y) = vy;
    M*der(V) = F + S*(x - X);
    m*der(vx) = -S*(x - X);
    m*der(vy) = -S*y - m*g;
    (x - X)^2 + y^2 = L^2;
    @
  end Crane;)";
std::string crane_with(std::string_view more) {
  std::string text(crane);
  text.replace(text.find('@'), 1, more);
  return text;
}

// Hanging, the load swings with ω² = g/L (1 + m/M), and pulls with m g/L.
TEST(Linearise, ACraneOfIndexThree) {
  auto s = stand(crane_with(""));
  const auto l = linearise(*s.engine, s.simulation, {.outputs = {"S", "y"}});
  ASSERT_TRUE(l.has_value());
  ASSERT_EQ(l->states, (std::vector<std::string>{"X", "V", "x", "vx"}));
  EXPECT_NEAR(a_of(*l, "V", "x"), 2 * 10 / 0.5 / 4, 1e-12);
  EXPECT_NEAR(a_of(*l, "V", "X"), -2 * 10 / 0.5 / 4, 1e-12);
  EXPECT_NEAR(a_of(*l, "vx", "X"), 10 / 0.5, 1e-12);
  EXPECT_NEAR(entry(l->b, l->states, l->inputs, "V", "F"), 0.25, 1e-13);
  EXPECT_NEAR(entry(l->b, l->states, l->inputs, "vx", "F"), 0, 1e-13);
  for (const double c : l->c.values) EXPECT_NEAR(c, 0, 1e-12);  // of second order
  double fastest = 0;
  for (const Mode& mode : l->modes) fastest = std::max(fastest, std::abs(mode.eigenvalue));
  EXPECT_NEAR(fastest, std::sqrt(10 / 0.5 * (1 + (2.0 / 4))), 1e-10);
  EXPECT_EQ(l->redundant, 0);
}

TEST(Linearise, ADoubledConstraintChangesNothing) {
  auto plain = stand(crane_with(""));
  const auto expected = linearise(*plain.engine, plain.simulation);
  std::string text = crane_with("3*((x - X)^2 + y^2 - L^2) = 0;");
  // The second multiplier acts as the first does.
  const auto replace = [&text](std::string_view from, std::string_view to) {
    text.replace(text.find(from), from.size(), to);
  };
  replace("vy, S;", "vy, S, S2;");
  replace("F + S*(x - X)", "F + (S + 3*S2)*(x - X)");
  replace("= -S*(x - X)", "= -(S + 3*S2)*(x - X)");
  replace("= -S*y", "= -(S + 3*S2)*y");
  auto doubled = stand(text);
  const auto l = linearise(*doubled.engine, doubled.simulation);
  ASSERT_TRUE(expected.has_value() && l.has_value());
  ASSERT_EQ(l->states, expected->states);
  for (std::size_t k = 0; k < l->a.values.size(); ++k)
    EXPECT_NEAR(l->a.values[k], expected->a.values[k], 1e-8);
}

TEST(Linearise, AFreeParameterIsAnInput) {
  auto s =
      stand("model D parameter Real k = 3; Real x(start = 2, fixed = true); equation der(x) = -k*x; end D;",
            {}, {"k"});
  const auto l = linearise(*s.engine, s.simulation, {.inputs = {"k"}});
  ASSERT_TRUE(l.has_value());
  EXPECT_DOUBLE_EQ(l->a.at(0, 0), -3);
  EXPECT_DOUBLE_EQ(l->b.at(0, 0), -2);  // -x
}

TEST(Linearise, AConstraintThatDependsOnAnInputIsSaid) {
  auto s = stand(R"(model G input Real u; Real x, v, l; equation
    der(x) = v; der(v) = l; x = u; end G;)");
  const auto l = linearise(*s.engine, s.simulation, {.outputs = {"x"}});
  ASSERT_TRUE(l.has_value());
  EXPECT_TRUE(l->states.empty());
  EXPECT_DOUBLE_EQ(l->d.at(0, 0), 1);
  ASSERT_EQ(l->notes.size(), 1U);
  EXPECT_NE(l->notes[0].find("depends on an input"), std::string::npos);
}

TEST(Linearise, UnknownNamesAreErrors) {
  auto s = stand(pendulum_moving);
  const auto input = linearise(*s.engine, s.simulation, {.inputs = {"F"}});
  ASSERT_FALSE(input.has_value());
  EXPECT_NE(input.error().front().message.find("'F' is no input"), std::string::npos);
  const auto output = linearise(*s.engine, s.simulation, {.outputs = {"z"}});
  ASSERT_FALSE(output.has_value());
  EXPECT_NE(output.error().front().message.find("'z' cannot be an output"), std::string::npos);
}

TEST(Linearise, APointWithoutDerivativesNamesTheEquation) {
  auto s = stand("model R Real x(start = 0, fixed = true), y; equation der(x) = 1; y = sqrt(x); end R;");
  const auto l = linearise(*s.engine, s.simulation);
  ASSERT_FALSE(l.has_value());
  EXPECT_NE(l.error().front().message.find("sqrt(x)"), std::string::npos);
}

// Later in a run, by the simulation's own values.
TEST(Linearise, StandsWhereTheSimulationStands) {
  auto s = stand("model C Real x(start = 1, fixed = true); equation der(x) = -x^3; end C;",
                 {.until = 2, .rtol = 1e-10, .atol = 1e-12});
  s.simulation.advance_to(1);
  const auto l = linearise(*s.engine, s.simulation);
  ASSERT_TRUE(l.has_value());
  EXPECT_DOUBLE_EQ(l->t, 1);
  EXPECT_NEAR(l->a.at(0, 0), -1, 1e-8);  // -3 x², x = 1/√(1 + 2t)
}

}  // namespace
}  // namespace daedalus
