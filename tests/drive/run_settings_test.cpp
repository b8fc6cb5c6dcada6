#include "drive/run_settings.hpp"

#include <gtest/gtest.h>

#include "drive/run_plan.hpp"
#include "support/equations.hpp"

namespace daedalus::testing {
namespace {

DaeSystem system_with(const Experiment& experiment) {
  Pendulum pendulum(0.6, -0.8, 0, 0);
  pendulum.system.experiment = experiment;
  return pendulum.system;
}

TEST(RunSettings, DefaultsAreThoseOfTheDocumentation) {
  const auto settings = run_settings(system_with({}), {});
  ASSERT_TRUE(settings.has_value());
  EXPECT_EQ(settings->start, 0);
  EXPECT_EQ(settings->end, 1);
  EXPECT_EQ(settings->points, 2001);
  EXPECT_EQ(settings->tolerances.relative, 1e-6);
  EXPECT_EQ(settings->tolerances.absolute, 1e-9);
}

TEST(RunSettings, TheExperimentIsHeardAndOptionsAreHeardMore) {
  Experiment experiment;
  experiment.start_time = 1;
  experiment.stop_time = 3;
  experiment.tolerance = 1e-10;
  experiment.interval = 0.1;
  const auto annotated = run_settings(system_with(experiment), {});
  ASSERT_TRUE(annotated.has_value());
  EXPECT_EQ(annotated->start, 1);
  EXPECT_EQ(annotated->end, 3);
  EXPECT_EQ(annotated->points, 21);
  EXPECT_EQ(annotated->tolerances.relative, 1e-10);
  EXPECT_EQ(annotated->tolerances.absolute, 1e-10);  // never above rtol
  RunOptions options;
  options.until = 5;
  options.rtol = 1e-3;
  options.atol = 1e-4;
  options.points = 7;
  const auto given = run_settings(system_with(experiment), options);
  ASSERT_TRUE(given.has_value());
  EXPECT_EQ(given->end, 5);
  EXPECT_EQ(given->points, 7);
  EXPECT_EQ(given->tolerances.relative, 1e-3);
  EXPECT_EQ(given->tolerances.absolute, 1e-4);
}

// Each with the number in its sentence.
TEST(RunSettings, NumbersThatMakeNoSenseAreErrors) {
  const auto message = [](const RunOptions& options) {
    const auto settings = run_settings(system_with({}), options);
    return settings ? std::string("accepted") : settings.error().front().message;
  };
  RunOptions options;
  options.until = -2;
  EXPECT_NE(message(options).find("-2"), std::string::npos);
  options = {};
  options.rtol = 0;
  EXPECT_NE(message(options).find("rtol = 0"), std::string::npos);
  options = {};
  options.atol = -1e-3;
  EXPECT_NE(message(options).find("atol = -0.001"), std::string::npos);
  options = {};
  options.step = 0;
  EXPECT_NE(message(options).find("step size"), std::string::npos);
  options = {};
  options.points = 1;
  EXPECT_NE(message(options).find("1 were asked for"), std::string::npos);
  options = {};
  options.until = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(message(options), "accepted");
}

TEST(StiffIntegrator, OrderFollowsTheTolerance) {
  IntegratorRow row;
  row.name = "radau";
  EXPECT_EQ(stiff_integrator(row, 1).to_text(), "radau:order=5");
  EXPECT_EQ(stiff_integrator(row, 1e-3).to_text(), "radau:order=variable");
}

}  // namespace
}  // namespace daedalus::testing
