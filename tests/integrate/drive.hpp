// Runs a row of the table over a system.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "integrate/integrator.hpp"

namespace daedalus::testing {

// "name:key=value,…", as on the command line.
inline std::unique_ptr<Integrator> make_integrator(const std::string& selection, ResidualSystem& system,
                                                   IntegratorSettings settings) {
  const auto parsed = parse_selection(selection);
  EXPECT_TRUE(parsed.has_value()) << selection;
  const IntegratorRow* row = find_integrator(parsed->name());
  EXPECT_NE(row, nullptr) << selection;
  const auto resolved = resolve(*parsed, row->options, row->name);
  EXPECT_TRUE(resolved.has_value()) << selection;
  settings.selection = *resolved;
  return row->make(system, settings);
}

inline IntegratorSettings with_tolerance(double relative, double absolute) {
  IntegratorSettings settings;
  settings.tolerances = {.relative = relative, .absolute = absolute};
  return settings;
}

inline IntegratorSettings with_fixed_step(double h) {
  IntegratorSettings settings = with_tolerance(1e-8, 1e-8);
  settings.fixed_step = h;
  return settings;
}

// To t_end; the outcome of the last step.
inline StepOutcome run_to(Integrator& integrator, double t_end) {
  StepOutcome outcome;
  while (outcome.ok() && integrator.t() < t_end) outcome = integrator.step(t_end);
  EXPECT_TRUE(outcome.ok()) << outcome.detail;
  return outcome;
}

inline double max_difference(std::span<const double> a, std::span<const double> b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

// The largest |y - reference| / (rtol |reference| + atol): 1 is what the user asked for.
inline double in_tolerances(std::span<const double> y, std::span<const double> reference,
                            const Tolerances& tolerances) {
  double worst = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double allowed = tolerances.relative * std::abs(reference[i]) + tolerances.absolute;
    worst = std::max(worst, std::abs(y[i] - reference[i]) / allowed);
  }
  return worst;
}

}  // namespace daedalus::testing
