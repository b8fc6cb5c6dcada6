// Samples against the distributions that they are of, and where trajectories begin.
#include "ensemble/sampling.hpp"

#include <algorithm>
#include <numbers>

#include "ensemble/start_solver.hpp"
#include "ensemble_support.hpp"

namespace daedalus {
namespace {

TEST(Sampling, QuantilesOfTheNormalDistributionAreThoseOfErfc) {
  for (const double part : {1e-12, 1e-5, 0.02, 0.03, 0.3, 0.5, 0.9, 0.98, 1 - 1e-9}) {
    const double x = normal_quantile(part);
    EXPECT_NEAR(0.5 * std::erfc(-x / std::numbers::sqrt2), part, 1e-14) << part;
  }
}

TEST(Sampling, MeansAndDeviationsAreAsAsked) {
  constexpr std::size_t runs = 40000;
  const auto normal = parse_distribution("normal(3, 0.5)");
  const auto uniform = parse_distribution("uniform(-1,2)");
  ASSERT_TRUE(normal && uniform);
  // The mean of n numbers is off by the deviation over √n; four of these.
  const auto moments = [&](const std::vector<double>& values) {
    double mean = 0;
    double square = 0;
    for (const double v : values) mean += v / runs;
    for (const double v : values) square += (v - mean) * (v - mean) / runs;
    return std::pair{mean, std::sqrt(square)};
  };
  const auto [m, d] = moments(samples(*normal, 0, runs, {.seed = 5}));
  EXPECT_NEAR(m, 3, 4 * 0.5 / 200);
  EXPECT_NEAR(d, 0.5, 4 * 0.5 / 200);
  const auto [um, ud] = moments(samples(*uniform, 1, runs, {.seed = 5}));
  EXPECT_NEAR(um, 0.5, 4 * std::sqrt(0.75) / 200);
  EXPECT_NEAR(ud, std::sqrt(0.75), 4 * std::sqrt(0.75) / 200);
}

TEST(Sampling, ColumnsAndSeedsDiffer) {
  const Distribution unit;
  EXPECT_EQ(samples(unit, 0, 9, {.seed = 1}), samples(unit, 0, 9, {.seed = 1}));
  EXPECT_NE(samples(unit, 0, 9, {.seed = 1}), samples(unit, 1, 9, {.seed = 1}));
  EXPECT_NE(samples(unit, 0, 9, {.seed = 1}), samples(unit, 0, 9, {.seed = 2}));
}

TEST(Sampling, LatinHypercubesHaveOneInEachPart) {
  auto values = samples(Distribution{}, 2, 100, {.seed = 9, .latin = true});
  EXPECT_FALSE(std::ranges::is_sorted(values));
  std::ranges::sort(values);
  for (std::size_t k = 0; k < 100; ++k) EXPECT_EQ(static_cast<std::size_t>(100 * values[k]), k);
}

TEST(Sampling, WhatIsNoDistributionIsRefused) {
  for (const char* const text : {"", "uniform", "uniform(1)", "uniform(2,1)", "normal(0,-1)", "gauss(0,1)",
                                 "uniform(a,b)", "uniform(1,2", "normal(1,nan)"})
    EXPECT_FALSE(parse_distribution(text).has_value()) << text;
}

// x of the pendulum follows from y and L, which are given.
TEST(StartSolver, FindsWhatTheFixedValuesLeave) {
  const auto engine = test::engine_of(test::pendulum, {"L"});
  const std::vector<std::string> none;
  const auto kernel = trajectory_kernel(*engine, none);
  ASSERT_TRUE(kernel.has_value());
  const StartSolver solver(*kernel);
  ASSERT_TRUE(solver.known());
  StartWorkspace workspace;
  std::vector<double> states;
  for (const double length : {0.5, 1.0, 3.0}) {
    std::vector<double> given;
    for (const NodeId leaf : kernel->given) {
      const std::string& name = engine->system().variables[kernel->graph->variable_of(leaf).at()].name;
      given.push_back(name == "L" ? length : 0);
    }
    ASSERT_TRUE(solver.solve(0, given, workspace, states));
    const std::vector<double> expected{length, 0, 0, 0};
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(states[i], expected[i], 1e-15 * 10);
  }
}

}  // namespace
}  // namespace daedalus
