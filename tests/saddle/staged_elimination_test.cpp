#include "saddle/staged_elimination.hpp"

#include <gtest/gtest.h>

#include "codegen/native.hpp"
#include "dense_saddle.hpp"

namespace daedalus::testing {
namespace {

// A band of bodies, each held to the next: many entries of one shape, so that the program comes in tiles.
struct Band {
  explicit Band(int bodies) : size(2 * bodies) {
    pattern.size = size;
    pattern.column_start.push_back(0);
    const auto leaf = [&](int i) { return graph.variable(VariableId(i)); };
    for (int c = 0; c < size; ++c) {
      for (int r = std::max(0, c - 2); r < std::min(size, c + 3); ++r) {
        pattern.row.push_back(r);
        const int low = std::min(r, c);
        const NodeId angle = leaf(low);
        const NodeId x = graph.mul(graph.apply(Op::Sin, angle), leaf(std::max(r, c)));
        NodeId value =
            graph.add(graph.mul(x, graph.constant(0.1)), graph.mul(angle, graph.apply(Op::Cos, x)));
        if (r == c) value = graph.add(graph.constant(9), value);
        entries.push_back(value);
      }
      pattern.column_start.push_back(static_cast<int>(pattern.row.size()));
    }
    for (int i = 0; i < size; ++i) environment.push_back(std::sin(0.37 * i));
  }
  [[nodiscard]] double value(std::size_t entry) const {
    return evaluate(graph, entries[entry],
                    [&](NodeId leaf) { return environment[graph.variable_of(leaf).at()]; });
  }
  // Of each pair the entry that is read, and its place; in the order of elimination, which is that of the
  // columns.
  void list(const StaticLdl& ldl) {
    for (std::size_t k = 0; k < entries.size(); ++k) {
      if (ldl.place(static_cast<int>(k)) < 0) continue;
      roots.push_back(entries[k]);
      destinations.push_back(ldl.place(static_cast<int>(k)));
    }
    for (int i = 0; i < size; ++i) {
      roots.push_back(graph.mul(graph.constant(2), graph.variable(VariableId(i))));
      destinations.push_back(ldl.rhs_place(i));
    }
  }
  [[nodiscard]] Program compile(const CodegenOptions& options) const {
    return Program::compile(
        graph, roots, size, [this](NodeId leaf) { return graph.variable_of(leaf).value; }, options,
        destinations);
  }

  int size;
  ExprGraph graph;
  SparsePattern pattern;
  std::vector<NodeId> entries, roots;
  std::vector<int> destinations;
  std::vector<double> environment;
};

std::vector<double> solution_of(StaticLdl& ldl) {
  EXPECT_TRUE(ldl.regular());
  ldl.finish();
  return {ldl.rhs().begin(), ldl.rhs().end()};
}

// A z of the whole matrix, entry by entry.
std::vector<double> times(const Band& band, const std::vector<double>& z) {
  std::vector<double> product(z.size(), 0.0);
  for (std::size_t c = 0; c < z.size(); ++c) {
    for (int p = band.pattern.column_start[c]; p < band.pattern.column_start[c + 1]; ++p) {
      const auto entry = static_cast<std::size_t>(p);
      product[static_cast<std::size_t>(band.pattern.row[entry])] += band.value(entry) * z[c];
    }
  }
  return product;
}

class Staged : public ::testing::TestWithParam<int> {};

// Evaluated and eliminated stage by stage, or all at once: the same bits, and A z = b, at each of two points.
TEST_P(Staged, StagesGiveTheSolutionOfTheWholeToTheBit) {
  Band band(GetParam());
  std::vector<int> order;
  for (int i = 0; i < band.size; ++i) order.push_back(i);
  StaticLdl at_once(band.pattern, order);
  band.list(at_once);
  StaticLdl in_stages = at_once;
  const Program program = band.compile({.choice = CodegenChoice::Native, .threads = 1, .often = true});
  // Where there is machine code, a long band does come in several parts.
  if (native_available() && GetParam() >= 4000) {
    EXPECT_GT(program.parts(), 1U);
  }
  StagedElimination staged;
  staged.plan(in_stages, program, band.destinations);
  std::vector<double> workspace;
  for (const double factor : {1.0, -0.5}) {
    for (double& value : band.environment) value *= factor;
    at_once.reset();
    program.evaluate(band.environment, at_once.values(), workspace);
    at_once.eliminate();
    staged.run(in_stages, program, band.environment, workspace);
    const std::vector<double> found = solution_of(in_stages);
    EXPECT_EQ(found, solution_of(at_once));
    const std::vector<double> product = times(band, found);
    for (std::size_t i = 0; i < product.size(); ++i)
      ASSERT_NEAR(product[i], 2 * band.environment[i], 1e-13) << i;  // dominant diagonal, values of order one
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Staged, ::testing::Values(3, 20, 400, 8000));

}  // namespace
}  // namespace daedalus::testing
