#include "advise/check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "advise/plan.hpp"
#include "models.hpp"
#include "support/model_text.hpp"

namespace daedalus::testing {
namespace {

// Loaded as the command does: as it is written, and without aliases.
Result<CheckReport> checked(const std::string& text) {
  const auto load = [&](bool remove_aliases) {
    auto sources = std::make_shared<SourceMap>();
    LoadOptions options;
    options.remove_aliases = remove_aliases;
    auto system = load_model(sources, sources->add("model.mo", text), options);
    EXPECT_TRUE(system.has_value()) << (system ? "" : render(system.error(), *sources));
    return system.value_or(DaeSystem{});
  };
  return check(load(false), load(true));
}

// The pendulum of the textbook: index 3, the constraint differentiated twice, two values to be chosen.
TEST(Check, OfAPendulum) {
  const auto report = checked(pendulum);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->model, "Pendulum");
  EXPECT_EQ(report->index, 3);
  EXPECT_EQ(report->dof, 2);
  EXPECT_TRUE(report->sigma_agrees);
  EXPECT_TRUE(report->regular);
  EXPECT_TRUE(report->initialised);
  ASSERT_EQ(report->equations.size(), 5U);
  EXPECT_EQ(report->equations[4].c, 2);
  EXPECT_EQ(report->fixed.size(), 2U);
  EXPECT_EQ(report->states.size(), 2U);
  EXPECT_TRUE(report->form.found);
  EXPECT_EQ(report->form.order, 2);
  EXPECT_EQ(report->form.positions, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(report->form.multipliers, (std::vector<std::string>{"lambda"}));
  ASSERT_EQ(report->form.constraints.size(), 1U);
  EXPECT_EQ(report->form.constraints[0].multiplier, "lambda");
  EXPECT_FALSE(report->mechanism.has_value());
  EXPECT_FALSE(report->why.empty());
}

// An ODE has nothing hidden.
TEST(Check, OfAnOde) {
  const auto report = checked(R"(model Decay
  Real x(start = 1, fixed = true);
equation
  der(x) = -x;
end Decay;)");
  ASSERT_TRUE(report.has_value());
  EXPECT_LE(report->index, 1);
  EXPECT_EQ(report->dof, 1);
  EXPECT_TRUE(report->hidden_constraints.empty());
  EXPECT_FALSE(report->form.found);
  EXPECT_TRUE(report->form.broken_by.starts_with("the model has no constraints")) << report->form.broken_by;
}

// Every equation and every variable is in one block, and blocks are square; Σ-method: the degrees of freedom
// are Σ d - Σ c.
TEST(Check, BlocksArePartitions) {
  for (const std::string& text : {pendulum, slider_crank}) {
    const auto report = checked(text);
    ASSERT_TRUE(report.has_value());
    std::vector<int> equations;
    std::vector<int> variables;
    for (const CheckedBlock& block : report->blocks) {
      EXPECT_EQ(block.equations.size(), block.variables.size());
      equations.insert(equations.end(), block.equations.begin(), block.equations.end());
      variables.insert(variables.end(), block.variables.begin(), block.variables.end());
    }
    std::vector<int> all(report->equations.size());
    std::iota(all.begin(), all.end(), 0);
    std::ranges::sort(equations);
    std::ranges::sort(variables);
    EXPECT_EQ(equations, all);
    EXPECT_EQ(variables, all);
    int freedoms = 0;
    for (const CheckedVariable& variable : report->variables) freedoms += variable.d;
    for (const CheckedEquation& equation : report->equations) freedoms -= equation.c;
    EXPECT_EQ(freedoms, report->dof);
  }
}

// What is hidden in the pendulum: the circle differentiated once and twice, by the user's equation.
TEST(Check, HiddenConstraintsSayWhatTheyComeFrom) {
  const auto report = checked(pendulum);
  ASSERT_TRUE(report.has_value());
  ASSERT_EQ(report->hidden_constraints.size(), 2U);
  int levels = 0;
  for (const HiddenConstraint& hidden : report->hidden_constraints) {
    levels += hidden.level;
    EXPECT_NE(hidden.of.find("x^2 + y^2 = 1"), std::string::npos) << hidden.of;
    EXPECT_TRUE(hidden.text.ends_with(" = 0")) << hidden.text;
  }
  EXPECT_EQ(levels, 1 + 2);
}

// Equations as the user wrote them, and where.
TEST(Check, EquationsHaveTheirPlaces) {
  const auto report = checked(pendulum);
  ASSERT_TRUE(report.has_value());
  const CheckedEquation& circle = report->equations[4];
  EXPECT_NE(circle.text.find("x^2 + y^2 = 1"), std::string::npos);
  EXPECT_EQ(circle.line, 8);
  EXPECT_EQ(circle.place, "model.mo:8:3");
}

// Four levels below the highest derivatives, of which two may be chosen; y and vy were.
TEST(Check, CandidatesAreTheLevelsBelowTheHighest) {
  const auto report = checked(pendulum);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->candidates.size(), 4U);
  EXPECT_EQ(report->fixed.size(), 2U);
  for (const std::string& state : report->states)
    EXPECT_EQ(std::ranges::count(report->candidates, state), 1) << state;
  for (const std::string& fixed : report->fixed)
    EXPECT_EQ(std::ranges::count(report->candidates, fixed), 1) << fixed;
}

// Aliases and constants are counted, and so is what makes events; the structure is that of the model as
// written.
TEST(Check, CountsWhatIsRemovedAndWhatIsDiscrete) {
  const auto report = checked(R"(model Counted
  parameter Real p = 2;
  Real x(start = 1, fixed = true), same;
  discrete Real d(start = 0, fixed = true);
  Boolean up(start = false, fixed = true);
equation
  der(x) = -p*same + d;
  same = x;
  when x < 0.5 then d = pre(d) + 1; end when;
  up = x > 2;
end Counted;)");
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->equations.size(), 2U) << "der(x) and same";
  EXPECT_EQ(report->removed, 1);
  EXPECT_EQ(report->unknowns, 2) << "x and der(x)";
  EXPECT_EQ(report->discrete, 2);
  EXPECT_EQ(report->relations, 2);
  EXPECT_EQ(report->dof, 1);
}

