// The driver of dummy derivatives: which states it takes and when it exchanges them, solutions that end,
// output points, and what it says where there is no choice.
#include "drive/dummy_driver.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "driven.hpp"

namespace daedalus::testing {
namespace {

Stepped dummy(double angle = usual_angle, const std::string& options = "") {
  return Stepped("dummy-derivatives" + options, "radau", angle);
}

std::set<std::string> states_of(const Stepped& run) {
  std::set<std::string> names;
  for (const int level : run.driven.driver->states())
    names.insert(run.driven.model->levels().level_name(level));
  return names;
}

// H = (2x, 2y): the larger one is solved for, the other one is the state, with its velocity.
TEST(DummyDriver, BeginsWithTheLargestDeterminant) {
  for (const double angle : {-3.0, -1.4, -0.9, -0.7, 0.2, 1.2, 2.2, 3.0}) {
    const Stepped run = dummy(angle);
    const char* state = std::abs(std::cos(angle)) < std::abs(std::sin(angle)) ? "x" : "y";
    const char* velocity = std::abs(std::cos(angle)) < std::abs(std::sin(angle)) ? "vx" : "vy";
    const std::set<std::string> states = states_of(run);
    EXPECT_EQ(states.size(), 2U) << angle;
    EXPECT_TRUE(states.contains(state)) << angle;
    EXPECT_TRUE(states.contains(velocity) || states.contains("der(" + std::string(state) + ")")) << angle;
  }
}

// The other one becomes the state in the first step at whose end it raises |det H| by more than the option
// says.
TEST(DummyDriver, ExchangesWhenTheOptionSays) {
  for (const double factor : {1.5, 2.0, 6.0}) {
    Stepped run = dummy(-0.5, ":pivot=" + std::to_string(factor));
    const std::set<std::string> first = states_of(run);
    ASSERT_TRUE(first.contains("y"));
    double ratio = std::abs(run.at("y") / run.at("x"));
    while (states_of(run) == first && run.begun.integrator->t() < 1) {
      EXPECT_LE(ratio, factor);
      run.go(1);
      ratio = std::abs(run.at("y") / run.at("x"));
    }
    EXPECT_GT(ratio, factor);
    EXPECT_TRUE(states_of(run).contains("x"));
    const Summary summary = run.finished();
    ASSERT_EQ(summary.pivot_count, 1);
    const PivotRecord& pivot = summary.pivots.front();
    EXPECT_EQ(pivot.t, run.begun.integrator->t());
    EXPECT_EQ(std::set(pivot.states_out.begin(), pivot.states_out.end()), first);
    EXPECT_EQ(std::set(pivot.states_in.begin(), pivot.states_in.end()), states_of(run));
  }
}

// Whatever the states are, the motion is the same: the bead through its lowest point, with an early exchange
// and with a late one.
TEST(DummyDriver, ExchangesDoNotChangeTheMotion) {
  Stepped early = dummy(-0.5, ":pivot=1.5");
  Stepped late = dummy(-0.5, ":pivot=6");
  for (Stepped* run : {&early, &late}) {
    ASSERT_EQ(run->go_until(0.6), "");
    run->complete();
    EXPECT_LT(run->at("x"), 0);
    EXPECT_GE(run->finished().pivot_count, 1);
  }
  // Sixty steps, each solved to a part of rtol = 1e-6.
  EXPECT_NEAR(early.at("x"), late.at("x"), 1e-5);
  EXPECT_NEAR(early.at("y"), late.at("y"), 1e-5);
}

TEST(DummyDriver, EveryComponentIsALevelOfItsOwn) {
  Stepped run = dummy();
  std::set<std::string> names;
  for (int k = 0; k < run.driven.driver->size(); ++k) names.insert(run.driven.driver->component_name(k));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(run.driven.driver->size()));
  for (const std::string& state : states_of(run)) EXPECT_TRUE(names.contains(state)) << state;
}

// Where no choice is regular the run cannot begin, and the sentence names the constraint.
TEST(DummyDriver, RefusesASingularStart) {
  const Driven driven("dummy-derivatives", "radau");
  std::vector<double> nowhere = driven.fresh_environment();
  driven.driver->bind(nowhere);
  const std::string why = driven.driver->begin();
  EXPECT_NE(why.find("singular at the initial point"), std::string::npos) << why;
  EXPECT_NE(why.find("x^2 + y^2 = 1"), std::string::npos) << why;
}

// Of an output point the states count; everything else is computed anew from them.
TEST(DummyDriver, CompletesOutputPointsFromTheStates) {
  Stepped run = dummy();
  run.go(3);
  run.complete();
  std::vector<double>& values = run.begun.environment;
  const std::vector<double> exact = values;
  const int first = run.driven.model->layout().levels;
  for (int level = 0; level < run.driven.model->level_count(); ++level) {
    if (!std::ranges::binary_search(run.driven.driver->states(), level))
      values[static_cast<std::size_t>(first + level)] *= 1.001;
  }
  EXPECT_GT(run.position_drift(), 1e-4);
  EXPECT_EQ(run.driven.driver->complete_output(), "");
  // Newton's method with the tolerances of the run, 1e-6 of values up to 40, converges much further.
  for (std::size_t k = 0; k < exact.size(); ++k) EXPECT_NEAR(values[k], exact[k], 1e-8 * 40) << k;
}

// Where the equations have no solution there, the point stays as it was interpolated, and the sentence says
// which.
TEST(DummyDriver, LeavesOutputPointsThatHaveNoSolution) {
  Stepped run = dummy();
  run.go(1);
  run.complete();
  const char* state = states_of(run).contains("x") ? "x" : "y";
  std::vector<double>& values = run.begun.environment;
  values[static_cast<std::size_t>(run.driven.slot_of(state, 0))] = 1.5;
  const std::vector<double> before = values;
  const std::string why = run.driven.driver->complete_output();
  EXPECT_NE(why.find("at t = 0.01"), std::string::npos) << why;
  EXPECT_NE(why.find("no values near those before fulfil"), std::string::npos) << why;
  EXPECT_EQ(values, before);
  EXPECT_FALSE(run.driven.driver->make_consistent());
}

// z³ - 3z = t - 2 from z = -2: the branch ends at t = 4, z = -1, and 3 away there is another one.
const char* const fold = R"(model Fold
  Real p(start = -2, fixed = true); Real z(start = -2);
equation
  der(p) = 1;
  z^3 - 3*z = p;
end Fold;)";

