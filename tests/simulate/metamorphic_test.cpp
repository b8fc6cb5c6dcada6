// Nothing depends on how a model is written: every model of problems/, written in another way, has the same
// index, degrees of freedom and repairs, is solved by the same method, and moves in the same way.
//
// The sample is seeded and small. DAEDALUS_METAMORPHIC=N takes N writings of each kind and model.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>

#include "advise/advice.hpp"
#include "advise/check.hpp"
#include "advise/plan.hpp"
#include "reform/level_system.hpp"
#include "simulate/run.hpp"
#include "support/model_text.hpp"
#include "support/rewritten.hpp"

namespace daedalus {
namespace {

using testing::Chance;
using testing::Change;

// How long a model is followed: no longer than its solutions forget where they came from.
struct Problem {
  const char* file;
  double until;
  const char* undetermined = "";  // names that begin so are left open by the model
};

class Metamorphic : public ::testing::TestWithParam<Problem> {};

struct Outcome {
  std::string method;  // formulation and integrator, or why there is none
  std::string why;
  int index = 0;
  int dof = 0;
  std::size_t repairs = 0;
  std::map<std::string, double> end;
};

constexpr double rtol = 1e-7;

Outcome outcome_of(const DaeSystem& system, double until) {
  Outcome outcome;
  RunOptions options;
  options.until = until;
  options.rtol = rtol;
  options.points = 2;
  const auto levels = make_level_system(system);
  if (levels) outcome.repairs = levels->repairs.size();
  const auto result = simulate(system, options);
  if (!result) {
    outcome.method = "error: " + result.error().front().message;
    return outcome;
  }
  const Summary& summary = result->summary;
  outcome.method = summary.formulation.name() + " " + summary.integrator.name() +
                   (result->ok() ? "" : ": " + summary.status);  // when it failed depends on roundings
  outcome.why = summary.why;
  for (const Repair& repair : levels ? levels->repairs : std::vector<Repair>{})
    outcome.why += "; repaired: " + repair.text;
  outcome.index = summary.index;
  outcome.dof = summary.dof;
  for (const auto& [name, value] : summary.final_values) outcome.end[name] = value;
  return outcome;
}

int writings() {
  const char* text = std::getenv("DAEDALUS_METAMORPHIC");
  return text == nullptr ? 1 : std::max(1, std::atoi(text));
}

struct Comparison {
  Change change;
  std::map<std::string, double> unit;
  std::string undetermined;
  std::string how;
};

void compare(const Outcome& first, const Outcome& again, const Comparison& comparison) {
  const auto& [change, unit, undetermined, how] = comparison;
  EXPECT_EQ(again.method, first.method) << how << ": " << again.why;
  // With an algebraic unknown an ODE has index 1, by definition.
  const bool more_unknowns = change == Change::Auxiliaries || change == Change::Output;
  const auto index = [&](const Outcome& outcome) {
    return more_unknowns ? std::max(1, outcome.index) : outcome.index;
  };
  EXPECT_EQ(index(again), index(first)) << how << ": " << again.why << "\nat first: " << first.why;
  EXPECT_EQ(again.dof, first.dof) << how;
  EXPECT_EQ(again.repairs, first.repairs) << how;
  if (again.method != first.method) return;
  // Where it stops near a pole is a matter of roundings.
  if (first.method.ends_with(": failed")) return;
  double size = 0;
  for (const auto& [name, value] : first.end) size = std::max(size, std::abs(value));
  for (const auto& [name, value] : first.end) {
    if (!undetermined.empty() && name.starts_with(undetermined)) continue;
    const auto found = again.end.find(name);
    if (found == again.end.end()) continue;
    const double by = unit.contains(name) ? unit.at(name) : 1;
    // Multipliers and accelerations are as much worse than positions as errors grow on the way.
    EXPECT_NEAR(found->second * by, value, 1000 * rtol * std::max(std::abs(value), 1e-2 * size))
        << how << ": " << name;
  }
}

TEST_P(Metamorphic, AnotherWritingIsTheSameModel) {
  const DaeSystem system = testing::problem(GetParam().file);
  const Outcome first = outcome_of(system, GetParam().until);
  for (int n = 0; n < writings(); ++n) {
    for (const Change change : testing::all_changes) {
      Chance chance(static_cast<unsigned>((100 * n) + static_cast<int>(change)));
      std::vector<double> units;
      const DaeSystem other = testing::changed(system, change, chance, &units);
      std::map<std::string, double> unit;
      for (std::size_t v = 0; v < units.size(); ++v) unit[system.variables[v].name] = units[v];
      compare(first, outcome_of(other, GetParam().until),
              {.change = change,
               .unit = unit,
               .undetermined = GetParam().undetermined,
               .how = std::string(testing::name_of(change)) + ", writing " + std::to_string(n)});
    }
  }
}

// Units, order, sides and factors together.
TEST_P(Metamorphic, EverythingAtOnce) {
  const DaeSystem system = testing::problem(GetParam().file);
  const Outcome first = outcome_of(system, GetParam().until);
  for (int n = 0; n < writings(); ++n) {
    Chance chance(static_cast<unsigned>(1000 + n));
    std::vector<double> units;
    DaeSystem other = testing::changed(system, Change::Units, chance, &units);
    for (const Change change :
         {Change::EquationOrder, Change::VariableOrder, Change::Sides, Change::EquationFactors})
      other = testing::changed(other, change, chance);
    std::map<std::string, double> unit;
    for (std::size_t v = 0; v < units.size(); ++v) unit[system.variables[v].name] = units[v];
    compare(first, outcome_of(other, GetParam().until),
            {.change = Change::Units,
             .unit = unit,
             .undetermined = GetParam().undetermined,
             .how = "all together, writing " + std::to_string(n)});
  }
}

// A constraint said twice is redundant and takes no freedom away; positions move as before.
TEST_P(Metamorphic, AConstraintSaidTwiceIsTheSame) {
  const DaeSystem system = testing::problem(GetParam().file);
  const auto form = recognise_constrained_form(system);
  const Outcome first = outcome_of(system, GetParam().until);
  if (!form || !make_level_system(system)) return;  // nothing to double, or redundant already
  const auto equation_of = [&](int i) -> const Equation& {
    const int number = form->constraints[static_cast<std::size_t>(i)].equation;
    return form->system().equations[static_cast<std::size_t>(number)];
  };
  for (int i = 0; i < std::min(form->ny(), 1); ++i) {
    const auto place = std::ranges::find_if(system.equations, [&](const Equation& e) {
      return e.span.begin == equation_of(i).span.begin && e.label == equation_of(i).label;
    });
    ASSERT_NE(place, system.equations.end());
    const std::string name =
        form->system().variables[form->multipliers[static_cast<std::size_t>(i)].at()].name;
    const auto multiplier = std::ranges::find(system.variables, name, &Variable::name);
    if (multiplier == system.variables.end()) continue;  // scaled
    const DaeSystem doubled = testing::with_doubled_constraint(
        system, static_cast<std::size_t>(place - system.equations.begin()),
        VariableId(static_cast<std::size_t>(multiplier - system.variables.begin())));
    const Outcome again = outcome_of(doubled, GetParam().until);
    EXPECT_EQ(again.dof, first.dof) << name << ": " << again.method << ": " << again.why;
    double size = 0;
    for (const auto& [key, value] : first.end) size = std::max(size, std::abs(value));
    for (const VariableId position : form->positions) {
      const std::string& key = form->system().variables[position.at()].name;
      if (!again.end.contains(key) || !first.end.contains(key)) continue;

      EXPECT_NEAR(again.end.at(key), first.end.at(key), 1e-4 * size) << key << " " << again.method;
    }
  }
}

// What `check` says of a model is what a run of it does, however its equations are ordered.
TEST_P(Metamorphic, CheckAndRunAgree) {
  const DaeSystem system = testing::problem(GetParam().file);
  Chance chance(1);
  for (const DaeSystem& model : {system, testing::changed(system, Change::EquationOrder, chance)}) {
    const auto report = check(model, model);
    RunOptions options;
    options.until = GetParam().until;
    options.points = 2;
    const auto run = simulate(model, options);
    ASSERT_EQ(report.has_value(), run.has_value());
    if (!run) continue;
    EXPECT_EQ(report->formulation.name(), run->summary.formulation.name());
    EXPECT_EQ(report->dof, run->summary.dof);
    EXPECT_EQ(report->index, run->summary.index);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Metamorphic,
    ::testing::Values(Problem{"andrews.mo", 0.01}, Problem{"ascher_petzold_1.mo", 1},
                      Problem{"ascher_petzold_2.mo", 1}, Problem{"ascher_petzold_3.mo", 1},
                      Problem{"ascher_petzold_4.mo", 1}, Problem{"car_axis.mo", 0.5},
                      Problem{"chemical_akzo.mo", 10}, Problem{"mattsson_soderlind_1.mo", 1},
                      Problem{"mattsson_soderlind_5.mo", 1}, Problem{"n_four_bar.mo", 0.3},
                      Problem{"pendulum_angle.mo", 1}, Problem{"pendulum_energy.mo", 1},
                      Problem{"pendulum_large.mo", 1}, Problem{"pendulum_small.mo", 1},
                      Problem{"petzold_linear.mo", 0.5}, Problem{"petzold_redundant.mo", 1, "y"},
                      Problem{"petzold_singular.mo", -0.1}, Problem{"slider_crank.mo", 0.5},
                      Problem{"slider_crank_angle.mo", 0.5}, Problem{"slider_crank_branch.mo", 0.5},
                      Problem{"slider_crank_energy.mo", 0.5}, Problem{"slider_crank_velocity.mo", 0.5},
                      Problem{"spatial_four_bar.mo", 0.5}, Problem{"transistor_amplifier.mo", 0.01}),
    [](const auto& problem) {
      const std::string name = problem.param.file;
      return name.substr(0, name.find('.'));
    });

// reinit, pre of an unknown, initial equations and events mean the same in other units.
TEST(Writing, EventsInOtherUnits) {
  const DaeSystem system = testing::from_text(
      "model Ball Real h(start = 1, fixed = true), v(start = 0, fixed = true), q, last(start = 0), e; "
      "Integer n(start = 0, fixed = true); initial equation q = 2*h; "
      "equation der(h) = v; der(v) = -9.81; der(q) = -q + h; e = v^2/2 + 9.81*h; "
      "when h < 0 then reinit(v, -0.8*pre(v)); n = pre(n) + 1; last = pre(q); end when; end Ball;");
  const Outcome first = outcome_of(system, 1.2);
  EXPECT_GE(first.end.at("n"), 2);
  for (unsigned seed = 0; seed < 8; ++seed) {
    Chance chance(seed);
    std::vector<double> units;
    const DaeSystem other = testing::changed(system, Change::Units, chance, &units);
    std::map<std::string, double> unit;
    for (std::size_t v = 0; v < units.size(); ++v) unit[system.variables[v].name] = units[v];
    compare(
        first, outcome_of(other, 1.2),
        {.change = Change::Units, .unit = unit, .undetermined = "", .how = "seed " + std::to_string(seed)});
  }
}

// Redundant constraints have no regular structure, and are recognised by der(x) = v, whatever its factor.
TEST(Writing, KinematicEquationsOfARedundantModelHaveAnyFactor) {
  for (const char* factor : {"1", "1000", "1e-9"}) {
    const std::string by = std::string(factor) + "*";
    const DaeSystem system = testing::from_text(
        "model M Real x(start = 1), y(start = 0, fixed = true), lambda, mu, vx, vy(start = 0, fixed = true); "
        "equation " +
        by + "der(x) = " + by + "vx; " + by + "vy = " + by +
        "der(y); "
        "der(vx) = -2*x*lambda - 4*x*mu; der(vy) = -2*y*lambda - 4*y*mu - 9.81; "
        "x^2 + y^2 = 1; 2*x^2 + 2*y^2 = 2; end M;");
    const Outcome outcome = outcome_of(system, 0.3);
    EXPECT_EQ(outcome.method, "trust-region radau") << factor;
    EXPECT_EQ(outcome.dof, 2) << factor;
    EXPECT_TRUE(check(system, system).has_value()) << factor;
  }
}

// Two cranks and a coupler, upright or hanging, at rest: nothing moves, and nothing is stiff. Beside a stiff
// spring something is.
TEST(Writing, AMotionAtRestIsNotStiff) {
  for (const char* height : {"1", "-1"}) {
    for (const bool stiff : {false, true}) {
      const std::string start = "(start = " + std::string(height) + ")";
      const DaeSystem system = testing::from_text(
          "model M Real x1, y1" + start + ", x2(start = 2), y2" + start +
          ", u1, v1, u2, v2, l1, l2, l3, s, w; equation "
          "der(x1) = u1; der(y1) = v1; der(x2) = u2; der(y2) = v2; der(s) = w; der(w) = -s*" +
          std::string(stiff ? "1e6" : "1") +
          "; der(u1) = -2*x1*l1 + 2*(x2 - x1)*l3; der(v1) = -2*y1*l1 + 2*(y2 - y1)*l3 - 9.81; "
          "der(u2) = -2*(x2 - 2)*l2 - 2*(x2 - x1)*l3; der(v2) = -2*y2*l2 - 2*(y2 - y1)*l3 - 9.81; "
          "x1^2 + y1^2 = 1; (x2 - 2)^2 + y2^2 = 1; (x2 - x1)^2 + (y2 - y1)^2 = 4; "
          "annotation(experiment(StopTime = 10)); end M;");
      const Advice advice = advise(system);
      EXPECT_EQ(advice.motion, stiff ? MotionCase::StiffMotion : MotionCase::Slow) << height << " " << stiff;
    }
  }
}

}  // namespace
}  // namespace daedalus
