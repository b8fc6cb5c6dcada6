// A bead on a circle and the driver of one formulation for it, begun at consistent values.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "advise/plan.hpp"
#include "drive/driver_setting.hpp"
#include "drive/make_driver.hpp"
#include "support/formed.hpp"

namespace daedalus::testing {

// The bead on a circle, with values that all equations agree with, in an environment of the driver's size.
struct Driven {
  explicit Driven(const std::string& formulation, const std::string& integrator = "auto") {
    RunOptions options;
    options.formulation = Selection(formulation);
    options.integrator = Selection(integrator);
    if (integrator == "auto") options.step = 0.01;  // symmetric methods have a fixed step
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

}  // namespace daedalus::testing
