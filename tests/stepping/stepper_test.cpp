// The loop over steps, by its own interface.
#include "stepping/stepper.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "stepping/stepper_support.hpp"

namespace daedalus::testing {
namespace {

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

}  // namespace
}  // namespace daedalus::testing
