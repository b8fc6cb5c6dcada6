// Functions without expressions: consistent values, index, accuracy.
#include "simulate/function_run.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace daedalus {
namespace {

using In = std::span<const double>;
using Out = std::span<double>;

// x' = -x, z = x²: index 1.
bool decay(double, In y, In yp, Out r) {
  r[0] = yp[0] + y[0];
  r[1] = y[1] - y[0] * y[0];
  return true;
}

FunctionProblem problem_of(ResidualFunction function, std::vector<double> y) {
  FunctionProblem problem;
  problem.function = std::move(function);
  problem.yp.assign(y.size(), 0);
  problem.y = std::move(y);
  problem.tolerances = {.relative = 1e-8, .absolute = 1e-10};
  return problem;
}

TEST(FunctionRun, FollowsTheExactSolutionWithEveryImplicitMethod) {
  for (const IntegratorRow& row : integrators()) {
    if (row.make == nullptr || !row.adaptive) continue;
    FunctionProblem problem = problem_of(decay, {1, 7});
    problem.integrator = Selection(std::string(row.name));
    const auto result = run_function(problem);
    ASSERT_TRUE(result.has_value()) << row.name;
    EXPECT_EQ(result->failure, "") << row.name;
    EXPECT_NEAR(result->y[1], 1, 1e-12) << row.name;  // the guess 7 was wrong, and no state
    std::vector<double> values(2);
    for (const double t : {0.0, 0.123, 0.777, 1.0}) {
      problem.course->evaluate(t, values);
      EXPECT_NEAR(values[0], std::exp(-t), 1e-6) << row.name;
      EXPECT_NEAR(values[1], std::exp(-2 * t), 1e-6) << row.name;
    }
  }
}

TEST(FunctionRun, MakesRatesConsistentThatShareEquations) {
  // x' + z' = 1 and x - z = 0 shared by two rows: E has rank 1 although both rates occur.
  const auto shared = [](double t, In y, In yp, Out r) {
    r[0] = yp[0] + yp[1] - 2 * std::cos(t);
    r[1] = y[0] - y[1];
    return true;
  };
  FunctionProblem problem = problem_of(shared, {0.2, -0.2});
  const auto result = run_function(problem);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->failure, "");
  EXPECT_NEAR(result->y[0], 0, 1e-10);  // moved along x - z alone: x + z is the state
  std::vector<double> values(2);
  problem.course->evaluate(1, values);
  EXPECT_NEAR(values[0], std::sin(1.0), 1e-7);
}

TEST(FunctionRun, RefusesAnIndexAboveOne) {
  const auto index2 = [](double, In y, In yp, Out r) {
    r[0] = yp[0] - y[1];
    r[1] = y[0] - 1;
    return true;
  };
  const auto result = run_function(problem_of(index2, {1, 0}));
  ASSERT_FALSE(result.has_value());
  EXPECT_NE(result.error().front().message.find("index is above 1"), std::string::npos);
}

TEST(FunctionRun, EndsWhereTheFunctionHasNoValue) {
  const auto wall = [](double t, In y, In yp, Out r) {
    r[0] = yp[0] + y[0];
    return t < 0.5;
  };
  const auto result = run_function(problem_of(wall, {1}));
  ASSERT_TRUE(result.has_value());
  EXPECT_NE(result->failure, "");
  EXPECT_NEAR(result->t, 0.5, 0.1);
}

TEST(FunctionRun, NamesWrongInput) {
  FunctionProblem problem = problem_of(decay, {1, 1});
  problem.integrator = Selection("dop853");
  EXPECT_FALSE(run_function(problem).has_value());  // explicit methods take no F(t, y, y')
  problem.integrator = Selection("backward-euler");
  EXPECT_FALSE(run_function(problem).has_value());  // without a step
  problem.step = 0.01;
  EXPECT_TRUE(run_function(problem).has_value());
  problem.t_end = -1;
  EXPECT_FALSE(run_function(problem).has_value());
}

TEST(FunctionRun, StopsWhenAsked) {
  FunctionProblem problem = problem_of(decay, {1, 1});
  long steps = 0;
  problem.progress = [&](const Progress&) { return ++steps < 3; };
  const auto result = run_function(problem);
  ASSERT_TRUE(result.has_value());
  EXPECT_NE(result->failure.find("interrupted"), std::string::npos);
  EXPECT_EQ(problem.course->segments(), 3u);
}

}  // namespace
}  // namespace daedalus
