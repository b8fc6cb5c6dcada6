#include "advise/advice_explore.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "advise/advice.hpp"
#include "models.hpp"
#include "support/formed.hpp"

namespace daedalus::testing {
namespace {

struct Explored {
  explicit Explored(const std::string& text) : model(from_text(text)) {}
  Exploration run(double length) {
    PointMeter meter(*model.model, *model.form);
    CourseRank rank(meter, *model.form);
    return explore({.model = *model.model,
                    .form = *model.form,
                    .environment = model.environment,
                    .length = length,
                    .rank = rank,
                    .samples = 8,
                    .sample = [this](std::span<const double> environment) {
                      times.push_back(environment[static_cast<std::size_t>(model.model->layout().time)]);
                    }});
  }
  Formed model;
  std::vector<double> times;
};

// A pendulum that hangs nearly still: seen to the end, with no singular point, and the points on the way in
// order.
TEST(Explore, SeesTheWholeOfAShortMotion) {
  Explored explored(pendulum);
  explored.model.value("x") = 0.1;
  explored.model.value("y") = -std::sqrt(0.99);
  const Exploration found = explored.run(2);
  EXPECT_NEAR(found.until, 2, 1e-9);
  EXPECT_FALSE(found.singular.has_value());
  EXPECT_FALSE(found.stiff);
  // |x''|/|x'| = ω |cot ωt| of a harmonic motion, whose median over a period is ω = √9.81; over the ten steps
  // or so of a coarse run, within a factor of two.
  EXPECT_GT(found.solution_rate, std::sqrt(9.81) / 2);
  EXPECT_LT(found.solution_rate, std::sqrt(9.81) * 2);
  EXPECT_GE(explored.times.size(), 3U);
  EXPECT_TRUE(std::ranges::is_sorted(explored.times));
}

// The crank turns from 0.2 upwards; it stands upright at π/2 at the latest, where the rank falls from 2 to 1.
TEST(Explore, StopsAtASingularPoint) {
  Explored explored(slider_crank);
  auto& m = explored.model;
  const double angle = 0.2;
  m.value("x") = std::cos(angle);
  m.value("y") = std::sin(angle);
  m.value("s") = 2 * std::cos(angle);
  m.value("x", 1) = -2 * std::sin(angle);
  m.value("y", 1) = 2 * std::cos(angle);
  m.value("s", 1) = -4 * std::sin(angle);
  const Exploration found = explored.run(20);
  ASSERT_TRUE(found.singular.has_value());
  EXPECT_EQ(found.singular->from, 2);
  EXPECT_EQ(found.singular->to, 1);
  EXPECT_LT(found.until, 20);
  // Kinetic energy (φ'² + (2 sin φ φ')²)/2 stays: φ' = 2 √((1 + 4 sin²0.2)/(1 + 4 sin²φ)), and t is its
  // integral.
  const auto slowness = [&](double phi) {
    return std::sqrt((1 + (4 * std::pow(std::sin(phi), 2))) / (1 + (4 * std::pow(std::sin(angle), 2)))) / 2;
  };
  double t = 0;
  constexpr int pieces = 2000;
  const double width = ((std::numbers::pi / 2) - angle) / pieces;
  for (int k = 0; k < pieces; ++k) t += width * slowness(angle + (width * (k + 0.5)));
  EXPECT_NEAR(found.singular->t, t, 0.05);  // a coarse run
}

// It looks, and touches nothing: the same twice, with the values it was given as they were.
TEST(Explore, LeavesItsModelAlone) {
  Explored explored(pendulum);
  explored.model.value("x") = 0.6;
  explored.model.value("y") = -0.8;
  const std::vector<double> before = explored.model.environment;
  const Exploration first = explored.run(1);
  const std::vector<double> times = std::exchange(explored.times, {});
  const Exploration second = explored.run(1);
  EXPECT_EQ(explored.model.environment, before);
  EXPECT_EQ(first.until, second.until);
  EXPECT_EQ(first.solution_rate, second.solution_rate);
  EXPECT_EQ(times, explored.times);
}

// A hundred times the gravity is a motion ten times as fast, seen over a tenth of the time: the same steps in
// another unit.
TEST(Explore, RatesFollowTheUnitOfTime) {
  std::vector<double> rates;
  for (const double scale : {1.0, 10.0}) {
    std::string text = pendulum;
    text.replace(text.find("9.81"), 4, std::to_string(9.81 * scale * scale));
    Explored explored(text);
    explored.model.value("x") = 0.6;
    explored.model.value("y") = -0.8;
    rates.push_back(explored.run(2 / scale).solution_rate / scale);
  }
  // The absolute tolerance of the exploring run knows the unit, so that the steps are not quite the same, and
  // with them the median over a handful of stretches.
  EXPECT_NEAR(rates[1], rates[0], 0.2 * rates[0]);
}

// A spring of 1e8 on the way round makes an explicit method creep, which is said, and the budget ends it
// early.
TEST(Explore, SaysWhenStabilityLimitsTheSteps) {
  std::string text = hanging_pendulum(-1, 0.1, "", " - 1e4*vx");
  Explored explored(text);
  explored.model.value("x") = 0;
  explored.model.value("y") = -1;
  explored.model.value("x", 1) = 0.1;
  const Exploration found = explored.run(10);
  EXPECT_TRUE(found.stiff);
  EXPECT_LT(found.until, 10);
}

// Not beyond an event that is known beforehand.
TEST(Explore, EndsAtATimeEvent) {
  std::string text = pendulum;
  text.insert(text.find("equation"), "  discrete Real d(start = 0, fixed = true);\n");
  text.insert(text.find("end Pendulum"), "  when time > 0.3 then d = 1; end when;\n");
  Explored explored(text);
  explored.model.value("x") = 0.6;
  explored.model.value("y") = -0.8;
  const Exploration found = explored.run(2);
  EXPECT_GT(found.until, 0);
  EXPECT_LE(found.until, 0.3 + 1e-12);
  for (const double t : explored.times) EXPECT_LE(t, 0.3 + 1e-12);
}

// The same through advise(): with and without a look ahead.
TEST(Advice, LooksAheadOnlyWhenAsked) {
  const DaeSystem system = from_text(slider_crank);
  RunOptions options;
  options.until = 5;
  EXPECT_EQ(run_length(system, options), 5);
  const Advice seen = advise(system, options, Explore::Yes);
  ASSERT_TRUE(seen.measures.taken) << seen.why;
  EXPECT_TRUE(seen.measures.singular.has_value());
  EXPECT_EQ(seen.measures.rank, 2);
  EXPECT_EQ(seen.dof, 2);
  const Advice blind = advise(system, options, Explore::No);
  EXPECT_FALSE(blind.measures.singular.has_value());
}

}  // namespace
}  // namespace daedalus::testing
