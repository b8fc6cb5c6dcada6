// ReformedResidual of every rewriting, and ModelResidual: exact Jacobians, values by hand, copies.
#include <gtest/gtest.h>

#include <algorithm>

#include "differences.hpp"
#include "reform/formulation.hpp"
#include "support/formed.hpp"
#include "systems/model_residual.hpp"
#include "systems/reformed_residual.hpp"

namespace daedalus::testing {
namespace {

ReformulatedSystem reformed(const FormulationRow& row, const ConstrainedForm& form) {
  auto options = resolve(Selection(std::string(row.name)), row.options, row.name);
  EXPECT_TRUE(options.has_value()) << row.name;
  auto system = reformulate(row, form, *options, false);
  EXPECT_TRUE(system.has_value()) << row.name;
  return *std::move(system);
}

std::vector<double> some_values(int size, double phase) {
  std::vector<double> values;
  for (int k = 0; k < size; ++k) values.push_back(0.8 * std::sin(phase + (1.3 * k)));
  return values;
}

// Rewritings that have defaults for all that they need.
std::vector<const FormulationRow*> rewritings() {
  std::vector<const FormulationRow*> rows;
  for (const FormulationRow& row : formulations()) {
    if (row.rewrite != nullptr && !row.wrapper) rows.push_back(&row);
  }
  return rows;
}

class Rewritings : public ::testing::TestWithParam<const FormulationRow*> {
 protected:
  // A fresh environment with something else than zero for what is held during a step (h, ε, A).
  static std::vector<double> environment_of(const Formed& bead, const ReformedResidual& residual) {
    std::vector<double> values(static_cast<std::size_t>(residual.slots()), 0.0);
    std::ranges::copy(bead.environment, values.begin());
    for (const HeldValue& held : residual.system().held)
      values[static_cast<std::size_t>(residual.slot(held.leaf))] = 0.3;
    return values;
  }
};

TEST_P(Rewritings, HaveExactJacobians) {
  const Formed bead(from_text(bead_text(), {{"k", "3"}}));
  ReformedResidual residual(*bead.model, reformed(*GetParam(), *bead.form));
  std::vector<double> environment = environment_of(bead, residual);
  residual.bind(environment);
  for (const double phase : {0.4, 2.9})
    expect_exact_jacobian(residual, 0.5, some_values(residual.size(), phase),
                          some_values(residual.size(), phase + 0.7), std::string(GetParam()->name));
}

// A copy that is bound to another environment computes the same and leaves the first alone.
TEST_P(Rewritings, CopiesAreBoundAnew) {
  const Formed bead(from_text(bead_text()));
  ReformedResidual residual(*bead.model, reformed(*GetParam(), *bead.form));
  std::vector<double> environment = environment_of(bead, residual);
  std::vector<double> elsewhere = environment;
  residual.bind(environment);
  ReformedResidual copy = residual;
  copy.bind(elsewhere);
  const std::vector<double> y = some_values(residual.size(), 1);
  const std::vector<double> yp = some_values(residual.size(), 2);
  std::vector<double> r(y.size());
  std::vector<double> of_copy(y.size());
  const std::vector<double> before = environment;
  ASSERT_TRUE(copy.residual(0, y, yp, of_copy));
  EXPECT_EQ(environment, before);
  ASSERT_TRUE(residual.residual(0, y, yp, r));
  EXPECT_EQ(r, of_copy);
  // scatter and gather are each other's inverse, in the environment of the one that is asked.
  std::vector<double> back(y.size());
  std::vector<double> rates(y.size());
  copy.scatter(0.25, y, yp);
  copy.gather(back, rates);
  EXPECT_EQ(back, y);
  EXPECT_EQ(environment[static_cast<std::size_t>(bead.model->layout().time)], 0);
  EXPECT_EQ(elsewhere[static_cast<std::size_t>(bead.model->layout().time)], 0.25);
}

// A value that is no number is said, with the equation's name.
TEST_P(Rewritings, WhatIsNotFiniteIsSaid) {
  const Formed bead(from_text(bead_text()));
  ReformedResidual residual(*bead.model, reformed(*GetParam(), *bead.form));
  std::vector<double> environment = environment_of(bead, residual);
  residual.bind(environment);
  std::vector<double> y = some_values(residual.size(), 1);
  std::vector<double> r(y.size());
  y.front() = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(residual.residual(0, y, y, r));
  EXPECT_FALSE(residual.trouble().empty());
}

INSTANTIATE_TEST_SUITE_P(Table, Rewritings, ::testing::ValuesIn(rewritings()), [](const auto& row) {
  std::string name(row.param->name);
  std::ranges::replace(name, '-', '_');
  return name;
});

// index3 of the bead: p' = v, M v' = f - Gᵀλ, 0 = g, at a point, by hand.
TEST(ReformedResidual, IndexThreeIsTheModelAsItIsWritten) {
  const Formed bead(from_text(bead_text(), {{"k", "3"}}));
  ReformedResidual residual(*bead.model, reformed(*find_formulation("index3"), *bead.form));
  std::vector<double> environment(static_cast<std::size_t>(residual.slots()), 0.0);
  residual.bind(environment);
  std::vector<double> y(static_cast<std::size_t>(residual.size()));
  std::vector<double> yp(y.size());
  const auto put = [&](NodeId leaf, double value, double rate) {
    for (std::size_t k = 0; k < y.size(); ++k) {
      if (residual.system().unknowns[k].leaf != leaf) continue;
      y[k] = value;
      yp[k] = rate;
    }
  };
  put(bead.leaf("x"), 0.5, 0.1);
  put(bead.leaf("y"), -0.7, 0.2);
  put(bead.leaf("x", 1), 0.3, 0.4);
  put(bead.leaf("y", 1), 0.9, -0.6);
  put(bead.leaf("lambda"), 1.5, 0);
  std::vector<double> r(y.size());
  ASSERT_TRUE(residual.residual(0, y, yp, r));
  std::vector<double> expected{0.1 - 0.3, 0.2 - 0.9, 0.4 + (3 * 0.5) + (2 * 0.5 * 1.5),
                               (4 * -0.6) + (4 * 9.81) + (2 * -0.7 * 1.5), (0.5 * 0.5) + (0.7 * 0.7) - 1};
  // Equations may stand in any order and with either sign.
  for (double& value : r) value = std::abs(value);
  for (double& value : expected) value = std::abs(value);
  std::ranges::sort(r);
  std::ranges::sort(expected);
  ASSERT_EQ(r.size(), expected.size());
  for (std::size_t k = 0; k < r.size(); ++k) EXPECT_NEAR(r[k], expected[k], 1e-14);
}

struct Dummies {
  Dummies()
      : bead(from_text(bead_text(), {{"k", "3"}})),
        model(*CompiledModel::compile(*make_level_system(from_text(bead_text(), {{"k", "3"}})))),
        residual(*model),
        environment(model->fresh_environment()) {
    residual.bind(environment);
  }
  // The states at a point of the circle.
  void select(double x, double y) {
    const LevelSystem& levels = model->levels();
    for (std::size_t k = 0; k < levels.levels.size(); ++k) {
      if (levels.levels[k].order != 0) continue;
      double& value = environment[static_cast<std::size_t>(model->layout().levels) + k];
      const std::string name = levels.level_name(static_cast<int>(k));
      if (name == "x") value = x;
      if (name == "y") value = y;
    }
    std::vector<double> values(model->selection_values.results());
    std::vector<double> workspace;
    model->selection_values.evaluate(environment, values, workspace);
    const SelectionOutcome outcome = select_dummies(levels, model->selection, values, {}, 1.05);
    ASSERT_FALSE(outcome.singular);
    residual.select(outcome.taken);
  }
  [[nodiscard]] std::vector<std::string> state_names() const {
    std::vector<std::string> names;
    for (const int level : residual.states()) names.push_back(model->levels().level_name(level));
    return names;
  }
  Formed bead;
  std::unique_ptr<CompiledModel> model;
  ModelResidual residual;
  std::vector<double> environment;
};

// Where G = 2 (x, y) has its larger entry, there is the dummy: x and x' are states where y is the larger one.
TEST(ModelResidual, StatesAreTheCoordinatesOfTheSmallerGradient) {
  Dummies dummies;
  dummies.select(0.1, 0.99);
  EXPECT_EQ(dummies.state_names(), (std::vector<std::string>{"x", "vx"}));
  dummies.select(0.99, 0.1);
  EXPECT_EQ(dummies.state_names(), (std::vector<std::string>{"y", "vy"}));
}

TEST(ModelResidual, HasExactJacobiansForEitherSelection) {
  Dummies dummies;
  for (const double x : {0.1, 0.99}) {
    dummies.select(x, std::sqrt(1 - (x * x)));
    expect_exact_jacobian(dummies.residual, 0, some_values(dummies.residual.size(), 0.3),
                          some_values(dummies.residual.size(), 1.3), "dummy derivatives");
  }
}

// The vector is the levels: gathered from them, scattered back. A copy bound elsewhere leaves the first
// alone.
TEST(ModelResidual, CopiesAreBoundAnew) {
  Dummies dummies;
  dummies.select(0.1, 0.99);
  ModelResidual copy = dummies.residual;
  std::vector<double> elsewhere = dummies.environment;
  copy.bind(elsewhere);
  const std::vector<double> before = dummies.environment;
  const std::vector<double> y = some_values(copy.size(), 1);
  const std::vector<double> yp = some_values(copy.size(), 2);
  std::vector<double> r(y.size());
  std::vector<double> of_copy(y.size());
  ASSERT_TRUE(copy.residual(0.5, y, yp, of_copy));
  EXPECT_EQ(dummies.environment, before);
  ASSERT_TRUE(dummies.residual.residual(0.5, y, yp, r));
  EXPECT_EQ(r, of_copy);
  copy.scatter(0.75, y, yp);
  std::vector<double> back(y.size());
  copy.gather(
      std::span<const double>(elsewhere).subspan(static_cast<std::size_t>(dummies.model->layout().levels)),
      back);
  EXPECT_EQ(back, y);
}

}  // namespace
}  // namespace daedalus::testing
