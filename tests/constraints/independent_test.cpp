#include "constraints/independent.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/twice.hpp"

namespace daedalus::testing {
namespace {

struct Found {
  Found() : form(*recognise_constrained_form(twice.system)), redundant(redundant_at_start(form)) {}
  Twice twice;
  ConstrainedForm form;
  std::vector<Redundancy> redundant;
};

TEST(IndependentSystem, RedundantConstraintsAreFoundAtTheStart) {
  Found found;
  ASSERT_EQ(found.redundant.size(), 1U);
  EXPECT_EQ(found.redundant[0].constraint, 1);
  EXPECT_EQ(found.redundant[0].name, found.form.constraint_name(1));
  find_combinations(found.form, found.redundant);
  EXPECT_EQ(found.redundant[0].combination, "3 · [" + found.form.constraint_name(0) + "]");
}

// The constraint's place is taken by "its multiplier is zero", and its residuals are reported.
TEST(IndependentSystem, WhatIsRedundantIsDroppedAndMeasured) {
  Found found;
  const auto independent = independent_system(found.twice.system, found.form, found.redundant);
  ASSERT_TRUE(independent.has_value());
  EXPECT_EQ(independent->dropped, (std::vector<int>{1}));
  EXPECT_EQ(independent->system.equations[3].residual, found.twice.l2.node);
  EXPECT_EQ(independent->system.equations[2].residual, found.twice.system.equations[2].residual);
  EXPECT_EQ(independent->system.reported.size(), found.twice.system.reported.size() + 2);
  EXPECT_FALSE(independent_system(found.twice.system, found.form, {}).has_value());
}

TEST(IndependentSystem, OnlyConstraintsThatAreToBeKeptAreDropped) {
  Found found;
  found.twice.system.equations[3].keep = false;
  EXPECT_FALSE(independent_system(found.twice.system, found.form, found.redundant).has_value());
}

// A row of results with λ = (l, 0), the second constraint being the first one three times. The same force by
// the least λ1² + 9 λ2²: λ1 + 3 λ2 = l, so both carry half of it, λ = l (1/2, 1/6), whatever their units.
TEST(IndependentSystem, ReactionsAreThoseOfLeastNorm) {
  Found found;
  const auto independent = independent_system(found.twice.system, found.form, found.redundant);
  ASSERT_TRUE(independent.has_value());
  const auto model = full_model(found.form, *independent);
  ASSERT_NE(model, nullptr);
  RunResult result;
  for (const char* name : {"x", "y", "l1", "l2"}) result.trajectory.signals.push_back({.name = name});
  for (std::size_t k = independent->system.reported.size() - 2; k < independent->system.reported.size(); ++k)
    result.trajectory.signals.push_back({.name = independent->system.reported[k].attributes.name});
  const double violation = 2e-7;
  for (const double angle : {0.3, 1.9}) {
    result.trajectory.times.push_back(angle);
    for (const double value : {std::cos(angle), std::sin(angle), 5 * angle, 0.0, violation, -3 * violation})
      result.trajectory.values.push_back(value);
  }
  result.trajectory.drift = {{1e-9, 1e-9}, {1e-9, 1e-9}};
  result.summary.drift = {.levels = {1e-9, 1e-9}, .worst = {"pin", "pin"}};
  result.summary.final_values = {{"l1", 9.5}, {"l2", 0.0}};
  EXPECT_EQ(share_among_redundant(found.form, *independent, model.get(), result), violation);
  ASSERT_EQ(result.trajectory.signals.size(), 4U);  // residuals are in the drift now
  ASSERT_EQ(result.trajectory.values.size(), 8U);
  for (std::size_t row = 0; row < 2; ++row) {
    const double l = 5 * result.trajectory.times[row];
    EXPECT_NEAR(result.trajectory.at(row, 2), l / 2, 1e-13);
    EXPECT_NEAR(result.trajectory.at(row, 3), l / 6, 1e-13);
    EXPECT_EQ(result.trajectory.drift[0][row], violation);
    EXPECT_EQ(result.trajectory.drift[1][row], 3 * violation);
  }
  EXPECT_EQ(result.summary.drift.levels, (std::vector<double>{violation, 3 * violation}));
  EXPECT_NEAR(result.summary.final_values[1].second, 9.5 / 6, 1e-13);
  ASSERT_EQ(result.summary.warnings.size(), 1U);
}

}  // namespace
}  // namespace daedalus::testing
