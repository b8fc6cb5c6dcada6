// The driver of one formulation for a model, begun at consistent values, and steps with it: a bead on a
// circle of which all is known by hand, or any model.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "advise/plan.hpp"
#include "consistent/initialise.hpp"
#include "drive/driver_setting.hpp"
#include "drive/make_driver.hpp"
#include "support/formed.hpp"

namespace daedalus::testing {

constexpr double far = 100;            // where nobody limits the steps
constexpr double usual_step = 0.01;    // of runs of the bead
constexpr double usual_angle = -0.9;   // where it begins
constexpr double initial_speed = 1.5;  // along the circle
constexpr double bead_gravity = 9.81;  // bead_text() has masses 1 and 4

inline RunOptions run_options(const std::string& formulation, const std::string& integrator,
                              std::optional<double> step = {}) {
  RunOptions options;
  options.formulation = parse_selection(formulation).value();
  options.integrator = parse_selection(integrator).value();
  options.step = step;
  return options;
}

struct Driven {
  explicit Driven(const std::string& formulation, const std::string& integrator = "auto",
                  double step = usual_step)
      : Driven(from_text(bead_text()), run_options(formulation, integrator, step)) {}
  Driven(const DaeSystem& system, const RunOptions& options) {
    auto made = daedalus::plan(system, options);
    EXPECT_TRUE(made.has_value()) << options.formulation.to_text() << ": "
                                  << (made ? "" : made.error().front().message);
    plan = std::make_unique<RunPlan>(*std::move(made));
    model = plan->model;
    if (model == nullptr) model = *CompiledModel::compile(plan->levels);
    make();
  }
  // Anew, after a change of the plan.
  void make() {
    auto made = make_driver(setting());
    EXPECT_TRUE(made.has_value()) << plan->formulation.to_text();
    driver = *std::move(made);
  }
  [[nodiscard]] DriverSetting setting() const {
    return {.model = *model, .plan = *plan, .tolerances = plan->settings.tolerances};
  }
  // As large as the driver asks for.
  [[nodiscard]] std::vector<double> fresh_environment() const {
    std::vector<double> values(static_cast<std::size_t>(driver->slots()), 0.0);
    std::ranges::copy(model->fresh_environment(), values.begin());
    return values;
  }
  // The bead at this angle, with values that all equations agree with.
  [[nodiscard]] std::vector<double> environment(double angle) const {
    std::vector<double> values = fresh_environment();
    const double x = std::cos(angle);
    const double y = std::sin(angle);
    const double speed = initial_speed;
    const double lambda = ((speed * speed) - (bead_gravity * y)) / ((2 * x * x) + (y * y / 2));
    put(values, "x", {x, -speed * y, -2 * x * lambda});
    put(values, "y", {y, speed * x, -bead_gravity - (y * lambda / 2)});
    put(values, "lambda", {lambda});
    return values;
  }
  // Any model at its initial values.
  [[nodiscard]] std::vector<double> initialised() const {
    std::vector<double> values = fresh_environment();
    values[static_cast<std::size_t>(model->layout().time)] = plan->settings.start;
    EventHandler events(*model, values);
    const Initialisation start = initialise(*model, values, events);
    EXPECT_EQ(start.status, Initialisation::Status::Ok) << start.reason;
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
  Begun(const Driven& driven, RunDriver& driver, double angle)
      : Begun(driven, driver, driven.environment(angle)) {}
  Begun(const Driven& driven, RunDriver& driver, std::vector<double> values)
      : environment(std::move(values)) {
    driver.bind(environment);
    EXPECT_EQ(driver.begin(), "");
    integrator = driver.make_integrator(*driven.plan->integrator_row, settings(driven));
    EXPECT_NE(integrator, nullptr);
    y.resize(static_cast<std::size_t>(driver.size()));
    yp.resize(y.size());
    driver.start_values(nullptr, y, yp);
  }
  static IntegratorSettings settings(const Driven& driven) {
    IntegratorSettings settings;
    settings.tolerances = driven.plan->settings.tolerances;
    settings.selection = driven.plan->integrator;
    settings.fixed_step = driven.plan->options.step;
    return settings;
  }
  std::vector<double> environment, y, yp;
  std::unique_ptr<Integrator> integrator;
};

struct Stepped {
  explicit Stepped(const std::string& formulation, const std::string& integrator, double angle = usual_angle,
                   double step = usual_step)
      : Stepped(Driven(formulation, integrator, step), angle) {}
  Stepped(Driven bead, double angle) : driven(std::move(bead)), begun(driven, *driven.driver, angle) {
    start();
  }
  Stepped(const DaeSystem& system, const RunOptions& options)
      : driven(system, options), begun(driven, *driven.driver, driven.initialised()) {
    start();
  }
  // With a driver that exists, from values that are given.
  Stepped(Driven made, std::vector<double> environment)
      : driven(std::move(made)), begun(driven, *driven.driver, std::move(environment)) {
    start();
  }
  void start() { begun.integrator->start(time(), begun.y, begun.yp, far); }
  // One step, with what the driver says of it.
  std::string step(double t_stop = far) {
    RunDriver& driver = *driven.driver;
    driver.before_step(*begun.integrator, t_stop);
    const StepOutcome outcome = driver.step(*begun.integrator, t_stop);
    EXPECT_TRUE(outcome.ok()) << outcome.detail;
    if (!outcome.ok()) return outcome.detail;
    if (std::string why = driver.check_step(*begun.integrator); !why.empty()) return why;
    load_end();
    return driver.after_step(*begun.integrator);
  }
  // So many steps; a driver's reason to end is a failure of the test.
  void go(int steps) {
    for (int k = 0; k < steps; ++k) ASSERT_EQ(step(), "");
  }
  // Until then, or until the driver has a reason to end, which is returned.
  std::string go_until(double t) {
    while (begun.integrator->t() < t) {
      if (std::string why = step(t); !why.empty()) return why;
      if (::testing::Test::HasFailure()) return "a step failed";
    }
    return {};
  }
  void load_end() {
    begun.y.resize(static_cast<std::size_t>(driven.driver->size()));
    begun.yp.resize(begun.y.size());
    begun.integrator->interpolate(begun.integrator->t(), begun.y, begun.yp);
    driven.driver->place(begun.integrator->t(), begun.y, begun.yp);
  }
  // Of the end of the last step, completed as an output point is.
  void complete() {
    load_end();
    EXPECT_EQ(driven.driver->complete_output(), "");
  }
  [[nodiscard]] double time() const {
    return begun.environment[static_cast<std::size_t>(driven.model->layout().time)];
  }
  [[nodiscard]] double at(const std::string& name, int order = 0) const {
    const int slot = driven.slot_of(name, order);
    EXPECT_GE(slot, 0) << name << " is no unknown of its own";
    return slot < 0 ? 0 : begun.environment[static_cast<std::size_t>(slot)];
  }
  [[nodiscard]] Summary finished() {
    Summary summary;
    driven.driver->finish(summary);
    return summary;
  }
  // Of the bead.
  [[nodiscard]] double position_drift() const {
    return std::abs((at("x") * at("x")) + (at("y") * at("y")) - 1);
  }
  [[nodiscard]] double velocity_drift() const {
    return std::abs((at("x") * at("x", 1)) + (at("y") * at("y", 1)));
  }
  [[nodiscard]] double energy() const {
    return (at("x", 1) * at("x", 1) / 2) + (2 * at("y", 1) * at("y", 1)) + (4 * bead_gravity * at("y"));
  }
  Driven driven;
  Begun begun;
};

// The slider crank's links are stretched after a quarter period, known by quadrature (reference of
// Example 5.2).
inline constexpr double dead_centre = 1.031266242172015754;

// `soft`: the driver may soften the multipliers there; else `fallback` takes over, if it names one.
inline Stepped slider_crank(const std::string& formulation, const std::string& integrator, bool soft,
                            const std::string& fallback) {
  Driven driven(problem("slider_crank.mo"), run_options(formulation, integrator));
  driven.plan->soft = soft;
  driven.plan->fallback = fallback;
  driven.make();
  std::vector<double> environment = driven.initialised();
  return {std::move(driven), std::move(environment)};
}

}  // namespace daedalus::testing
