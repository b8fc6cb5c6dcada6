// Unknowns that are computed and not iterated on: what is left is the same system with these written out.
#include "systems/explicit_levels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "differences.hpp"
#include "support/model_families.hpp"
#include "systems/model_residual.hpp"
#include "values.hpp"

namespace daedalus::testing {
namespace {

struct Torn {
  explicit Torn(const DaeSystem& system, bool compute = true)
      : model(*CompiledModel::compile(*make_level_system(system))),
        residual(*model, {.compute_explicit = compute}),
        environment(model->fresh_environment()) {
    residual.bind(environment);
    // Near starts, where the choice of states is regular.
    for (std::size_t k = 0; k < model->levels().levels.size(); ++k) {
      const Level& level = model->levels().levels[k];
      environment[static_cast<std::size_t>(model->layout().levels) + k] =
          (level.order == 0 ? model->dae().variables[level.variable.at()].start : 0) +
          (0.01 * static_cast<double>(k + 1));
    }
    std::vector<double> values(model->selection_values.results());
    std::vector<double> workspace;
    model->selection_values.evaluate(environment, values, workspace);
    residual.select(select_dummies(model->levels(), model->selection, values, {}, 1.05).taken);
  }
  // Positive values, so that roots have slopes.
  [[nodiscard]] std::vector<double> values(unsigned seed) const {
    std::vector<double> some(static_cast<std::size_t>(residual.size()));
    scatter_numbers(some, seed);
    for (double& value : some) value = 0.5 + std::abs(value);
    return some;
  }
  [[nodiscard]] int level(const std::string& name) const {
    for (int k = 0; k < model->level_count(); ++k) {
      if (model->levels().level_name(k) == name) return k;
    }
    ADD_FAILURE() << name;
    return 0;
  }
  std::unique_ptr<CompiledModel> model;
  ModelResidual residual;
  std::vector<double> environment;
};

constexpr const char* circuit = R"(model Circuit "currents and voltages of a ladder, a diode and a coil"
  Real v1(start = 1, fixed = true), v2(start = 0.5, fixed = true), i(start = 0.1, fixed = true);
  Real i1, i2, id, u, un, uL, power;
equation
  u = 3*sin(time) + 1;
  i1 = (u - v1)/2;
  un = v1 - v2;
  i2 = un/3;
  id = 0.1*(exp(v2) - 1);
  der(v1) = i1 - i2 - i;
  der(v2) = i2 - id;
  0.5*der(i) = v1 - 4*i;
  v1 = uL + 4*i;
  power = u*i1 + uL*i;
end Circuit;)";

TEST(ExplicitLevels, OnlyStatesAreLeftOfACircuitOfAssignments) {
  const Torn torn(from_text(circuit));
  EXPECT_EQ(torn.residual.size(), 3);
  EXPECT_TRUE(torn.residual.computes(torn.level("power")));
  EXPECT_FALSE(torn.residual.computes(torn.level("v1")));
}

std::vector<DaeSystem> families() {
  return {from_text(circuit), problem("chemical_akzo.mo"), problem("transistor_amplifier.mo"),
          from_text(bead_text())};
}

// At values that the others follow from, the equations that define them hold, and the others are what they
// are in the whole system.
TEST(ExplicitLevels, HaveTheResidualsOfTheWhole) {
  for (const DaeSystem& system : families()) {
    Torn torn(system);
    const std::vector<double> y = torn.values(3);
    const std::vector<double> yp = torn.values(4);
    std::vector<double> r(y.size());
    ASSERT_TRUE(torn.residual.residual(0.3, y, yp, r)) << system.name;
    torn.residual.scatter(0.3, y, yp);
    std::vector<double> whole(static_cast<std::size_t>(torn.model->equation_count()));
    std::vector<double> workspace;
    torn.model->residuals.evaluate(torn.environment, whole, workspace);
    // The equations that are left stand in their order among the whole; the others are zero.
    std::size_t next = 0;
    for (const double value : whole) {
      const double tolerance = 1e-12 * (1 + std::abs(value));
      const bool matches = next < r.size() && std::abs(r[next] - value) <= tolerance;
      if (matches) ++next;
      if (!matches) {
        EXPECT_NEAR(value, 0, 1e-12) << system.name;
      }
    }
    const std::size_t rates = y.size() - next;  // of levels that are states of blocks that pivot
    EXPECT_LE(rates, torn.residual.states().size()) << system.name;
  }
}

TEST(ExplicitLevels, HaveExactJacobians) {
  for (const DaeSystem& system : families()) {
    Torn torn(system);
    expect_exact_jacobian(torn.residual, 0.3, torn.values(1), torn.values(2), system.name);
  }
}

// A condition reads an unknown without having a derivative by it: it is known before all the same.
TEST(ExplicitLevels, ConditionsAreReadToo) {
  Torn torn(from_text(R"(model Condition
  Real x(start = 1, fixed = true), a, b;
equation
  der(x) = -a;
  a = noEvent(if b > 2 then 5 else 7);
  b = 3*x;
end Condition;)"));
  ASSERT_EQ(torn.residual.size(), 1);
  for (const double x : {0.5, 1.0}) {
    std::vector<double> r(1);
    ASSERT_TRUE(torn.residual.residual(0, std::vector{x}, std::vector{0.0}, r));
    EXPECT_EQ(std::abs(r[0]), x == 1 ? 5 : 7);
  }
}

// Where an unknown that is computed has no value, it is its equation that is named.
TEST(ExplicitLevels, NameTheEquationWithoutAValue) {
  Torn torn(from_text(R"(model Overflow
  Real x(start = 1, fixed = true), a, b;
equation
  a = exp(x);
  b = 2*a;
  der(x) = -b;
end Overflow;)"));
  std::vector<double> r(1);
  EXPECT_FALSE(torn.residual.residual(0, std::vector{1000.0}, std::vector{0.0}, r));
  EXPECT_NE(torn.residual.trouble().find("exp"), std::string::npos) << torn.residual.trouble();
}

// What decides over an event stays among the unknowns: its error is controlled.
TEST(ExplicitLevels, WhatRelationsReadStays) {
  const Torn torn(from_text(R"(model Watched
  Real x(start = 1, fixed = true), a;
  discrete Real d(start = 0, fixed = true);
equation
  der(x) = -a - 2*x;
  a = x^2;
  when a < 0.5 then d = time; end when;
end Watched;)"));
  EXPECT_FALSE(torn.residual.computes(torn.level("a")));
  EXPECT_EQ(torn.residual.size(), 2);
}

// Equations on a ring, each of which gives a neighbour with errors that grow by nearly `factor`. The chain of
// definitions is cut where they have grown 1e8 times: after 8/log10(2 + √3) = 14 of them with factor 4.
std::string ring(int n, const std::string& factor) {
  return "model Ring parameter Integer n = " + std::to_string(n) +
         "; Real x(start = 1, fixed = true), y[n]; equation der(x) = -x + 0.1*y[1]; " + factor +
         "*y[1] - y[n] - y[2] = x; for i in 2:n-1 loop " + factor + "*y[i] - y[i-1] - y[i+1] = x; end for; " +
         factor + "*y[n] - y[n-1] - y[1] = x; end Ring;";
}

TEST(ExplicitLevels, AreCutWhereErrorsGrow) {
  for (const int n : {30, 60, 120}) {
    const Torn torn(from_text(ring(n, "4")));
    const int left = torn.residual.size() - 1;  // beside x
    EXPECT_GE(left, n / 20) << n;
    EXPECT_LE(left, n / 2) << n << ": most are computed all the same";
  }
}

// However the equation is written: a factor in front of it is no growth.
TEST(ExplicitLevels, AreNotCutByFactorsOfEquations) {
  const Torn plain(from_text(circuit));
  std::string scaled = circuit;
  scaled.replace(scaled.find("i2 = un/3"), 9, "1e12*i2 = 1e12*(un/3)");
  scaled.replace(scaled.find("un = v1 - v2"), 12, "1e-12*un = 1e-12*(v1 - v2)");
  const Torn same(from_text(scaled));
  EXPECT_EQ(same.residual.size(), plain.residual.size());
}

}  // namespace
}  // namespace daedalus::testing
