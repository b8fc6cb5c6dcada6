// Every row of the table of formulations makes a driver, which can be copied.
#include "drive/make_driver.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "advise/plan.hpp"
#include "drive/driver.hpp"
#include "drive/dummy_driver.hpp"
#include "drive/projection_driver.hpp"
#include "drive/reform_driver.hpp"
#include "drive/run_plan.hpp"
#include "support/formed.hpp"

namespace daedalus::testing {
namespace {

std::vector<std::string> driven() {
  std::vector<std::string> names;
  for (const FormulationRow& row : formulations()) {
    if (!row.wrapper) names.emplace_back(row.name);
  }
  return names;
}

// The bead on a circle, with values that all equations agree with, in an environment of the driver's size.
struct Driven {
  explicit Driven(const std::string& formulation) {
    RunOptions options;
    options.formulation = Selection(formulation);
    options.step = 0.01;  // symmetric methods have a fixed step
    auto made = daedalus::plan(from_text(bead_text()), options);
    EXPECT_TRUE(made.has_value()) << formulation;
    plan = std::make_unique<RunPlan>(*std::move(made));
    model = plan->model;
    if (model == nullptr) model = *CompiledModel::compile(plan->levels);
    auto driver_made = make_driver({.model = *model, .plan = *plan, .tolerances = plan->settings.tolerances});
    EXPECT_TRUE(driver_made.has_value()) << formulation;
    driver = *std::move(driver_made);
  }
  [[nodiscard]] std::vector<double> environment(double angle) const {
    std::vector<double> values(static_cast<std::size_t>(driver->slots()), 0.0);
    std::ranges::copy(model->fresh_environment(), values.begin());
    const double x = std::cos(angle);
    const double y = std::sin(angle);
    const double speed = 1.5;
    const double lambda = ((speed * speed) - (9.81 * y)) / ((2 * x * x) + (y * y / 2));
    put(values, "x", {x, -speed * y, -2 * x * lambda});
    put(values, "y", {y, speed * x, -9.81 - (y * lambda / 2)});
    put(values, "lambda", {lambda});
    return values;
  }
  void put(std::vector<double>& values, const std::string& name,
           const std::vector<double>& derivatives) const {
    for (std::size_t k = 0; k < derivatives.size(); ++k) {
      if (const int slot = slot_of(name, static_cast<int>(k)); slot >= 0)
        values[static_cast<std::size_t>(slot)] = derivatives[k];
    }
  }
  [[nodiscard]] int slot_of(const std::string& name, int order) const {
    const DaeSystem& dae = model->dae();
    for (std::size_t v = 0; v < dae.variables.size(); ++v) {
      if (dae.variables[v].name == name) return model->slot(dae.graph->variable(VariableId(v), order));
    }
    return -1;
  }
  std::unique_ptr<RunPlan> plan;
  std::shared_ptr<const CompiledModel> model;
  std::unique_ptr<RunDriver> driver;
};

class Drivers : public ::testing::TestWithParam<std::string> {};

TEST_P(Drivers, AreOfTheKindThatTheTableSays) {
  const Driven driven(GetParam());
  RunDriver* driver = driven.driver.get();
  EXPECT_EQ(dynamic_cast<DummyDriver*>(driver) != nullptr, GetParam() == "dummy-derivatives");
  EXPECT_EQ(dynamic_cast<OrthogonalProjectionDriver*>(driver) != nullptr,
            GetParam() == "orthogonal-projection");
  EXPECT_EQ(dynamic_cast<SymmetricProjectionDriver*>(driver) != nullptr,
            GetParam() == "symmetric-projection");
  EXPECT_EQ(dynamic_cast<ReformDriver*>(driver) != nullptr, GetParam() != "dummy-derivatives");
  EXPECT_GE(driver->slots(), driven.model->layout().size);
}

struct Begun {
  Begun(const Driven& driven, RunDriver& driver, double angle) : environment(driven.environment(angle)) {
    driver.bind(environment);
    EXPECT_EQ(driver.begin(), "");
    IntegratorSettings settings;
    settings.tolerances = driven.plan->settings.tolerances;
    settings.selection = driven.plan->integrator;
    settings.fixed_step = 0.01;
    integrator = driver.make_integrator(*driven.plan->integrator_row, settings);
    EXPECT_NE(integrator, nullptr);
    y.resize(static_cast<std::size_t>(driver.size()));
    yp.resize(y.size());
    driver.start_values(nullptr, y, yp);
  }
  std::vector<double> environment, y, yp;
  std::unique_ptr<Integrator> integrator;
};

// From consistent values: a vector that holds them, of which every component has a name, and back.
TEST_P(Drivers, StartFromTheEnvironmentAndWriteToIt) {
  const Driven driven(GetParam());
  Begun begun(driven, *driven.driver, -0.9);
  const auto x = static_cast<std::size_t>(driven.slot_of("x", 0));
  EXPECT_TRUE(std::ranges::count(begun.y, std::cos(-0.9)) > 0 ||
              std::ranges::count(begun.y, std::sin(-0.9)) > 0);
  for (int k = 0; k < driven.driver->size(); ++k) EXPECT_FALSE(driven.driver->component_name(k).empty());
  EXPECT_FALSE(driven.driver->states().empty());
  begun.environment[x] = 7;
  driven.driver->scatter(0.5, begun.y, begun.yp);
  driven.driver->complete_output();
  EXPECT_NEAR(begun.environment[x], std::cos(-0.9), 1e-9);
  EXPECT_EQ(begun.environment[static_cast<std::size_t>(driven.model->layout().time)], 0.5);
}

// A copy, bound to memory of its own, starts with the same bits, and writes nothing into that of the first.
TEST_P(Drivers, CopiesAreIndependent) {
  const Driven driven(GetParam());
  const std::unique_ptr<RunDriver> copy = driven.driver->copy();
  ASSERT_EQ(copy->slots(), driven.driver->slots());
  Begun first(driven, *driven.driver, -0.9);
  const std::vector<double> before = first.environment;
  const Begun other(driven, *copy, -0.9);
  EXPECT_EQ(first.environment, before);
  EXPECT_EQ(first.y, other.y);
  EXPECT_EQ(first.yp, other.yp);
  copy->scatter(0.5, std::vector<double>(other.y.size(), 0.3), other.yp);
  EXPECT_EQ(first.environment, before);
  std::vector<double> y(first.y.size());
  std::vector<double> yp(first.y.size());
  driven.driver->start_values(nullptr, y, yp);
  EXPECT_EQ(y, first.y);
}

INSTANTIATE_TEST_SUITE_P(Table, Drivers, ::testing::ValuesIn(driven()), [](const auto& row) {
  std::string name = row.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

// The option W of orthogonal-projection is checked against the model.
TEST(MakeDriver, OptionsThatDoNotFitAreAnError) {
  Driven driven("orthogonal-projection");
  driven.plan->row_options = Selection("orthogonal-projection", {{"W", "[1,2,3]"}, {"levels", "all"}});
  const auto made = make_driver(
      {.model = *driven.model, .plan = *driven.plan, .tolerances = driven.plan->settings.tolerances});
  ASSERT_FALSE(made.has_value());
  EXPECT_FALSE(made.error().front().message.empty());
}

}  // namespace
}  // namespace daedalus::testing
