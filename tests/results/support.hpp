// A small trajectory whose values are known in closed form, and a folder to write into.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "record/trajectory.hpp"

namespace daedalus {

inline double sample_x(double t) {
  return std::sin(t) / 3;
}
inline double sample_y(double t) {
  return 1e-200 * std::exp(-t) * 7;
}

inline Trajectory sample_trajectory(std::size_t rows = 11) {
  Trajectory trajectory;
  trajectory.signals = {{.name = "x", .unit = "m", .description = "position"},
                        {.name = "y"},
                        {.name = "on", .description = "switch", .discrete = true}};
  for (std::size_t row = 0; row < rows; ++row) {
    const double t = 0.1 * static_cast<double>(row);
    trajectory.times.push_back(t);
    for (const double value : {sample_x(t), sample_y(t), t < 0.45 ? 0.0 : 1.0})
      trajectory.values.push_back(value);
  }
  trajectory.parameters = {{.signal = {.name = "m", .unit = "kg", .description = "mass"}, .value = 0.1},
                           {.signal = {.name = "g"}, .value = 9.81}};
  return trajectory;
}

// A folder of its own for each test, removed afterwards.
class FolderTest : public ::testing::Test {
 protected:
  FolderTest() {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(::testing::TempDir()) /
              (std::string("daedalus_") + info->test_suite_name() + "_" + info->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~FolderTest() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }

  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream stream(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  std::filesystem::path folder_;
};

}  // namespace daedalus
