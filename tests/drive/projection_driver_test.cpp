// What the ends of steps are moved by: the least amount in the norm asked for, at the levels asked for, or
// symmetrically, so that a motion backwards comes home.
#include "drive/projection_driver.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "driven.hpp"

namespace daedalus::testing {
namespace {

struct Plane {
  double x = 0;
  double y = 0;
  [[nodiscard]] double length() const { return std::hypot(x, y); }
};
Plane operator-(Plane a, Plane b) {
  return {.x = a.x - b.x, .y = a.y - b.y};
}
// The sine of the angle between two directions.
double sine(Plane a, Plane b) {
  return std::abs((a.x * b.y) - (a.y * b.x)) / (a.length() * b.length());
}

Plane positions(const Stepped& run) {
  return {.x = run.at("x"), .y = run.at("y")};
}
Plane velocities(const Stepped& run) {
  return {.x = run.at("x", 1), .y = run.at("y", 1)};
}

// A step so long that its end is well off the constraints, before the projection and after it.
struct Moved {
  explicit Moved(const std::string& formulation, const std::string& integrator = "dopri5")
      : run(formulation, integrator, usual_angle, 0.2) {
    RunDriver& driver = *run.driven.driver;
    Integrator& integrator_ = *run.begun.integrator;
    driver.before_step(integrator_, far);
    EXPECT_TRUE(driver.step(integrator_, far).ok());
    run.load_end();
    position_before = positions(run);
    velocity_before = velocities(run);
    EXPECT_EQ(driver.after_step(integrator_), "");
    run.load_end();
    position = positions(run) - position_before;
    velocity = velocities(run) - velocity_before;
  }
  Stepped run;
  Plane position_before, velocity_before, position, velocity;
};

struct Norm {
  const char* option;
  double xx, xy, yy;
  [[nodiscard]] Plane times(Plane p) const {
    return {.x = (xx * p.x) + (xy * p.y), .y = (xy * p.x) + (yy * p.y)};
  }
};

// The least move in the norm W has W Δ along the gradient (x, y): of the position to the first order in Δ, by
// as much as the gradient turns on the way; of the velocity exactly, since its constraint is linear in it.
TEST(OrthogonalProjectionDriver, MovesByTheLeastInTheNormAskedFor) {
  for (const Norm& norm :
       {Norm{"I", 1, 0, 1}, Norm{"M", 1, 0, 4}, Norm{"[2,1;1,3]", 2, 1, 3}, Norm{"[1,0;0,100]", 1, 0, 100}}) {
    const Moved moved(std::string("orthogonal-projection:W=") + norm.option);
    const Plane gradient = positions(moved.run);
    ASSERT_GT(moved.position.length(), 1e-7) << norm.option;
    ASSERT_GT(moved.velocity.length(), 1e-7) << norm.option;
    // Norms turn directions by up to their condition, 100.
    EXPECT_LT(sine(norm.times(moved.position), gradient), 200 * moved.position.length()) << norm.option;
    EXPECT_LT(sine(norm.times(moved.velocity), gradient), 1e-6) << norm.option;
    if (norm.xx != norm.yy) {
      EXPECT_GT(sine(moved.velocity, gradient), 0.05) << norm.option;
    }
    EXPECT_LT(moved.run.position_drift(), 1e-14) << norm.option;
    EXPECT_LT(moved.run.velocity_drift(), 1e-13) << norm.option;
  }
}

TEST(OrthogonalProjectionDriver, OfPositionsAloneVelocitiesStay) {
  const Moved moved("orthogonal-projection:levels=position");
  EXPECT_GT(moved.position.length(), 1e-7);
  EXPECT_EQ(moved.velocity.length(), 0);
  EXPECT_LT(moved.run.position_drift(), 1e-14);
  EXPECT_GT(moved.run.velocity_drift(), 1e-7);
}

// Methods that keep the constraints by themselves are left alone.
TEST(OrthogonalProjectionDriver, MethodsThatKeepTheConstraintsAreNotMoved) {
  for (const char* name : {"rattle", "generalized-alpha"}) {
    ASSERT_TRUE(find_integrator(name)->keeps_constraints) << name;
    const Moved moved("orthogonal-projection", name);
    EXPECT_EQ(moved.position.length(), 0) << name;
    EXPECT_EQ(moved.velocity.length(), 0) << name;
    EXPECT_LT(moved.run.position_drift(), 1e-9) << name;
  }
}

// What is on the constraints stays where it is, but for rounding.
TEST(OrthogonalProjectionDriver, OncemoreChangesNothing) {
  Stepped run("orthogonal-projection", "dopri5", usual_angle, 0.2);
  run.go(3);
  run.complete();
  const Plane position = positions(run);
  const Plane velocity = velocities(run);
  EXPECT_EQ(run.driven.driver->complete_output(), "");
  EXPECT_LT((positions(run) - position).length(), 4e-16);
  EXPECT_LT((velocities(run) - velocity).length(), 4e-15);
}

TEST(OrthogonalProjectionDriver, RefusesWhatIsNoNorm) {
  struct Row {
    const char* w;
    const char* says;
  };
  for (const Row& row : {Row{"[1,2,3]", "W must be 2 by 2"}, Row{"[1,2;3]", "W"},
                         Row{"[1,2;0,1]", "not symmetric positive definite"},
                         Row{"[1,0;0,-1]", "not symmetric positive definite"},
                         Row{"[0,0;0,0]", "not symmetric positive definite"},
                         Row{"[1,1;1,1]", "not symmetric positive definite"}, Row{"K", "I, M"}}) {
    Driven driven("orthogonal-projection", "dopri5");
    driven.plan->row_options = Selection("orthogonal-projection", {{"W", row.w}, {"levels", "all"}});
    const auto made = make_driver(driven.setting());
    ASSERT_FALSE(made.has_value()) << row.w;
    EXPECT_NE(made.error().front().message.find(row.says), std::string::npos) << made.error().front().message;
  }
}

// n steps, the velocities turned round, n steps: how far from where it began.
double way_home(const std::string& formulation, int steps) {
  Stepped there(formulation, "implicit-midpoint", usual_angle, 0.02);
  const Plane home = positions(there);
  there.go(steps);
  there.complete();
  Driven back_driven(formulation, "implicit-midpoint", 0.02);
  std::vector<double> turned = back_driven.fresh_environment();
  back_driven.put(turned, "x", {there.at("x"), -there.at("x", 1), there.at("x", 2)});
  back_driven.put(turned, "y", {there.at("y"), -there.at("y", 1), there.at("y", 2)});
  back_driven.put(turned, "lambda", {there.at("lambda")});
  Stepped back(std::move(back_driven), turned);
  back.go(steps);
  back.complete();
  return (positions(back) - home).length();
}

// A symmetric method applied to a reversible motion goes the same way back. Its multipliers are solved for to
// rounding, the midpoint rule within it to the tolerance of a fixed step; a projection at the ends alone is
// not symmetric and misses by its local errors, h³ each.
TEST(SymmetricProjectionDriver, ComesHomeBackwards) {
  constexpr int steps = 20;
  const double symmetric = way_home("symmetric-projection", steps);
  EXPECT_LT(symmetric, 1e-9);
  EXPECT_GT(way_home("orthogonal-projection", steps), 100 * symmetric);
}

// Half the step, a quarter of the error: order 2. The truth is a run of order 8 at a tight tolerance.
TEST(SymmetricProjectionDriver, IsOfOrderTwo) {
  constexpr double end = 0.4;
  RunOptions sharp = run_options("orthogonal-projection", "dop853");
  sharp.rtol = 1e-12;
  sharp.atol = 1e-12;
  Driven reference(from_text(bead_text()), sharp);
  const std::vector<double> start = reference.environment(usual_angle);
  Stepped truth(std::move(reference), start);
  ASSERT_EQ(truth.go_until(end), "");
  truth.complete();
  const auto error = [&](double h) {
    Stepped run("symmetric-projection", "implicit-midpoint", usual_angle, h);
    EXPECT_EQ(run.go_until(end), "");
    run.complete();
    return (positions(run) - positions(truth)).length();
  };
  EXPECT_NEAR(std::log2(error(0.02) / error(0.01)), 2, 0.1);
}

// However long the step: either its end is on the circle, or it is refused with a reason and not counted.
TEST(SymmetricProjectionDriver, StepsThatAreTooLongAreNeverWrong) {
  int refused = 0;
  for (const double h : {0.3, 1.0, 5.0, 20.0, 1e3, 1e6}) {
    Stepped run("symmetric-projection", "implicit-midpoint", usual_angle, h);
    RunDriver& driver = *run.driven.driver;
    driver.before_step(*run.begun.integrator, 1e9);
    const StepOutcome outcome = driver.step(*run.begun.integrator, 1e9);
    if (!outcome.ok()) {
      ++refused;
      EXPECT_FALSE(outcome.detail.empty()) << h;
      EXPECT_EQ(run.finished().counters.steps, 0) << h;
      continue;
    }
    EXPECT_EQ(driver.after_step(*run.begun.integrator), "");
    run.load_end();
    EXPECT_LT(run.position_drift(), 1e-12) << h;
  }
  EXPECT_GE(refused, 1);
}

// The number of steps is part of what is saved.
TEST(SymmetricProjectionDriver, SavesItsSteps) {
  Stepped run("symmetric-projection", "auto");
  run.go(7);
  Archive writing;
  run.driven.driver->state(writing);
  const std::vector<std::byte> bytes = writing.finish();
  Stepped other("symmetric-projection", "auto");
  Archive reading(bytes);
  other.driven.driver->state(reading);
  ASSERT_TRUE(reading.ok()) << reading.error();
  EXPECT_EQ(other.finished().counters.steps, 7);
}

}  // namespace
}  // namespace daedalus::testing
