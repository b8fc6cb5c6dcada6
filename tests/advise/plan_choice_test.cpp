// What plan() chooses where a choice is left to it, and what it refuses: which formulation, which integrator,
// what takes over, what is left out, and that the way a model is written does not matter.
#include <gtest/gtest.h>

#include <algorithm>

#include "advise/plan.hpp"
#include "models.hpp"
#include "support/model_families.hpp"
#include "support/model_text.hpp"
#include "support/rewritten.hpp"
#include "support/twice.hpp"

namespace daedalus::testing {
namespace {

RunOptions asked(const std::string& formulation, const std::string& integrator = "auto",
                 std::optional<double> step = {}) {
  RunOptions options;
  options.formulation = parse_selection(formulation).value();
  options.integrator = parse_selection(integrator).value();
  options.step = step;
  return options;
}

std::string refusal(const DaeSystem& system, const RunOptions& options) {
  const auto made = plan(system, options);
  return made ? "planned " + made->formulation.to_text() + " with " + made->integrator.to_text()
              : made.error().front().message;
}

const char* const decay = "model D\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = -x;\nend D;";

// The table of docs/architecture.md, "Which integrator?".
TEST(PlanChoice, TheIntegratorFollowsTheFormulation) {
  struct Row {
    const char* formulation;
    std::optional<double> step;
    const char* integrator;
    bool radau_takes_over;
  };
  const DaeSystem system = from_text(pendulum);
  for (const Row& row : {Row{"orthogonal-projection", {}, "dop853", true}, Row{"ggl", {}, "radau", false},
                         Row{"dummy-derivatives", {}, "radau", false}, Row{"index1", {}, "radau", false},
                         Row{"ggl", 0.01, "backward-euler", false},
                         Row{"symmetric-projection", 0.01, "implicit-midpoint", false}}) {
    const auto made = plan(system, asked(row.formulation, "auto", row.step));
    ASSERT_TRUE(made.has_value()) << row.formulation;
    EXPECT_EQ(made->integrator.name(), row.integrator) << row.formulation;
    EXPECT_EQ(made->integrator_row, find_integrator(row.integrator)) << row.formulation;
    EXPECT_EQ(made->stiff_row != nullptr, row.radau_takes_over) << row.formulation;
    EXPECT_TRUE(made->why.starts_with(std::string(row.integrator) + ": ")) << made->why;
    EXPECT_TRUE(made->fallback.empty()) << "asked for by name, nothing else takes over";
  }
}

// Each refusal says what does not go together and what would.
TEST(PlanChoice, PairsThatDoNotGoTogetherAreRefused) {
  struct Row {
    const char* formulation;
    const char* integrator;
    std::optional<double> step;
    const char* says;
  };
  const DaeSystem system = from_text(pendulum);
  for (const Row& row :
       {Row{"ggl",
            "dop853",
            {},
            "is explicit and needs a formulation that is an ODE, such as orthogonal-projection"},
        Row{"baumgarte", "hem5", {}, "with orthogonal-projection or index1"},
        Row{"orthogonal-projection", "ida", {}, "integrator ida does not take"},
        Row{"projected-invariants:velocity=projected", "ida", {}, "integrator ida does not take"},
        Row{"symmetric-projection", "radau", {}, "needs a symmetric method, implicit-midpoint"},
        Row{"index3", "implicit-midpoint", 0.01, "take radau, bdf or backward-euler"},
        Row{"orthogonal-projection", "rattle", {}, "give it with --step H"},
        Row{"auto:eps=1", "auto", {}, "explore=yes or explore=no alone"},
        Row{"ggl:D=GT,gamma=1", "auto", {}, "gamma"},
        Row{"singular-mass:then=dummy-derivatives", "auto", {}, "cannot stand behind singular-mass"},
        Row{"singular-mass:then=singular-mass", "auto", {}, "cannot stand behind singular-mass"},
        Row{"singular-mass:then=gll", "auto", {}, "did you mean 'ggl'"},
        Row{"singular-mass:then=[ggl:E=B]", "auto", {}, "E"}}) {
    const std::string message = refusal(system, asked(row.formulation, row.integrator, row.step));
    EXPECT_NE(message.find(row.says), std::string::npos) << row.formulation << ": " << message;
  }
}

// A model without constraints, or without the form, under what needs them.
TEST(PlanChoice, ModelsThatHaveNotTheFormAreToldWhy) {
  const DaeSystem ode = from_text(decay);
  const std::string none = refusal(ode, asked("ggl"));
  EXPECT_NE(none.find("formulation ggl does not apply: the model has no constraints"), std::string::npos)
      << none;
  EXPECT_NE(none.find("dummy-derivatives takes any DAE"), std::string::npos) << none;
  const DaeSystem formless = problem("mattsson_soderlind_1.mo");
  const std::string explicit_method = refusal(formless, asked("auto", "dopri5"));
  EXPECT_NE(explicit_method.find("integrator dopri5 is explicit, and the model cannot be written as an ODE"),
            std::string::npos)
      << explicit_method;
}

// An explicit method by name, and the formulation left open: an ODE stays as it is, constraints are
// projected.
TEST(PlanChoice, ExplicitMethodsGetAnOde) {
  struct Row {
    std::string text;
    const char* integrator;
    const char* formulation;
  };
  for (const Row& row :
       {Row{decay, "dopri5", "index1"}, Row{pendulum, "dopri5", "orthogonal-projection"},
        Row{pendulum, "hem5", "orthogonal-projection"}, Row{pendulum, "taylor", "orthogonal-projection"}}) {
    const auto made = plan(from_text(row.text), asked("auto", row.integrator));
    ASSERT_TRUE(made.has_value()) << row.integrator;
    EXPECT_EQ(made->formulation.name(), row.formulation);
    EXPECT_TRUE(made->why.starts_with(std::string(row.formulation) + ": ")) << made->why;
  }
}

// Behind a wrapper the row and its options are those of the formulation within; the form as it was is kept.
TEST(PlanChoice, AWrapperHandsOnTheRegularisedForm) {
  const auto made = plan(from_text(pendulum), asked("singular-mass:gamma=1e-6,then=[ggl:D=B]"));
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->formulation.name(), "singular-mass");
  EXPECT_EQ(made->row->name, "ggl");
  EXPECT_EQ(made->row_options.text("D"), "B");
  ASSERT_NE(made->wrapped, nullptr);
  // M = 1 has become MᵀM + γ: one more on the diagonal than the expression was.
  const ConstrainedForm& form = *made->form;
  for (const SymbolicEntry& entry : form.mass.entries) {
    if (entry.row != entry.column) continue;
    const double value = evaluate(form.graph(), entry.value, [](NodeId) { return 0.0; });
    EXPECT_NEAR(value, 1 + 1e-6, 1e-15);
  }
  EXPECT_EQ(made->wrapped->n(), form.n());
}

// More than 80 variables of order 2 are not measured: an explicit method begins and finds out. With a fixed
// step that is not possible, and they are measured all the same.
TEST(PlanChoice, LargeMechanismsBeginWithoutMeasuring) {
  const auto small = plan(from_text(chain_text(3)));
  const auto large = plan(from_text(chain_text(20)));
  ASSERT_TRUE(small && large);
  EXPECT_EQ(small->why.find("unknowns an explicit method costs least"), std::string::npos) << small->why;
  EXPECT_NE(large->why.find("unknowns an explicit method costs least"), std::string::npos) << large->why;
  for (const auto* made : {&*small, &*large}) {
    EXPECT_EQ(made->formulation.name(), "orthogonal-projection");
    EXPECT_EQ(made->fallback, "trust-region");
    EXPECT_TRUE(made->soft);
    EXPECT_NE(made->stiff_row, nullptr);
  }
  const auto fixed = plan(from_text(chain_text(20)), asked("auto", "auto", 0.01));
  ASSERT_TRUE(fixed.has_value());
  EXPECT_EQ(fixed->formulation.name(), "dummy-derivatives");
}

// Motion constraints do not say how a motion goes on where they lose rank: dummy derivatives take over there.
TEST(PlanChoice, WhatTakesOverFollowsFromTheConstraints) {
  const auto crank = plan(problem("slider_crank.mo"));
  ASSERT_TRUE(crank.has_value());
  EXPECT_EQ(crank->fallback, "trust-region");
  const auto velocity = plan(problem("slider_crank_velocity.mo"));
  ASSERT_TRUE(velocity.has_value());
  EXPECT_NE(velocity->fallback, "trust-region");
}

// A mechanism's redundant constraint is left out, unless the formulation takes it as it is.
TEST(PlanChoice, RedundantConstraintsOfMechanismsAreLeftOut) {
  const Twice twice;
  for (const char* formulation : {"auto", "index1", "ggl", "dummy-derivatives"}) {
    const auto made = plan(twice.system, asked(formulation));
    ASSERT_TRUE(made.has_value()) << formulation << ": " << refusal(twice.system, asked(formulation));
    ASSERT_NE(made->independent, nullptr) << formulation;
    EXPECT_EQ(made->independent->dropped, (std::vector<int>{1})) << formulation;
    ASSERT_NE(made->full_form, nullptr) << formulation;
    EXPECT_EQ(made->full_form->ny(), 2) << formulation;
    if (made->form != nullptr) {
      EXPECT_EQ(made->form->ny(), 1) << formulation;
    }
  }
  EXPECT_NE(plan(twice.system)->why.find("1 of 2 constraints is redundant and left out"), std::string::npos);
  const auto as_they_are = plan(twice.system, asked("trust-region"));
  ASSERT_TRUE(as_they_are.has_value());
  EXPECT_EQ(as_they_are->independent, nullptr);
  EXPECT_EQ(as_they_are->form->ny(), 2);
}

// Of other models it is not known which multiplier goes with which constraint: all stay.
TEST(PlanChoice, RedundantConstraintsOfOtherModelsStay) {
  const auto made = plan(from_text(circle_twice("12")));
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->independent, nullptr);
  EXPECT_EQ(made->form->ny(), 2);
  EXPECT_NE(made->why.find("redundant"), std::string::npos) << made->why;
  EXPECT_TRUE(made->row->redundant || made->row->projects) << made->formulation.to_text();
}

