// Models and constraints for the tests of consistent values.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "consistent/initialise.hpp"
#include "consistent/start_problem.hpp"
#include "reform/level_system.hpp"
#include "support/model_text.hpp"
#include "systems/compiled_model.hpp"

namespace daedalus::testing {

// A model in memory, with its values.
struct Started {
  DaeSystem system;
  std::unique_ptr<CompiledModel> model;
  std::vector<double> environment;
  std::unique_ptr<EventHandler> events;
  Initialisation outcome;

  explicit Started(const std::string& declarations_and_equations, double hysteresis = 0)
      : system(from_text("model M " + declarations_and_equations + " end M;")) {
    auto levels = make_level_system(system);
    EXPECT_TRUE(levels.has_value());
    auto compiled = CompiledModel::compile(std::move(*levels));
    EXPECT_TRUE(compiled.has_value());
    model = *std::move(compiled);
    environment = model->fresh_environment();
    events = std::make_unique<EventHandler>(*model, environment, hysteresis);
    outcome = initialise(*model, environment, *events);
  }

  // As the results report it.
  [[nodiscard]] double value(const std::string& name) const {
    std::vector<double> values(model->output_signals.size());
    std::vector<double> workspace;
    model->outputs.evaluate(environment, values, workspace);
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (model->output_signals[k].name == name) return values[k];
    }
    ADD_FAILURE() << "no output " << name;
    return NAN;
  }
  [[nodiscard]] bool ok() const { return outcome.status == Initialisation::Status::Ok; }
  [[nodiscard]] double largest_residual() const {
    std::vector<double> r(static_cast<std::size_t>(model->equation_count()));
    std::vector<double> workspace;
    model->residuals.evaluate(environment, r, workspace);
    double largest = 0;
    for (const double x : r) largest = std::max(largest, std::abs(x));
    return largest;
  }
};

// A model in memory whose start is asked for and not found yet.
struct Asked {
  DaeSystem system;
  std::unique_ptr<CompiledModel> model;
  std::vector<double> environment;
  std::unique_ptr<StartProblem> problem;

  explicit Asked(const std::string& declarations_and_equations)
      : system(from_text("model M " + declarations_and_equations + " end M;")) {
    auto levels = make_level_system(system);
    EXPECT_TRUE(levels.has_value());
    auto compiled = CompiledModel::compile(std::move(*levels));
    EXPECT_TRUE(compiled.has_value());
    model = *std::move(compiled);
    environment = model->fresh_environment();
    Diagnostics contradictions;
    problem =
        std::make_unique<StartProblem>(*model, environment, level_starts(model->levels(), contradictions));
    EXPECT_TRUE(contradictions.empty());
  }

  // The number of an unknown, by its name in messages.
  [[nodiscard]] std::size_t unknown(const std::string& name) const {
    for (std::size_t k = 0; k < problem->posed.guess.size(); ++k) {
      if (problem->name(k) == name) return k;
    }
    ADD_FAILURE() << "no unknown " << name;
    return 0;
  }
};

// z₁² + z₂² = radius² on two unknowns.
inline ConstraintFunction circle(double radius) {
  return {
      .rows = 1,
      .columns = 2,
      .column_start = {0, 1, 2},
      .row = {0, 0},
      .residual = [radius](std::span<const double> z,
                           std::span<double> c) { c[0] = (z[0] * z[0]) + (z[1] * z[1]) - (radius * radius); },
      .jacobian =
          [](std::span<const double> z, std::span<double> values) {
            values[0] = 2 * z[0];
            values[1] = 2 * z[1];
          }};
}

inline NearestProblem from(std::vector<double> guess) {
  NearestProblem problem;
  problem.guess = std::move(guess);
  problem.scale.assign(problem.guess.size(), 1);
  problem.weight.assign(problem.guess.size(), 1);
  problem.held.assign(problem.guess.size(), false);
  return problem;
}

}  // namespace daedalus::testing
