// Codegen from several threads at once. ThreadSanitizer looks at these tests (`make tsan`).
#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <functional>
#include <thread>
#include <vector>

#include "codegen/back_ends.hpp"
#include "codegen/jacobian.hpp"
#include "codegen/models.hpp"
#include "codegen/program.hpp"
#include "codegen/series.hpp"

namespace daedalus {
namespace {

using test::Random;

constexpr int threads = 8;

// Runs work(thread) on all threads, which begin together.
void on_all_threads(const std::function<void(int)>& work) {
  std::atomic<int> waiting = threads;
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t) {
    all.emplace_back([&, t] {
      --waiting;
      while (waiting > 0) std::this_thread::yield();
      work(t);
    });
  }
  for (std::thread& thread : all) thread.join();
}

bool same(std::span<const double> a, std::span<const double> b) {
  return std::ranges::equal(a, b, [](double x, double y) {
    return (std::isnan(x) && std::isnan(y)) ||
           std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  });
}

// n links that ask for the same of themselves and of the next one.
std::vector<NodeId> equal_links(ExprGraph& g, int n) {
  std::vector<NodeId> roots;
  for (int i = 0; i < n; ++i) {
    const auto v = [&](int k) { return g.variable(VariableId(3 * i + k)); };
    const NodeId next = g.variable(VariableId(3 * std::min(i + 1, n - 1)));
    const NodeId end = g.add(v(0), g.mul(g.constant(0.4), g.apply(Op::Cos, v(1))));
    NodeId force = g.sub(g.mul(end, end), next);
    for (int k = 0; k < 8; ++k) force = g.add(g.mul(force, v(k % 3)), g.div(next, g.add(end, v(2))));
    roots.push_back(force);
    roots.push_back(g.add(g.mul(g.apply(Op::Sin, v(1)), v(2)), g.mul(g.sub(next, v(2)), force)));
  }
  return roots;
}

// A system in a graph of its own, three variables a link, with values that depend on the seed.
struct Model {
  Model(int n, std::uint64_t seed, std::vector<NodeId> (*links)(ExprGraph&, int) = test::chain)
      : environment(static_cast<std::size_t>(3 * n)), roots(links(graph, n)) {
    Random random(seed);
    for (double& value : environment) value = random.between(-2, 2);
  }
  [[nodiscard]] Program compile(const CodegenOptions& options) const {
    return Program::compile(
        graph, roots, static_cast<int>(environment.size()),
        [this](NodeId leaf) { return graph.variable_of(leaf).value; }, options);
  }
  [[nodiscard]] static std::vector<double> results(const Program& program,
                                                   std::span<const double> environment) {
    std::vector<double> values(program.results()), workspace;
    program.evaluate(environment, values, workspace);
    return values;
  }

  ExprGraph graph;
  std::vector<double> environment;
  std::vector<NodeId> roots;
};

TEST(Threads, CompileRunAndReleaseDifferentGraphs) {
  std::atomic<int> wrong = 0;
  on_all_threads([&](int t) {
    for (int repeat = 0; repeat < 12; ++repeat) {
      const Model model(3 + 40 * (repeat % 3), static_cast<std::uint64_t>(100 * t + repeat));
      for (const CodegenChoice choice : test::available_choices()) {
        const Program program = model.compile({.choice = choice, .often = repeat % 2 == 0});
        const std::vector<double> expected =
            test::oracle(choice, model.graph, model.roots, model.environment);
        if (!same(Model::results(program, model.environment), expected)) ++wrong;
      }
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST(Threads, DifferentiateDifferentGraphs) {
  const auto jacobian_of = [](Model& model) {
    const auto slot = [&](NodeId leaf) { return model.graph.variable_of(leaf).value; };
    const auto slots = static_cast<int>(model.environment.size());
    const auto jacobian = SparseJacobianProgram::compile(model.graph, model.roots, slots, slot, slots, slot);
    SeriesProgram series(model.graph, model.roots, slots, slot, [](int) { return true; });
    std::vector<double> values(jacobian.row.size()), workspace;
    jacobian.evaluate(model.environment, values, workspace);
    series.reserve(3);
    series.start(model.environment);
    for (int k = 1; k <= 3; ++k) series.advance(k);
    for (std::size_t r = 0; r < series.roots(); ++r)
      values.insert(values.end(), series.root(r), series.root(r) + 4);
    return values;
  };
  std::vector<std::vector<double>> expected;
  for (int t = 0; t < threads; ++t) {
    Model model(20 + t, static_cast<std::uint64_t>(t));
    expected.push_back(jacobian_of(model));
  }
  std::atomic<int> wrong = 0;
  on_all_threads([&](int t) {
    for (int repeat = 0; repeat < 5; ++repeat) {
      Model model(20 + t, static_cast<std::uint64_t>(t));
      if (!same(jacobian_of(model), expected[static_cast<std::size_t>(t)])) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0);
}

// By every back end, in one piece and (with other options) in tiles, or in parts that ask for more threads;
// each thread has its own values.
TEST(Threads, ShareOneProgram) {
  const Model model(25'000, 5, equal_links);
  for (const CodegenChoice choice : test::available_choices()) {
    const Program plain = model.compile({.choice = choice, .threads = 1});
    const Program divided = model.compile({.choice = choice, .threads = 3, .often = true});
    EXPECT_TRUE(choice == CodegenChoice::Interpreter || divided.groups() > plain.groups())
        << plain.back_end() << ": " << plain.groups();
    for (const Program& program : {plain, divided}) {
      std::vector<std::vector<double>> environments, expected;
      for (int t = 0; t < threads; ++t) {
        environments.push_back(model.environment);
        for (double& value : environments.back()) value += 0.125 * t;
        expected.push_back(Model::results(program, environments.back()));
      }
      std::atomic<int> wrong = 0;
      on_all_threads([&](int t) {
        const auto own = static_cast<std::size_t>(t);
        const Program copy = program;  // and its release
        for (const Program* shared : {&program, &copy}) {
          if (!same(Model::results(*shared, environments[own]), expected[own])) ++wrong;
        }
      });
      EXPECT_EQ(wrong, 0) << program.back_end() << " of " << program.groups() << " groups";
    }
  }
}

}  // namespace
}  // namespace daedalus
