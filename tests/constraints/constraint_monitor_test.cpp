#include "constraints/constraint_monitor.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "support/formed.hpp"
#include "support/model_families.hpp"

namespace daedalus::testing {
namespace {

// A slider crank whose crank and rod are equally long, as points: the crank's end (x, y) and the slider s.
// Along the motion x = cos t, y = sin t, s = 2 cos t both gradients are (0, 2 y, 0) at t = π/2, and nowhere
// else before 3π/2.
std::string slider_crank() {
  return R"(model SliderCrank
  parameter Real scale = 1;
  Real x(start = 1); Real y(start = 0); Real s(start = 2); Real u; Real v; Real w; Real l1; Real l2;
equation
  der(x) = u;
  der(y) = v;
  der(s) = w;
  der(u) = -2*x*l1 + 2*scale*(s - x)*l2;
  der(v) = -9.81 - 2*y*l1 - 2*scale*y*l2;
  2*der(w) = -2*scale*(s - x)*l2;
  x^2 + y^2 = 1;
  scale*((s - x)^2 + y^2 - 1) = 0;
end SliderCrank;
)";
}

struct Watched {
  explicit Watched(const DaeSystem& system)
      : crank(system), monitor(*crank.model, ConstraintMatrices(*crank.model, *crank.form), 1e-6) {}
  void place(double t) {
    crank.time() = t;
    crank.value("x") = std::cos(t);
    crank.value("y") = std::sin(t);
    crank.value("s") = 2 * std::cos(t);
  }
  void begin(double t) {
    place(t);
    monitor.begin(crank.environment);
  }
  // Steps of the same length, the last of which ends at t1.
  void go(double t0, double t1, int steps) {
    const auto load = [this](double t) { place(t); };
    for (int k = 0; k < steps; ++k) {
      const double from = t0 + ((t1 - t0) * k / steps);
      const double to = t0 + ((t1 - t0) * (k + 1) / steps);
      place(to);
      monitor.watch({.t0 = from, .t1 = to, .load = load, .cheap_interpolation = load}, crank.environment);
    }
  }
  Formed crank;
  ConstraintMonitor monitor;
};

class Scales : public ::testing::TestWithParam<const char*> {};

// The passage is found between the steps, however they fall, and in whatever units the constraint is written.
TEST_P(Scales, ThePassageOfASliderCrankIsFound) {
  for (const int steps : {7, 10, 33}) {
    Watched watched(from_text(slider_crank(), {{"scale", GetParam()}}));
    watched.begin(0.4);
    EXPECT_EQ(watched.monitor.rank(), 2);
    EXPECT_TRUE(watched.monitor.redundancies().empty());
    watched.go(0.4, 2.5, steps);
    ASSERT_EQ(watched.monitor.changes().size(), 1U) << steps;
    const RankChange& change = watched.monitor.changes().front();
    // σ ~ (t - t*)², searched down to a threshold of 1e-6: |t - t*| of the order 1e-3.
    EXPECT_NEAR(change.t, std::numbers::pi / 2, 2e-3);
    EXPECT_EQ(change.from, 2);
    EXPECT_EQ(change.to, 1);
    EXPECT_EQ(change.constraints.size(), 2U);  // the gradients are equal: neither alone is to blame
    EXPECT_EQ(watched.crank.time(), 2.5);      // the environment is left at the end of the step
  }
}
INSTANTIATE_TEST_SUITE_P(Units, Scales, ::testing::Values("1", "1e-5", "1e5"));

TEST(ConstraintMonitor, WithoutAPassageNothingIsReported) {
  Watched watched(from_text(slider_crank()));
  watched.begin(0.2);
  watched.go(0.2, 1.2, 20);
  EXPECT_TRUE(watched.monitor.changes().empty());
  EXPECT_FALSE(watched.monitor.came_close());
}

// How close a point is does not depend on units either, and goes to zero with the square of the distance.
TEST(ConstraintMonitor, ClosenessGoesToZeroWithTheSquareOfTheDistance) {
  std::vector<std::vector<double>> found;
  for (const char* scale : {"1", "1e4"}) {
    Watched watched(from_text(slider_crank(), {{"scale", scale}}));
    watched.begin(0.4);
    found.emplace_back();
    for (const double distance : {0.02, 0.01}) {
      watched.place((std::numbers::pi / 2) - distance);
      found.back().push_back(watched.monitor.singularity_distance(watched.crank.environment));
    }
    EXPECT_NEAR(found.back()[0] / found.back()[1], 4, 0.05);
  }
  EXPECT_NEAR(found[0][0], found[1][0], 1e-6 * found[0][0]);
}

// A constraint twice: the rank to begin with is one, the combination is named, and the motion never loses it.
TEST(ConstraintMonitor, ARedundantConstraintIsNamedAndDoesNotCount) {
  Formed bead(from_text(bead_text("3*(x^2 + y^2 - 1) = 0;")));
  ConstraintMonitor monitor(*bead.model, ConstraintMatrices(*bead.model, *bead.form), 1e-6);
  monitor.begin(bead.environment);
  EXPECT_EQ(monitor.rank(), 1);
  ASSERT_EQ(monitor.redundancies().size(), 1U);
  const auto load = [&](double t) {
    bead.value("x") = std::sin(t);
    bead.value("y") = -std::cos(t);
  };
  for (int k = 0; k < 30; ++k) {
    load(0.3 * (k + 1));
    monitor.watch({.t0 = 0.3 * k, .t1 = 0.3 * (k + 1), .load = load, .cheap_interpolation = load},
                  bead.environment);
  }
  EXPECT_TRUE(monitor.changes().empty());
}

TEST(ConstraintMonitor, CopiesWatchForThemselves) {
  Watched watched(from_text(slider_crank()));
  watched.begin(0.4);
  watched.go(0.4, 1.4, 5);
  const ConstraintMonitor before = watched.monitor;
  watched.go(1.4, 2.0, 3);
  EXPECT_EQ(watched.monitor.changes().size(), 1U);
  EXPECT_TRUE(before.changes().empty());
}

// Forty slider cranks side by side, too many constraints for dense singular values, in a different unit each:
// the passage of the last one is found where it is, and what it is measured by is the same in all units.
TEST(ConstraintMonitor, AmongManyConstraintsUnitsDoNotMatter) {
  constexpr int cranks = 20;
  std::vector<double> distances;
  for (const char* unit : {"1", "1e-4", "1e4"}) {
    const std::string text = R"(model Cranks
  parameter Real unit = 1;
  Real x[20]; Real y[20]; Real s[20]; Real u[20]; Real v[20]; Real w[20]; Real l1[20]; Real l2[20];
equation
  for i in 1:20 loop
    der(x[i]) = u[i];
    der(y[i]) = v[i];
    der(s[i]) = w[i];
    der(u[i]) = -2*x[i]*l1[i] + 2*unit*(s[i] - x[i])*l2[i];
    der(v[i]) = -9.81 - 2*y[i]*l1[i] - 2*unit*y[i]*l2[i];
    2*der(w[i]) = -2*unit*(s[i] - x[i])*l2[i];
    x[i]^2 + y[i]^2 = 1;
    unit*((s[i] - x[i])^2 + y[i]^2 - 1) = 0;
  end for;
end Cranks;
)";
    Formed formed(from_text(text, {{"unit", unit}}));
    ConstraintMonitor monitor(*formed.model, ConstraintMatrices(*formed.model, *formed.form), 1e-6);
    const auto place = [&](double t) {
      formed.time() = t;
      for (int i = 1; i <= cranks; ++i) {
        const double angle = i == cranks ? t : 0.4 + 0.01 * i;
        const auto name = [i](const char* letter) { return letter + ("[" + std::to_string(i) + "]"); };
        formed.value(name("x").c_str()) = std::cos(angle);
        formed.value(name("y").c_str()) = std::sin(angle);
        formed.value(name("s").c_str()) = 2 * std::cos(angle);
      }
    };
    const std::function<void(double)> load = place;
    place(0.4);
    monitor.begin(formed.environment);
    EXPECT_EQ(monitor.rank(), 2 * cranks);
    double last = 0.4;
    for (const double t : {0.8, 1.2, 1.5, 1.56, 1.7, 2.2}) {
      place(t);
      monitor.watch({.t0 = last, .t1 = t, .load = load, .cheap_interpolation = load}, formed.environment);
      last = t;
      if (t == 1.56) distances.push_back(monitor.singularity_distance_of_step());
    }
    ASSERT_EQ(monitor.changes().size(), 1U) << unit;
    EXPECT_NEAR(monitor.changes().front().t, std::numbers::pi / 2, 2e-3);
    EXPECT_EQ(monitor.changes().front().constraints.size(), 2U);
  }
  EXPECT_NEAR(distances[1], distances[0], 1e-6 * distances[0]);
  EXPECT_NEAR(distances[2], distances[0], 1e-6 * distances[0]);
}

