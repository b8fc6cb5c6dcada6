// Models with events, and what a Stepper needs, by the parts it is made of.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "advise/plan.hpp"
#include "drive/make_driver.hpp"
#include "stepping/engine_parts.hpp"
#include "stepping/stepper.hpp"
#include "support/model_text.hpp"

namespace daedalus::testing {

// A pendulum that is thrown back where it hangs straight down, and a ball on the floor, with a count of the
// events.
inline const std::string bouncing_pendulum = R"(model BouncingPendulum
  Real x(start = 1), y(start = 0, fixed = true), vx, vy(start = 0, fixed = true), lambda;
  Integer hits(start = 0, fixed = true);
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -2*x*lambda;
  der(vy) = -2*y*lambda - 9.81;
  x^2 + y^2 = 1;
  when x < 0.1 then
    reinit(vx, -0.9*pre(vx));
    reinit(vy, -0.9*pre(vy));
    hits = pre(hits) + 1;
  end when;
  annotation(experiment(StopTime = 4, Tolerance = 1e-7));
end BouncingPendulum;)";
inline const std::string ball = R"(model Ball
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
  Integer hits(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -9.81;
  when h < 0 then
    reinit(v, -0.8*pre(v));
    hits = pre(hits) + 1;
  end when;
  annotation(experiment(StopTime = 1.5));
end Ball;)";

inline std::unique_ptr<EngineParts> parts_of(const std::string& text, const RunOptions& options) {
  auto planned = plan(from_text(text), options);
  EXPECT_TRUE(planned.has_value());
  auto parts = std::make_unique<EngineParts>();
  parts->settings = planned->settings;
  parts->options = planned->options;
  parts->plan = std::make_shared<const RunPlan>(*std::move(planned));
  parts->model = parts->plan->model;
  if (parts->model == nullptr) parts->model = *CompiledModel::compile(parts->plan->levels);
  std::vector<NodeId> conditions;
  for (const Assertion& assertion : parts->model->dae().assertions) conditions.push_back(assertion.condition);
  parts->assertions = parts->model->compile(conditions);
  parts->events.emplace(*parts->model, std::span<double>{}, 0.0);
  auto driver =
      make_driver({.model = *parts->model, .plan = *parts->plan, .tolerances = parts->settings.tolerances});
  EXPECT_TRUE(driver.has_value());
  parts->driver = *std::move(driver);
  return parts;
}

class Counting final : public StepObserver {
 public:
  std::string step_done(Stepper& stepper, double reached, bool event) override {
    EXPECT_GE(reached, stepper.time());
    ++steps;
    events += event ? 1 : 0;
    return {};
  }
  std::string event_done(Stepper& /*stepper*/) override {
    ++handled;
    return {};
  }
  bool go_on(const Progress& /*progress*/) override { return true; }
  int steps = 0;
  int events = 0;
  int handled = 0;
};

inline void run_until(Stepper& stepper, double t, double end, StepObserver& observer) {
  while (stepper.running() && stepper.time() < t) stepper.advance(end, observer);
}

}  // namespace daedalus::testing
