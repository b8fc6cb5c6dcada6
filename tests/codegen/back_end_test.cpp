#include "codegen/back_end.hpp"

#include <gtest/gtest.h>

#include <set>

#include "codegen/jacobian.hpp"
#include "codegen/program.hpp"

namespace daedalus {
namespace {

Program compile(const ExprGraph& g, std::span<const NodeId> roots, int slots, CodegenChoice choice) {
  return Program::compile(g, roots, slots, [&](NodeId leaf) { return g.variable_of(leaf).value; },
                          {.choice = choice});
}

TEST(BackEnd, NamesAreReadAndWritten) {
  EXPECT_EQ(codegen_choice("auto"), CodegenChoice::Auto);
  EXPECT_EQ(to_text(CodegenChoice::Auto), "auto");
  for (const BackEnd& row : all_back_ends()) {
    EXPECT_EQ(to_text(row.choice), row.name);
    const Result<CodegenChoice> read = codegen_choice(row.name);
    ASSERT_EQ(read.has_value(), row.available());
    if (read) {
      EXPECT_EQ(*read, row.choice);
    } else {
      EXPECT_NE(read.error().front().message.find(row.name), std::string::npos);
    }
  }
}

TEST(BackEnd, UnknownNameListsTheKnown) {
  const Result<CodegenChoice> read = codegen_choice("llvm");
  ASSERT_FALSE(read.has_value());
  for (const BackEnd& row : all_back_ends())
    EXPECT_NE(read.error().front().message.find(row.name), std::string::npos);
  EXPECT_NE(read.error().front().message.find("auto"), std::string::npos);
}

TEST(BackEnd, ProgramsAndJacobiansSayWhichServesThem) {
  ExprGraph g;
  const NodeId x = g.variable(VariableId(0));
  const std::array roots{g.mul(x, g.apply(Op::Sin, x))};
  const auto slot = [&](NodeId leaf) { return g.variable_of(leaf).value; };
  for (const BackEnd& row : all_back_ends()) {
    const std::string_view serves = row.available() ? row.name : "interpreter";
    EXPECT_EQ(compile(g, roots, 1, row.choice).back_end(), serves);
    const auto jacobian = SparseJacobianProgram::compile(g, roots, 1, slot, 1, slot, {.choice = row.choice});
    EXPECT_EQ(jacobian.program().back_end(), serves);
  }
  EXPECT_EQ(compile(g, roots, 1, CodegenChoice::Auto).back_end(),
            back_end(CodegenChoice::Native).available() ? "native" : "interpreter");
}

// Results, leaves and constants, one of them wanted twice, in an order of their own; and in the environment
// itself, where it is not read. What nobody wants stays as it was.
TEST(BackEnd, RootsGoWhereTheyAreWanted) {
  ExprGraph g;
  constexpr int n = 40;  // so many that the kernels have rows of them
  std::vector<NodeId> roots;
  std::vector<int> destinations;
  std::vector<double> expected(3 * n + 4, -1.0);
  std::vector<double> environment(n + 3 * n + 4, -1.0);
  for (int i = 0; i < n; ++i) {
    const NodeId x = g.variable(VariableId(i));
    environment[static_cast<std::size_t>(i)] = 0.5 + i;
    const NodeId value = g.mul(g.add(x, g.constant(1)), x);
    roots.push_back(value);
    destinations.push_back(3 * (n - 1 - i));
    expected[static_cast<std::size_t>(3 * (n - 1 - i))] = (0.5 + i + 1) * (0.5 + i);
    if (i == 3) {
      for (const auto& [root, place] :
           {std::pair(value, 3 * n + 1), std::pair(x, 1), std::pair(g.constant(7), 2)}) {
        roots.push_back(root);
        destinations.push_back(place);
      }
      expected[3 * n + 1] = 4.5 * 3.5;
      expected[1] = 3.5;
      expected[2] = 7;
    }
  }
  std::vector<int> in_environment;
  for (const int place : destinations) in_environment.push_back(n + place);
  const auto slot = [&](NodeId leaf) { return g.variable_of(leaf).value; };
  std::vector<double> workspace;
  for (const BackEnd& row : all_back_ends()) {
    const auto program = Program::compile(g, roots, n, slot, {.choice = row.choice}, destinations);
    std::vector<double> results(expected.size(), -1.0);
    EXPECT_LE(program.results(), results.size());
    program.evaluate(environment, results, workspace);
    EXPECT_EQ(results, expected) << row.name;
    const auto inside = Program::compile(g, roots, n, slot, {.choice = row.choice}, in_environment);
    std::vector<double> all = environment;
    inside.evaluate(all, all, workspace);
    EXPECT_EQ(std::vector<double>(all.begin() + n, all.end()), expected) << row.name;
  }
}

// A copy of a workspace lies elsewhere in the lines of the cache, so the constants in it are not where they
// are looked for; and what an earlier owner left there is not to be taken for them.
TEST(BackEnd, WorkspacesMayBeCopied) {
  ExprGraph g;
  const NodeId x = g.variable(VariableId(0));
  std::vector<NodeId> roots;
  for (int k = 0; k < 12; ++k) roots.push_back(g.add(g.mul(g.constant(k + 0.1), x), g.constant(k + 0.7)));
  for (const BackEnd& row : all_back_ends()) {
    const Program program = compile(g, roots, 1, row.choice);
    std::vector<double> results(roots.size());
    std::vector<double> workspace;
    std::vector<std::vector<double>> kept;  // so that every copy lies elsewhere
    std::set<std::uintptr_t> offsets;
    for (std::size_t k = 0; k < 200; ++k) {
      program.evaluate(std::array{3.0}, results, workspace);
      for (std::size_t r = 0; r < results.size(); ++r) {
        const auto number = static_cast<double>(r);
        ASSERT_DOUBLE_EQ(results[r], ((number + 0.1) * 3) + (number + 0.7)) << row.name;
      }
      offsets.insert(reinterpret_cast<std::uintptr_t>(workspace.data()) % 64);
      kept.emplace_back(1 + (5 * k % 7));
      kept.push_back(workspace);
      workspace = std::vector<double>(kept.back());
    }
#ifndef __SANITIZE_ADDRESS__  // whose allocator puts blocks of a size at the same offset
    EXPECT_GT(offsets.size(), 1U) << row.name;
#endif
  }
}

// Code is released with the last program that uses it, not before.
TEST(BackEnd, ProgramsOutliveTheirOriginals) {
  ExprGraph g;
  const NodeId x = g.variable(VariableId(0));
  const std::array roots{g.add(g.mul(x, x), g.constant(1))};
  for (const BackEnd& row : all_back_ends()) {
    Program copy;
    {
      const Program original = compile(g, roots, 1, row.choice);
      copy = original;
    }
    for (int k = 0; k < 100; ++k) compile(g, roots, 1, row.choice);  // code that may take its place
    std::vector<double> workspace;
    double result = 0;
    copy.evaluate(std::array{3.0}, std::span(&result, 1), workspace);
    EXPECT_EQ(result, 10);
  }
}

}  // namespace
}  // namespace daedalus
