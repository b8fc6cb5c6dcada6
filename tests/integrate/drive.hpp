// Runs a row of the table over a system.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "integrate/integrator.hpp"

namespace daedalus::testing {

// The rows for F(t, y, y') = 0, and those for y' = φ(t, y).
inline std::vector<IntegratorRow> implicit_rows() {
  std::vector<IntegratorRow> rows;
  std::ranges::copy_if(integrators(), std::back_inserter(rows),
                       [](const IntegratorRow& row) { return row.make != nullptr; });
  return rows;
}
inline std::vector<IntegratorRow> explicit_rows() {
  std::vector<IntegratorRow> rows;
  std::ranges::copy_if(integrators(), std::back_inserter(rows),
                       [](const IntegratorRow& row) { return row.make_explicit != nullptr; });
  return rows;
}
inline std::vector<IntegratorRow> mechanical_rows() {
  std::vector<IntegratorRow> rows;
  std::ranges::copy_if(integrators(), std::back_inserter(rows),
                       [](const IntegratorRow& row) { return row.make_mechanical != nullptr; });
  return rows;
}

// "name:key=value,…", as on the command line, looked up; the options go into the settings.
inline const IntegratorRow* look_up(const std::string& selection, IntegratorSettings& settings) {
  const auto parsed = parse_selection(selection);
  EXPECT_TRUE(parsed.has_value()) << selection;
  const IntegratorRow* row = find_integrator(parsed->name());
  EXPECT_NE(row, nullptr) << selection;
  const auto resolved = resolve(*parsed, row->options, row->name);
  EXPECT_TRUE(resolved.has_value()) << selection;
  settings.selection = *resolved;
  return row;
}

inline std::unique_ptr<Integrator> make_integrator(const std::string& selection, ResidualSystem& system,
                                                   IntegratorSettings settings) {
  return look_up(selection, settings)->make(system, settings);
}
inline std::unique_ptr<Integrator> make_explicit_integrator(const std::string& selection, OdeSystem& system,
                                                            IntegratorSettings settings) {
  return look_up(selection, settings)->make_explicit(system, settings);
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
