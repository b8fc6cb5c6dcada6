// What is recorded of a run, by the interfaces of those who record.
#include "simulate/recording.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "simulate/recorder.hpp"
#include "simulate/simulation.hpp"
#include "stepping/stepper_support.hpp"

namespace daedalus::testing {
namespace {

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
