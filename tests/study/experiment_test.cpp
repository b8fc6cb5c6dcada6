#include "study/experiment.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <sstream>

#include "study/embedded_models.hpp"

namespace daedalus {
namespace {

TEST(EmbeddedModels, AreTheFilesOfProblems) {
  ASSERT_FALSE(embedded_models().empty());
  for (const EmbeddedModel& model : embedded_models()) {
    std::ifstream in(std::string(DAEDALUS_SOURCE_DIR) + "/problems/" + std::string(model.name) + ".mo");
    std::stringstream text;
    text << in.rdbuf();
    EXPECT_EQ(model.text, text.str()) << model.name;
  }
}

TEST(Experiment, SaysTheCommandThatMakesIt) {
  RunSetup setup;
  setup.model = "ascher_petzold_3";
  setup.settings = {{"nu", "100"}, {"c", "2"}};
  setup.formulation = "ggl:D=[0;1]";
  setup.integrator = "backward-euler";
  setup.step = 0.01;
  setup.rtol = 1e-10;
  setup.points = 2;
  EXPECT_EQ(command_line(setup),
            "daedalus run problems/ascher_petzold_3.mo --set nu=100 --set c=2 --formulation 'ggl:D=[0;1]' "
            "--integrator backward-euler --step 0.01 --rtol 1e-10 --points 2");
}

// All four examples of Ascher and Petzold have x, or p and v, equal to exp(t): as the papers say, and as any
// formulation of the models must find. Tolerance 1e-6 of the models, and a hundred times that for the error.
TEST(Experiment, SolvesTheExamplesOfAscherAndPetzold) {
  for (const char* model : {"ascher_petzold_1", "ascher_petzold_2", "ascher_petzold_3", "ascher_petzold_4"}) {
    RunSetup setup;
    setup.model = model;
    if (model != std::string_view("ascher_petzold_1")) setup.settings = {{"nu", "20"}};
    const auto result = perform(setup);
    ASSERT_TRUE(result) << model << ": " << result.error();
    ASSERT_TRUE(result->ok()) << model << ": " << result->summary.reason;
    for (const Signal& signal : result->trajectory.signals) {
      const char kind = signal.name.front();
      if (kind != 'x' && kind != 'p' && kind != 'v') continue;
      EXPECT_NEAR(last_value(result->trajectory, signal.name), std::numbers::e, 1e-4)
          << model << " " << signal.name;
    }
  }
}

// With c = 0, 1 and 2 and any ν the solution of Example 3 is the same: q makes it so.
TEST(Experiment, KeepsTheSolutionOfExample3ForAllParameters) {
  for (const char* c : {"0", "1", "2"}) {
    for (const char* nu : {"1", "7", "100"}) {
      RunSetup setup;
      setup.model = "ascher_petzold_3";
      setup.settings = {{"nu", nu}, {"c", c}};
      const auto result = perform(setup);
      ASSERT_TRUE(result && result->ok()) << c << " " << nu;
      EXPECT_NEAR(last_value(result->trajectory, "p1"), std::numbers::e, 1e-4) << c << " " << nu;
      // λ = exp(t)/(2 - t)
      EXPECT_NEAR(last_value(result->trajectory, "lambda"), std::numbers::e, 1e-3) << c << " " << nu;
    }
  }
}

// The energy of the slider crank in its angle, (3/2 + cos 2q) w² - 9.8 cos q, is an invariant of the equation
// that stands in the model; a wrong coefficient would not keep it.
TEST(Experiment, KeepsTheEnergyOfTheSliderCrankInItsAngle) {
  RunSetup setup;
  setup.model = "slider_crank_angle";
  setup.settings = {{"omega0", "4"}};
  setup.points = 101;
  setup.integrator = "radau";
  const auto result = perform(setup);
  ASSERT_TRUE(result && result->ok());
  const Trajectory& trajectory = result->trajectory;
  const auto energy = [&](std::size_t row) {
    const double q = trajectory.at(row, column_of(trajectory, "q"));
    const double w = trajectory.at(row, column_of(trajectory, "w"));
    return ((1.5 + std::cos(2 * q)) * w * w) - (9.8 * std::cos(q));
  };
  for (std::size_t row = 1; row < trajectory.rows(); ++row) EXPECT_NEAR(energy(row), energy(0), 1e-7);
}

// Before the dead centre the constrained crank and the crank in its angle are one mechanism: two independent
// derivations, the same motion.
TEST(Experiment, FindsTheSameMotionOfTheSliderCrankWithAndWithoutItsConstraint) {
  RunSetup angle;
  angle.model = "slider_crank_angle";
  angle.until = 0.9;
  angle.rtol = 1e-9;
  const auto truth = perform(angle);
  ASSERT_TRUE(truth && truth->ok());
  for (const char* model : {"slider_crank", "slider_crank_velocity"}) {
    RunSetup setup = angle;
    setup.model = model;
    setup.formulation = "dummy-derivatives";
    const auto result = perform(setup);
    ASSERT_TRUE(result && result->ok()) << model;
    const double q = last_value(truth->trajectory, "q");
    EXPECT_NEAR(last_value(result->trajectory, "theta1"), q, 1e-6) << model;
    EXPECT_NEAR(last_value(result->trajectory, "theta2"), std::numbers::pi - q, 1e-6) << model;
  }
}

TEST(Experiment, SaysWhatIsWrongInAFormulation) {
  RunSetup setup;
  setup.model = "pendulum_small";
  setup.formulation = "no-such-formulation";
  const auto result = perform(setup);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().find("no-such-formulation"), std::string::npos);
}

TEST(Experiment, EndsWhenAsked) {
  RunSetup setup;
  setup.model = "pendulum_small";
  const auto result = perform(setup, [] { return false; });
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->ok());
  EXPECT_NE(result->summary.reason.find("interrupted"), std::string::npos);
}

}  // namespace
}  // namespace daedalus
