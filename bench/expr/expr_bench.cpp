// Nanoseconds an operation of the interpreter, and the cost of building graphs, derivatives and programs.
// The systems are described in bench/systems.hpp.
#include <benchmark/benchmark.h>

#include <vector>

#include "codegen/jacobian.hpp"
#include "codegen/program.hpp"
#include "expr/derivative.hpp"
#include "expr/graph.hpp"
#include "systems.hpp"

namespace daedalus {
namespace {

using bench::environment_of;
using bench::mixed;
using bench::random;
using bench::rods;
using bench::sum;
using bench::System;

Program compile(const System& s) {
  return Program::compile(s.graph, s.residuals, s.slots(), [&](NodeId leaf) { return s.slot(leaf); },
                          {.choice = CodegenChoice::Interpreter});
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
  return SparseJacobianProgram::compile(s.graph, s.residuals, s.slots(), slot, s.slots(), slot,
                                        {.choice = CodegenChoice::Interpreter});
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
