// Linkages with redundant joints start in the pose in which they stand, and check and run agree on how far
// they can move.
#include "mechanics/linkages.hpp"

#include <gtest/gtest.h>

#include <random>

#include "advise/check.hpp"
#include "mechanics/mobility.hpp"
#include "mechanics/support.hpp"

namespace daedalus::testing {
namespace {

DaeSystem system_in(const Mechanism& mechanism, Coordinates coordinates) {
  auto system = equations_of(mechanism, {.coordinates = coordinates});
  EXPECT_TRUE(system.has_value()) << (system ? "" : render(system.error(), SourceMap{}));
  return system ? *std::move(system) : DaeSystem{};
}

RunResult first_moment(const DaeSystem& system) {
  return run(system, "auto", {.integrator = "auto", .until = 0.02, .tolerance = 1e-8, .points = 3});
}

int degrees_of_freedom(const CheckReport& report) {
  return report.form.found ? report.advice.dof : report.dof;
}

// The largest distance of a body's origin at the start from where it stands in the mechanism.
double moved(const Mechanism& mechanism, const RunResult& result) {
  double farthest = 0;
  for (const Body& body : mechanism.bodies) {
    const Vec3 start{signal(result, body.name + ".x").front(), signal(result, body.name + ".y").front(),
                     signal(result, body.name + ".z").front()};
    farthest = std::max(farthest, norm(start - body.pose.origin));
  }
  return farthest;
}

class Linkages : public ::testing::TestWithParam<Coordinates> {};

TEST_P(Linkages, StartInTheirPoseAndMoveAsFarAsTheyCan) {
  for (const Linkage& linkage : redundant_linkages()) {
    SCOPED_TRACE(linkage.name);
    const DaeSystem system = system_in(linkage.mechanism, GetParam());
    const RunResult result = first_moment(system);
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result.summary.dof, linkage.mobility);
    // Rounding of a few products of frames of the size of a metre.
    EXPECT_LE(moved(linkage.mechanism, result), 1e-13);
    EXPECT_TRUE(result.summary.drift.levels.empty() || result.summary.drift.levels[0] <= 1e-12);
    const auto report = check(system, system);
    ASSERT_TRUE(report.has_value()) << render(report.error(), SourceMap{});
    EXPECT_TRUE(report->initialised);
    EXPECT_EQ(degrees_of_freedom(*report), 2 * linkage.mobility);
    if (GetParam() != Coordinates::Body) continue;
    const Mobility count = mobility_of(linkage.mechanism);
    EXPECT_EQ(static_cast<int>(report->advice.measures.redundant.size()), linkage.mobility - count.grubler());
  }
}

INSTANTIATE_TEST_SUITE_P(Coordinates, Linkages, ::testing::Values(Coordinates::Body, Coordinates::Joint),
                         [](const auto& one) {
                           return std::string(one.param == Coordinates::Body ? "body" : "joint");
                         });

// Four-bars of random lengths that can be assembled at every angle of the crank: base - crank is more than
// the difference of coupler and rocker, base + crank less than their sum.
class RandomFourBars {
 public:
  Mechanism next() {
    const Vec3 axis{uniform(), uniform(), uniform()};
    const Frame plane =
        at({uniform(), uniform(), uniform()}, rotation((1 / norm(axis)) * axis, 3 * uniform()));
    const double crank = 0.5 + 0.1 * uniform();
    return four_bar(plane, crank, 1.4 + 0.15 * uniform(), 1.3 + 0.15 * uniform(), 1.3 + 0.2 * uniform(),
                    3 * uniform());
  }
  // The same pose read from a file with few digits.
  void disturb(Mechanism& mechanism, double by) {
    for (Body& body : mechanism.bodies) {
      body.pose.origin = body.pose.origin + by * Vec3{uniform(), uniform(), uniform()};
      body.pose.axes = rotation({1, 0, 0}, by * uniform()) * body.pose.axes;
    }
  }

 private:
  double uniform() { return distribution_(generator_); }
  std::mt19937 generator_{7};
  std::uniform_real_distribution<double> distribution_{-1, 1};
};

TEST(TiltedFourBars, StartAndMove) {
  RandomFourBars random;
  for (int k = 0; k < 200; ++k) {
    SCOPED_TRACE(k);
    const Mechanism mechanism = random.next();
    const DaeSystem system = system_in(mechanism, Coordinates::Body);
    const RunResult result = first_moment(system);
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result.summary.dof, 1);
    EXPECT_LE(moved(mechanism, result), 1e-13);
  }
}

// What does not close moves about as far as it is off, and is told.
TEST(TiltedFourBars, CloseNearAPoseThatIsOff) {
  for (const double off : {1e-6, 1e-5, 1e-4, 1e-3}) {
    RandomFourBars random;
    for (int k = 0; k < 20; ++k) {
      SCOPED_TRACE(k);
      Mechanism mechanism = random.next();
      random.disturb(mechanism, off);
      const RunResult result = first_moment(system_in(mechanism, Coordinates::Body));
      ASSERT_TRUE(result.ok()) << result.summary.reason;
      EXPECT_EQ(result.summary.dof, 1);
      EXPECT_LE(moved(mechanism, result), 10 * off);
      EXPECT_LE(result.summary.drift.levels[0], 1e-12);
      if (off >= 1e-3) {
        EXPECT_TRUE(std::ranges::any_of(result.summary.warnings, [](const std::string& warning) {
          return warning.find("instead of") != std::string::npos;
        }));
      }
    }
  }
}

// A loop whose hinges are parallel but not in one plane is open whatever the angles are.
TEST(JointCoordinates, ALoopThatIsOpenAcrossItsPlaneIsRefused) {
  Mechanism mechanism = four_bar({}, 0.5, 1.4, 1.3, 1.3, 0.7);
  mechanism.joints.back().on_second.origin = mechanism.joints.back().on_second.origin + Vec3{0, 0, 0.01};
  for (const Coordinates coordinates : {Coordinates::Body, Coordinates::Joint}) {
    const auto system = equations_of(mechanism, {.coordinates = coordinates});
    if (!system) continue;
    const auto result = simulate(*system, options_of("auto", {.integrator = "auto", .until = 0.1}));
    EXPECT_FALSE(result.has_value() && result->ok());
  }
}

}  // namespace
}  // namespace daedalus::testing
