#include "reform/raise_order.hpp"
#include "reform/incidence.hpp"
#include "support/model_text.hpp"

#include <gtest/gtest.h>

#include "reform/level_system.hpp"
#include "support/equations.hpp"

namespace daedalus {
namespace {

using testing::der;
using testing::Equations;
using testing::Term;

TEST(RaiseOrder, PendulumBecomesSecondOrder) {
  const testing::Pendulum e(0.6, -0.8, 0, 0);
  const auto system = make_level_system(e.system).value();
  EXPECT_EQ(system.system().equations.size(), 3U);
  EXPECT_EQ(system.plan.c, (std::vector<int>{0, 0, 2}));
  EXPECT_EQ(system.plan.d, (std::vector<int>{2, 2, 0}));
  // Seven unknowns, five equations: form n of the reference.
  EXPECT_EQ(system.levels.size(), 7U);
  EXPECT_EQ(system.equations.size(), 5U);
  EXPECT_EQ(system.level_name(1), "u");
  EXPECT_EQ(system.level_name(2), "der(x, 2)");
}

TEST(RaiseOrder, ChainsAndSignsAreFollowed) {
  Equations e;
  const Term x = e.variable("x");
  const Term v = e.variable("v");
  const Term a = e.variable("a");
  e.equation(der(x) + v, "der(x) = -v");
  e.equation(a - der(v), "a = der(v)");
  e.equation(a + x, "a = -x");
  const RaisedSystem raised = raise_order(e.system);
  ASSERT_EQ(raised.aliases.size(), 2U);
  EXPECT_EQ(raised.system.equations.size(), 1U);
  // v = -x', a = v' = -x'', so a + x = 0 reads x - x'' = 0.
  const auto value = [&](double x0, double x2) {
    return evaluate(*e.system.graph, raised.system.equations[0].residual,
                    [&](NodeId leaf) { return e.system.graph->order_of(leaf) == 0 ? x0 : x2; });
  };
  EXPECT_DOUBLE_EQ(value(3, 5), -2);
  for (const LevelAlias& alias : raised.aliases) EXPECT_EQ(alias.factor, -1);
}

TEST(RaiseOrder, AnOutputThatIsADerivativeKeepsItsEquation) {
  Equations e;
  const Term x = e.variable("x");
  const Term v = e.variable("v");
  const Term a = e.variable("a");
  e.equation(der(x) - v, "der(x) = v");
  e.equation(a - der(v), "a = der(v)");
  e.equation(v + x, "v = -x");
  const auto system = make_level_system(e.system).value();
  // x' = -x alone has no second derivative; a asks for it.
  EXPECT_EQ(system.plan.d[static_cast<std::size_t>(system.incidence.column[e.id(x).at()])], 2);
}

TEST(RaiseOrder, ALongChainIsLinear) {
  // v1 = der(x), v2 = der(v1), …: 20,000 names of one variable's derivatives would take minutes if each
  // lookup walked the chain.
  Equations e;
  Term last = e.variable("x");
  for (int k = 1; k <= 20000; ++k) {
    const Term next = e.variable("v" + std::to_string(k));
    e.equation(der(last) - next, "chain");
    last = next;
  }
  e.equation(last - 1, "end");
  const RaisedSystem raised = raise_order(e.system);
  EXPECT_EQ(raised.aliases.size(), 20000U);
  EXPECT_EQ(raised.aliases.back().order, 20000);
}

// A velocity in other units, and an equation multiplied by a number, are read alike.
TEST(RaiseOrder, AnyFactor) {
  for (const char* equation :
       {"der(x) = v", "1000*der(x) = 1000*v", "0 = v - der(x)", "-v = -der(x)", "(der(x) - v)/3 = 0"}) {
    const DaeSystem system = testing::from_text("model M Real x(start=1), v; equation " +
                                                std::string(equation) + "; der(v) = -x; end M;");
    const RaisedSystem raised = raise_order(system);
    ASSERT_EQ(raised.aliases.size(), 1U) << equation;
    EXPECT_DOUBLE_EQ(raised.aliases[0].factor, 1) << equation;
    EXPECT_EQ(raised.aliases[0].order, 1) << equation;
  }
  const DaeSystem system =
      testing::from_text("model M Real x(start=1), v; equation 1000*der(x) = v; der(v) = -1000*x; end M;");
  const RaisedSystem raised = raise_order(system);
  ASSERT_EQ(raised.aliases.size(), 1U);
  EXPECT_DOUBLE_EQ(raised.aliases[0].factor, 1000);
}

// A nominal value says in which unit an unknown is about 1.
TEST(RaiseOrder, UnknownsAreScaledByNominalValues) {
  const DaeSystem system = testing::from_text(
      "model M Real q(start=2e-12, fixed=true, nominal=1e-12), i; equation der(q) = i; i = -q; end M;");
  const RaisedSystem raised = raise_order(system);
  const Incidence incidence = incidence_of(raised.system, raised.eliminated);
  for (const VariableId v : incidence.unknowns) {
    const Variable& variable = raised.system.variables[v.at()];
    EXPECT_TRUE(variable.internal) << variable.name;
    EXPECT_EQ(variable.name, "q/1e-12");
    EXPECT_DOUBLE_EQ(variable.nominal, 1);
    EXPECT_DOUBLE_EQ(variable.start, 2);
  }
}

// What is added and taken away again, whatever it is, hides neither x' = v nor that v is x'.
TEST(RaiseOrder, TermsThatCancelAsTheyAreWrittenDoNotCount) {
  const std::string f = "(3*exp(2*time) + 1.5*cos(3*time + 1) - y^2*sin(x))";
  for (const std::string& equation : {"der(x) - v = " + f + " - " + f, f + " = " + f + " + 1e-9*(v - der(x))",
                                      "0 = 1e6*((" + f + " - 2*" + f + ") + " + f + " - (der(x) - v))"}) {
    const DaeSystem system =
        testing::from_text("model M Real x(start = 0.6), y(start = 0.8), v, w, l; equation " + equation +
                           "; der(y) = w; der(v) = -x*l; der(w) = -y*l - 9.81; x^2 + y^2 = 1; end M;");
    const auto levels = make_level_system(system);
    ASSERT_TRUE(levels.has_value()) << equation;
    EXPECT_EQ(levels->system().equations.size(), 3U) << equation;
    EXPECT_EQ(*std::ranges::max_element(levels->plan.c), 2) << equation;
  }
}

// A start value is as good a unit as a nominal value where it is far above what ranks are judged by; where a
// nominal value is given that is the unit.
TEST(RaiseOrder, UnknownsWithLargeStartValuesAreScaledByThem) {
  const auto unit = [](const std::string& attributes) {
    const DaeSystem system = testing::from_text("model M Real x(" + attributes +
                                                "), y; equation der(x) = -x + y; y = 2*time; end M;");
    const RaisedSystem raised = raise_order(system);
    for (const LevelAlias& alias : raised.aliases) {
      if (system.variables[alias.variable.at()].name == "x") return alias.factor;
    }
    return 1.0;
  };
  EXPECT_EQ(unit("start = 5.6e10, fixed = true"), 1e11);
  EXPECT_EQ(unit("start = -2e12"), 1e12);
  EXPECT_EQ(unit("start = 5.6e10, nominal = 1"), 1);
  EXPECT_EQ(unit("start = 5.6e10, nominal = 1e6"), 1e6);
  EXPECT_EQ(unit("start = 1e5"), 1);
}

}  // namespace
}  // namespace daedalus
