#include "constraints/independent.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/formed.hpp"
#include "support/model_families.hpp"
#include "support/model_text.hpp"
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

// What a run of the independent system gives: its signals, of which the last two measure what was left out.
struct Shared : Found {
  Shared()
      : independent(*independent_system(twice.system, form, redundant)),
        model(full_model(form, independent)) {
    for (const char* name : {"x", "y", "l1", "l2"}) signals.push_back({.name = name});
    for (std::size_t k = independent.system.reported.size() - 2; k < independent.system.reported.size(); ++k)
      signals.push_back({.name = independent.system.reported[k].attributes.name});
  }
  [[nodiscard]] static std::vector<double> row(double angle, double l, double violation) {
    return {std::cos(angle), std::sin(angle), l, 0, violation, -violation};
  }
  IndependentSystem independent;
  std::unique_ptr<const CompiledModel> model;
  std::vector<Signal> signals;
};

// The two that measure are the ones that are_measure() means, and they are named by level and constraint.
TEST(IndependentSystem, MeasuresAreKnownByTheirNames) {
  const Shared shared;
  for (std::size_t k = 0; k < shared.signals.size(); ++k)
    EXPECT_EQ(is_measure(shared.signals[k].name), k >= 4) << shared.signals[k].name;
  EXPECT_NE(shared.signals[4].name, shared.signals[5].name);
  for (const std::size_t k : {4U, 5U})
    EXPECT_NE(shared.signals[k].name.find(shared.form.constraint_name(1)), std::string::npos);
}

// One instant is shared as the rows of a run are.
TEST(ShareAt, IsARowOfTheRun) {
  const Shared shared;
  RunResult result;
  result.trajectory.signals = shared.signals;
  result.trajectory.times = {0.25};
  result.trajectory.values = Shared::row(0.4, 6, 1e-9);
  (void)share_among_redundant(shared.form, shared.independent, shared.model.get(), result);
  std::vector<double> row = Shared::row(0.4, 6, 1e-9);
  share_at(shared.form, shared.independent, shared.model.get(), shared.signals, 0.25, row);
  EXPECT_EQ(row, result.trajectory.values);
  ASSERT_EQ(row.size(), 4U);
  EXPECT_NEAR(row[2], 3, 1e-13);
  EXPECT_NEAR(row[3], 1, 1e-13);
}

// Along the whole course: rows of a polynomial for l come back as polynomials for both.
TEST(ShareAlongRun, SharesTheWholeCourse) {
  const Shared shared;
  DenseOutput course;
  course.begin(shared.signals);
  const auto nodes = DenseOutput::nodes(0, 1, 5);
  std::vector<double> rows;
  for (const double t : nodes) {
    const std::vector<double> row = Shared::row(0.4, 2 + (t * t), 0);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  course.add(nodes, rows);
  share_along_run(shared.form, shared.independent, shared.model.get(), {}, course);
  ASSERT_EQ(course.signals().size(), 4U);
  std::vector<double> values(4);
  for (const double t : {0.0, 0.3, 0.77, 1.0}) {
    course.evaluate(t, values);
    EXPECT_NEAR(values[2], (2 + (t * t)) / 2, 1e-13);
    EXPECT_NEAR(values[3], (2 + (t * t)) / 6, 1e-13);
  }
}

// Without a model for the shares the reactions stay as they are, and the warning says that theirs are zero.
TEST(IndependentSystem, WithoutSharesTheirReactionsAreZero) {
  const Shared shared;
  RunResult result;
  result.trajectory.signals = shared.signals;
  result.trajectory.times = {0};
  result.trajectory.values = Shared::row(0.4, 6, 1e-9);
  EXPECT_EQ(share_among_redundant(shared.form, shared.independent, nullptr, result), 1e-9);
  EXPECT_EQ(result.trajectory.at(0, 2), 6);
  EXPECT_EQ(result.trajectory.at(0, 3), 0);
  ASSERT_EQ(result.summary.warnings.size(), 1U);
  EXPECT_NE(result.summary.warnings[0].find("theirs are set to zero"), std::string::npos);
}

// A residual that is no number is the worst of all, and not none.
TEST(IndependentSystem, WhatIsNoNumberIsTheWorst) {
  const Shared shared;
  RunResult result;
  result.trajectory.signals = shared.signals;
  result.trajectory.times = {0, 1};
  for (const double violation : {1e-9, std::nan("")}) {
    const std::vector<double> row = Shared::row(0.4, 6, violation);
    result.trajectory.values.insert(result.trajectory.values.end(), row.begin(), row.end());
  }
  EXPECT_TRUE(std::isinf(share_among_redundant(shared.form, shared.independent, nullptr, result)));
}

// Where forces do not act along the constraints it is not known whose they are: nothing is left out.
TEST(IndependentSystem, OnlyOfSymmetricForms) {
  Found found;
  found.form.symmetric = false;
  EXPECT_FALSE(independent_system(found.twice.system, found.form, found.redundant).has_value());
}

// A start without values says nothing about what depends on what.
TEST(RedundantAtStart, WithoutValuesNothingIsFound) {
  Found found;
  for (Variable& variable : found.form.raised.system.variables) variable.start = std::nan("");
  EXPECT_TRUE(redundant_at_start(found.form).empty());
}

// What is independent stays: of one circle, and of two that cross.
TEST(RedundantAtStart, IndependentConstraintsAreNone) {
  for (const std::string& text : {chain_text(5), bead_text()}) {
    const auto form = recognise_constrained_form(from_text(text));
    ASSERT_TRUE(form.has_value());
    EXPECT_TRUE(redundant_at_start(*form).empty());
  }
}

}  // namespace
}  // namespace daedalus::testing
