// The course of a run between its output points.
#include "record/dense_output.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "model/load.hpp"
#include "simulate/run.hpp"

namespace daedalus {
namespace {

std::vector<Signal> signals(std::initializer_list<const char*> names, bool discrete = false) {
  std::vector<Signal> out;
  for (const char* name : names) out.push_back({.name = name, .discrete = discrete});
  return out;
}

TEST(DenseOutput, APolynomialOfTheMethodsOrderIsReproduced) {
  const auto cubic = [](double t) { return ((2 * t - 1) * t + 3) * t - 5; };
  for (const int order : {1, 3, 5, 8}) {
    DenseOutput dense;
    dense.begin(signals({"p", "q"}));
    for (const double from : {0.0, 1.0}) {
      const std::vector<double> nodes = DenseOutput::nodes(from, from + 1, order);
      std::vector<double> rows;
      for (const double t : nodes) {
        rows.push_back(cubic(t));
        rows.push_back(t);
      }
      dense.add(nodes, rows);
    }
    std::vector<double> values(2);
    for (const double t : {0.0, 0.1, 0.5, 0.999, 1.0, 1.7, 2.0}) {
      dense.evaluate(t, values);
      EXPECT_NEAR(values[0], cubic(t), 1e-13) << order;
      EXPECT_NEAR(values[1], t, 1e-14) << order;
    }
  }
}

TEST(DenseOutput, AtAnEventTheValueAfterItCounts) {
  DenseOutput dense;
  dense.begin(signals({"n"}, true));
  const std::vector<double> first = DenseOutput::nodes(0, 1, 3);
  dense.add(first, std::vector<double>(first.size(), 1));
  const std::vector<double> second = DenseOutput::nodes(1, 2, 3);
  dense.add(second, std::vector<double>(second.size(), 2));
  std::vector<double> value(1);
  dense.evaluate(1, value);
  EXPECT_EQ(value[0], 2);
  dense.evaluate_in(0, 1, value);
  EXPECT_EQ(value[0], 1);
  dense.evaluate(2, value);
  EXPECT_EQ(value[0], 2);
}

DaeSystem load(const std::string& text) {
  const auto sources = std::make_shared<SourceMap>();
  const auto file = sources->add("model", text);
  auto system = load_model(sources, file);
  EXPECT_TRUE(system.has_value()) << render(system.error(), *sources);
  return *std::move(system);
}

constexpr const char* pendulum = R"(
model Pendulum
  Real x(start = 1), y(start = 0, fixed = true), l, vx, vy(start = 0, fixed = true);
equation
  der(x) = vx; der(y) = vy; der(vx) = -l*x; der(vy) = -l*y - 9.81; x^2 + y^2 = 1;
end Pendulum;)";

TEST(DenseOutput, EveryFormulationGivesItsOutputPointsBack) {
  for (const char* formulation : {"dummy-derivatives", "ggl", "orthogonal-projection", "index1"}) {
    RunOptions options{.until = 2, .rtol = 1e-8, .points = 41, .formulation = Selection(formulation)};
    options.dense = std::make_shared<DenseOutput>();
    const auto run = simulate(load(pendulum), options);
    ASSERT_TRUE(run.has_value());
    std::vector<double> values(run->trajectory.signals.size());
    for (std::size_t row = 0; row < run->trajectory.rows(); ++row) {
      options.dense->evaluate(run->trajectory.times[row], values);
      for (std::size_t column = 0; column < values.size(); ++column) {
        // Both come from the same step; what is between them is the polynomial's error, of the order of the
        // step's.
        EXPECT_NEAR(values[column], run->trajectory.at(row, column), 1e-5) << formulation;
      }
    }
  }
}

TEST(DenseOutput, CostsNoStepAndChangesNoValue) {
  RunOptions options{.until = 2, .rtol = 1e-6};
  const auto plain = simulate(load(pendulum), options);
  options.dense = std::make_shared<DenseOutput>();
  const auto dense = simulate(load(pendulum), options);
  ASSERT_TRUE(plain && dense);
  EXPECT_EQ(plain->trajectory.values, dense->trajectory.values);
  EXPECT_EQ(plain->summary.counters.steps, dense->summary.counters.steps);
  EXPECT_EQ(static_cast<long>(options.dense->segments()), dense->summary.counters.steps);
  EXPECT_EQ(options.dense->t_begin(), 0);
  EXPECT_EQ(options.dense->t_end(), 2);
}

}  // namespace
}  // namespace daedalus