// Through π/2 and 3π/2: a passage is over before the next one counts, each is one entry.
TEST(ConstraintMonitor, EachPassageIsOneEntry) {
  for (const int steps : {25, 40, 161}) {
    Watched watched(from_text(slider_crank()));
    watched.begin(0.4);
    watched.go(0.4, 8, steps);
    ASSERT_EQ(watched.monitor.changes().size(), 3U) << steps;
    for (std::size_t k = 0; k < 3; ++k) {
      const RankChange& change = watched.monitor.changes()[k];
      EXPECT_NEAR(change.t, std::numbers::pi * (static_cast<double>(k) + 0.5), 2e-3);
      EXPECT_EQ(change.from - change.to, 1);
    }
    EXPECT_EQ(watched.monitor.rank(), 2) << "what it is at regular points";
  }
}

// Masses, of any size, do not move a singular point of the geometry, nor how far from it a point is.
TEST(ConstraintMonitor, MassesDoNotMatter) {
  std::vector<double> distances;
  for (const char* mass : {"2*der(w)", "2e6*der(w)", "2e-6*der(w)"}) {
    std::string text = slider_crank();
    text.replace(text.find("2*der(w)"), 8, mass);
    Watched watched(from_text(text));
    watched.begin(0.4);
    watched.place(1.5);
    distances.push_back(watched.monitor.singularity_distance(watched.crank.environment));
    watched.go(0.4, 2.5, 10);
    ASSERT_EQ(watched.monitor.changes().size(), 1U) << mass;
    EXPECT_NEAR(watched.monitor.changes().front().t, std::numbers::pi / 2, 2e-3) << mass;
  }
  EXPECT_NEAR(distances[1], distances[0], 1e-9 * distances[0]);
  EXPECT_NEAR(distances[2], distances[0], 1e-9 * distances[0]);
}

