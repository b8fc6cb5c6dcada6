// `daedalus sweep`: one model many times with other numbers, and its options.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/options.hpp"

namespace CLI {
class App;
}

namespace daedalus::cli {

struct SweepArguments {
  std::string model;                  // path; "-": standard input
  std::vector<std::string> settings;  // NAME=VALUE, checked: the same in all runs
  std::string table;                  // CSV: a column of values for each name
  std::vector<std::string> samples;   // NAME=DISTRIBUTION
  std::size_t runs = 0;               // of samples
  std::uint64_t seed = 0;
  bool latin = false;
  std::vector<std::string> vars;
  std::vector<double> at;
  std::optional<double> until, rtol, atol;
  Selection integrator{"auto"};
  std::string backend = "auto";
  std::size_t threads = 0;
  std::string out;  // CSV; "-": standard output
  bool quiet = false;
};

void add_sweep_options(CLI::App& app, SweepArguments& arguments);

}  // namespace daedalus::cli
