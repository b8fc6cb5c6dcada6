#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "results/support.hpp"
#include "results/writers.hpp"

namespace daedalus {
namespace {

using TrajectoryJson = FolderTest;

TEST_F(TrajectoryJson, HoldsEverythingByName) {
  const Trajectory trajectory = sample_trajectory();
  ASSERT_TRUE(write_trajectory(trajectory, path("a.json")));
  const auto json = nlohmann::json::parse(read("a.json"));
  ASSERT_EQ(json["time"].size(), trajectory.rows());
  for (std::size_t row = 0; row < trajectory.rows(); ++row) {
    EXPECT_EQ(json["time"][row].get<double>(), trajectory.times[row]);
    for (std::size_t column = 0; column < trajectory.signals.size(); ++column) {
      EXPECT_EQ(json["signals"][trajectory.signals[column].name][row].get<double>(),
                trajectory.at(row, column));
    }
  }
  EXPECT_EQ(json["parameters"]["g"].get<double>(), 9.81);
  EXPECT_EQ(json["units"], (nlohmann::json{{"x", "m"}, {"m", "kg"}}));
}

TEST_F(TrajectoryJson, NotFiniteIsNull) {
  Trajectory trajectory;
  trajectory.signals = {{.name = "x"}};
  trajectory.times = {0, 1};
  trajectory.values = {std::nan(""), std::numeric_limits<double>::infinity()};
  ASSERT_TRUE(write_trajectory(trajectory, path("a.json")));
  const auto json = nlohmann::json::parse(read("a.json"));
  EXPECT_TRUE(json["signals"]["x"][0].is_null());
  EXPECT_TRUE(json["signals"]["x"][1].is_null());
}

TEST_F(TrajectoryJson, AnyNameIsValidJson) {
  Trajectory trajectory;
  trajectory.signals = {{.name = "a\"b\\c\n"}, {.name = "\xff\xfe"}};
  trajectory.times = {0};
  trajectory.values = {1, 2};
  ASSERT_TRUE(write_trajectory(trajectory, path("a.json")));
  const auto json = nlohmann::json::parse(read("a.json"));
  EXPECT_EQ(json["signals"]["a\"b\\c\n"][0], 1);
  EXPECT_EQ(json["signals"].size(), 2u);
}

TEST_F(TrajectoryJson, EmptyTrajectoryIsValid) {
  ASSERT_TRUE(write_trajectory(Trajectory{}, path("a.json")));
  const auto json = nlohmann::json::parse(read("a.json"));
  EXPECT_TRUE(json["time"].empty());
  EXPECT_TRUE(json["signals"].empty());
}

}  // namespace
}  // namespace daedalus
