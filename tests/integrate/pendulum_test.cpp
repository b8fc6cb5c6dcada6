// The planar pendulum of Mattsson and Söderlind (SIAM J. Sci. Comput. 14, 1993, section 5) over 1000 time
// units at 1e-9, by dummy derivatives, the states being exchanged on the way without a restart.
//
// Printed there for dummy derivatives (model c; steps, residuals, ΔE, ΔL): case 1 27,338, 62,167, -1.1e-7,
// ~1e-11; case 2 108,731, 240,161, 7.9e-7, ~1e-11. Reference values by Jacobi's elliptic functions.
#include <gtest/gtest.h>

#include "integrate/drive.hpp"
#include "integrate/test_systems.hpp"

namespace daedalus::testing {
namespace {

struct Case {
  double phi, w;  // the start
  double x, y;    // at t = 1000
  int pivots;     // four a period of 8.626 (case 2), none at |φ| ≤ 0.1
};
const Case kSmall{.phi = 0.1, .w = 0, .x = 0.09385022089534377, .y = -0.99558632776766033, .pivots = 0};
const Case kLarge{
    .phi = std::numbers::pi / 2, .w = -1, .x = 0.90762546777300389, .y = 0.41978090743843493, .pivots = 464};

struct Swing {
  std::unique_ptr<Integrator> integrator;
  double energy_error = 0;
  double length_error = 0;  // the largest
  int pivots = 0;
};

class Pendulum : public ::testing::Test {
 protected:
  Swing run(const std::string& selection, const Case& c, double initial_step = 0) {
    std::vector<double> y;
    std::vector<double> yp;
    DummyPendulum::initial(c.phi, c.w, y, yp);
    system_ = std::make_unique<DummyPendulum>(std::abs(y[0]) > std::abs(y[1]));
    IntegratorSettings settings = with_tolerance(1e-9, 1e-9);
    if (initial_step > 0) settings.initial_step = initial_step;
    Swing swing{.integrator = make_integrator(selection, *system_, settings)};
    Integrator& integrator = *swing.integrator;
    integrator.start(0, y, yp, 1000);
    while (integrator.t() < 1000) {
      const StepOutcome outcome = integrator.step(1000);
      EXPECT_TRUE(outcome.ok()) << outcome.detail;
      if (!outcome.ok()) break;
      swing.length_error =
          std::max(swing.length_error, std::abs(DummyPendulum::length_error(integrator.y())));
      const bool y_is_state = std::abs(integrator.y()[0]) > std::abs(integrator.y()[1]);
      if (y_is_state != system_->y_is_state()) {
        system_->select(y_is_state);
        integrator.system_changed();
        ++swing.pivots;
      }
    }
    swing.energy_error = DummyPendulum::energy(integrator.y()) - DummyPendulum::energy(y);
    return swing;
  }

  // The bounds that the project has set itself.
  void expect_as_good_as_the_paper(const Swing& swing, const Case& c, long max_steps,
                                   double max_energy_error) {
    EXPECT_LE(swing.integrator->counters().steps, max_steps);
    EXPECT_LE(std::abs(swing.energy_error), max_energy_error);
    EXPECT_LE(swing.length_error, 1e-10);
    EXPECT_EQ(swing.pivots, c.pivots);
    EXPECT_NEAR(swing.integrator->y()[0], c.x, 1e-3);
    EXPECT_NEAR(swing.integrator->y()[1], c.y, 1e-3);
  }

  std::unique_ptr<DummyPendulum> system_;
};

TEST_F(Pendulum, SmallOscillationsByBdf) {
  expect_as_good_as_the_paper(run("bdf", kSmall), kSmall, 30000, 3e-7);
}

// The result must not hang on the luck of the first step.
TEST_F(Pendulum, SmallOscillationsByBdfFromAnyFirstStep) {
  for (const double h : {1.0e-5, 1.2e-5, 1.4e-5, 1.6e-5, 1.8e-5}) {
    expect_as_good_as_the_paper(run("bdf", kSmall, h), kSmall, 30000, 3e-7);
  }
}

TEST_F(Pendulum, LargeOscillationsByBdfWithoutARestart) {
  const Swing large = run("bdf", kLarge);
  expect_as_good_as_the_paper(large, kLarge, 110000, 3e-6);
  // Two residuals a step: a first correction that is not taken for granted, and a second that confirms it.
  EXPECT_LE(large.integrator->counters().residual_evals, 240161);
}

TEST_F(Pendulum, LargeOscillationsByBdfWithKlu) {
  expect_as_good_as_the_paper(run("bdf:solver=klu", kLarge), kLarge, 110000, 3e-6);
}

TEST_F(Pendulum, LargeOscillationsByRadau) {
  expect_as_good_as_the_paper(run("radau", kLarge), kLarge, 110000, 3e-6);
}

// IDA goes through the pivots without a restart too, but its rule for accepting Newton's first iterate costs
// steps and accuracy: the reason why bdf judges Newton afresh.
TEST_F(Pendulum, LargeOscillationsByIdaCostMore) {
  const Swing ida = run("ida", kLarge);
  const Swing bdf = run("bdf", kLarge);
  EXPECT_EQ(ida.pivots, 464);
  EXPECT_NEAR(ida.integrator->y()[0], kLarge.x, 1e-2);
  EXPECT_GT(ida.integrator->counters().steps, bdf.integrator->counters().steps);
  EXPECT_GT(ida.length_error, bdf.length_error);
}

}  // namespace
}  // namespace daedalus::testing