// Steps over the end of a branch are not taken, whether Newton's method finds the other branch or nothing.
TEST(DummyDriver, EndsWhereTheSolutionEnds) {
  int said = 0;
  for (const double h : {0.13, 0.3, 0.7, 1.1, 1.7, 3.3}) {
    Stepped run(from_text(fold), run_options("dummy-derivatives", "backward-euler", h));
    RunDriver& driver = *run.driven.driver;
    Integrator& integrator = *run.begun.integrator;
    std::string why;
    while (why.empty() && integrator.t() < 8) {
      driver.before_step(integrator, far);
      const StepOutcome outcome = driver.step(integrator, far);
      if (!outcome.ok()) break;
      why = driver.check_step(integrator);
      if (!why.empty()) break;
      run.load_end();
      EXPECT_LE(run.at("z"), -1) << h;
      EXPECT_EQ(driver.after_step(integrator), "");
    }
    if (why.empty()) continue;
    ++said;
    EXPECT_LT(integrator.t_previous(), 4) << h;
    EXPECT_NE(why.find("the solution that z follows ends there or shortly after"), std::string::npos) << why;
  }
  EXPECT_GE(said, 1);
}

// Steep is not the end: z³ + z/1000 = t - 2 goes from -0.67 to 0.67 in one step, and is followed in parts of
// it.
TEST(DummyDriver, FollowsWhatIsOnlySteep) {
  Stepped run(from_text(R"(model Steep
  Real p(start = -2, fixed = true); Real z(start = -1.2595);
equation
  der(p) = 1;
  z^3 + 0.001*z = p;
end Steep;)"),
              run_options("dummy-derivatives", "backward-euler", 0.85));
  EXPECT_EQ(run.go_until(3), "");
  run.complete();
  EXPECT_NEAR(std::pow(run.at("z"), 3) + (0.001 * run.at("z")), run.time() - 2, 1e-9);
  EXPECT_GT(run.at("z"), 0.99);
}

