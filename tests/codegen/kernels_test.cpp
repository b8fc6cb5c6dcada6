#include "codegen/kernels.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "codegen/allocations.hpp"
#include "codegen/back_ends.hpp"
#include "codegen/models.hpp"
#include "codegen/program.hpp"

namespace daedalus {
namespace {

using test::Random;

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

Program compile(const ExprGraph& g, std::span<const NodeId> roots, std::size_t slots,
                const CodegenOptions& options) {
  return Program::compile(
      g, roots, static_cast<int>(slots), [&](NodeId leaf) { return g.variable_of(leaf).value; }, options);
}

std::vector<double> random_values(Random& random, std::size_t n) {
  std::vector<double> values(n);
  for (double& value : values) value = random.between(-2, 2);
  return values;
}

std::vector<double> evaluate(const Program& program, std::span<const double> environment) {
  std::vector<double> results(program.roots()), workspace;
  program.evaluate(environment, results, workspace);
  return results;
}

TEST(Kernels, AgreeWithTheOracleOnCopiesOfRandomExpressions) {
  std::size_t instructions = 0, operations = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    ExprGraph g;
    const test::DrawOptions options{.variables = 4,
                                    .operations = 3 + static_cast<int>(random.below(60)),
                                    .reach = 12,
                                    .constants = test::odd_constants()};
    const int count = 1 + static_cast<int>(random.below(300));
    const std::vector<NodeId> roots = test::copies(g, random, options, count);
    const std::vector<double> environment = random_values(random, static_cast<std::size_t>(4 * count));
    for (const CodegenChoice choice : test::available_choices()) {
      const Program program = compile(g, roots, environment.size(), {.choice = choice});
      const std::vector<double> expected = test::oracle(choice, g, roots, environment);
      const std::vector<double> results = evaluate(program, environment);
      for (std::size_t k = 0; k < roots.size(); ++k) {
        ASSERT_TRUE(same(results[k], expected[k]))
            << to_text(choice) << ", root " << k << ": " << results[k] << " for " << expected[k];
      }
      if (choice != CodegenChoice::Kernels) continue;
      instructions += program.groups();
      operations += program.operations();
    }
  }
  EXPECT_LT(4 * instructions, operations);  // so most of it was side by side
}

// Every piece has the same few shapes; whatever the number of links, a link costs the same few instructions.
TEST(Kernels, ChainsMakeFewLongRows) {
  for (const int n : {100, 1000, 10'000}) {
    ExprGraph g;
    const std::vector<NodeId> roots = test::chain(g, n);
    const Program program =
        compile(g, roots, static_cast<std::size_t>(3 * n), {.choice = CodegenChoice::Kernels, .threads = 1});
    const std::size_t pieces = program.operations() / 4096 + 1;
    EXPECT_LE(program.groups(), 45 * pieces) << n;
    Random random(1);
    const std::vector<double> environment = random_values(random, static_cast<std::size_t>(3 * n));
    const std::vector<double> results = evaluate(program, environment);
    const std::vector<double> expected = test::oracle(CodegenChoice::Kernels, g, roots, environment);
    for (std::size_t k = 0; k < roots.size(); ++k)
      ASSERT_TRUE(same(results[k], expected[k])) << n << ", root " << k;
  }
}

// Only results and what passes from piece to piece have registers of their own.
TEST(Kernels, RegistersAreUsedAgain) {
  ExprGraph g;
  const int n = 20'000;
  const std::vector<NodeId> roots = test::chain(g, n);
  const Program program = compile(g, roots, 3 * n, {.choice = CodegenChoice::Kernels, .threads = 1});
  std::vector<double> workspace, results(roots.size());
  const std::vector<double> environment(3 * n, 0.5);
  program.evaluate(environment, results, workspace);
  EXPECT_EQ(program.operations(), 9U * n);
  EXPECT_LT(workspace.size(), 3U * n);
}

TEST(Kernels, ResultsDoNotDependOnThreads) {
  ExprGraph g;
  const int n = 60'000;
  const std::vector<NodeId> roots = test::chain(g, n);
  Random random(3);
  const std::vector<double> environment = random_values(random, 3 * n);
  const Program serial =
      compile(g, roots, environment.size(), {.choice = CodegenChoice::Kernels, .threads = 1});
  const std::vector<double> expected = evaluate(serial, environment);
  for (const std::size_t threads : {2, 3, 8}) {
    const Program program =
        compile(g, roots, environment.size(), {.choice = CodegenChoice::Kernels, .threads = threads});
    EXPECT_GT(program.groups(), serial.groups());  // so it was cut, and the ends are computed twice
    std::vector<double> results(roots.size()), workspace;
    program.evaluate(environment, results, workspace);
    const std::size_t before = test::allocations();
    for (int repeat = 0; repeat < 5; ++repeat) {
      std::ranges::fill(results, NAN);
      program.evaluate(environment, results, workspace);
      for (std::size_t k = 0; k < roots.size(); ++k)
        ASSERT_TRUE(same(results[k], expected[k])) << threads << " threads, root " << k;
    }
    EXPECT_EQ(test::allocations(), before);
  }
}

// One value that all roots need cannot be computed in parts; many small parts would compute it again and
// again.
TEST(Kernels, WhatIsSharedIsNotCut) {
  ExprGraph g;
  NodeId sum = g.constant(0);
  const int n = 200'000;
  for (int k = 0; k < n; ++k) {
    const NodeId x = g.variable(VariableId(k));
    sum = g.add(sum, g.mul(x, g.apply(Op::Sin, x)));
  }
  std::vector<NodeId> roots;
  for (int k = 0; k < 20; ++k) roots.push_back(g.mul(sum, g.variable(VariableId(k))));
  const auto groups = [&](std::size_t threads) {
    return compile(g, roots, n, {.choice = CodegenChoice::Kernels, .threads = threads}).groups();
  };
  EXPECT_EQ(groups(4), groups(1));
}

TEST(Kernels, AutoChoosesThemForLargeRegularModelsWithFunctions) {
  const auto chosen = [](int links) {
    ExprGraph g;
    const std::vector<NodeId> roots = test::chain(g, links);
    return std::string(compile(g, roots, static_cast<std::size_t>(3 * links), {}).back_end());
  };
  EXPECT_EQ(chosen(3000), "kernels");
  EXPECT_NE(chosen(5), "kernels");
  // Nothing regular about it, however large.
  Random random(2);
  ExprGraph g;
  const std::vector<NodeId> nodes =
      test::build(g, test::draw(random, {.variables = 50, .operations = 20'000}));
  EXPECT_NE(compile(g, std::span(nodes).last(100), 50, {}).back_end(), "kernels");
}

}  // namespace
}  // namespace daedalus