// A run that starts in the singular point: what is lost there is no rank that was there.
TEST(ConstraintMonitor, ASingularStartIsNoRedundancyForLong) {
  Watched watched(from_text(slider_crank()));
  watched.begin(std::numbers::pi / 2);
  EXPECT_EQ(watched.monitor.rank(), 1);
  watched.go(std::numbers::pi / 2, 2.5, 5);
  EXPECT_EQ(watched.monitor.rank(), 2);
}

// A step that ends near the point has come close; one that passes far from it has not.
TEST(ConstraintMonitor, SaysWhenAStepEndedClose) {
  Watched watched(from_text(slider_crank()));
  watched.begin(0.4);
  watched.go(0.4, 1.3, 9);
  EXPECT_FALSE(watched.monitor.came_close());
  watched.go(1.3, (std::numbers::pi / 2) - 1e-3, 3);
  EXPECT_TRUE(watched.monitor.came_close());
  EXPECT_LT(watched.monitor.sigma(), 1e-5);
  EXPECT_LT(watched.monitor.singularity_distance_of_step(), 1e-5);
  EXPECT_TRUE(watched.monitor.changes().empty()) << "it was not reached";
}

// What it has seen goes on in a monitor that reads it: the same entries, the same distances.
TEST(ConstraintMonitor, SavedStateGoesOnAlike) {
  for (const double until : {0.9, 1.55, 1.7}) {
    Watched watched(from_text(slider_crank()));
    watched.begin(0.4);
    watched.go(0.4, until, 6);
    const auto bytes = to_bytes(watched.monitor);
    ASSERT_TRUE(bytes.has_value());
    Watched other(from_text(slider_crank()));
    ASSERT_TRUE(from_bytes(*bytes, other.monitor).has_value()) << until;
    for (Watched* one : {&watched, &other}) one->go(until, 5.2, 17);
    EXPECT_EQ(other.monitor.sigma(), watched.monitor.sigma()) << until;
    ASSERT_EQ(other.monitor.changes().size(), watched.monitor.changes().size()) << until;
    for (std::size_t k = 0; k < watched.monitor.changes().size(); ++k)
      EXPECT_EQ(other.monitor.changes()[k].t, watched.monitor.changes()[k].t) << until;
  }
  // Of another number of constraints it is not.
  Watched watched(from_text(slider_crank()));
  watched.begin(0.4);
  const auto bytes = to_bytes(watched.monitor);
  Formed bead(from_text(bead_text()));
  ConstraintMonitor other(*bead.model, ConstraintMatrices(*bead.model, *bead.form), 1e-6);
  EXPECT_FALSE(from_bytes(*bytes, other).has_value());
}