Stepped crank(const std::string& fallback) {
  return slider_crank("dummy-derivatives", "radau", false, fallback);
}

// With somebody to hand over to, the run ends in the step that passes the point.
TEST(DummyDriver, GivesUpWhereRankIsLostIfAnotherCanPass) {
  Stepped run = crank("trust-region");
  EXPECT_EQ(run.driven.driver->explain_failure(), "");
  EXPECT_EQ(run.go_until(1.2), rank_loss_reason);
  EXPECT_GE(run.begun.integrator->t(), dead_centre - 1e-3);
  EXPECT_LE(run.begun.integrator->t_previous(), dead_centre + 1e-3);
}

// The same step is the one that is recorded when nobody takes over; the summary says that it was not treated.
TEST(DummyDriver, RecordsWhereRankWasLost) {
  Stepped run = crank("");
  std::string why;
  while (run.begun.integrator->t() < 1.1 && why.empty()) why = run.step(1.1);
  const Summary summary = run.finished();
  ASSERT_GE(summary.rank_changes.size(), 1U);
  EXPECT_NEAR(summary.rank_changes[0].t, dead_centre, 1e-3);
  EXPECT_EQ(summary.rank_changes[0].from, 1);
  EXPECT_EQ(summary.rank_changes[0].to, 0);
  ASSERT_FALSE(summary.warnings.empty());
  EXPECT_EQ(summary.warnings[0], passed_untreated(summary.rank_changes[0].t, "dummy-derivatives"));
}

TEST(DummyDriver, ExplainsAFailureNearASingularPoint) {
  Stepped run = crank("");
  EXPECT_EQ(run.go_until(dead_centre - 0.01), "");
  const std::string why = run.driven.driver->explain_failure();
  EXPECT_NE(why.find("nearly singular"), std::string::npos) << why;
}

// Without the derivative of x as an unknown of its own it is the integrator's, and the motion is the same.
TEST(DummyDriver, WithoutSuperfluousDerivativesTheMotionIsTheSame) {
  const DaeSystem follow = from_text(R"(model Follow
  Real x(start = 0), y(start = 2, fixed = true);
equation
  x + x^3 = sin(time);
  der(y) = der(x) - y;
end Follow;)");
  Stepped all(follow, run_options("dummy-derivatives", "radau"));
  Stepped fewer(follow, run_options("dummy-derivatives:superfluous=remove", "radau"));
  EXPECT_LT(fewer.driven.driver->size(), all.driven.driver->size());
  for (Stepped* run : {&all, &fewer}) {
    EXPECT_EQ(run->go_until(1), "");
    run->complete();
    EXPECT_NEAR(run->at("x") + std::pow(run->at("x"), 3), std::sin(1.0), 1e-9);
  }
  EXPECT_NEAR(all.at("y"), fewer.at("y"), 1e-5) << "some ten local errors of 1e-6 each";
}

// Bytes of another model have other sizes and are refused, whatever they hold.
TEST(DummyDriver, RefusesTheStateOfAnotherModel) {
  Stepped bead = dummy();
  bead.go(1);
  Archive writing;
  bead.driven.driver->state(writing);
  const std::vector<std::byte> bytes = writing.finish();
  const Stepped other(from_text(fold), run_options("dummy-derivatives", "radau"));
  Archive reading(bytes);
  other.driven.driver->state(reading);
  EXPECT_FALSE(reading.ok());
}

}  // namespace
}  // namespace daedalus::testing