// What runs is what plan() says, for the same reason.
TEST(Check, RecommendsWhatARunTakes) {
  for (const char* file : {"pendulum_large.mo", "petzold_redundant.mo", "mattsson_soderlind_1.mo"}) {
    const DaeSystem system = problem(file);
    const auto report = check(system, system);
    const auto run = plan(system);
    ASSERT_TRUE(report && run) << file;
    EXPECT_EQ(report->formulation.to_text(), run->formulation.to_text()) << file;
    EXPECT_EQ(report->integrator.to_text(), run->integrator.to_text()) << file;
    EXPECT_EQ(report->why, run->why) << file;
  }
}

// Structure alone is misled by x' + t y' and x + t y (Mattsson and Söderlind, example 5): a repair, which is
// said. From the first and the derivative of the second equation y = -2 sin t: nothing is free.
TEST(Check, RepairsAreSaid) {
  const auto report = checked(R"(model Misleading
  Real x(start = 1), y(start = 0);
equation
  der(x) + time*der(y) = sin(time);
  x + time*y = cos(time);
end Misleading;)");
  ASSERT_TRUE(report.has_value());
  EXPECT_FALSE(report->repairs.empty());
  EXPECT_EQ(report->dof, 0);
}

// Initial values that contradict the constraint: the check itself succeeds, and says that a run would not.
TEST(Check, SaysWhyARunWouldNotBegin) {
  std::string text = pendulum;
  text.replace(text.find("x(start = 1)"), 12, "x(start = 3, fixed = true)");
  const auto report = checked(text);
  ASSERT_TRUE(report.has_value());
  EXPECT_FALSE(report->initialised);
  std::string all;
  for (const std::string& line : report->initialisation) all += line + "\n";
  EXPECT_NE(all.find("x^2 + y^2 = 1"), std::string::npos) << all;
}

