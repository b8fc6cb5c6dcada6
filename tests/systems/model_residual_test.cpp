// The system of dummy derivatives as an integrator sees it: what is a state, what is tested and how it
// counts, what may be left out, and the name of an equation that has no value.
#include "systems/model_residual.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "differences.hpp"
#include "support/model_families.hpp"
#include "values.hpp"

namespace daedalus::testing {
namespace {

struct Selected {
  explicit Selected(const DaeSystem& system, bool leave_out = false)
      : model(*CompiledModel::compile(*make_level_system(system))),
        residual(*model, {.leave_out_superfluous = leave_out}),
        environment(model->fresh_environment()) {
    residual.bind(environment);
    // Near starts, where signs of roots and the like are those of runs.
    const DaeSystem& dae = model->dae();
    for (std::size_t k = 0; k < model->levels().levels.size(); ++k) {
      const Level& level = model->levels().levels[k];
      environment[static_cast<std::size_t>(model->layout().levels) + k] =
          (level.order == 0 ? dae.variables[level.variable.at()].start : 0) +
          (0.01 * static_cast<double>(k + 1));
    }
    select({});
  }
  void select(const std::vector<int>& previous) {
    std::vector<double> values(model->selection_values.results());
    std::vector<double> workspace;
    model->selection_values.evaluate(environment, values, workspace);
    const SelectionOutcome outcome =
        select_dummies(model->levels(), model->selection, values, previous, 1.05);
    ASSERT_FALSE(outcome.singular);
    residual.select(outcome.taken);
  }
  [[nodiscard]] const Component& component(const std::string& name) const {
    for (int k = 0; k < residual.size(); ++k) {
      if (model->levels().level_name(residual.level_of(k)) == name)
        return residual.components()[static_cast<std::size_t>(k)];
    }
    ADD_FAILURE() << name;
    return residual.components().front();
  }
  std::unique_ptr<CompiledModel> model;
  ModelResidual residual;
  std::vector<double> environment;
};

std::vector<double> some_values(int size, unsigned seed) {
  std::vector<double> values(static_cast<std::size_t>(size));
  scatter_numbers(values, seed);
  return values;
}

std::vector<DaeSystem> families() {
  return {from_text(bead_text()),      from_text(chain_text(3)),           problem("slider_crank.mo"),
          problem("chemical_akzo.mo"), problem("mattsson_soderlind_1.mo"), from_text(moving_pivot)};
}

// As many states as degrees of freedom; each of them differential, with its next level as its rate.
TEST(ModelResidual, HasAsManyStatesAsDegreesOfFreedom) {
  for (const DaeSystem& system : families()) {
    Selected s(system);
    EXPECT_EQ(std::ssize(s.residual.states()), s.model->levels().plan.degrees_of_freedom) << system.name;
    EXPECT_TRUE(std::ranges::is_sorted(s.residual.states()));
    const auto differential = std::ranges::count_if(s.residual.components(), &Component::differential);
    EXPECT_EQ(differential, std::ssize(s.residual.states())) << system.name;
    // y' of a state is its next level: the residual that has ∂/∂y' = 1 and ∂/∂y_next = -1.
    const std::vector<double> y = some_values(s.residual.size(), 1);
    std::vector<double> yp = some_values(s.residual.size(), 2);
    std::vector<double> r(y.size());
    std::vector<double> moved(y.size());
    ASSERT_TRUE(s.residual.residual(0, y, yp, r));
    for (std::size_t k = 0; k < y.size(); ++k) {
      if (!s.residual.components()[k].differential) continue;
      yp[k] += 1;
      ASSERT_TRUE(s.residual.residual(0, y, yp, moved));
      yp[k] -= 1;
      EXPECT_FALSE(r == moved) << "a rate occurs in some equation";
    }
  }
}

TEST(ModelResidual, HasExactJacobiansOfEveryFamily) {
  for (const DaeSystem& system : families()) {
    Selected s(system);
    std::vector<double> y(static_cast<std::size_t>(s.residual.size()));
    s.residual.gather(
        std::span<const double>(s.environment).subspan(static_cast<std::size_t>(s.model->layout().levels)),
        y);
    expect_exact_jacobian(s.residual, 0.3, y, some_values(s.residual.size(), 2), system.name);
  }
}

// Highest derivatives count h times in the norms, algebraic unknowns are not tested, nominal values are
// heard.
TEST(ModelResidual, ComponentsSayHowTheyCount) {
  Selected s(from_text(R"(model Counted
  Real x(start = 1, fixed = true), y(start = 1), watched(start = 1), energy;
  discrete Real d(start = 0, fixed = true);
equation
  der(x) = -y - x;
  y + y^3 = x;
  watched + watched^3 = 2*x;
  energy = x^2;
  when watched > 5 then d = 1; end when;
end Counted;)"));
  EXPECT_TRUE(s.component("x").differential);
  EXPECT_TRUE(s.component("x").error_tested);
  EXPECT_EQ(s.component("x").index, 1);
  EXPECT_FALSE(s.component("y").differential);
  EXPECT_FALSE(s.component("y").error_tested) << "it follows from x";
  EXPECT_TRUE(s.component("y").counts);
  EXPECT_GT(s.component("y").least_weight, 0) << "it is solved however short the step";
  EXPECT_TRUE(s.component("watched").error_tested) << "an event depends on it";
  EXPECT_FALSE(s.component("energy").counts) << "nothing depends on it";
  EXPECT_FALSE(s.component("energy").error_tested);
}

// A constraint's highest derivatives: of index 2 in the norms, and unknowns of their own, as they may become
// states'.
TEST(ModelResidual, TopLevelsOfBlocksThatPivotAreUnknowns) {
  Selected s(from_text(bead_text()));
  for (int k = 0; k < s.residual.size(); ++k) {
    const Level& level = s.model->levels().levels[static_cast<std::size_t>(s.residual.level_of(k))];
    const bool multiplier = s.model->dae().variables[level.variable.at()].name == "lambda";
    EXPECT_EQ(s.residual.components()[static_cast<std::size_t>(k)].index,
              level.order == 2 || multiplier ? 2 : 1);
  }
  EXPECT_EQ(s.residual.size(), s.model->level_count());
  // An ODE has none of them: its highest derivative is the integrator's y'.
  Selected ode(from_text("model D\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = -x;\nend D;"));
  EXPECT_EQ(ode.residual.size(), 1);
  EXPECT_EQ(ode.model->level_count(), 2);
}

// Differentiations that only index-0 blocks need: without them fewer unknowns, and the same values of those
// that stay.
TEST(ModelResidual, SuperfluousDerivativesMayBeLeftOut) {
  const DaeSystem system = from_text(R"(model Follow
  Real x(start = 0), y(start = 2, fixed = true);
equation
  x + x^3 = sin(time);
  der(y) = der(x) - y;
end Follow;)");
  Selected all(system);
  Selected fewer(system, true);
  EXPECT_EQ(fewer.residual.size(), 2) << "x and y";
  EXPECT_EQ(all.residual.size(), 3) << "and x'";
  // At t = 0 x = 0, x' = 1, y' = 1 - 2: all equations hold in either.
  for (Selected* one : {&all, &fewer}) {
    expect_exact_jacobian(one->residual, 0.2, some_values(one->residual.size(), 4),
                          some_values(one->residual.size(), 5), "follow");
    std::vector<double> y(static_cast<std::size_t>(one->residual.size()), 0.0);
    std::vector<double> yp(y.size(), 0.0);
    for (std::size_t k = 0; k < y.size(); ++k) {
      const std::string name = one->model->levels().level_name(one->residual.level_of(static_cast<int>(k)));
      y[k] = name == "x" ? 0 : name == "y" ? 2 : 1;
      yp[k] = name == "x" ? 1 : name == "y" ? -1 : 0;
    }
    std::vector<double> r(y.size());
    ASSERT_TRUE(one->residual.residual(0, y, yp, r));
    for (const double value : r) EXPECT_NEAR(value, 0, 1e-15);
  }
}

// An equation that has no value is named as the user wrote it, by residual and by Jacobian.
TEST(ModelResidual, NamesTheEquationThatHasNoValue) {
  Selected s(from_text(R"(model R
  Real x(start = 4, fixed = true), y(start = 2), z(start = 1);
equation
  der(x) = -y;
  y*y = x + 1e-3*z;
  z = sqrt(x - 1) + z^2/10;
end R;)"));
  std::vector<double> y(static_cast<std::size_t>(s.residual.size()), 0.5);
  std::vector<double> r(y.size());
  EXPECT_FALSE(s.residual.residual(0, y, y, r));
  EXPECT_NE(s.residual.trouble().find("sqrt(x - 1)"), std::string::npos) << s.residual.trouble();
  for (double& value : y) value = 1;  // the slope of the root there is infinite
  std::vector<double> dy(s.residual.pattern().row.size());
  std::vector<double> dyp(dy.size());
  EXPECT_FALSE(s.residual.jacobian(0, y, y, dy, dyp));
  EXPECT_NE(s.residual.trouble().find("sqrt(x - 1)"), std::string::npos) << s.residual.trouble();
}

}  // namespace
}  // namespace daedalus::testing
