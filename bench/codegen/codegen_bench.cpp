// Nanoseconds an operation to run and microseconds an operation to compile, for every back end and growing
// systems. The smallest of many times, in seconds of this thread, because the machine may be busy with other
// things.
//
//   bench_codegen [largest number of operations]
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <limits>

#include "codegen/jacobian.hpp"
#include "codegen/program.hpp"
#include "systems.hpp"

namespace daedalus {
namespace {

double seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Seconds of one call: batches of about a millisecond, the best of those that fit in `budget` seconds.
double best_time(const std::function<void()>& call, double budget,
                 clockid_t clock = CLOCK_THREAD_CPUTIME_ID) {
  double start = seconds(clock);
  call();
  const double once = std::max(seconds(clock) - start, 1e-8);
  const int batch = std::max(1, static_cast<int>(1e-3 / once));
  double best = std::numeric_limits<double>::infinity();
  for (const double end = seconds(clock) + budget; seconds(clock) < end;) {
    start = seconds(clock);
    for (int k = 0; k < batch; ++k) call();
    best = std::min(best, (seconds(clock) - start) / batch);
  }
  return std::min(best, once);
}

struct Case {
  const char* name;
  bench::System (*make)(int n);
  std::vector<int> sizes;
  bool jacobian = false;  // of the residuals, instead of them
};

Program compile(bench::System& system, bool jacobian, CodegenChoice choice, std::size_t threads = 1) {
  const auto slot = [&](NodeId leaf) { return system.slot(leaf); };
  if (!jacobian)
    return Program::compile(system.graph, system.residuals, system.slots(), slot,
                            {.choice = choice, .threads = threads});
  return SparseJacobianProgram::compile(system.graph, system.residuals, system.slots(), slot, system.slots(),
                                        slot, {.choice = choice, .threads = threads})
      .program();
}

void measure(const Case& row, int size, std::size_t largest) {
  bench::System system = row.make(size);
  const std::vector<double> environment = bench::environment_of(system);
  const std::size_t operations = compile(system, row.jacobian, CodegenChoice::Interpreter).operations();
  if (operations > largest) return;
  fmt::print("{:<14}{:>9}", row.name, operations);
  const double count = static_cast<double>(operations);
  for (const BackEnd& back_end : all_back_ends()) {
    Program program = compile(system, row.jacobian, back_end.choice);
    if (program.back_end() != back_end.name) {
      fmt::print("{:>24}", "-");
      continue;
    }
    // A Jacobian is differentiated only the first time; after that the graph has it all.
    const double build =
        row.jacobian ? NAN : best_time([&] { program = compile(system, false, back_end.choice); }, 0.05);
    std::vector<double> workspace;
    std::vector<double> results(program.results());
    const double run = best_time([&] { program.evaluate(environment, results, workspace); }, 0.1);
    fmt::print("{:>8.2f}{:>8.3f}{:>8}", run / count * 1e9, build / count * 1e6, program.groups());
  }
  const Program automatic = compile(system, row.jacobian, CodegenChoice::Auto);
  fmt::print("  {}\n", automatic.back_end());
}

// On the clock on the wall: what threads gain, where the machine has processors to spare.
void measure_threads() {
  fmt::print("\nkernels, rods, µs a run by number of threads\n{:>9}", "ops");
  for (const std::size_t threads : {1, 2, 4}) fmt::print("{:>9}", threads);
  fmt::print("\n");
  for (const int rods : {3000, 10'000, 20'000, 37'000}) {
    bench::System system = bench::rods(rods);
    const std::vector<double> environment = bench::environment_of(system);
    fmt::print("{:>9}", compile(system, false, CodegenChoice::Interpreter).operations());
    for (const std::size_t threads : {1, 2, 4}) {
      const Program program = compile(system, false, CodegenChoice::Kernels, threads);
      std::vector<double> workspace;
      std::vector<double> results(program.results());
      fmt::print("{:>9.0f}", 1e6 * best_time([&] { program.evaluate(environment, results, workspace); }, 0.5,
                                             CLOCK_MONOTONIC));
    }
    fmt::print("\n");
  }
}

void run(std::size_t largest) {
  const std::vector<Case> cases{
      {"rods", bench::rods, {1, 3, 10, 30, 100, 300, 1000, 3000, 10'000, 37'000}},
      {"rods' Jacobian", bench::rods, {1, 10, 100, 1000, 10'000, 60'000}, true},
      {"net", bench::net, {3, 10, 30, 100, 170}},
      {"net's Jacobian", bench::net, {3, 10, 30, 100}, true},
      {"random", bench::random, {1500, 3000, 10'000, 30'000, 100'000, 1'000'000}},
      {"sum", bench::sum, {100, 1000, 10'000, 100'000}},
      {"mixed", bench::mixed, {100, 1000, 10'000, 100'000}},
  };
  fmt::print("{:<14}{:>9}", "system", "ops");
  for (const BackEnd& back_end : all_back_ends()) fmt::print("{:>24}", back_end.name);
  fmt::print("  auto\n{:<14}{:>9}", "", "");
  for (std::size_t k = 0; k < all_back_ends().size(); ++k)
    fmt::print("{:>8}{:>8}{:>8}", "ns/op", "µs/op", "groups");
  fmt::print("\n");
  for (const Case& row : cases) {
    for (const int size : row.sizes) measure(row, size, largest);
  }
  measure_threads();
}

}  // namespace
}  // namespace daedalus

int main(int argc, char** argv) {
  daedalus::run(argc > 1 ? static_cast<std::size_t>(std::atof(argv[1])) : 1'100'000);
}
