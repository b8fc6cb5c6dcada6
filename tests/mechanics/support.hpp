// Runs of mechanisms.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "mechanics/mechanisms.hpp"
#include "simulate/formulation_support.hpp"

namespace daedalus::testing {

inline DaeSystem system_of(const Mechanism& mechanism, Coordinates coordinates = Coordinates::Auto) {
  auto system = equations_of(mechanism, {.coordinates = coordinates});
  EXPECT_TRUE(system.has_value()) << (system ? "" : render(system.error(), SourceMap{}));
  return system ? *std::move(system) : DaeSystem{};
}

// By auto, at a relative and absolute tolerance.
inline RunResult run_auto(const Mechanism& mechanism, double until, double tolerance, int points = 101,
                          Coordinates coordinates = Coordinates::Auto) {
  return run(system_of(mechanism, coordinates), "auto",
             {.integrator = "auto", .until = until, .tolerance = tolerance, .points = points});
}

inline std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

inline double spread(const RunResult& result, const std::string& name) {
  const auto values = signal(result, name);
  const auto [least, most] = std::ranges::minmax(values);
  return most - least;
}

inline double largest(const RunResult& result, const std::string& name) {
  double worst = 0;
  for (const double value : signal(result, name)) worst = std::max(worst, std::abs(value));
  return worst;
}

}  // namespace daedalus::testing
