// Runs with free parameters and inputs at their defaults are runs with numbers in their places.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "model/load.hpp"
#include "simulate/run.hpp"

namespace daedalus {
namespace {

DaeSystem loaded(const std::string& text, const LoadOptions& options = {}) {
  auto sources = std::make_shared<SourceMap>();
  auto system = load_model(sources, sources->add("model.mo", text), options);
  EXPECT_TRUE(system.has_value()) << (system ? "" : render(system.error(), *sources));
  return system.value_or(DaeSystem{});
}

std::string problem_text(const std::string& file) {
  std::ifstream in(std::string(DAEDALUS_SOURCE_DIR) + "/" + file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

RunResult run(const DaeSystem& system, double tolerance) {
  RunOptions options;
  options.rtol = tolerance;
  options.atol = tolerance;
  auto result = simulate(system, options);
  EXPECT_TRUE(result.has_value() && result->ok());
  return result.value_or(RunResult{});
}

// Two runs of the same equations with the same tolerance: their differences are of the size of its errors.
void expect_same(const RunResult& a, const RunResult& b, double tolerance) {
  ASSERT_EQ(a.summary.final_values.size(), b.summary.final_values.size());
  for (std::size_t i = 0; i < a.summary.final_values.size(); ++i) {
    const auto& [name, value] = a.summary.final_values[i];
    EXPECT_EQ(name, b.summary.final_values[i].first);
    EXPECT_NEAR(value, b.summary.final_values[i].second, tolerance * std::max(1.0, std::abs(value))) << name;
  }
  ASSERT_EQ(a.trajectory.parameters.size(), b.trajectory.parameters.size());
}

double parameter_value(const RunResult& result, const std::string& name) {
  for (const auto& parameter : result.trajectory.parameters) {
    if (parameter.signal.name == name) return parameter.value;
  }
  ADD_FAILURE() << "no " << name;
  return 0;
}

double final_value(const RunResult& result, const std::string& name) {
  for (const auto& [key, value] : result.summary.final_values) {
    if (key == name) return value;
  }
  ADD_FAILURE() << "no " << name;
  return 0;
}

TEST(FreeParameterRun, ThePendulumIsThePendulum) {
  const std::string text = problem_text("examples/pendulum.mo");
  LoadOptions options;
  options.free = {"L", "g"};
  const RunResult folded = run(loaded(text), 1e-9);
  const RunResult free = run(loaded(text, options), 1e-9);
  expect_same(folded, free, 1e-5);
  EXPECT_EQ(parameter_value(free, "g"), parameter_value(folded, "g"));
}

TEST(FreeParameterRun, StartsEventsAndDependentParameters) {
  const std::string text =
      "model M parameter Real e = 0.7; parameter Real h0 = 2; parameter Real g = 9.81; parameter Real v = "
      "sqrt(2*g*h0); Real h(start = h0, fixed = true), w(start = 0, fixed = true), top; Integer n(start = 0, "
      "fixed = "
      "true); equation der(h) = w; der(w) = -g; top = w^2/(2*g) + h; when h < 0 then reinit(w, -e*pre(w)); n "
      "= pre(n) "
      "+ 1; end when; annotation(experiment(StopTime = 2)); end M;";
  LoadOptions options;
  options.free = {"e", "h0", "g"};
  const RunResult folded = run(loaded(text), 1e-8);
  const RunResult free = run(loaded(text, options), 1e-8);
  expect_same(folded, free, 1e-6);
  EXPECT_NEAR(parameter_value(free, "v"), std::sqrt(2 * 9.81 * 2), 1e-12);
  EXPECT_EQ(final_value(free, "n"), 2);
}

// der(x) = u: the integral of straight lines and of steps is known.
TEST(InputTableRun, IntegralsOfLinesAndSteps) {
  const std::string text =
      "model M input Real u; Real x(start = 0, fixed = true), y; equation der(x) = u; y = der(u); "
      "annotation(experiment(StopTime = 4)); end M;";
  LoadOptions options;
  options.input_tables = {{.name = "u", .times = {0, 1, 1, 3}, .values = {0, 2, -1, 1}}};
  const RunResult linear = run(loaded(text, options), 1e-10);
  EXPECT_NEAR(final_value(linear, "x"), 1 + 0 + 1, 1e-8);
  EXPECT_EQ(final_value(linear, "y"), 0);
  options.input_tables[0].held = true;
  const std::string plain =
      "model M input Real u; Real x(start = 0, fixed = true); equation der(x) = u; "
      "annotation(experiment(StopTime = 4)); end M;";
  const RunResult held = run(loaded(plain, options), 1e-10);
  EXPECT_NEAR(final_value(held, "x"), 0 - 2 + 1, 1e-8);
}

TEST(InputTableRun, ABooleanInputSwitches) {
  LoadOptions options;
  options.input_tables = {{.name = "on", .times = {0, 1, 2.5}, .values = {0, 1, 0}, .held = true}};
  const RunResult result =
      run(loaded("model M input Boolean on; Real x(start = 0, fixed = true); equation der(x) = if "
                 "on then 2 else 0; annotation(experiment(StopTime = 4)); end M;",
                 options),
          1e-10);
  EXPECT_NEAR(final_value(result, "x"), 3, 1e-8);
}

TEST(InputRun, IsHeldAtItsStart) {
  const RunResult result =
      run(loaded("model M input Real u(start = 3); Real x(start = 0, fixed = true); equation "
                 "der(x) = u; annotation(experiment(StopTime = 2)); end M;"),
          1e-10);
  EXPECT_NEAR(final_value(result, "x"), 6, 1e-8);
  EXPECT_EQ(final_value(result, "u"), 3);
}

TEST(InternalVariables, DollarNamesOfTheUserAreReported) {
  const RunResult result =
      run(loaded("model M Real '$x'(start = 1, fixed = true); equation der('$x') = 0*time; "
                 "annotation(experiment(StopTime = 1)); end M;"),
          1e-6);
  EXPECT_EQ(final_value(result, "$x"), 1);
}

}  // namespace
}  // namespace daedalus
