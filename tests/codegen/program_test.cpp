#include "codegen/program.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "expr/random_graph.hpp"

namespace daedalus {
namespace {

using test::Random;

// Equal to the last bit; all NaNs count as one.
bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

TEST(Program, AgreesWithTheOracleOnRandomGraphs) {
  std::vector<double> workspace;  // shared by all programs on purpose
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Random random(seed);
    ExprGraph graph;
    const std::vector<NodeId> nodes =
        test::build(graph, test::draw(random, {.variables = 6,
                                               .operations = 5 + static_cast<int>(random.below(60)),
                                               .constants = test::odd_constants()}));
    std::vector<NodeId> roots;
    for (int k = 0; k < 6; ++k) roots.push_back(nodes[random.below(nodes.size())]);
    const auto slot = [&](NodeId leaf) { return graph.variable_of(leaf).value; };
    const Program program = Program::compile(graph, roots, 6, slot);
    for (int repeat = 0; repeat < 2; ++repeat) {
      std::vector<double> environment(6);
      for (double& value : environment) value = random.between(-2, 2);
      std::vector<double> results(roots.size());
      program.evaluate(environment, results, workspace);
      for (std::size_t k = 0; k < roots.size(); ++k) {
        const double expected = evaluate(
            graph, roots[k], [&](NodeId leaf) { return environment[static_cast<std::size_t>(slot(leaf))]; });
        ASSERT_TRUE(same(results[k], expected))
            << "seed " << seed << ": " << results[k] << " against " << expected;
      }
    }
  }
}

}  // namespace
}  // namespace daedalus
