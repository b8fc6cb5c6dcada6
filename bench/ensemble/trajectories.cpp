// The same runs by one engine after the other and as an ensemble, in one thread: processor time of each, and
// how far their results are apart.
//
//     bench_trajectories MODEL RUNS RTOL SPREAD INTEGRATOR PARAMETER...
//
// The parameters go from 1 - SPREAD to 1 + SPREAD times their values.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <span>

#include "ensemble/ensemble.hpp"
#include "model/load.hpp"

namespace {

using namespace daedalus;

double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

void report(const char* what, double seconds, std::size_t runs) {
  fmt::print("{:10} {:9.3f} s  {:8.2f} us each  {:10.0f} a second\n", what, seconds,
             1e6 * seconds / static_cast<double>(runs), static_cast<double>(runs) / seconds);
}

// Of the values of some runs against the engine's, relative to 1 + their size.
double worst_of(const EnsembleResult& a, const EnsembleResult& b) {
  double worst = 0;
  for (std::size_t k = 0; k < b.values.size(); ++k)
    worst = std::max(worst, std::abs(a.values[k] - b.values[k]) / (1 + std::abs(b.values[k])));
  return worst;
}

int run(std::span<char* const> arguments) {
  const auto sources = std::make_shared<SourceMap>();
  std::ifstream stream(arguments[0]);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  LoadOptions options;
  for (char* const name : arguments.subspan(5)) options.free.emplace_back(name);
  const auto system = load_model(sources, sources->add(arguments[0], text), options);
  if (!system) return fmt::print("{}\n", system.error().front().message), 2;
  auto planned = plan(*system, {.rtol = std::atof(arguments[2]), .integrator = Selection(arguments[4])});
  if (!planned) return fmt::print("{}\n", planned.error().front().message), 2;
  const auto engine = compile(*std::move(planned));
  if (!engine) return 2;
  const auto runs = static_cast<std::size_t>(std::atoi(arguments[1]));
  const double spread = std::atof(arguments[3]);
  std::vector<std::vector<double>> columns;
  for (const std::string& name : options.free) {
    const auto& variables = (*engine)->system().variables;
    const double value = std::ranges::find(variables, name, &Variable::name)->start;
    auto& column = columns.emplace_back();
    for (std::size_t k = 0; k < runs; ++k)
      column.push_back(value *
                       (1 - spread + 2 * spread * static_cast<double>(k) / static_cast<double>(runs)));
  }
  const double before = processor_seconds();
  const char* const backend = std::getenv("BACKEND");
  const auto lanes =
      Ensemble::make(*engine, {.backend = backend != nullptr ? backend : "lanes", .threads = 1});
  if (!lanes) return fmt::print("{}\n", lanes.error().front().message), 2;
  const auto scalar = Ensemble::make(*engine, {.backend = "scalar", .threads = 1});
  fmt::print("{} {}; ready in {:.4f} s\n", (*lanes)->backend(), (*lanes)->why(),
             processor_seconds() - before);
  const auto inputs = [&](std::size_t count) {
    EnsembleInputs given{.names = options.free, .columns = {}, .runs = count};
    for (const auto& column : columns) given.columns.emplace_back(std::span(column).first(count));
    return given;
  };
  double begin = processor_seconds();
  const auto together = (*lanes)->run(inputs(runs));
  report("ensemble", processor_seconds() - begin, runs);
  if (!together) return 2;
  const std::size_t few = std::min<std::size_t>(runs, 2000);
  begin = processor_seconds();
  for (std::size_t k = 0; k < few; ++k) {
    RunRequest request{.points = 2};
    for (std::size_t p = 0; p < columns.size(); ++p)
      request.set.push_back({.name = options.free[p], .value = columns[p][k]});
    const auto one = (*engine)->run(request);
    if (!one) return 1;
    if (k < 3)
      fmt::print("{} steps {} rejected {} evaluations\n", one->summary.counters.steps,
                 one->summary.counters.rejected, one->summary.counters.residual_evals);
  }
  report("engine", processor_seconds() - begin, few);
  const auto alone = (*scalar)->run(inputs(few));
  EnsembleResult part = *together;
  part.values.resize(alone->values.size());
  double drift = 0;
  double steps = 0;
  double theirs = 0;
  for (std::size_t k = 0; k < few; ++k) {
    drift = std::max(drift, together->drift[k]);
    steps += together->steps[k];
    theirs += alone->steps[k];
  }
  std::size_t other = 0;
  double same = 0;
  const std::size_t width = alone->outputs.size();
  for (std::size_t k = 0; k < few; ++k) {
    const bool differs = together->steps[k] != alone->steps[k] || together->rejected[k] != alone->rejected[k];
    other += differs ? 1 : 0;
    for (std::size_t i = k * width; i < (k + 1) * width && !differs; ++i)
      same =
          std::max(same, std::abs(together->values[i] - alone->values[i]) / (1 + std::abs(alone->values[i])));
  }
  fmt::print("of the first: {} and {} steps, {} and {} rejected, {} and {} evaluations\n", together->steps[0],
             alone->steps[0], together->rejected[0], alone->rejected[0], together->evaluations[0],
             alone->evaluations[0]);
  fmt::print("{} runs took other steps; of the others the worst difference is {:.3g}\n", other, same);
  fmt::print("worst difference {:.3g}, drift {:.3g}, steps {:.2f} and {:.2f}, by the engine {}, failed {}\n",
             worst_of(part, *alone), drift, steps / static_cast<double>(few),
             theirs / static_cast<double>(few), std::ranges::count(together->scalar, 1),
             together->failures.size());
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 7) {
    fmt::print("bench_trajectories MODEL RUNS RTOL SPREAD INTEGRATOR PARAMETER...\n");
    return 2;
  }
  return run({arguments + 1, arguments + count});
}
