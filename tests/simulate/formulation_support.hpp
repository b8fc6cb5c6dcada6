// Runs of formulations, and how far two of them differ.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "reform/formulation.hpp"
#include "simulate/run.hpp"
#include "support/model_text.hpp"

namespace daedalus::testing {

// What --formulation, --integrator, --step, … say.
struct Setting {
  std::string integrator = "backward-euler";
  double until = 1;
  int steps = 0;  // > 0: at a constant step, which is a binary fraction if `until` and `steps` are
  double tolerance = 1e-11;
  int points = 0;  // 0: one a step, or 101
};

inline RunOptions options_of(const std::string& formulation, const Setting& setting) {
  RunOptions options;
  options.formulation = parse_selection(formulation).value();
  options.integrator = parse_selection(setting.integrator).value();
  options.until = setting.until;
  if (setting.steps > 0) options.step = setting.until / setting.steps;
  options.rtol = setting.tolerance;
  options.atol = setting.tolerance;
  options.points = setting.points > 0 ? setting.points : setting.steps > 0 ? setting.steps + 1 : 101;
  return options;
}

// A run that is expected to reach its end.
inline RunResult run(const DaeSystem& system, const std::string& formulation, const Setting& setting) {
  auto result = simulate(system, options_of(formulation, setting));
  EXPECT_TRUE(result.has_value()) << formulation << "\n"
                                  << (result ? "" : render(result.error(), *system.sources));
  if (!result) return {};
  EXPECT_TRUE(result->ok()) << formulation << ": " << result->summary.reason;
  return *std::move(result);
}

// The message of a run that is refused.
inline std::string refusal(const DaeSystem& system, const std::string& formulation, const Setting& setting) {
  const auto result = simulate(system, options_of(formulation, setting));
  EXPECT_FALSE(result.has_value()) << formulation << " was accepted";
  return result ? "" : render(result.error(), *system.sources);
}

inline std::size_t column_of(const Trajectory& trajectory, const std::string& name) {
  const auto found = std::ranges::find(trajectory.signals, name, &Signal::name);
  EXPECT_NE(found, trajectory.signals.end()) << name;
  return static_cast<std::size_t>(found - trajectory.signals.begin());
}

inline std::vector<double> signal(const RunResult& result, const std::string& name) {
  const Trajectory& trajectory = result.trajectory;
  const std::size_t column = column_of(trajectory, name);
  std::vector<double> values;
  for (std::size_t row = 0; row < trajectory.rows(); ++row) values.push_back(trajectory.at(row, column));
  return values;
}

inline double final_value(const RunResult& result, const std::string& name) {
  const auto& values = result.summary.final_values;
  const auto found = std::ranges::find(values, name, &std::pair<std::string, double>::first);
  EXPECT_NE(found, values.end()) << name;
  return found == values.end() ? NAN : found->second;
}

// μ, τ, … at the end.
inline double formulation_value(const RunResult& result, const std::string& name) {
  const auto& values = result.summary.formulation_values;
  const auto found = std::ranges::find(values, name, &std::pair<std::string, double>::first);
  EXPECT_NE(found, values.end()) << name;
  return found == values.end() ? NAN : found->second;
}

// The largest difference of the named signals over all output points.
inline double difference(const RunResult& a, const RunResult& b, const std::vector<std::string>& names) {
  EXPECT_EQ(a.trajectory.rows(), b.trajectory.rows());
  double largest = 0;
  for (const std::string& name : names) {
    const auto left = signal(a, name);
    const auto right = signal(b, name);
    for (std::size_t row = 0; row < std::min(left.size(), right.size()); ++row) {
      const double d = std::abs(left[row] - right[row]);
      largest = std::isfinite(d) ? std::max(largest, d) : INFINITY;
    }
  }
  return largest;
}

}  // namespace daedalus::testing
