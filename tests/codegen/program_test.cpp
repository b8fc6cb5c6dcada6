#include "codegen/program.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>

#include "codegen/allocations.hpp"
#include "codegen/back_ends.hpp"
#include "expr/random_graph.hpp"

namespace daedalus {
namespace {

using test::available_choices;
using test::oracle;
using test::Random;

// Equal to the last bit; all NaNs count as one.
bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

// Variable v stands in slot v.
Program compile(const ExprGraph& graph, std::span<const NodeId> roots, int slots,
                CodegenChoice choice = CodegenChoice::Auto) {
  return Program::compile(graph, roots, slots, [&](NodeId leaf) { return graph.variable_of(leaf).value; },
                          {.choice = choice});
}

std::vector<double> random_values(Random& random, std::size_t n) {
  std::vector<double> values(n);
  for (double& value : values) value = random.between(-2, 2);
  return values;
}

// All back ends.
void expect_oracle(const ExprGraph& graph, std::span<const NodeId> roots, std::span<const double> environment,
                   std::vector<double>& workspace) {
  for (const CodegenChoice choice : available_choices()) {
    const Program program = compile(graph, roots, static_cast<int>(environment.size()), choice);
    ASSERT_EQ(program.back_end(), to_text(choice));
    std::vector<double> results(roots.size());
    program.evaluate(environment, results, workspace);
    const std::vector<double> expected = oracle(choice, graph, roots, environment);
    for (std::size_t k = 0; k < roots.size(); ++k) {
      ASSERT_TRUE(same(results[k], expected[k]))
          << program.back_end() << ", root " << k << ": " << results[k] << " for " << expected[k];
    }
  }
}

TEST(Program, AgreesWithTheOracleOnRandomGraphs) {
  std::vector<double> workspace;  // shared by all programs on purpose
  for (std::uint64_t seed = 0; seed < 3000 && !HasFatalFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    ExprGraph graph;
    const std::vector<NodeId> nodes =
        test::build(graph, test::draw(random, {.variables = 6,
                                               .operations = 5 + static_cast<int>(random.below(60)),
                                               .constants = test::odd_constants()}));
    std::vector<NodeId> roots;
    for (int k = 0; k < 6; ++k) roots.push_back(nodes[random.below(nodes.size())]);
    expect_oracle(graph, roots, random_values(random, 6), workspace);
    // The same in an environment of which it uses little.
    expect_oracle(graph, roots, random_values(random, 60), workspace);
  }
}

// Larger than a piece of the schedule, so that values pass from piece to piece.
TEST(Program, AgreesWithTheOracleOnLargeGraphs) {
  Random random(1);
  ExprGraph graph;
  const std::vector<NodeId> nodes = test::build(
      graph,
      test::draw(random, {.variables = 50,
                          .operations = 60'000,
                          .reach = 3000,
                          .ops = {Op::Add, Op::Sub, Op::Mul, Op::Sin, Op::Cos, Op::Less, Op::If, Op::Atan}}));
  const std::vector<NodeId> roots(nodes.end() - 5000, nodes.end());
  const std::vector<double> environment = random_values(random, 50);
  for (const CodegenChoice choice : available_choices()) {
    SCOPED_TRACE(to_text(choice));
    const Program program = compile(graph, roots, 50, choice);
    ASSERT_GT(program.operations(), 40'000U);
    std::vector<double> results(roots.size());
    std::vector<double> workspace;
    program.evaluate(environment, results, workspace);
    const std::vector<double> expected = oracle(choice, graph, roots, environment);
    for (std::size_t k = 0; k < roots.size(); ++k) ASSERT_TRUE(same(results[k], expected[k])) << "root " << k;
  }
}

TEST(Program, HasEveryOperation) {
  std::vector<double> workspace;
  for (const OpInfo& row : all_ops()) {
    if (row.arity == 0) continue;
    ExprGraph graph;
    const NodeId x = graph.variable(VariableId(0));
    const NodeId y = graph.variable(VariableId(1));
    const NodeId root = row.arity == 1   ? graph.apply(row.op, x)
                        : row.arity == 2 ? graph.apply(row.op, x, y)
                                         : graph.apply(row.op, x, y, graph.variable(VariableId(2)));
    const std::array values{-1e300, -2.0, -0.5,  -0.0,     0.0,       0.5,
                            1.0,    3.0,  1e300, HUGE_VAL, -HUGE_VAL, std::nan("")};
    for (const double a : values) {
      for (const double b : values) {
        SCOPED_TRACE(std::string(row.name));
        expect_oracle(graph, std::array{root}, std::array{a, b, 7.0}, workspace);
      }
    }
  }
}

TEST(Program, BranchNotTakenIsHarmless) {
  ExprGraph g;
  const NodeId x = g.variable(VariableId(0));
  const NodeId root = g.if_else(g.apply(Op::Less, g.constant(0), x), g.apply(Op::Sqrt, x), g.constant(-1));
  std::vector<double> workspace;
  double result = 0;
  compile(g, std::array{root}, 1).evaluate(std::array{-4.0}, std::span(&result, 1), workspace);
  EXPECT_EQ(result, -1);
}

// Sines and cosines of one argument are computed in pairs: some have a partner, some not, some depend on one
// another.
TEST(Program, PairsSinesWithCosines) {
  ExprGraph g;
  std::vector<NodeId> roots;
  for (int v = 0; v < 9; ++v) {
    const NodeId x = g.variable(VariableId(v));
    if (v % 3 != 0) roots.push_back(g.apply(Op::Sin, x));
    if (v % 3 != 1) roots.push_back(g.apply(Op::Cos, x));
  }
  std::vector<double> workspace;
  Random random(4);
  expect_oracle(g, roots, random_values(random, 9), workspace);
  EXPECT_EQ(compile(g, roots, 9, CodegenChoice::Interpreter).groups(), 3U);
  NodeId nested = roots[0];
  for (int k = 0; k < 10; ++k) {
    nested = g.apply(k % 3 == 0 ? Op::Cos : Op::Sin, nested);
    roots.push_back(nested);
  }
  expect_oracle(g, roots, random_values(random, 9), workspace);
}

// Machine code computes the angles that no call has a part in several at once: fewer than a vector holds, and
// more; angles that are results, and wanted themselves; sines that are wanted twice; values that are alive
// meanwhile; angles beyond the range of the vectors' arithmetic, which must not disturb their neighbours.
TEST(Program, ComputesAnglesInRows) {
  std::vector<double> workspace;
  for (int count = 1; count <= 20; ++count) {
    ExprGraph g;
    std::vector<NodeId> roots;
    NodeId sum = g.constant(1);
    for (int v = 0; v < count; ++v) {
      const NodeId x = g.variable(VariableId(v));
      const NodeId angle = v % 2 == 0 ? x : g.add(g.mul(x, x), g.variable(VariableId(v - 1)));
      const NodeId kept = g.mul(angle, g.constant(3));
      const NodeId sine = g.apply(Op::Sin, angle);
      const NodeId cosine = g.apply(Op::Cos, angle);
      sum = g.add(g.mul(sum, sine), g.mul(kept, cosine));
      roots.insert(roots.end(), {angle, sine, sum, sine, g.apply(Op::Exp, cosine), g.apply(Op::Cos, sum)});
    }
    Random random(static_cast<std::uint64_t>(count));
    std::vector<double> values = random_values(random, count);
    expect_oracle(g, roots, values, workspace);
    for (const double far : {1e7, 1e300, static_cast<double>(INFINITY), static_cast<double>(NAN)}) {
      values[static_cast<std::size_t>(count / 2)] = far;
      expect_oracle(g, roots, values, workspace);
    }
  }
}

TEST(Program, RootsMayBeLeavesConstantsAndRepeated) {
  ExprGraph g;
  const NodeId x = g.variable(VariableId(0));
  const NodeId sum = g.add(x, g.constant(2));
  const std::array roots{x, g.constant(3), sum, sum, x, g.constant(INFINITY)};
  std::vector<double> workspace;
  expect_oracle(g, roots, std::array{5.0}, workspace);
  EXPECT_EQ(compile(g, roots, 1).operations(), 1U);
  EXPECT_EQ(compile(g, roots, 1).roots(), roots.size());
}

TEST(Program, MayBeEmpty) {
  ExprGraph g;
  std::vector<double> workspace;
  Program().evaluate({}, {}, workspace);
  for (const CodegenChoice choice : available_choices()) {
    compile(g, {}, 0, choice).evaluate({}, {}, workspace);
    compile(g, {}, 3, choice).evaluate(std::array{1.0, 2.0, 3.0}, {}, workspace);
  }
}

// A sum of 100,000 products is 100,000 levels deep, but two kinds of operations: two groups a piece.
TEST(Program, DeepSumsMakeFewGroups) {
  ExprGraph g;
  NodeId total = g.variable(VariableId(0));
  for (int k = 1; k <= 100'000; ++k) {
    total = g.add(total, g.mul(g.variable(VariableId(k % 10)), g.constant(k + 0.5)));
  }
  const Program program = compile(g, std::array{total}, 10, CodegenChoice::Interpreter);
  EXPECT_EQ(program.operations(), 200'000U);
  EXPECT_LE(program.groups(), 40U);
  std::vector<double> workspace;
  expect_oracle(g, std::array{total}, std::array{1., 2., 3., 4., 5., 6., 7., 8., 9., 10.}, workspace);
}

// The worst chain, in which every operation depends on the last and no two neighbours are of one kind.
TEST(Program, DeepMixedChainsWork) {
  ExprGraph g;
  NodeId node = g.variable(VariableId(0));
  for (int k = 0; k < 300'000; ++k) {
    const NodeId x = g.variable(VariableId(k % 10));
    node = k % 2 == 0 ? g.add(node, x) : g.apply(Op::Sin, g.mul(node, x));
  }
  std::vector<double> workspace;
  expect_oracle(g, std::array{node}, std::array{1., 2., 3., 4., 5., 6., 7., 8., 9., 10.}, workspace);
}

TEST(Program, SharedNodesAreComputedOnce) {
  ExprGraph g;
  NodeId node = g.add(g.variable(VariableId(0)), g.constant(1e-3));
  for (int k = 0; k < 60; ++k) node = g.mul(node, node);  // 2^60 uses of the sum
  EXPECT_EQ(compile(g, std::array{node}, 1).operations(), 61U);
}

// A workspace carries one program's constants; another program that uses it must not read them, nor the
// first one those of the other when it comes back.
TEST(Program, WorkspacesMayBeShared) {
  ExprGraph g;
  const NodeId x = g.variable(VariableId(0));
  const std::array first{g.mul(x, g.constant(3))};
  const std::array second{g.add(g.mul(x, g.constant(5)), g.constant(7))};
  for (const CodegenChoice choice : available_choices()) {
    const Program a = compile(g, first, 1, choice);
    const Program b = compile(g, second, 1, CodegenChoice::Interpreter);
    const Program copy = a;  // a copy has the same constants and may find them there
    std::vector<double> workspace;
    const auto value = [&](const Program& program) {
      double result = 0;
      program.evaluate(std::array{2.0}, std::span(&result, 1), workspace);
      return result;
    };
    for (int repeat = 0; repeat < 2; ++repeat) {
      EXPECT_EQ(value(a), 6);
      EXPECT_EQ(value(copy), 6);
      EXPECT_EQ(value(b), 17);
    }
    workspace.assign(workspace.size(), 0);
    EXPECT_EQ(value(b), 17);
    workspace.clear();
    EXPECT_EQ(value(b), 17);
    workspace = {};
    EXPECT_EQ(value(a), 6);
  }
}

// More values alive at once than there are registers: 40 products are all made before the first is used, and
// used in both orders, once across a call.
TEST(Program, ManyValuesAreAliveAtOnce) {
  ExprGraph g;
  std::vector<NodeId> products, roots;
  for (int i = 0; i < 40; ++i)
    products.push_back(g.mul(g.variable(VariableId(i)), g.variable(VariableId((7 * i + 3) % 40))));
  NodeId forward = products.front(), backward = products.back();
  for (std::size_t i = 1; i < products.size(); ++i) forward = g.div(forward, products[i]);
  backward = g.sub(backward, g.apply(Op::Exp, forward));
  for (std::size_t i = products.size(); i-- > 0;) backward = g.sub(products[i], backward);
  roots = {backward, forward, products[3]};
  std::vector<double> workspace;
  Random random(5);
  expect_oracle(g, roots, random_values(random, 40), workspace);
}

// The exponents that need no library, and one that does; each also where the result overwrites its argument.
TEST(Program, PowersOfEveryForm) {
  ExprGraph g;
  std::vector<NodeId> roots;
  const NodeId x = g.variable(VariableId(0));
  for (const double exponent :
       {2.0, 3.0, 4.0, 0.5, -1.0, 2.5, -3.0, 5.0, 13.0, 58.0, -41.0, 64.0, 65.0, -65.0}) {
    roots.push_back(g.pow(x, g.constant(exponent)));
    roots.push_back(g.pow(g.add(x, g.variable(VariableId(1))), g.constant(exponent)));
  }
  roots.push_back(g.pow(x, g.variable(VariableId(1))));
  std::vector<double> workspace;
  for (const double a : {-2.0, -0.0, 0.0, 1.7, HUGE_VAL, std::nan("")})
    expect_oracle(g, roots, std::array{a, 3.0}, workspace);
}

// The 57 powers from 2 to 58, as a formula of water and steam has them: 5 squares, and one more product for
// each power but x^2, x^4, ..., x^32 and the two that have a form of their own (x^3, x^4).
TEST(Program, PowersOfOneBaseShareTheirProducts) {
  ExprGraph g;
  const NodeId x = g.variable(VariableId(0));
  std::vector<NodeId> roots;
  for (int exponent = 5; exponent <= 58; ++exponent) roots.push_back(g.pow(x, g.constant(exponent)));
  const Program program = compile(g, roots, 1, CodegenChoice::Interpreter);
  constexpr std::size_t squares = 5;
  constexpr std::size_t others = 54 - 3;  // of 5 ... 58, less x^8, x^16, x^32
  constexpr std::size_t third = 1;        // x^3, the beginning of x^7, x^11, ...
  EXPECT_EQ(program.operations(), squares + others + third);
}

TEST(Program, DoesNotAllocateAfterTheFirstCall) {
  Random random(9);
  ExprGraph graph;
  const std::vector<NodeId> nodes =
      test::build(graph, test::draw(random, {.variables = 6, .operations = 500}));
  const std::vector<double> environment = random_values(random, 6);
  for (const CodegenChoice choice : available_choices()) {
    const Program program = compile(graph, nodes, 6, choice);
    std::vector<double> results(nodes.size());
    std::vector<double> workspace;
    const std::size_t before = test::allocations();
    program.evaluate(environment, results, workspace);
    EXPECT_EQ(test::allocations(), before + 1);  // the workspace; so the counter counts
    for (int k = 0; k < 100; ++k) program.evaluate(environment, results, workspace);
    EXPECT_EQ(test::allocations(), before + 1);
  }
}

}  // namespace
}  // namespace daedalus
