// A sweep without Python: one engine of a model, run again and again with other values of its parameters.
//
//     bench_ensemble MODEL RUNS POINTS PARAMETER...
//
// The parameters go from 0.8 to 1.2 times their values. Processor time, and the sum of all end values, which
// two programs should have in common.
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <span>

#include "model/load.hpp"
#include "simulate/engine.hpp"

namespace {

using namespace daedalus;

double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

int run(std::span<char* const> arguments) {
  const auto sources = std::make_shared<SourceMap>();
  std::ifstream stream(arguments[0]);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const std::int32_t file = sources->add(arguments[0], text);
  LoadOptions options;
  for (char* const name : arguments.subspan(3)) options.free.emplace_back(name);
  const auto system = load_model(sources, file, options);
  if (!system) return 2;
  auto planned = plan(*system, {});
  if (!planned) return 2;
  const auto engine = compile(*std::move(planned));
  if (!engine) return 2;
  const int runs = std::atoi(arguments[1]);
  RunRequest request{.points = std::atoi(arguments[2])};
  const double begin = processor_seconds();
  double sum = 0;
  for (int k = 0; k < runs; ++k) {
    request.set.clear();
    for (const std::string& name : options.free) {
      for (const Variable& variable : (*engine)->system().variables) {
        const double factor = 0.8 + 0.4 * k / runs;
        if (variable.name == name) request.set.push_back({.name = name, .value = factor * variable.start});
      }
    }
    const auto result = (*engine)->run(request);
    if (!result || !result->ok()) return 1;
    for (const auto& [name, value] : result->summary.final_values) sum += value;
  }
  const double seconds = processor_seconds() - begin;
  fmt::print("{} runs: {:.3f} s, {:.1f} us each; sum of the end values {:.12g}\n", runs, seconds,
             1e6 * seconds / runs, sum);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 4) {
    fmt::print("bench_ensemble MODEL RUNS POINTS PARAMETER...\n");
    return 2;
  }
  return run({arguments + 1, arguments + count});
}