// Orders, sides and names are no part of the model.
TEST(PlanChoice, TheWayAModelIsWrittenDoesNotMatter) {
  for (const std::string& text : {pendulum, slider_crank, hanging_pendulum(-1, 0.1, "", " - 1e4*vx")}) {
    const DaeSystem system = from_text(text);
    const auto as_written = plan(system);
    ASSERT_TRUE(as_written.has_value());
    Chance chance(3);
    for (const Change change : {Change::EquationOrder, Change::VariableOrder, Change::Sides, Change::Names}) {
      const auto other = plan(changed(system, change, chance));
      ASSERT_TRUE(other.has_value()) << name_of(change);
      EXPECT_EQ(other->formulation.to_text(), as_written->formulation.to_text()) << name_of(change);
      EXPECT_EQ(other->integrator.to_text(), as_written->integrator.to_text()) << name_of(change);
      EXPECT_EQ(other->fallback, as_written->fallback) << name_of(change);
    }
  }
}

// Numbers that make no sense are refused before the model is looked at, and names of functions that drive
// nothing.
TEST(PlanChoice, SettingsAreCheckedFirst) {
  RunOptions options;
  options.until = -1;
  EXPECT_NE(refusal(from_text(pendulum), options).find("the end time -1 lies before"), std::string::npos);
  options = {};
  options.inputs.push_back({.name = "u", .function = {}});
  EXPECT_NE(refusal(from_text(pendulum), options).find("unknown input 'u'"), std::string::npos);
}

