// Nanoseconds an operation of the interpreter, and the cost of building graphs, derivatives and programs.
//
//   rods    a chain of n pin-jointed planar rods in maximal coordinates: 8 residuals, 2 of sin and cos a rod
//   random  random operations that the processor does itself, arguments among the last 1000
//   sum     one sum of n products: deep, but of two kinds
//   mixed   a chain in which no two neighbours are of one kind: the worst case for grouping
#include <benchmark/benchmark.h>

#include <cmath>
#include <random>
#include <vector>

#include "codegen/jacobian.hpp"
#include "codegen/program.hpp"
#include "expr/derivative.hpp"
#include "expr/graph.hpp"

namespace daedalus {
namespace {

struct System {
  ExprGraph graph;
  std::vector<NodeId> residuals;
  int variables = 0;

  // x_v^(order) stands in slot 2 v + order.
  [[nodiscard]] int slots() const { return 2 * variables; }
  [[nodiscard]] int slot(NodeId leaf) const {
    return 2 * graph.variable_of(leaf).value + graph.order_of(leaf);
  }
};

struct End {
  NodeId x, y;
};

// Rod i has x, y, phi, vx, vy, w and the force (fx, fy) on its upper end: variables 8 i … 8 i + 7.
System rods(int n) {
  System s;
  s.variables = 8 * (n + 1);
  ExprGraph& g = s.graph;
  const NodeId half = g.constant(0.5), mass = g.constant(1.3), inertia = g.constant(0.11),
               weight = g.constant(12.753);
  const auto v = [&](int rod, int k, int order = 0) { return g.variable(VariableId(8 * rod + k), order); };
  End above{g.constant(0), g.constant(0)};  // where the last rod ends
  for (int i = 0; i < n; ++i) {
    const NodeId dx = g.mul(half, g.apply(Op::Cos, v(i, 2))), dy = g.mul(half, g.apply(Op::Sin, v(i, 2)));
    for (int k = 0; k < 3; ++k) s.residuals.push_back(g.sub(v(i, k, 1), v(i, 3 + k)));
    const NodeId fx = g.sub(v(i, 6), v(i + 1, 6)), fy = g.sub(v(i, 7), v(i + 1, 7));
    const NodeId sx = g.add(v(i, 6), v(i + 1, 6)), sy = g.add(v(i, 7), v(i + 1, 7));
    s.residuals.push_back(g.sub(g.mul(mass, v(i, 3, 1)), fx));
    s.residuals.push_back(g.sub(g.mul(mass, v(i, 4, 1)), g.sub(fy, weight)));
    s.residuals.push_back(g.sub(g.mul(inertia, v(i, 5, 1)), g.sub(g.mul(dy, sx), g.mul(dx, sy))));
    s.residuals.push_back(g.sub(g.sub(v(i, 0), dx), above.x));
    s.residuals.push_back(g.sub(g.sub(v(i, 1), dy), above.y));
    above = {g.add(v(i, 0), dx), g.add(v(i, 1), dy)};
  }
  return s;
}

System random(int n) {
  System s;
  s.variables = 1000;
  std::mt19937_64 engine(1);
  std::vector<NodeId> nodes;
  for (int v = 0; v < s.variables; ++v) nodes.push_back(s.graph.variable(VariableId(v)));
  const std::array ops{Op::Add, Op::Sub, Op::Mul, Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Less, Op::Max};
  const auto pick = [&] { return nodes[nodes.size() - 1 - engine() % 1000]; };
  while (nodes.size() < static_cast<std::size_t>(n))
    nodes.push_back(s.graph.apply(ops[engine() % ops.size()], pick(), pick()));
  s.residuals.assign(nodes.end() - 1000, nodes.end());
  return s;
}

System sum(int n) {
  System s;
  s.variables = 1000;
  NodeId total = s.graph.constant(0);
  for (int k = 0; k < n / 2; ++k) {
    const NodeId x = s.graph.variable(VariableId(k % 1000));
    total = s.graph.add(total, s.graph.mul(s.graph.constant(k + 0.5), x));
  }
  s.residuals.push_back(total);
  return s;
}

System mixed(int n) {
  System s;
  s.variables = 100;
  NodeId node = s.graph.variable(VariableId(0));
  const std::array ops{Op::Add, Op::Mul, Op::Sub, Op::Max, Op::Div, Op::Min};
  std::mt19937_64 engine(1);
  std::size_t last = 0;
  for (int k = 0; k < n; ++k) {
    last = (last + 1 + engine() % (ops.size() - 1)) % ops.size();
    node = s.graph.apply(ops[last], node, s.graph.variable(VariableId(static_cast<int>(engine() % 100))));
  }
  s.residuals.push_back(node);
  return s;
}

Program compile(const System& s) {
  return Program::compile(s.graph, s.residuals, s.slots(), [&](NodeId leaf) { return s.slot(leaf); });
}

std::vector<double> environment_of(const System& s) {
  std::vector<double> environment(static_cast<std::size_t>(s.slots()));
  for (std::size_t k = 0; k < environment.size(); ++k)
    environment[k] = 0.3 + 0.001 * static_cast<double>(k % 997);
  return environment;
}

// Time for one of `count` things, as a counter.
void per(benchmark::State& state, const char* name, double count) {
  state.counters[name] =
      benchmark::Counter(count, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void report(benchmark::State& state, const Program& program) {
  const auto operations = static_cast<double>(program.operations());
  state.counters["ops"] = operations;
  state.counters["groups"] = static_cast<double>(program.groups());
  per(state, "per_op", operations);
}

template <auto make>
void evaluate(benchmark::State& state) {
  const System s = make(static_cast<int>(state.range(0)));
  const Program program = compile(s);
  const std::vector<double> environment = environment_of(s);
  std::vector<double> results(s.residuals.size());
  std::vector<double> workspace;
  for (auto _ : state) {
    program.evaluate(environment, results, workspace);
    benchmark::DoNotOptimize(results.data());
  }
  report(state, program);
}
BENCHMARK(evaluate<rods>)->Name("evaluate/rods")->RangeMultiplier(10)->Range(1, 100'000);
BENCHMARK(evaluate<random>)->Name("evaluate/random")->RangeMultiplier(10)->Range(10'000, 1'000'000);
BENCHMARK(evaluate<sum>)->Name("evaluate/sum")->RangeMultiplier(10)->Range(1000, 1'000'000);
BENCHMARK(evaluate<mixed>)->Name("evaluate/mixed")->RangeMultiplier(10)->Range(100, 100'000);

SparseJacobianProgram jacobian_of(System& s) {
  const auto slot = [&](NodeId leaf) { return s.slot(leaf); };
  return SparseJacobianProgram::compile(s.graph, s.residuals, s.slots(), slot, s.slots(), slot);
}

void evaluate_jacobian(benchmark::State& state) {
  System s = rods(static_cast<int>(state.range(0)));
  const SparseJacobianProgram jacobian = jacobian_of(s);
  const std::vector<double> environment = environment_of(s);
  std::vector<double> values(jacobian.row.size());
  std::vector<double> workspace;
  for (auto _ : state) {
    jacobian.evaluate(environment, values, workspace);
    benchmark::DoNotOptimize(values.data());
  }
  state.counters["nonzeros"] = static_cast<double>(values.size());
  report(state, jacobian.program());
}
BENCHMARK(evaluate_jacobian)->Name("evaluate_jacobian/rods")->RangeMultiplier(10)->Range(1, 100'000);

// Building, a million equations and more.
void build_graph(benchmark::State& state) {
  double nodes = 0;
  for (auto _ : state) nodes = static_cast<double>(rods(static_cast<int>(state.range(0))).graph.size());
  per(state, "per_node", nodes);
}
BENCHMARK(build_graph)->Arg(1000)->Arg(125'000)->Unit(benchmark::kMillisecond);

void build_program(benchmark::State& state) {
  const System s = rods(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(compile(s).operations());
  per(state, "per_node", static_cast<double>(s.graph.size()));
}
BENCHMARK(build_program)->Arg(1000)->Arg(125'000)->Unit(benchmark::kMillisecond);

void build_jacobian(benchmark::State& state) {
  const System original = rods(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    state.PauseTiming();
    System s = original;
    state.ResumeTiming();
    benchmark::DoNotOptimize(jacobian_of(s).row.size());
  }
  per(state, "per_equation", static_cast<double>(original.residuals.size()));
}
BENCHMARK(build_jacobian)->Arg(1000)->Arg(125'000)->Unit(benchmark::kMillisecond);

void build_time_derivative(benchmark::State& state) {
  const System original = rods(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    state.PauseTiming();
    System s = original;
    state.ResumeTiming();
    TimeDerivative derivative(s.graph);
    for (const NodeId residual : s.residuals) benchmark::DoNotOptimize(derivative(residual));
  }
  per(state, "per_equation", static_cast<double>(original.residuals.size()));
}
BENCHMARK(build_time_derivative)->Arg(1000)->Arg(125'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace daedalus

BENCHMARK_MAIN();