// Written with a name for a derivative an ODE has index 2, and no constraint once that is gone.
TEST(Check, TheFormIsThatWithoutAliases) {
  const auto report = checked(R"(model A
  Real x(start = 1, fixed = true), v, y;
equation
  der(x) = -x;
  y = x;
  v = der(y);
end A;)");
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->index, 2);
  EXPECT_FALSE(report->form.found);
  EXPECT_NE(report->form.broken_by.find("once aliases and names of derivatives are written out"),
            std::string::npos)
      << report->form.broken_by;
}

// Two equations for one unknown: refused, and both are named.
TEST(Check, RefusesSingularModels) {
  const auto report = checked(R"(model S
  Real x(start = 1), y, z;
equation
  der(x) = y + z;
  x^2 + sin(x) = 1;
  x^3 = 0.2*cos(x);
end S;)");
  ASSERT_FALSE(report.has_value());
  std::string all;
  for (const Diagnostic& one : report.error()) all += one.message;
  EXPECT_NE(all.find("x^2 + sin(x) = 1"), std::string::npos) << all;
  EXPECT_NE(all.find("x^3 = 0.2*cos(x)"), std::string::npos) << all;
}

// Grübler's count: of a planar four-bar 3 bodies with 3 freedoms each, and 4 pins that take 2.
TEST(Check, GrueblerCountsConditions) {
  const CheckedMechanism four_bar{.bodies = 3, .joints = 4, .freedoms = 9, .conditions = 8};
  EXPECT_EQ(four_bar.grubler(), 1);
}

TEST(Check, RedundantModelIsDescribed) {
  const DaeSystem system = problem("petzold_redundant.mo");
  const auto report = check(system, system);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->index, 2);
  EXPECT_EQ(report->dof, 1);
  EXPECT_FALSE(report->regular);
  ASSERT_TRUE(report->form.found);
  EXPECT_EQ(report->form.order, 1);
  EXPECT_EQ(report->form.positions, (std::vector<std::string>{"x1", "x2", "x3"}));
  EXPECT_EQ(report->form.multipliers, (std::vector<std::string>{"y1", "y2", "y3"}));
  ASSERT_EQ(report->form.constraints.size(), 3U);
  EXPECT_TRUE(report->initialised);
}

// Multipliers are found by the direction in which they push, not by their order.
TEST(Check, MultipliersBelongToConstraints) {
  const DaeSystem system = problem("n_four_bar.mo");
  const auto report = check(system, system);
  ASSERT_TRUE(report.has_value());
  for (const CheckedConstraint& constraint : report->form.constraints) {
    // x[i] - (i - 1) - 0.5*cos(phi[i]) = 0 with i = 2: ax[2], and so on.
    const bool ground_x = constraint.text.starts_with("x[i] - (i - 1)");
    const bool ground_y = constraint.text.starts_with("y[i] - 0.5");
    if (!ground_x && !ground_y) continue;
    const std::string index = constraint.text.substr(constraint.text.find("with i = ") + 9, 1);
    EXPECT_EQ(constraint.multiplier, (ground_x ? "ax[" : "ay[") + index + "]") << constraint.text;
  }
}

TEST(Check, ContradictoryConstraintsAreAnErrorThatSaysByHowMuch) {
  const DaeSystem system = from_text(circle_twice("12.6"));
  const auto report = check(system, system);
  ASSERT_FALSE(report.has_value());
  const std::string& message = report.error().front().message;
  EXPECT_NE(message.find("contradict"), std::string::npos) << message;
  EXPECT_NE(message.find("x^2 + y^2"), std::string::npos) << message;
  EXPECT_NE(message.find("3*x^2 + 3*y^2"), std::string::npos) << message;
  EXPECT_NE(message.find("off by"), std::string::npos) << message;
}

}  // namespace
}  // namespace daedalus::testing