// The system by which the rank is watched solves [1 Gᵀ; G 0] for others, too, where it is large enough to be
// eliminated in panels.
TEST(ConstraintMonitor, LendsItsSystem) {
  Formed chain(from_text(chain_text(20)));
  ConstraintMonitor monitor(*chain.model, ConstraintMatrices(*chain.model, *chain.form), 1e-6);
  monitor.begin(chain.environment);
  RegularisedSystem* system = monitor.constraint_system().system;
  ASSERT_NE(system, nullptr);
  ASSERT_TRUE(system->factor_constraints(chain.environment));
  ConstraintMatrices matrices(*chain.model, *chain.form);
  matrices.evaluate(chain.environment);
  const Eigen::MatrixXd g = matrices.constraint();
  Eigen::VectorXd c(g.rows());
  for (int i = 0; i < c.size(); ++i) c(i) = std::sin(1.0 + i);
  const std::span<const double> move =
      system->solve_constraints({c.data(), static_cast<std::size_t>(c.size())});
  ASSERT_EQ(std::ssize(move), g.cols());
  const Eigen::VectorXd step = Eigen::Map<const Eigen::VectorXd>(move.data(), g.cols());
  const Eigen::VectorXd expected = g.transpose() * (g * g.transpose()).ldlt().solve(c);
  // Either sign: how far to go, or how far one is away.
  EXPECT_LT(std::min((step - expected).norm(), (step + expected).norm()), 1e-9 * expected.norm());
  Watched small(from_text(slider_crank()));
  small.begin(0.4);
  EXPECT_EQ(small.monitor.constraint_system().system, nullptr) << "written out as expressions";
}

// Without constraints nothing is watched.
TEST(ConstraintMonitor, WithoutConstraintsThereIsNothingToWatch) {
  Formed free(from_text(arms), true);
  ConstraintMonitor monitor(*free.model, ConstraintMatrices(*free.model, *free.form), 1e-6);
  monitor.begin(free.environment);
  const auto load = [](double) { FAIL() << "nothing is to be looked at"; };
  monitor.watch({.t0 = 0, .t1 = 1, .load = load, .cheap_interpolation = load}, free.environment);
  EXPECT_EQ(monitor.rank(), 0);
  EXPECT_TRUE(monitor.changes().empty());
}

// Of mechanisms it says what such a position is called: where a drive cannot move it, or where it could go on
// otherwise.
TEST(ConstraintMonitor, OfMechanismsItSaysWhatSuchAPositionIsCalled) {
  struct Row {
    const char* label;  // of the second constraint; null: no mechanism
    const char* hint;
  };
  for (const Row& row :
       {Row{nullptr, ""}, Row{"pin", "a change point, from which the mechanism could go on in another way"},
        Row{"motion crank", "a dead centre, in which motion crank cannot move the mechanism"}}) {
    DaeSystem system = from_text(slider_crank());
    if (row.label != nullptr) {
      Equation& second = system.equations.back();
      second.keep = true;
      second.label = row.label;
    }
    Watched watched(system);
    watched.begin(0.4);
    watched.go(0.4, 2.5, 10);
    ASSERT_EQ(watched.monitor.changes().size(), 1U);
    EXPECT_EQ(watched.monitor.changes().front().hint, row.hint);
  }
}

// Forces that do not act along the constraints: the rank of G M⁻¹ B is watched, and is lost where G loses it.
TEST(ConstraintMonitor, ForcesMayActOtherwise) {
  std::string text = slider_crank();
  text.replace(text.find("- 2*scale*y*l2"), 14, "- 5*scale*y*l2");
  Watched watched(from_text(text));
  watched.begin(0.4);
  EXPECT_EQ(watched.monitor.rank(), 2);
  watched.go(0.4, 2.5, 10);
  ASSERT_EQ(watched.monitor.changes().size(), 1U);
  EXPECT_NEAR(watched.monitor.changes().front().t, std::numbers::pi / 2, 2e-3);
}

// A rod that is longer by a little lets the crank through: a smallest value, and no loss of rank, unless the
// tolerance is so loose that it cannot be told.
TEST(ConstraintMonitor, WhatCountsAsLostFollowsTheTolerance) {
  // σ is smallest where both gradients are nearest to each other: ((s - x)² = 1 + δ - y²) at y = 1, of the
  // order of δ.
  constexpr double longer = 1e-3;
  std::string text = slider_crank();
  text.replace(text.find("y^2 - 1) = 0"), 12, "y^2 - 1.001) = 0");
  for (const auto& [rtol, lost] :
       std::initializer_list<std::pair<double, bool>>{{1e-6, false}, {0.03, true}}) {
    Formed crank(from_text(text));
    ConstraintMonitor monitor(*crank.model, ConstraintMatrices(*crank.model, *crank.form), rtol);
    const auto place = [&](double t) {
      crank.time() = t;
      crank.value("x") = std::cos(t);
      crank.value("y") = std::sin(t);
      crank.value("s") = std::cos(t) + std::sqrt(std::pow(std::cos(t), 2) + longer);
    };
    place(0.4);
    monitor.begin(crank.environment);
    double last = 0.4;
    for (const double t : {0.7, 1.0, 1.3, 1.5, 1.7, 2.0}) {
      place(t);
      monitor.watch({.t0 = last, .t1 = t, .load = place, .cheap_interpolation = place}, crank.environment);
      last = t;
    }
    EXPECT_EQ(!monitor.changes().empty(), lost) << rtol;
  }
}

}  // namespace
}  // namespace daedalus::testing
