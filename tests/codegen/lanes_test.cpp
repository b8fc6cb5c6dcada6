// Programs for several environments at once, against the oracle in each of them.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "back_ends.hpp"
#include "codegen/native.hpp"
#include "codegen/program.hpp"

namespace daedalus {
namespace {

int slot_of(const ExprGraph& g, NodeId leaf) {
  return g.variable_of(leaf).value;
}

ProgramSetting setting_of(const ExprGraph& g, int slots) {
  return {.slots = slots, .slot_of = [&g](NodeId leaf) { return slot_of(g, leaf); }, .codegen = {}};
}

// Sines, cosines, exponentials and logarithms are those of the vector loops, everything else is that of the
// operations' table, to the last bit. (The kernels' oracle says so.)
void expect_as_oracle(const ExprGraph& g, std::span<const NodeId> roots, int slots, double low, double high) {
  const auto program = Program::compile_lanes(g, roots, setting_of(g, slots));
  ASSERT_EQ(program.has_value(), native_available());
  if (!program) return;
  const auto count = static_cast<std::size_t>(slots);
  EXPECT_EQ(program->results(), lane_count * roots.size());
  std::mt19937 random(7);
  std::uniform_real_distribution<double> value(low, high);
  std::vector<double> workspace;
  std::vector<double> environments(lane_count * count);
  std::vector<double> results(lane_count * roots.size());
  for (int repetition = 0; repetition < 3; ++repetition) {
    for (double& x : environments) x = value(random);
    program->evaluate(environments, results, workspace);
    for (std::size_t l = 0; l < lane_count; ++l) {
      std::vector<double> one(count);
      for (std::size_t k = 0; k < count; ++k) one[k] = environments[(lane_count * k) + l];
      const std::vector<double> expected = test::oracle(CodegenChoice::Kernels, g, roots, one);
      for (std::size_t r = 0; r < roots.size(); ++r) {
        const double got = results[(lane_count * r) + l];
        if (std::isnan(expected[r])) {
          EXPECT_TRUE(std::isnan(got)) << "root " << r;
        } else {
          EXPECT_EQ(std::bit_cast<std::uint64_t>(got), std::bit_cast<std::uint64_t>(expected[r]))
              << "root " << r << ", lane " << l << ": " << got << " and " << expected[r];
        }
      }
    }
  }
}

TEST(Lanes, EveryOperationIsThatOfTheOracle) {
  for (const OpInfo& row : all_ops()) {
    if (row.arity == 0) continue;
    ExprGraph g;
    std::array<NodeId, 3> x{g.variable(VariableId(0)), g.variable(VariableId(1)), g.variable(VariableId(2))};
    const std::array roots{row.arity == 1   ? g.apply(row.op, x[0])
                           : row.arity == 2 ? g.apply(row.op, x[0], x[1])
                                            : g.apply(row.op, x[0], x[1], x[2])};
    SCOPED_TRACE(row.name);
    expect_as_oracle(g, roots, 3, -2, 2);
    expect_as_oracle(g, roots, 3, 0, 2);
  }
}

TEST(Lanes, PowersWithConstantExponents) {
  ExprGraph g;
  const NodeId x = g.variable(VariableId(0));
  std::vector<NodeId> roots;
  for (const double exponent : {2.0, 3.0, 4.0, 0.5, -1.0, 1.5, 7.0})
    roots.push_back(g.apply(Op::Pow, x, g.constant(exponent)));
  expect_as_oracle(g, roots, 1, 0.1, 3);
}

// More values than there are registers, calls in between, sines with their cosines, and constants as roots.
TEST(Lanes, LongProgramsPutValuesAway) {
  ExprGraph g;
  std::mt19937 random(3);
  std::vector<NodeId> nodes;
  constexpr int leaves = 12;
  for (int i = 0; i < leaves; ++i) nodes.push_back(g.variable(VariableId(i)));
  const auto any = [&] { return nodes[random() % nodes.size()]; };
  for (int k = 0; k < 300; ++k) {
    switch (random() % 6) {
      case 0:
        nodes.push_back(g.add(any(), any()));
        break;
      case 1:
        nodes.push_back(g.mul(g.constant(0.3), g.sub(any(), any())));
        break;
      case 2: {
        const NodeId angle = any();
        nodes.push_back(g.apply(Op::Sin, angle));
        nodes.push_back(g.apply(Op::Cos, angle));
        break;
      }
      case 3:
        nodes.push_back(g.apply(Op::Max, any(), any()));
        break;
      case 4:
        nodes.push_back(g.apply(Op::Tanh, any()));
        break;
      default:
        nodes.push_back(g.apply(Op::If, g.apply(Op::Less, any(), any()), any(), any()));
    }
  }
  std::vector<NodeId> roots(nodes.begin() + leaves, nodes.end());
  roots.push_back(g.constant(4.5));
  roots.push_back(nodes.front());
  roots.push_back(nodes.back());
  expect_as_oracle(g, roots, leaves, -1, 1);
}

TEST(Lanes, ResultsGoWhereTheyAreWantedInTheEnvironmentsToo) {
  if (!native_available()) return;
  ExprGraph g;
  const NodeId x = g.variable(VariableId(0));
  const std::array roots{g.mul(x, x), g.add(x, g.constant(1))};
  const std::array destinations{3, 1};
  const auto program = Program::compile_lanes(g, roots, setting_of(g, 4), destinations);
  ASSERT_TRUE(program.has_value());
  std::vector<double> all(4 * lane_count, -1);
  for (std::size_t l = 0; l < lane_count; ++l) all[l] = static_cast<double>(l) + 2;
  std::vector<double> workspace;
  program->evaluate(all, all, workspace);
  for (std::size_t l = 0; l < lane_count; ++l) {
    const double value = static_cast<double>(l) + 2;
    EXPECT_EQ(all[l], value);
    EXPECT_EQ(all[lane_count + l], value + 1);
    EXPECT_EQ(all[(2 * lane_count) + l], -1);
    EXPECT_EQ(all[(3 * lane_count) + l], value * value);
  }
}

}  // namespace
}  // namespace daedalus