// x = y is an alias; with a multiplier it is a constraint, which a formulation by name gets to see.
TEST(LoadFor, KeepsConstraintsThatAreAliasesForFormulationsByName) {
  const std::string text = R"(model Coupled
  Real x(start = 1, fixed = true), y, u(start = 0, fixed = true), v, l;
equation
  der(x) = u; der(y) = v;
  der(u) = -x + l;
  2*der(v) = -l;
  x = y;
end Coupled;)";
  std::vector<bool> calls;
  const ModelLoader load = [&](bool keep) {
    calls.push_back(keep);
    auto sources = std::make_shared<SourceMap>();
    LoadOptions options;
    options.keep_constraints = keep;
    return load_model(sources, sources->add("model.mo", text), options);
  };
  const auto plain = load_for(Selection("auto"), load);
  const auto any = load_for(Selection("dummy-derivatives"), load);
  EXPECT_EQ(calls, (std::vector<bool>{false, false}));
  const auto kept = load_for(Selection("ggl"), load);
  ASSERT_TRUE(plain && any && kept);
  EXPECT_GT(kept->equations.size(), plain->equations.size());
  const auto made = plan(*kept, asked("ggl"));
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->form->ny(), 1);
}

// auto takes the smaller model; where what is left of constraints cannot determine the unknowns, all of them.
TEST(LoadFor, KeepsConstraintsForAutoWhereTheRestCannotBeSolved) {
  const auto of = [](const std::string& constraints) {
    return [constraints](bool keep) {
      auto sources = std::make_shared<SourceMap>();
      LoadOptions options;
      options.keep_constraints = keep;
      return load_model(sources, sources->add("model.mo", R"(model Rod
  Real r(start = 1), phi(start = 1, fixed = true), vr, w(start = 0, fixed = true), a, b;
equation
  der(r) = vr; der(phi) = w; der(vr) = r*w^2 + cos(phi) - a - b; r*der(w) + 2*vr*w = -sin(phi);
)" + constraints + "end Rod;"),
                        options);
    };
  };
  const auto redundant = load_for(Selection("auto"), of("  r = 1; 2*r = 2;\n"));
  ASSERT_TRUE(redundant.has_value());
  const auto made = plan(*redundant, asked("auto"));
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->form->ny(), 2);
  const auto regular = load_for(Selection("auto"), of("  r = 1; b = 0;\n"));
  ASSERT_TRUE(regular.has_value());
  EXPECT_EQ(regular->equations.size(), 3U);  // those of a, phi and w
}

// Where it makes no difference, or fails, the plain model is taken and its error is what is said.
TEST(LoadFor, OtherwiseTakesTheModelAsItIs) {
  const auto of = [](const std::string& text) {
    return [text](bool keep) {
      auto sources = std::make_shared<SourceMap>();
      LoadOptions options;
      options.keep_constraints = keep;
      return load_model(sources, sources->add("model.mo", text), options);
    };
  };
  const auto same = load_for(Selection("ggl"), of(pendulum));
  ASSERT_TRUE(same.has_value());
  EXPECT_EQ(same->equations.size(), from_text(pendulum).equations.size());
  EXPECT_FALSE(load_for(Selection("ggl"), of("model Broken\nequation\n  x = ;\nend Broken;")).has_value());
}

}  // namespace
}  // namespace daedalus::testing
