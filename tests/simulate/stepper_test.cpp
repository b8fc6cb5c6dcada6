// The loop over steps and what it records, by their own interfaces.
#include "simulate/stepper.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "advise/plan.hpp"
#include "drive/make_driver.hpp"
#include "simulate/engine_parts.hpp"
#include "simulate/recorder.hpp"
#include "simulate/recording.hpp"
#include "simulate/simulation.hpp"
#include "support/model_text.hpp"

namespace daedalus::testing {
namespace {

// A pendulum that is thrown back where it hangs straight down, and a ball on the floor, with a count of the
// events.
const std::string bouncing_pendulum = R"(model BouncingPendulum
  Real x(start = 1), y(start = 0, fixed = true), vx, vy(start = 0, fixed = true), lambda;
  Integer hits(start = 0, fixed = true);
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -2*x*lambda;
  der(vy) = -2*y*lambda - 9.81;
  x^2 + y^2 = 1;
  when x < 0.1 then
    reinit(vx, -0.9*pre(vx));
    reinit(vy, -0.9*pre(vy));
    hits = pre(hits) + 1;
  end when;
  annotation(experiment(StopTime = 4, Tolerance = 1e-7));
end BouncingPendulum;)";
const std::string ball = R"(model Ball
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
  Integer hits(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -9.81;
  when h < 0 then
    reinit(v, -0.8*pre(v));
    hits = pre(hits) + 1;
  end when;
  annotation(experiment(StopTime = 1.5));
end Ball;)";

std::unique_ptr<EngineParts> parts_of(const std::string& text, const RunOptions& options) {
  auto planned = plan(from_text(text), options);
  EXPECT_TRUE(planned.has_value());
  auto parts = std::make_unique<EngineParts>();
  parts->settings = planned->settings;
  parts->options = planned->options;
  parts->plan = std::make_shared<const RunPlan>(*std::move(planned));
  parts->model = parts->plan->model;
  if (parts->model == nullptr) parts->model = *CompiledModel::compile(parts->plan->levels);
  std::vector<NodeId> conditions;
  for (const Assertion& assertion : parts->model->dae().assertions) conditions.push_back(assertion.condition);
  parts->assertions = parts->model->compile(conditions);
  parts->events.emplace(*parts->model, std::span<double>{}, 0.0);
  auto driver =
      make_driver({.model = *parts->model, .plan = *parts->plan, .tolerances = parts->settings.tolerances});
  EXPECT_TRUE(driver.has_value());
  parts->driver = *std::move(driver);
  return parts;
}

class Counting final : public StepObserver {
 public:
  std::string step_done(Stepper& stepper, double reached, bool event) override {
    EXPECT_GE(reached, stepper.time());
    ++steps;
    events += event ? 1 : 0;
    return {};
  }
  std::string event_done(Stepper& /*stepper*/) override {
    ++handled;
    return {};
  }
  bool go_on(const Progress& /*progress*/) override { return true; }
  int steps = 0;
  int events = 0;
  int handled = 0;
};

void run_until(Stepper& stepper, double t, double end, StepObserver& observer) {
  while (stepper.running() && stepper.time() < t) stepper.advance(end, observer);
}

struct Method {
  const char* formulation;
  const char* integrator;
};

class Steppers : public ::testing::TestWithParam<Method> {
 protected:
  // The ball has no constraints to project onto: an explicit method then has the ODE, by auto.
  [[nodiscard]] static RunOptions options(const std::string& text) {
    RunOptions options;
    const bool projects = std::string_view(GetParam().formulation) == "orthogonal-projection";
    options.formulation = Selection(projects && text == ball ? "auto" : GetParam().formulation);
    options.integrator = Selection(GetParam().integrator);
    return options;
  }
};

// Three runs: without a copy, and one that is copied at half time with its copy. Their ends are equal to the
// bit, and so is what happened on the way.
TEST_P(Steppers, ACopyAtHalfTimeGoesOnToTheBit) {
  for (const std::string& text : {bouncing_pendulum, ball}) {
    const auto parts = parts_of(text, options(text));
    const double end = parts->settings.end;
    std::vector<std::vector<double>> ends;
    std::vector<int> steps;
    const auto finish = [&](Stepper& stepper, Counting& observer) {
      run_until(stepper, end, end, observer);
      EXPECT_FALSE(stepper.failed()) << stepper.reason();
      EXPECT_EQ(stepper.time(), end);
      const auto now = stepper.output_now();
      ends.emplace_back(now.begin(), now.end());
      steps.push_back(observer.steps);
    };
    Counting whole;
    Stepper plain(*parts, parts->settings);
    ASSERT_TRUE(plain.start({}).has_value());
    plain.begin(whole);
    finish(plain, whole);
    EXPECT_GT(whole.events, 1) << "events on the way";
    Counting halved;
    Stepper stepper(*parts, parts->settings);
    ASSERT_TRUE(stepper.start({}).has_value());
    stepper.begin(halved);
    run_until(stepper, end / 2, end, halved);
    EXPECT_GT(halved.events, 0) << "before the copy, too";
    Stepper copy(stepper);
    Counting of_copy = halved;
    finish(copy, of_copy);
    EXPECT_LT(stepper.time(), end);  // untouched by the copy's work
    finish(stepper, halved);
    EXPECT_EQ(ends[1], ends[0]);
    EXPECT_EQ(ends[2], ends[0]);
    EXPECT_EQ(steps[1], steps[0]);
    EXPECT_EQ(steps[2], steps[0]);
  }
}

// The ball is a formula: fallen from 1 with g, thrown back with 0.8 of its speed, each flight 0.8 of the one
// before.
TEST_P(Steppers, TheBallFliesAsTheFormulaSays) {
  const auto parts = parts_of(ball, options(ball));
  Counting observer;
  Stepper stepper(*parts, parts->settings);
  ASSERT_TRUE(stepper.start({}).has_value());
  stepper.begin(observer);
  run_until(stepper, parts->settings.end, parts->settings.end, observer);
  double speed = std::sqrt(2 * 9.81);
  double t = speed / 9.81;
  while (t + (2 * 0.8 * speed / 9.81) < 1.5) {
    speed *= 0.8;
    t += 2 * speed / 9.81;
  }
  speed *= 0.8;
  const double flown = 1.5 - t;
  const auto now = stepper.output_now();
  std::vector<double> row(parts->model->output_signals.size());
  std::vector<double> workspace;
  parts->model->outputs.evaluate(now, row, workspace);
  for (std::size_t k = 0; k < row.size(); ++k) {
    // Parabolas are exact for every method; the event is found to a relative 1e-6 or better.
    if (parts->model->output_signals[k].name == "h") {
      EXPECT_NEAR(row[k], (speed * flown) - (9.81 * flown * flown / 2), 1e-5);
    }
    if (parts->model->output_signals[k].name == "v") {
      EXPECT_NEAR(row[k], speed - (9.81 * flown), 1e-5);
    }
    if (parts->model->output_signals[k].name == "hits") {
      EXPECT_EQ(row[k], 2);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, Steppers,
                         ::testing::Values(Method{"dummy-derivatives", "radau"},
                                           Method{"dummy-derivatives", "bdf"},
                                           Method{"orthogonal-projection", "dopri5"}),
                         [](const auto& method) {
                           std::string name =
                               std::string(method.param.formulation) + "_" + method.param.integrator;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

// Rows at uniform times, each once, with both ends; drift by level.
TEST(Recorder, WritesARowForEachOfItsTimes) {
  const auto parts = parts_of(bouncing_pendulum, {});
  const std::vector<double> environment = parts->model->fresh_environment();
  Recorder recorder(*parts->model, parts->assertions, environment, {.start = 1, .end = 3, .points = 5});
  for (const double t : {1.0, 1.5, 2.0, 2.5, 3.0}) {
    EXPECT_EQ(recorder.next(), t);
    recorder.record(environment);
    EXPECT_EQ(recorder.time(recorder.rows() - 1), t);
  }
  EXPECT_TRUE(std::isinf(recorder.next()));
  EXPECT_FALSE(recorder.record_end(3, environment));  // it is there already
  EXPECT_TRUE(recorder.record_end(3.25, environment));
  RunResult result;
  recorder.finish(result);
  EXPECT_EQ(result.trajectory.rows(), 6U);
  EXPECT_EQ(result.trajectory.values.size(), 6 * result.trajectory.signals.size());
  ASSERT_FALSE(result.summary.drift.levels.empty());
  EXPECT_EQ(result.trajectory.drift.front().size(), 6U);
  // All levels are zero there: x² + y² = 1 is violated by 1, its derivatives are not.
  EXPECT_EQ(result.summary.drift.levels[0], 1);
  EXPECT_EQ(result.summary.drift.levels[1], 0);
  EXPECT_NE(result.summary.drift.worst[0].find("x^2 + y^2"), std::string::npos)
      << result.summary.drift.worst[0];
  EXPECT_EQ(result.summary.final_values.size(), result.trajectory.signals.size());
}

TEST(Recorder, AssertionsWarnOnceOrEndTheRun) {
  const auto parts = parts_of(R"(model Asserted
  Real x(start = 1, fixed = true);
equation
  der(x) = -x;
  assert(x > 0.5, "small", AssertionLevel.warning);
  assert(x > 0.25, "too small");
end Asserted;)",
                              {});
  std::vector<double> environment = parts->model->fresh_environment();
  Recorder recorder(*parts->model, parts->assertions, environment, {.start = 0, .end = 1, .points = 2});
  double& x = environment[static_cast<std::size_t>(parts->model->layout().levels)];
  std::vector<std::string> warnings;
  x = 0.75;
  EXPECT_EQ(recorder.check_assertions(environment, warnings), "");
  EXPECT_TRUE(warnings.empty());
  for (int k = 0; k < 2; ++k) {
    x = 0.4;
    EXPECT_EQ(recorder.check_assertions(environment, warnings), "");
    EXPECT_EQ(warnings.size(), 1U);
  }
  x = 0.1;
  EXPECT_NE(recorder.check_assertions(environment, warnings).find("too small"), std::string::npos);
}

// Every row of a run, at its time, whatever the steps were; an event at an output time gives the value after
// it.
TEST(Recording, RowsStandAtTheirTimesAndTheCourseCoversTheRun) {
  const auto parts = parts_of(ball, {});
  RunSettings settings = parts->settings;
  settings.points = 16;
  const auto dense = std::make_shared<DenseOutput>();
  int told = 0;
  Stepper stepper(*parts, settings);
  ASSERT_TRUE(stepper.start({}).has_value());
  Recording recording(*parts, settings, stepper.environment(),
                      {.progress =
                           [&](const Progress& progress) {
                             ++told;
                             EXPECT_LE(progress.t, progress.t_end);
                             return true;
                           },
                       .observers = {},
                       .dense = dense});
  stepper.begin(recording);
  run_until(stepper, settings.end, settings.end, recording);
  RunResult result;
  recording.finish(result);
  stepper.finish(result);
  ASSERT_EQ(result.trajectory.rows(), 16U);
  for (std::size_t k = 0; k < 16; ++k)
    EXPECT_NEAR(result.trajectory.times[k], 0.1 * static_cast<double>(k), 1e-15);
  EXPECT_GT(told, 0);
  ASSERT_FALSE(dense->empty());
  EXPECT_EQ(dense->t_begin(), 0);
  EXPECT_EQ(dense->t_end(), 1.5);
  // Rows and course agree: parabolas are exact for both.
  std::vector<double> row(dense->signals().size());
  for (std::size_t k = 0; k < 16; ++k) {
    dense->evaluate(result.trajectory.times[k], row);
    for (std::size_t c = 0; c < row.size(); ++c)
      EXPECT_NEAR(row[c], result.trajectory.at(k, c), 1e-9) << k << ' ' << c;
  }
}

}  // namespace
}  // namespace daedalus::testing
