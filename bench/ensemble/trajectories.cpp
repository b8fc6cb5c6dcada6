// The same runs by one engine after the other and as an ensemble: time of each, how far their results are
// apart, and how far from the solution.
//
//     bench_trajectories BACKEND MODEL RUNS RTOL SPREAD INTEGRATOR OUTPUT PARAMETER...
//
// BACKEND is lanes or cuda, or source, which prints what a GPU would be given. OUTPUT a signal or "all". The
// parameters go from 1 - SPREAD to 1 + SPREAD times their values. Lanes and engine are measured in processor
// time of one thread, a GPU by the clock.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <span>

#include "ensemble/cuda_source.hpp"
#include "ensemble/ensemble.hpp"
#include "model/load.hpp"

namespace {

using namespace daedalus;

// So many are run by the engine, too, and compared.
constexpr std::size_t compared = 1000;

double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

double clock_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void report(const char* what, double seconds, std::size_t runs) {
  fmt::print("{:10} {:9.3f} s  {:8.3f} us each  {:10.0f} a second\n", what, seconds,
             1e6 * seconds / static_cast<double>(runs), static_cast<double>(runs) / seconds);
}

struct Bench {
  std::shared_ptr<const Engine> engine;
  std::vector<std::string> names, outputs;
  std::vector<std::vector<double>> columns;

  [[nodiscard]] EnsembleInputs inputs(std::size_t count) const {
    EnsembleInputs given{.names = names, .columns = {}, .runs = count};
    for (const auto& column : columns) given.columns.emplace_back(std::span(column).first(count));
    return given;
  }
  [[nodiscard]] EnsembleResult run(const EnsembleOptions& options, std::size_t count) const {
    const auto ensemble = Ensemble::make(engine, options);
    const auto result = ensemble ? (*ensemble)->run(inputs(count)) : std::unexpected(ensemble.error());
    if (result) return *result;
    fmt::print("{}\n", result.error().front().message);
    std::exit(1);
  }
};

EnsembleResult measure(const Bench& bench, const std::string& backend, std::size_t runs) {
  EnsembleOptions options{.outputs = bench.outputs, .backend = backend, .threads = 1};
  if (backend != "cuda") {
    const double begin = processor_seconds();
    EnsembleResult result = bench.run(options, runs);
    report("ensemble", processor_seconds() - begin, runs);
    return result;
  }
  options.threads = 0;
  fmt::print("compiled in {:.2f} s\n", bench.run(options, runs).compile_seconds);
  const double begin = clock_seconds();
  EnsembleResult result = bench.run(options, runs);
  report("all", clock_seconds() - begin, runs);
  report("kernel", result.device_seconds, runs);
  return result;
}

void compare(const Bench& bench, const EnsembleResult& together, std::size_t few) {
  const EnsembleResult alone = bench.run({.outputs = bench.outputs, .backend = "scalar"}, few);
  const EnsembleResult right =
      bench.run({.rtol = 1e-12, .atol = 1e-13, .outputs = bench.outputs, .backend = "scalar"}, few);
  double apart = 0;
  double error = 0;
  for (std::size_t k = 0; k < alone.values.size(); ++k) {
    apart = std::max(apart, std::abs(together.values[k] - alone.values[k]) / (1 + std::abs(alone.values[k])));
    error = std::max(error, std::abs(together.values[k] - right.values[k]));
  }
  double drift = 0;
  double steps = 0;
  double theirs = 0;
  for (std::size_t k = 0; k < few; ++k) {
    drift = std::max(drift, together.drift[k]);
    steps += together.steps[k];
    theirs += alone.steps[k];
  }
  const auto count = static_cast<double>(few);
  fmt::print(
      "error {:.3g}, from the engine {:.3g}, drift {:.3g}, steps {:.2f} and {:.2f}, by the engine {}, failed "
      "{}\n",
      error, apart, drift, steps / count, theirs / count, std::ranges::count(together.scalar, 1),
      together.failures.size());
}

int run(std::span<char* const> arguments) {
  const auto sources = std::make_shared<SourceMap>();
  std::ifstream stream(arguments[1]);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  LoadOptions options;
  for (char* const name : arguments.subspan(7)) options.free.emplace_back(name);
  const auto system = load_model(sources, sources->add(arguments[1], text), options);
  if (!system) return fmt::print("{}\n", system.error().front().message), 2;
  auto planned = plan(*system, {.rtol = std::atof(arguments[3]), .integrator = Selection(arguments[5])});
  auto engine = planned ? compile(*std::move(planned)) : std::unexpected(planned.error());
  if (!engine) return fmt::print("{}\n", engine.error().front().message), 2;
  Bench bench{.engine = *engine, .names = options.free, .outputs = {}, .columns = {}};
  if (std::string(arguments[6]) != "all") bench.outputs = {arguments[6]};
  if (std::string(arguments[0]) == "source") {
    const auto kernel = trajectory_kernel(*bench.engine, bench.outputs);
    auto simulation = bench.engine->start();
    if (!kernel || !simulation) return 1;
    const std::vector<double> environment = simulation->environment();
    fmt::print("//");
    for (const NodeId leaf : kernel->states)
      fmt::print(" {:.17g}", environment[static_cast<std::size_t>(bench.engine->model().slot(leaf))]);
    fmt::print("\n{}", cuda_source(*kernel));
    return 0;
  }
  const auto runs = static_cast<std::size_t>(std::atol(arguments[2]));
  const double spread = std::atof(arguments[4]);
  for (const std::string& name : bench.names) {
    const double value = std::ranges::find(bench.engine->system().variables, name, &Variable::name)->start;
    auto& column = bench.columns.emplace_back();
    for (std::size_t k = 0; k < runs; ++k)
      column.push_back(value *
                       (1 - spread + 2 * spread * static_cast<double>(k) / static_cast<double>(runs)));
  }
  const EnsembleResult together = measure(bench, arguments[0], runs);
  const std::size_t few = std::min(runs, compared);
  const double begin = processor_seconds();
  for (std::size_t k = 0; k < few; ++k) {
    RunRequest request{.points = 2};
    for (std::size_t p = 0; p < bench.names.size(); ++p)
      request.set.push_back({.name = bench.names[p], .value = bench.columns[p][k]});
    if (!bench.engine->run(request)) return 1;
  }
  report("engine", processor_seconds() - begin, few);
  compare(bench, together, few);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 9) {
    fmt::print("bench_trajectories BACKEND MODEL RUNS RTOL SPREAD INTEGRATOR OUTPUT PARAMETER...\n");
    return 2;
  }
  return run({arguments + 1, arguments + count});
}
