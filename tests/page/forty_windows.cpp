// Writes the page of forty four-bar linkages in a row (A02 of the IFToMM library of computational benchmark
// problems, 81 bodies): forty_windows FILE.html [windows] [seconds]. In the plane, as the problem is stated.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "mechanics/equations.hpp"
#include "mechanics/mechanisms.hpp"
#include "results/page.hpp"
#include "results/summary.hpp"
#include "simulate/run.hpp"

namespace daedalus {
namespace {

int write_page(const std::string& path, int windows, double seconds) {
  const Mechanism mechanism = testing::n_four_bar(windows, Dimension::Planar);
  const auto system = equations_of(mechanism);
  if (!system) return 2;
  StepLog steps;
  RunOptions options;
  options.until = seconds;
  options.rtol = 1e-5;
  options.points = 1201;
  options.progress = [&steps](const Progress& progress) {
    if (!steps.times.empty() && progress.t < steps.times.back()) steps = {};
    steps.times.push_back(progress.t);
    steps.sizes.push_back(progress.step);
    steps.orders.push_back(progress.order);
    return true;
  };
  const auto result = simulate(*system, options);
  if (!result || !result->ok()) return 1;
  std::fputs(summary_text(result->summary).c_str(), stderr);
  const auto page = run_page({.result = &*result,
                              .system = &*system,
                              .mechanism = &mechanism,
                              .steps = &steps,
                              .command = "",
                              .preferred = telling_signals(mechanism)});
  std::ofstream file(path, std::ios::binary);
  file << page.value_or("");
  return page && file.good() ? 0 : 1;
}

}  // namespace
}  // namespace daedalus

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const int windows = argc > 2 ? std::atoi(argv[2]) : 40;
  const double seconds = argc > 3 ? std::atof(argv[3]) : 20;
  return daedalus::write_page(argv[1], windows, seconds);
}
